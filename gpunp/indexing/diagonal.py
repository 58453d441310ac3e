"""Diagonals, and the indices of diagonals and triangles."""

import operator

import numpy

from gpunp.array import layout
from gpunp.array.convert import asarray
from gpunp.array.ndarray import ndarray
from gpunp.creation.filled import ones
from gpunp.creation.matrices import tri
from gpunp.creation.ranges import arange
from gpunp.dispatch.registry import implements
from gpunp.indexing import moves
from gpunp.indexing.advanced import value_for
from gpunp.indexing.where import nonzero


@implements(numpy.diagonal)
def diagonal(a, offset=0, axis1=0, axis2=1):
    """A read-only view of the diagonals of the planes spanned by two axes.

    Parameters
    ----------
    a : array_like
        An array of two or more dimensions.
    offset : int, optional
        Offset from the main diagonal; positive is above it.
    axis1, axis2 : int, optional
        The axes of the planes.

    Returns
    -------
    ndarray
        The diagonals along the last axis.
    """
    offset, axis1, axis2 = operator.index(offset), operator.index(axis1), operator.index(axis2)
    a = asarray(a)
    if a.ndim < 2:
        raise ValueError("diag requires an array of at least two dimensions")
    for name, axis in (("axis1", axis1), ("axis2", axis2)):
        if not -a.ndim <= axis < a.ndim:
            raise numpy.exceptions.AxisError(axis, a.ndim, name)
    axis1, axis2 = axis1 % a.ndim, axis2 % a.ndim
    if axis1 == axis2:
        raise ValueError("axis1 and axis2 cannot be the same")
    rows, columns = a.shape[axis1], a.shape[axis2]
    if offset >= 0:
        length, start = min(rows, columns - offset), offset * a.strides[axis2]
    else:
        length, start = min(rows + offset, columns), -offset * a.strides[axis1]
    length = max(length, 0)
    rest = [d for d in range(a.ndim) if d not in (axis1, axis2)]
    shape = (*(a.shape[d] for d in rest), length)
    strides = (*(a.strides[d] for d in rest), a.strides[axis1] + a.strides[axis2])
    view = layout.strided_view(a, shape, strides, start if length else 0)
    view.flags.writeable = False
    return view


@implements(numpy.fill_diagonal)
def fill_diagonal(a, val, wrap=False):
    """Write to the main diagonal in place.

    Parameters
    ----------
    a : ndarray
        An array of two dimensions, or of more with equal lengths.
    val : array_like
        Elements to write in turn, repeated as needed.
    wrap : bool, optional
        In a tall matrix, restart the diagonal below the leading square.
    """
    if not isinstance(a, ndarray):
        raise TypeError(f"fill_diagonal: a must be a device array, not {type(a).__name__}")
    if a.ndim < 2:
        raise ValueError("array must be at least 2-d")
    if a.ndim > 2 and len(set(a.shape)) > 1:
        raise ValueError("All dimensions of input must be of equal length")
    value = value_for(a, val)
    if a.ndim == 2 and wrap and a.shape[0] > a.shape[1]:
        numbers = arange(0, a.size, a.shape[1] + 1, device=a.device)
        moves.put(a, numbers, value, unique=True)
        return
    view = layout.strided_view(a, (min(a.shape),), (sum(a.strides),))
    if isinstance(value, ndarray) and value.size != 1:
        value = value.reshape(-1)
        if value.size < view.size:
            moves.put(view, arange(view.size, device=a.device), value, unique=True)
            return
        value = value[: view.size]
    if isinstance(value, ndarray) and value.size == 1:
        value = value.reshape(())
    view[...] = numpy.asarray(value) if isinstance(value, numpy.generic) else value


@implements()
def diag_indices(n, ndim=2):
    """Indices of the main diagonal of an array whose axes have equal lengths; see `numpy.diag_indices`.

    Parameters
    ----------
    n : int
    ndim : int, optional

    Returns
    -------
    tuple of ndarray
    """
    return (arange(n),) * ndim


@implements(numpy.diag_indices_from)
def diag_indices_from(arr):
    """Indices of the main diagonal of an array.

    Parameters
    ----------
    arr : ndarray
        An array of two or more dimensions, all of equal length.

    Returns
    -------
    tuple of ndarray
    """
    arr = asarray(arr)
    if arr.ndim < 2:
        raise ValueError("input array must be at least 2-d")
    if len(set(arr.shape)) > 1:
        raise ValueError("All dimensions of input must be of equal length")
    return (arange(arr.shape[0], device=arr.device),) * arr.ndim


@implements()
def mask_indices(n, mask_func, k=0):
    """Indices of the elements of an n by n array that a mask function keeps; see `numpy.mask_indices`.

    Parameters
    ----------
    n : int
    mask_func : callable
        Called with an array of ones and ``k``; for example `numpy.triu`.
    k : scalar, optional

    Returns
    -------
    tuple of ndarray
    """
    return nonzero(mask_func(ones((n, n), int), k))


@implements()
def tril_indices(n, k=0, m=None):
    """Indices of the lower triangle of an n by m array; see `numpy.tril_indices`."""
    return nonzero(tri(n, m, k=k, dtype=bool))


@implements()
def triu_indices(n, k=0, m=None):
    """Indices of the upper triangle of an n by m array; see `numpy.triu_indices`."""
    return nonzero(~tri(n, m, k=k - 1, dtype=bool))


def _check_matrix(arr):
    arr = asarray(arr)
    if arr.ndim != 2:
        raise ValueError("input array must be 2-d")
    return arr


@implements(numpy.tril_indices_from)
def tril_indices_from(arr, k=0):
    """Indices of the lower triangle of a matrix.

    Parameters
    ----------
    arr : ndarray
        A two-dimensional array.
    k : int, optional
        The diagonal that ends the triangle.

    Returns
    -------
    tuple of ndarray
    """
    arr = _check_matrix(arr)
    with arr.device:
        return tril_indices(arr.shape[-2], k=k, m=arr.shape[-1])


@implements(numpy.triu_indices_from)
def triu_indices_from(arr, k=0):
    """Indices of the upper triangle of a matrix.

    Parameters
    ----------
    arr : ndarray
        A two-dimensional array.
    k : int, optional
        The diagonal that starts the triangle.

    Returns
    -------
    tuple of ndarray
    """
    arr = _check_matrix(arr)
    with arr.device:
        return triu_indices(arr.shape[-2], k=k, m=arr.shape[-1])
