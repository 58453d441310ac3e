"""Sorting along one axis."""

import operator

import numpy

from gpunp.array import layout
from gpunp.array.arguments import strict_integer
from gpunp.array.convert import asarray
from gpunp.array.views import transposed
from gpunp.dispatch.registry import implements
from gpunp.sorting import engine

_KERNELS = (
    "include/gpunp/sorting/sort_radix.h",
    "include/gpunp/sorting/sort_rows.h",
    "include/gpunp/sorting/sort_short.h",
)


def parse_order(kind, order, stable, descending):
    """Check the arguments as NumPy does; returns whether to sort descending. All kinds are stable."""
    if kind is not None:
        if isinstance(kind, bytes):
            kind = kind.decode("latin-1")
        if not isinstance(kind, str):
            raise TypeError(f"sort kind must be str, not {type(kind).__name__}")
        # Like NumPy, check only the first letter: quicksort, heapsort, mergesort, stable.
        if kind[:1].lower() not in ("q", "h", "m", "s"):
            raise ValueError(f"sort kind must be one of 'quick', 'heap', or 'stable' (got {kind!r})")
        if stable is not None or descending is not None:
            raise ValueError(
                "`kind` and keyword parameters can't be provided at the same time. Use only one of them."
            )
    if order is not None:
        raise ValueError("Cannot specify order when the array has no fields.")
    if stable is not None:
        bool(stable)
    return descending is not None and bool(descending)


def normalize_axis(axis, ndim):
    """The axis as a non-negative number; raises NumPy's AxisError."""
    return numpy.lib.array_utils.normalize_axis_index(operator.index(axis), ndim)


def axis_last(a, axis):
    """A view of the array with ``axis`` moved to the end."""
    if axis == a.ndim - 1:
        return a
    return transposed(a, (*range(axis), *range(axis + 1, a.ndim), axis))


def axis_back(rows, axis):
    """The inverse of `axis_last`."""
    last = rows.ndim - 1
    if axis == last:
        return rows
    return transposed(rows, (*range(axis), last, *range(axis, last)))


def sort_in_place(a, axis=-1, kind=None, order=None, *, stable=None, descending=None):
    """Sort an array in place; see `numpy.ndarray.sort`. All kinds are stable."""
    axis = operator.index(axis)
    descending = parse_order(kind, order, stable, descending)
    axis = normalize_axis(axis, a.ndim)
    if not a.flags.writeable:
        raise ValueError("sort array is read-only")
    view = axis_last(a, axis)
    if view.flags.c_contiguous:
        engine.sort_rows(view, view, descending)
    else:
        view[...] = engine.sort_rows(view, None, descending)


@implements(numpy.sort, kernels=_KERNELS)
def sort(a, axis=-1, kind=None, order=None, *, stable=None, descending=numpy._NoValue):
    """Return a sorted copy of an array.

    Parameters
    ----------
    a : array_like
        Array to sort.
    axis : int or None, optional
        The axis to sort along, by default the last; None sorts the flattened array.
    kind : {'quicksort', 'mergesort', 'heapsort', 'stable'}, optional
        Has no effect: every kind uses a stable sort.
    order : None
        Field names, which gpunp arrays do not have.
    stable : bool, optional
        Has no effect: the sort is always stable.
    descending : bool, optional
        Sort the greatest first, as in NumPy 2.5 and later. NaN is still last.

    Returns
    -------
    ndarray
        The sorted copy. NaN is last; complex numbers are ordered by real part, then imaginary part.
    """
    a = asarray(a)
    if axis is None:
        a, axis = a.reshape(-1), -1
    axis = operator.index(axis)
    descending = parse_order(kind, order, stable, None if descending is numpy._NoValue else descending)
    axis = normalize_axis(axis, a.ndim)
    if axis == a.ndim - 1 and a.flags.c_contiguous:
        return engine.sort_rows(a, None, descending)
    # The result has the memory order of the array, as in NumPy.
    out = layout.empty_like(a)
    rows = axis_last(out, axis)
    if rows.flags.c_contiguous:
        engine.sort_rows(axis_last(a, axis), rows, descending)
    else:
        layout.copy_into(rows, engine.sort_rows(axis_last(a, axis), None, descending))
    return out


@implements(numpy.argsort, kernels=_KERNELS)
def argsort(a, axis=-1, kind=None, order=None, *, stable=None, descending=numpy._NoValue):
    """Return the indices that would sort an array.

    Parameters
    ----------
    a : array_like
        Array to sort.
    axis : int or None, optional
        The axis to sort along, by default the last; None sorts the flattened array.
    kind : {'quicksort', 'mergesort', 'heapsort', 'stable'}, optional
        Has no effect: every kind uses a stable sort.
    order : None
        Field names, which gpunp arrays do not have.
    stable : bool, optional
        Has no effect: the sort is always stable.
    descending : bool, optional
        Sort the greatest first, as in NumPy 2.5 and later. NaN is still last.

    Returns
    -------
    ndarray of int64
        The indices; equal elements keep their order in `a`.
    """
    a = asarray(a)
    if axis is None:
        a, axis = a.reshape(-1), -1
    elif a.ndim == 0:
        a = a.reshape(1)
    axis = strict_integer(axis)
    descending = parse_order(kind, order, stable, None if descending is numpy._NoValue else descending)
    axis = normalize_axis(axis, a.ndim)
    indices = axis_back(engine.argsort_rows(axis_last(a, axis), None, descending), axis)
    return indices if indices.flags.c_contiguous else layout.converted(indices, order="C")


@implements(numpy.sort_complex, kernels=_KERNELS)
def sort_complex(a):
    """A copy sorted along the last axis and converted to complex; see `numpy.sort_complex`."""
    ordered = sort(asarray(a), -1)
    if ordered.dtype.kind == "c":
        return ordered
    small = ordered.dtype.char in "bhBH"
    return layout.converted(ordered, numpy.dtype("F" if small else "D"))
