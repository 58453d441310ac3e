"""Checks of groups: their results are compared with those of single operations.

With ``gpunp.config.fusion = "check"`` a group writes to copies of its stores' memory, its operations run one by one
after it, and both memories must have the same bytes.
"""
from libc.math cimport isnan
from libc.string cimport memcmp

from gpunp.array.strides cimport extent
from gpunp.device cimport Buffer, Device
from gpunp.dtype_codes cimport C16, F8, itemsize_of
from gpunp.fusion.group cimport Group
from gpunp.ufunc.plan cimport Loop, Operand


def first_difference(const unsigned char[::1] expected not None, const unsigned char[::1] found not None, *,
                     bint nans_differ):
    """The place of the first byte that differs, or None.

    Parameters
    ----------
    expected, found : bytes-like
        Of the same length.
    nans_differ : bool
        Whether the bytes are those of float64 parts, among which any two NaNs are the same. An instruction of a GPU
        that adds or multiplies two NaNs gives one of them, and assemblers swap the operands as they like.

    Returns
    -------
    int or None
    """
    cdef Py_ssize_t i, count = expected.shape[0]
    cdef double first, second
    if count == 0 or memcmp(&expected[0], &found[0], count) == 0:
        return None
    for i in range(count):
        if expected[i] == found[i]:
            continue
        if nans_differ:
            first, second = (<const double*>&expected[0])[i // 8], (<const double*>&found[0])[i // 8]
            if isnan(first) and isnan(second):
                continue
        return i
    return None


cdef class Shadows:

    cdef int compare(self) except -1:
        cdef size_t place, shadow, count
        cdef bytearray expected, found
        cdef int code
        for place, shadow, count, code in self.places:
            expected, found = bytearray(count), bytearray(count)
            self.device.copy_to_host(<char*>expected, <void*>place, count)
            self.device.copy_to_host(<char*>found, <void*>shadow, count)
            first = first_difference(expected, found, nans_differ=not self.device.is_cpu and code in (F8, C16))
            if first is not None:
                raise AssertionError(f"gpunp.config.fusion = 'check': the group ({self.symbols}) wrote "
                                     f"{found[first]:#04x} where its operations write {expected[first]:#04x}, "
                                     f"{first} bytes after the first of {count}; set gpunp.config.fusion = 'off' "
                                     "and report this")
        return 0


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
        shadows.memory += [memory, <Buffer>operand.buffer]
        shadows.places.append((<size_t>operand.data + low, <size_t>memory.ptr, high - low, operand.code))
        operand.data = <char*>memory.ptr - low
    return shadows
