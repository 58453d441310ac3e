"""The CPU device: host memory and the host build of the kernels."""
cimport cython
from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF, Py_XDECREF
from libc.stdint cimport uint32_t
from libc.stdlib cimport free
from libc.string cimport memcpy, memset

from gpunp.device cimport BY_READ, BY_WAIT, Buffer, Device, Kernel, flush_because, report_error

from gpunp.tuning import CPU

cdef extern from "<stdlib.h>" nogil:
    void* aligned_alloc(size_t alignment, size_t size)

ctypedef void (*HostFunction)(const void* params) noexcept nogil

cdef extern from "gpunp/kernel.h" namespace "gpunp" nogil:
    struct HostKernel:
        const char* unit
        const char* symbol
        HostFunction function
        HostKernel* next
    HostKernel* host_kernels

cdef extern from *:
    """
    // Status word of this thread's kernels, and the name of the call it was last taken for (an owned reference).
    static thread_local uint32_t gpunp_status = 0;
    static thread_local PyObject* gpunp_reporting_call = NULL;
    """
    uint32_t gpunp_status
    PyObject* gpunp_reporting_call

cdef enum:
    ALIGNMENT = 64      # a cache line, and the widest vector register

# Counted as on a GPU, although nothing waits here.
cdef size_t _synchronisations = 0, _uploads = 0, _downloads = 0


# The garbage collector must not clear `owner` before __dealloc__, which frees the memory if it is None.
@cython.no_gc_clear
cdef class CpuBuffer(Buffer):
    """Host memory, aligned to a cache line."""

    def __dealloc__(self):
        if self.owner is None:
            free(self.ptr)


cdef class CpuDevice(Device):
    """The host as a device; all work but deferred operations runs before the call returns."""

    cdef dict _kernels

    def __cinit__(self):
        cdef HostKernel* entry = host_kernels
        cdef Kernel kernel
        self.kind = "cpu"
        self.index = 0
        self.is_cpu = True
        self.multiprocessors = 1
        self.tuning = CPU
        self._kernels = {}
        while entry != NULL:
            kernel = Kernel()
            kernel.unit = entry.unit.decode()
            kernel.name = entry.symbol.decode()
            kernel.function = <void*>entry.function
            self._kernels[kernel.unit, kernel.name] = kernel
            entry = entry.next

    cdef Buffer allocate(self, size_t nbytes):
        cdef CpuBuffer buffer = CpuBuffer.__new__(CpuBuffer)
        cdef size_t rounded = (nbytes + ALIGNMENT - 1) & ~(<size_t>ALIGNMENT - 1)
        if rounded < nbytes:
            raise MemoryError(f"cannot allocate {nbytes} bytes on {self}")
        buffer.ptr = aligned_alloc(ALIGNMENT, rounded if rounded else ALIGNMENT)
        if buffer.ptr == NULL:
            raise MemoryError(f"cannot allocate {nbytes} bytes on {self}: the operating system refused")
        buffer.nbytes = nbytes
        buffer.device = self
        return buffer

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
        memcpy(target, source, nbytes)
        return 0

    cdef int copy_to_host(self, void* target, const void* source, size_t nbytes) except -1:
        global _downloads
        _downloads += 1
        flush_because(self, BY_READ)
        memcpy(target, source, nbytes)
        return 0

    cdef int copy_within(self, void* target, const void* source, size_t nbytes) except -1:
        memcpy(target, source, nbytes)
        return 0

    cdef int fill_bytes(self, void* target, int value, size_t nbytes) except -1:
        memset(target, value, nbytes)
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

    @property
    def name(self):
        """The processor name or architecture that `platform` reports."""
        import platform
        return platform.processor() or platform.machine()
