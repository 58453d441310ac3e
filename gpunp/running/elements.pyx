"""The iteration over the elements of arrays while a program runs: NumPy's scalars, read from the device in blocks.

A block is what NumPy would give as long as nobody writes the array, which `gpunp.watching` tells.
"""
from gpunp.array.ndarray cimport ndarray
from gpunp.watching cimport known_of, shared_of, watch, written

from gpunp.array.convert import asnumpy
from gpunp.array.sharing import shared

cdef extern from *:
    """
    static getiterfunc gpunp_iterate = NULL;

    static void gpunp_set_iterate(PyObject* type, void* function) {
        if (gpunp_iterate == NULL)
            gpunp_iterate = ((PyTypeObject*)type)->tp_iter;
        ((PyTypeObject*)type)->tp_iter = function ? (getiterfunc)function : gpunp_iterate;
        PyType_Modified((PyTypeObject*)type);
    }

    static PyObject* gpunp_call_iterate(PyObject* array) { return gpunp_iterate(array); }
    """
    void gpunp_set_iterate(object type, void* function)
    object gpunp_call_iterate(object array)

# Elements of the first block and of the largest one.
cdef Py_ssize_t _FIRST = 32
cdef Py_ssize_t _MOST = 65536


def elements(ndarray array not None):
    """Yield the elements of an array with one dimension, as they are when their turn comes."""
    cdef Py_ssize_t begin = 0, end = 0, i, size = _FIRST, length = array.shape_[0]
    cdef bint watched = True
    cdef object block = None, token = None
    try:
        for i in range(length):
            if i == end or known_of(array.buffer) is not token:
                # After a write the rest of the block is of no use: many writes make blocks small. So do blocks whose
                # changes nobody would tell.
                size = min(2 * size, _MOST) if watched and i == end else 1
                begin, end = i, min(i + size, length)
                token = object()
                # Deferred operations write the array now; it is watched before it is read, so that later writes are
                # seen.
                array.read_ptr()
                watched = watch(array.buffer, token)
                block = asnumpy(array[begin:end])
                if not watched:
                    token, end = None, i + 1
            yield block[i - begin]
    finally:
        # What is watched is kept.
        if token is not None and known_of(array.buffer) is token:
            written(array.buffer)


cdef object _iterate(object array):
    if (<ndarray>array).ndim_ == 1:
        if shared_of((<ndarray>array).buffer) is not None:
            return iter(shared(array))
        return elements(array)
    return gpunp_call_iterate(array)


def start():
    """Iterate like this from now on."""
    gpunp_set_iterate(ndarray, <void*>_iterate)


def stop():
    """Iterate over scalars of the device again."""
    gpunp_set_iterate(ndarray, NULL)
