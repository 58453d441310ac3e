"""Few elements of arrays on the CPU device that index arrays, lists of integers or masks select.

Programs read and write them in loops, and a launch of the general kernels takes many times as long as the work. What
is not as simple as the functions here expect, errors included, goes on to `gpunp.indexing.advanced`.
"""
from cpython.float cimport PyFloat_CheckExact
from cpython.list cimport PyList_CheckExact, PyList_GET_ITEM, PyList_GET_SIZE
from cpython.long cimport PyLong_AsLongLongAndOverflow, PyLong_CheckExact
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy

from gpunp.array.ndarray cimport MAX_NDIM, ndarray, new_array
from gpunp.array.returning cimport released
from gpunp.dtype_codes cimport BOOL, F8, I4, I8, is_inexact
from gpunp.ufunc.copying cimport overlaps
from gpunp.ufunc.operands cimport store_scalar

cdef enum:
    FEW = 128           # elements of an index
    ROW = 2048          # of one that selects words of a single axis
    FEW_BYTES = 4096    # of what they select


# Where the elements of an index are, by their distances from the first element of the array.
cdef struct Places:
    Py_ssize_t count
    Py_ssize_t nbytes               # of the run of elements at each place
    Py_ssize_t step                 # bytes between neighbors along the first axis
    Py_ssize_t[FEW] offset
    int axes                        # of the index
    const Py_ssize_t* shape         # of these axes
    int taken                       # axes of the array that the index takes the place of


cdef inline bint _is_row_by_row(ndarray array) noexcept:
    """Whether the array is on the CPU device, and what one index selects lies together."""
    return array.device_.is_cpu and array.ndim_ > 0 and (array.ndim_ == 1 or array.c_contiguous)


cdef bint _add(Places* places, ndarray array, long long index) noexcept:
    cdef Py_ssize_t extent = array.shape_[0]
    if not -extent <= index < extent:
        return False
    places.offset[places.count] = (index + extent if index < 0 else index) * places.step
    places.count += 1
    return True


cdef bint _find_integers(Places* places, ndarray array, ndarray index) except -1:
    cdef const char* data
    cdef Py_ssize_t i
    if index.ndim_ == 0 or not index.c_contiguous or index.size_ > FEW:
        return False
    data = index.read_ptr()
    for i in range(index.size_):
        if not _add(places, array, (<const int64_t*>data)[i] if index.code == I8 else (<const int32_t*>data)[i]):
            return False
    places.axes, places.shape = index.ndim_, index.shape_
    return True


cdef bint _find_true(Places* places, ndarray array, ndarray mask) except -1:
    """Places of the elements where a mask of the array's shape is true."""
    cdef const char* data
    cdef Py_ssize_t i, step = array.itemsize_ if array.ndim_ > 1 else places.step
    cdef int d
    if mask.ndim_ != array.ndim_ or mask.size_ > FEW or not mask.c_contiguous:
        return False
    for d in range(mask.ndim_):
        if mask.shape_[d] != array.shape_[d]:
            return False
    data = mask.read_ptr()
    for i in range(mask.size_):
        places.offset[places.count] = i * step
        places.count += data[i] != 0
    places.nbytes = array.itemsize_
    places.axes, places.shape = 1, &places.count
    places.taken = array.ndim_
    return True


cdef bint _find_listed(Places* places, ndarray array, list index) except -1:
    cdef Py_ssize_t i, n = PyList_GET_SIZE(index)
    cdef int overflow = 0
    cdef long long value
    if n == 0 or n > FEW:
        return False
    for i in range(n):
        if not PyLong_CheckExact(<object>PyList_GET_ITEM(index, i)):
            return False
        value = PyLong_AsLongLongAndOverflow(<object>PyList_GET_ITEM(index, i), &overflow)
        if overflow or not _add(places, array, value):
            return False
    places.axes, places.shape = 1, &places.count
    return True


cdef bint _find(Places* places, ndarray array, object key) except -1:
    """Whether a key is of the simple kind; set what it selects."""
    cdef ndarray index
    places.count = 0
    if not _is_row_by_row(array):
        return False
    places.taken = 1
    places.nbytes = array.itemsize_
    if array.ndim_ > 1 and array.shape_[0]:
        places.nbytes *= array.size_ // array.shape_[0]
    places.step = array.strides_[0] if array.ndim_ == 1 else places.nbytes
    if PyList_CheckExact(key):
        if not _find_listed(places, array, <list>key):
            return False
    else:
        index = <ndarray>key
        if index.device_ is not array.device_ or index.scalar:
            return False
        if index.code == BOOL:
            if not _find_true(places, array, index):
                return False
        elif not (index.code == I8 or index.code == I4) or not _find_integers(places, array, index):
            return False
    return (places.count * places.nbytes <= FEW_BYTES and places.axes + array.ndim_ <= MAX_NDIM
            and places.count < array.device_.deferred_elements)


cdef inline void _copy(char* target, const char* source, Py_ssize_t nbytes) noexcept:
    """Without a call of a function for elements of the most common sizes."""
    if nbytes == 8:
        memcpy(target, source, 8)
    elif nbytes == 4:
        memcpy(target, source, 4)
    else:
        memcpy(target, source, nbytes)


cdef inline bint _are_words(ndarray array, object key) noexcept:
    """Whether a key is a longer row of indices, of an array of one axis with elements of 8 bytes."""
    cdef ndarray index
    if array.ndim_ != 1 or array.itemsize_ != 8 or not array.device_.is_cpu or type(key) is not ndarray:
        return False
    index = <ndarray>key
    return (index.code == I8 and index.ndim_ == 1 and index.c_contiguous and index.device_ is array.device_
            and FEW < index.size_ <= ROW and index.size_ < array.device_.deferred_elements)


cdef ndarray _take_words(ndarray array, ndarray index):
    """Elements of 8 bytes along a single axis; None if an index is out of bounds."""
    cdef Py_ssize_t i, extent = array.shape_[0], step = array.strides_[0]
    cdef const char* source = array.read_ptr()
    cdef const int64_t* places = <const int64_t*>index.read_ptr()
    cdef ndarray made = new_array(array.code, 1, index.shape_, array.device_)
    cdef int64_t place
    for i in range(index.size_):
        place = places[i]
        if place < 0:
            place += extent
        if not 0 <= place < extent:
            return None
        memcpy(made._data + 8 * i, source + place * step, 8)
    return released(made)


cdef ndarray take_few(ndarray array, object key):
    cdef Places places
    cdef Py_ssize_t[MAX_NDIM] shape
    cdef Py_ssize_t i
    cdef int d, ndim
    cdef ndarray made
    cdef const char* source
    if _are_words(array, key):
        return _take_words(array, <ndarray>key)
    if not _find(&places, array, key):
        return None
    ndim = places.axes
    for d in range(ndim):
        shape[d] = places.shape[d]
    for d in range(places.taken, array.ndim_):
        shape[ndim] = array.shape_[d]
        ndim += 1
    source = array.read_ptr()
    made = new_array(array.code, ndim, shape, array.device_)
    for i in range(places.count):
        _copy(made._data + i * places.nbytes, source + places.offset[i], places.nbytes)
    return released(made)


cdef bint _is_of_places(const Places* places, ndarray array, ndarray source) noexcept:
    """Whether a source has the shape of what is selected, and its elements lie together."""
    cdef int d
    if source.ndim_ != places.axes + array.ndim_ - places.taken or not source.c_contiguous:
        return False
    for d in range(places.axes):
        if source.shape_[d] != places.shape[d]:
            return False
    for d in range(places.taken, array.ndim_):
        if source.shape_[places.axes + d - places.taken] != array.shape_[d]:
            return False
    return True


cdef bint _put_words(ndarray array, ndarray index, object value) except -1:
    """Write elements of 8 bytes along a single axis; False if an index is out of bounds, or for other values."""
    cdef Py_ssize_t i, extent = array.shape_[0], stride = array.strides_[0], step = 0
    cdef const int64_t* places
    cdef unsigned char[16] element
    cdef const char* source = <const char*>element
    cdef char* target
    cdef ndarray given
    if type(value) is ndarray:
        given = <ndarray>value
        if (given.code != array.code or given.device_ is not array.device_ or given.ndim_ != 1
                or given.size_ != index.size_ or not given.c_contiguous or given.address() == array.address()
                or overlaps(array, given)):
            return False
        source, step = given.read_ptr(), 8
    elif type(value) is float and is_inexact(array.code) or type(value) is int:
        store_scalar(element, array.code, value)
    else:
        return False
    if index.address() == array.address() or overlaps(array, index):
        return False
    places = <const int64_t*>index.read_ptr()
    for i in range(index.size_):
        if not -extent <= places[i] < extent:
            return False
    target = array.data_ptr()
    for i in range(index.size_):
        memcpy(target + (places[i] + extent if places[i] < 0 else places[i]) * stride, source + step * i, 8)
    return True


cdef bint put_few(ndarray array, object key, object value) except -1:
    cdef Places places
    cdef Py_ssize_t i, step
    cdef unsigned char[16] element
    cdef const char* source
    cdef char* target
    cdef ndarray given
    if _are_words(array, key):
        return _put_words(array, <ndarray>key, value)
    if not _find(&places, array, key):
        return False
    if type(value) is ndarray:
        given = <ndarray>value
        if (given.code != array.code or given.device_ is not array.device_ or given.address() == array.address()
                or overlaps(array, given) or not _is_of_places(&places, array, given)):
            return False
        source, step = given.read_ptr(), places.nbytes
    else:
        if PyFloat_CheckExact(value) and array.code == F8:
            (<double*>element)[0] = value
        elif type(value) is int and array.code != BOOL or type(value) is float and is_inexact(array.code):
            store_scalar(element, array.code, value)
        elif type(value) is bool:
            store_scalar(element, array.code, value)
        else:
            return False
        source, step = <const char*>element, 0
        if places.nbytes != array.itemsize_:
            return False
    target = array.data_ptr()
    for i in range(places.count):
        _copy(target + places.offset[i], source + i * step, places.nbytes)
    return True
