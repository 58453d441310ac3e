"""Type characters and limits of dtypes."""

import numpy

from gpunp.array.ndarray import ndarray
from gpunp.dispatch.registry import implements


@implements(name="mintypecode")
def mintypecode(typechars, typeset="GDFgdf", default="d"):
    """The character of the smallest dtype to which all given dtypes can be cast; see `numpy.mintypecode`."""
    if isinstance(typechars, ndarray):
        # NumPy iterates over an array and takes the dtype of each item.
        typechars = [typechars.dtype.char] * len(typechars)
    elif not isinstance(typechars, str):
        typechars = [a.dtype.char if isinstance(a, ndarray) else a for a in typechars]
    return numpy.mintypecode(typechars, typeset, default)


@implements(name="finfo")
def finfo(dtype):
    """Limits of a floating-point dtype, or of the dtype of an array; see `numpy.finfo`.

    Returns
    -------
    numpy.finfo
        NumPy's object, whose limits are host scalars.
    """
    return numpy.finfo(dtype.dtype if isinstance(dtype, ndarray) else dtype)


@implements(name="iinfo")
def iinfo(int_type):
    """Limits of an integer dtype, or of the dtype of an array; see `numpy.iinfo`.

    Returns
    -------
    numpy.iinfo
        NumPy's object, whose limits are host scalars.
    """
    return numpy.iinfo(int_type.dtype if isinstance(int_type, ndarray) else int_type)
