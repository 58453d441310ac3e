"""Splitting an array into views."""

import itertools
import operator

import numpy

from gpunp.array.convert import asarray, asnumpy, joined
from gpunp.array.ndarray import ndarray
from gpunp.dispatch.registry import implements


@implements(numpy.array_split)
def array_split(ary, indices_or_sections, axis=0):
    """Parts of nearly equal length, or between indices; see `numpy.array_split`.

    Parameters
    ----------
    ary : array_like
        Array to split.
    indices_or_sections : int or sequence of int
        The number of parts, which need not divide the length, or the indices at which parts begin.
    axis : int, optional
        The axis to split along, by default the first.

    Returns
    -------
    list of ndarray
        Views of `ary`.
    """
    ary = asarray(ary)
    total = ary.shape[axis]
    axis_index = axis % ary.ndim
    indices_or_sections = joined(indices_or_sections)
    if isinstance(indices_or_sections, ndarray):
        indices_or_sections = asnumpy(indices_or_sections)
    if hasattr(indices_or_sections, "__len__") and numpy.ndim(indices_or_sections) > 0:
        bounds = [0, *(operator.index(i) for i in indices_or_sections), total]
    else:
        sections = int(indices_or_sections)
        if sections <= 0:
            raise ValueError("number sections must be larger than 0.")
        each, extras = divmod(total, sections)
        bounds = [0]
        for i in range(sections):
            bounds.append(bounds[-1] + each + (i < extras))
    head = (slice(None),) * axis_index
    return [ary[(*head, slice(start, stop))] for start, stop in itertools.pairwise(bounds)]


@implements(numpy.split)
def split(ary, indices_or_sections, axis=0):
    """Parts of equal length, or between indices; see `numpy.split`."""
    ary = asarray(ary)
    if not hasattr(indices_or_sections, "__len__") or getattr(indices_or_sections, "ndim", 1) == 0:
        total = ary.shape[axis]
        indices_or_sections = operator.index(indices_or_sections)
        if total % indices_or_sections:
            raise ValueError("array split does not result in an equal division")
    return array_split(ary, indices_or_sections, axis)


@implements(numpy.hsplit)
def hsplit(ary, indices_or_sections):
    """Split along the second axis, 1-d arrays along the first; see `numpy.hsplit`.

    Parameters
    ----------
    ary : array_like
        Array to split.
    indices_or_sections : int or sequence of int
        The number of parts, which must divide the length, or the indices at which parts begin.

    Returns
    -------
    list of ndarray
        Views of `ary`.

    Raises
    ------
    ValueError
        If the number of parts does not divide the length of the axis.
    """
    ary = asarray(ary)
    if ary.ndim == 0:
        raise ValueError("hsplit only works on arrays of 1 or more dimensions")
    return split(ary, indices_or_sections, 1 if ary.ndim > 1 else 0)


@implements(numpy.vsplit)
def vsplit(ary, indices_or_sections):
    """Split along the first axis; see `numpy.vsplit`.

    Parameters
    ----------
    ary : array_like
        Array to split.
    indices_or_sections : int or sequence of int
        The number of parts, which must divide the length, or the indices at which parts begin.

    Returns
    -------
    list of ndarray
        Views of `ary`.

    Raises
    ------
    ValueError
        If the number of parts does not divide the length of the axis.
    """
    ary = asarray(ary)
    if ary.ndim < 2:
        raise ValueError("vsplit only works on arrays of 2 or more dimensions")
    return split(ary, indices_or_sections, 0)


@implements(numpy.dsplit)
def dsplit(ary, indices_or_sections):
    """Split along the third axis; see `numpy.dsplit`.

    Parameters
    ----------
    ary : array_like
        Array to split.
    indices_or_sections : int or sequence of int
        The number of parts, which must divide the length, or the indices at which parts begin.

    Returns
    -------
    list of ndarray
        Views of `ary`.

    Raises
    ------
    ValueError
        If the number of parts does not divide the length of the axis.
    """
    ary = asarray(ary)
    if ary.ndim < 3:
        raise ValueError("dsplit only works on arrays of 3 or more dimensions")
    return split(ary, indices_or_sections, 2)


@implements(numpy.unstack)
def unstack(x, /, *, axis=0):
    """A tuple of the slices along an axis; see `numpy.unstack`."""
    x = asarray(x)
    if x.ndim == 0:
        raise ValueError("Input array must be at least 1-d.")
    return tuple(numpy.moveaxis(x, axis, 0))
