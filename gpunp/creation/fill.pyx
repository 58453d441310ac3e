"""Arithmetic progressions, one kernel launch each."""
from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport int64_t
from libc.string cimport memcpy

import numpy

from gpunp.array.ndarray cimport code_of, ndarray, new_array
from gpunp.device cimport Device, Kernel, as_device, check_status
from gpunp.ufunc.table.row import NAMES

cdef extern from "gpunp/ranges.h" namespace "gpunp":
    cdef struct RangeParams:
        void* out
        int64_t size
        unsigned char start[16]
        unsigned char delta[16]

cdef enum:
    BLOCK = 256
    # Blocks a multiprocessor: enough to fill it, few enough that each thread has several elements.
    BLOCKS = 16


cdef int _store(object value, object dtype, unsigned char* target) except -1:
    cdef Py_buffer view
    PyObject_GetBuffer(numpy.asarray(value, dtype).tobytes(), &view, PyBUF_SIMPLE)
    memcpy(target, view.buf, view.len)
    PyBuffer_Release(&view)
    return 0


def fill_range(Py_ssize_t size, start, delta, dtype, device=None):
    """The 1-d array ``start + i * delta``; both are given in the dtype of the result."""
    cdef Device place = as_device(device)
    check_status(place)
    cdef int code = code_of(dtype)
    cdef ndarray out = new_array(code, 1, &size, place)
    cdef RangeParams params
    cdef Kernel kernel
    cdef Py_ssize_t blocks
    if size == 0:
        return out
    name = NAMES[code]
    kernel = place.kernel("creation_" + name, "range_" + name)
    params.out = out.data_ptr()
    params.size = size
    _store(start, dtype, params.start)
    _store(delta, dtype, params.delta)
    blocks = min((size + BLOCK - 1) // BLOCK, <Py_ssize_t>place.multiprocessors * BLOCKS)
    place.launch(kernel, blocks, 1, 1, BLOCK, 0, &params, sizeof(params))
    return out
