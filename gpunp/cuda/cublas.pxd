"""Matrix products through cuBLAS, loaded at first use."""
from libc.stdint cimport int64_t
from gpunp.device cimport Device

# A matrix operand: element strides of its rows, columns and batch.
cdef struct Matrix:
    void* data
    int64_t row_stride
    int64_t column_stride
    int64_t batch_stride

# How products of single precision are computed: in IEEE arithmetic, with factors rounded to TF32, or emulated by
# bfloat16 products, which fall back to IEEE arithmetic where the GPU or the library lacks the emulation.
cdef enum Precision:
    IEEE
    TF32
    BF16X9

# Whether gemm takes these strides as they are: rows or columns contiguous and not overlapping. An output
# needs contiguous rows.
cdef bint gemm_takes(int64_t rows, int64_t columns, int64_t row_stride, int64_t column_stride,
                     bint output) noexcept nogil

# c[i] = alpha * a[i] @ b[i] + beta * c[i] for every i in the batch, queued on the device's current stream;
# c is m x n and k is the inner extent, at least 1. dtype codes: F2, F4, F8, C8, C16. A batch stride of 0 repeats
# an input. Raises ValueError for strides that gemm_takes refuses.
cdef int gemm(Device device, int code, int64_t m, int64_t n, int64_t k,
              const Matrix* a, const Matrix* b, const Matrix* c, int64_t batch, double alpha=*,
              double beta=*, Precision precision=*) except -1

# Solve in place with a triangular matrix, all in column-major order: op(a) x = b if left, else x op(a) = b, where b
# is m x n. op is 0 for a, 1 for its transpose, 2 for its adjoint; unit takes the diagonal for ones. With batch 0
# the addresses are those of one system, otherwise of arrays on the device of as many addresses.
cdef int trsm(Device device, int code, bint left, bint upper, int op, bint unit, int64_t m, int64_t n,
              const void* a, int64_t lda, void* b, int64_t ldb, int64_t batch) except -1
