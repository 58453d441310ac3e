"""The CPU device: host memory and the host build of the kernels."""
import os

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF, Py_XDECREF
from libc.stdint cimport uint32_t
from libc.string cimport memcpy, memset

from gpunp.cpu.pool cimport MemoryPool, default_pool
from gpunp.device cimport BY_READ, BY_WAIT, Buffer, Device, Kernel, flush_because, report_error

from gpunp.cpu import gpunp_threads
from gpunp.tuning import CPU

ctypedef void (*HostFunction)(const void* params) noexcept nogil

cdef extern from "gpunp/levels.h" namespace "gpunp" nogil:
    struct HostKernel:
        const char* unit
        const char* symbol
        HostFunction function
        HostKernel* next
    int highest_host_level()
    HostKernel* host_kernels_of(int level)

cdef extern from *:
    """
    // Of kernels/host/pool.cpp.
    extern "C" {
    void gpunp_pool_copy(void* target, const void* source, size_t nbytes);
    void gpunp_pool_fill(void* target, int value, size_t nbytes);
    void gpunp_pool_set_threads(int count);
    int gpunp_pool_threads(void);
    }
    """
    void gpunp_pool_copy(void* target, const void* source, size_t nbytes) nogil
    void gpunp_pool_fill(void* target, int value, size_t nbytes) nogil
    void gpunp_pool_set_threads(int count) nogil
    int gpunp_pool_threads() nogil

cdef extern from *:
    """
    // Status word of this thread's kernels, and the name of the call it was last taken for (an owned reference).
    static thread_local uint32_t gpunp_status = 0;
    static thread_local PyObject* gpunp_reporting_call = NULL;
    """
    uint32_t gpunp_status
    PyObject* gpunp_reporting_call

cdef enum:
    # Copies of this size and more are shared by threads.
    SHARED_BYTES = 1 << 20


cdef inline void _copy(void* target, const void* source, size_t nbytes) noexcept:
    if nbytes < SHARED_BYTES:
        memcpy(target, source, nbytes)
    else:
        with nogil:
            gpunp_pool_copy(target, source, nbytes)


def set_pool_threads(int count):
    """Set how many threads share a loop; `gpunp.config.threads` does so."""
    gpunp_pool_set_threads(count)


def pool_threads():
    """Return how many threads share a loop."""
    return gpunp_pool_threads()


# Counted as on a GPU, although nothing waits here.
cdef size_t _synchronisations = 0, _uploads = 0, _downloads = 0


# By their numbers in gpunp/levels.h.
LEVELS = ("baseline", "v3", "v4")


cdef int _chosen_level() except -1:
    """The highest level that processor and build have, or the one that the environment asks for."""
    cdef int highest = highest_host_level()
    wanted = os.environ.get("GPUNP_CPU_LEVEL")
    if not wanted:
        return highest
    if wanted not in LEVELS[:highest + 1]:
        raise ValueError(f"GPUNP_CPU_LEVEL is {wanted!r}; this processor and build have {LEVELS[:highest + 1]}")
    return LEVELS.index(wanted)


cdef class CpuDevice(Device):
    """The host as a device; all work but deferred operations runs before the call returns."""

    cdef dict _kernels
    cdef MemoryPool _pool
    cdef int _level

    def __cinit__(self):
        self.kind = "cpu"
        self.index = 0
        self.is_cpu = True
        self.multiprocessors = 1
        self.tuning = CPU
        self._pool = default_pool()
        self._kernels = {}
        self._level = _chosen_level()
        gpunp_pool_set_threads(gpunp_threads.get())
        for level in range(self._level + 1):
            self._add_kernels(level)

    cdef int _add_kernels(self, int level) except -1:
        """Add the kernels of a level of vector instructions, which replace those of lower levels."""
        cdef HostKernel* entry = host_kernels_of(level)
        cdef Kernel kernel
        while entry != NULL:
            kernel = Kernel()
            kernel.unit = entry.unit.decode()
            kernel.name = entry.symbol.decode()
            kernel.function = <void*>entry.function
            self._kernels[kernel.unit, kernel.name] = kernel
            entry = entry.next
        return 0

    cdef Buffer allocate(self, size_t nbytes):
        return self._pool.allocate(self, nbytes)

    cdef size_t room(self) except? 0:
        return self._pool.room() if self._pool.limit else <size_t>-1

    cdef Kernel kernel(self, str unit, str name):
        cdef object found = self._kernels.get((unit, name))
        if found is None:
            raise RuntimeError(f"the host library has no kernel {unit}/{name}; reinstall gpunp")
        return <Kernel>found

    cdef int start(self, Kernel kernel, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                   unsigned int block, unsigned int shared_bytes,
                   const void* params, size_t params_nbytes) except -1:
        cdef HostFunction function = <HostFunction>kernel.function
        with nogil:
            function(params)
        if gpunp_status:
            self.raise_report()
        return 0

    cdef object queue(self):
        return self

    cdef object exchange_queue(self, object queue):
        return self

    cdef uint32_t* report_word(self, str call) except NULL:
        global gpunp_reporting_call
        cdef PyObject* before = gpunp_reporting_call
        Py_INCREF(call)
        gpunp_reporting_call = <PyObject*>call
        Py_XDECREF(before)
        return &gpunp_status

    cdef int raise_report(self) except -1:
        global gpunp_status
        cdef uint32_t bits = gpunp_status
        gpunp_status = 0
        if bits:
            raise report_error(bits, <str>gpunp_reporting_call, False)
        return 0

    cdef int copy_from_host(self, void* target, const void* source, size_t nbytes) except -1:
        global _uploads
        _uploads += 1
        _copy(target, source, nbytes)
        return 0

    cdef int copy_to_host(self, void* target, const void* source, size_t nbytes) except -1:
        global _downloads
        _downloads += 1
        flush_because(self, BY_READ)
        _copy(target, source, nbytes)
        return 0

    cdef int copy_within(self, void* target, const void* source, size_t nbytes) except -1:
        _copy(target, source, nbytes)
        return 0

    cdef int fill_bytes(self, void* target, int value, size_t nbytes) except -1:
        if nbytes < SHARED_BYTES:
            memset(target, value, nbytes)
        elif value != 0 or not self._pool.zero(target, nbytes):
            with nogil:
                gpunp_pool_fill(target, value, nbytes)
        return 0

    cdef int synchronize_stream(self) except -1:
        global _synchronisations
        _synchronisations += 1
        return flush_because(self, BY_WAIT)

    def launch_kernel(self, Kernel kernel not None, grid, unsigned int block, params, unsigned int shared_bytes=0):
        """Run a kernel with a packed parameter struct.

        Parameters
        ----------
        kernel : Kernel
            Of a module of this device.
        grid : tuple of three int
            Ignored, as are the other sizes: a kernel of the CPU device is one function call.
        block : int
            Ignored.
        params : bytes-like
            The kernel's one parameter struct.
        shared_bytes : int, default 0
            Ignored.
        """
        cdef Py_buffer view
        PyObject_GetBuffer(params, &view, PyBUF_SIMPLE)
        try:
            self.launch(kernel, 1, 1, 1, block, shared_bytes, view.buf, view.len)
        finally:
            PyBuffer_Release(&view)

    @property
    def transfer_counts(self):
        """Numbers of synchronizations, uploads and downloads of this process on devices of this kind.

        A download also waits, but counts only as a download.
        """
        return _synchronisations, _uploads, _downloads

    def leave_out_downloads(self, size_t count):
        """Take downloads out of the counts that the program did not ask for, as those of a check."""
        global _downloads
        _downloads -= count

    @property
    def vector_level(self):
        """The level of vector instructions of the kernels: one of "baseline", "v3" and "v4"."""
        return LEVELS[self._level]

    @property
    def name(self):
        """The processor name or architecture that `platform` reports."""
        import platform
        return platform.processor() or platform.machine()
