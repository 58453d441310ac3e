"""Host memory that is fast to copy to and from: the memory behind large downloads."""

# A NumPy array over pooled host memory, or a plain one where that does not pay.
cdef object host_array(tuple shape, object dtype, bint pin_now)
