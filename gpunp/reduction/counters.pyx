"""Counters of tiles that several blocks of a reduction share: the last block to finish combines the others."""
from libc.stdint cimport uint32_t

from gpunp.device cimport Buffer, Device

cdef enum:
    # Per device. Calls take them in rotation, so that concurrent launches on different streams use different ones.
    COUNTERS = 1 << 16

# Devices to their buffer and the place of the next counter.
cdef dict _counters = {}


cdef uint32_t* take_counters(Device device, unsigned int tiles) except NULL:
    cdef list entry = _counters.get(device)
    cdef Buffer buffer
    cdef Py_ssize_t first
    if entry is None:
        buffer = device.lasting_memory(COUNTERS * sizeof(uint32_t))
        device.fill_bytes(buffer.ptr, 0, COUNTERS * sizeof(uint32_t))
        device.synchronize_stream()
        entry = _counters.setdefault(device, [buffer, 0])
    buffer = entry[0]
    first = entry[1]
    if first + tiles > COUNTERS:
        first = 0
    entry[1] = first + tiles
    return <uint32_t*>buffer.ptr + first


def prepare(Device device not None):
    """Make the counters of a device, for which a capture cannot wait; called before one begins."""
    take_counters(device, 0)
