"""Every way to import NumPy."""

import importlib
import sys

import numpy
import numpy as np
import numpy.linalg as la
import numpy.random
from numpy import *  # noqa: F403
from numpy import float64, linspace, pi
from numpy import zeros as make_zeros
from numpy.linalg import norm
from numpy.random import default_rng

lazy = importlib.import_module("numpy")
by_name = __import__("numpy")
x = linspace(0, pi, 500)
print(la.norm(x) == norm(x) == numpy.linalg.norm(x), np.pi == pi, float64 is np.float64)
print(lazy.ones(400).sum(), by_name.full(300, 2.0).sum(), make_zeros(600).size, arange(700).sum())  # noqa: F405


def late():
    import numpy.fft as transforms

    return transforms.fft(ones(256)).real[0]  # noqa: F405


print(late(), np.polynomial.Polynomial([1, 2, 3])(2.0), np.ma.masked_less(np.arange(5), 2).sum())
print(default_rng(0).random(3), numpy.random.RandomState(1).rand(2), "numpy" in sys.modules, np.__name__)
exec("import numpy as inner\nprint(inner.ones(500).mean())")
