"""Captures of graphs: memory, host copies and status words that belong to what a stream records."""
from cuda.bindings.cydriver cimport CUgraph

from gpunp.cuda.pool cimport Pool
from gpunp.cuda.reports cimport GraphWords
from gpunp.cuda.stream cimport Stream


cdef class CapturePool(Pool):
    cdef Pool origin            # whose memory it is
    cdef Stream helper          # the stream that the memory is allocated and freed on
    cdef list blocks            # pairs of address and capacity
    cdef dict spare             # freed blocks by capacity and stream, while the graph is being captured
    cdef bint active
    cdef Following following


cdef class Following:
    # Streams on which a graph was launched: memory is freed after what is queued on them.
    cdef list streams
    cdef Stream last
    cdef list outer             # the Following of graphs that contain the graph

    cdef list everywhere(self)
    cdef int add(self, Stream stream) except -1
    cdef int let_wait(self, Stream stream) noexcept


cdef class Capture:
    cdef readonly bint active
    cdef readonly Stream stream
    cdef list streams           # all streams that record for it
    cdef dict pools             # by id() of the pool that the memory is from
    cdef list kept              # what must live as long as the graph
    cdef list calls             # of the host, which must live until no launch is running any more
    cdef list slabs             # page-locked host memory of uploads
    cdef size_t slab_used
    cdef GraphWords words
    cdef Following following

    cdef int leave(self) except -1
    cdef void* host_room(self, size_t nbytes) except NULL


# End a capture and return its graph; raises if there is none, and the stream is usable nevertheless.
cdef CUgraph finish_capture(Stream stream) except NULL
