"""Products of integer and boolean matrices by our own kernel."""
from libc.stdint cimport int64_t

from gpunp.array.ndarray cimport ndarray
from gpunp.device cimport Device, Kernel, check_status
from gpunp.linalg.batches cimport Batches, inner_count, inner_stride, next_batch, open_batches
from gpunp.dtype_codes import NAMES

cdef extern from "gpunp/linalg/matmul_params.h" namespace "gpunp":
    enum:
        MATMUL_INTEGER_BLOCK, MATMUL_INTEGER_TILE
    cdef struct MatmulIntegerParams:
        const void* a
        const void* b
        void* c
        int64_t m
        int64_t n
        int64_t k
        int64_t batch
        int64_t a_strides[3]
        int64_t b_strides[3]
        int64_t c_strides[3]

cdef enum:
    MAX_GRID_Y = 65535


cdef void _set_strides(int64_t* target, ndarray matrix, int64_t batch_stride) noexcept:
    cdef int ndim = matrix.ndim_
    target[0] = matrix.strides_[ndim - 2] // matrix.itemsize_
    target[1] = matrix.strides_[ndim - 1] // matrix.itemsize_
    target[2] = batch_stride // matrix.itemsize_


def multiply(ndarray a not None, ndarray b not None, ndarray c not None):
    """Compute c = a @ b for stacks of one dtype with equal batch dimensions and any strides."""
    cdef MatmulIntegerParams params
    cdef Batches batches
    cdef char* data[3]
    cdef Device device = c.device_
    cdef int64_t row_tiles
    check_status(device)
    if c.size_ == 0:
        return
    name = NAMES[c.code]
    cdef Kernel kernel = device.kernel("products", "matmul_" + name)
    open_batches(&batches, a, b, c)
    params.m = c.shape_[c.ndim_ - 2]
    params.n = c.shape_[c.ndim_ - 1]
    params.k = a.shape_[a.ndim_ - 1]
    params.batch = inner_count(&batches)
    _set_strides(params.a_strides, a, inner_stride(&batches, 0))
    _set_strides(params.b_strides, b, inner_stride(&batches, 1))
    _set_strides(params.c_strides, c, inner_stride(&batches, 2))
    row_tiles = (params.m + MATMUL_INTEGER_TILE - 1) // MATMUL_INTEGER_TILE
    data[0], data[1], data[2] = a.data_ptr(), b.data_ptr(), c.data_ptr()
    while True:
        params.a = data[0]
        params.b = data[1]
        params.c = data[2]
        device.launch(kernel, (params.n + MATMUL_INTEGER_TILE - 1) // MATMUL_INTEGER_TILE,
                      min(row_tiles * params.batch, <int64_t>MAX_GRID_Y), 1,
                      MATMUL_INTEGER_BLOCK, 0, &params, sizeof(params))
        if not next_batch(&batches, data):
            break
