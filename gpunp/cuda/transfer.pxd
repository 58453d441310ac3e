"""Copies between host memory and a CUDA device, and from one device to another."""
from cuda.bindings.cydriver cimport CUcontext, CUstream

from gpunp.device cimport Buffer

# Queue a copy to the device; the host memory may change as soon as this returns.
cdef int upload(int device_index, CUcontext context, CUstream stream,
                void* target, const void* source, size_t nbytes) except -1
# Copy from the device and wait for it.
cdef int download(int device_index, CUcontext context, CUstream stream,
                  void* target, const void* source, size_t nbytes) except -1
# See `Device.copy_to_peer`.
cdef int to_peer(Buffer source, const void* first, Buffer target, void* to, size_t nbytes) except -1
