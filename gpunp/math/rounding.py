"""Rounding and limiting."""

import operator

import numpy

from gpunp.array.arguments import copy_flag
from gpunp.array.convert import asarray
from gpunp.array.ndarray import ndarray
from gpunp.array.numpy_internals import umath
from gpunp.array.operands import device_of
from gpunp.array.scalars import as_array
from gpunp.dispatch.registry import implements

_clip = umath.clip


@implements(numpy.round, numpy.around)
def round(a, decimals=0, out=None):
    """Round to a number of decimals, with ties to even; see `numpy.round`."""
    a = asarray(a)
    rounded = _rounded(a, operator.index(decimals), out)
    return rounded._mark_scalar() if out is None else rounded


def _rounded(a, decimals, out):
    if out is not None and out.shape != a.shape:
        raise ValueError(f"round: invalid output shape {out.shape}, the array has {a.shape}")
    kind = a.dtype.kind
    if kind == "c":
        result = out if out is not None else numpy.empty_like(a)
        result.real = _rounded(a.real, decimals, None)
        result.imag = _rounded(a.imag, decimals, None)
        return result
    if kind == "b" and decimals and out is None:
        # NumPy raises, since the product is not boolean.
        return (numpy.multiply if decimals > 0 else numpy.divide)(a, 10.0, out=numpy.empty_like(a))
    if kind in "iu" and decimals >= 0:
        if out is None:
            return asarray(a, copy=True)
        numpy.copyto(out, a)
        return out
    if decimals == 0:
        return numpy.rint(a, out=out)
    # Like NumPy, scale by a power of ten, round, and scale back; floats in the dtype of the array.
    factor = 10.0 ** abs(decimals)
    first, second = (numpy.multiply, numpy.divide) if decimals > 0 else (numpy.divide, numpy.multiply)
    if kind in "iu" and out is None:
        return _round_integers(a, factor)
    result = first(a, factor, out=out)
    if out is None:
        result._unmark_scalar()
    numpy.rint(result, out=result)
    return second(result, factor, out=result)


def _round_integers(a, factor):
    """Round integers to tens, hundreds, ..., in float64 like NumPy."""
    scaled = numpy.rint(numpy.divide(a, factor))
    return numpy.multiply(scaled, factor).astype(a.dtype)


@implements(numpy.fix)
def fix(x, out=None):
    """Round towards zero; see `numpy.fix`."""
    return numpy.trunc(asarray(x), out=out)


@implements(numpy.clip)
def clip(
    a,
    a_min=numpy._NoValue,
    a_max=numpy._NoValue,
    out=None,
    *,
    min=numpy._NoValue,
    max=numpy._NoValue,
    **kwargs,
):
    """Limit values to an interval; see `numpy.clip`."""
    if a_min is numpy._NoValue and a_max is numpy._NoValue:
        a_min = None if min is numpy._NoValue else min
        a_max = None if max is numpy._NoValue else max
    elif a_min is numpy._NoValue:
        raise TypeError("clip() missing 1 required positional argument: 'a_min'")
    elif a_max is numpy._NoValue:
        raise TypeError("clip() missing 1 required positional argument: 'a_max'")
    elif min is not numpy._NoValue or max is not numpy._NoValue:
        raise ValueError(
            "Passing `min` or `max` keyword argument when `a_min` and `a_max` are provided is forbidden."
        )
    if not isinstance(a, ndarray):
        a = asarray(a, device=device_of(a_min, a_max, out))
    if a.dtype.kind in "iu":
        # A Python integer beyond its own end of the dtype's range limits nothing; beyond the other it raises.
        limits = numpy.iinfo(a.dtype)
        a_min = None if type(a_min) is int and a_min <= limits.min else a_min
        a_max = None if type(a_max) is int and a_max >= limits.max else a_max
    if a_min is None and a_max is None:
        return numpy.positive(a, out=out, **kwargs)
    if a_min is None:
        return numpy.minimum(a, a_max, out=out, **kwargs)
    if a_max is None:
        return numpy.maximum(a, a_min, out=out, **kwargs)
    return _clip(a, a_min, a_max, out=out, **kwargs)


@implements(numpy.nan_to_num)
def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    """Replace NaN and infinities by finite numbers; see `numpy.nan_to_num`."""
    x = asarray(x, copy=True) if copy_flag(copy) else as_array(asarray(x))
    if x.dtype.kind in "fc":
        _replace_all(x, nan, posinf, neginf)
    return x if x.ndim else x[()]


def _replace_all(x, nan, posinf, neginf):
    parts = (x.real, x.imag) if x.dtype.kind == "c" else (x,)
    limits = numpy.finfo(parts[0].dtype)
    highest = limits.max if posinf is None else posinf
    lowest = limits.min if neginf is None else neginf
    for part in parts:
        # Find all places first: a replacement may itself be NaN or infinite.
        places = numpy.isnan(part), part == numpy.inf, part == -numpy.inf
        for place, value in zip(places, (nan, highest, lowest), strict=True):
            _replace(part, place, value)


def _replace(part, place, value):
    """`numpy.copyto` with ``where=``; a single number is passed to the kernel by value."""
    if isinstance(value, ndarray) or numpy.ndim(value):
        numpy.copyto(part, value, where=place)
        return
    cell = numpy.empty((), part.dtype)
    numpy.copyto(cell, value)
    part[place] = cell[()]
