"""Segments of signals, less their means and times a window, by one kernel."""
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memset

from gpunp.array.layout import empty
from gpunp.array.ndarray cimport ndarray
from gpunp.device cimport Device, check_status
from gpunp.dtype_codes import NAMES

cdef extern from "gpunp/signal/segments_params.h" namespace "gpunp":
    enum:
        SEGMENTS_BLOCK "gpunp::SEGMENTS_BLOCK"
    cdef struct SegmentsParams:
        const char* x
        const char* window
        char* out
        int64_t rows, row_stride, count, hop, length, size, shift
        int32_t centered

cdef enum:
    SEGMENTS_A_BLOCK = SEGMENTS_BLOCK // 32
    MOST_BLOCKS = 1 << 20   # blocks loop over more segments


def cut(ndarray x not None, ndarray window not None, dtype, int64_t hop, int64_t count, int64_t size, int64_t shift,
        bint centered):
    """Cut rows into segments that begin ``hop`` samples apart.

    Parameters
    ----------
    x : ndarray
        Of shape (rows, samples), float or complex; the samples of a row are contiguous.
    window : ndarray
        The factors of a segment's samples: contiguous, in the precision of the result, real or complex as it.
    dtype : numpy.dtype
        Of the result: that of `x`, or the same kind in double precision.
    hop, count : int
        Of the segments of a row; all are within it.
    size : int
        The elements of a segment in the result, at least those of the window; others become zero.
    shift : int
        How many places the result is moved to the left, cyclically; less than `size`.
    centered : bool
        Whether the mean of a segment is subtracted.

    Returns
    -------
    ndarray
        Of shape (rows, count, size).
    """
    cdef Device device = x.device_
    cdef SegmentsParams p
    cdef ndarray out = empty((x.shape_[0], count, size), dtype, device=x.device)
    cdef int64_t segments = x.shape_[0] * count
    check_status(device)
    if out.size_ == 0:
        return out
    memset(&p, 0, sizeof(p))
    p.x, p.window, p.out = x.data_ptr(), window.data_ptr(), out.data_ptr()
    p.rows, p.row_stride = x.shape_[0], x.strides_[0] // x.itemsize_
    p.count, p.hop, p.length, p.size, p.shift = count, hop, window.size_, size, shift
    p.centered = centered
    name = "_".join(NAMES[code] for code in (x.code, out.code, window.code))
    device.launch(device.kernel("segments", "segments_" + name),
                  <unsigned int>min((segments + SEGMENTS_A_BLOCK - 1) // SEGMENTS_A_BLOCK, <int64_t>MOST_BLOCKS), 1, 1,
                  SEGMENTS_BLOCK, 0, &p, sizeof(p))
    return out
