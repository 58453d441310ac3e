"""Copies between host and device arrays, and of numbers; arrays over memory that other objects own."""
from cpython.buffer cimport (
    PyBUF_ANY_CONTIGUOUS, PyBUF_FORMAT, PyBUF_STRIDES, PyBUF_WRITABLE, PyBuffer_FillInfo, PyBuffer_Release,
    PyObject_GetBuffer,
)
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_CheckExact
from cpython.list cimport PyList_CheckExact
from cpython.long cimport PyLong_CheckExact
from cpython.object cimport PyObject
from cpython.pycapsule cimport PyCapsule_GetPointer
from cpython.sequence cimport PySequence_Fast_GET_SIZE, PySequence_Fast_ITEMS
from cpython.tuple cimport PyTuple_CheckExact
from libc.stdint cimport int64_t, uint8_t, uintptr_t

import numpy

from gpunp.array.layout cimport names_code, parse_shape
from gpunp.array.ndarray cimport (
    MAX_NDIM, as_scalar, code_of, dtype_of, ndarray, new_array, new_array_strided, new_from_buffer, shape_tuple,
)
from gpunp.array.short cimport is_short
from gpunp.array.strides cimport c_strides, extent as measure, f_strides, is_c_contiguous
from gpunp.device cimport BY_EXPORT, BY_READ, Buffer, Device, check_status, flush_because, provide
from gpunp.dtype_codes cimport BOOL, C8, C16, F8, I8, itemsize_of

from gpunp.array.dtype import DTYPES
from gpunp.array.layout import converted

# NumPy's array interface for C.
cdef struct ArrayStruct:
    int two
    int nd
    char typekind
    int itemsize
    int flags
    Py_ssize_t* shape
    Py_ssize_t* strides
    void* data

cdef enum:
    WRITEABLE = 0x400   # of the flags
    MOST_NUMBERS = 512  # of nested sequences
    MOST_LEVELS = 4

cdef object _float64 = numpy.float64


def upload(host, Device device not None):
    """Return a new device array with the elements and the memory order of a NumPy array."""
    cdef Py_ssize_t shape[MAX_NDIM]
    cdef Py_ssize_t strides[MAX_NDIM]
    cdef Py_buffer view
    flags = host.flags
    cdef bint c_order = flags.c_contiguous
    if not c_order and not flags.f_contiguous:
        host = host.copy(order="C")
        c_order = True
    cdef int code = code_of(host.dtype)
    cdef int ndim = parse_shape(host.shape, shape)
    # NumPy allows any stride along axes of length one; here they get the strides of a dense array.
    if c_order:
        c_strides(ndim, shape, itemsize_of(code), strides)
    else:
        f_strides(ndim, shape, itemsize_of(code), strides)
    cdef ndarray out = new_array_strided(code, ndim, shape, strides, device)
    PyObject_GetBuffer(host, &view, PyBUF_ANY_CONTIGUOUS)
    try:
        if view.len:
            device.copy_from_host(out.data_ptr(), view.buf, view.len)
    finally:
        PyBuffer_Release(&view)
    return out


def set_from_host(ndarray target not None, host):
    """Copy a NumPy array into a dense device array of the same dtype, shape and memory order."""
    cdef Py_buffer view
    PyObject_GetBuffer(host, &view, PyBUF_ANY_CONTIGUOUS)
    try:
        if view.len:
            target.device_.copy_from_host(target.data_ptr(), view.buf, view.len)
    finally:
        PyBuffer_Release(&view)


def download(ndarray source not None, host):
    """Copy a dense device array into a NumPy array of the same dtype, shape and memory order."""
    cdef Py_buffer view
    PyObject_GetBuffer(host, &view, PyBUF_ANY_CONTIGUOUS | PyBUF_WRITABLE)
    try:
        if view.len:
            flush_because(source.device_, BY_READ)
            source.device_.copy_to_host(view.buf, source.read_ptr(), view.len)
    finally:
        PyBuffer_Release(&view)
    check_status(source.device_)


def to_peer(ndarray source not None, Device device not None):
    """Copy an array to another device of the same kind, in the order of the current streams of both."""
    cdef ndarray target
    check_status(source.device_)
    if not source.c_contiguous and not source.f_contiguous:
        source = converted(source, order="C")
    target = new_array_strided(source.code, source.ndim_, source.shape_, source.strides_, device)
    source.device_.copy_to_peer(source.buffer, source.data_ptr(), target.buffer, target.data_ptr(),
                                source.size_ * source.itemsize_)
    return target


def host_empty(ndarray source not None):
    """Return an uninitialized NumPy array into which the dense array ``source`` can be downloaded."""
    if source.c_contiguous:
        return source.device_.host_empty(source.shape, source.dtype)
    return source.device_.host_empty(source.shape[::-1], source.dtype).T


cdef class _HostMemory:
    """The bytes that an array on the CPU device reaches; as the base of a NumPy array it keeps them alive."""

    cdef readonly ndarray owner
    cdef char* first
    cdef Py_ssize_t nbytes

    def __getbuffer__(self, Py_buffer* view, int flags):
        PyBuffer_FillInfo(view, self, self.first, self.nbytes, not self.owner.writeable, flags)


cdef object _host_array = numpy.ndarray


def host_view(ndarray source not None):
    """Return a NumPy array over the memory of an array on the CPU device, without a copy.

    Use it before the next call; before it is given to other code, `expose` the source.
    """
    cdef _HostMemory memory
    cdef Py_ssize_t nbytes = source.itemsize_
    cdef int d
    if not source.device_.is_cpu:
        raise TypeError(f"only an array of the CPU device has host memory, not one on {source.device_}")
    source.device_.synchronize_stream()
    check_status(source.device_)
    for d in range(source.ndim_):
        if source.strides_[d] < 0 or source.shape_[d] == 0:
            return _interface_view(source)
        nbytes += (source.shape_[d] - 1) * source.strides_[d]
    memory = _HostMemory.__new__(_HostMemory)
    memory.owner, memory.first, memory.nbytes = source, source.data_ptr(), nbytes
    if source.c_contiguous:
        return _host_array(shape_tuple(source), dtype_of(source.code), memory)
    return _host_array(shape_tuple(source), dtype_of(source.code), memory, 0, source.strides)


cdef object _interface_view(ndarray source):
    """`host_view` of an array whose memory does not begin with its first element, or that has no elements."""
    return numpy.asarray(_Interface({
        "shape": source.shape, "strides": source.strides, "typestr": source.dtype.str, "version": 3,
        "data": (<uintptr_t>source.data_ptr(), not source.writeable),
    }, source))


class _Interface:
    """Provides ``__array_interface__`` to NumPy; as the base of the NumPy array it keeps the owner alive."""

    __slots__ = ("__array_interface__", "owner")

    def __init__(self, interface, owner):
        self.__array_interface__ = interface
        self.owner = owner


def wrap_pointer(uintptr_t pointer, shape, strides, dtype, Device device not None, owner,
                 bint writeable=True):
    """Return a device array over memory that ``owner`` keeps alive; ``strides`` in bytes or None for C order."""
    cdef Py_ssize_t shape_[MAX_NDIM]
    cdef Py_ssize_t strides_[MAX_NDIM]
    cdef int i, ndim = len(shape)
    cdef int code = code_of(dtype)
    if ndim > MAX_NDIM:
        raise ValueError(f"maximum supported dimension for an ndarray is {MAX_NDIM}, found {ndim}")
    for i in range(ndim):
        shape_[i] = shape[i]
    if strides is None:
        c_strides(ndim, shape_, itemsize_of(code), strides_)
    else:
        for i in range(ndim):
            strides_[i] = strides[i]
    return _wrapped(pointer, code, ndim, shape_, strides_, device, owner, writeable)


cdef ndarray _wrapped(uintptr_t pointer, int code, int ndim, const Py_ssize_t* shape, const Py_ssize_t* strides,
                      Device device, object owner, bint writeable):
    cdef Py_ssize_t low, high
    measure(ndim, shape, strides, itemsize_of(code), &low, &high)
    if (high - low) and _bits(pointer, ndim, shape, strides) % <size_t>itemsize_of(code):
        raise ValueError(f"the elements at {pointer:#x} are not aligned to the {itemsize_of(code)} bytes of "
                         f"{dtype_of(code)}, as a device needs them; copy them first")
    cdef Buffer buffer = Buffer.__new__(Buffer)
    buffer.ptr = <char*>pointer + low
    buffer.nbytes = high - low
    buffer.device = device
    buffer.owner = owner
    return new_from_buffer(buffer, <char*>pointer, code, ndim, shape, strides, writeable)


cdef size_t _bits(uintptr_t pointer, int ndim, const Py_ssize_t* shape, const Py_ssize_t* strides) noexcept:
    """The address and the strides combined by OR: every element is aligned to its lowest set bit."""
    cdef size_t bits = pointer
    cdef int d
    for d in range(ndim):
        if shape[d] > 1:
            bits |= <size_t>strides[d]
    return bits


def on_host(function, Device device not None, tuple args, dict kwargs):
    """Call a function of NumPy on the memory of arrays of the CPU device; the results share their memory."""
    return wrap_results(function(*[host_view(x) if isinstance(x, ndarray) else x for x in args], **kwargs), device)


cpdef object wrap_results(found, Device device):
    """What a function of NumPy returned, an array, a scalar or a tuple of these, as arrays of the CPU device."""
    cdef ndarray made
    if isinstance(found, tuple):
        parts = tuple([wrap_results(part, device) for part in <tuple>found])
        # Named tuples are made as tuples are: from one sequence.
        return parts if type(found) is tuple else tuple.__new__(type(found), parts)
    host = found if type(found) is _host_array else numpy.asarray(found)
    made = wrap_host(host, device)
    if not made.writeable:
        made = wrap_host(host.copy(), device)
    if isinstance(found, numpy.generic):
        as_scalar(made)
    return made


def wrap_host(host, Device device not None):
    """Return an array on the CPU device over the memory of a NumPy array."""
    # Of all ways to ask an array for its address this is the shortest.
    capsule = host.__array_struct__
    cdef const ArrayStruct* about = <const ArrayStruct*>PyCapsule_GetPointer(capsule, NULL)
    return _wrapped(<uintptr_t>about.data, code_of(host.dtype), about.nd, about.shape, about.strides, device, host,
                    about.flags & WRITEABLE)


def adopt_host(host, Device device not None):
    """Return an array on the CPU device over the memory of a NumPy array that nobody else uses."""
    cdef ndarray made = wrap_host(host, device)
    cdef Buffer foreign = made.buffer
    cdef Buffer own = Buffer.__new__(Buffer)
    # Without an owner, nobody outside can change the memory: operations on it may be deferred.
    own.ptr, own.nbytes, own.device, own.memory = foreign.ptr, foreign.nbytes, device, foreign
    made.buffer = own
    return made


def data_pointer(ndarray source not None):
    """The address of the first element, as an integer, for use before the next call."""
    return <uintptr_t>source.data_ptr()


def expose(ndarray source not None):
    """Let code outside gpunp read and write the memory at any time from now on: no operation on it is deferred."""
    if source.buffer.uses:
        flush_because(source.device_, BY_EXPORT)
    source.data_ptr()
    source.buffer.exposed = True


def memory_of(ndarray source not None):
    """The buffer that an array is in; other arrays may share it."""
    provide(source.buffer)
    return source.buffer if source.buffer.memory is None else source.buffer.memory


# Numbers of Python in nested sequences, and what dtype they need: later kinds hold the earlier ones.
cdef struct Numbers:
    int ndim
    Py_ssize_t[MOST_LEVELS] shape
    int code
    PyObject* device
    Py_ssize_t count
    double[MOST_NUMBERS] reals
    int64_t[MOST_NUMBERS] integers


cdef bint _add_element(Numbers* found, ndarray value) except -1:
    """Add a scalar of an array on the CPU device."""
    cdef const void* data
    if value.ndim_ or value.device_ is not <Device>found.device or not is_short(value):
        return False
    data = value.read_ptr()
    if value.code == F8:
        found.reals[found.count] = (<const double*>data)[0]
    elif value.code == I8 or value.code == BOOL:
        found.integers[found.count] = (<const int64_t*>data)[0] if value.code == I8 else (<const uint8_t*>data)[0]
        found.reals[found.count] = <double>found.integers[found.count]
    else:
        return False
    if value.code > found.code:
        found.code = value.code
    found.count += 1
    return True


cdef inline bint _add(Numbers* found, PyObject* value) except -1:
    cdef long long integer
    cdef int code = BOOL
    if found.count == MOST_NUMBERS:
        return False
    if type(<object>value) is ndarray:
        return _add_element(found, <ndarray>value)
    if PyFloat_CheckExact(<object>value) or type(<object>value) is _float64:
        code = F8
        found.reals[found.count] = PyFloat_AS_DOUBLE(<object>value)
    else:
        if PyLong_CheckExact(<object>value):
            code = I8
            if not is_word(<object>value, &integer):
                return False
        elif value == <PyObject*>True or value == <PyObject*>False:
            integer = value == <PyObject*>True
        else:
            return False
        found.integers[found.count], found.reals[found.count] = integer, <double>integer
    if code > found.code:
        found.code = code
    found.count += 1
    return True


cdef bint _collect(Numbers* found, PyObject* value, int level) except -1:
    """Add the numbers of a sequence whose length is that of its neighbors; False if it has anything else."""
    cdef Py_ssize_t i, n = PySequence_Fast_GET_SIZE(<object>value)
    cdef PyObject** items = PySequence_Fast_ITEMS(<object>value)
    cdef bint is_nested = n > 0 and (PyList_CheckExact(<object>items[0]) or PyTuple_CheckExact(<object>items[0]))
    if found.count == 0 and level == found.ndim:
        # The first sequence of its level tells the shape.
        if level == MOST_LEVELS:
            return False
        found.shape[level] = n
        found.ndim += 1
    if level >= found.ndim or found.shape[level] != n or is_nested and n > MOST_NUMBERS:
        return False
    for i in range(n):
        if not is_nested:
            if level + 1 != found.ndim or not _add(found, items[i]):
                return False
        elif (not (PyList_CheckExact(<object>items[i]) or PyTuple_CheckExact(<object>items[i]))
                or not _collect(found, items[i], level + 1)):
            return False
    return True


# A program's report puts a function that counts in the place of `upload`.
cdef object _upload = upload
# The codes of elements by their letters in the buffer protocol.
cdef dict _letters = {dtype.char: code for code, dtype in enumerate(DTYPES)}
_letters.update({"q": I8, "Q": code_of(numpy.dtype(numpy.uint64)), "Zf": C8, "Zd": C16})


cdef ndarray _of_host_array(object value, object dtype, Device device):
    """The copy of a C-ordered array of NumPy in native byte order, or None."""
    cdef Py_buffer view
    cdef ndarray made = None
    cdef int wanted
    try:
        PyObject_GetBuffer(value, &view, PyBUF_STRIDES | PyBUF_FORMAT)
    except (ValueError, BufferError):
        # Of elements that have no format, such as dates.
        return None
    try:
        code = _letters.get(view.format.decode())
        if code is not None and is_c_contiguous(view.ndim, view.shape, view.strides, view.itemsize):
            wanted = code
            if dtype is None or names_code(dtype, &wanted) and wanted == <int>code:
                if upload is not _upload:
                    return upload(value, device)
                made = new_array(code, view.ndim, view.shape, device)
                if view.len:
                    device.copy_from_host(made.data_ptr(), view.buf, view.len)
    finally:
        PyBuffer_Release(&view)
    return made


cdef ndarray array_of_numbers(object value, object dtype, Device device):
    cdef Numbers found
    cdef Py_ssize_t i
    cdef int code
    cdef ndarray made
    cdef const void* data = found.reals
    if type(value) is _host_array:
        return _of_host_array(value, dtype, device)
    found.ndim, found.count, found.code, found.device = 0, 0, BOOL, <PyObject*>device
    if PyList_CheckExact(value) or PyTuple_CheckExact(value):
        # Without numbers the order in which empty sequences appear matters.
        if not _collect(&found, <PyObject*>value, 0) or found.count == 0:
            return None
    elif type(value) is ndarray or not _add(&found, <PyObject*>value):
        return None
    code = found.code
    if dtype is not None and not names_code(dtype, &code):
        return None
    # Conversions that may lose digits have rules of their own.
    if code != found.code and code != F8:
        return None
    if code == I8:
        data = found.integers
    elif code == BOOL:
        for i in range(found.count):
            (<char*>found.reals)[i] = <char>found.integers[i]
    made = new_array(code, found.ndim, found.shape, device)
    device.copy_from_host(made.data_ptr(), data, made.size_ * made.itemsize_)
    return made


def of_numbers(value, dtype, Device device not None):
    """`array_of_numbers` for code in Python."""
    return array_of_numbers(value, dtype, device)
