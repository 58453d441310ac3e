"""Sparse triangular systems and products of sparse matrices by cuSPARSE, which is loaded at first use.

One handle per device serves every thread. Its lock is held from setting the stream to queueing the work.
"""
from libc.stdint cimport int64_t, uintptr_t
from libc.string cimport memset
cimport cython
from cuda.bindings.cydriver cimport (
    CUcontext, CUresult, CUstream, cuCtxPopCurrent, cuCtxPushCurrent, cuEventRecord, cuStreamWaitEvent)

from gpunp.cuda.driver cimport MAX_DEVICES, check, is_exiting, primary_context, use_context
from gpunp.cuda.event cimport Event, host_calls
from gpunp.cuda.library cimport Library
from gpunp.cuda.pool cimport CudaBuffer
from gpunp.cuda.queueing cimport unlocked, unlocked_call
from gpunp.cuda.stream cimport Stream, current_stream, is_per_thread
from gpunp.device cimport Buffer, Device, check_status

# The part of all products of entries that is in memory at a time, if they are computed in parts.
cdef float _FRACTION = 0.15

_VALUE_TYPES = {"f": 0, "d": 1, "F": 4, "D": 5}
_OPERATIONS = {"N": 0, "T": 1, "H": 2}
_STATUS = {1: "NOT_INITIALIZED", 2: "ALLOC_FAILED", 3: "INVALID_VALUE", 4: "ARCH_MISMATCH", 5: "MAPPING_ERROR",
           6: "EXECUTION_FAILED", 7: "INTERNAL_ERROR", 8: "MATRIX_TYPE_NOT_SUPPORTED", 9: "ZERO_PIVOT",
           10: "NOT_SUPPORTED", 11: "INSUFFICIENT_RESOURCES"}

cdef Library _library = Library("cusparse", "cuSPARSE 12", "sparse triangular systems on CUDA need")
cdef list _handles = [None] * MAX_DEVICES
cdef SetStreamFunction _set_stream = NULL
# Held while a handle is made.
cdef cython.pymutex _making


cdef int _check(int status, str call) except -1:
    if status in (2, 11):
        raise MemoryError(f"cusparse{call}: not enough memory on the device ({_STATUS[status]})")
    if status != 0:
        raise RuntimeError(f"cusparse{call} failed: {_STATUS.get(status, 'status')} ({status})")
    return 0


cdef class _Handle:
    """The library's state for one device, and the lock of its calls. They run no Python code while they have it."""

    cdef void* handle
    cdef cython.pymutex lock


cdef _Handle _handle_of(Device device):
    """The handle of a device, whose context becomes current."""
    global _set_stream
    cdef int index = device.index, status = 0
    cdef _Handle made
    cdef void* create
    check_status(device)
    use_context(primary_context(index))
    if _handles[index] is None:
        create = _library.function("cusparseCreate")
        _set_stream = <SetStreamFunction>_library.function("cusparseSetStream")
        made = _Handle.__new__(_Handle)
        with _making:
            if _handles[index] is None:
                status = unlocked_call(host_calls.existing, <CreateFunction>create, &made.handle)
                if status == 0:
                    _handles[index] = made
        _check(status, "Create")
    return <_Handle>_handles[index]


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
        cdef bint single = self.columns == 1
        cdef size_t size = 0
        cdef int status
        cdef void* ask = _library.function("cusparseSpSV_bufferSize" if single else "cusparseSpSM_bufferSize")
        cdef void* call = _library.function("cusparseSpSV_analysis" if single else "cusparseSpSM_analysis")
        cdef _Handle handle = _handle_of(self.device)
        cdef Stream stream = current_stream(self.device.index)
        with handle.lock:
            status = _set_stream(handle.handle, stream.handle)
            if status == 0 and single:
                status = (<VectorSizeFunction>ask)(
                    handle.handle, self.op, self.one, self.matrix, self.b, self.x, self.kind, ALGORITHM, self.plan,
                    &size)
            elif status == 0:
                status = (<SizeFunction>ask)(
                    handle.handle, self.op, SAME, self.one, self.matrix, self.b, self.x, self.kind, ALGORITHM,
                    self.plan, &size)
        _check(status, "_bufferSize")
        self.work = self.device.allocate(max(size, 1))
        # Functions that observe allocations may have run.
        _handle_of(self.device)
        with handle.lock:
            status = _set_stream(handle.handle, stream.handle)
            if status == 0 and single:
                status = unlocked_call(
                    host_calls.existing, <VectorAnalysisFunction>call, handle.handle, self.op, self.one, self.matrix,
                    self.b, self.x, self.kind, ALGORITHM, self.plan, self.work.ptr)
            elif status == 0:
                status = unlocked_call(
                    host_calls.existing, <AnalysisFunction>call, handle.handle, self.op, SAME, self.one, self.matrix,
                    self.b, self.x, self.kind, ALGORITHM, self.plan, self.work.ptr)
        _check(status, "_analysis")
        check(self.mark(stream), "cuEventRecord")
        if stream.capture is None:
            self.last = stream
        return 0

    cdef CUresult mark(self, Stream stream) noexcept:
        """Record that the memory is used up to here."""
        if stream.capture is not None:
            return <CUresult>0
        return unlocked(host_calls.existing, cuEventRecord, self.event.handle, stream.handle)

    def solve(self, uintptr_t b, uintptr_t x):
        """Solve systems; does not wait.

        Parameters
        ----------
        b, x : int
            The addresses of right sides and solutions, column after column; they do not overlap.
        """
        cdef bint single = self.columns == 1
        cdef void* call = _library.function("cusparseSpSV_solve" if single else "cusparseSpSM_solve")
        cdef SetValuesFunction set_values = <SetValuesFunction>_library.function(
            "cusparseDnVecSetValues" if single else "cusparseDnMatSetValues")
        cdef _Handle handle = _handle_of(self.device)
        cdef Stream stream = current_stream(self.device.index), before
        cdef CUresult result = <CUresult>0
        cdef int status = 0
        with handle.lock:
            before = self.last
            # The default stream of a thread is another one in each thread.
            if stream.capture is None and (stream is not before or is_per_thread(stream)):
                result = unlocked(host_calls.existing, cuStreamWaitEvent, stream.handle, self.event.handle, 0)
            if result == 0:
                status = self.queue(handle, stream.handle, <void*>b, <void*>x, set_values, call)
            if result == 0 and status == 0:
                result = self.mark(stream)
                if stream.capture is None:
                    self.last = stream
        _check(status, "_solve")
        check(result, "cuEventRecord or cuStreamWaitEvent")

    cdef int queue(self, _Handle handle, CUstream stream, void* b, void* x, SetValuesFunction set_values,
                   void* call) noexcept:
        """Queue a solution and return the status; the lock of the handle is held."""
        cdef int status = _set_stream(handle.handle, stream)
        if status == 0:
            status = set_values(self.b, b)
        if status == 0:
            status = set_values(self.x, x)
        if status == 0 and self.columns == 1:
            status = unlocked_call(
                host_calls.existing, <VectorSolveFunction>call, handle.handle, self.op, self.one, self.matrix, self.b,
                self.x, self.kind, ALGORITHM, self.plan)
        elif status == 0:
            status = unlocked_call(
                host_calls.existing, <SolveFunction>call, handle.handle, self.op, SAME, self.one, self.matrix, self.b,
                self.x, self.kind, ALGORITHM, self.plan)
        return status

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
                unlocked(host_calls.existing, cuStreamWaitEvent, <CUstream>NULL, self.event.handle, 0)
            elif self.work.stream is not self.last:
                unlocked(host_calls.existing, cuStreamWaitEvent, self.work.stream.handle, self.event.handle, 0)
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

    cdef int step(self, str name, size_t* size=NULL, void* buffer=NULL, size_t* compute_size=NULL) except -1:
        """Queue "workEstimation", "estimateMemory", "compute" or "copy"; the first three tell the bytes they need."""
        cdef void* call = _library.function("cusparseSpGEMM_" + name)
        cdef bint copies = name == "copy", estimates = name == "estimateMemory"
        cdef _Handle handle = _handle_of(self.device)
        cdef CUstream stream = current_stream(self.device.index).handle
        cdef int status
        with handle.lock:
            status = _set_stream(handle.handle, stream)
            if status == 0 and copies:
                status = unlocked_call(
                    host_calls.existing, <ProductCopyFunction>call, handle.handle, SAME, SAME, self.one, self.a, self.b,
                    self.zero, self.c, self.kind, self.algorithm, self.plan)
            elif status == 0 and estimates:
                status = unlocked_call(
                    host_calls.existing, <ProductMemoryFunction>call, handle.handle, SAME, SAME, self.one, self.a,
                    self.b, self.zero, self.c, self.kind, self.algorithm, self.plan, _FRACTION, size, buffer,
                    compute_size)
            elif status == 0:
                status = unlocked_call(
                    host_calls.existing, <ProductStepFunction>call, handle.handle, SAME, SAME, self.one, self.a, self.b,
                    self.zero, self.c, self.kind, self.algorithm, self.plan, size, buffer)
        return _check(status, "SpGEMM_" + name)


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
    product.device, product.kind = device, _VALUE_TYPES[dtype]
    use_context(primary_context(device.index))
    product.algorithm = PRODUCT_IN_PARTS if in_parts else PRODUCT_WHOLE
    set_one(product.one, dtype)
    memset(product.zero, 0, sizeof(product.zero))
    product.describe(&product.a, shape[0], shape[1], a[0], a[1:])
    product.describe(&product.b, shape[1], shape[2], b[0], b[1:])
    product.describe(&product.c, shape[0], shape[2], 0, (indptr, 0, 0))
    _check((<CreateFunction>_library.function("cusparseSpGEMM_createDescr"))(&product.plan), "SpGEMM_createDescr")
    product.step("workEstimation", &size)
    first = device.allocate(max(size, 1))
    product.step("workEstimation", &size, first.ptr)
    if in_parts:
        size = 0
        product.step("estimateMemory", &size)
        third = device.allocate(max(size, 1))
        product.step("estimateMemory", &size, third.ptr, &compute_size)
        third = None
    else:
        product.step("compute", &compute_size)
    second = device.allocate(max(compute_size, 1))
    product.step("compute", &compute_size, second.ptr)
    _check((<MatrixSizeFunction>_library.function("cusparseSpMatGetSize"))(product.c, &rows, &columns, &nnz),
           "SpMatGetSize")
    indices, values = place(nnz)
    _check((<SetPointersFunction>_library.function("cusparseCsrSetPointers"))(
        product.c, <void*>indptr, <void*>indices, <void*>values), "CsrSetPointers")
    product.step("copy")
