"""Matrix products through cuBLAS, loaded at first use.

One handle per device serves every thread. Its lock is held from setting the stream to queueing the product.
"""
cimport cython
from libc.stdint cimport int64_t
from cuda.bindings.cydriver cimport CUstream

from gpunp.cuda.driver cimport MAX_DEVICES, primary_context, use_context
from gpunp.cuda.event cimport host_calls
from gpunp.cuda.library cimport Library
from gpunp.cuda.queueing cimport unlocked_call
from gpunp.cuda.stream cimport current_stream
from gpunp.device cimport Device
from gpunp.dtype_codes cimport C16, C8, F2, F4, F8

# Values of cublas_api.h and library_types.h.
cdef enum:
    OP_N = 0
    OP_T = 1
    COMPUTE_32F = 68
    COMPUTE_64F = 70
    COMPUTE_32F_FAST_TF32 = 77
    COMPUTE_32F_EMULATED_16BFX9 = 78
    NOT_SUPPORTED = 15
    DATA_R_32F = 0
    DATA_R_64F = 1
    DATA_R_16F = 2
    DATA_C_32F = 4
    DATA_C_64F = 5
    GEMM_DEFAULT = -1
    # IEEE precision of the element type (no TF32), and half products summed in single precision.
    MATH_MODE = 16          # CUBLAS_DEFAULT_MATH | CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION

ctypedef int (*CreateFunction)(void** handle) noexcept nogil
ctypedef int (*SetStreamFunction)(void* handle, CUstream stream) noexcept nogil
ctypedef int (*SetMathModeFunction)(void* handle, int mode) noexcept nogil
ctypedef int (*VersionFunction)(void* handle, int* version) noexcept nogil
ctypedef const char* (*StatusNameFunction)(int status) noexcept nogil
ctypedef int (*GemmFunction)(
    void* handle, int op_a, int op_b, int64_t m, int64_t n, int64_t k, const void* alpha,
    const void* a, int type_a, int64_t lda, int64_t stride_a, const void* b, int type_b, int64_t ldb,
    int64_t stride_b, const void* beta, void* c, int type_c, int64_t ldc, int64_t stride_c,
    int64_t batch, int compute, int algorithm) noexcept nogil

ctypedef int (*TrsmFunction)(
    void* handle, int side, int fill, int op, int diagonal, int64_t m, int64_t n, const void* alpha, const void* a,
    int64_t lda, void* b, int64_t ldb) noexcept nogil
ctypedef int (*TrsmBatchedFunction)(
    void* handle, int side, int fill, int op, int diagonal, int64_t m, int64_t n, const void* alpha, const void* a,
    int64_t lda, void* b, int64_t ldb, int64_t batch) noexcept nogil

cdef list _handles = [None] * MAX_DEVICES
cdef Library _library = Library("cublas", "cuBLAS 13", "matrix products on CUDA need")
cdef bint _loaded = False
cdef CreateFunction _create = NULL
cdef SetStreamFunction _set_stream = NULL
cdef SetMathModeFunction _set_math_mode = NULL
cdef VersionFunction _get_version = NULL
cdef StatusNameFunction _status_name = NULL
cdef GemmFunction _gemm = NULL


cdef int _check(int status, str call) except -1:
    if status != 0:
        raise RuntimeError(f"{call} failed: {_status_name(status).decode()} ({status})")
    return 0


cdef int _load() except -1:
    global _loaded, _create, _set_stream, _set_math_mode, _get_version, _status_name, _gemm
    if _loaded:
        return 0
    _status_name = <StatusNameFunction>_library.function("cublasGetStatusName")
    _create = <CreateFunction>_library.function("cublasCreate_v2")
    _set_stream = <SetStreamFunction>_library.function("cublasSetStream_v2")
    _set_math_mode = <SetMathModeFunction>_library.function("cublasSetMathMode")
    _get_version = <VersionFunction>_library.function("cublasGetVersion_v2")
    _gemm = <GemmFunction>_library.function("cublasGemmStridedBatchedEx_64")
    _loaded = True
    return 0


cdef class _Handle:
    """The library's state for one device, and the lock of its calls. They run no Python code while they have it."""

    cdef void* handle
    cdef cython.pymutex lock


# Held while a handle is made.
cdef cython.pymutex _making


cdef _Handle _handle_of(int index):
    """The handle of a device; its context must be current."""
    cdef _Handle made
    cdef int status = 0
    if _handles[index] is None:
        _load()
        made = _Handle.__new__(_Handle)
        with _making:
            if _handles[index] is None:
                status = unlocked_call(host_calls.existing, _create, &made.handle)
                if status == 0:
                    status = _set_math_mode(made.handle, MATH_MODE)
                if status == 0:
                    _handles[index] = made
        _check(status, "cublasCreate")
    return <_Handle>_handles[index]


cdef bint gemm_takes(int64_t rows, int64_t columns, int64_t row_stride, int64_t column_stride,
                     bint output) noexcept nogil:
    if columns == 1 or column_stride == 1:
        if rows == 1 or row_stride >= max(columns, 1):
            return True
    if output:
        return False
    return (rows == 1 or row_stride == 1) and (columns == 1 or column_stride >= max(rows, 1))


cdef int _orient(const Matrix* matrix, int64_t rows, int64_t columns, int* op, int64_t* leading,
                 bint output) except -1:
    """Find op and leading dimension: cuBLAS is column-major, so it reads a row-major matrix as its transpose."""
    if not gemm_takes(rows, columns, matrix.row_stride, matrix.column_stride, output):
        raise ValueError("gemm: an operand has neither contiguous rows nor contiguous columns; copy it")
    if (columns == 1 or matrix.column_stride == 1) and (rows == 1 or matrix.row_stride >= columns):
        op[0] = OP_N
        leading[0] = columns if rows == 1 else matrix.row_stride
    else:
        op[0] = OP_T
        leading[0] = rows if columns == 1 else matrix.column_stride
    leading[0] = max(leading[0], 1)
    return 0


cdef int gemm(Device device, int code, int64_t m, int64_t n, int64_t k,
              const Matrix* a, const Matrix* b, const Matrix* c, int64_t batch, double alpha=1,
              double beta=0, Precision precision=IEEE) except -1:
    cdef int op_a = 0, op_b = 0, op_c = 0, data, compute = COMPUTE_32F
    cdef int64_t lda = 0, ldb = 0, ldc = 0
    cdef int status
    # alpha and beta as pairs of a real and an imaginary part, of which real types read only the first.
    cdef float[4] single
    cdef double[4] scalars
    cdef void* first = single
    cdef void* second = single + 2
    cdef _Handle handle
    cdef CUstream stream
    single[0], single[1], single[2], single[3] = alpha, 0, beta, 0
    scalars[0], scalars[1], scalars[2], scalars[3] = alpha, 0, beta, 0
    if code == F2:
        data = DATA_R_16F
    elif code == F4:
        data = DATA_R_32F
    elif code == C8:
        data = DATA_C_32F
    elif code == F8 or code == C16:
        data = DATA_R_64F if code == F8 else DATA_C_64F
        compute = COMPUTE_64F
        first, second = scalars, scalars + 2
    else:
        raise TypeError(f"gemm: dtype code {code} is not a floating point or complex type")
    if m == 0 or n == 0 or batch == 0:
        return 0
    if code == F4 or code == C8:
        compute = (COMPUTE_32F_FAST_TF32 if precision == TF32 else
                   COMPUTE_32F_EMULATED_16BFX9 if precision == BF16X9 else COMPUTE_32F)
    _orient(a, m, k, &op_a, &lda, False)
    _orient(b, k, n, &op_b, &ldb, False)
    _orient(c, m, n, &op_c, &ldc, True)
    device.flush()
    use_context(primary_context(device.index))
    handle = _handle_of(device.index)
    stream = current_stream(device.index).handle
    with handle.lock:
        status = _set_stream(handle.handle, stream)
        while status == 0:
            # The transposed problem, column-major: c^T = b^T a^T.
            status = unlocked_call(host_calls.existing, _gemm, handle.handle, op_b, op_a, n, m, k, first, b.data, data,
                                   ldb, b.batch_stride, a.data, data, lda, a.batch_stride, second, c.data, data, ldc,
                                   c.batch_stride, batch, compute, GEMM_DEFAULT)
            if status != NOT_SUPPORTED or compute != COMPUTE_32F_EMULATED_16BFX9:
                break
            # The library or the device lacks the emulation; IEEE arithmetic is as exact.
            status, compute = 0, COMPUTE_32F
    return _check(status, "cublasGemmStridedBatchedEx")


cdef int trsm(Device device, int code, bint left, bint upper, int op, bint unit, int64_t m, int64_t n,
              const void* a, int64_t lda, void* b, int64_t ldb, int64_t batch) except -1:
    cdef float[2] single
    cdef double[2] double_
    cdef void* one = <void*>single if code == F4 or code == C8 else <void*>double_
    cdef int side = not left, status
    cdef _Handle handle
    cdef CUstream stream
    cdef void* call
    cdef str letter = {F4: "S", F8: "D", C8: "C", C16: "Z"}[code]
    single[0], single[1] = 1, 0
    double_[0], double_[1] = 1, 0
    if m == 0 or n == 0:
        return 0
    device.flush()
    use_context(primary_context(device.index))
    call = _library.function(f"cublas{letter}trsmBatched_64" if batch else f"cublas{letter}trsm_v2_64")
    handle = _handle_of(device.index)
    stream = current_stream(device.index).handle
    with handle.lock:
        status = _set_stream(handle.handle, stream)
        if status == 0 and batch:
            status = unlocked_call(host_calls.existing, <TrsmBatchedFunction>call, handle.handle, side, upper, op, unit,
                                   m, n, one, a, lda, b, ldb, batch)
        elif status == 0:
            status = unlocked_call(host_calls.existing, <TrsmFunction>call, handle.handle, side, upper, op, unit, m, n,
                                   one, a, lda, b, ldb)
    return _check(status, f"cublas{letter}trsm")


def version(device=0):
    """Return the version of cuBLAS, 130000 for 13.0.0; loads the library."""
    cdef int value = 0
    use_context(primary_context(device))
    _check(_get_version(_handle_of(device).handle, &value), "cublasGetVersion")
    return value
