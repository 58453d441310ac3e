"""Streams, and the current stream of each thread."""
from libc.stdint cimport uint32_t
from cuda.bindings.cydriver cimport CUcontext, CUstream

from gpunp.cuda.event cimport Event
from gpunp.cuda.stream_methods cimport StreamMethods
from gpunp.device cimport Device
from gpunp.pooling cimport Bin

cdef enum:
    # Size classes of the small blocks a stream keeps; see pool.pyx.
    NUM_BINS = 39


cdef class Stream(StreamMethods):
    cdef CUstream handle
    cdef CUcontext context
    cdef readonly int device_index
    cdef bint owned
    cdef object owner
    # Freed small blocks; stream order makes them safe to reuse for allocations on this stream.
    cdef Bin bins[NUM_BINS]
    cdef size_t cached_bytes
    # The Capture (gpunp/cuda/capture.pyx) that records what is queued, or None.
    cdef object capture
    cdef object __weakref__

    cdef int capture_of(self, Event event) except -1


cdef struct StreamHooks:
    # Returns the small blocks that a stream keeps to their pool; set by pool.pyx.
    void (*drop_blocks)(Stream stream) noexcept
    # For streams that are being captured; set by capture.pyx. An upload of host memory as it is now, and the status
    # word of a launch.
    int (*upload)(Stream stream, void* target, const void* source, size_t nbytes) except -1
    uint32_t* (*word)(Stream stream, str call) except NULL

cdef StreamHooks stream_hooks

# Raise the error of a call that cannot be part of a graph; ``what`` it does completes "because it ...".
cdef int refuse_capture(Stream stream, str call, str what) except -1

# The device with this number.
cdef Device device_at(int index)
# The current stream of this thread on a device; the legacy default stream unless one was chosen.
cdef Stream current_stream(int device_index)
# Every living stream of a device.
cdef list streams_of(int device_index)
# Make a stream of the device, which the caller keeps alive, the current one of this thread for a while; None stands for
# the default. Returns what was chosen before.
cdef object exchange_stream(int device_index, object stream)
# Whether it is the default stream of the calling thread, which is another one in each thread.
cdef bint is_per_thread(Stream stream) noexcept
