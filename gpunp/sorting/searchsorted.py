"""Positions of elements in a sorted array."""

import numpy

from gpunp.array import layout
from gpunp.array.convert import as_host, asarray
from gpunp.array.ndarray import ndarray
from gpunp.array.operands import on_one_device
from gpunp.dispatch.registry import implements
from gpunp.sorting import search

KERNELS = ("include/gpunp/sorting/search.h", "codegen/searching.py")
_INTP = numpy.dtype(numpy.intp)


def contiguous(a, dtype):
    """``a`` itself if it is C-contiguous and of the dtype, otherwise such a copy."""
    if a.dtype == dtype and a.flags.c_contiguous:
        return a
    return layout.converted(a, dtype, "C")


def require_one_dimension(a):
    """Raise NumPy's error unless an array is one-dimensional."""
    if a.ndim != 1:
        depth = "too deep" if a.ndim > 1 else "of too small depth"
        raise ValueError(f"object {depth} for desired array: it has {a.ndim} dimensions, expected 1")


def find_places(a, v, mode, right, sorter=None):
    """Search after NumPy's promotion; returns int64 indices of the shape of ``v``."""
    dtype = numpy.result_type(a.dtype, v.dtype)
    if a.dtype != dtype:
        a = layout.converted(a, dtype)
    out = layout.empty(v.shape, _INTP, "C", v.device)
    search.search(a, contiguous(v, dtype), out, mode, right, sorter)
    return out


def is_right(side):
    """Whether a ``side=`` argument is 'right'."""
    if not isinstance(side, str):
        raise TypeError(f"search side must be str, not {type(side).__name__}")
    if side not in ("left", "right"):
        raise ValueError(f"search side must be 'left' or 'right' (got {side!r})")
    return side == "right"


@implements(numpy.searchsorted, kernels=KERNELS)
def searchsorted(a, v, side="left", sorter=None):
    """Indices at which to insert elements of ``v`` into sorted ``a``; see `numpy.searchsorted`."""
    right = is_right(side)
    a, v = on_one_device(a, v)
    require_one_dimension(a)
    if sorter is not None:
        places = None if isinstance(sorter, ndarray) else as_host(sorter)
        # A host sorter is checked immediately, with NumPy's error. Wrong dtypes and sizes are refused below.
        fits = places is not None and places.size == a.size and places.dtype.kind in "iu" and a.size
        if fits and (places.min() < 0 or places.max() >= a.size):
            raise ValueError("Sorter index out of range.")
        sorter = asarray(sorter, device=a.device)
        if sorter.ndim != 1:
            raise TypeError(f"could not parse sorter argument: it has {sorter.ndim} dimensions, expected 1")
        if not numpy.can_cast(sorter.dtype, _INTP, "safe"):
            raise TypeError(f"sorter must only contain integers, not {sorter.dtype}")
        if sorter.size != a.size:
            raise ValueError(f"sorter.size must equal a.size: they are {sorter.size} and {a.size}")
        sorter = contiguous(sorter, _INTP)
    return find_places(a, v, search.INDEX, right, sorter)._mark_scalar()
