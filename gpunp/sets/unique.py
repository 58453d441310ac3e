"""The distinct elements of an array, or its distinct slices.

Integers that lie close together need no sort: a bitmap of the values between the least and the greatest
tells which are there. Others are sorted, and differ from the one before them where a run starts.
"""

from typing import NamedTuple

import numpy

from gpunp.array import layout
from gpunp.array.convert import asarray
from gpunp.array.ndarray import ndarray
from gpunp.dispatch.registry import implements
from gpunp.sets import engine
from gpunp.sorting.searchsorted import contiguous

KERNELS = ("include/gpunp/unique.h", "codegen/sets.py")
# Fewer elements are sorted at once: finding their bounds would cost more.
_SHORT = 1 << 14
# Bits of the largest bitmap, which the second-level cache of a GPU holds, and bits an element.
_LARGEST = 1 << 28
_BITS_EACH = 32
_DENSE = 1 << 16


class UniqueAllResult(NamedTuple):
    """What `numpy.unique_all` returns."""

    values: ndarray
    indices: ndarray
    inverse_indices: ndarray
    counts: ndarray


class UniqueCountsResult(NamedTuple):
    """What `numpy.unique_counts` returns."""

    values: ndarray
    counts: ndarray


class UniqueInverseResult(NamedTuple):
    """What `numpy.unique_inverse` returns."""

    values: ndarray
    inverse_indices: ndarray


def running_count(flags):
    """Running counts of a contiguous array of flags, and the last one, which waits for the device."""
    dtype = numpy.int32 if flags.size < 1 << 31 else numpy.int64
    ranks = numpy.cumsum(flags, dtype=dtype)
    return ranks, int(ranks[-1]) if ranks.size else 0


def _bitmap_range(a):
    """(low, span) of the keys of integers for which a bitmap pays, or None."""
    if a.dtype.kind not in "iub":
        return None
    if a.itemsize <= 2:
        return 0, 1 << (8 * a.itemsize)
    if a.size < _SHORT:
        return None
    low, high = engine.find_bounds(a)
    span = high - low + 1
    return (low, span) if span <= min(_LARGEST, max(_DENSE, _BITS_EACH * a.size)) else None


def _by_bitmap(a, low, span, index, inverse, counts):
    bits = engine.mark(a, low, span)
    ranks = numpy.cumsum(numpy.bitwise_count(bits), dtype=numpy.int32)
    distinct = int(ranks[-1])
    values = layout.empty((distinct,), a.dtype, "C", a.device)
    engine.list_members(bits, ranks, low, values)
    if not (index or inverse or counts):
        return values, None, None, None
    return values, *engine.look_up(a, bits, ranks, low, distinct, index, inverse, counts)


def _by_runs(data, order, index, inverse, counts, equal_nan, values=True):
    """From elements or rows and the order that sorts them."""
    starts = engine.mark_starts(data, order, equal_nan)
    ranks, runs = running_count(starts)
    values, places, index, inverse = engine.write_runs(
        starts, ranks, runs, order, data if values else None, counts, index, inverse
    )
    return values, index, inverse, places[1:] - places[:-1] if counts else None


def distinct_elements(a, index=False, inverse=False, counts=False, equal_nan=True):
    """Sorted distinct values of a 1-d array; first indices, inverse, counts: None for what is not wanted."""
    a = contiguous(a, a.dtype)
    bitmap = _bitmap_range(a)
    if bitmap is not None:
        return _by_bitmap(a, *bitmap, index, inverse, counts)
    if index or inverse:
        return _by_runs(a, numpy.argsort(a, kind="stable"), index, inverse, counts, equal_nan)
    ordered = numpy.sort(a, kind="stable")
    starts = engine.mark_starts(ordered, None, equal_nan)
    if not counts:
        return ordered[starts], None, None, None
    places = numpy.flatnonzero(starts)
    return ordered[places], None, None, numpy.diff(places, append=a.size)


def _distinct_slices(a, axis, index, inverse, counts):
    axis = numpy.lib.array_utils.normalize_axis_index(axis, a.ndim)
    moved = numpy.moveaxis(a, axis, 0)
    rows = contiguous(moved, a.dtype).reshape(moved.shape[0], -1 if moved.size else 0)
    order = engine.order_rows(rows)
    _, first, inverse, counts = _by_runs(rows, order, True, inverse, counts, False, values=False)
    values = rows[first].reshape(first.size, *moved.shape[1:])
    return numpy.moveaxis(values, 0, axis), first if index else None, inverse, counts


@implements(numpy.unique, kernels=KERNELS)
def unique(
    ar,
    return_index=False,
    return_inverse=False,
    return_counts=False,
    axis=None,
    *,
    equal_nan=True,
    sorted=True,
):
    """Sorted distinct elements, or distinct slices along an axis; see `numpy.unique`.

    Waits for the device once, to learn how many there are; for 32- and 64-bit integers also before, to learn
    their range.
    """
    a = asarray(ar)
    wanted = bool(return_index), bool(return_inverse), bool(return_counts)
    if axis is None or a.ndim == 1:
        if axis is not None:
            numpy.lib.array_utils.normalize_axis_index(axis, a.ndim)
        values, index, inverse, counts = distinct_elements(a.reshape(-1), *wanted, bool(equal_nan))
        if inverse is not None:
            inverse = inverse.reshape(a.shape)
    else:
        values, index, inverse, counts = _distinct_slices(a, axis, *wanted)
    result = (values, *(part for part in (index, inverse, counts) if part is not None))
    return result if len(result) > 1 else values


@implements(numpy.unique_all, kernels=KERNELS)
def unique_all(x):
    """Distinct values, first indices, inverse and counts; NaNs differ; see `numpy.unique_all`."""
    return UniqueAllResult(*unique(x, True, True, True, equal_nan=False))


@implements(numpy.unique_counts, kernels=KERNELS)
def unique_counts(x):
    """Distinct values and counts; NaNs differ; see `numpy.unique_counts`."""
    return UniqueCountsResult(*unique(x, return_counts=True, equal_nan=False))


@implements(numpy.unique_inverse, kernels=KERNELS)
def unique_inverse(x):
    """Distinct values and inverse; NaNs differ; see `numpy.unique_inverse`."""
    return UniqueInverseResult(*unique(x, return_inverse=True, equal_nan=False))


@implements(numpy.unique_values, kernels=KERNELS)
def unique_values(x):
    """Distinct values, here sorted; NaNs differ; see `numpy.unique_values`."""
    return unique(x, equal_nan=False)
