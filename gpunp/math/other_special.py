"""NumPy's own special functions."""

import math

import numpy

from gpunp.array import layout
from gpunp.array.convert import asarray
from gpunp.dispatch.registry import implements
from gpunp.math import loops
from gpunp.ufunc.engine import UFUNCS

_i0 = UFUNCS["scipy.special", "i0"]


@implements(numpy.i0)
def i0(x):
    """Modified Bessel function of the first kind, order 0; see `numpy.i0`."""
    x = asarray(x)
    if x.dtype.kind == "c":
        raise TypeError("i0 not supported for complex values")
    if x.dtype.kind != "f":
        x = x.astype(numpy.float64)
    source = x.astype(numpy.float32) if x.dtype.itemsize == 2 else x
    out = layout.empty_like(source)
    loops.apply_loop(_i0, source, out)
    return out.astype(x.dtype, copy=False)


@implements(numpy.sinc)
def sinc(x):
    """The normalized sinc function, sin(pi x) / (pi x); see `numpy.sinc`."""
    x = (math.pi * asarray(x))._unmark_scalar()
    eps = numpy.finfo(x.dtype).eps if x.dtype.kind == "f" else 1e-20
    numpy.copyto(x, eps, where=x == 0)
    result = numpy.sin(x)
    result /= x
    return result
