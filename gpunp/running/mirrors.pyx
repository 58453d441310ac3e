# cython: binding=False
"""Copies of a program's arrays on the side where they are used again and again, as long as nobody writes the array.

Of a device array whose elements the program reads one by one, or that libraries take copies of, a copy is kept on the
host; `gpunp.watching` tells when it is out of date. `gpunp.running.small_operands` keeps copies on the device.
"""
import functools
import time
import weakref

import numpy

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.long cimport PyLong_CheckExact
from cpython.object cimport PyObject
from libc.string cimport memcmp
from gpunp.array.ndarray cimport ndarray
from gpunp.array.operators cimport hooks
from gpunp.device cimport Buffer
from gpunp.watching cimport known_of, watch, written

from gpunp.array.convert import asnumpy
from gpunp.running import counting

cdef extern from "Python.h":
    PyObject* PyEval_GetGlobals()
    PyObject* dict_item "PyDict_GetItemWithError"(PyObject*, object) except? NULL

ctypedef object (*Subscript)(object, object)

# The reads of an element after which an array is copied, if it is small. A copy of so many bytes takes as long as
# a read, so that a copy in vain costs no more than the reads before it.
cdef Py_ssize_t _FEWEST = 16
cdef Py_ssize_t _BYTES_OF_A_READ = 100_000
# Arrays of which reads are counted.
cdef Py_ssize_t _MOST = 256
cdef str _MARK = counting.MARK
cdef object _integer = numpy.int64
cdef bint _is_on = False
# Not forgotten by `stop`: other threads may be in the middle of `_element`.
cdef Subscript _subscript_before = NULL
# By the address of the array: the reads since the last copy, and how many there must be.
cdef dict _reads = {}


cdef class Mirror:
    """A copy on the host.

    Attributes
    ----------
    host : numpy.ndarray or None
        Read-only. None while the copy is being made, when other threads find the mirror already.
    """

    cdef readonly object host
    cdef object reference
    cdef Buffer buffer
    cdef object __weakref__
    cdef Py_ssize_t hits

    def __init__(self, ndarray array not None):
        self.buffer = array.buffer
        # Whoever holds the copy holds the memory of the device: not longer than the array lives.
        self.reference = weakref.ref(array, functools.partial(_forget, weakref.ref(self)))


def _forget(mirror, reference):
    """The array of a mirror has died."""
    cdef Mirror found = mirror()
    if found is not None and known_of(found.buffer) is found:
        written(found.buffer)


cdef Mirror _mirror_of(ndarray array):
    """The mirror of an array, if its copy has been made; else None."""
    found = known_of(array.buffer)
    if type(found) is Mirror and (<Mirror>found).host is not None and (<Mirror>found).reference() is array:
        return found
    return None


cdef Mirror _made(ndarray array):
    """Copy an array, unless it is one whose changes nobody would tell."""
    cdef Mirror mirror = Mirror(array)
    started = time.perf_counter()
    # Deferred operations write the array now; it is watched before it is read, so that later writes are seen.
    array.read_ptr()
    if not watch(array.buffer, mirror):
        return None
    host = asnumpy(array)
    host.flags.writeable = False
    mirror.host = host
    if known_of(array.buffer) is not mirror:
        return None
    counting.count("kept on the host", "", host.nbytes, time.perf_counter() - started)
    return mirror


cdef inline Py_ssize_t _needed(ndarray array) noexcept:
    return _FEWEST + array.size_ * array.itemsize_ // _BYTES_OF_A_READ


cdef Mirror _counted(ndarray array, Py_ssize_t weight):
    """Count reads of an array. Returns a mirror if they were so many that it pays, else None."""
    cdef list counts = _reads.get(<size_t><void*>array)
    cdef Py_ssize_t reads, needed
    if counts is None:
        if len(_reads) >= _MOST:
            _reads.clear()
        _reads[<size_t><void*>array] = counts = [0, _needed(array)]
    reads, needed = counts
    reads += weight
    if reads < needed:
        counts[0] = reads
        return None
    # An array that is written between its reads is copied less and less often.
    counts[:] = 0, 2 * needed
    return _made(array)


cdef object _copy_of(ndarray array, Py_ssize_t weight):
    """The copy of an array, or None while it has none. Counts reads, of which enough make a copy."""
    cdef Mirror mirror = _mirror_of(array)
    if mirror is None:
        mirror = _counted(array, weight)
        if mirror is None:
            return None
    cdef Py_ssize_t needed = _needed(array)
    # A copy that has paid is made again at the first read after the array was written.
    if mirror.hits < needed <= mirror.hits + weight:
        _reads[<size_t><void*>array] = [needed, needed]
    mirror.hits += weight
    return mirror.host


cdef bint _is_number(object item) noexcept:
    return PyLong_CheckExact(item) or type(item) is _integer


cdef bint _is_element(ndarray array, object key) noexcept:
    """Whether an index selects one element."""
    if array.ndim_ == 1 and _is_number(key):
        return True
    if array.ndim_ < 2 or type(key) is not tuple or len(<tuple>key) != array.ndim_:
        return False
    for item in <tuple>key:
        if not _is_number(item):
            return False
    return True


cdef object _element(object value, object key):
    """``x[key]``: an element of an array that is read again and again is read from its copy."""
    cdef ndarray array = <ndarray>value
    cdef PyObject* space
    if array.base_ is None and _is_element(array, key):
        space = PyEval_GetGlobals()
        if space != NULL and dict_item(space, _MARK) != NULL:
            host = _copy_of(array, 1)
            if host is not None:
                return host[key]
    return _subscript_before(value, key)


def expect(value, int count):
    """A loop will read elements of an array with ``count`` axes: the first read pays for a copy."""
    cdef Py_ssize_t needed
    if type(value) is ndarray and (<ndarray>value).ndim_ == count and _is_on:
        counts = _reads.get(<size_t><void*>value)
        # After a copy in vain, the reads must be as many as they must.
        if counts is None:
            needed = _needed(<ndarray>value)
            _reads[<size_t><void*>value] = [needed, needed]


def host_copy(ndarray array not None):
    """Return the copy of an array that has been copied often, for whoever only reads; else None."""
    if array.base_ is not None or not array.ndim_:
        return None
    # The third copy is kept: each is worth a third of the reads.
    host = _copy_of(array, _needed(array) // 3 + 1)
    return None if host is None else host.view()


def has_bytes(array, bytes expected not None):
    """Whether a C-contiguous array of NumPy has certain bytes."""
    cdef const unsigned char[::1] found
    if array.nbytes != PyBytes_GET_SIZE(expected):
        return False
    if not array.nbytes:
        return True
    found = array.reshape(-1).view("u1")
    return memcmp(&found[0], PyBytes_AS_STRING(expected), PyBytes_GET_SIZE(expected)) == 0


def start():
    """Keep copies from now on."""
    global _is_on, _subscript_before
    if not _is_on:
        _subscript_before = hooks.getitem
        hooks.getitem = _element
        _is_on = True


def stop():
    """Make no copies any more."""
    global _is_on
    if _is_on:
        hooks.getitem = _subscript_before
        _is_on = False
    _reads.clear()
