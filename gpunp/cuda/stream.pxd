"""Streams, and the current stream of each thread."""
from cuda.bindings.cydriver cimport CUcontext, CUstream

cdef enum:
    # Size classes of the small blocks a stream keeps; see pool.pyx.
    NUM_BINS = 39


cdef struct Bin:
    void** items
    int count
    int capacity


cdef class Stream:
    cdef CUstream handle
    cdef CUcontext context
    cdef readonly int device_index
    cdef bint owned
    cdef object owner
    # Freed small blocks; stream order makes them safe to reuse for allocations on this stream.
    cdef Bin bins[NUM_BINS]
    cdef size_t cached_bytes
    cdef object __weakref__


cdef struct StreamHooks:
    # Returns the small blocks that a stream keeps to their pool; set by pool.pyx.
    void (*drop_blocks)(Stream stream) noexcept

cdef StreamHooks stream_hooks

# The current stream of this thread on a device; the legacy default stream unless one was chosen.
cdef Stream current_stream(int device_index)
# Every living stream of a device.
cdef list streams_of(int device_index)
# Make a stream of the device, which the caller keeps alive, the current one of this thread for a while; None stands for
# the default. Returns what was chosen before.
cdef object exchange_stream(int device_index, object stream)
# Whether it is the default stream of the calling thread, which is another one in each thread.
cdef bint is_per_thread(Stream stream) noexcept
