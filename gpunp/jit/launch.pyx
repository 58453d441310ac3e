"""Launches of kernels in Python: the types of arguments, and their bytes as numba-cuda's code takes them."""
from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport int64_t, uintptr_t
from libc.string cimport memcpy, memset

from gpunp.array.ndarray cimport dtype_of, ndarray
from gpunp.custom.raw cimport DeviceFunction, Launch
from gpunp.device cimport Device, check_status, current_device

import numpy

from gpunp.array.convert import asarray

cdef enum:
    # Bytes of the parameters of a kernel; CUDA's limit on all architectures.
    MOST_BYTES = 4096
    # Numbers of an array before its shape: two pointers of numba's that kernels do not use, the number of elements,
    # the bytes of one, and the address.
    ARRAY_HEAD = 5
    WORD = 8


# The alignment in bytes of NumPy's scalar types.
cdef dict _ALIGNMENTS = {
    dtype.type: dtype.itemsize // (2 if dtype.kind == "c" else 1) for dtype in map(numpy.dtype, "?bBhHiIlLqQefdFD")
}


cdef class Packed:
    """The arguments of a launch: their types as a key, and their bytes."""
    cdef char[MOST_BYTES] data
    cdef size_t nbytes
    cdef list key
    cdef list held
    cdef Device device

    cdef int add(self, const void* value, size_t nbytes, size_t alignment, str kernel) except -1:
        cdef size_t offset = (self.nbytes + alignment - 1) // alignment * alignment
        if offset + nbytes > MOST_BYTES:
            raise ValueError(f"{kernel}: the arguments have more than {MOST_BYTES} bytes")
        memset(self.data + self.nbytes, 0, offset - self.nbytes)
        memcpy(self.data + offset, value, nbytes)
        self.nbytes = offset + nbytes
        return 0

    cdef int add_array(self, ndarray array, str kernel) except -1:
        cdef int64_t head[ARRAY_HEAD]
        cdef int layout
        if self.device is None:
            self.device = array.device_
        elif array.device_ is not self.device:
            raise ValueError(f"{kernel}: the arguments are on {self.device} and {array.device_}; move one with "
                             "to_device")
        layout = 0 if array.c_contiguous else 1 if array.f_contiguous else 2
        self.key.append(((array.code * 4 + layout) * 2 + array.writeable) * 128 + array.ndim_)
        head[0] = head[1] = 0
        head[2], head[3] = array.size_, array.itemsize_
        head[4] = <int64_t><uintptr_t>array.data_ptr()
        self.add(head, sizeof(head), WORD, kernel)
        self.add(array.shape_, array.ndim_ * sizeof(Py_ssize_t), WORD, kernel)
        return self.add(array.strides_, array.ndim_ * sizeof(Py_ssize_t), WORD, kernel)

    cdef int add_scalar(self, object value, str kernel) except -1:
        """A NumPy scalar, or another object that is made an array."""
        cdef Py_buffer view
        alignment = _ALIGNMENTS.get(type(value))
        if alignment is not None:
            self.key.append(type(value))
            PyObject_GetBuffer(value, &view, PyBUF_SIMPLE)
            try:
                return self.add(view.buf, view.len, alignment, kernel)
            finally:
                PyBuffer_Release(&view)
        if hasattr(value, "__cuda_array_interface__") or (
                hasattr(value, "__dlpack_device__") and not isinstance(value, numpy.ndarray)):
            array = asarray(value, copy=False)
            self.held.append(array)
            return self.add_array(array, kernel)
        what = "a NumPy array on the host" if isinstance(value, numpy.ndarray) else f"a {type(value).__name__}"
        raise TypeError(f"{kernel}: {what} cannot be an argument: kernels take device arrays, numbers and NumPy "
                        "scalars")


cdef Packed _pack(tuple args, str kernel):
    """The arguments of a call."""
    cdef Packed packed = Packed.__new__(Packed)
    cdef int64_t integer
    cdef double number
    cdef double parts[2]
    cdef char truth
    packed.key, packed.held = [], []
    for value in args:
        if isinstance(value, ndarray):
            packed.add_array(<ndarray>value, kernel)
        elif type(value) is float:
            number = value
            packed.key.append(float)
            packed.add(&number, sizeof(number), sizeof(number), kernel)
        elif type(value) is bool:
            truth = value
            packed.key.append(bool)
            packed.add(&truth, 1, 1, kernel)
        elif type(value) is int:
            try:
                integer = value
            except OverflowError:
                raise OverflowError(f"{kernel}: {value} does not fit in 64 bits") from None
            packed.key.append(int)
            packed.add(&integer, sizeof(integer), sizeof(integer), kernel)
        elif type(value) is complex:
            parts[0], parts[1] = value.real, value.imag
            packed.key.append(complex)
            packed.add(parts, sizeof(parts), sizeof(double), kernel)
        else:
            packed.add_scalar(value, kernel)
    return packed


def described(key):
    """What an element of a key stands for.

    Parameters
    ----------
    key : int or type
        Of a key as `Launcher` makes it.

    Returns
    -------
    type, dtype or tuple
        A Python type, the dtype of a NumPy scalar, or dtype, number of axes, layout and whether it can be written
        of an array.
    """
    if not isinstance(key, int):
        return numpy.dtype(key) if issubclass(key, numpy.generic) else key
    rest, ndim = divmod(key, 128)
    rest, writeable = divmod(rest, 2)
    code, layout = divmod(rest, 4)
    return dtype_of(code), ndim, "CFA"[layout], bool(writeable)


cdef int _read(object dims, unsigned int* out, str kernel, str what) except -1:
    """Read a grid or a block: up to three positive integers, or one."""
    cdef int d
    if type(dims) is not tuple:
        dims = tuple(dims) if isinstance(dims, list) else (dims,)
    if not 1 <= len(dims) <= 3:
        raise ValueError(f"{kernel}: {what} must have one to three dimensions, {dims} has {len(dims)}")
    out[1] = out[2] = 1
    for d in range(<int>len(dims)):
        try:
            out[d] = (<tuple>dims)[d].__index__()
        except AttributeError:
            raise TypeError(f"{kernel}: {what} must be a tuple of integers, not {dims!r}") from None
        except OverflowError:
            out[d] = 0
        if out[d] == 0 or out[d] > 0x7FFFFFFF:
            raise ValueError(f"{kernel}: every dimension of {what} must be between 1 and {0x7FFFFFFF}, it is {dims}")
    return 0


cdef class Variant:
    """A kernel, compiled for the types of its arguments and loaded on a device.

    Parameters
    ----------
    function : DeviceFunction
        The loaded kernel.
    cooperative : bool
        Whether it has barriers of the grid.
    """
    cdef readonly DeviceFunction function
    cdef readonly bint cooperative

    def __init__(self, DeviceFunction function not None, bint cooperative):
        self.function, self.cooperative = function, cooperative


cdef class Launcher:
    """The launches of one kernel.

    Parameters
    ----------
    name : str
        Of the kernel, for messages.
    compile : callable
        Gives the `Variant` for the key of the arguments' types and a device.
    """
    cdef str name
    cdef object compile
    cdef readonly dict variants

    def __init__(self, str name not None, compile):
        self.name, self.compile = name, compile
        self.variants = {}

    def launch(self, grid, block, args, shared_mem, stream):
        """Launch the kernel; it is compiled before for new types of arguments.

        Parameters
        ----------
        grid, block : int or tuple of int
        args : tuple
        shared_mem : int
            Bytes of dynamic shared memory.
        stream : Stream or None
            None is the current one.
        """
        cdef Launch how
        cdef Variant variant
        cdef Packed packed
        if not isinstance(args, tuple):
            if not isinstance(args, list):
                raise TypeError(f"{self.name}: args must be a tuple of the kernel's arguments, not "
                                f"{type(args).__name__}; write (x,) for one")
            args = tuple(args)
        _read(grid, how.grid, self.name, "the grid")
        _read(block, how.block, self.name, "the block")
        packed = _pack(args, self.name)
        if packed.device is None:
            packed.device = current_device()
        if packed.device.is_cpu:
            raise RuntimeError(f"{self.name}: kernels of gpunp.jit run on CUDA devices only; on the CPU device, use "
                               "gpunp.vectorize for a function of numbers, or write the loop with array functions")
        key = (packed.device.index, *packed.key)
        found = self.variants.get(key)
        if found is None:
            found = self.variants.setdefault(key, self.compile(packed.key, packed.device))
        variant = <Variant>found
        if variant.function.layout.nbytes != packed.nbytes:
            raise RuntimeError(f"{self.name}: the compiled kernel takes {variant.function.layout.nbytes} bytes of "
                               f"arguments, not {packed.nbytes}; this version of numba-cuda passes them in another way")
        how.cluster[0] = how.cluster[1] = how.cluster[2] = 0
        how.shared_bytes = shared_mem
        how.cooperative = variant.cooperative
        check_status(packed.device)
        variant.function.launch(&how, stream, packed.data)


def bytes_of(args):
    """The bytes of arguments as a launch passes them, and the key of their types.

    Parameters
    ----------
    args : tuple

    Returns
    -------
    tuple of bytes and tuple
    """
    cdef Packed packed = _pack(args, "kernel")
    return packed.data[:packed.nbytes], tuple(packed.key)
