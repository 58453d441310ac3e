"""What `scipy.sparse` calls for arrays of diagonals: row d of the data is the diagonal at ``offsets[d]``."""

import numpy

import gpunp


def _entries(n_row, n_col, length, offsets, data):
    """The columns and the values of each row, one diagonal after another; outside they are 0 and 0.

    Returns
    -------
    inside : ndarray of bool, shape (n_row, diagonals)
    column, value : ndarray, of that shape
    """
    column = gpunp.arange(n_row)[:, None] + offsets
    inside = (column >= 0) & (column < min(n_col, length))
    column = numpy.where(inside, column, 0)
    value = data[gpunp.arange(len(offsets)), column] if length else gpunp.zeros(column.shape, data.dtype)
    return inside, column, numpy.where(inside, value, data.dtype.type(0))


def dia_matvec(n_row, n_col, n_diags, L, offsets, diags, Xx, Yx):
    y = Yx.ravel()
    if n_diags and L and n_row and n_col:
        inside, column, value = _entries(n_row, n_col, L, offsets, diags)
        # What is outside counts as 0 also where the vector is not finite.
        products = numpy.where(inside, value.astype(y.dtype, copy=False) * Xx[column], y.dtype.type(0))
        y += products.sum(axis=1, dtype=y.dtype)


def dia_matvecs(n_row, n_col, n_diags, L, offsets, diags, n_vecs, Xx, Yx):
    if n_diags and L and n_row and n_col:
        inside, column, value = _entries(n_row, n_col, L, offsets, diags)
        for d in range(n_diags):
            products = value[:, d, None].astype(Yx.dtype, copy=False) * Xx[column[:, d]]
            Yx += numpy.where(inside[:, d, None], products, Yx.dtype.type(0))


def dia_tocsr(n_rows, n_cols, n_diags, L, offsets, data, order, csr_data, indices, indptr):
    """Write what is not zero by rows; returns the number of entries."""
    inside, column, value = _entries(n_rows, n_cols, L, offsets[order], data[order])
    kept = inside & (value != 0)
    indptr[0] = 0
    numpy.cumsum(kept.sum(axis=1), out=indptr[1:])
    count = int(indptr[-1])
    indices[:count] = column[kept]
    csr_data[:count] = value[kept]
    return count


def dia_matmat(a_rows, a_cols, a_diags, a_len, a_offsets, a_data, b_cols, b_diags, b_len, b_offsets, b_data):
    """Multiply two arrays of diagonals; returns the offsets and the data of the product."""
    dtype = numpy.result_type(a_data.dtype, b_data.dtype)
    if not a_diags * b_diags:
        return gpunp.empty(0, a_offsets.dtype), gpunp.empty(0, dtype)
    sums = (a_offsets[:, None] + b_offsets).ravel()
    offsets, which = numpy.unique(sums, return_inverse=True)
    # Diagonals that no two entries meet on are left out.
    met = gpunp.zeros(len(offsets), bool)
    length = int(max(0, min(b_cols, a_rows + int(offsets.max()), b_len)))
    data = gpunp.zeros((len(offsets), length), dtype)
    j = gpunp.arange(length)
    which = which.reshape(a_diags, b_diags)
    for place in range(a_diags):
        # Entry (i, j) is the sum of a[i, k] * b[k, j]; diagonals hold the column of their entries.
        k = j - b_offsets[:, None]
        i = k - a_offsets[place]
        valid = (k >= 0) & (k < min(a_cols, a_len)) & (i >= 0) & (i < a_rows)
        a = a_data[place][numpy.where(valid, k, 0)].astype(dtype, copy=False)
        met[which[place]] |= valid.any(axis=1)
        data[which[place]] += numpy.where(valid, a * b_data[:, :length], dtype.type(0))
    return offsets[met].astype(a_offsets.dtype), data[met].ravel()
