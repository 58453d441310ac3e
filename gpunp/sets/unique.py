"""The distinct elements of an array, or its distinct slices.

Integers in a small range need no sort: a bitmap of the values from the least to the greatest shows which
occur. Other elements are sorted; a run starts where an element differs from the one before it.

Slices are sorted by 64-bit words, which hold the leading bits of their elements. If slices with equal words
differ, another round sorts by words of the rank so far and the next bits.
"""

from typing import NamedTuple

import numpy

from gpunp.array import layout
from gpunp.array.convert import asarray
from gpunp.array.ndarray import ndarray
from gpunp.dispatch.registry import implements
from gpunp.sets import engine
from gpunp.sets import rows as row_engine
from gpunp.sorting.engine import argsort_rows
from gpunp.sorting.searchsorted import contiguous

KERNELS = ("include/gpunp/sets/unique.h", "codegen/sets.py")
# Fewer slices, longer slices, and those that would need more rounds are sorted by comparisons.
_FEW_ROWS = 256
_MOST_COLUMNS = 1 << 12
_MOST_ROUNDS = 6
# Columns considered first: most slices differ there.
_FIRST_COLUMNS = 16
_WORD = 64
# Bits of the first word beyond the number that distinguishes as many random slices pairwise: more bits would
# cost more passes for little.
_SPARE = 16


class UniqueAllResult(NamedTuple):
    """The result of `unique_all`."""

    values: ndarray
    indices: ndarray
    inverse_indices: ndarray
    counts: ndarray


class UniqueCountsResult(NamedTuple):
    """The result of `unique_counts`."""

    values: ndarray
    counts: ndarray


class UniqueInverseResult(NamedTuple):
    """The result of `unique_inverse`."""

    values: ndarray
    inverse_indices: ndarray


def running_count(flags):
    """Running counts of a contiguous array of flags, and the last count; waits for the device."""
    dtype = numpy.int32 if flags.size < 1 << 31 else numpy.int64
    ranks = numpy.cumsum(flags, dtype=dtype)
    return ranks, int(ranks[-1]) if ranks.size else 0


def _by_bitmap(a, low, span, index, inverse, counts):
    bits = engine.mark(a, low, span)
    ranks = numpy.cumsum(numpy.bitwise_count(bits), dtype=numpy.int32)
    distinct = int(ranks[-1])
    values = layout.empty((distinct,), a.dtype, "C", a.device)
    engine.list_members(bits, ranks, low, values)
    if not (index or inverse or counts):
        return values, None, None, None
    return values, *engine.look_up(a, bits, ranks, low, distinct, index, inverse, counts)


def _by_runs(data, order, index, inverse, counts, starts, values=True):
    """The results of unique from elements or rows, the order that sorts them, and the starts of runs."""
    ranks, runs = running_count(starts)
    values, places, index, inverse = engine.write_runs(
        starts, ranks, runs, order, data if values else None, places=counts, index=index, inverse=inverse
    )
    return values, index, inverse, places[1:] - places[:-1] if counts else None


def distinct_elements(a, index=False, inverse=False, counts=False, equal_nan=True):
    """Sorted distinct values of a 1-d array, first indices, inverse and counts; None if not requested."""
    a = contiguous(a, a.dtype)
    bitmap = engine.bitmap_range(a)
    if bitmap is not None:
        return _by_bitmap(a, *bitmap, index, inverse, counts)
    if index or inverse:
        order = numpy.argsort(a, kind="stable")
        starts = row_engine.mark_starts(a, order, equal_nan)
        return _by_runs(a, order, index, inverse, counts, starts)
    ordered = numpy.sort(a, kind="stable")
    starts = row_engine.mark_starts(ordered, None, equal_nan)
    if not counts:
        return ordered[starts], None, None, None
    places = numpy.flatnonzero(starts)
    return ordered[places], None, None, numpy.diff(places, append=a.size)


def _order_rows(rows):
    """The stable order that sorts rows lexicographically, and whether each differs from the one before."""
    count, columns = rows.shape
    if rows.dtype.kind == "c" or not (_FEW_ROWS <= count < 1 << 31 and 0 < columns <= _MOST_COLUMNS):
        return _order_by_comparisons(rows)
    most = min(_WORD, (2 * count.bit_length() + _SPARE) // 8 * 8)
    known = min(columns, _FIRST_COLUMNS)
    bounds, widths = row_engine.column_bounds(rows, known)
    if sum(widths) < most and known < columns:
        known = columns
        bounds, widths = row_engine.column_bounds(rows, known)
    left, column, used, rank_bits = sum(widths), 0, 0, 0
    order = ranks = None
    while True:
        bits = min(left, _WORD - rank_bits)
        if order is None and (bits < left or known < columns):
            bits = min(bits, most)
        words = row_engine.pack_rows(rows, bounds, column, used, bits, order, ranks, rank_bits)
        order = argsort_rows(words)
        left -= bits
        if left == 0 and known == columns:
            return order, row_engine.mark_starts(rows, order, equal_nan=False)
        starts, word_starts, settled = row_engine.mark_words(rows, order, words)
        if settled:
            return order, starts
        if known < columns:
            bounds, widths = row_engine.column_bounds(rows, columns)
            left += sum(widths[known:])
            known = columns
            if left == 0:
                return order, starts
        used += bits
        while used >= widths[column]:
            used -= widths[column]
            column += 1
        ranks, groups = running_count(word_starts)
        rank_bits = (groups - 1).bit_length()
        if left > _MOST_ROUNDS * (_WORD - rank_bits):
            return _order_by_comparisons(rows)


def _order_by_comparisons(rows):
    order = row_engine.order_rows(rows)
    return order, row_engine.mark_starts(rows, order, equal_nan=False)


def _distinct_slices(a, axis, index, inverse, counts):
    axis = numpy.lib.array_utils.normalize_axis_index(axis, a.ndim)
    moved = numpy.moveaxis(a, axis, 0) if axis else a
    rows = contiguous(moved, a.dtype).reshape(moved.shape[0], -1 if moved.size else 0)
    order, starts = _order_rows(rows)
    _, first, inverse, counts = _by_runs(
        rows, order, index=True, inverse=inverse, counts=counts, starts=starts, values=False
    )
    values = rows[first].reshape(first.size, *moved.shape[1:])
    if axis:
        values = numpy.moveaxis(values, 0, axis)
    return values, first if index else None, inverse, counts


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

    Waits for the device once, for the number of distinct elements; for 32- and 64-bit integers also before
    that, for their range.
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
    """Distinct values, first indices, inverse and counts; NaNs count as distinct; see `numpy.unique_all`."""
    return UniqueAllResult(
        *unique(x, return_index=True, return_inverse=True, return_counts=True, equal_nan=False)
    )


@implements(numpy.unique_counts, kernels=KERNELS)
def unique_counts(x):
    """Distinct values and counts; NaNs count as distinct; see `numpy.unique_counts`."""
    return UniqueCountsResult(*unique(x, return_counts=True, equal_nan=False))


@implements(numpy.unique_inverse, kernels=KERNELS)
def unique_inverse(x):
    """Distinct values and inverse; NaNs count as distinct; see `numpy.unique_inverse`."""
    return UniqueInverseResult(*unique(x, return_inverse=True, equal_nan=False))


@implements(numpy.unique_values, kernels=KERNELS)
def unique_values(x):
    """Distinct values, in sorted order; NaNs count as distinct; see `numpy.unique_values`."""
    return unique(x, equal_nan=False)
