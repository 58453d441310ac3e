"""Launches of the kernels that multiply compressed rows with dense arrays."""
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memset

from gpunp.array.ndarray cimport ndarray
from gpunp.device cimport Device, check_status
from gpunp.dtype_codes cimport C8, C16, F4, F8, I4, I8

cdef extern from "gpunp/sparse/rows_params.h" namespace "gpunp":
    enum:
        ROWS_BLOCK "gpunp::ROWS_BLOCK"
    cdef struct RowsParams:
        const void* indptr
        const void* indices
        const void* data
        const void* x
        void* y
        int64_t rows, columns, entries, vectors
        int32_t lanes

cdef enum:
    BLOCKS_PER_MULTIPROCESSOR = 32  # groups of which loop over more rows

# As in kernels/codegen/sparse.py.
cdef dict _VALUES = {F4: "f4", F8: "f8", C8: "c8", C16: "c16"}
cdef dict _INDICES = {I4: "i4", I8: "i8"}


def has_kernel(ndarray indptr not None, ndarray indices not None, ndarray data not None, ndarray x not None,
               ndarray y not None):
    """Whether `add_product` takes arrays: contiguous, on one device, with dtypes that have a kernel."""
    return (
        data.code in _VALUES and data.code == x.code == y.code and indices.code in _INDICES
        and indptr.code == indices.code and indptr.device_ is data.device_ is x.device_ is y.device_
        and all(a.flags.c_contiguous for a in (indptr, indices, data, x, y))
    )


def add_product(ndarray indptr not None, ndarray indices not None, ndarray data not None, ndarray x not None,
                ndarray y not None, int64_t rows, int64_t columns, int64_t vectors):
    """Add the product of compressed rows with some vectors.

    Parameters
    ----------
    indptr, indices, data : ndarray
        The rows; entries in columns that do not exist are left out.
    x : ndarray
        Of columns * vectors elements, and contiguous as all arrays.
    y : ndarray
        Of rows * vectors elements; what the product is added to.
    rows, columns, vectors : int
    """
    cdef Device device = data.device_
    cdef RowsParams p
    cdef int64_t mean, groups
    check_status(device)
    if rows == 0 or vectors == 0 or indices.size_ == 0:
        return
    if indptr.size_ <= rows or x.size_ < columns * vectors or y.size_ < rows * vectors or data.size_ < indices.size_:
        raise ValueError("arrays are too short")
    memset(&p, 0, sizeof(p))
    p.indptr, p.indices, p.data = <void*>indptr.data_ptr(), <void*>indices.data_ptr(), <void*>data.data_ptr()
    p.x, p.y = <void*>x.data_ptr(), <void*>y.data_ptr()
    p.rows, p.columns, p.entries, p.vectors, p.lanes = rows, columns, indices.size_, vectors, 1
    # As many threads as a row has entries on average, at most a warp; or columns of the result.
    mean = vectors if vectors > 1 else (p.entries + rows - 1) // rows
    while p.lanes < 32 and 2 * p.lanes <= mean:
        p.lanes *= 2
    groups = ROWS_BLOCK // p.lanes
    name = ("sparse_matrix_" if vectors > 1 else "sparse_vector_") + _VALUES[data.code] + "_" + _INDICES[indices.code]
    device.launch(device.kernel("sparse_rows", name),
                  <unsigned int>min((rows + groups - 1) // groups,
                                    <int64_t>device.multiprocessors * BLOCKS_PER_MULTIPROCESSOR),
                  1, 1, ROWS_BLOCK, 0, &p, sizeof(p))
