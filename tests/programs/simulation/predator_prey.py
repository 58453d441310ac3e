"""A loop of many tiny calls: the equations of Lotka and Volterra for one population."""

import numpy as np

state = np.array([10.0, 5.0])
history = [state]
for _ in range(2000):
    prey, predators = state
    change = np.array([1.1 * prey - 0.4 * prey * predators, 0.1 * prey * predators - 0.4 * predators])
    state = state + 0.005 * change
    history.append(state)
history = np.array(history)
print(history.shape, history.max(axis=0), history[-1])
