"""Pi from random points, with the older functions of numpy.random."""

import random

import numpy as np
from numpy.random import rand, randint, seed, shuffle

seed(1)
random.seed(1)
x, y = rand(5000), rand(5000)
print(4 * np.mean(x * x + y * y < 1), randint(0, 10, 5), random.random())
deck = np.arange(300)
shuffle(deck)
print(deck[:8], np.random.permutation(400)[:5], np.random.choice(500, 3, replace=False))
np.random.shuffle(deck)
print(deck[:5], np.random.normal(0, 1, 3), np.random.uniform(size=(200, 2)).mean(axis=0))
rng = np.random.default_rng(5)
values = rng.integers(0, 100, 1000)
rng.shuffle(values)
print(values[:6], rng.choice(values, 4), rng.permutation(values)[:4], rng.poisson(3, 300).sum(), rng.random())
