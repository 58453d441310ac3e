"""Streams of random bits: the position in a stream, and the launches that read from it."""
from libc.stdint cimport int64_t, uint32_t, uint64_t

from gpunp.array.ndarray cimport ndarray
from gpunp.device cimport Buffer, Device
from gpunp.random.params cimport RandomStream


cdef class BitStream:
    # Philox: the key. Others: the state at position 0.
    cdef uint32_t[6] state
    cdef uint64_t position
    # Words two and three of Philox's counter.
    cdef uint32_t[2] upper
    cdef str recurrence

    # Describe the next blocks and advance past them; hold the returned buffer until the launch.
    cdef Buffer take(self, RandomStream* stream, int64_t blocks, Device device)


# Launch a kernel whose threads step over the elements.
cdef int launch(Device device, str unit, str name, int64_t threads, void* params, size_t nbytes) except -1
# A new array of a shape; a scalar if the size is None.
cdef ndarray new_output(int code, object size, Device device)
# Launch a fill kernel; ``count`` elements come from one block of 128 bits.
cdef int fill(BitStream bits, ndarray out, str unit, str name, int count, double low, double scale,
              uint64_t span, uint64_t threshold, uint64_t first) except -1
