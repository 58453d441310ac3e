"""Graphs: recorded work that is launched as a whole."""
from cuda.bindings.cydriver cimport CUcontext, CUgraph, CUgraphExec

from gpunp.cuda.capture cimport Capture
from gpunp.cuda.stream cimport Stream


cdef class Graph:
    cdef CUgraph handle
    cdef CUgraphExec executable
    cdef CUcontext context
    cdef int index              # of the device
    cdef Capture capture
    cdef object __weakref__

    cdef int fill(self, CUgraph handle, Capture capture) except -1
    cdef Stream queue(self, object stream, str call)
