"""Functions that tests of ``scipy.optimize`` minimize, for arrays of the host and of the device."""

import numpy as np

import gpunp

START = np.array([1.3, 0.7, 0.8, 1.9, 1.2])
_RANDOM = np.random.default_rng(0)
_HALF = _RANDOM.normal(size=(20, 20))
MATRIX = _HALF @ _HALF.T + np.eye(20)
RIGHT = _RANDOM.normal(size=20)


def _like(value, x):
    return gpunp.asarray(value) if isinstance(x, gpunp.ndarray) else value


def quartic(x):
    """A convex function of 20 variables."""
    return 0.5 * (x @ (_like(MATRIX, x) @ x)) - _like(RIGHT, x) @ x + 0.1 * np.sum(x**4)


def of_quartic(x):
    """Its gradient."""
    return _like(MATRIX, x) @ x - _like(RIGHT, x) + 0.4 * x**3
