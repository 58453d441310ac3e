"""What `scipy.sparse` calls for arrays of blocks: ``R`` x ``C`` blocks in compressed rows."""

import functools

import numpy

import gpunp
from gpunp_scipy.sparse import arithmetic
from gpunp_scipy.sparse.compressed_parts import row_order
from gpunp_scipy.sparse.segments import pointers, rows_of, starts_of_runs, sums


def _blocks_of(n_row, n_col, R, C, Ap, Aj):
    """The sorted order of the entries by block, where blocks start in it, and the blocks."""
    row = rows_of(Ap, len(Aj))
    keys = (row // R) * (n_col // C) + Aj // C
    order = numpy.argsort(keys, kind="stable")
    starts = starts_of_runs(keys[order])
    return row, order, starts, keys[order]


def csr_count_blocks(n_row, n_col, R, C, Ap, Aj):
    if not len(Aj):
        return 0
    return int(_blocks_of(n_row, n_col, R, C, Ap, Aj)[2].sum())


def csr_tobsr(n_row, n_col, R, C, Ap, Aj, Ax, Bp, Bj, Bx):
    """Collect entries into blocks, which are sorted by column."""
    if not len(Aj):
        Bp[:] = 0
        return
    row, order, starts, keys = _blocks_of(n_row, n_col, R, C, Ap, Aj)
    block = numpy.cumsum(starts) - 1
    keys = keys[starts]
    Bp[:] = pointers(keys // (n_col // C), n_row // R)
    Bj[:] = keys % (n_col // C)
    place = (block * R + row[order] % R) * C + Aj[order] % C
    numpy.add.at(Bx, place, Ax[order])


def bsr_tocsr(n_brow, n_bcol, R, C, Ap, Aj, Ax, Bp, Bj, Bx):
    count = len(Aj)
    block_row = rows_of(Ap, count)
    Bp[0] = 0
    lengths = (Ap[1:] - Ap[:-1]) * C
    numpy.cumsum(numpy.broadcast_to(lengths[:, None], (n_brow, R)).ravel(), out=Bp[1:])
    if not count:
        return
    # Entry (r, c) of a block comes after r whole rows of its blocks, and after the blocks before it.
    first = Ap[block_row] * (R * C) + (gpunp.arange(count) - Ap[block_row]) * C
    r, c = gpunp.arange(R)[:, None], gpunp.arange(C)
    place = first[:, None, None] + r * lengths[block_row][:, None, None] + c
    Bj[place] = numpy.broadcast_to(Aj[:, None, None] * C + c, place.shape)
    Bx[place] = Ax[:count]


def bsr_diagonal(k, n_brow, n_bcol, R, C, Ap, Aj, Ax, Yx):
    values = Ax.reshape(-1, R, C)
    block_row = rows_of(Ap, len(Aj))
    row = block_row[:, None, None] * R + gpunp.arange(R)[:, None]
    column = Aj.astype("i8")[:, None, None] * C + gpunp.arange(C)
    on = row + k == column
    numpy.add.at(Yx, numpy.where(on, row - max(0, -k), 0), numpy.where(on, values, values.dtype.type(0)))


def bsr_matvec(n_brow, n_bcol, R, C, Ap, Aj, Ax, Xx, Yx):
    bsr_matvecs(n_brow, n_bcol, 1, R, C, Ap, Aj, Ax, Xx, Yx)


def bsr_matvecs(n_brow, n_bcol, n_vecs, R, C, Ap, Aj, Ax, Xx, Yx):
    if not len(Aj):
        return
    x = Xx.reshape(n_bcol, C, n_vecs)[Aj].astype(Yx.dtype, copy=False)
    parts = Ax.reshape(-1, R, C).astype(Yx.dtype, copy=False) @ x
    y = Yx.reshape(n_brow, R, n_vecs)
    y += sums(parts, Ap)


def bsr_transpose(n_brow, n_bcol, R, C, Ap, Aj, Ax, Bp, Bj, Bx):
    order = numpy.argsort(Aj, kind="stable")
    Bp[:] = pointers(Aj[order], n_bcol)
    Bj[:] = rows_of(Ap, len(Aj))[order]
    Bx[:] = Ax.reshape(-1, R, C)[order].transpose(0, 2, 1).ravel()


def bsr_sort_indices(n_brow, n_bcol, R, C, Ap, Aj, Ax):
    if len(Aj):
        order = row_order(Ap, Aj)
        Aj[:] = Aj[order]
        Ax[:] = Ax.reshape(-1, R, C)[order].ravel()


def bsr_matmat(maxnnz, n_brow, n_bcol, R, C, N, Ap, Aj, Ax, Bp, Bj, Bx, Cp, Cj, Cx):
    """Multiply two arrays; the blocks of the result are sorted. Of single numbers, zeros are not stored."""
    if R == N == C == 1:
        arithmetic.csr_matmat(n_brow, n_bcol, Ap, Aj, Ax, Bp, Bj, Bx, Cp, Cj, Cx)
        return
    entry, other, starts, keys = arithmetic.products(n_bcol, Ap, Aj, Bp, Bj)
    if not len(keys):
        Cp[:] = 0
        return
    a = Ax.reshape(-1, R, N)[entry].astype(Cx.dtype, copy=False)
    b = Bx.reshape(-1, N, C)[other].astype(Cx.dtype, copy=False)
    Cp[:] = pointers(keys // n_bcol, n_brow)
    Cj[: len(keys)] = keys % n_bcol
    Cx[: len(keys) * R * C] = numpy.add.reduceat(a @ b, starts, dtype=Cx.dtype).ravel()


def _binary(operation, n_brow, n_bcol, R, C, Ap, Aj, Ax, Bp, Bj, Bx, Cp, Cj, Cx):
    """Apply an operation to the union of two arrays' blocks, and store blocks that are not all zero."""
    if not len(Aj) + len(Bj):
        Cp[:] = 0
        return
    keys_a = rows_of(Ap, len(Aj)) * n_bcol + Aj
    keys_b = rows_of(Bp, len(Bj)) * n_bcol + Bj
    order, starts, keys = arithmetic.joined(keys_a, keys_b)
    dtype = numpy.result_type(Ax.dtype, Bx.dtype)
    a = arithmetic.side(Ax.reshape(-1, R, C), len(Bj), order, starts, dtype, first=True)
    b = arithmetic.side(Bx.reshape(-1, R, C), len(Aj), order, starts, dtype, first=False)
    result = operation(a, b)
    kept = numpy.flatnonzero((result != 0).any(axis=(1, 2)))
    keys = keys[kept]
    Cp[:] = pointers(keys // n_bcol, n_brow)
    Cj[: len(kept)] = keys % n_bcol
    Cx[: len(kept) * R * C] = result[kept].ravel()


def operations():
    """The functions ``bsr_plus_bsr`` and so on, by name."""
    return {
        f"bsr_{name}_bsr": functools.partial(_binary, function)
        for name, function in arithmetic.OPERATIONS.items()
    }
