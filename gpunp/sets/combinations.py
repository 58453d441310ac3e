"""Intersection, union and differences of two arrays as sets."""

import numpy

from gpunp.array import layout
from gpunp.array.operands import on_one_device
from gpunp.dispatch.registry import implements
from gpunp.manipulation.joining import concatenate
from gpunp.sets import engine
from gpunp.sets import rows as row_engine
from gpunp.sets.membership import SEARCH, find_members, isin
from gpunp.sets.unique import KERNELS, distinct_elements, running_count
from gpunp.sorting.searchsorted import contiguous

_KERNELS = (*KERNELS, *SEARCH)
_INTP = numpy.dtype(numpy.intp)


def _flat(ar1, ar2):
    return [a.reshape(-1) for a in on_one_device(ar1, ar2)]


@implements(numpy.intersect1d, kernels=_KERNELS)
def intersect1d(ar1, ar2, assume_unique=False, return_indices=False):
    """Sorted values that occur in both arrays; see `numpy.intersect1d`. Waits for the device."""
    ar1, ar2 = _flat(ar1, ar2)
    if assume_unique:
        return _repeated(ar1, ar2, return_indices)
    dtype = numpy.result_type(ar1.dtype, ar2.dtype)
    one, order1 = distinct_elements(ar1, index=return_indices)[:2]
    other, order2 = distinct_elements(ar2, index=return_indices)[:2]
    one, other = contiguous(one, dtype), contiguous(other, dtype)
    mask = find_members(one, other, invert=False)
    ranks, common = running_count(mask)
    values = engine.write_runs(mask, ranks, common, None, one)[0]
    if not return_indices:
        return values
    index1 = engine.write_runs(mask, ranks, common, order1, None, index=True)[2]
    # The common values of the other array are the same, in the same order.
    mask = find_members(other, one, invert=False)
    ranks = numpy.cumsum(mask, dtype=ranks.dtype)
    index2 = engine.write_runs(mask, ranks, common, order2, None, index=True)[2]
    return values, index1, index2


def _repeated(ar1, ar2, indices):
    """Elements that equal their successor in the sorted concatenation: in both arrays if each is unique."""
    joined = concatenate((ar1, ar2))
    order = numpy.argsort(joined, kind="stable") if indices else None
    joined = joined[order] if indices else numpy.sort(joined)
    if joined.size < 2:
        values = joined[:0]
        return (values, *(layout.empty((0,), _INTP, "C", values.device) for _ in "12")) if indices else values
    mask = joined[1:] == joined[:-1]
    values = joined[:-1][mask]
    if not indices:
        return values
    return values, order[:-1][mask], order[1:][mask] - ar1.size


@implements(numpy.union1d, kernels=_KERNELS)
def union1d(ar1, ar2):
    """Sorted values that occur in either array; see `numpy.union1d`. Waits for the device."""
    return distinct_elements(concatenate((ar1, ar2), None))[0]


@implements(numpy.setdiff1d, kernels=_KERNELS)
def setdiff1d(ar1, ar2, assume_unique=False):
    """Values of the first array that are not in the second; see `numpy.setdiff1d`. Waits for the device."""
    ar1, ar2 = _flat(ar1, ar2)
    if not assume_unique:
        ar1 = distinct_elements(ar1)[0]
    return ar1[isin(ar1, ar2, invert=True)]


@implements(numpy.setxor1d, kernels=_KERNELS)
def setxor1d(ar1, ar2, assume_unique=False):
    """Sorted values that occur in exactly one of the arrays; see `numpy.setxor1d`. Waits for the device."""
    if not assume_unique:
        ar1, ar2 = (distinct_elements(a)[0] for a in _flat(ar1, ar2))
    elif not any(isinstance(a, int | float | complex) for a in (ar1, ar2)):
        ar1, ar2 = _flat(ar1, ar2)
    # A number of Python takes the dtype of the array, as in NumPy.
    joined = concatenate((ar1, ar2), axis=None)
    if joined.size == 0:
        return joined
    joined = numpy.sort(joined)
    starts = row_engine.mark_starts(joined, None, equal_nan=False)
    # A value is in one array only if its run has length 1: the next element starts a run, too.
    alone = layout.empty(starts.shape, starts.dtype, "C", starts.device)
    numpy.logical_and(starts[:-1], starts[1:], out=alone[:-1])
    alone[-1:] = starts[-1:]
    return joined[alone]
