"""Arguments of raw kernels: Python objects to the bytes of a kernel's parameters.

The driver knows the offset and the size of every parameter, not its type. So the number of arguments and the size of
each are checked here; a pointer to other elements, or an integer for a ``double``, cannot be.
"""
import operator

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.complex cimport PyComplex_ImagAsDouble, PyComplex_RealAsDouble
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_CheckExact
from cpython.long cimport PyLong_CheckExact
from cpython.object cimport PyObject
from libc.math cimport isfinite
from libc.string cimport memcpy

import numpy as np

from gpunp.array.ndarray cimport ndarray
from gpunp.device cimport Buffer, Device

from gpunp.array.foreign import from_foreign, is_exchanged

cdef extern from "Python.h":
    long long PyLong_AsLongLongAndOverflow(object value, int* overflow) except? -1
    unsigned long long PyLong_AsUnsignedLongLong(object value) except? 0
    PyObject* PyDict_GetItem(dict table, object key)

cdef enum:
    POINTER = 8             # bytes of a pointer on the device
    TENSOR_MAP = 128        # bytes of a CUtensorMap

cdef object _host_array = np.ndarray

# NumPy's types of numbers, to their dtype characters.
cdef dict _numbers = {np.dtype(char).type: char for char in "?bBhHiIlLqQefdFD"}


cdef Device device_of(tuple args):
    cdef object arg
    for arg in args:
        if type(arg) is ndarray and not (<ndarray>arg).device_.is_cpu:
            return (<ndarray>arg).device_
    return None


cdef object pack(const Layout* layout, tuple args, Device device, str kernel, char* target):
    cdef Py_ssize_t i
    cdef object arg, held, keep = None
    cdef size_t size
    cdef char* place
    cdef void* pointer
    if len(args) != layout.count:
        raise TypeError(f"{kernel} takes {_count(layout.count)}, {len(args)} "
                        f"{'was' if len(args) == 1 else 'were'} given")
    for i in range(layout.count):
        arg = args[i]
        size = layout.sizes[i]
        place = target + layout.offsets[i]
        if type(arg) is ndarray:
            if (<ndarray>arg).device_ is not device or size != POINTER:
                raise _array_error(kernel, i, arg, device, size)
            pointer = (<ndarray>arg).data_ptr()
            memcpy(place, &pointer, POINTER)
        elif PyLong_CheckExact(arg):
            _put_integer(place, size, arg, kernel, i)
        elif PyFloat_CheckExact(arg):
            _put_float(place, size, PyFloat_AS_DOUBLE(arg), arg, kernel, i)
        elif PyDict_GetItem(_numbers, type(arg)) != NULL:
            _put_bytes(place, size, arg, kernel, i)
        elif arg is None:
            _put_pointer(place, size, None, 0, kernel, i)
        else:
            held = _put_other(place, size, arg, kernel, i, device)
            if held is not None:
                keep = [keep, held]
    return keep


cdef str _count(int count):
    return "no arguments" if count == 0 else "1 argument" if count == 1 else f"{count} arguments"


cdef int _put_integer(char* place, size_t size, object value, str kernel, Py_ssize_t i) except -1:
    """Write a Python integer in the size of the parameter, signed or unsigned, if it fits."""
    cdef int overflow = 0
    cdef long long number = PyLong_AsLongLongAndOverflow(value, &overflow)
    cdef unsigned long long large
    cdef int bits = <int>(8 * size)
    if size == sizeof(long long):
        if overflow == 0:
            memcpy(place, &number, size)
            return 0
        if overflow > 0 and value.bit_length() == bits:
            large = PyLong_AsUnsignedLongLong(value)
            memcpy(place, &large, size)
            return 0
    elif size in (1, 2, 4):
        if overflow == 0 and -(1LL << (bits - 1)) <= number < (1LL << bits):
            # The low bytes of little-endian two's complement are the narrower integer.
            memcpy(place, &number, size)
            return 0
    else:
        raise _size_error(kernel, i, value, f"an int is passed in {sizeof(long long)} bytes or fewer", size)
    raise OverflowError(f"{kernel}: args[{i}] = {value} does not fit into the kernel's parameter of {size} "
                        f"byte{'s' if size > 1 else ''}")


cdef int _put_float(char* place, size_t size, double value, object arg, str kernel, Py_ssize_t i) except -1:
    cdef float narrow = <float>value
    if size == sizeof(double):
        memcpy(place, &value, size)
    elif size == sizeof(float):
        if isfinite(value) and not isfinite(narrow):
            raise OverflowError(f"{kernel}: args[{i}] = {arg} does not fit into a float, the kernel's parameter "
                                "of 4 bytes")
        memcpy(place, &narrow, size)
    else:
        hint = "; for a __half pass numpy.float16(x)" if size == 2 else ""
        raise _size_error(kernel, i, arg, f"a float is passed as a double or a float{hint}", size)
    return 0


cdef int _put_complex(char* place, size_t size, object value, str kernel, Py_ssize_t i) except -1:
    cdef double real = PyComplex_RealAsDouble(value), imag = PyComplex_ImagAsDouble(value)
    if size not in (2 * sizeof(double), 2 * sizeof(float)):
        raise _size_error(kernel, i, value, "a complex is passed as complex<double> or complex<float>", size)
    _put_float(place, size // 2, real, value, kernel, i)
    _put_float(place + size // 2, size // 2, imag, value, kernel, i)
    return 0


cdef int _put_bytes(char* place, size_t size, object arg, str kernel, Py_ssize_t i) except -1:
    """Write the memory of a NumPy scalar, or of a NumPy array with one element."""
    cdef Py_buffer view
    cdef bint fits
    PyObject_GetBuffer(arg, &view, PyBUF_SIMPLE)
    fits = <size_t>view.len == size
    if fits:
        memcpy(place, view.buf, size)
    PyBuffer_Release(&view)
    if not fits:
        raise _value_error(kernel, i, arg, size)
    return 0


cdef int _put_pointer(char* place, size_t size, object arg, size_t address, str kernel, Py_ssize_t i) except -1:
    if size != POINTER:
        raise _size_error(kernel, i, arg, f"it is passed as a pointer of {POINTER} bytes", size)
    memcpy(place, &address, POINTER)
    return 0


cdef object _put_other(char* place, size_t size, object arg, str kernel, Py_ssize_t i, Device device):
    """Write an argument of any further kind; returns what must live until the launch, or None."""
    cdef size_t address
    if isinstance(arg, (ndarray, Buffer)) or is_exchanged(arg):
        held = arg if isinstance(arg, (ndarray, Buffer)) else from_foreign(arg)
        if held is None:
            raise _host_error(kernel, i, arg)
        if held.device is not device or size != POINTER:
            raise _array_error(kernel, i, held, device, size)
        address = held.address if isinstance(held, Buffer) else <size_t>(<ndarray>held).data_ptr()
        _put_pointer(place, size, arg, address, kernel, i)
        return held
    elif isinstance(arg, (_host_array, np.void)):
        if arg.size != 1:
            raise _host_error(kernel, i, arg)
        if arg.dtype.hasobject:
            raise TypeError(f"{kernel}: args[{i}] has the dtype {arg.dtype}, and a kernel cannot use Python objects")
        _put_bytes(place, size, arg, kernel, i)
    elif isinstance(arg, np.generic):
        raise TypeError(f"{kernel}: args[{i}] is a {type(arg).__name__}, which has no counterpart in CUDA C++")
    elif isinstance(arg, int):
        _put_integer(place, size, int(arg), kernel, i)
    elif isinstance(arg, float):
        _put_float(place, size, arg, arg, kernel, i)
    elif isinstance(arg, complex):
        _put_complex(place, size, complex(arg), kernel, i)
    else:
        _put_handle(place, size, arg, kernel, i, device)
    return None


cdef int _put_handle(char* place, size_t size, object arg, str kernel, Py_ssize_t i, Device device) except -1:
    """Write an object that holds an address or a handle: ``.ptr``, or a type of cuda.bindings."""
    cdef size_t address
    value = getattr(arg, "ptr", None)
    if value is None and hasattr(arg, "getPtr"):
        if type(arg).__name__ == "CUtensorMap" and size == TENSOR_MAP:
            address = arg.getPtr()
            memcpy(place, <const void*>address, TENSOR_MAP)
            return 0
        if hasattr(arg, "__int__"):
            value = int(arg)
    if value is None and hasattr(arg, "__index__"):
        return _put_integer(place, size, operator.index(arg), kernel, i)
    if not isinstance(value, int):
        if hasattr(arg, "__array_interface__") or hasattr(arg, "__array__") or hasattr(arg, "__dlpack__"):
            raise _host_error(kernel, i, arg)
        raise TypeError(f"{kernel}: args[{i}] is a {type(arg).__name__}; arguments are gpunp arrays and arrays of "
                        "other CUDA libraries, Python and NumPy scalars, None, and objects with an integer `ptr`")
    place_of = getattr(arg, "device", None)
    if isinstance(place_of, Device) and place_of is not device:
        raise _array_error(kernel, i, arg, device, POINTER)
    return _put_pointer(place, size, arg, value, kernel, i)


# The exceptions of arguments that do not fit.

cdef object _size_error(str kernel, Py_ssize_t i, object arg, str reason, size_t size):
    return TypeError(f"{kernel}: args[{i}] is {_article(arg)}, and the kernel's parameter has {size} "
                     f"byte{'s' if size > 1 else ''}: {reason}")


cdef str _article(object arg):
    if arg is None:
        return "None"
    name = type(arg).__name__
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


cdef object _value_error(str kernel, Py_ssize_t i, object arg, size_t size):
    """The exception of a NumPy value whose size is not the parameter's."""
    dtype = arg.dtype
    hint = ""
    if dtype.names is not None:
        aligned = np.dtype([(name, dtype.fields[name][0]) for name in dtype.names], align=True)
        if aligned.itemsize == size:
            hint = "; create the dtype with align=True, so that it is laid out as a C struct"
    elif dtype.kind in "iufc" and size in (1, 2, 4, 8, 16) and dtype.kind + str(size) not in ("f1", "c1", "c2", "c4"):
        other = f"{dtype.kind}{size}"
        hint = f"; pass numpy.{np.dtype(other).type.__name__}(x)" if other not in ("i16", "u16", "f16") else ""
    return TypeError(f"{kernel}: args[{i}] is of {dtype.itemsize} byte{'s' if dtype.itemsize > 1 else ''} "
                     f"({dtype}), and the kernel's parameter has {size}{hint}")


cdef object _host_error(str kernel, Py_ssize_t i, object arg):
    """The exception of an array in host memory."""
    what = "a NumPy array" if isinstance(arg, _host_array) else _article(arg)
    shape = getattr(arg, "shape", None)
    if shape is not None:
        what += f" of shape {tuple(shape)}"
    return TypeError(f"{kernel}: args[{i}] is {what} in host memory, which a kernel cannot read; "
                     "pass gpunp.asarray(x)")


cdef object _array_error(str kernel, Py_ssize_t i, object array, Device device, size_t size):
    """The exception of an array, or other memory, on another device or for a parameter that is no pointer."""
    place = array.device
    if place is not device:
        if place.is_cpu:
            return TypeError(f"{kernel}: args[{i}] is an array on the CPU device and the kernel runs on {device}; "
                             f"pass x.to_device({str(device)!r})")
        return ValueError(f"{kernel}: args[{i}] is on {place} and the kernel runs on {device}; move one with "
                          "to_device, or launch it where the arrays are")
    hint = ""
    if getattr(array, "size", None) == 1:
        hint = f"; for its value pass numpy.{array.dtype.type.__name__}(x), which waits for the device"
    return TypeError(f"{kernel}: args[{i}] is an array, which is passed as a pointer of {POINTER} bytes, and the "
                     f"kernel's parameter has {size}{hint}")
