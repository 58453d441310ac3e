"""Tests for shared memory, from addresses and strides alone."""

import numpy

from gpunp.array import layout
from gpunp.array.ndarray import ndarray
from gpunp.dispatch.registry import implements


@implements(numpy.may_share_memory)
def may_share_memory(a, b, /, max_work=0):
    """Whether the bounds of two arrays overlap; see `numpy.may_share_memory`."""
    if not (isinstance(a, ndarray) and isinstance(b, ndarray)) or a.device is not b.device:
        return False
    (a_low, a_high), (b_low, b_high) = layout.byte_bounds(a), layout.byte_bounds(b)
    if a_low >= b_high or b_low >= a_high or a.size == 0 or b.size == 0:
        return False
    return True if max_work in (0, None) else shares_memory(a, b, max_work=max_work)


@implements(numpy.shares_memory)
def shares_memory(a, b, /, max_work=-1):
    """Whether two arrays have an element in common; see `numpy.shares_memory`."""
    if not may_share_memory(a, b):
        return False
    max_work = -1 if max_work is None else max_work
    return numpy.shares_memory(_Layout(a).array(), _Layout(b).array(), max_work)


class _Layout:
    """The layout of a device array as a NumPy array; its memory must never be accessed."""

    def __init__(self, a):
        self.__array_interface__ = {
            "shape": a.shape,
            "strides": a.strides,
            "typestr": a.dtype.str,
            "data": (a._element_place, True),
            "version": 3,
        }

    def array(self):
        return numpy.asarray(self)
