"""Launches of the kernels on stacks of small matrices, and plain products of two matrices."""
from libc.stdint cimport int32_t, int64_t, uint32_t
from libc.string cimport memset

import numpy

from gpunp.array.ndarray cimport MAX_NDIM, as_scalar, ndarray, new_array
from gpunp.device cimport Device, check_status
from gpunp.dtype_codes cimport F2, F4, F8, is_inexact
from gpunp.launch cimport LOOP_BLOCK
from gpunp.status cimport (
    GPUNP_STATUS_EIGENVALUES, GPUNP_STATUS_NOT_POSITIVE_DEFINITE, GPUNP_STATUS_SINGULAR,
    GPUNP_STATUS_SINGULAR_VALUES)

from gpunp.array.transfer import host_view
from gpunp.device import register_report
from gpunp.dtype_codes import NAMES

cdef extern from "gpunp/linalg/params.h" namespace "gpunp":
    enum:
        SMALL_MATRIX, SMALL_SIDES, SMALL_VECTORS, SMALL_FULL, SMALL_UPPER, SMALL_DETERMINANT, SMALL_HEAD
        SMALL_WARP_SIDES, SMALL_TRANSPOSED, SMALL_ADJOINT, SMALL_UNIT
    cdef struct SmallMatrixParams:
        const void* a
        const void* b
        void* out
        void* second
        void* third
        void* values
        uint32_t* status
        int64_t batch, shared
        int32_t m, n, sides, flags
    cdef struct InfoParams:
        const int32_t* info
        uint32_t* status
        int64_t count
        uint32_t bit

cdef extern from "gpunp/linalg/matmul_params.h" namespace "gpunp":
    enum:
        MATMUL_SMALL_BLOCK
    cdef struct MatmulSmallParams:
        const void* a
        const void* b
        void* c
        int32_t m, n, k

cdef enum:
    SHORT_PRODUCT = 1500    # multiplications on the CPU device, for which a call of BLAS would take longer

# Most rows or columns of a matrix that the kernels accept.
LIMIT = SMALL_MATRIX
VECTORS, FULL, UPPER, DETERMINANT = SMALL_VECTORS, SMALL_FULL, SMALL_UPPER, SMALL_DETERMINANT
TRANSPOSED, ADJOINT, UNIT = SMALL_TRANSPOSED, SMALL_ADJOINT, SMALL_UNIT
SINGULAR, NOT_POSITIVE_DEFINITE = GPUNP_STATUS_SINGULAR, GPUNP_STATUS_NOT_POSITIVE_DEFINITE
_SMALL_SYMBOLS = {code: f"matmul_small_{name}" for code, name in enumerate(NAMES)}
EIGENVALUES, SINGULAR_VALUES = GPUNP_STATUS_EIGENVALUES, GPUNP_STATUS_SINGULAR_VALUES

# Kernels whose errors are reported for a function of another name.
_CALLS = {"triangular": "solve_triangular", "factor": "lu_factor"}

register_report(GPUNP_STATUS_SINGULAR, numpy.linalg.LinAlgError, "Singular matrix")
register_report(GPUNP_STATUS_NOT_POSITIVE_DEFINITE, numpy.linalg.LinAlgError, "Matrix is not positive definite")
register_report(GPUNP_STATUS_EIGENVALUES, numpy.linalg.LinAlgError, "Eigenvalues did not converge")
register_report(GPUNP_STATUS_SINGULAR_VALUES, numpy.linalg.LinAlgError, "SVD did not converge")


cdef int64_t _shared_bytes(str name, int itemsize, int64_t m, int64_t n, int64_t sides, int flags) except -1:
    """Bytes of shared memory per block; must match the layout in the kernels."""
    cdef int64_t elements, tall = max(m, n), short = min(m, n)
    cdef bint vectors = flags & SMALL_VECTORS
    if name == "solve" or name == "triangular":
        elements = n * ((n + min(sides, <int64_t>SMALL_SIDES)) | 1)
    elif name == "cholesky" or name == "factor":
        elements = m * (n | 1)
    elif name == "qr":
        elements = (n + sides) * (m | 1) + SMALL_MATRIX
    elif name == "eigh":
        elements = n * (n | 1) * (2 if vectors else 1) + 2 * SMALL_MATRIX
    elif name == "svd":
        elements = (tall if vectors and flags & SMALL_FULL else short) * (tall | 1) + 4 * SMALL_MATRIX
        if vectors:
            elements += short * (short | 1)
    else:
        raise ValueError(f"no kernel named {name!r} for small matrices")
    return SMALL_HEAD + elements * itemsize


def takes(str name, ndarray a not None, int64_t sides=0, int flags=0):
    """Whether matrices of this size fit the kernel and the shared memory of the device of ``a``."""
    cdef int64_t m = a.shape_[a.ndim_ - 2], n = a.shape_[a.ndim_ - 1]
    if max(m, n) > SMALL_MATRIX:
        return False
    if a.device_.is_cpu:
        return True
    return _shared_bytes(name, a.itemsize_, m, n, sides, flags) <= a.device_.shared_memory_per_block


def is_batched(ndarray a not None):
    """Whether one batched call of cuSOLVER for the Cholesky factors of a stack is faster than one per matrix."""
    return a.shape_[0] > 1 and a.shape_[2] <= a.device_.tuning.cholesky_batched_rows


def run(str name, ndarray a not None, ndarray b=None, ndarray out=None, ndarray second=None,
        ndarray third=None, ndarray values=None, int64_t sides=0, int flags=0, bint report=True):
    """Run a kernel on every matrix of a contiguous (batch, m, n) stack.

    The arrays are those of ``SmallMatrixParams``.
    """
    cdef Device device = a.device_
    cdef SmallMatrixParams p
    cdef int64_t largest
    cdef unsigned int block, parts = 1
    check_status(device)
    if a.size_ == 0:
        return
    memset(&p, 0, sizeof(p))
    p.batch, p.m, p.n = a.shape_[0], a.shape_[1], a.shape_[2]
    p.sides, p.flags = sides, flags
    p.a = a.data_ptr()
    if b is not None:
        p.b = b.data_ptr()
    if out is not None:
        p.out = out.data_ptr()
    if second is not None:
        p.second = second.data_ptr()
    if third is not None:
        p.third = third.data_ptr()
    if values is not None:
        p.values = values.data_ptr()
    if report:
        p.status = device.report_word(_CALLS.get(name, "inv" if name == "solve" and b is None else name))
    p.shared = _shared_bytes(name, a.itemsize_, p.m, p.n, sides, flags)
    largest = max(p.m, p.n)
    block = 32 if largest <= 8 else (64 if largest <= 16 else (128 if largest <= 32 else 256))
    if name == "solve" or name == "triangular":
        parts = <unsigned int>max((sides + SMALL_SIDES - 1) // SMALL_SIDES, <int64_t>1)
    element = NAMES[a.code]
    if name == "solve" and b is not None and not device.is_cpu and sides <= SMALL_WARP_SIDES:
        if largest <= 32 and (a.code == F4 or a.code == F8):
            return _run_warps(device, 32, a.itemsize_, element, &p)
        if a.code == F4:
            return _run_warps(device, 64, a.itemsize_, element, &p)
    device.launch(device.kernel("linalg_" + element, f"{name}_{element}"),
                  <unsigned int>min(p.batch, <int64_t>1 << 30),
                  parts, 1, block, <unsigned int>p.shared, &p, sizeof(p))


cdef int _run_warps(Device device, int size, int itemsize, str element, SmallMatrixParams* p) except -1:
    """Solve systems with few right-hand sides, each matrix (up to ``size`` rows) in the registers of a warp."""
    # The row stride in shared memory is an odd number of 16-byte vectors, against bank conflicts.
    cdef int vectors = (size + SMALL_WARP_SIDES) * itemsize // 16 | 1
    return device.launch(device.kernel("linalg_" + element, f"solve_{size}_{element}"),
                         <unsigned int>min(p.batch, <int64_t>1 << 30), 1, 1, 32,
                         <unsigned int>(size * vectors * 16), p, sizeof(p[0]))


def report_info(ndarray info not None, uint32_t bit, str call not None):
    """Set the status bit of an error of ``call`` if any of the library's info values is nonzero."""
    cdef Device device = info.device_
    cdef InfoParams p
    if info.size_ == 0:
        return
    p.info = <const int32_t*>info.data_ptr()
    p.status = device.report_word(call)
    p.count = info.size_
    p.bit = bit
    device.launch(device.kernel("linalg_info", "report_info"), 1, 1, 1, LOOP_BLOCK, 0, &p, sizeof(p))


cdef inline int _multiply(ndarray a, ndarray b, ndarray c, bint small) except -1:
    """Compute c = a @ b for C-ordered arrays; ``small`` products use our kernel instead of cuBLAS."""
    if a.device_.is_cpu:
        numpy.matmul(host_view(a), host_view(b), out=host_view(c))
        return 0
    check_status(a.device_)
    if small:
        return multiply_small(a, b, c)
    if product_hooks.multiply == NULL:
        __import__("gpunp.linalg.cublas")  # sets the hook
    product_hooks.multiply(a, b, c)
    return 0


ctypedef fused Real:
    double
    float


cdef void _multiply_short(const Real* a, const char* b, Real* c, Py_ssize_t rows, Py_ssize_t columns, ndarray left,
                          ndarray right) noexcept:
    """The product of matrices or vectors, each element by four sums, as that of two vectors in `ufunc.operators`."""
    cdef Py_ssize_t row, column, i, k = right.shape_[0]
    cdef Py_ssize_t down = left.strides_[0], along = left.strides_[left.ndim_ - 1]
    cdef Py_ssize_t below = right.strides_[0], beside = right.strides_[right.ndim_ - 1]
    cdef const char* x
    cdef const char* y
    cdef double[4] sums
    for row in range(rows):
        for column in range(columns):
            sums[0] = sums[1] = sums[2] = sums[3] = 0
            x, y = <const char*>a + row * down, b + column * beside
            for i in range(k):
                sums[i & 3] += <double>(<const Real*>(x + i * along))[0] * (<const Real*>(y + i * below))[0]
            c[row * columns + column] = <Real>((sums[0] + sums[1]) + (sums[2] + sums[3]))


def product(left, right):
    """``left @ right`` for arrays of one or two dimensions and one inexact dtype, on a GPU in C order; else None."""
    cdef ndarray a, b, c
    cdef Py_ssize_t[2] shape
    cdef Py_ssize_t rows, columns
    cdef int ndim = 0
    if type(left) is not ndarray or type(right) is not ndarray:
        return None
    a, b = <ndarray>left, <ndarray>right
    if (a.code != b.code or a.device_ is not b.device_
            or not (a.c_contiguous and b.c_contiguous or a.device_.is_cpu)
            or a.ndim_ < 1 or b.ndim_ < 1 or a.ndim_ > 2 or b.ndim_ > 2 or a.size_ == 0 or b.size_ == 0
            or a.shape_[a.ndim_ - 1] != b.shape_[0] or not is_inexact(a.code)):
        return None
    if a.ndim_ == 2:
        shape[0] = a.shape_[0]
        ndim = 1
    if b.ndim_ == 2:
        shape[ndim] = b.shape_[1]
        ndim += 1
    c = new_array(a.code, ndim, shape, a.device_)
    if a.device_.is_cpu and c.size_ * a.shape_[a.ndim_ - 1] <= SHORT_PRODUCT and (a.code == F8 or a.code == F4):
        rows, columns = shape[0] if a.ndim_ == 2 else 1, b.shape_[1] if b.ndim_ == 2 else 1
        if a.code == F8:
            _multiply_short(<const double*>a.read_ptr(), b.read_ptr(), <double*>c._data, rows, columns, a, b)
        else:
            _multiply_short(<const float*>a.read_ptr(), b.read_ptr(), <float*>c._data, rows, columns, a, b)
        return as_scalar(c)
    _multiply(a, b, c, a.shape_[a.ndim_ - 1] <= a.device_.tuning.product_terms
              and c.size_ <= a.device_.tuning.product_elements and a.code != F2)
    return as_scalar(c)


def stacked_product(left, right):
    """``left @ right`` for C-ordered stacks of equal batch shape and one inexact dtype, else None."""
    cdef ndarray a, b, c
    cdef Py_ssize_t[MAX_NDIM] shape
    cdef int ndim, d
    if type(left) is not ndarray or type(right) is not ndarray:
        return None
    a, b = <ndarray>left, <ndarray>right
    ndim = a.ndim_
    if (ndim < 3 or b.ndim_ != ndim or a.code != b.code or not is_inexact(a.code) or a.device_ is not b.device_
            or not a.c_contiguous or not b.c_contiguous or a.size_ == 0 or b.size_ == 0
            or a.shape_[ndim - 1] != b.shape_[ndim - 2]):
        return None
    for d in range(ndim - 2):
        if a.shape_[d] != b.shape_[d]:
            return None
        shape[d] = a.shape_[d]
    shape[ndim - 2], shape[ndim - 1] = a.shape_[ndim - 2], b.shape_[ndim - 1]
    c = new_array(a.code, ndim, shape, a.device_)
    _multiply(a, b, c, False)
    return c


cpdef int multiply_small(ndarray a, ndarray b, ndarray c) except -1:
    """Compute c = a @ b for C-ordered matrices or vectors, with one thread per element of c."""
    cdef MatmulSmallParams p
    cdef Device device = c.device_
    p.a, p.b, p.c = a.data_ptr(), b.data_ptr(), c.data_ptr()
    p.m = <int32_t>a.shape_[0] if a.ndim_ == 2 else 1
    p.n = <int32_t>b.shape_[1] if b.ndim_ == 2 else 1
    p.k = <int32_t>b.shape_[0]
    return device.launch(device.kernel("products", _SMALL_SYMBOLS[c.code]),
                         (p.m * p.n + MATMUL_SMALL_BLOCK - 1) // MATMUL_SMALL_BLOCK, 1, 1, MATMUL_SMALL_BLOCK, 0,
                         &p, sizeof(p))
