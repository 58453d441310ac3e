"""Promotion and casting of dtypes: NumPy's functions, called with the dtypes of device arrays."""

import numpy

from gpunp.array.convert import asnumpy, joined
from gpunp.array.ndarray import ndarray
from gpunp.dispatch.registry import implements


def _dtype_of(value):
    return value.dtype if isinstance(value, ndarray) else value


@implements(numpy.result_type)
def result_type(*arrays_and_dtypes):
    """The dtype that results from promotion; see `numpy.result_type`."""
    return numpy.result_type(*map(_dtype_of, arrays_and_dtypes))


@implements(numpy.can_cast)
def can_cast(from_, to, casting="safe"):
    """Whether a casting rule allows a cast; see `numpy.can_cast`."""
    return numpy.can_cast(_dtype_of(from_), to, casting)


@implements(numpy.min_scalar_type)
def min_scalar_type(a, /):
    """The smallest dtype that can hold a scalar; for an array, its own dtype; see `numpy.min_scalar_type`."""
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
        Arrays of numbers; only their dtypes matter.
    """
    return numpy.common_type(*(numpy.empty(0, a.dtype) if isinstance(a, ndarray) else a for a in arrays))
