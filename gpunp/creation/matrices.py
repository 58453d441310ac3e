"""Matrices with structure, and coordinate grids."""

import math
import operator

import numpy

from gpunp.array import layout
from gpunp.array.convert import asarray
from gpunp.array.dtype import as_dtype
from gpunp.array.operands import on_one_device
from gpunp.creation.fill import is_aligned
from gpunp.creation.fill import triangle as fill_triangle
from gpunp.creation.filled import place
from gpunp.creation.ranges import arange
from gpunp.device import get_device
from gpunp.dispatch.registry import implements


@implements(numpy.eye, like=True)
def eye(N, M=None, k=0, dtype=float, order="C", *, device=None, like=None):
    """A matrix with ones on a diagonal; see `numpy.eye`."""
    rows = operator.index(N)
    columns = rows if M is None else operator.index(M)
    k = operator.index(k)
    out = layout.zeros((rows, columns), as_dtype(dtype), order, place(device, like))
    _diagonal_view(out, k)[...] = 1
    return out


@implements(numpy.identity, like=True)
def identity(n, dtype=None, *, like=None):
    """The square identity matrix; see `numpy.identity`."""
    return eye(n, dtype=dtype, like=like)


@implements(numpy.tri, like=True)
def tri(N, M=None, k=0, dtype=float, *, like=None):
    """A matrix with ones at and below a diagonal; see `numpy.tri`."""
    rows = _extent(N)
    columns = rows if M is None else _extent(M)
    k = _diagonal_number(k, columns)
    with get_device(place(None, like)):
        mask = arange(rows).reshape(rows, 1) >= arange(-k, columns - k)
    return mask.astype(as_dtype(dtype), copy=False)


@implements(numpy.tril, kernels=("include/gpunp/creation/triangle.h",))
def tril(m, k=0):
    """The lower triangle; see `numpy.tril`.

    Returns
    -------
    ndarray, shape (..., M, N)
        A copy, in C order.
    """
    m = asarray(m)
    return _triangle(m, _diagonal_number(k, m.shape[-1] if m.ndim else 1), lower=True)


@implements(numpy.triu, kernels=("include/gpunp/creation/triangle.h",))
def triu(m, k=0):
    """The upper triangle; see `numpy.triu`.

    Parameters
    ----------
    m : array_like, shape (..., M, N)
        Matrices.
    k : int, optional
        Elements below this diagonal become zero; 0, the default, is the main diagonal.

    Returns
    -------
    ndarray, shape (..., M, N)
        A copy, in C order.
    """
    # As in NumPy, the complement of the lower triangle of k - 1: that defines the effect of a fractional k.
    m = asarray(m)
    return _triangle(m, _diagonal_number(k - 1, m.shape[-1] if m.ndim else 1) + 1, lower=False)


def _extent(n):
    """The number of integers in [0, n), where n may be a fraction."""
    return max(operator.index(n) if layout.is_integer(n) else math.ceil(n), 0)


def _diagonal_number(k, columns):
    """The integer diagonal for a fractional k: NumPy computes ``-k, 1 - k, ...`` in an integer dtype."""
    try:
        return operator.index(k)
    except TypeError:
        k = float(k)
    # For 0 < k < 1 the first two numbers truncate to 0, which makes the step 0, and so all numbers 0.
    return columns if 0 < k < 1 else math.trunc(k)


def _triangle(m, k, *, lower):
    if m.ndim == 0:
        raise TypeError("tril and triu need an array of at least one dimension")
    # Diagonals beyond the corners are equivalent; clamping makes k fit 64 bits.
    furthest = 1 + max(m.shape[-2:])
    k = max(-furthest, min(k, furthest))
    if m.ndim == 1:
        m = numpy.broadcast_to(m, (m.shape[0], m.shape[0]))
    m = asarray(m, order="C")
    if not is_aligned(m):
        m = m.copy()
    return fill_triangle(m, k, lower)


@implements(numpy.diag)
def diag(v, k=0):
    """A read-only view of a diagonal of a matrix, or a matrix with the given diagonal; see `numpy.diag`."""
    v = asarray(v)
    k = operator.index(k)
    if v.ndim == 1:
        return _matrix_of_diagonal(v, k)
    if v.ndim != 2:
        raise ValueError("Input must be 1- or 2-d.")
    taken = _diagonal_view(v, k)
    taken.flags.writeable = False
    return taken


@implements(numpy.diagflat)
def diagflat(v, k=0):
    """A matrix with the flattened input on a diagonal; see `numpy.diagflat`."""
    return _matrix_of_diagonal(asarray(v).reshape(-1), operator.index(k))


def _matrix_of_diagonal(v, k):
    extent = v.size + abs(k)
    out = layout.zeros((extent, extent), v.dtype, "C", v.device)
    layout.copy_into(_diagonal_view(out, k), v)
    return out


def _diagonal_view(m, k):
    rows, columns = m.shape
    row, column = m.strides
    length = max(0, min(rows + min(k, 0), columns - max(k, 0)))
    offset = (column * k if k > 0 else -row * k) if length else 0
    return layout.strided_view(m, (length,), (row + column,), offset)


@implements(numpy.meshgrid)
def meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    """Coordinate arrays from coordinate vectors; see `numpy.meshgrid`.

    Parameters
    ----------
    *xi : array_like
        One-dimensional arrays of coordinates.
    """
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    ndim = len(xi)
    lines = on_one_device(*xi)
    output = [x.reshape((1,) * i + (-1,) + (1,) * (ndim - i - 1)) for i, x in enumerate(lines)]
    if indexing == "xy" and ndim > 1:
        output[0] = output[0].reshape((1, -1) + (1,) * (ndim - 2))
        output[1] = output[1].reshape((-1, 1) + (1,) * (ndim - 2))
    if not sparse:
        output = list(numpy.broadcast_arrays(*output)) if ndim else []
    if copy:
        output = [x.copy() for x in output]
    return tuple(output)
