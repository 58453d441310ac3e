from libc.stdint cimport uint32_t

from gpunp.device cimport Device

# The next ``tiles`` zeroed counters of a device, for splits of a launch. Concurrent launches get different ones.
cdef uint32_t* take_counters(Device device, unsigned int tiles) except NULL
