"""The exponential of a matrix by scaling and squaring, and a Markov chain."""

import numpy as np


def expm(a, terms=20):
    scale = max(0, int(np.ceil(np.log2(np.abs(a).sum(axis=1).max()))) + 1)
    a = a / 2**scale
    result = term = np.eye(len(a))
    for k in range(1, terms):
        term = term @ a / k
        result = result + term
    for _ in range(scale):
        result = result @ result
    return result


n = 30
rates = np.fromfunction(lambda i, j: 1.0 / (1 + np.abs(i - j)), (n, n))
np.fill_diagonal(rates, 0)
rates -= np.diag(rates.sum(axis=1))
p = expm(rates * 0.5)
print(np.allclose(p.sum(axis=1), 1), p[0, :4].round(6))
print(np.linalg.matrix_power(p, 20)[0, :3].round(6))
