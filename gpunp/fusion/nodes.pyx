"""Operands of deferred operations: which there can be, and the references that they hold."""
from cpython.object cimport PyObject
from cpython.ref cimport Py_DECREF, Py_INCREF
from libc.string cimport memcpy

from gpunp.device cimport RESERVED, Buffer
from gpunp.dtype_codes cimport itemsize_of
from gpunp.fusion.trace cimport OUTPUT, PLACES, TRACE_NDIM, Node, Place
from gpunp.ufunc.plan cimport Operand


cdef bint is_recordable(const Operand* operand) noexcept:
    cdef Buffer buffer = <Buffer>operand.buffer
    return operand.ndim <= TRACE_NDIM and not buffer.exposed and buffer.owner is None


cdef bint is_injective(const Operand* out) noexcept:
    """Whether the elements of an output are known to lie apart: no axis repeats or interleaves another one."""
    cdef int[TRACE_NDIM] axes
    cdef int d, i, j, n = 0
    cdef Py_ssize_t reach
    if out.c_contiguous or out.f_contiguous:
        return True
    for d in range(out.ndim):
        if out.shape[d] == 1:
            continue
        j = n
        while j > 0 and abs(out.strides[d]) < abs(out.strides[axes[j - 1]]):
            axes[j] = axes[j - 1]
            j -= 1
        axes[j] = d
        n += 1
    reach = itemsize_of(out.code)
    for i in range(n):
        d = axes[i]
        if abs(out.strides[d]) < reach:
            return False
        reach += abs(out.strides[d]) * (out.shape[d] - 1)
    return True


cdef void set_place(Place* place, const Operand* operand, bint writes) noexcept:
    cdef Buffer buffer = <Buffer>operand.buffer
    cdef size_t start
    start = buffer.reserved if <size_t>operand.data >= RESERVED else <size_t>buffer.ptr
    place.buffer = operand.buffer
    Py_INCREF(buffer)
    buffer.uses += 1
    buffer.writes += writes
    place.offset = <size_t>operand.data - start
    place.size = operand.size
    place.ndim = operand.ndim
    place.code = operand.code
    place.c_contiguous = operand.c_contiguous
    place.f_contiguous = operand.f_contiguous
    memcpy(place.shape, operand.shape, operand.ndim * sizeof(Py_ssize_t))
    memcpy(place.strides, operand.strides, operand.ndim * sizeof(Py_ssize_t))


cdef Py_ssize_t bytes_of(const Node* node) noexcept:
    cdef Py_ssize_t total = 0
    cdef int k
    for k in range(PLACES):
        if node.place[k].buffer != NULL:
            total += node.place[k].size * itemsize_of(node.place[k].code)
    return total


cdef void release(Node* node) noexcept:
    """Drop the references of a node that has run."""
    cdef Buffer buffer
    cdef PyObject* pointer
    cdef int k
    for k in range(PLACES):
        pointer = node.place[k].buffer
        if pointer != NULL:
            node.place[k].buffer = NULL
            buffer = <Buffer>pointer
            buffer.uses -= 1
            buffer.writes -= k == OUTPUT
            Py_DECREF(buffer)
    pointer = node.fold
    if pointer != NULL:
        node.fold = NULL
        Py_DECREF(<object>pointer)
