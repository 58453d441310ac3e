"""Medians: the middle elements of each row, found by selection instead of sorting."""

import numpy

from gpunp.array import layout
from gpunp.array.convert import asarray
from gpunp.dispatch.registry import implements
from gpunp.sorting import selection
from gpunp.sorting.engine import gather_rows, sort_rows
from gpunp.statistics.rows import Reduced, count_numbers

_KERNELS = ("include/gpunp/sorting/selection.h", "codegen/selection.py")
_INDEX = numpy.dtype(numpy.int64)


@implements(numpy.median, kernels=_KERNELS)
def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """Median over axes, NaN if an element is NaN; see `numpy.median`. Never overwrites its input."""
    a = asarray(a)
    reduced = Reduced(a, axis, out, keepdims)
    rows = reduced.rows(a)
    length = rows.shape[1]
    if rows.size == 0:
        middle = rows.reshape(*reduced.kept, length)
        return reduced.finish(numpy.mean(middle, axis=-1, out=reduced.out))
    ranks = [(length - 1) // 2] if length % 2 else [length // 2 - 1, length // 2]
    if a.dtype.kind == "c":
        return reduced.finish(_complex_median(rows, ranks, reduced))
    return _mean_of_middle(selection.select(rows, ranks, nan_wins=True), reduced)


@implements(numpy.nanmedian, kernels=_KERNELS)
def nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=numpy._NoValue):
    """Median over axes, ignoring NaN; see `numpy.nanmedian`. Never overwrites its input."""
    a = asarray(a)
    if a.size == 0:
        return numpy.nanmean(a, axis, out=out, keepdims=keepdims)
    if a.dtype.kind not in "fc":
        return median(a, axis, out, overwrite_input, keepdims)
    reduced = Reduced(a, axis, out, keepdims)
    rows = reduced.rows(a)
    numbers = count_numbers(rows)
    ranks = layout.empty((2, rows.shape[0]), _INDEX, "C", a.device)
    numpy.right_shift(numbers - 1, 1, out=ranks[0])
    numpy.right_shift(numbers, 1, out=ranks[1])
    ordered = a.dtype.kind == "c"
    middle = gather_rows(sort_rows(rows), ranks.T).T if ordered else selection.select(rows, ranks)
    return _mean_of_middle(middle, reduced)


def _mean_of_middle(middle, reduced):
    """The mean of one or two middle elements; always taken, since it converts integers to float64."""
    middle = middle.reshape(middle.shape[0], *reduced.kept)
    return reduced.finish(numpy.mean(middle, axis=0, out=reduced.out))


def _complex_median(rows, ranks, reduced):
    ordered = sort_rows(rows)
    middle = numpy.mean(ordered[:, ranks[0] : ranks[-1] + 1], axis=1).reshape(reduced.kept)
    # NaN sorts last.
    last = ordered[:, -1].reshape(reduced.kept)
    numpy.copyto(middle, last, where=numpy.isnan(last))
    if reduced.out is not None:
        numpy.copyto(reduced.out, middle, casting="unsafe")
    return middle
