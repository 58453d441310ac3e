"""Text representations of single numbers."""

import numpy

from gpunp.array.convert import asnumpy
from gpunp.array.ndarray import ndarray
from gpunp.dispatch.registry import implements


def _value(x):
    """Copy a device array of one element to a host scalar; other values are returned as they are."""
    return asnumpy(x).reshape(-1)[0] if isinstance(x, ndarray) and x.size == 1 else x


@implements(name="format_float_positional", chapter="io")
def format_float_positional(
    x,
    precision=None,
    unique=True,
    fractional=True,
    trim="k",
    sign=False,
    pad_left=None,
    pad_right=None,
    min_digits=None,
):
    """A floating-point number in decimal notation; see `numpy.format_float_positional`."""
    return numpy.format_float_positional(
        _value(x), precision, unique, fractional, trim, sign, pad_left, pad_right, min_digits
    )


@implements(name="format_float_scientific", chapter="io")
def format_float_scientific(
    x, precision=None, unique=True, trim="k", sign=False, pad_left=None, exp_digits=None, min_digits=None
):
    """A floating-point number in scientific notation; see `numpy.format_float_scientific`."""
    return numpy.format_float_scientific(
        _value(x), precision, unique, trim, sign, pad_left, exp_digits, min_digits
    )


@implements(name="base_repr", chapter="io")
def base_repr(number, base=2, padding=0):
    """An integer written in a base from 2 to 36; see `numpy.base_repr`."""
    return numpy.base_repr(_value(number), base, padding)


@implements(name="binary_repr", chapter="io")
def binary_repr(num, width=None):
    """An integer written in binary, in two's complement if a width is given; see `numpy.binary_repr`."""
    return numpy.binary_repr(_value(num), width)
