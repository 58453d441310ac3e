"""Sparse factors by cuDSS 1, which is loaded at first use; values are those of its header ``cudss.h``.

One handle per device serves every thread. A lock guards it, as calls run without the interpreter lock.
"""
import importlib.util
import os
import threading

from libc.stdint cimport int64_t, uintptr_t
from cuda.bindings.cydriver cimport CUcontext, CUstream, cuCtxPopCurrent, cuCtxPushCurrent

from gpunp.cuda.driver cimport is_exiting, primary_context, use_context
from gpunp.cuda.event cimport host_calls
from gpunp.cuda.library cimport Library
from gpunp.cuda.queueing cimport unlocked_call
from gpunp.cuda.stream cimport current_stream
from gpunp.device cimport Buffer, Device, check_status

cdef extern from "<dlfcn.h>" nogil:
    int RTLD_NOW
    void* dlopen(const char* path, int mode)

ctypedef int (*CreateFunction)(void** made) noexcept nogil
ctypedef int (*DestroyFunction)(void* made) noexcept nogil
ctypedef int (*DataCreateFunction)(void* handle, void** data) noexcept nogil
ctypedef int (*DataDestroyFunction)(void* handle, void* data) noexcept nogil
ctypedef int (*SetStreamFunction)(void* handle, CUstream stream) noexcept nogil
ctypedef int (*PropertyFunction)(int name, int* value) noexcept nogil
ctypedef int (*ConfigSetFunction)(void* config, int name, const void* value, size_t size) noexcept nogil
ctypedef int (*DataGetFunction)(
    void* handle, void* data, int name, void* value, size_t size, size_t* written) noexcept nogil
ctypedef int (*CreateDenseFunction)(
    void** matrix, int64_t rows, int64_t columns, int64_t ld, const void* values, int value_type,
    int layout) noexcept nogil
ctypedef int (*CreateRowsFunction)(
    void** matrix, int64_t rows, int64_t columns, int64_t nnz, const void* start, const void* end,
    const void* indices, const void* values, int offset_type, int index_type, int value_type, int matrix_type,
    int view, int base) noexcept nogil
ctypedef int (*ExecuteFunction)(
    void* handle, int phase, void* config, void* data, void* matrix, void* solution, void* right) noexcept nogil

cdef enum:
    R_32F = 0
    R_64F = 1
    C_32F = 4
    C_64F = 5
    R_32I = 10
    R_64I = 24
    GENERAL = 0
    FULL = 0
    BASE_ZERO = 0
    COLUMN_MAJOR = 0
    CONFIG_REORDERING = 0
    CONFIG_MATCHING = 3
    NO_MATCHING = 0
    CONFIG_SOLVE_MODE = 4
    CONFIG_REFINEMENT_STEPS = 5
    CONFIG_PIVOT_TYPE = 7
    CONFIG_PIVOT_THRESHOLD = 8
    DATA_INFO = 0
    DATA_LU_NNZ = 1
    DATA_PIVOTS = 2
    ANALYSIS = 3
    FACTORIZATION = 4
    SOLVE = 1008
    INVALID_VALUE = 3

REORDERINGS = {"default": 0, "btf_colamd": 1, "colamd": 2, "amd": 3, "nested_dissection": 4, "none": 5}
PIVOTING = {"auto": 0, "none": 1, "columns": 2, "rows": 3, "diagonal": 4, "local": 5}
MODES = {"N": 0, "T": 1, "H": 2}
_VALUE_TYPES = {"f": R_32F, "d": R_64F, "F": C_32F, "D": C_64F}
_STATUS = {1: "NOT_INITIALIZED", 2: "ALLOC_FAILED", 3: "INVALID_VALUE", 4: "NOT_SUPPORTED", 5: "EXECUTION_FAILED",
           6: "INTERNAL_ERROR", 7: "IR_FAILED"}
_MISSING = ("{} cuDSS 1, which was not found: pip install gpunp[sparse], or pip install nvidia-cudss-cu13; "
            "iterative solvers such as scipy.sparse.linalg.gmres need no library")
_PURPOSE = "direct solvers of scipy.sparse.linalg on CUDA need"


class MissingLibrary(ImportError, RuntimeError):
    """cuDSS is not installed, or has another version."""


cdef class _Cudss(Library):
    """The library and its version."""

    def load(self):
        cdef int major = 0
        try:
            Library.load(self)
        except RuntimeError as error:
            if not self.open():
                raise MissingLibrary(_MISSING.format(_PURPOSE)) from error
        (<PropertyFunction>self.function("cudssGetProperty"))(0, &major)
        if major != 1:
            raise MissingLibrary(f"{_PURPOSE} cuDSS 1, but {self.path} has version {major}: "
                                 "pip install 'nvidia-cudss-cu13>=1,<2'")

    cdef bint open(self) except -1:
        """Open the library of pip's wheel: older versions of cuda.pathfinder know cuDSS 0 only."""
        from cuda.pathfinder import load_nvidia_dynamic_lib
        try:
            # cuDSS needs it, and finds it once it is loaded.
            load_nvidia_dynamic_lib("cublas")
        except RuntimeError:
            return False
        for path in _places():
            self.handle = dlopen(os.fsencode(path), RTLD_NOW)
            if self.handle != NULL:
                self.path = path
                return True
        return False


def _places():
    """Names under which the library may be opened."""
    name = "libcudss.so.1"
    spec = importlib.util.find_spec("nvidia")
    folders = spec.submodule_search_locations if spec is not None and spec.submodule_search_locations else ()
    return [name, *(os.path.join(folder, "cu13", "lib", name) for folder in folders)]


cdef Library _library = _Cudss("cudss", "cuDSS 1", _PURPOSE)
cdef dict _handles = {}
_creation = threading.Lock()


cdef int _check(int status, str call) except -1:
    if status == 2:
        raise MemoryError(f"cudss{call}: cuDSS could not allocate memory on the device")
    if status != 0:
        raise RuntimeError(f"cudss{call} failed: {_STATUS.get(status, 'status')} ({status})")
    return 0


def version():
    """The version of the installed cuDSS, such as ``(1, 0, 0)``; raise MissingLibrary if there is none."""
    cdef int[3] parts
    cdef PropertyFunction call = <PropertyFunction>_library.function("cudssGetProperty")
    cdef int i
    for i in range(3):
        _check(call(i, &parts[i]), "GetProperty")
    return parts[0], parts[1], parts[2]


cdef class _Handle:
    """The library's state for one device, and the lock of its calls."""

    cdef void* handle
    cdef readonly object lock

    def __init__(self):
        # A finalizer may run in a thread that has the lock.
        self.lock = threading.RLock()
        _check(unlocked_call(host_calls.existing, <CreateFunction>_library.function("cudssCreate"), &self.handle),
               "Create")


cdef _Handle _handle_of(Device device):
    cdef _Handle found
    check_status(device)
    use_context(primary_context(device.index))
    with _creation:
        found = _handles.get(device.index)
        if found is None:
            found = _handles[device.index] = _Handle()
    return found


cdef class Factorization:
    """The factors of a square matrix in compressed rows.

    Parameters
    ----------
    device : Device
    n : int
        The number of rows.
    nnz : int
        The number of entries.
    parts : tuple of int
        The addresses of row pointers, column indices and values; the memory has to stay while this object is.
    wide : bool
        Whether pointers and indices have 64 bits.
    dtype : {"f", "d", "F", "D"}
        The character of the values' dtype.
    reordering : str
        A key of ``REORDERINGS``.
    pivoting : str
        A key of ``PIVOTING``.
    threshold : float or None
        The least size of a pivot, relative to the largest of its column.
    steps : int
        The most steps of refinement of a solution.
    """

    def __init__(self, Device device not None, int64_t n, int64_t nnz, tuple parts, bint wide, str dtype, *,
                 str reordering="default", str pivoting="auto", threshold=None, int steps=0):
        cdef uintptr_t start = parts[0], indices = parts[1], values = parts[2]
        cdef int index_type = R_64I if wide else R_32I, status
        cdef _Handle handle = _handle_of(device)
        self.device, self.n, self.handle, self.value_type = device, n, handle, _VALUE_TYPES[dtype]
        _check((<CreateFunction>_library.function("cudssConfigCreate"))(&self.config), "ConfigCreate")
        with handle.lock:
            status = unlocked_call(host_calls.existing, <DataCreateFunction>_library.function("cudssDataCreate"),
                                   handle.handle, &self.data)
        _check(status, "DataCreate")
        _check((<CreateRowsFunction>_library.function("cudssMatrixCreateCsr"))(
            &self.matrix, n, n, nnz, <const void*>start, NULL, <const void*>indices, <const void*>values, index_type,
            index_type, self.value_type, GENERAL, FULL, BASE_ZERO), "MatrixCreateCsr")
        self.set_integer(CONFIG_REORDERING, REORDERINGS[reordering])
        if reordering in ("colamd", "btf_colamd"):
            # What would be chosen otherwise excludes these orders.
            self.set_integer(CONFIG_MATCHING, NO_MATCHING)
        self.set_integer(CONFIG_PIVOT_TYPE, PIVOTING[pivoting])
        if threshold is not None:
            self.set_real(CONFIG_PIVOT_THRESHOLD, threshold)
        self.set_integer(CONFIG_REFINEMENT_STEPS, steps)

    cdef int set_integer(self, int name, int value) except -1:
        return _check((<ConfigSetFunction>_library.function("cudssConfigSet"))(
            self.config, name, &value, sizeof(value)), f"ConfigSet({name})")

    cdef int set_real(self, int name, double value) except -1:
        return _check((<ConfigSetFunction>_library.function("cudssConfigSet"))(
            self.config, name, &value, sizeof(value)), f"ConfigSet({name})")

    cdef int execute(self, int phase, void* x, void* b) except -1:
        cdef _Handle handle = self.handle
        cdef ExecuteFunction call = <ExecuteFunction>_library.function("cudssExecute")
        cdef SetStreamFunction set_stream = <SetStreamFunction>_library.function("cudssSetStream")
        cdef int status
        use_context(primary_context(self.device.index))
        with handle.lock:
            _check(set_stream(handle.handle, current_stream(self.device.index).handle), "SetStream")
            with nogil:
                status = call(handle.handle, phase, self.config, self.data, self.matrix, x, b)
        return _check(status, f"Execute({phase})")

    cdef int64_t number(self, int name) except? -1:
        """A number that describes the factors, of 32 or 64 bits; waits for them."""
        cdef _Handle handle = self.handle
        cdef DataGetFunction call = <DataGetFunction>_library.function("cudssDataGet")
        cdef size_t size = 8, written = 8
        cdef int64_t value = 0
        cdef int status
        use_context(primary_context(self.device.index))
        with handle.lock:
            with nogil:
                status = call(handle.handle, self.data, name, &value, size, &written)
                if status == INVALID_VALUE:
                    size = written = 4
                    status = call(handle.handle, self.data, name, &value, size, &written)
        _check(status, f"DataGet({name})")
        return value if written == 8 else (<int*>&value)[0]

    def _dense(self, int64_t columns, uintptr_t values):
        cdef void* made = NULL
        _check((<CreateDenseFunction>_library.function("cudssMatrixCreateDn"))(
            &made, self.n, columns, self.n, <const void*>values, self.value_type, COLUMN_MAJOR), "MatrixCreateDn")
        return <uintptr_t>made

    def _run(self, int phase, int64_t columns, uintptr_t x, uintptr_t b):
        """Run a phase with dense matrices, whose descriptions are needed for all phases."""
        cdef DestroyFunction destroy = <DestroyFunction>_library.function("cudssMatrixDestroy")
        cdef uintptr_t solution = self._dense(columns, x), right
        try:
            right = self._dense(columns, b)
            try:
                self.execute(phase, <void*>solution, <void*>right)
            finally:
                destroy(<void*>right)
        finally:
            destroy(<void*>solution)

    def _factorize(self, int phase):
        """Run a phase that does not use dense matrices, but needs their description."""
        cdef Buffer unused = self.device.allocate(2 * self.n * sizeof(double))
        self._run(phase, 1, <uintptr_t>unused.ptr, <uintptr_t>unused.ptr)

    def factorize(self):
        """Reorder, and compute the factors.

        Returns
        -------
        info : int
            0 if it succeeded.
        pivots : int
            The number of pivots that were changed because they were too small.
        """
        self._factorize(ANALYSIS)
        self._factorize(FACTORIZATION)
        return self.number(DATA_INFO), self.number(DATA_PIVOTS)

    @property
    def nnz(self):
        """The number of entries of the factors."""
        return self.number(DATA_LU_NNZ)

    def solve(self, uintptr_t b, uintptr_t x, int64_t columns, str trans):
        """Solve a system; does not wait.

        Parameters
        ----------
        b, x : int
            The addresses of right sides and solutions, column after column; they do not overlap.
        columns : int
        trans : {"N", "T", "H"}
            Whether the matrix, its transpose or its adjoint is meant.
        """
        cdef _Handle handle = self.handle
        with handle.lock:
            self.set_integer(CONFIG_SOLVE_MODE, MODES[trans])
            self._run(SOLVE, columns, x, b)

    def __dealloc__(self):
        cdef CUcontext context
        cdef _Handle handle
        if is_exiting() or self.config == NULL:
            return
        # Deallocation may run while the context of another device is current.
        cuCtxPushCurrent(primary_context(self.device.index))
        handle = self.handle
        with handle.lock:
            if self.data != NULL:
                unlocked_call(host_calls.existing, <DataDestroyFunction>_library.function("cudssDataDestroy"),
                              handle.handle, self.data)
        if self.matrix != NULL:
            (<DestroyFunction>_library.function("cudssMatrixDestroy"))(self.matrix)
        (<DestroyFunction>_library.function("cudssConfigDestroy"))(self.config)
        cuCtxPopCurrent(&context)
