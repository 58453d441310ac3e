"""Newton's method for a logistic model, with a report as a dictionary."""

import json

import numpy as np


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


rng = np.random.default_rng(6)
X = np.hstack([np.ones((300, 1)), rng.normal(size=(300, 2))])
y = (rng.random(300) < sigmoid(X @ np.array([0.5, 2.0, -1.0]))).astype(float)
w = np.zeros(3)
for step in range(20):
    p = sigmoid(X @ w)
    gradient = X.T @ (y - p)
    hessian = (X * (p * (1 - p))[:, None]).T @ X
    delta = np.linalg.solve(hessian, gradient)
    w += delta
    if np.abs(delta).max() < 1e-10:
        break
likelihood = np.sum(y * np.log(p) + (1 - y) * np.log(1 - p))
print(json.dumps({"steps": step, "weights": w.round(6).tolist(), "likelihood": round(float(likelihood), 6)}))
print(json.dumps({"accuracy": np.mean((p > 0.5) == y)}))
