"""The dtypes of the results of transforms."""

import numpy

_SINGLE = "efF"


def real_dtype(dtype):
    """The dtype of real results: NumPy computes halves in single precision and returns halves."""
    return numpy.dtype({"e": "e", "f": "f", "F": "f"}.get(dtype.char, "d"))


def complex_dtype(dtype):
    """The dtype of complex results."""
    return numpy.dtype("F" if dtype.char in _SINGLE else "D")
