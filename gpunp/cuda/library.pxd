"""Libraries of the CUDA toolkit, loaded at first use."""


cdef class Library:
    cdef readonly str name
    cdef str title
    cdef str purpose
    cdef void* handle
    cdef str path
    cdef dict functions

    cdef void* function(self, str name) except NULL
