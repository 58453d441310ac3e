"""Checks of groups: their results are compared with those of single operations.

With ``gpunp.config.fusion = "check"`` a group writes to copies of its stores' memory, its operations run one by one
after it, and both memories must have the same bytes. A reduction that computes its elements is compared with one that
reads them. Elements that ``where=`` leaves out of a new array have no value: they are zero for both.
"""
from libc.stdint cimport uint16_t, uint32_t, uint64_t
from libc.string cimport memcmp

from gpunp.array.strides cimport extent
from gpunp.device cimport Buffer, Device, provide
from gpunp.dtype_codes cimport C16, F8, is_complex, is_inexact, itemsize_of
from gpunp.fusion.group cimport Group
from gpunp.fusion.trace cimport CONDITION, OUTPUT, Node
from gpunp.ufunc.plan cimport Loop, Operand


cdef bint _is_nan(const unsigned char* at, int size) noexcept:
    """Whether a float of 2, 4 or 8 bytes is a NaN."""
    if size == 8:
        return (<const uint64_t*>at)[0] << 1 > <uint64_t>0x7ff << 53
    if size == 4:
        return <uint32_t>((<const uint32_t*>at)[0] << 1) > <uint32_t>0xff << 24
    return <uint16_t>((<const uint16_t*>at)[0] << 1) > <uint16_t>(0x1f << 11)


def first_difference(const unsigned char[::1] expected not None, const unsigned char[::1] found not None, *,
                     int nan_size):
    """The place of the first byte that differs, or None.

    Parameters
    ----------
    expected, found : bytes-like
        Of the same length.
    nan_size : {0, 2, 4, 8}
        The size of floats among which any two NaNs are the same, or 0.

    Returns
    -------
    int or None
    """
    cdef Py_ssize_t i, start, count = expected.shape[0]
    if count == 0 or memcmp(&expected[0], &found[0], count) == 0:
        return None
    for i in range(count):
        if expected[i] == found[i]:
            continue
        if nan_size:
            start = i // nan_size * nan_size
            if _is_nan(&expected[start], nan_size) and _is_nan(&found[start], nan_size):
                continue
        return i
    return None


cdef int _nan_size(Device device, int code, bint wide) noexcept:
    """For `first_difference`.

    An instruction that adds or multiplies two NaNs gives one of them. Compilers swap the operands as they like: on GPUs
    in float64 only, on the host also between the vectors of a loop and its last elements. Conversions keep the sign,
    so a store of float16 differs if what it stores was computed in float64.
    """
    if not is_inexact(code) or not (device.is_cpu or wide):
        return 0
    return itemsize_of(code) // 2 if is_complex(code) else itemsize_of(code)


cdef bint is_wide(Loop loop) noexcept:
    cdef int k
    for k in range(loop.nin + loop.nout):
        if loop.codes[k] == F8 or loop.codes[k] == C16:
            return True
    return False


cdef int clear_left_out(Device device, Node* nodes, int count) except -1:
    cdef Buffer buffer
    cdef int k
    for k in range(count):
        buffer = <Buffer>nodes[k].place[OUTPUT].buffer
        if nodes[k].place[CONDITION].buffer != NULL and buffer.ptr == NULL:
            provide(buffer)
            device.fill_bytes(buffer.ptr, 0, buffer.nbytes)
    return 0


cdef class Shadows:

    cdef char* divert(self, char* data, Py_ssize_t low, Py_ssize_t high, int code) except NULL:
        cdef Buffer copy = self.device.allocate(high - low)
        # Elements that nothing writes stay as they are.
        self.device.copy_within(copy.ptr, data + low, high - low)
        self.memory.append(copy)
        self.places.append((<size_t>data + low, <size_t>copy.ptr, high - low, code))
        return <char*>copy.ptr - low

    cdef int compare(self) except -1:
        cdef size_t place, shadow, count
        cdef bytearray expected, found
        cdef int code
        for place, shadow, count, code in self.places:
            expected, found = bytearray(count), bytearray(count)
            self.device.copy_to_host(<char*>expected, <void*>place, count)
            self.device.copy_to_host(<char*>found, <void*>shadow, count)
            self.device.leave_out_downloads(2)
            first = first_difference(expected, found, nan_size=_nan_size(self.device, code, self.wide))
            if first is not None:
                raise AssertionError(f"gpunp.config.fusion = 'check': the group ({self.symbols}) wrote "
                                     f"{found[first]:#04x} where its operations write {expected[first]:#04x}, "
                                     f"{first} bytes after the first of {count}; set gpunp.config.fusion = 'off' "
                                     "and report this")
        return 0


cdef Shadows new_shadows(Device device, str symbols):
    cdef Shadows shadows = Shadows.__new__(Shadows)
    shadows.device = device
    shadows.symbols = symbols
    shadows.places = []
    shadows.memory = []
    return shadows


cdef Shadows shadows_of(Device device, Group* group):
    cdef Shadows shadows = new_shadows(device, ", ".join([(<Loop>group.step[k].loop).symbol
                                                          for k in range(group.steps)]))
    cdef Operand* operand
    cdef Py_ssize_t low, high
    cdef int k
    for k in range(group.steps):
        shadows.wide = shadows.wide or is_wide(<Loop>group.step[k].loop)
    for k in range(group.leaves, group.memory):
        operand = &group.operand[k]
        extent(operand.ndim, operand.shape, operand.strides, itemsize_of(operand.code), &low, &high)
        shadows.memory.append(<Buffer>operand.buffer)
        operand.data = shadows.divert(operand.data, low, high, operand.code)
    return shadows
