"""Sparse triangular systems and products of sparse matrices by cuSPARSE, which is loaded at first use.

Values are those of ``cusparse.h``.

One handle per device serves every thread: the interpreter lock is held from setting the stream to queueing
the solution.
"""
from libc.stdint cimport int64_t, uintptr_t
from libc.string cimport memset
cimport cython
from cuda.bindings.cydriver cimport (
    CUcontext, CUstream, cuCtxPopCurrent, cuCtxPushCurrent, cuEventRecord, cuStreamWaitEvent)

from gpunp.cuda.driver cimport MAX_DEVICES, check, is_exiting, primary_context, use_context
from gpunp.cuda.event cimport Event
from gpunp.cuda.library cimport Library
from gpunp.cuda.pool cimport CudaBuffer
from gpunp.cuda.stream cimport Stream, current_stream, is_per_thread
from gpunp.device cimport Buffer, Device, check_status

ctypedef int (*CreateFunction)(void** made) noexcept nogil
ctypedef int (*DestroyFunction)(void* made) noexcept nogil
ctypedef int (*SetStreamFunction)(void* handle, CUstream stream) noexcept nogil
ctypedef int (*CreateRowsFunction)(
    void** matrix, int64_t rows, int64_t columns, int64_t nnz, void* start, void* indices, void* values,
    int offset_type, int index_type, int base, int value_type) noexcept nogil
ctypedef int (*SetAttributeFunction)(void* matrix, int name, void* value, size_t size) noexcept nogil
ctypedef int (*CreateVectorFunction)(void** vector, int64_t size, void* values, int value_type) noexcept nogil
ctypedef int (*CreateDenseFunction)(
    void** matrix, int64_t rows, int64_t columns, int64_t ld, void* values, int value_type,
    int order) noexcept nogil
ctypedef int (*SetValuesFunction)(void* vector, void* values) noexcept nogil
ctypedef int (*VectorSizeFunction)(
    void* handle, int op, const void* alpha, void* matrix, void* b, void* x, int compute, int algorithm,
    void* plan, size_t* size) noexcept nogil
ctypedef int (*VectorAnalysisFunction)(
    void* handle, int op, const void* alpha, void* matrix, void* b, void* x, int compute, int algorithm,
    void* plan, void* buffer) noexcept nogil
ctypedef int (*VectorSolveFunction)(
    void* handle, int op, const void* alpha, void* matrix, void* b, void* x, int compute, int algorithm,
    void* plan) noexcept nogil
ctypedef int (*SizeFunction)(
    void* handle, int op, int op_b, const void* alpha, void* matrix, void* b, void* x, int compute, int algorithm,
    void* plan, size_t* size) noexcept nogil
ctypedef int (*AnalysisFunction)(
    void* handle, int op, int op_b, const void* alpha, void* matrix, void* b, void* x, int compute, int algorithm,
    void* plan, void* buffer) noexcept nogil
ctypedef int (*SolveFunction)(
    void* handle, int op, int op_b, const void* alpha, void* matrix, void* b, void* x, int compute, int algorithm,
    void* plan) noexcept nogil
ctypedef int (*ProductStepFunction)(
    void* handle, int op, int op_b, const void* alpha, void* a, void* b, const void* beta, void* c, int compute,
    int algorithm, void* plan, size_t* size, void* buffer) noexcept nogil
ctypedef int (*ProductMemoryFunction)(
    void* handle, int op, int op_b, const void* alpha, void* a, void* b, const void* beta, void* c, int compute,
    int algorithm, void* plan, float fraction, size_t* size, void* buffer, size_t* compute_size) noexcept nogil
ctypedef int (*ProductCopyFunction)(
    void* handle, int op, int op_b, const void* alpha, void* a, void* b, const void* beta, void* c, int compute,
    int algorithm, void* plan) noexcept nogil
ctypedef int (*MatrixSizeFunction)(void* matrix, int64_t* rows, int64_t* columns, int64_t* nnz) noexcept nogil
ctypedef int (*SetPointersFunction)(void* matrix, void* start, void* indices, void* values) noexcept nogil

cdef enum:
    INDEX_32I = 2
    INDEX_64I = 3
    BASE_ZERO = 0
    COLUMN_MAJOR = 1
    FILL_MODE = 0
    DIAGONAL_TYPE = 1
    SAME = 0                # operation
    ALGORITHM = 0
    PRODUCT_WHOLE = 3       # CUSPARSE_SPGEMM_ALG1
    PRODUCT_IN_PARTS = 5    # CUSPARSE_SPGEMM_ALG3

# The part of all products of entries that is in memory at a time, if they are computed in parts.
cdef float _FRACTION = 0.15

_VALUE_TYPES = {"f": 0, "d": 1, "F": 4, "D": 5}
_OPERATIONS = {"N": 0, "T": 1, "H": 2}
_STATUS = {1: "NOT_INITIALIZED", 2: "ALLOC_FAILED", 3: "INVALID_VALUE", 4: "ARCH_MISMATCH", 5: "MAPPING_ERROR",
           6: "EXECUTION_FAILED", 7: "INTERNAL_ERROR", 8: "MATRIX_TYPE_NOT_SUPPORTED", 9: "ZERO_PIVOT",
           10: "NOT_SUPPORTED", 11: "INSUFFICIENT_RESOURCES"}

cdef Library _library = Library("cusparse", "cuSPARSE 12", "sparse triangular systems on CUDA need")
cdef void* _handles[MAX_DEVICES]


cdef int _check(int status, str call) except -1:
    if status in (2, 11):
        raise MemoryError(f"cusparse{call}: not enough memory on the device ({_STATUS[status]})")
    if status != 0:
        raise RuntimeError(f"cusparse{call} failed: {_STATUS.get(status, 'status')} ({status})")
    return 0


cdef void* _handle_of(Device device) except NULL:
    cdef int index = device.index
    check_status(device)
    use_context(primary_context(index))
    if _handles[index] == NULL:
        _check((<CreateFunction>_library.function("cusparseCreate"))(&_handles[index]), "Create")
    _check((<SetStreamFunction>_library.function("cusparseSetStream"))(
        _handles[index], current_stream(index).handle), "SetStream")
    return _handles[index]


cdef int set_one(double* number, str dtype) except -1:
    """Set a number of a dtype, with room for a complex one, to 1."""
    number[0] = number[1] = 0
    if dtype in "fF":
        (<float*>number)[0] = 1
    else:
        number[0] = 1
    return 0


@cython.no_gc_clear
cdef class TriangularPlan:
    """A triangular matrix in compressed rows, analyzed once for all systems with it.

    Solutions on several streams wait for each other, as they use the same memory.

    Parameters
    ----------
    device : Device
    n, nnz : int
        The numbers of rows and of entries; neither is 0.
    parts : tuple of int
        The addresses of row pointers, column indices and values, which do not change any more. Entries of the other
        triangle are ignored.
    keep : object
        What owns the memory of the parts.
    columns : int, optional
        How many right sides each system has.
    wide : bool
        Whether pointers and indices have 64 bits.
    dtype : {"f", "d", "F", "D"}
        The character of the values' dtype.
    lower, unit : bool
        Which triangle it is, and whether ones take the place of the diagonal.
    trans : {"N", "T", "H"}, optional
        Whether the matrix, its transpose or its adjoint is meant.
    """

    cdef void* matrix
    cdef void* b
    cdef void* x
    cdef void* plan
    cdef double[2] one
    cdef int op, kind
    cdef int64_t columns
    cdef Device device
    cdef CudaBuffer work
    cdef object keep
    # The point after the last solution, on the stream that it was queued on.
    cdef Event event
    cdef Stream last

    def __init__(self, Device device not None, int64_t n, int64_t nnz, tuple parts, keep, int64_t columns=1, *,
                 bint wide, str dtype, bint lower, bint unit, str trans="N"):
        cdef uintptr_t start = parts[0], indices = parts[1], values = parts[2]
        cdef int index_type = INDEX_64I if wide else INDEX_32I
        cdef int fill = 0 if lower else 1, diagonal = 1 if unit else 0
        cdef SetAttributeFunction set_attribute = <SetAttributeFunction>_library.function("cusparseSpMatSetAttribute")
        cdef Buffer unused
        if self.device is not None:
            raise RuntimeError("TriangularPlan: it was initialized before")
        self.kind, self.op, self.columns, self.keep = _VALUE_TYPES[dtype], _OPERATIONS[trans], columns, keep
        set_one(self.one, dtype)
        self.event = Event(timing=False, device=device)
        # The analysis gets vectors, and does not use their elements.
        unused = device.allocate(n * columns * sizeof(self.one))
        use_context(primary_context(device.index))
        self.device = device
        _check((<CreateRowsFunction>_library.function("cusparseCreateCsr"))(
            &self.matrix, n, n, nnz, <void*>start, <void*>indices, <void*>values, index_type, index_type, BASE_ZERO,
            self.kind), "CreateCsr")
        _check(set_attribute(self.matrix, FILL_MODE, &fill, sizeof(fill)), "SpMatSetAttribute")
        _check(set_attribute(self.matrix, DIAGONAL_TYPE, &diagonal, sizeof(diagonal)), "SpMatSetAttribute")
        self.describe(&self.b, n, unused.ptr)
        self.describe(&self.x, n, unused.ptr)
        _check((<CreateFunction>_library.function(
            "cusparseSpSV_createDescr" if columns == 1 else "cusparseSpSM_createDescr"))(&self.plan), "createDescr")
        self.analyze()

    cdef int describe(self, void** made, int64_t n, void* values) except -1:
        """Describe right sides or solutions."""
        if self.columns == 1:
            return _check((<CreateVectorFunction>_library.function("cusparseCreateDnVec"))(
                made, n, values, self.kind), "CreateDnVec")
        return _check((<CreateDenseFunction>_library.function("cusparseCreateDnMat"))(
            made, n, self.columns, n, values, self.kind, COLUMN_MAJOR), "CreateDnMat")

    cdef int analyze(self) except -1:
        cdef size_t size = 0
        cdef int status
        cdef void* handle = _handle_of(self.device)
        if self.columns == 1:
            status = (<VectorSizeFunction>_library.function("cusparseSpSV_bufferSize"))(
                handle, self.op, self.one, self.matrix, self.b, self.x, self.kind, ALGORITHM, self.plan, &size)
        else:
            status = (<SizeFunction>_library.function("cusparseSpSM_bufferSize"))(
                handle, self.op, SAME, self.one, self.matrix, self.b, self.x, self.kind, ALGORITHM, self.plan, &size)
        _check(status, "_bufferSize")
        self.work = self.device.allocate(max(size, 1))
        # Functions that observe allocations may have run, and other threads meanwhile.
        handle = _handle_of(self.device)
        if self.columns == 1:
            status = (<VectorAnalysisFunction>_library.function("cusparseSpSV_analysis"))(
                handle, self.op, self.one, self.matrix, self.b, self.x, self.kind, ALGORITHM, self.plan,
                self.work.ptr)
        else:
            status = (<AnalysisFunction>_library.function("cusparseSpSM_analysis"))(
                handle, self.op, SAME, self.one, self.matrix, self.b, self.x, self.kind, ALGORITHM, self.plan,
                self.work.ptr)
        _check(status, "_analysis")
        return self.mark(current_stream(self.device.index))

    cdef int mark(self, Stream stream) except -1:
        """Remember that the memory is used up to here."""
        if stream.capture is None:
            check(cuEventRecord(self.event.handle, stream.handle), "cuEventRecord")
            self.last = stream
        return 0

    def solve(self, uintptr_t b, uintptr_t x):
        """Solve systems; does not wait.

        Parameters
        ----------
        b, x : int
            The addresses of right sides and solutions, column after column; they do not overlap.
        """
        cdef void* handle = _handle_of(self.device)
        cdef Stream stream = current_stream(self.device.index)
        cdef SetValuesFunction set_values
        cdef int status
        # The default stream of a thread is another one in each thread.
        if stream.capture is None and (stream is not self.last or is_per_thread(stream)):
            check(cuStreamWaitEvent(stream.handle, self.event.handle, 0), "cuStreamWaitEvent")
        if self.columns == 1:
            set_values = <SetValuesFunction>_library.function("cusparseDnVecSetValues")
        else:
            set_values = <SetValuesFunction>_library.function("cusparseDnMatSetValues")
        _check(set_values(self.b, <void*>b), "SetValues")
        _check(set_values(self.x, <void*>x), "SetValues")
        if self.columns == 1:
            status = (<VectorSolveFunction>_library.function("cusparseSpSV_solve"))(
                handle, self.op, self.one, self.matrix, self.b, self.x, self.kind, ALGORITHM, self.plan)
        else:
            status = (<SolveFunction>_library.function("cusparseSpSM_solve"))(
                handle, self.op, SAME, self.one, self.matrix, self.b, self.x, self.kind, ALGORITHM, self.plan)
        _check(status, "_solve")
        self.mark(stream)

    def __dealloc__(self):
        cdef CUcontext context
        cdef DestroyFunction destroy
        cdef bint single = self.columns == 1
        if is_exiting() or self.device is None:
            return
        # Deallocation may run while the context of another device is current.
        cuCtxPushCurrent(primary_context(self.device.index))
        if self.plan != NULL:
            (<DestroyFunction>_library.function(
                "cusparseSpSV_destroyDescr" if single else "cusparseSpSM_destroyDescr"))(self.plan)
        destroy = <DestroyFunction>_library.function("cusparseDestroyDnVec" if single else "cusparseDestroyDnMat")
        if self.x != NULL:
            destroy(self.x)
        if self.b != NULL:
            destroy(self.b)
        if self.matrix != NULL:
            (<DestroyFunction>_library.function("cusparseDestroySpMat"))(self.matrix)
        # The memory is given back in the order of the stream that it was allocated on.
        if self.last is not None and self.work.stream.capture is None:
            if is_per_thread(self.work.stream):
                cuStreamWaitEvent(NULL, self.event.handle, 0)
            elif self.work.stream is not self.last:
                cuStreamWaitEvent(self.work.stream.handle, self.event.handle, 0)
        cuCtxPopCurrent(&context)


def is_available():
    """Whether the library is installed."""
    try:
        _library.function("cusparseCreate")
    except RuntimeError:
        return False
    return True


cdef class _Product:
    """The library's descriptions of a product of matrices in compressed rows, with indices of 32 bits."""

    cdef void* handle
    cdef void* a
    cdef void* b
    cdef void* c
    cdef void* plan
    cdef double[2] one
    cdef double[2] zero
    cdef int kind, algorithm
    cdef Device device

    def __dealloc__(self):
        cdef CUcontext context
        if is_exiting() or self.device is None:
            return
        cuCtxPushCurrent(primary_context(self.device.index))
        if self.plan != NULL:
            (<DestroyFunction>_library.function("cusparseSpGEMM_destroyDescr"))(self.plan)
        for matrix in (<uintptr_t>self.a, <uintptr_t>self.b, <uintptr_t>self.c):
            if matrix:
                (<DestroyFunction>_library.function("cusparseDestroySpMat"))(<void*><uintptr_t>matrix)
        cuCtxPopCurrent(&context)

    cdef int describe(self, void** matrix, int64_t rows, int64_t columns, int64_t nnz, tuple parts) except -1:
        cdef uintptr_t start = parts[0], indices = parts[1], values = parts[2]
        return _check((<CreateRowsFunction>_library.function("cusparseCreateCsr"))(
            matrix, rows, columns, nnz, <void*>start, <void*>indices, <void*>values, INDEX_32I, INDEX_32I, BASE_ZERO,
            self.kind), "CreateCsr")

    cdef Buffer work(self, size_t size):
        cdef Buffer buffer = self.device.allocate(max(size, 1))
        self.set_stream()
        return buffer

    cdef int set_stream(self) except -1:
        """Set the context and the stream anew: Python code has run, and perhaps products of other threads."""
        self.handle = _handle_of(self.device)
        return 0

    cdef int step(self, str name, size_t* size, void* buffer) except -1:
        return _check((<ProductStepFunction>_library.function("cusparseSpGEMM_" + name))(
            self.handle, SAME, SAME, self.one, self.a, self.b, self.zero, self.c, self.kind, self.algorithm,
            self.plan, size, buffer), "SpGEMM_" + name)

    cdef int estimate(self, size_t* size, void* buffer, size_t* compute_size) except -1:
        return _check((<ProductMemoryFunction>_library.function("cusparseSpGEMM_estimateMemory"))(
            self.handle, SAME, SAME, self.one, self.a, self.b, self.zero, self.c, self.kind, self.algorithm,
            self.plan, _FRACTION, size, buffer, compute_size), "SpGEMM_estimateMemory")


def multiply(Device device not None, tuple shape, tuple a, tuple b, uintptr_t indptr, place, *, str dtype,
             bint in_parts=False):
    """Multiply two matrices in compressed rows with indices of 32 bits.

    Raises MemoryError if the products of entries, or their number, are too large.

    Parameters
    ----------
    device : Device
    shape : tuple of int
        The rows of the first matrix, its columns, and the columns of the second one.
    a, b : tuple of int
        The number of entries, and the addresses of row pointers, column indices and values.
    indptr : int
        The address of the row pointers of the result.
    place : callable
        Gets the number of entries of the result, and returns the addresses of its indices and values.
    dtype : {"f", "d", "F", "D"}
        The character of the values' dtype.
    in_parts : bool, optional
        Whether the products of entries are computed in parts, which takes longer and needs less memory.
    """
    cdef _Product product = _Product.__new__(_Product)
    cdef size_t size = 0, compute_size = 0
    cdef int64_t rows = 0, columns = 0, nnz = 0
    cdef uintptr_t indices, values
    cdef Buffer first, second, third
    product.device, product.handle, product.kind = device, _handle_of(device), _VALUE_TYPES[dtype]
    product.algorithm = PRODUCT_IN_PARTS if in_parts else PRODUCT_WHOLE
    set_one(product.one, dtype)
    memset(product.zero, 0, sizeof(product.zero))
    product.describe(&product.a, shape[0], shape[1], a[0], a[1:])
    product.describe(&product.b, shape[1], shape[2], b[0], b[1:])
    product.describe(&product.c, shape[0], shape[2], 0, (indptr, 0, 0))
    _check((<CreateFunction>_library.function("cusparseSpGEMM_createDescr"))(&product.plan), "SpGEMM_createDescr")
    product.step("workEstimation", &size, NULL)
    first = product.work(size)
    product.step("workEstimation", &size, first.ptr)
    if in_parts:
        size = 0
        product.estimate(&size, NULL, NULL)
        third = product.work(size)
        product.estimate(&size, third.ptr, &compute_size)
        third = None
    else:
        product.step("compute", &compute_size, NULL)
    second = product.work(compute_size)
    product.step("compute", &compute_size, second.ptr)
    _check((<MatrixSizeFunction>_library.function("cusparseSpMatGetSize"))(product.c, &rows, &columns, &nnz),
           "SpMatGetSize")
    indices, values = place(nnz)
    product.set_stream()
    _check((<SetPointersFunction>_library.function("cusparseCsrSetPointers"))(
        product.c, <void*>indptr, <void*>indices, <void*>values), "CsrSetPointers")
    _check((<ProductCopyFunction>_library.function("cusparseSpGEMM_copy"))(
        product.handle, SAME, SAME, product.one, product.a, product.b, product.zero, product.c, product.kind,
        product.algorithm, product.plan), "SpGEMM_copy")
