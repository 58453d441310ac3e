"""Functions that return complex numbers where the real function is undefined.

The dtype of the result depends on the values: the host waits once per real operand that may be outside the
domain.
"""

import numpy

from gpunp.array.convert import asarray
from gpunp.array.ndarray import ndarray
from gpunp.array.operands import device_of
from gpunp.dispatch.registry import implements


def _complex(x):
    small = x.dtype.kind in "biuf" and x.dtype.char in "fbhBH"
    return x.astype(numpy.complex64 if small else numpy.complex128)


def _prepared(x, device, kinds, outside, change):
    """An operand on the device, converted by ``change`` if any of its values is outside the domain."""
    x = x if isinstance(x, ndarray) else numpy.asarray(x)
    if x.dtype.kind in kinds and bool(outside(x).any()):
        x = change(x)
    return asarray(x, device=None if isinstance(x, ndarray) else device)


def _not_negative(x, device):
    return _prepared(x, device, "if", lambda x: x < 0, _complex)


def _within_one(x, device):
    return _prepared(x, device, "iuf", lambda x: numpy.abs(x) > 1, _complex)


@implements("numpy.lib.scimath.sqrt")
def sqrt(x):
    """Square root, complex for negative numbers; see `numpy.emath.sqrt`."""
    return numpy.sqrt(_not_negative(x, None))


@implements("numpy.lib.scimath.log")
def log(x):
    """Natural logarithm, complex for negative numbers; see `numpy.emath.log`."""
    return numpy.log(_not_negative(x, None))


@implements("numpy.lib.scimath.log2")
def log2(x):
    """Logarithm to base 2, complex for negative numbers; see `numpy.emath.log2`."""
    return numpy.log2(_not_negative(x, None))


@implements("numpy.lib.scimath.log10")
def log10(x):
    """Logarithm to base 10, complex for negative numbers; see `numpy.emath.log10`."""
    return numpy.log10(_not_negative(x, None))


@implements("numpy.lib.scimath.logn")
def logn(n, x):
    """Logarithm to base n, complex for negative numbers; see `numpy.emath.logn`."""
    device = device_of(n, x)
    x = _not_negative(x, device)
    return numpy.log(x) / numpy.log(_not_negative(n, device))


@implements("numpy.lib.scimath.power")
def power(x, p):
    """Power, complex for negative bases; exponents may be negative; see `numpy.emath.power`."""
    device = device_of(x, p)
    x = _not_negative(x, device)
    return numpy.power(x, _prepared(p, device, "i", lambda p: p < 0, lambda p: p * 1.0))


@implements("numpy.lib.scimath.arccos")
def arccos(x):
    """Inverse cosine, complex beyond [-1, 1]; see `numpy.emath.arccos`."""
    return numpy.arccos(_within_one(x, None))


@implements("numpy.lib.scimath.arcsin")
def arcsin(x):
    """Inverse sine, complex beyond [-1, 1]; see `numpy.emath.arcsin`."""
    return numpy.arcsin(_within_one(x, None))


@implements("numpy.lib.scimath.arctanh")
def arctanh(x):
    """Inverse hyperbolic tangent, complex beyond [-1, 1]; see `numpy.emath.arctanh`."""
    return numpy.arctanh(_within_one(x, None))
