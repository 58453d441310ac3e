"""Launches of the kernels of polyphase filters and of the correlation of images."""
from libc.stdint cimport int64_t
from libc.string cimport memcpy, memset

from gpunp.array.ndarray cimport ndarray
from gpunp.device cimport Device, check_status

from gpunp.dtype_codes import NAMES

cdef extern from "gpunp/signal/polyphase_params.h" namespace "gpunp":
    enum:
        POLYPHASE_BLOCK "gpunp::POLYPHASE_BLOCK"
        POLYPHASE_EACH "gpunp::POLYPHASE_EACH"
    cdef struct PolyphaseParams:
        const char* x
        const char* h
        char* y
        int64_t taps, up, down, offset, length, outputs, width, groups, outer, inner
        int64_t x_outer, x_inner, x_item, y_outer, y_inner, y_item

cdef extern from "gpunp/signal/convolve2d_params.h" namespace "gpunp":
    enum:
        CONVOLVE2D_WIDTH "gpunp::CONVOLVE2D_WIDTH"
        CONVOLVE2D_STRIPS "gpunp::CONVOLVE2D_STRIPS"
        CONVOLVE2D_ROWS "gpunp::CONVOLVE2D_ROWS"
        CONVOLVE2D_ROWS_WIDE "gpunp::CONVOLVE2D_ROWS_WIDE"
    cdef struct Convolve2dParams:
        const char* x
        const char* w
        char* out
        int64_t rows, columns, w_rows, w_columns, out_rows, out_columns, above, left, images
        int64_t x_image, x_row, x_item, out_image, boundary, add
        double fill[2]

cdef enum:
    MOST_BLOCKS = 0x7fffffff
    MOST_IMAGES = 0xffff    # of a grid; its blocks loop over more


cdef int _require_blocks(int64_t blocks) except -1:
    if blocks > MOST_BLOCKS:
        raise ValueError(f"{blocks} blocks of results are too many for one call; filter parts of the array")
    return 0


def polyphase(ndarray x not None, ndarray h not None, ndarray y not None, int64_t up, int64_t down, int64_t offset):
    """Filter lanes of shape (outer, inner, samples) into ``y``, all of the dtype of the contiguous ``h``."""
    cdef Device device = y.device_
    cdef PolyphaseParams p
    cdef int64_t item = y.itemsize_, threads, blocks
    check_status(device)
    if y.size_ == 0:
        return
    memset(&p, 0, sizeof(p))
    p.x, p.h, p.y = x.data_ptr(), h.data_ptr(), y.data_ptr()
    p.taps, p.up, p.down, p.offset = h.size_, up, down, offset
    p.length, p.outputs, p.outer, p.inner = x.shape_[2], y.shape_[2], y.shape_[0], y.shape_[1]
    p.x_outer, p.x_inner, p.x_item = x.strides_[0] // item, x.strides_[1] // item, x.strides_[2] // item
    p.y_outer, p.y_inner, p.y_item = y.strides_[0] // item, y.strides_[1] // item, y.strides_[2] // item
    threads = max(min(<int64_t>POLYPHASE_BLOCK, (p.outputs + POLYPHASE_EACH - 1) // POLYPHASE_EACH), <int64_t>1)
    p.width = (threads + up - 1) // up * up
    p.groups = (p.outputs + p.width * POLYPHASE_EACH - 1) // (p.width * POLYPHASE_EACH)
    blocks = (p.outer * p.inner * p.groups * p.width + POLYPHASE_BLOCK - 1) // POLYPHASE_BLOCK
    _require_blocks(blocks)
    device.launch(device.kernel("polyphase", "polyphase_" + NAMES[y.code]), <unsigned int>blocks, 1, 1,
                  POLYPHASE_BLOCK, 0, &p, sizeof(p))


def correlate2d(ndarray x not None, ndarray w not None, ndarray out not None, int64_t above, int64_t left,
                int64_t boundary, bytes fill not None, bint add=False):
    """Correlate images of shape (images, rows, columns) with contiguous weights; all dtypes are equal.

    ``out`` is contiguous; ``above`` and ``left`` say where the first weight is for the first result; ``fill`` is the
    memory of an element. ``add`` adds to ``out``.
    """
    cdef Device device = out.device_
    cdef Convolve2dParams p
    cdef int64_t item = out.itemsize_, blocks, height
    check_status(device)
    if out.size_ == 0:
        return
    memset(&p, 0, sizeof(p))
    p.x, p.w, p.out = x.data_ptr(), w.data_ptr(), out.data_ptr()
    p.images, p.rows, p.columns = x.shape_[0], x.shape_[1], x.shape_[2]
    p.w_rows, p.w_columns = w.shape_[0], w.shape_[1]
    p.out_rows, p.out_columns = out.shape_[1], out.shape_[2]
    p.x_image, p.x_row, p.x_item = x.strides_[0] // item, x.strides_[1] // item, x.strides_[2] // item
    p.out_image = p.out_rows * p.out_columns
    p.above, p.left, p.boundary, p.add = above, left, boundary, add
    memcpy(p.fill, <const char*>fill, item)
    height = CONVOLVE2D_STRIPS * (CONVOLVE2D_ROWS if item < 16 else CONVOLVE2D_ROWS_WIDE)
    blocks = (((p.out_rows + height - 1) // height)
              * ((p.out_columns + CONVOLVE2D_WIDTH - 1) // CONVOLVE2D_WIDTH))
    _require_blocks(blocks)
    device.launch(device.kernel("convolve2d", "convolve2d_" + NAMES[out.code]), <unsigned int>blocks,
                  <unsigned int>min(p.images, <int64_t>MOST_IMAGES), 1, CONVOLVE2D_WIDTH * CONVOLVE2D_STRIPS, 0,
                  &p, sizeof(p))
