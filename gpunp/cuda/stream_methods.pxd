"""Methods of streams that are needed less often: host functions and captures."""


cdef class StreamMethods:
    pass
