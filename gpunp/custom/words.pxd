"""Parameters of kernels that are compiled at run time, in words of 8 bytes: raw arrays and index spaces.

The layouts are those of RawLayout and Space in kernels/include/gpunp/custom.
"""
from libc.stdint cimport uint32_t

from gpunp.array.division cimport set_divider
from gpunp.array.ndarray cimport ndarray

cdef enum:
    # From this size on, kernels index by 64-bit divisions.
    WIDE_SIZE = 0x80000000


cdef inline void pack_dividers(long long* words, int ndim, const Py_ssize_t* shape) noexcept nogil:
    cdef uint32_t* halves = <uint32_t*>words
    cdef int d
    for d in range(ndim):
        set_divider(shape[d], &halves[2 * d], &halves[2 * d + 1])


cdef inline int pack_raw(long long* words, ndarray array) noexcept:
    """Write a raw array, and return the number of words: address, size, shape, strides and maybe dividers."""
    cdef int d, ndim = array.ndim_
    words[0] = <long long>array.data_ptr()
    words[1] = array.size_
    for d in range(ndim):
        words[2 + d] = array.shape_[d]
        words[2 + ndim + d] = array.strides_[d]
    if array.c_contiguous or array.size_ >= WIDE_SIZE:
        return 2 + 2 * ndim
    pack_dividers(words + 2 + 2 * ndim, ndim, array.shape_)
    return 2 + 3 * ndim


cdef inline int pack_space(long long* words, int ndim, const Py_ssize_t* shape, Py_ssize_t size) noexcept nogil:
    """Write the index space of a loop, and return the number of words: size, shape and maybe dividers."""
    cdef int d
    words[0] = size
    for d in range(ndim):
        words[1 + d] = shape[d]
    if size >= WIDE_SIZE:
        return 1 + ndim
    pack_dividers(words + 1 + ndim, ndim, shape)
    return 1 + 2 * ndim
