"""What `scipy.sparse` calls for compressed rows or columns: conversions, order, duplicates, parts of arrays.

The functions have the names and the arguments of SciPy's compiled module: they write their results into
arrays that they get. ``Ap``, ``Aj`` and ``Ax`` are the row pointer, the columns and the values of an array.
"""

import numpy

import gpunp
from gpunp_scipy.sparse import entry_kernels
from gpunp_scipy.sparse.segments import expanded, pointers, rows_of, starting, starts_of_runs, sums


def expandptr(n_row, Ap, Bi):
    Bi[:] = rows_of(Ap, len(Bi))


def csr_tocsc(n_row, n_col, Ap, Aj, Ax, Bp, Bi, Bx):
    count = len(Bi)
    columns = Aj[:count]
    order = numpy.argsort(columns, kind="stable")
    Bp[:] = pointers(columns[order], n_col)
    Bi[:] = rows_of(Ap, count)[order]
    Bx[:] = Ax[:count][order]


def csc_tocsr(n_row, n_col, Ap, Ai, Ax, Bp, Bj, Bx):
    csr_tocsc(n_col, n_row, Ap, Ai, Ax, Bp, Bj, Bx)


def csr_todense(n_row, n_col, Ap, Aj, Ax, Bx):
    """Add an array to a dense one."""
    if len(Aj):
        place = rows_of(Ap, len(Aj)) * n_col + Aj
        numpy.add.at(Bx.ravel(), place, Ax)


def _rises_within_rows(Ap, Aj, *, strictly):
    """Whether the columns of each row rise: they fall no more often than from one row to the next."""
    if len(Aj) < 2:
        return gpunp.ones((), bool, device=Ap.device)
    falls = numpy.less_equal if strictly else numpy.less
    # Where rows start, each place once.
    starts = Ap[1:-1]
    is_place = (starts > Ap[:-2]) & (starts < len(Aj))
    starts = numpy.where(is_place, starts, 1)
    between = is_place & falls(Aj[starts], Aj[starts - 1])
    return numpy.count_nonzero(falls(Aj[1:], Aj[:-1])) == numpy.count_nonzero(between)


def csr_has_sorted_indices(n_row, Ap, Aj):
    return bool(_rises_within_rows(Ap, Aj, strictly=False))


def csr_has_canonical_format(n_row, Ap, Aj):
    return bool(_rises_within_rows(Ap, Aj, strictly=True) & (Ap[1:] >= Ap[:-1]).all())


def csr_sort_indices(n_row, Ap, Aj, Ax):
    """Sort each row by columns; equal columns keep their order."""
    count = len(Aj)
    if count:
        order = row_order(Ap, Aj)
        Aj[:] = Aj[order]
        Ax[:count] = Ax[:count][order]


def row_order(Ap, Aj):
    """The order that sorts the entries by row and column."""
    width = Aj.max().astype("i8") + 1
    return numpy.argsort(rows_of(Ap, len(Aj)) * width + Aj, kind="stable")


def csr_sum_duplicates(n_row, n_col, Ap, Aj, Ax):
    """Add up entries of one place, which must be neighbours."""
    count = len(Aj)
    if not count:
        return
    row = rows_of(Ap, count)
    starts = numpy.flatnonzero(starts_of_runs(row, Aj))
    values = numpy.add.reduceat(Ax[:count], starts, dtype=Ax.dtype)
    columns = Aj[starts]
    Ap[:] = pointers(row[starts], n_row)
    Aj[: len(starts)] = columns
    Ax[: len(starts)] = values


def csr_eliminate_zeros(n_row, n_col, Ap, Aj, Ax):
    keep = Ax[: len(Aj)] != 0
    before = gpunp.zeros(len(Aj) + 1, "i8")
    numpy.cumsum(keep, out=before[1:])
    columns, values = Aj[keep], Ax[: len(Aj)][keep]
    Ap[:] = before[Ap]
    Aj[: len(columns)] = columns
    Ax[: len(columns)] = values


def csr_diagonal(k, n_row, n_col, Ap, Aj, Ax, Yx):
    row = rows_of(Ap, len(Aj))
    total = sums(numpy.where(row + k == Aj, Ax, Ax.dtype.type(0)), Ap)
    first = max(0, -k)
    Yx[:] = total[first : first + len(Yx)]


def columns_between(indptr, indices, data, first, end):
    """The parts of an array of some columns of another one; waits for the number of their entries."""
    inside = (indices >= first) & (indices < end)
    before = gpunp.zeros(len(indices) + 1, "i8")
    numpy.cumsum(inside, out=before[1:])
    place = numpy.flatnonzero(inside)
    return before[indptr].astype(indptr.dtype), indices[place] - first, data[place]


def get_csr_submatrix(n_row, n_col, Ap, Aj, Ax, ir0, ir1, ic0, ic1):
    """Some rows and columns; waits for the number of entries of the rows."""
    begin, end = Ap[numpy.asarray([ir0, ir1])].tolist()
    indptr = Ap[ir0 : ir1 + 1] - Ap[ir0]
    columns, values = Aj[begin:end], Ax[begin:end]
    if ic0 == 0 and ic1 == n_col:
        return indptr, columns.copy(), values.copy()
    return columns_between(indptr, columns, values, ic0, ic1)


def csr_row_index(n_row_idx, rows, Ap, Aj, Ax, Bj, Bx):
    ends = starting(Ap[rows + 1] - Ap[rows], Ap.dtype)
    parts = tuple(map(gpunp.ascontiguousarray, (Ap, Aj, Ax)))
    if entry_kernels.has_kernel(ends) and Aj.dtype == Ap.dtype == Bj.dtype and Ax.dtype == Bx.dtype:
        entry_kernels.copy_rows(ends, gpunp.ascontiguousarray(rows.astype("i8", copy=False)), parts, Bj, Bx)
        return
    _, place, _ = expanded(Ap[rows], Ap[rows + 1] - Ap[rows], len(Bj))
    Bj[:] = Aj[place]
    Bx[:] = Ax[place]


def csr_row_slice(start, stop, step, Ap, Aj, Ax, Bj, Bx):
    rows = gpunp.arange(start, stop, step)
    csr_row_index(len(rows), rows, Ap, Aj, Ax, Bj, Bx)


def csr_column_index1(n_idx, col_idxs, n_row, n_col, Ap, Aj, col_offsets, Bp):
    """How often columns are wanted, summed up, and the row pointer of the result."""
    counts = numpy.bincount(col_idxs, minlength=n_col)
    numpy.cumsum(counts, out=col_offsets)
    before = gpunp.zeros(len(Aj) + 1, "i8")
    numpy.cumsum(counts[Aj], out=before[1:])
    Bp[:] = before[Ap]


def csr_column_index2(col_order, col_offsets, nnz, Aj, Ax, Bj, Bx):
    begin = gpunp.zeros(len(col_offsets) + 1, "i8")
    begin[1:] = col_offsets
    entry, place, _ = expanded(begin[Aj], begin[Aj + 1] - begin[Aj], len(Bj))
    Bj[:] = col_order[place]
    Bx[:] = Ax[entry]


def _samples(n_row, n_col, Ap, Aj, Bi, Bj):
    """All entries of the samples' rows: which are at the sample's place, where they are, row pointers."""
    row = numpy.where(Bi < 0, Bi + n_row, Bi)
    column = numpy.where(Bj < 0, Bj + n_col, Bj)
    sample, place, ends = expanded(Ap[row], Ap[row + 1] - Ap[row])
    return Aj[place] == column[sample], place, ends


def csr_sample_values(n_row, n_col, Ap, Aj, Ax, n_samples, Bi, Bj, Bx):
    """The values at some places, with duplicates added up."""
    found, place, ends = _samples(n_row, n_col, Ap, Aj, Bi.ravel(), Bj.ravel())
    Bx[:] = sums(numpy.where(found, Ax[place], Ax.dtype.type(0)), ends).reshape(Bx.shape)


def csr_sample_offsets(n_row, n_col, Ap, Aj, n_samples, Bi, Bj, Bp):
    """Where some places are stored, or -1; returns 1 if one of them is stored twice, else 0."""
    found, place, ends = _samples(n_row, n_col, Ap, Aj, Bi, Bj)
    counts = sums(found.astype("i8"), ends)
    Bp[:] = numpy.where(counts > 0, sums(numpy.where(found, place, 0), ends), -1)
    return int((counts > 1).any())


def csr_scale_rows(n_row, n_col, Ap, Aj, Ax, Xx):
    Ax *= Xx[rows_of(Ap, len(Aj))]


def csr_scale_columns(n_row, n_col, Ap, Aj, Ax, Xx):
    Ax *= Xx[Aj]


def csr_hstack(n_blocks, n_row, n_col_cat, Ap_cat, Aj_cat, Ax_cat, Bp, Bj, Bx):
    """Arrays side by side: their row pointers, columns and values come one array after another."""
    width = n_row + 1
    lengths = (Ap_cat.reshape(n_blocks, width)[:, 1:] - Ap_cat.reshape(n_blocks, width)[:, :-1]).ravel()
    run = rows_of(starting(lengths), len(Aj_cat))
    block, row = run // n_row, run % n_row
    offsets = starting(gpunp.asarray(n_col_cat))
    order = numpy.argsort(row, kind="stable")
    Bp[:] = pointers(row[order], n_row)
    Bj[:] = (Aj_cat + offsets[block])[order]
    Bx[:] = Ax_cat[order]
