"""A pool of page-locked host memory, which large downloads use."""

# A NumPy array over pooled host memory; an ordinary one if it is small or the pool's limit is reached.
cdef object host_array(tuple shape, object dtype, bint pin_now)
