"""Products of stacks of floating point matrices, and triangular systems, through cuBLAS."""
from libc.stdint cimport int64_t

from gpunp.array.ndarray cimport ndarray
from gpunp.cuda.cublas cimport BF16X9, IEEE, TF32, Matrix, Precision, gemm, gemm_takes, trsm
from gpunp.device cimport check_status
from gpunp.dtype_codes cimport C8, F4, is_complex
from gpunp.linalg.batches cimport Batches, inner_count, inner_stride, next_batch, open_batches
from gpunp.linalg.engine cimport product_hooks

from gpunp.dispatch.policy import changed, config

cdef set _changed = changed


cdef Precision _precision(int code) except *:
    """The precision that ``config.matmul_precision`` selects for products of a dtype."""
    if code != F4 and code != C8 or "matmul_precision" not in _changed:
        return IEEE
    wanted = config.matmul_precision
    return TF32 if wanted == "tf32" else BF16X9 if wanted == "bf16x9" else IEEE


def takes(ndarray matrix not None, bint output=False):
    """Whether cuBLAS can read (``output``: write) a stack of matrices with these strides; otherwise copy it."""
    cdef int ndim = matrix.ndim_, itemsize = matrix.itemsize_, d
    cdef int64_t span = itemsize
    for d in range(ndim):
        if matrix.strides_[d] % itemsize:
            return False
    for d in range(ndim - 2, ndim):
        span += (matrix.shape_[d] - 1) * abs(matrix.strides_[d])
    # cuBLAS rejects some batches whose matrices interleave or have negative batch strides.
    for d in range(ndim - 2):
        if matrix.shape_[d] > 1 and matrix.strides_[d] and matrix.strides_[d] < span:
            return False
    return gemm_takes(matrix.shape_[ndim - 2], matrix.shape_[ndim - 1], matrix.strides_[ndim - 2] // itemsize,
                      matrix.strides_[ndim - 1] // itemsize, output)


cdef void _describe(Matrix* target, ndarray matrix, int64_t batch_stride) noexcept:
    cdef int ndim = matrix.ndim_
    target.row_stride = matrix.strides_[ndim - 2] // matrix.itemsize_
    target.column_stride = matrix.strides_[ndim - 1] // matrix.itemsize_
    target.batch_stride = batch_stride // matrix.itemsize_


def multiply(ndarray a not None, ndarray b not None, ndarray c not None):
    """Compute c = a @ b for stacks of one dtype with equal batch dimensions; `takes` must hold for each."""
    cdef Matrix[3] matrices
    cdef Batches batches
    cdef char* data[3]
    cdef int64_t m, n, k
    cdef Precision precision = _precision(c.code)
    check_status(c.device_)
    if c.size_ == 0:
        return
    m, n, k = c.shape_[c.ndim_ - 2], c.shape_[c.ndim_ - 1], a.shape_[a.ndim_ - 1]
    open_batches(&batches, a, b, c)
    _describe(&matrices[0], a, inner_stride(&batches, 0))
    _describe(&matrices[1], b, inner_stride(&batches, 1))
    _describe(&matrices[2], c, inner_stride(&batches, 2))
    data[0], data[1], data[2] = a.data_ptr(), b.data_ptr(), c.data_ptr()
    while True:
        matrices[0].data, matrices[1].data, matrices[2].data = data[0], data[1], data[2]
        gemm(c.device_, c.code, m, n, k, &matrices[0], &matrices[1], &matrices[2], inner_count(&batches), 1, 0,
             precision)
        if not next_batch(&batches, data):
            break


cdef int _multiply_plain(ndarray a, ndarray b, ndarray c) except -1:
    cdef Matrix[3] matrices
    cdef int64_t m = a.shape_[a.ndim_ - 2] if a.ndim_ > 1 else 1, k = a.shape_[a.ndim_ - 1]
    cdef int64_t n = b.shape_[b.ndim_ - 1] if b.ndim_ > 1 else 1
    matrices[0] = Matrix(a.data_ptr(), k, 1, m * k)
    matrices[1] = Matrix(b.data_ptr(), n, 1, k * n)
    matrices[2] = Matrix(c.data_ptr(), n, 1, m * n)
    return gemm(c.device_, c.code, m, n, k, &matrices[0], &matrices[1], &matrices[2], c.size_ // (m * n), 1, 0,
                _precision(c.code))


def triangular(ndarray a not None, ndarray b not None, bint upper, int op, bint unit, ndarray places=None):
    """Solve op(a) x = b in place for contiguous stacks: (batch, n, n), and (batch, n, sides) of the same dtype.

    Parameters
    ----------
    a, b : ndarray
    upper : bool
        Which triangle of a is read.
    op : {0, 1, 2}
        a itself, its transpose, or its adjoint.
    unit : bool
        Whether ones take the place of the diagonal.
    places : ndarray, optional
        The addresses of the matrices of a, then of those of b, as 64-bit integers on the device. The stack is
        then solved in one call.
    """
    cdef int64_t n = a.shape_[2], sides = b.shape_[2], i, batch = a.shape_[0]
    cdef char* left
    cdef char* right
    check_status(a.device_)
    if b.size_ == 0:
        return
    # cuBLAS sees transposes: x^T op(a)^T = b^T. A single column is the same in both orders, and a solution from
    # the left; only the conjugate without transposition is no operation of cuBLAS.
    cdef bint left_side = sides == 1 and not (op == 2 and is_complex(a.code))
    cdef int turned = (0 if op else 1) if left_side else op
    cdef int64_t rows = n if left_side else sides, columns = 1 if left_side else n
    if places is not None:
        left = places.data_ptr()
        trsm(a.device_, a.code, left_side, not upper, turned, unit, rows, columns, left, n,
             left + batch * sizeof(int64_t), rows, batch)
        return
    for i in range(batch):
        left, right = a.data_ptr() + i * a.strides_[0], b.data_ptr() + i * b.strides_[0]
        trsm(a.device_, a.code, left_side, not upper, turned, unit, rows, columns, left, n, right, rows, 0)


product_hooks.multiply = _multiply_plain
