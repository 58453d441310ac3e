"""What `scipy.sparse` calls for products of compressed arrays with dense ones."""

import numpy

import gpunp
from gpunp_scipy.sparse.row_kernels import add_product, has_kernel
from gpunp_scipy.sparse.segments import rows_of, sums


def csr_matvec(n_row, n_col, Ap, Aj, Ax, Xx, Yx):
    """Add the product with a vector."""
    x = gpunp.ascontiguousarray(Xx.astype(Yx.dtype, copy=False))
    data = gpunp.ascontiguousarray(Ax.astype(Yx.dtype, copy=False))
    if has_kernel(Ap, Aj, data, x, Yx):
        add_product(Ap, Aj, data, x, Yx, n_row, n_col, 1)
        return
    Yx += sums(Ax.astype(Yx.dtype, copy=False) * Xx[Aj], Ap)


def csr_matvecs(n_row, n_col, n_vecs, Ap, Aj, Ax, Xx, Yx):
    """Add the product with the rows of a matrix."""
    x = gpunp.ascontiguousarray(Xx.astype(Yx.dtype, copy=False))
    data = gpunp.ascontiguousarray(Ax.astype(Yx.dtype, copy=False))
    if has_kernel(Ap, Aj, data, x, Yx):
        add_product(Ap, Aj, data, x, Yx, n_row, n_col, n_vecs)
        return
    y = Yx.reshape(n_row, n_vecs)
    y += sums(Ax.astype(Yx.dtype, copy=False)[:, None] * Xx.reshape(n_col, n_vecs)[Aj], Ap)


def csc_matvec(n_row, n_col, Ap, Ai, Ax, Xx, Yx):
    column = rows_of(Ap, len(Ai))
    numpy.add.at(Yx, Ai, Ax.astype(Yx.dtype, copy=False) * Xx[column])


def csc_matvecs(n_row, n_col, n_vecs, Ap, Ai, Ax, Xx, Yx):
    column = rows_of(Ap, len(Ai))
    values = Ax.astype(Yx.dtype, copy=False)[:, None] * Xx.reshape(n_col, n_vecs)[column]
    numpy.add.at(Yx.reshape(n_row, n_vecs), Ai, values)
