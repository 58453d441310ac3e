"""Triangular systems and LU factors of chunks, for which `dask.array.linalg` calls SciPy.

These functions of SciPy have no protocol for other arrays. So two functions of dask are extended for device
arrays, and unchanged for others: ``dask.array.utils.scipy_linalg_safe``, which chooses between SciPy and
similar libraries, and ``dask.array.linalg.lu``.
"""

import functools

import dask
import numpy
from dask.array import core, utils
from dask.array import linalg as dask_linalg

from gpunp.array import layout
from gpunp.array.convert import asarray, asnumpy, host_view
from gpunp.array.ndarray import ndarray
from gpunp.linalg.factorizations import adjusted
from gpunp.linalg.lapack import common_dtype, same_device, to_dtype


def _operands(name, *arrays):
    arrays = same_device(name, arrays)
    dtype = common_dtype(*arrays)
    return [to_dtype(x, dtype) for x in arrays]


def solve_triangular(a, b, lower=False):
    """The x with ``a @ x == b`` for a triangular ``a``; its other triangle is not read."""
    a, b = _operands("solve_triangular", a, b)
    if a.device.is_cpu:
        import scipy.linalg

        host = scipy.linalg.solve_triangular(host_view(a), host_view(b), lower=lower, check_finite=False)
        return asarray(host, device=a.device)
    return numpy.linalg.solve(numpy.tril(a) if lower else numpy.triu(a), b)


def lu(a):
    """Permutation matrix, unit lower triangle and upper triangle, whose product is ``a``.

    On a CUDA device the host waits for the pivots.
    """
    (a,) = _operands("lu", a)
    if a.device.is_cpu:
        import scipy.linalg

        return tuple(asarray(x, device=a.device) for x in scipy.linalg.lu(host_view(a), check_finite=False))
    from gpunp.linalg import cusolver

    n = len(a)
    # cuSOLVER expects column-major matrices.
    factors = adjusted(a[None])
    pivots = layout.empty((1, n), numpy.dtype("i8"), "C", a.device)
    info = layout.empty((1,), numpy.dtype("i4"), "C", a.device)
    cusolver.getrf(factors, pivots, info)
    rows = numpy.arange(n)
    for i, other in enumerate(asnumpy(pivots)[0] - 1):
        rows[[i, other]] = rows[[other, i]]
    factors = adjusted(factors)[0]
    identity = numpy.eye(n, dtype=a.dtype, like=a)
    return identity[numpy.argsort(rows)], numpy.tril(factors, -1) + identity, numpy.triu(factors)


def _without(block, products):
    """A block minus a sum of products of blocks."""
    return functools.reduce(lambda left, pair: left - pair[0] @ pair[1], products, block)


def _right_factor(u, block):
    """The x with ``x @ u == block``."""
    return solve_triangular(u.T, block.T, lower=True).T


def blocked_lu(a):
    """Permutation, lower and upper factor of a dask array by square blocks; pivots are within a block."""
    if a.ndim != 2 or a.shape[0] != a.shape[1] or len({*a.chunks[0], *a.chunks[1]}) != 1:
        raise ValueError(f"lu: the matrix must be square, in square chunks of one size, not {a.chunks}")
    n, size = a.numblocks[0], a.chunks[0][0]
    blocks = a.to_delayed()
    # The rows of `below` are in the order of the matrix, those of `lower` in the order of the pivots.
    below, lower, upper, order = {}, {}, {}, {}
    factor, solve, divide = (
        dask.delayed(lu, nout=3),
        dask.delayed(solve_triangular),
        dask.delayed(_right_factor),
    )
    for i in range(n):
        for j in range(i, n):
            block = _without(blocks[i, j], [(below[i, p], upper[p, j]) for p in range(i)])
            if i == j:
                order[i], lower[i, i], upper[i, i] = factor(block)
            else:
                upper[i, j] = solve(lower[i, i], order[i].T @ block, lower=True)
        for k in range(i + 1, n):
            block = _without(blocks[k, i], [(below[k, p], upper[p, i]) for p in range(i)])
            below[k, i] = divide(upper[i, i], block)
        lower.update({(i, p): order[i].T @ below[i, p] for p in range(i)})
    dtype = common_dtype(a)
    meta = utils.meta_from_array(a._meta, dtype=dtype)
    zero = dask.delayed(numpy.zeros_like)(meta, shape=(size, size))
    return tuple(
        core.block(
            [
                [
                    core.from_delayed(found.get((i, j), zero), (size, size), dtype=dtype, meta=meta)
                    for j in range(n)
                ]
                for i in range(n)
            ]
        )
        for found in ({(i, i): each for i, each in order.items()}, lower, upper)
    )


def register():
    """Make the two functions of dask accept device arrays."""
    safe, dask_lu = utils.scipy_linalg_safe, dask_linalg.lu

    @functools.wraps(safe)
    def scipy_linalg_safe(func_name, *args, **kwargs):
        if func_name == "solve_triangular" and any(isinstance(x, ndarray) for x in args):
            return solve_triangular(*args, **kwargs)
        return safe(func_name, *args, **kwargs)

    @functools.wraps(dask_lu)
    def lu_of_chunks(a):
        return blocked_lu(a) if isinstance(a._meta, ndarray) else dask_lu(a)

    utils.scipy_linalg_safe = scipy_linalg_safe
    dask_linalg.lu = lu_of_chunks
