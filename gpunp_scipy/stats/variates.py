"""Random variates of distributions whose code in SciPy needs a generator of NumPy, from one of a device."""

import numpy as np


def hypergeom_rvs(self, M, n, N, size=None, random_state=None):
    whole = [each.astype(np.int64) for each in (n, M - n, N)]
    return random_state.hypergeometric(*whole, size=size)


def maxwell_rvs(self, size=None, random_state=None):
    return np.sqrt(2.0 * random_state.standard_gamma(1.5, size=size))


def rayleigh_rvs(self, size=None, random_state=None):
    return np.sqrt(2.0 * random_state.standard_exponential(size=size))


def moyal_rvs(self, size=None, random_state=None):
    return -np.log(2.0 * random_state.standard_gamma(0.5, size=size))


def randint_rvs(self, low, high, size=None, random_state=None):
    return random_state.integers(low, high, size=size)


def norminvgauss_rvs(self, a, b, size=None, random_state=None):
    gamma = np.sqrt((a - b) * (a + b))
    variance = random_state.wald(1 / gamma, 1.0, size=size)
    return b * variance + np.sqrt(variance) * random_state.standard_normal(size=size)


def by_inversion(self, *args, size=None, random_state=None):
    return self._ppf(random_state.uniform(size=size), *args)


def pearson3_rvs(self, skew, size=None, random_state=None):
    beta = 2.0 / skew
    normal = np.absolute(skew) < 0.000016
    alpha = np.where(normal, 1.0, beta**2)
    variates = random_state.standard_gamma(alpha, size=size) / beta - beta
    return np.where(normal, random_state.standard_normal(size=size), variates)
