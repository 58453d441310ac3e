"""Intersection, union and differences of two arrays as sets."""

import numpy

from gpunp.array import layout
from gpunp.dispatch.registry import implements
from gpunp.manipulation.joining import concatenate
from gpunp.sets import engine
from gpunp.sets.membership import SEARCH, find_members, isin
from gpunp.sets.unique import KERNELS, distinct_elements, running_count
from gpunp.sorting.searchsorted import contiguous, on_one_device

_KERNELS = (*KERNELS, *SEARCH)


def _select(mask, a):
    """The elements of a 1-d array where a mask is true. Waits for the device."""
    mask = contiguous(mask, mask.dtype)
    ranks, selected = running_count(mask)
    return engine.write_runs(mask, ranks, selected, None, contiguous(a, a.dtype), False, False, False)[0]


def _flat(ar1, ar2):
    return [a.reshape(-1) for a in on_one_device(ar1, ar2)]


def _sorted_with_order(a, assume_unique, indices):
    """Sorted elements, without repetition unless none is assumed, and the index of each (or None)."""
    if not assume_unique:
        return distinct_elements(a, index=indices)[:2]
    if not indices:
        return numpy.sort(a), None
    order = numpy.argsort(a, kind="stable")
    return a[order], order


@implements(numpy.intersect1d, kernels=_KERNELS)
def intersect1d(ar1, ar2, assume_unique=False, return_indices=False):
    """Sorted values that both arrays have; see `numpy.intersect1d`. Waits for the device."""
    ar1, ar2 = _flat(ar1, ar2)
    dtype = numpy.result_type(ar1.dtype, ar2.dtype)
    one, order1 = _sorted_with_order(ar1, assume_unique, return_indices)
    other, order2 = _sorted_with_order(ar2, assume_unique, return_indices)
    one, other = contiguous(one, dtype), contiguous(other, dtype)
    mask = find_members(one, other, False)
    ranks, common = running_count(mask)
    values = engine.write_runs(mask, ranks, common, None, one, False, False, False)[0]
    if not return_indices:
        return values
    index1 = engine.write_runs(mask, ranks, common, order1, None, False, True, False)[2]
    # The other array has the same values, in the same order.
    mask = find_members(other, one, False)
    ranks = numpy.cumsum(mask, dtype=ranks.dtype)
    index2 = engine.write_runs(mask, ranks, common, order2, None, False, True, False)[2]
    return values, index1, index2


@implements(numpy.union1d, kernels=_KERNELS)
def union1d(ar1, ar2):
    """Sorted values that either array has; see `numpy.union1d`. Waits for the device."""
    return distinct_elements(concatenate((ar1, ar2), None))[0]


@implements(numpy.setdiff1d, kernels=_KERNELS)
def setdiff1d(ar1, ar2, assume_unique=False):
    """Values of the first array that are not in the second; see `numpy.setdiff1d`. Waits for the device."""
    ar1, ar2 = _flat(ar1, ar2)
    if not assume_unique:
        ar1 = distinct_elements(ar1)[0]
    return _select(isin(ar1, ar2, invert=True), ar1)


@implements(numpy.setxor1d, kernels=_KERNELS)
def setxor1d(ar1, ar2, assume_unique=False):
    """Sorted values that only one of the arrays has; see `numpy.setxor1d`. Waits for the device."""
    ar1, ar2 = _flat(ar1, ar2)
    if not assume_unique:
        ar1, ar2 = distinct_elements(ar1)[0], distinct_elements(ar2)[0]
    joined = concatenate((ar1, ar2))
    if joined.size == 0:
        return joined
    joined = numpy.sort(joined)
    starts = engine.mark_starts(joined, None, False)
    # Alone is what starts a run and is followed by the start of another.
    alone = layout.empty(starts.shape, starts.dtype, "C", starts.device)
    numpy.logical_and(starts[:-1], starts[1:], out=alone[:-1])
    alone[-1:] = starts[-1:]
    return _select(alone, joined)
