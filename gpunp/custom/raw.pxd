"""Raw kernels: kernels that users write in CUDA C++, launched with arguments from Python."""
from gpunp.custom.arguments cimport Layout
from gpunp.device cimport Device


cdef struct Launch:
    unsigned int[3] grid
    unsigned int[3] block
    unsigned int[3] cluster     # all 0 without clusters
    unsigned int shared_bytes
    bint cooperative


cdef class DeviceFunction:
    """A kernel that is loaded on one device; `cuda_function` has the class for CUDA devices."""

    cdef readonly str name
    cdef readonly Device device
    cdef Layout layout

    # Launch with the packed parameters, on a stream or on the current one if it is None.
    cdef int launch(self, const Launch* how, object stream, char* params) except -1


cdef class OfProgram:
    """What raw kernels and modules say of their program."""

    # The Program, which compiles and loads them.
    cdef public object _program


cdef class RawKernel(OfProgram):
    cdef readonly str name
    cdef bint cooperative
    # The DeviceFunction of each CUDA device by its index, or None.
    cdef list functions
    # Attributes that were set, to be set on every device.
    cdef dict settings
    cdef object __weakref__

    cdef DeviceFunction function_on(self, Device device)
