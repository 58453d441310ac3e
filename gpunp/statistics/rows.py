"""Axes of order statistics: arrays rearranged into rows, and results in NumPy's shape."""

import math

import numpy
from numpy.lib.array_utils import normalize_axis_tuple

from gpunp.array import layout

_NoValue = numpy._NoValue


class Reduced:
    """The axes that a call reduces, and its ``out`` and ``keepdims``.

    Parameters
    ----------
    a : ndarray
    axis : int, sequence of int or None
    out : ndarray or None
    keepdims : bool
    """

    def __init__(self, a, axis, out, keepdims):
        self.ndim = a.ndim
        self.axes = tuple(range(a.ndim)) if axis is None else normalize_axis_tuple(axis, a.ndim)
        self.all = axis is None or (a.ndim > 0 and len(self.axes) == a.ndim)
        self.kept = tuple(n for i, n in enumerate(a.shape) if i not in self.axes)
        self.keepdims = keepdims is not _NoValue and bool(keepdims)
        self.given = out
        self.out = out
        if out is not None and self.keepdims:
            self.out = out[(Ellipsis, *(0 if i in self.axes else slice(None) for i in range(self.ndim)))]

    def rows(self, a):
        """The elements along the axes as the rows of a C-contiguous array of two dimensions."""
        if self.all and (a.flags.c_contiguous or a.flags.f_contiguous):
            # The result does not depend on the order of the elements.
            return (a if a.flags.c_contiguous else a.T).reshape(1, -1)
        return self.ordered_rows(a)

    def ordered_rows(self, a):
        """As `rows`, with the axes always in order, so that elements of two arrays stay aligned."""
        kept = tuple(i for i in range(self.ndim) if i not in self.axes)
        moved = numpy.transpose(a, kept + self.axes)
        if not moved.flags.c_contiguous:
            moved = layout.converted(moved, order="C")
        return moved.reshape(math.prod(self.kept), math.prod(a.shape[i] for i in self.axes))

    def finish(self, result):
        """Return the call's result, given one with the kept axes last."""
        if self.given is not None:
            return self.given
        if not self.keepdims:
            return result._mark_scalar()
        return result[(Ellipsis, *(None if i in self.axes else slice(None) for i in range(self.ndim)))]


def count_numbers(rows):
    """The number of elements of each row that are not NaN, at least 1."""
    return numpy.maximum(numpy.count_nonzero(rows == rows, axis=1), 1)
