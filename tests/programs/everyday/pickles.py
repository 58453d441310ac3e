"""Pickles and copies of arrays, of objects that hold them, and of functions."""

import copy
import pickle

import numpy as np


class Model:
    def __init__(self, n):
        self.weights = np.linspace(-1, 1, n)
        self.activation = np.tanh
        self.make = np.zeros


model = Model(1000)
for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
    again = pickle.loads(pickle.dumps(model.weights, protocol))
    print(protocol, np.array_equal(again, model.weights), again.dtype, isinstance(again, np.ndarray))
clone = copy.deepcopy(model)
clone.weights[:10] = 0
print(model.weights[0], clone.weights[0], clone.activation(0.5).round(6), clone.make(3))
functions = pickle.loads(pickle.dumps([np.zeros, np.ndarray, np.float64, np.sum]))
print([f.__name__ for f in functions])
state = pickle.loads(pickle.dumps(np.random.default_rng(3)))
print(state.random(2), pickle.loads(pickle.dumps(model.weights.max())))
