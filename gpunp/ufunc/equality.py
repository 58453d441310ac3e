"""``==`` and ``!=`` with values that no device array can hold: Python objects, strings, dates."""

import decimal
import numbers

import numpy

from gpunp.array import layout
from gpunp.array.convert import asarray
from gpunp.array.ndarray import ndarray

# Kinds of dtypes whose values never equal a number: strings and dates.
_NEVER_EQUAL = frozenset("SUTMm")
_BOOL = numpy.dtype(bool)


def compare_objects(left, right, unequal):
    """Compare a device array with an object that kernels cannot take, with the result of NumPy.

    Parameters
    ----------
    left, right : object
        One of them is a device array.
    unequal : bool
        Compute ``!=`` instead of ``==``.

    Returns
    -------
    ndarray or NotImplemented
        Of bool; NotImplemented if the object, or another library, defines the comparison itself.
    """
    array, other = (left, right) if isinstance(left, ndarray) else (right, left)
    if not isinstance(array, ndarray):
        return NotImplemented
    if isinstance(other, (list, tuple)):
        other = numpy.asarray(other)
    if type(other) is numpy.ndarray or isinstance(other, numpy.generic):
        if other.dtype.kind == "m" and array.dtype.kind in "biu":
            # NumPy compares integers with timedeltas.
            return NotImplemented
        if other.dtype.kind in _NEVER_EQUAL:
            return _constant(array, other.shape, unequal)
        return _compare_each(array, other, unequal) if other.dtype.kind == "O" else NotImplemented
    if hasattr(type(other), "__array_ufunc__") or hasattr(type(other), "__array_priority__"):
        return NotImplemented
    value = _known_number(other)
    if value is not None:
        return array != value if unequal else array == value
    if _answers(other, unequal):
        return NotImplemented
    return _constant(array, (), unequal)


def _compare_each(array, objects, unequal):
    """Compare with a host array of objects, by one device comparison per distinct number."""
    result = _constant(array, objects.shape, unequal)
    values = numpy.frompyfunc(_known_number, 1, 1)(objects)
    values = numpy.asarray(values, dtype=object)
    for value, given in zip(values.flat, objects.flat, strict=True):
        if value is None and _answers(given, unequal):
            return NotImplemented
    for value in {value for value in values.flat if value is not None}:
        places = numpy.asarray([each is not None and each == value for each in values.flat], dtype=_BOOL)
        places = asarray(places.reshape(values.shape), device=array.device)
        result = numpy.logical_xor(result, numpy.logical_and(places, array == value))
    return result


def _constant(array, shape, value):
    try:
        shape = numpy.broadcast_shapes(array.shape, shape)
    except ValueError:
        texts = [str(one).replace(" ", "") for one in (array.shape, shape)]
        raise ValueError(
            f"operands could not be broadcast together with shapes {texts[0]} {texts[1]} "
        ) from None
    out = layout.empty(shape, _BOOL, "C", array.device)
    out[...] = value
    return out._mark_scalar()


def _known_number(value):
    """Return the int, float or complex that equals a number, or None."""
    if isinstance(value, (int, float, complex)):
        return value
    if not isinstance(value, (numbers.Rational, decimal.Decimal, numpy.number, numpy.bool)):
        return None
    for kind in (int, float, complex):
        try:
            number = kind(value)
        except (TypeError, ValueError, OverflowError):
            continue
        if number == value:
            return number
    return None


def _answers(value, unequal):
    """Whether an object defines its own comparison with a number."""
    if isinstance(value, (numbers.Rational, decimal.Decimal, numpy.number)):
        # `_known_number` found no equal float, as for one third or NaN, so the comparison is constant.
        return False
    compare = type(value).__ne__ if unequal else type(value).__eq__
    return compare(value, 1.0) is not NotImplemented
