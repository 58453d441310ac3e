"""Arithmetic progressions and triangles of matrices, one kernel launch each."""
from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport int64_t
from libc.string cimport memcpy

import numpy

from gpunp.array.ndarray cimport code_of, ndarray, new_array
from gpunp.device cimport Device, Kernel, as_device, check_status
from gpunp.dtype_codes import NAMES
from gpunp.launch cimport LOOP_BLOCK

cdef extern from "gpunp/creation/params.h" namespace "gpunp":
    enum:
        TRIANGLE_BLOCK, TRIANGLE_EACH
    cdef struct RangeParams:
        void* out
        int64_t size
        unsigned char start[16]
        unsigned char delta[16]
    cdef struct TriangleParams:
        const char* source
        char* out
        int64_t size
        int64_t rows
        int64_t columns
        int64_t diagonal
        int lower

cdef object _INT64 = numpy.dtype(numpy.int64)
cdef object _FLOAT64 = numpy.dtype(numpy.float64)

cdef enum:
    # Bytes written per block of the triangle kernel.
    TRIANGLE_TILE = 16 * TRIANGLE_BLOCK * TRIANGLE_EACH


cdef int _store(object value, object dtype, unsigned char* target) except -1:
    cdef Py_buffer view
    if type(value) is int and dtype is _INT64:
        (<int64_t*>target)[0] = value
        return 0
    if type(value) is float and dtype is _FLOAT64:
        (<double*>target)[0] = value
        return 0
    PyObject_GetBuffer(numpy.asarray(value, dtype).tobytes(), &view, PyBUF_SIMPLE)
    memcpy(target, view.buf, view.len)
    PyBuffer_Release(&view)
    return 0


def fill_range(Py_ssize_t size, start, delta, dtype, device=None):
    """The 1-d array ``start + i * delta``; both must have the dtype of the result."""
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
    kernel = place.kernel("creation", "range_" + name)
    params.out = out.data_ptr()
    params.size = size
    _store(start, dtype, params.start)
    _store(delta, dtype, params.delta)
    blocks = min((size + LOOP_BLOCK - 1) // LOOP_BLOCK,
                 <Py_ssize_t>(place.multiprocessors * place.tuning.fill_blocks))
    place.launch(kernel, blocks, 1, 1, LOOP_BLOCK, 0, &params, sizeof(params))
    return out


def triangle(ndarray source not None, Py_ssize_t diagonal, bint lower):
    """Copies of C-contiguous matrices with zeros above a diagonal (``lower``) or below it.

    On a GPU the source must start at a multiple of 16 bytes.
    """
    cdef TriangleParams params
    cdef Device device = source.device_
    cdef int ndim = source.ndim_
    check_status(device)
    cdef ndarray out = new_array(source.code, ndim, source.shape_, device)
    if out.size_ == 0:
        return out
    params.source = source.data_ptr()
    params.out = out.data_ptr()
    params.size = out.size_
    params.rows = source.shape_[ndim - 2]
    params.columns = source.shape_[ndim - 1]
    params.diagonal = diagonal
    params.lower = lower
    device.launch(device.kernel("manipulation", f"triangle_{source.itemsize_}"),
                  <unsigned int>((out.size_ * source.itemsize_ + TRIANGLE_TILE - 1) // TRIANGLE_TILE), 1, 1,
                  TRIANGLE_BLOCK, 0, &params, sizeof(params))
    return out


def is_aligned(ndarray array not None):
    """Whether an array starts at a multiple of 16 bytes."""
    return <size_t>array.data_ptr() % 16 == 0
