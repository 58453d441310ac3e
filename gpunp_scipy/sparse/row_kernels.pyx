"""Launches of the kernels that multiply compressed rows with dense arrays."""
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memset

from gpunp.array.ndarray cimport ndarray, new_array
from gpunp.device cimport Device, check_status
from gpunp.dtype_codes cimport C8, C16, F4, F8, I4, I8

cdef extern from "gpunp/sparse/rows_params.h" namespace "gpunp":
    enum:
        ROWS_BLOCK "gpunp::ROWS_BLOCK"
        ROWS_TILE "gpunp::ROWS_TILE"
        ROWS_WARP_TILE "gpunp::ROWS_WARP_TILE"
        ROWS_WIDE_ITEMSIZE "gpunp::ROWS_WIDE_ITEMSIZE"
    cdef struct RowsParams:
        const void* indptr
        const void* indices
        const void* data
        const void* x
        void* y
        int64_t rows, columns, entries, vectors
        int32_t lanes, add
        int64_t tile, tiles
        int64_t* open_row
        void* open_sum

cdef enum:
    BLOCKS_PER_MULTIPROCESSOR = 32  # groups of which loop over more rows
    FEWEST_SHARED = 1 << 15         # rows and entries that are shared out; for fewer, a second launch costs more

# As in kernels/codegen/sparse.py.
cdef dict _VALUES = {F4: "f4", F8: "f8", C8: "c8", C16: "c16"}
cdef dict _INDICES = {I4: "i4", I8: "i8"}


def has_kernel(ndarray indptr not None, ndarray indices not None, ndarray data not None, ndarray x not None,
               ndarray y not None):
    """Whether `add_product` takes arrays: contiguous, on one device, with dtypes that have a kernel."""
    return _has_kernel(indptr, indices, data, x) and y.code == data.code and y.device_ is x.device_ and y.c_contiguous


cdef bint _has_kernel(ndarray indptr, ndarray indices, ndarray data, ndarray x):
    return (
        data.code in _VALUES and data.code == x.code and indices.code in _INDICES
        and indptr.code == indices.code and indptr.device_ is data.device_ and data.device_ is x.device_
        and data.device_ is indices.device_
        and indptr.c_contiguous and indices.c_contiguous and data.c_contiguous and x.c_contiguous
    )


def add_product(ndarray indptr not None, ndarray indices not None, ndarray data not None, ndarray x not None,
                ndarray y not None, int64_t rows, int64_t columns, int64_t vectors, *, shared=None):
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
    shared : bool, optional
        Whether rows and entries are shared out evenly; by default on a GPU, if there are many.
    """
    if rows == 0 or columns == 0 or vectors == 0 or indices.size_ == 0:
        check_status(data.device_)
        return
    _launch(indptr, indices, data, x, y, rows, columns, vectors, True, shared)


def product(ndarray indptr not None, ndarray indices not None, ndarray data not None, ndarray x not None,
            int64_t rows, int64_t columns):
    """The product of compressed rows with a vector or a matrix; None where there is no kernel for it."""
    cdef Py_ssize_t[2] shape
    cdef ndarray y
    if x.ndim_ < 1 or x.ndim_ > 2 or x.shape_[0] != columns or not _has_kernel(indptr, indices, data, x):
        return None
    shape[0], shape[1] = rows, 1
    if x.ndim_ == 2:
        shape[1] = x.shape_[1]
    if rows == 0 or columns == 0 or shape[1] == 0 or indices.size_ == 0:
        return None
    y = new_array(data.code, x.ndim_, shape, data.device_)
    _launch(indptr, indices, data, x, y, rows, columns, shape[1], False, None)
    return y


cdef int _launch(ndarray indptr, ndarray indices, ndarray data, ndarray x, ndarray y, int64_t rows,
                 int64_t columns, int64_t vectors, bint add, shared) except -1:
    cdef Device device = data.device_
    cdef RowsParams p
    cdef int64_t mean, groups
    cdef bint is_matrix = vectors > 1
    check_status(device)
    if indptr.size_ <= rows or x.size_ < columns * vectors or y.size_ < rows * vectors or data.size_ < indices.size_:
        raise ValueError("arrays are too short")
    memset(&p, 0, sizeof(p))
    p.indptr, p.indices, p.data = <void*>indptr.data_ptr(), <void*>indices.data_ptr(), <void*>data.data_ptr()
    p.x, p.y, p.add = <void*>x.data_ptr(), <void*>y.data_ptr(), add
    p.rows, p.columns, p.entries, p.vectors, p.lanes = rows, columns, indices.size_, vectors, 1
    # As many threads as a row has entries on average, at most a warp; or columns of the result.
    mean = vectors if is_matrix else (p.entries + rows - 1) // rows
    while p.lanes < 32 and 2 * p.lanes <= mean:
        p.lanes *= 2
    kinds = "matrix_" if is_matrix else "vector_"
    name = _VALUES[data.code] + "_" + _INDICES[indices.code]
    if shared is None:
        shared = not device.is_cpu and rows + p.entries >= FEWEST_SHARED
    if shared:
        return _launch_shares(device, &p, data, "sparse_" + kinds + "shares_" + name)
    groups = ROWS_BLOCK // p.lanes
    device.launch(device.kernel("sparse_rows", "sparse_" + kinds + name),
                  <unsigned int>min((rows + groups - 1) // groups,
                                    <int64_t>device.multiprocessors * BLOCKS_PER_MULTIPROCESSOR),
                  1, 1, ROWS_BLOCK, 0, &p, sizeof(p))
    return 0


cdef int _launch_shares(Device device, RowsParams* p, ndarray data, str name) except -1:
    """Launch the kernel that takes equal shares, and the one that adds up what they leave of rows."""
    cdef Py_ssize_t[2] shape
    cdef ndarray open_row, open_sum
    cdef int64_t blocks
    if p.vectors > 1:
        p.tile = ROWS_WARP_TILE * (32 // p.lanes)
    else:
        p.tile = ROWS_TILE if data.itemsize_ < ROWS_WIDE_ITEMSIZE else ROWS_TILE // 2
    p.tiles = (p.rows + p.entries + p.tile - 1) // p.tile
    shape[0], shape[1] = p.tiles, p.vectors
    open_row, open_sum = new_array(I8, 1, shape, device), new_array(data.code, 2, shape, device)
    p.open_row, p.open_sum = <int64_t*>open_row.data_ptr(), <void*>open_sum.data_ptr()
    blocks = p.tiles if p.vectors == 1 else (p.tiles + ROWS_BLOCK // 32 - 1) // (ROWS_BLOCK // 32)
    device.launch(device.kernel("sparse_rows", name), <unsigned int>blocks, 1, 1, ROWS_BLOCK, 0, p, sizeof(RowsParams))
    blocks = (p.tiles * p.vectors + ROWS_BLOCK - 1) // ROWS_BLOCK
    device.launch(device.kernel("sparse_rows", "sparse_close_" + _VALUES[data.code]), <unsigned int>blocks, 1, 1,
                  ROWS_BLOCK, 0, p, sizeof(RowsParams))
    return 0
