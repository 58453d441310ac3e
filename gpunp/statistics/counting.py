"""Occurrences of integers.

Counters are in shared memory if they fit there, else in global memory (L2 cache). Long data is first split
into buckets of neighboring bins, whose counters or sums fit. Sums of weights use no floating-point atomics:
each weight is split into two integers relative to the largest weight of its bin, and the sum of integers does
not depend on their order. Sums are therefore bitwise identical in every run and on every device, and more
accurate than those of a loop.
"""

import operator

import numpy

from gpunp.array import layout
from gpunp.array.convert import asarray, asnumpy
from gpunp.array.ndarray import ndarray
from gpunp.dispatch.registry import implements
from gpunp.statistics import binning, binning_long

_KERNELS = (
    "include/gpunp/statistics/histogram.h",
    "include/gpunp/statistics/histogram_buckets.h",
    "include/gpunp/statistics/histogram_weights.h",
    "include/gpunp/statistics/histogram_weight_buckets.h",
    "codegen/histograms.py",
)
_INT64 = numpy.dtype(numpy.int64)


def _integers(x, device):
    """Convert the first argument of bincount to a contiguous array of integers of one dimension."""
    if not isinstance(x, ndarray):
        x = numpy.asarray(x)
        if x.size == 0 and x.ndim == 1 and x.dtype == numpy.float64:
            x = x.astype(_INT64)
        x = asarray(x, device=device)
    if x.ndim != 1:
        raise ValueError(
            "object too deep for desired array" if x.ndim else "object of too small depth for desired array"
        )
    if x.dtype.kind not in "biu":
        raise TypeError(
            f"bincount: Cannot cast array data from {x.dtype!r} to dtype('int64') according to the rule "
            "'safe'"
        )
    if x.dtype.kind == "b":
        x = x.view(numpy.uint8)
    elif x.dtype.itemsize == 8:
        x = x.view(_INT64)
    return x if x.flags.c_contiguous else x.copy()


@implements(numpy.bincount, kernels=_KERNELS)
def bincount(x, /, weights=None, minlength=0):
    """Number of occurrences, or sum of weights, of each value; see `numpy.bincount`.

    The length of the result depends on the data, so the host waits once for the device.
    """
    device = weights.device if isinstance(weights, ndarray) else None
    x = _integers(x, device)
    if minlength is None:
        raise TypeError("use 0 instead of None for minlength")
    bins = operator.index(minlength)
    if bins < 0:
        raise ValueError("'minlength' must not be negative")
    if weights is not None:
        weights = asarray(weights, device=x.device)
        if weights.dtype.kind == "c":
            raise TypeError("bincount: complex weights; sum weights.real and weights.imag apart")
        if weights.ndim != 1:
            raise ValueError(
                "object too deep for desired array"
                if weights.ndim
                else "object of too small depth for desired array"
            )
        if weights.size != x.size and x.size:
            raise ValueError("The weights and list don't have the same length.")
    if x.size:
        counted = slots = None
        passed = binning.extent_and_counts(x) if weights is None else None
        if passed is not None:
            found, counted = passed
            least, greatest, _ = asnumpy(found).tolist()
        else:
            found, slots = binning_long.extent_and_slots(x)
            least, greatest, *near = asnumpy(found).tolist()
        if least < 0:
            raise ValueError(f"'list' argument must have no negative elements: the least is {least}")
        bins = max(bins, greatest + 1)
        if counted is not None:
            out = layout.zeros((bins,), _INT64, device=x.device)
            out[: greatest + 1] = counted
            return out
        if slots is not None and binning_long.can_bucket(x, bins, greatest, *near, weights is not None):
            if weights is not None:
                return binning_long.weigh_buckets(x, slots, weights, bins)
            return binning_long.count_buckets(x, slots, bins)
    elif weights is not None:
        # As in NumPy, the result for no elements is integer even with weights.
        return layout.zeros((bins,), _INT64, device=x.device)
    return binning.count_values(x, bins) if weights is None else binning.weighted(x, weights, bins)
