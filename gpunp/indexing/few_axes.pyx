"""Few elements of arrays on the CPU device that a tuple selects, or a mask of the first axis.

The items are integers, slices, and short arrays or lists of integers, or masks of one axis. What is not as simple,
errors included, goes on to `gpunp.indexing.advanced`.
"""
from cpython.list cimport PyList_CheckExact, PyList_GET_ITEM, PyList_GET_SIZE
from cpython.long cimport PyLong_AsLongLongAndOverflow, PyLong_CheckExact
from cpython.slice cimport PySlice_Check
from cpython.tuple cimport PyTuple_CheckExact, PyTuple_GET_ITEM, PyTuple_GET_SIZE
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy

from gpunp.array.ndarray cimport ndarray, new_array
from gpunp.array.returning cimport released
from gpunp.dtype_codes cimport BOOL, I4, I8, is_complex, is_inexact
from gpunp.ufunc.copying cimport overlaps
from gpunp.ufunc.operands cimport store_scalar

cdef extern from "Python.h":
    int PySlice_Unpack(object slice, Py_ssize_t* start, Py_ssize_t* stop, Py_ssize_t* step) except -1
    Py_ssize_t PySlice_AdjustIndices(Py_ssize_t length, Py_ssize_t* start, Py_ssize_t* stop, Py_ssize_t step)

cdef enum:
    FEW = 128           # elements of an index, or of what the slices select
    MOST_SELECTED = 512
    MOST_ITEMS = 4      # axes of the array, and of the indices


# One index array: how far its elements are from the beginning of the axis, in bytes.
cdef struct Index:
    int axes
    Py_ssize_t[MOST_ITEMS] shape
    Py_ssize_t[FEW] offset


# Nested loops over a range of dimensions.
cdef struct Range:
    int axes
    Py_ssize_t[MOST_ITEMS] shape
    Py_ssize_t[MOST_ITEMS] stride


# What a key selects: its elements are at the sums of a distance from each of the three lists.
cdef struct Places:
    int axes
    Py_ssize_t[3 * MOST_ITEMS] shape    # of the result
    Py_ssize_t[3] count
    Py_ssize_t[3][FEW] offset           # before the dimensions of the indices, in them, and behind them
    Py_ssize_t nbytes                   # of the run of elements at each place


cdef inline bint _add(Index* index, Py_ssize_t place, Py_ssize_t extent, Py_ssize_t stride, long long value) noexcept:
    if not -extent <= value < extent:
        return False
    index.offset[place] = (value + extent if value < 0 else value) * stride
    return True


cdef bint _read_array(Index* index, ndarray array, int axis, ndarray given) except -1:
    """The places that an array of integers or a mask of one axis names."""
    cdef Py_ssize_t i, extent = array.shape_[axis], stride = array.strides_[axis]
    cdef const char* data
    cdef int d
    if (given.device_ is not array.device_ or given.scalar or not 1 <= given.ndim_ <= MOST_ITEMS
            or not given.c_contiguous or given.size_ > FEW):
        return False
    if given.code == BOOL:
        if given.ndim_ != 1 or given.size_ != extent:
            return False
        data = given.read_ptr()
        index.axes, index.shape[0] = 1, 0
        for i in range(extent):
            index.offset[index.shape[0]] = i * stride
            index.shape[0] += data[i] != 0
        return True
    if given.code != I8 and given.code != I4:
        return False
    data = given.read_ptr()
    index.axes = given.ndim_
    for d in range(given.ndim_):
        index.shape[d] = given.shape_[d]
    for i in range(given.size_):
        if not _add(index, i, extent, stride,
                    (<const int64_t*>data)[i] if given.code == I8 else (<const int32_t*>data)[i]):
            return False
    return True


cdef bint _read_list(Index* index, ndarray array, int axis, list given) except -1:
    cdef Py_ssize_t i, n = PyList_GET_SIZE(given)
    cdef int overflow = 0
    cdef long long value
    if n == 0 or n > FEW:
        return False
    index.axes, index.shape[0] = 1, n
    for i in range(n):
        if not PyLong_CheckExact(<object>PyList_GET_ITEM(given, i)):
            return False
        value = PyLong_AsLongLongAndOverflow(<object>PyList_GET_ITEM(given, i), &overflow)
        if overflow or not _add(index, i, array.shape_[axis], array.strides_[axis], value):
            return False
    return True


cdef bint _broadcast(const Index* indices, int count, Range* common) noexcept:
    """The common shape of the indices; False if there is none, or no element."""
    cdef int i, d, place
    common.axes = 0
    for i in range(count):
        common.axes = max(common.axes, indices[i].axes)
    for d in range(common.axes):
        common.shape[d] = 1
    for i in range(count):
        for d in range(indices[i].axes):
            place = common.axes - indices[i].axes + d
            if indices[i].shape[d] != 1:
                if common.shape[place] != 1 and common.shape[place] != indices[i].shape[d]:
                    return False
                common.shape[place] = indices[i].shape[d]
    return True


cdef Py_ssize_t _product(const Range* loops) noexcept:
    cdef Py_ssize_t total = 1
    cdef int d
    for d in range(loops.axes):
        total *= loops.shape[d]
    return total


cdef void _walk(const Range* loops, Py_ssize_t count, Py_ssize_t* offset) noexcept:
    """The distances of all elements of a range, in C order."""
    cdef Py_ssize_t i, rest
    cdef int d
    for i in range(count):
        rest, offset[i] = i, 0
        for d in range(loops.axes - 1, -1, -1):
            offset[i] += rest % loops.shape[d] * loops.stride[d]
            rest //= loops.shape[d]


cdef void _combine(const Index* indices, int count, Range* common, Py_ssize_t total, Py_ssize_t* offset) noexcept:
    """Add up the distances of broadcast indices."""
    cdef Py_ssize_t[FEW] place
    cdef Py_ssize_t i, step
    cdef int k, d, own
    for i in range(total):
        offset[i] = 0
    for k in range(count):
        step = 1
        for d in range(common.axes - 1, -1, -1):
            own = d - common.axes + indices[k].axes
            common.stride[d] = 0
            if own >= 0 and indices[k].shape[own] != 1:
                common.stride[d] = step
                step *= indices[k].shape[own]
        _walk(common, total, place)
        for i in range(total):
            offset[i] += indices[k].offset[place[i]]


cdef inline void _append(Range* loops, Py_ssize_t length, Py_ssize_t stride) noexcept:
    loops.shape[loops.axes] = length
    loops.stride[loops.axes] = stride
    loops.axes += 1


cdef bint _find(Places* places, ndarray array, object key) except -1:
    """Whether a key is of the simple kind; set what it selects."""
    cdef Index[MOST_ITEMS] indices
    cdef Range[3] ranges
    cdef Py_ssize_t start, stop, step, extent, first_offset = 0, items = 1
    cdef int overflow = 0, axis, found = 0, first = -1, last = -1, part, d
    cdef long long value
    cdef bint parted = False
    if not array.device_.is_cpu or array.ndim_ > MOST_ITEMS:
        return False
    if PyTuple_CheckExact(key):
        items = PyTuple_GET_SIZE(key)
    if items > array.ndim_:
        return False
    ranges[0].axes = ranges[2].axes = 0
    for axis in range(array.ndim_):
        extent = array.shape_[axis]
        item = slice(None) if axis >= items else <object>PyTuple_GET_ITEM(key, axis) if PyTuple_CheckExact(key) else key
        if PySlice_Check(item):
            PySlice_Unpack(item, &start, &stop, &step)
            stop = PySlice_AdjustIndices(extent, &start, &stop, step)
            first_offset += start * array.strides_[axis] if stop else 0
            _append(&ranges[0 if first < 0 else 2], stop, array.strides_[axis] * step)
            continue
        if PyLong_CheckExact(item):
            value = PyLong_AsLongLongAndOverflow(item, &overflow)
            if overflow or not -extent <= value < extent:
                return False
            first_offset += (value + extent if value < 0 else value) * array.strides_[axis]
        elif type(item) is ndarray:
            if not _read_array(&indices[found], array, axis, <ndarray>item):
                return False
            found += 1
        elif PyList_CheckExact(item):
            if not _read_list(&indices[found], array, axis, <list>item):
                return False
            found += 1
        else:
            return False
        parted = parted or (first >= 0 and last != axis - 1)
        first, last = axis if first < 0 else first, axis
    if found == 0 or not _broadcast(indices, found, &ranges[1]):
        return False
    if parted:
        # Indices apart from each other: their dimensions come first, as in NumPy.
        for d in range(ranges[2].axes):
            _append(&ranges[0], ranges[2].shape[d], ranges[2].stride[d])
        ranges[2], ranges[0].axes = ranges[0], 0
    places.axes, places.nbytes = 0, array.itemsize_
    for part in range(3):
        places.count[part] = _product(&ranges[part])
        # Of no elements the bounds are not checked; that is left to the general way.
        if places.count[part] == 0 or places.count[part] > FEW:
            return False
        for d in range(ranges[part].axes):
            places.shape[places.axes] = ranges[part].shape[d]
            places.axes += 1
    if places.count[0] * places.count[1] * places.count[2] > min(MOST_SELECTED, array.device_.deferred_elements - 1):
        return False
    _walk(&ranges[0], places.count[0], places.offset[0])
    _combine(indices, found, &ranges[1], places.count[1], places.offset[1])
    _walk(&ranges[2], places.count[2], places.offset[2])
    for d in range(places.count[0]):
        places.offset[0][d] += first_offset
    if places.count[2] > 1 and _is_run(places.offset[2], places.count[2], array.itemsize_):
        places.nbytes *= places.count[2]
        places.count[2] = 1
    return True


cdef inline bint _is_run(const Py_ssize_t* offset, Py_ssize_t count, int itemsize) noexcept:
    """Whether elements lie one after the other."""
    cdef Py_ssize_t i
    for i in range(count):
        if offset[i] != i * itemsize:
            return False
    return True


cdef void _copy(const Places* places, char* data, char* dense, Py_ssize_t step, bint reading) noexcept:
    """Copy from the places to dense memory, or from there to the places; ``step`` 0 is a single element."""
    cdef Py_ssize_t i, j, k
    cdef char* place
    for i in range(places.count[0]):
        for j in range(places.count[1]):
            for k in range(places.count[2]):
                place = data + places.offset[0][i] + places.offset[1][j] + places.offset[2][k]
                if reading:
                    memcpy(dense, place, places.nbytes)
                else:
                    memcpy(place, dense, places.nbytes)
                dense += step


cdef ndarray take_along_axes(ndarray array, object key):
    cdef Places places
    cdef ndarray made
    cdef char* source
    if not _find(&places, array, key):
        return None
    source = array.read_ptr()
    made = new_array(array.code, places.axes, places.shape, array.device_)
    _copy(&places, source, made._data, places.nbytes, reading=True)
    return released(made)


cdef bint put_along_axes(ndarray array, object key, object value) except -1:
    cdef Places places
    cdef unsigned char[16] element
    cdef ndarray given
    cdef char* source = <char*>element
    cdef char* target
    cdef Py_ssize_t step = 0
    cdef int d, part
    cdef Py_ssize_t i
    if not _find(&places, array, key):
        return False
    if type(value) is ndarray:
        given = <ndarray>value
        if (given.code != array.code or given.device_ is not array.device_ or not given.c_contiguous
                or given.ndim_ != places.axes or given.address() == array.address() or overlaps(array, given)):
            return False
        for d in range(places.axes):
            if given.shape_[d] != places.shape[d]:
                return False
        source, step = given.read_ptr(), places.nbytes
    elif (type(value) is float and is_inexact(array.code) or type(value) is int and array.code != BOOL
            or type(value) is bool or type(value) is complex and is_complex(array.code)):
        store_scalar(element, array.code, value)
        if places.nbytes != array.itemsize_:
            # Each element of a run is written by itself.
            part = places.nbytes // array.itemsize_
            places.count[2], places.nbytes = part, array.itemsize_
            for i in range(part):
                places.offset[2][i] = i * array.itemsize_
    else:
        return False
    target = array.data_ptr()
    _copy(&places, target, source, step, reading=False)
    return True
