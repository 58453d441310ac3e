"""Sparse factors by cuDSS."""
from libc.stdint cimport int64_t

from gpunp.device cimport Device


cdef class Factorization:
    cdef Device device
    cdef object handle          # of the device; what it serializes are calls
    cdef void* config
    cdef void* data
    cdef void* matrix
    cdef int64_t n
    cdef int value_type

    cdef int execute(self, int phase, void* x, void* b) except -1
    cdef int set_integer(self, int name, int value) except -1
    cdef int set_real(self, int name, double value) except -1
    cdef int64_t number(self, int name) except? -1
