"""A mixture of two normal distributions by expectation and maximization."""

import numpy as np

rng = np.random.default_rng(15)
x = np.concatenate([rng.normal(-2, 0.5, 300), rng.normal(1, 1.0, 700)])
weight, mean, std = np.array([0.5, 0.5]), np.array([-1.0, 0.5]), np.array([1.0, 1.0])
previous = -np.inf
for i in range(200):
    density = weight / (std * np.sqrt(2 * np.pi)) * np.exp(-0.5 * ((x[:, None] - mean) / std) ** 2)
    total = density.sum(axis=1)
    r = density / total[:, None]
    n = r.sum(axis=0)
    weight, mean = n / len(x), (r * x[:, None]).sum(axis=0) / n
    std = np.sqrt((r * (x[:, None] - mean) ** 2).sum(axis=0) / n)
    likelihood = np.log(total).sum()
    if likelihood - previous < 1e-6:
        break
    previous = likelihood
print(i > 5, weight.round(4), mean.round(4), std.round(4))
