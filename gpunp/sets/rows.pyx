"""Launches on rows of equal length: words to sort rows by, orders of rows, and starts of runs of equal rows."""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memset

from gpunp.array.ndarray cimport ndarray, new_array
from gpunp.device cimport Buffer, Device, Kernel, check_status
from gpunp.dtype_codes cimport BOOL, I8, U4, U8
from gpunp.sets.params cimport UNIQUE_BLOCK, RowsParams
from gpunp.sorting.search cimport blocks_of, key_of

import numpy as np

cdef str UNIT = "unique_rows"


cdef void _describe_rows(RowsParams* p, ndarray data, ndarray order) except *:
    memset(p, 0, sizeof(RowsParams))
    p.data, p.n = data.data_ptr(), data.shape_[0]
    p.columns = data.size_ // p.n if p.n else 0
    p.stride, p.item, p.dtype = p.columns * data.itemsize_, data.itemsize_, data.code
    if order is not None:
        p.order = <const int64_t*>order.data_ptr()


def order_rows(ndarray data not None):
    """The stable order that sorts the rows of a contiguous matrix lexicographically.

    A merge sort: pairs of sorted runs are merged, and each row finds its position by binary search.
    """
    cdef RowsParams p
    cdef Device device = data.device_
    cdef Kernel kernel = device.kernel("unique_rows", f"merge_{key_of(data.code)}")
    cdef ndarray order = None, merged = new_array(I8, 1, data.shape_, device)
    cdef ndarray spare = new_array(I8, 1, data.shape_, device)
    cdef int64_t run = 1
    check_status(device)
    while True:
        _describe_rows(&p, data, order)
        p.run, p.merged = run, <int64_t*>merged.data_ptr()
        if p.n:
            device.launch(kernel, <unsigned int>((p.n + UNIQUE_BLOCK - 1) // UNIQUE_BLOCK), 1, 1,
                          UNIQUE_BLOCK, 0, &p, sizeof(p))
        run *= 2
        if run >= p.n:
            return merged
        order, merged, spare = merged, spare, merged


cdef int _launch(Device device, str symbol, RowsParams* p) except -1:
    if p.n:
        device.launch(device.kernel(UNIT, symbol), blocks_of(device, p.n, UNIQUE_BLOCK, device.tuning.loop_blocks), 1,
                      1, UNIQUE_BLOCK, 0, p, sizeof(RowsParams))
    return 0


def mark_starts(ndarray data not None, ndarray order, bint equal_nan):
    """Whether each row (or element of a 1-d array), in ``order``, differs from the one before it; as bool."""
    cdef RowsParams p
    cdef Device device = data.device_
    cdef ndarray starts = new_array(BOOL, 1, data.shape_, device)
    check_status(device)
    _describe_rows(&p, data, order)
    p.starts, p.equal_nan = starts.data_ptr(), equal_nan
    _launch(device, f"starts_{key_of(data.code)}", &p)
    return starts


def column_bounds(ndarray data not None, Py_ssize_t columns):
    """The least and the greatest key of the first columns of a contiguous matrix of a real dtype.

    Returns
    -------
    bounds : ndarray of uint64
        The least keys of all columns, then the greatest.
    widths : list of int
        The number of bits of each column's range of keys. The host waits for them.
    """
    cdef RowsParams p
    cdef Device device = data.device_
    cdef Py_ssize_t both = 2 * columns
    cdef ndarray bounds
    cdef int64_t strips, wanted
    check_status(device)
    bounds = new_array(U8, 1, &both, device)
    device.fill_bytes(bounds.data_ptr(), 0xff, 8 * columns)
    device.fill_bytes(bounds.data_ptr() + 8 * columns, 0, 8 * columns)
    _describe_rows(&p, data, None)
    p.bounds, p.columns = <uint64_t*>bounds.data_ptr(), columns
    strips = (p.columns + UNIQUE_BLOCK - 1) // UNIQUE_BLOCK
    wanted = blocks_of(device, p.n * columns // 8, UNIQUE_BLOCK, device.tuning.loop_blocks)
    device.launch(device.kernel(UNIT, f"bounds_{key_of(data.code)}"),
                  <unsigned int>(strips * max(<int64_t>1, wanted // strips)), 1, 1, UNIQUE_BLOCK, 0, &p, sizeof(p))
    host = np.empty(both, np.uint64)
    cdef uint64_t[::1] keys = host
    device.copy_to_host(&keys[0], bounds.data_ptr(), 8 * both)
    return bounds, [width.bit_length() for width in (host[columns:] - host[:columns]).tolist()]


def pack_rows(ndarray data not None, ndarray bounds not None, Py_ssize_t column, int used, int bits,
              ndarray order=None, ndarray ranks=None, int rank_bits=0):
    """One word per row: some bits of its keys, as an unsigned integer that sorts like the rows.

    Parameters
    ----------
    bounds : ndarray
        As returned by `column_bounds`.
    column, used : int
        The first column whose bits are taken, and how many of its bits earlier words have taken.
    bits : int
        The number of bits to take.
    order, ranks : ndarray, optional
        An order of the rows, and 1-based ranks (int32) by position in it, which become the high bits.
    rank_bits : int
        The number of bits of the ranks.
    """
    cdef RowsParams p
    cdef Device device = data.device_
    cdef ndarray words = new_array(U4 if bits + rank_bits <= 32 else U8, 1, data.shape_, device)
    check_status(device)
    _describe_rows(&p, data, order)
    p.columns = bounds.size_ // 2
    p.bounds, p.words, p.word_bytes = <uint64_t*>bounds.data_ptr(), words.data_ptr(), words.itemsize_
    p.column, p.used, p.bits = column, used, bits
    if ranks is not None:
        p.ranks = <const int32_t*>ranks.data_ptr()
    _launch(device, f"pack_{key_of(data.code)}", &p)
    return words


def mark_words(ndarray data not None, ndarray order not None, ndarray words not None):
    """Starts of runs of equal rows, and of equal words, in the order of the words, and whether that order is final.

    Returns
    -------
    starts, word_starts : ndarray of bool
        NaNs count as different.
    settled : bool
        Whether all rows with equal words are equal. The host waits for it.
    """
    cdef RowsParams p
    cdef Device device = data.device_
    cdef ndarray starts = new_array(BOOL, 1, data.shape_, device)
    cdef ndarray word_starts = new_array(BOOL, 1, data.shape_, device)
    cdef Buffer told = device.allocate(sizeof(uint32_t))
    cdef uint32_t unsettled = 0
    check_status(device)
    device.fill_bytes(told.ptr, 0, sizeof(uint32_t))
    _describe_rows(&p, data, order)
    p.words, p.word_bytes = words.data_ptr(), words.itemsize_
    p.starts, p.word_starts, p.unsettled = starts.data_ptr(), word_starts.data_ptr(), <uint32_t*>told.ptr
    _launch(device, f"starts_{key_of(data.code)}", &p)
    device.copy_to_host(&unsettled, told.ptr, sizeof(uint32_t))
    return starts, word_starts, unsettled == 0
