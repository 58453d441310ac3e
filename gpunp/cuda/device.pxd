"""The CUDA device: kernels, launches, memory and copies."""
from cuda.bindings.cydriver cimport CUcontext, CUdevice
from gpunp.device cimport Device, Kernel


cdef enum:
    # Bytes of dynamic shared memory that every kernel may use; more needs cuFuncSetAttribute.
    USUAL_SHARED = 48 << 10


cdef class CudaKernel(Kernel):
    # Dynamic shared memory in bytes that a launch may use; cuFuncSetAttribute raises it.
    cdef unsigned int shared_limit


cdef class CudaDevice(Device):
    cdef CUcontext context
    cdef CUdevice handle
    cdef dict kernels
    cdef dict modules
    # The compute capability, 90 for 9.0.
    cdef readonly int architecture
    cdef readonly size_t l2_bytes
    cdef readonly int threads_per_multiprocessor
    cdef readonly size_t shared_memory_per_block

    cdef int allow_shared(self, CudaKernel kernel, unsigned int shared_bytes) except -1
    cdef CudaKernel load(self, str unit, str name)
