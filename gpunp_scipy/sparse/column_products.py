"""Products of compressed columns with dense arrays on a GPU.

The order of the entries by rows is found once and kept with the array. Arrays that share their parts, such as
an array and its transpose, share it, too.
"""

import numpy

from gpunp_scipy.sparse.row_kernels import product
from gpunp_scipy.sparse.segments import pointers, rows_of


def shared_order(array):
    """Where the order is kept: a dictionary that arrays with the same parts share."""
    return vars(array).setdefault("_order_by_rows", {})


def by_rows(array):
    """The row pointer, the columns and the order of the entries of compressed columns by rows.

    Entries of a row are in the order of their columns.
    """
    kept = shared_order(array)
    key = array.indptr, array.indices, array._shape[0]
    known = kept.get("key", (None, None, None))
    if key[0] is not known[0] or key[1] is not known[1] or key[2] != known[2]:
        order = numpy.argsort(array.indices, kind="stable")
        columns = rows_of(array.indptr, len(order))[order]
        kept.update(
            key=key,
            found=(
                pointers(array.indices[order], array._shape[0]).astype(array.indptr.dtype, copy=False),
                columns.astype(array.indices.dtype, copy=False),
                order,
            ),
        )
    return kept["found"]


def column_product(array, other):
    """The product of compressed columns with a vector or a matrix; None where there is no kernel for it."""
    if other.dtype != array.data.dtype or other.dtype.char not in "fdFD":
        return None
    if other.ndim not in (1, 2) or other.shape[0] != array._shape[1] or not len(array.indices):
        return None
    indptr, columns, order = by_rows(array)
    return product(indptr, columns, array.data[order], other, *array._shape)
