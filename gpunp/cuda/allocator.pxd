"""Which pool or allocator a device's memory comes from."""
from gpunp.device cimport Buffer, Device

# Memory from the device's allocator, in the order of its current stream.
cdef Buffer allocate_on(Device device, size_t nbytes)
# Bytes that the device's pool can still hand out.
cdef size_t room_on(Device device) except? 0
# Let a device allocate from its default pool; called once, when the device is opened.
cdef int open_pool(int device_index) except -1
