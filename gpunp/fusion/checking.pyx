"""Checks of groups: their results are compared with those of single operations.

With ``gpunp.config.fusion = "check"`` a group writes to copies of its stores' memory, its operations run one by one
after it, and both memories must have the same bytes.
"""
from gpunp.array.strides cimport extent
from gpunp.device cimport Buffer, Device
from gpunp.dtype_codes cimport itemsize_of
from gpunp.fusion.group cimport Group
from gpunp.ufunc.plan cimport Loop, Operand


cdef class Shadows:

    def compare(self):
        """Raise an AssertionError if the group wrote other bytes than its operations."""
        cdef size_t place, shadow, count
        cdef bytearray expected, found
        for place, shadow, count in self.places:
            expected, found = bytearray(count), bytearray(count)
            self.device.copy_to_host(<char*>expected, <void*>place, count)
            self.device.copy_to_host(<char*>found, <void*>shadow, count)
            if expected != found:
                first = next(i for i in range(count) if expected[i] != found[i])
                raise AssertionError(f"gpunp.config.fusion = 'check': the group ({self.symbols}) wrote "
                                     f"{found[first]:#04x} where its operations write {expected[first]:#04x}, "
                                     f"{first} bytes after the first of {count}; set gpunp.config.fusion = 'off' "
                                     "and report this")


cdef Shadows shadows_of(Device device, Group* group):
    cdef Shadows shadows = Shadows.__new__(Shadows)
    cdef Operand* operand
    cdef Buffer memory
    cdef Py_ssize_t low, high
    cdef int k
    shadows.device = device
    shadows.places = []
    shadows.memory = []
    shadows.symbols = ", ".join([(<Loop>group.step[k].loop).symbol for k in range(group.steps)])
    for k in range(group.leaves, group.memory):
        operand = &group.operand[k]
        extent(operand.ndim, operand.shape, operand.strides, itemsize_of(operand.code), &low, &high)
        memory = device.allocate(high - low)
        device.copy_within(memory.ptr, operand.data + low, high - low)
        shadows.memory.append(memory)
        shadows.places.append((<size_t>operand.data + low, <size_t>memory.ptr, high - low))
        operand.data = <char*>memory.ptr - low
    return shadows
