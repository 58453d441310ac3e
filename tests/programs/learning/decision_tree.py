"""A decision tree: recursion, many small arrays."""

import numpy as np


def gini(y):
    if len(y) == 0:
        return 0.0
    p = np.bincount(y, minlength=2) / len(y)
    return 1 - np.sum(p**2)


def best_split(X, y):
    best = (gini(y), None, None)
    for feature in range(X.shape[1]):
        for value in np.unique(X[:, feature])[::8]:
            left = X[:, feature] <= value
            score = left.mean() * gini(y[left]) + (~left).mean() * gini(y[~left])
            if score < best[0] - 1e-9:
                best = (score, feature, value)
    return best


def grow(X, y, depth):
    _, feature, value = best_split(X, y) if depth else (0, None, None)
    if feature is None:
        return int(np.bincount(y).argmax())
    left = X[:, feature] <= value
    return feature, float(value), grow(X[left], y[left], depth - 1), grow(X[~left], y[~left], depth - 1)


def predict(tree, x):
    while isinstance(tree, tuple):
        tree = tree[2] if x[tree[0]] <= tree[1] else tree[3]
    return tree


rng = np.random.default_rng(1)
X = rng.random((200, 3))
y = ((X[:, 0] > 0.5) ^ (X[:, 1] > 0.3)).astype(int)
tree = grow(X, y, 3)
print(tree[0], round(tree[1], 6), np.mean([predict(tree, x) == t for x, t in zip(X, y)]))
