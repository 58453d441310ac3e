"""Sums and positions within the rows of compressed arrays, and places of equal keys."""

import numpy

import gpunp
from gpunp_scipy.sparse import entry_kernels

I8 = numpy.dtype(numpy.int64)


def rows_of(indptr, count):
    """The row of each stored entry, int64."""
    if entry_kernels.has_kernel(indptr):
        return entry_kernels.rows_of(indptr, count)
    return numpy.searchsorted(indptr[1:], gpunp.arange(count, dtype=indptr.dtype), side="right")


def sums(values, indptr):
    """The sums of the values of each row, in the values' dtype; rows may be empty."""
    if len(values) == 0:
        return gpunp.zeros((len(indptr) - 1, *values.shape[1:]), values.dtype)
    # The value after the last one makes all positions valid.
    padded = numpy.concatenate((values, numpy.zeros_like(values[:1])))
    total = numpy.add.reduceat(padded, indptr[:-1], dtype=values.dtype)
    filled = indptr[1:] > indptr[:-1]
    return numpy.where(filled.reshape(-1, *(1,) * (values.ndim - 1)), total, values.dtype.type(0))


def starting(counts, dtype=I8):
    """Where runs of some lengths start, and where the last one ends."""
    ends = gpunp.zeros(len(counts) + 1, dtype)
    numpy.cumsum(counts, out=ends[1:])
    return ends


def expanded(begin, counts, total=None):
    """The runs ``begin[i], begin[i] + 1, ...`` of ``counts[i]`` numbers one after another.

    Waits for the device if the total is not given.

    Returns
    -------
    run, place : ndarray of int64
        The number of the run, and the numbers.
    ends : ndarray of int64
        Where the runs start, and the total.
    """
    ends = starting(counts)
    if total is None:
        total = int(ends[-1])
    run = rows_of(ends, total)
    return run, gpunp.arange(total) - ends[run] + begin[run], ends


def starts_of_runs(*keys):
    """Whether each element of sorted arrays differs from the one before."""
    new = gpunp.ones(len(keys[0]), bool)
    if len(new) > 1:
        differs = keys[0][1:] != keys[0][:-1]
        for key in keys[1:]:
            differs = differs | (key[1:] != key[:-1])
        new[1:] = differs
    return new


def pointers(sorted_rows, count):
    """The row pointer of entries with these sorted rows."""
    return numpy.searchsorted(sorted_rows, gpunp.arange(count + 1, dtype=sorted_rows.dtype))
