"""Questions about dtypes: NumPy answers them, given the dtypes of the arrays."""

import numpy

from gpunp.array.convert import asnumpy, joined
from gpunp.array.ndarray import ndarray
from gpunp.dispatch.registry import implements


def _dtype_of(value):
    return value.dtype if isinstance(value, ndarray) else value


@implements(numpy.result_type)
def result_type(*arrays_and_dtypes):
    """The dtype that promotion gives; see `numpy.result_type`."""
    return numpy.result_type(*map(_dtype_of, arrays_and_dtypes))


@implements(numpy.can_cast)
def can_cast(from_, to, casting="safe"):
    """Whether a cast is allowed by a rule; see `numpy.can_cast`."""
    return numpy.can_cast(_dtype_of(from_), to, casting)


@implements(numpy.min_scalar_type)
def min_scalar_type(a, /):
    """The smallest dtype that holds a scalar; the dtype itself for an array; see `numpy.min_scalar_type`."""
    a = joined(a)
    if isinstance(a, ndarray):
        return a.dtype if a.ndim else numpy.min_scalar_type(asnumpy(a)[()])
    return numpy.min_scalar_type(a)


@implements(numpy.common_type)
def common_type(*arrays):
    """The inexact scalar type common to arrays; see `numpy.common_type`.

    Parameters
    ----------
    *arrays : ndarray
        Arrays of numbers, of which only the dtype counts.
    """
    return numpy.common_type(*(numpy.empty(0, a.dtype) if isinstance(a, ndarray) else a for a in arrays))
