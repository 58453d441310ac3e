"""What `scipy.sparse` calls for coordinates: conversions, sums into dense arrays and products."""

import numpy

import gpunp
from gpunp_scipy.sparse.segments import pointers, starts_of_runs


def distinct(major, minor, length, data):
    """Sort entries by place and add up those of one place; waits for the device once.

    Parameters
    ----------
    major, minor : ndarray
        The coordinates of entries; those along the first axis come first in the order.
    length : int
        Of the second axis.
    data : ndarray

    Returns
    -------
    keys : ndarray of int64
        The places, as major * length + minor.
    minor, data : ndarray
        Of the places.
    """
    keys = major.astype("i8") * length + minor
    order = numpy.argsort(keys, kind="stable")
    keys, minor, data = keys[order], minor[order], data[order]
    starts = numpy.flatnonzero(starts_of_runs(keys))
    if len(starts) < len(keys):
        keys, minor, data = keys[starts], minor[starts], numpy.add.reduceat(data, starts, dtype=data.dtype)
    return keys, minor, data


def coo_tocsr(n_row, n_col, nnz, Ai, Aj, Ax, Bp, Bj, Bx):
    order = numpy.argsort(Ai, kind="stable")
    Bp[:] = pointers(Ai[order], n_row)
    Bj[:] = Aj[order]
    Bx[:] = Ax[order]


def coo_todense(n_row, n_col, nnz, Ai, Aj, Ax, Bx, fortran):
    place = Ai + Aj.astype("i8") * n_row if fortran else Ai.astype("i8") * n_col + Aj
    numpy.add.at(Bx, place, Ax)


def coo_todense_nd(strides, nnz, num_dims, coords, Ax, Bx, fortran):
    numpy.add.at(Bx, _places(strides, nnz, num_dims, coords), Ax)


def _places(strides, nnz, num_dims, coords):
    """The flat index of each entry, from coordinates that come one axis after another."""
    steps = gpunp.asarray(strides, dtype="i8").reshape(num_dims, 1)
    return (coords.reshape(num_dims, nnz).astype("i8") * steps).sum(axis=0)


def coo_matvec(nnz, Ai, Aj, Ax, Xx, Yx):
    numpy.add.at(Yx, Ai, Ax.astype(Yx.dtype, copy=False) * Xx[Aj])


def coo_matvec_nd(nnz, num_dims, strides, coords, Ax, Xx, Yx):
    """Multiply the last axis; the strides are those of the result."""
    parts = coords.reshape(num_dims, nnz)
    place = _places(strides, nnz, num_dims - 1, parts[:-1])
    numpy.add.at(Yx, place, Ax.astype(Yx.dtype, copy=False) * Xx[parts[-1]])


def _products(data, x):
    """Products of entries and rows. As in SciPy, a stored 0 gives 0 with a NaN or an infinity, too."""
    data = data.astype(x.dtype, copy=False)[:, None]
    return numpy.where(data != 0, data * x, x.dtype.type(0))


def coo_matmat_dense(nnz, n_vecs, Ai, Aj, Ax, Xx, Yx):
    if not n_vecs:
        return
    x = Xx.reshape(-1, n_vecs)
    numpy.add.at(Yx.reshape(-1, n_vecs), Ai, _products(Ax, x[Aj].astype(Yx.dtype, copy=False)))


def coo_matmat_dense_nd(nnz, num_dims, n_vecs, x_shape, y_shape, coords, Ax, Xx, Yx):
    """Multiply stacks of matrices; both have the same shape before the last two axes."""
    if not n_vecs:
        return
    parts = coords.reshape(num_dims, nnz).astype("i8")
    stack = numpy.zeros_like(parts[0])
    for axis, length in enumerate(y_shape.tolist()[:-2]):
        stack = stack * length + parts[axis]
    inner, outer = int(x_shape[-2]), int(y_shape[-2])
    x, y = Xx.reshape(-1, n_vecs), Yx.reshape(-1, n_vecs)
    values = _products(Ax, x[stack * inner + parts[-1]].astype(Yx.dtype, copy=False))
    numpy.add.at(y, stack * outer + parts[-2], values)
