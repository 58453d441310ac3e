"""Modules: loaded code, its kernels and global variables."""
from gpunp.device cimport Device, Kernel


cdef class Module:
    cdef readonly Device device
    # The symbol of each name expression.
    cdef readonly dict names
    cdef dict kernels

    # The kernel of a symbol or name expression, which Device.launch takes; raises ValueError.
    cdef Kernel kernel(self, str name)
    cdef Kernel find(self, str symbol)
    cdef tuple address(self, str symbol)
