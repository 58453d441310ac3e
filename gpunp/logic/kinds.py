"""Tests for the kind of number that an element or an array holds."""

import numpy

from gpunp.array.convert import asarray
from gpunp.array.ndarray import ndarray
from gpunp.dispatch.registry import implements


@implements(numpy.iscomplexobj)
def iscomplexobj(x):
    """Whether the dtype is complex; see `numpy.iscomplexobj`."""
    return x.dtype.kind == "c" if isinstance(x, ndarray) else numpy.iscomplexobj(x)


@implements(numpy.isrealobj)
def isrealobj(x):
    """Whether the dtype is not complex; see `numpy.isrealobj`."""
    return not iscomplexobj(x)


@implements(numpy.iscomplex)
def iscomplex(x):
    """Whether the imaginary part of each element is nonzero; see `numpy.iscomplex`."""
    x = asarray(x)
    return x.imag != 0 if x.dtype.kind == "c" else numpy.zeros_like(x, dtype=bool, order="C")._mark_scalar()


@implements(numpy.isreal)
def isreal(x):
    """Whether the imaginary part of each element is zero; see `numpy.isreal`."""
    return asarray(x).imag == 0


def _signed_infinity(x, out, negative):
    x = asarray(x)
    if x.dtype.kind == "c":
        raise TypeError(
            f"This operation is not supported for {x.dtype} values because it would be ambiguous."
        )
    is_infinite, sign = numpy.isinf(x), numpy.signbit(x) if x.dtype.kind != "b" else numpy.zeros_like(x)
    return numpy.logical_and(is_infinite, sign if negative else ~sign, out=out)


@implements(numpy.isposinf)
def isposinf(x, out=None):
    """Whether each element is positive infinity; see `numpy.isposinf`."""
    return _signed_infinity(x, out, negative=False)


@implements(numpy.isneginf)
def isneginf(x, out=None):
    """Whether each element is negative infinity; see `numpy.isneginf`."""
    return _signed_infinity(x, out, negative=True)
