"""Launches of the kernels of convolution by Fourier transforms in blocks of rows."""
from libc.stdint cimport int64_t
from libc.string cimport memset

from gpunp.array.ndarray cimport ndarray
from gpunp.device cimport Device, check_status
from gpunp.dtype_codes cimport C8, F4
from gpunp.fft.params cimport FftParams, FftShape, fft_columns_shape

cdef extern from "gpunp/fft/products_params.h" namespace "gpunp" nogil:
    enum:
        FFT_PAIRS_BLOCK "gpunp::FFT_PAIRS_BLOCK"
    cdef struct FftProductsParams:
        FftParams columns
        const char* other
        int64_t other_row, skipped
    cdef struct FftPairsParams:
        char* image
        char* pairs
        int64_t rows, columns, pair_rows, width, above, half

cdef enum:
    MOST_DOWN = 0xffff  # blocks of a grid; they loop over more rows

# The rows of blocks that there are kernels for, and their exponents.
LENGTHS = {512: 9, 1024: 10}


cdef int _require(str name, ndarray array, int code, int ndim) except -1:
    if array.code != code or array.ndim_ != ndim or not array.c_contiguous:
        raise ValueError(f"{name} is C-contiguous with {ndim} dimensions, not {array.dtype} of shape {array.shape}")
    return 0


def convolved_blocks(ndarray rows not None, ndarray other not None, ndarray out not None):
    """Convolve the columns of overlapping blocks of rows.

    Parameters
    ----------
    rows : ndarray
        Rows of all blocks, contiguous and complex64. Each block begins where the rows that the one before gives end.
    other : ndarray
        The transform, block x columns, of what they are convolved with, and times the factor of the transform back.
    out : ndarray
        For each block the last rows of its circular convolution.
    """
    cdef FftProductsParams p
    cdef Device device = out.device_
    cdef int64_t block, kept, blocks, width
    cdef int log_n
    cdef FftShape shape
    check_status(device)
    _require("rows", rows, C8, 2)
    _require("other", other, C8, 2)
    _require("out", out, C8, 3)
    block, width, blocks, kept = other.shape_[0], other.shape_[1], out.shape_[0], out.shape_[1]
    log_n = LENGTHS[block]
    if rows.shape_[1] != width or out.shape_[2] != width or rows.shape_[0] != blocks * kept + block - kept:
        raise ValueError(f"{blocks} blocks of {block} rows, of which {kept} are kept, do not fit {rows.shape} rows")
    if out.size_ == 0:
        return
    shape = fft_columns_shape(log_n)
    memset(&p, 0, sizeof(p))
    p.columns.source, p.columns.target, p.other = rows.data_ptr(), out.data_ptr(), other.data_ptr()
    p.columns.columns = p.columns.in_row = p.columns.out_row = p.other_row = width
    p.columns.in_tile = p.columns.out_tile = 1 << shape.log_width
    p.columns.in_batch = p.columns.out_batch = kept * width
    p.columns.tiles_a_batch = (width + p.columns.in_tile - 1) // p.columns.in_tile
    p.columns.tiles = p.columns.tiles_a_batch * blocks
    p.columns.factor = 1
    p.skipped = block - kept
    device.launch(device.kernel("fft_c8", f"products_{log_n}"), <unsigned int>p.columns.tiles, 1, 1, shape.threads,
                  <unsigned int>(4 * block << shape.log_width), &p, sizeof(p))


cdef int _pairs(str step, FftPairsParams* p, ndarray image, ndarray pairs, int64_t rows, int64_t columns) except -1:
    cdef Device device = image.device_
    check_status(device)
    _require("image", image, F4, 2)
    _require("pairs", pairs, C8, 2)
    p.image, p.pairs = image.data_ptr(), pairs.data_ptr()
    p.rows, p.columns, p.pair_rows, p.width = image.shape_[0], image.shape_[1], pairs.shape_[0], pairs.shape_[1]
    if rows * columns:
        device.launch(device.kernel("fft_c8", step), <unsigned int>((columns + FFT_PAIRS_BLOCK - 1) // FFT_PAIRS_BLOCK),
                      <unsigned int>min(rows, <int64_t>MOST_DOWN), 1, FFT_PAIRS_BLOCK, 0, p, sizeof(p[0]))
    return 0


def pack_pairs(ndarray image not None, ndarray pairs not None, int64_t above, int64_t half):
    """Write complex rows: row i has row ``i - above`` of a real image and, as imaginary part, that ``half`` below."""
    cdef FftPairsParams p
    p.above, p.half = above, half
    _pairs("pack_pairs", &p, image, pairs, pairs.shape_[0], pairs.shape_[1])


def unpack_pairs(ndarray pairs not None, ndarray image not None, int64_t half):
    """Write a real image: row i has the real part of row i, and row ``half + i`` its imaginary part."""
    cdef FftPairsParams p
    if pairs.shape_[0] < half or pairs.shape_[1] < image.shape_[1] or 2 * half < image.shape_[0]:
        raise ValueError(f"pairs of shape {pairs.shape} do not hold an image of shape {image.shape}")
    p.above, p.half = 0, half
    _pairs("unpack_pairs", &p, image, pairs, half, image.shape_[1])
