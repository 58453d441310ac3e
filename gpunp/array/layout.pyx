"""New arrays in a requested memory order, and copies into them."""
import numpy

from cpython.long cimport PyLong_AsLongLongAndOverflow, PyLong_CheckExact
from libc.string cimport memcpy

from gpunp.array.ndarray cimport MAX_NDIM, code_of, ndarray, new_array, new_array_strided
from gpunp.array.operators cimport hooks
from gpunp.array.ndarray cimport new_view
from gpunp.array.strides cimport f_strides, permuted_strides
from gpunp.device cimport Device, as_device, check_status
from gpunp.dtype_codes cimport itemsize_of

from gpunp.array.dtype import DTYPES, as_dtype

cdef enum:
    SMALL = 1 << 14     # elements of a copy that is made at once


# The codes of dtypes by what programs give for them: objects whose meaning never changes.
cdef dict _codes = {
    given: code for code, dtype in enumerate(DTYPES) for given in (dtype, dtype.type, dtype.name, dtype.str[1:])
}
_codes.update({kind: code_of(as_dtype(kind)) for kind in (bool, int, float, complex)})


cdef bint names_code(object dtype, int* code) except -1:
    # Not everything that names a dtype can be a key.
    found = _codes.get(dtype) if isinstance(dtype, (type, str, numpy.dtype)) else None
    if found is None:
        return False
    code[0] = found
    return True


cdef int order_code(object order) except -1:
    """The character C, F, A or K of an ``order=`` argument; None is K."""
    cdef Py_UCS4 letter
    if order is None:
        return c"K"
    if isinstance(order, str) and len(<str>order) == 1:
        letter = (<str>order)[0]
        if letter in "CFAKcfak":
            return <int>letter & 0xdf  # to upper case
    if not isinstance(order, str):
        raise TypeError(f"order must be str, not {type(order).__name__}")
    raise ValueError(f"order must be one of 'C', 'F', 'A', or 'K' (got {order!r})")


def is_integer(value):
    """Whether an argument is one integer, not a sequence; arrays have ``__index__`` even if they have axes."""
    return hasattr(value, "__index__") and not getattr(value, "ndim", 0)


cdef int parse_shape(object shape, Py_ssize_t* out) except -1:
    """Fill ``out`` from an int or a sequence of ints; returns the number of dimensions."""
    cdef int i, ndim
    if isinstance(shape, int) or is_integer(shape):
        out[0] = _extent(shape)
        ndim = 1
    else:
        dims = tuple(shape)
        ndim = len(dims)
        if ndim > MAX_NDIM:
            raise ValueError(f"maximum supported dimension for an ndarray is {MAX_NDIM}, found {ndim}")
        for i in range(ndim):
            out[i] = _extent(dims[i])
    for i in range(ndim):
        if out[i] < 0:
            raise ValueError("negative dimensions are not allowed")
    return ndim


cdef Py_ssize_t _extent(object value) except? -1:
    """Convert one extent to an integer; a bool is invalid, as in NumPy."""
    cdef long long extent
    cdef int overflow = 0
    if PyLong_CheckExact(value):
        extent = PyLong_AsLongLongAndOverflow(value, &overflow)
        if not overflow:
            return extent
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"a shape must consist of integers, not {type(value).__name__}: {value}")
    try:
        return value.__index__()
    except OverflowError:
        raise ValueError("Maximum allowed dimension exceeded") from None


cdef void keep_axes(ndarray source, int* axes) noexcept:
    """Axes of ``source`` from the smallest stride to the largest; axes of equal stride stay in C order."""
    cdef int i, j, axis, ndim = source.ndim_
    for i in range(ndim):
        axis = ndim - 1 - i
        j = i
        while j > 0 and abs(source.strides_[axis]) < abs(source.strides_[axes[j - 1]]):
            axes[j] = axes[j - 1]
            j -= 1
        axes[j] = axis


def empty(shape, dtype, order="C", device=None):
    """A new uninitialized array of native dtype ``dtype`` in order C (also None) or F."""
    cdef Py_ssize_t dims[MAX_NDIM]
    cdef Py_ssize_t strides[MAX_NDIM]
    cdef int ndim = parse_shape(shape, dims)
    cdef Device place = as_device(device)
    cdef int code = code_of(dtype)
    cdef int wanted = c"C" if order is None else order_code(order)
    if wanted == c"C":
        return new_array(code, ndim, dims, place)
    if wanted != c"F":
        raise ValueError("only 'C' or 'F' order is permitted")
    f_strides(ndim, dims, itemsize_of(code), strides)
    return new_array_strided(code, ndim, dims, strides, place)


def zeros(shape, dtype, order="C", device=None):
    """A new array of zeros in order C or F."""
    cdef ndarray out = empty(shape, dtype, order, device)
    check_status(out.device_)
    if out.size_:
        out.device_.fill_bytes(out.data_ptr(), 0, out.size_ * out.itemsize_)
    return out


cdef ndarray new_like(ndarray source, int code, int order, Device device):
    """A new uninitialized array of the shape of ``source`` in the given memory order."""
    cdef Py_ssize_t strides[MAX_NDIM]
    cdef int axes[MAX_NDIM]
    cdef int ndim = source.ndim_
    if order == c"A":
        order = c"F" if source.f_contiguous and not source.c_contiguous else c"C"
    elif order == c"K" and (source.c_contiguous or ndim <= 1):
        order = c"C"
    if order == c"C":
        return new_array(code, ndim, source.shape_, device)
    if order == c"F":
        f_strides(ndim, source.shape_, itemsize_of(code), strides)
    else:
        keep_axes(source, axes)
        permuted_strides(ndim, source.shape_, itemsize_of(code), axes, strides)
    return new_array_strided(code, ndim, source.shape_, strides, device)


def empty_like(ndarray source not None, dtype=None, order="K", device=None, shape=None):
    """A new uninitialized array like ``source``; K keeps its order of axes, also for a shape of as many dimensions."""
    cdef int code = source.code if dtype is None else code_of(dtype)
    cdef Device place = source.device_ if device is None else as_device(device)
    cdef Py_ssize_t dims[MAX_NDIM]
    cdef Py_ssize_t strides[MAX_NDIM]
    cdef int axes[MAX_NDIM]
    cdef int ndim, wanted = order_code(order)
    if shape is None:
        return new_like(source, code, wanted, place)
    ndim = parse_shape(shape, dims)
    if wanted == c"K" and ndim == source.ndim_ and not source.c_contiguous:
        keep_axes(source, axes)
        permuted_strides(ndim, dims, itemsize_of(code), axes, strides)
        return new_array_strided(code, ndim, dims, strides, place)
    if wanted == c"A" and source.f_contiguous and not source.c_contiguous:
        wanted = c"F"
    return empty(shape, DTYPES[code], "F" if wanted == c"F" else "C", place)


def converted(ndarray source not None, dtype=None, order="K"):
    """A copy on the same device, with another dtype or memory order."""
    cdef int code = source.code if dtype is None else code_of(dtype)
    cdef ndarray out
    if (dtype is None and source.c_contiguous and source.device_.is_cpu
            and source.size_ < min(<Py_ssize_t>SMALL, source.device_.deferred_elements)
            and (order == "C" or order == "K")):
        out = new_array(code, source.ndim_, source.shape_, source.device_)
        if source.size_:
            memcpy(out.data_ptr(), source.read_ptr(), source.size_ * source.itemsize_)
        return out
    check_status(source.device_)
    out = new_like(source, code, order_code(order), source.device_)
    hooks.copy(out, source)
    return out


def copy_into(ndarray target not None, ndarray source not None):
    """Write ``source``, broadcast and converted, into ``target``; both are on one device."""
    hooks.copy(target, source)


def strided_view(ndarray source not None, shape, strides, Py_ssize_t offset=0):
    """A view of the same memory with any shape and byte strides; the caller must check the bounds."""
    cdef Py_ssize_t dims[MAX_NDIM]
    cdef Py_ssize_t steps[MAX_NDIM]
    cdef int i, ndim = len(shape)
    if ndim > MAX_NDIM:
        raise ValueError(f"maximum supported dimension for an ndarray is {MAX_NDIM}, found {ndim}")
    for i in range(ndim):
        dims[i] = shape[i]
        steps[i] = strides[i]
    return new_view(source, source.address() + offset, source.code, ndim, dims, steps)


def byte_bounds(ndarray source not None):
    """Addresses of the first byte and of the byte after the last one that the array reaches."""
    cdef size_t low = <size_t>source.data_ptr()
    cdef size_t high = low
    cdef int i
    if source.size_ == 0:
        return low, high
    for i in range(source.ndim_):
        if source.strides_[i] < 0:
            low += (source.shape_[i] - 1) * source.strides_[i]
        else:
            high += (source.shape_[i] - 1) * source.strides_[i]
    return low, high + source.itemsize_
