"""Principal components by the singular values, and by the covariance."""

import numpy as np

rng = np.random.default_rng(12)
data = rng.standard_normal((300, 6)) @ rng.standard_normal((6, 6)) + np.arange(6)
centred = data - data.mean(axis=0)
U, s, Vt = np.linalg.svd(centred, full_matrices=False)
values, vectors = np.linalg.eigh(np.cov(data, rowvar=False))
print(np.allclose(s**2 / (len(data) - 1), values[::-1]))
print((s**2 / np.sum(s**2)).round(6))
reduced = centred @ Vt[:2].T
print(reduced.shape, np.abs(reduced).mean(axis=0).round(6))
