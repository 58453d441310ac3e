"""Division by numbers that kernels know only at run time, as a multiplication and a shift."""
from libc.stdint cimport uint32_t, uint64_t


cdef inline void set_divider(uint64_t extent, uint32_t* magic, uint32_t* shift) noexcept nogil:
    """Set the multiplier and shift by which kernels divide indices below 2^31 by an extent."""
    cdef uint32_t bits = 0
    magic[0] = 1
    shift[0] = 0
    if extent == 0 or extent > 0x7fffffff:
        return
    while (<uint64_t>1 << bits) < extent:
        bits += 1
    shift[0] = bits
    magic[0] = <uint32_t>(((<uint64_t>1 << 32) * ((<uint64_t>1 << bits) - extent)) // extent + 1)
