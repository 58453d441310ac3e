"""Basic indexing: integers, slices, ``newaxis`` and the ellipsis; results are views."""
import numpy as np

from cpython.float cimport PyFloat_CheckExact
from cpython.list cimport PyList_CheckExact
from cpython.long cimport PyLong_AsLongLongAndOverflow, PyLong_Check, PyLong_CheckExact
from cpython.number cimport PyNumber_AsSsize_t
from cpython.slice cimport PySlice_Check
from cpython.tuple cimport PyTuple_CheckExact, PyTuple_GET_ITEM, PyTuple_GET_SIZE

from gpunp.array.ndarray cimport (
    MAX_NDIM, as_scalar, ndarray, new_array, new_view, require_writeable, unmarked_copy,
)
from gpunp.array.operators cimport hooks
from gpunp.array.returning cimport released
from gpunp.array.scalars cimport python_number
from gpunp.array.short cimport is_short
from gpunp.device cimport BY_READ, RESERVED, flush_because
from gpunp.dtype_codes cimport BOOL, F8, is_complex, is_inexact, is_integer
from gpunp.indexing.few cimport put_few, take_few
from gpunp.indexing.few_axes cimport put_along_axes, take_along_axes
from gpunp.ufunc.copying cimport fill
from gpunp.ufunc.operands cimport store_scalar

from gpunp.array.arguments import warn_of_imaginary

cdef extern from "Python.h":
    int PySlice_Unpack(object slice, Py_ssize_t* start, Py_ssize_t* stop, Py_ssize_t* step) except -1
    Py_ssize_t PySlice_AdjustIndices(Py_ssize_t length, Py_ssize_t* start, Py_ssize_t* stop, Py_ssize_t step)

cdef extern from *:
    """
    // Elements have 1, 2, 4, 8 or 16 bytes: no call of a function for the most common ones.
    static inline void gpunp_copy_element(void* target, const void* source, int size) {
        if (size == 8) memcpy(target, source, 8);
        else if (size == 4) memcpy(target, source, 4);
        else memcpy(target, source, size);
    }
    """
    void copy_element "gpunp_copy_element" (void* target, const void* source, int size) noexcept

cdef object _int64 = np.int64
# Set by the advanced-indexing engine: (array, key) -> array, and (array, key, value).
cdef object _advanced_get = None
cdef object _advanced_set = None
cdef object _asarray = None
cdef object _assigned = None


def install(advanced_get, advanced_set, asarray, assigned):
    """Set the handlers of advanced indexing and the converters of assigned values."""
    global _advanced_get, _advanced_set, _asarray, _assigned
    _advanced_get = advanced_get
    _advanced_set = advanced_set
    _asarray = asarray
    _assigned = assigned


cdef inline bint _is_integer(object item):
    return (PyLong_Check(item) and not isinstance(item, bool)) or isinstance(item, np.integer)


cdef bint _is_basic(object item):
    return item is None or item is Ellipsis or PySlice_Check(item) or _is_integer(item)


cdef object _refuse(object item):
    if isinstance(item, (float, np.floating, str, bytes, complex, np.complexfloating)):
        raise IndexError("only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer "
                         f"or boolean arrays are valid indices; got {item!r}")


cdef object _view(ndarray array, tuple key):
    """The view that a tuple of basic indices selects."""
    cdef Py_ssize_t[MAX_NDIM] shape
    cdef Py_ssize_t[MAX_NDIM] strides
    cdef Py_ssize_t start, stop, step, extent, index
    cdef int axis = 0, ndim = 0, used = 0, dims = array.ndim_, missing
    cdef bint ellipsis = False
    cdef char* data = array.address()
    for item in key:
        if item is Ellipsis:
            if ellipsis:
                raise IndexError("an index can only have a single ellipsis ('...')")
            ellipsis = True
        elif item is None:
            dims += 1
        else:
            used += 1
            dims -= not PySlice_Check(item)
    if used > array.ndim_:
        raise IndexError(f"too many indices for array: array is {array.ndim_}-dimensional, "
                         f"but {used} were indexed")
    if dims > MAX_NDIM:
        raise IndexError(f"number of dimensions must be within [0, {MAX_NDIM}], "
                         "indexing result would have more")
    missing = array.ndim_ - used
    for item in key:
        if PySlice_Check(item):
            PySlice_Unpack(item, &start, &stop, &step)
            extent = PySlice_AdjustIndices(array.shape_[axis], &start, &stop, step)
            if extent:
                data += start * array.strides_[axis]
            shape[ndim] = extent
            strides[ndim] = array.strides_[axis] * step
            ndim += 1
            axis += 1
        elif item is None:
            shape[ndim] = 1
            strides[ndim] = 0
            ndim += 1
        elif item is Ellipsis:
            while missing:
                shape[ndim] = array.shape_[axis]
                strides[ndim] = array.strides_[axis]
                ndim += 1
                axis += 1
                missing -= 1
        else:
            index = PyNumber_AsSsize_t(item, IndexError)
            extent = array.shape_[axis]
            if index < -extent or index >= extent:
                raise IndexError(f"index {index} is out of bounds for axis {axis} with size {extent}")
            if index < 0:
                index += extent
            data += index * array.strides_[axis]
            axis += 1
    while axis < array.ndim_:
        shape[ndim] = array.shape_[axis]
        strides[ndim] = array.strides_[axis]
        ndim += 1
        axis += 1
    return new_view(array, data, array.code, ndim, shape, strides)


cdef object _basic(object key):
    """The key as a tuple of basic indices, or None if it needs advanced indexing."""
    cdef tuple parts
    if isinstance(key, tuple):
        parts = <tuple>key
        for item in parts:
            if not _is_basic(item):
                _refuse(item)
                return None
        return parts
    if _is_basic(key):
        return (key,)
    _refuse(key)
    return None


cdef inline Py_ssize_t _step(ndarray array, int axis, object key) except? -1:
    """The bytes from the beginning of an axis to an index of it."""
    cdef int overflow = 0
    cdef Py_ssize_t index = PyLong_AsLongLongAndOverflow(key, &overflow), extent = array.shape_[axis]
    if overflow:
        index = PyNumber_AsSsize_t(key, IndexError)
    if index < -extent or index >= extent:
        raise IndexError(f"index {index} is out of bounds for axis {axis} with size {extent}")
    return (index + extent if index < 0 else index) * array.strides_[axis]


cdef bint _selects_element(ndarray array, object key, Py_ssize_t* offset) except -1:
    """Whether a key is an integer for each axis, of Python's type; set the distance of the element in bytes."""
    cdef int axis, ndim = array.ndim_
    if PyLong_CheckExact(key):
        if ndim != 1:
            return False
        offset[0] = _step(array, 0, key)
        return True
    if not PyTuple_CheckExact(key) or ndim == 0 or PyTuple_GET_SIZE(key) != ndim:
        return False
    for axis in range(ndim):
        if not PyLong_CheckExact(<object>PyTuple_GET_ITEM(key, axis)):
            return False
    offset[0] = 0
    for axis in range(ndim):
        offset[0] += _step(array, axis, <object>PyTuple_GET_ITEM(key, axis))
    return True


cdef ndarray _host_element(ndarray array, Py_ssize_t offset):
    """An element of an array on the CPU device, copied at once."""
    cdef ndarray element
    if array.buffer.writes or <size_t>array._data >= RESERVED:
        flush_because(array.device_, BY_READ)
    element = new_array(array.code, 0, NULL, array.device_)
    copy_element(element._data, array.read_ptr() + offset, array.itemsize_)
    element.scalar = True
    element.writeable = False
    return released(element)


cdef bint _set_host_element(ndarray array, Py_ssize_t offset, object value) except -1:
    """Write an element of an array on the CPU device, if the value is a number that needs no conversion by NumPy."""
    cdef unsigned char[16] element
    cdef ndarray source
    if type(value) is ndarray:
        source = <ndarray>value
        if source.ndim_ or source.code != array.code or source.device_ is not array.device_:
            return False
        copy_element(element, source.read_ptr(), array.itemsize_)
    elif array.code == F8 and PyFloat_CheckExact(value):
        (<double*>element)[0] = value
    elif _fits(array, value):
        store_scalar(element, array.code, value)
    else:
        return False
    copy_element(array.data_ptr() + offset, element, array.itemsize_)
    return True


cdef inline bint _is_number(object item) noexcept:
    """Whether a value is an integer of NumPy, or one that the CPU device holds as a scalar."""
    return (type(item) is ndarray and (<ndarray>item).scalar and is_integer((<ndarray>item).code) and is_short(item)
            or type(item) is _int64)


cdef object _number(object item):
    """Such an integer as Python's; any other value itself."""
    if not _is_number(item):
        return item
    if type(item) is ndarray:
        return python_number((<ndarray>item).code, (<ndarray>item).read_ptr())
    return int(item)


cdef object _with_numbers(object key):
    """A key with the integers in it as Python's."""
    cdef tuple parts
    if not PyTuple_CheckExact(key):
        return _number(key)
    parts = <tuple>key
    for item in parts:
        if _is_number(item):
            return tuple([_number(each) for each in parts])
    return key


cdef ndarray _along_first(ndarray array, object key):
    """The view that a slice of the first axis selects, or an integer of Python if there are more axes; else None."""
    cdef Py_ssize_t[MAX_NDIM] shape
    cdef Py_ssize_t[MAX_NDIM] strides
    cdef Py_ssize_t start, stop, step
    cdef int d, ndim = array.ndim_
    cdef char* data = array.address()
    if PyLong_CheckExact(key):
        if ndim < 2:
            return None
        return new_view(array, data + _step(array, 0, key), array.code, ndim - 1, array.shape_ + 1, array.strides_ + 1)
    if ndim == 0 or not PySlice_Check(key):
        return None
    PySlice_Unpack(key, &start, &stop, &step)
    for d in range(1, ndim):
        shape[d], strides[d] = array.shape_[d], array.strides_[d]
    shape[0] = PySlice_AdjustIndices(array.shape_[0], &start, &stop, step)
    strides[0] = array.strides_[0] * step
    return new_view(array, data + start * array.strides_[0] if shape[0] else data, array.code, ndim, shape, strides)


cdef object _getitem(object array, object key):
    cdef Py_ssize_t offset = 0
    if (<ndarray>array).device_.is_cpu:
        if _selects_element(<ndarray>array, key, &offset):
            return _host_element(<ndarray>array, offset)
        numbers = _with_numbers(key)
        if numbers is not key:
            return _getitem(array, numbers)
    cdef ndarray view = _along_first(<ndarray>array, key)
    if view is not None:
        return released(view)
    cdef object basic
    if type(key) is ndarray or PyList_CheckExact(key):
        few = take_few(<ndarray>array, key)
        if few is not None:
            return few
    basic = _basic(key)
    if basic is None:
        few = take_along_axes(<ndarray>array, key)
        return _advanced_get(array, key) if few is None else few
    view = _view(<ndarray>array, <tuple>basic)
    return view if view.ndim_ else _element(view, <tuple>basic)


cdef ndarray _element(ndarray view, tuple key):
    """The result for a 0-d view: a scalar, or with an ellipsis a 0-d array."""
    if _is_element(key):
        return view if view.scalar else as_scalar(unmarked_copy(view))
    return unmarked_copy(view) if view.scalar else view


cdef bint _fits(ndarray target, object value) except -1:
    """Whether a Python number can be stored by value: its kind converts to the target's without NumPy's errors."""
    kind = type(value)
    if kind is int:
        return target.code != BOOL
    if kind is float:
        return is_inexact(target.code)
    return kind is bool or kind is complex and is_complex(target.code)


cdef int _setitem(object array, object key, object value) except -1:
    cdef ndarray target = <ndarray>array
    cdef ndarray source
    cdef object basic
    cdef unsigned char[16] element
    cdef Py_ssize_t offset = 0
    if target.scalar:
        return _set_scalar(target, key, value)
    require_writeable(target)
    if target.device_.is_cpu:
        key = _with_numbers(key)
    # Where operations on single elements are deferred, this one must not overtake them.
    if (target.device_.is_cpu and target.device_.deferred_elements > 1
            and _selects_element(target, key, &offset) and _set_host_element(target, offset, value)):
        return 0
    if (type(key) is ndarray or PyList_CheckExact(key)) and put_few(target, key, value):
        return 0
    basic = _basic(key)
    if basic is None:
        if not put_along_axes(target, key, value):
            _advanced_set(array, key, value)
        return 0
    target = <ndarray>_view(target, <tuple>basic)
    if _fits(target, value):
        store_scalar(element, target.code, value)
        fill(target, element)
        return 0
    if isinstance(value, ndarray):
        source = <ndarray>value
        if source.ndim_ and target.ndim_ == 0 and _is_element(<tuple>basic):
            _refuse_sequence(target, source)
        if source.device_ is not target.device_:
            source = <ndarray>_asarray(value, device=target.device_)
    else:
        # A NumPy scalar must fit, like a Python number; arrays are cast.
        element_only = isinstance(value, np.generic) or (target.ndim_ == 0 and _is_element(<tuple>basic))
        source = <ndarray>_assigned(value, target, element_only)
    if is_complex(source.code) and not is_complex(target.code) and target.code != BOOL:
        warn_of_imaginary(source.dtype, target.dtype)
    # Like NumPy, drop excess leading axes of length one from the assigned value.
    cdef int extra = source.ndim_ - target.ndim_
    cdef int d
    if extra > 0:
        for d in range(extra):
            if source.shape_[d] != 1:
                raise ValueError(f"could not broadcast input array from shape {source.shape} into shape "
                                 f"{target.shape}")
        source = new_view(source, source.address(), source.code, target.ndim_, source.shape_ + extra,
                          source.strides_ + extra)
    hooks.copy(target, source)
    return 0


cdef int _set_scalar(ndarray scalar, object key, object value) except -1:
    """Replace the value of a scalar, as array API code expects of 0-d arrays; arrays that share the old value keep it.

    NumPy's scalars refuse assignment.
    """
    cdef ndarray renewed = unmarked_copy(scalar)
    _setitem(renewed, key, value)
    scalar.buffer = renewed.buffer
    scalar._data = renewed._data
    scalar.fetched = None
    return 0


cdef bint _is_element(tuple key):
    """Whether a key that leaves no axis selects an element, not a 0-d view."""
    for item in key:
        if item is Ellipsis:
            return False
    return True


cdef int _refuse_sequence(ndarray target, ndarray source) except -1:
    """Raise NumPy's error for an array with axes as the value of an element; a bool takes the truth of one element."""
    if is_complex(target.code):
        raise TypeError("only 0-dimensional arrays can be converted to Python scalars")
    if target.code != BOOL or source.size_ != 1:
        raise ValueError("setting an array element with a sequence.")
    return 0


hooks.getitem = _getitem
hooks.setitem = _setitem
