"""Membership of elements in an array."""

import numpy

from gpunp.array import layout
from gpunp.array.operands import on_one_device
from gpunp.dispatch.registry import implements
from gpunp.sets import engine
from gpunp.sorting import search
from gpunp.sorting.searchsorted import KERNELS as SEARCH
from gpunp.sorting.searchsorted import contiguous

_BOOL = numpy.dtype(numpy.bool_)
_BYTE = numpy.dtype(numpy.uint8)


def common_dtypes(one, other):
    """The dtypes to compare two arrays in: a common one, or int64 and uint64, which are compared exactly."""
    dtype = numpy.result_type(one, other)
    if dtype.kind == "f" and one.kind in "iu" and other.kind in "iu":
        return tuple(numpy.dtype(numpy.int64 if d.kind == "i" else numpy.uint64) for d in (one, other))
    return dtype, dtype


def find_members(elements, ordered, invert):
    """Whether each element is in a sorted array (``invert``: is not); NaN never matches."""
    one, other = common_dtypes(elements.dtype, ordered.dtype)
    out = layout.empty(elements.shape, _BOOL, "C", elements.device)
    search.search(
        contiguous(ordered, other), contiguous(elements, one), out, search.FOUND, right=False, invert=invert
    )
    return out


@implements(numpy.isin, kernels=(*SEARCH, "include/gpunp/sets/unique.h", "codegen/sets.py"))
def isin(element, test_elements, assume_unique=False, invert=False, *, kind=None):
    """Whether each element is among the test elements; see `numpy.isin`.

    8- and 16-bit integers are looked up in a bitmap, others in the sorted test elements: ``kind`` is checked
    but has no effect.
    """
    element, test = on_one_device(element, test_elements)
    if kind not in (None, "sort", "table"):
        raise ValueError(f"Invalid kind: {kind!r}. Please use None, 'sort' or 'table'.")
    integers = element.dtype.kind in "iub" and test.dtype.kind in "iub"
    if kind == "table" and not integers:
        raise ValueError(
            "The 'table' method is only supported for boolean or integer arrays. "
            "Please select 'sort' or None for kind."
        )
    test, invert = test.reshape(-1), bool(invert)
    if integers:
        element, test = (a.astype(_BYTE) if a.dtype == _BOOL else a for a in (element, test))
        dtype = numpy.result_type(element.dtype, test.dtype)
        if dtype.itemsize <= 2 and dtype.kind != "f":
            out = layout.empty(element.shape, _BOOL, "C", element.device)
            bits = engine.mark(contiguous(test, dtype), 0, 1 << (8 * dtype.itemsize))
            engine.is_member(contiguous(element, dtype), bits, 0, out, invert)
            return out
    return find_members(element, numpy.sort(test), invert)
