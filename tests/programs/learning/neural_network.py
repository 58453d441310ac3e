"""A network with a hidden layer and back-propagation, in mini-batches."""

import numpy as np


class Layer:
    def __init__(self, inputs, outputs, rng):
        self.w = rng.standard_normal((inputs, outputs)) * np.sqrt(2 / inputs)
        self.b = np.zeros(outputs)

    def forward(self, x):
        self.x = x
        return x @ self.w + self.b

    def backward(self, gradient, rate):
        back = gradient @ self.w.T
        self.w -= rate * self.x.T @ gradient
        self.b -= rate * gradient.sum(axis=0)
        return back


rng = np.random.default_rng(0)
x = rng.uniform(-1, 1, (400, 2))
y = (x[:, 0] * x[:, 1] > 0).astype(int)
one_hot = np.eye(2)[y]
first, second = Layer(2, 24, rng), Layer(24, 2, rng)
for epoch in range(60):
    order = rng.permutation(len(x))
    for start in range(0, len(x), 50):
        rows = order[start : start + 50]
        hidden = first.forward(x[rows])
        active = np.maximum(hidden, 0)
        scores = second.forward(active)
        scores = scores - scores.max(axis=1, keepdims=True)
        p = np.exp(scores)
        p /= p.sum(axis=1, keepdims=True)
        gradient = (p - one_hot[rows]) / len(rows)
        first.backward(second.backward(gradient, 0.5) * (hidden > 0), 0.5)
predicted = second.forward(np.maximum(first.forward(x), 0)).argmax(axis=1)
print("accuracy above 90 %:", (predicted == y).mean() > 0.9)
