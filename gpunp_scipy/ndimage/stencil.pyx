"""The engine of filters whose window is no product of axes: sums, extrema and ranks of the samples of a footprint."""
from libc.stdint cimport int32_t, int64_t

import functools
import math

import numpy

from gpunp.array.convert import asarray
from gpunp.array.layout import converted, empty
from gpunp.array.ndarray cimport ndarray
from gpunp.device cimport Device, check_status
from gpunp.dtype_codes cimport F4

cdef extern from "gpunp/ndimage/stencil_params.h" namespace "gpunp":
    enum:
        STENCIL_BLOCK, STENCIL_NDIM
    cdef struct StencilParams:
        const char* input
        char* output
        const int64_t* table
        int64_t size
        int64_t taps
        int64_t rank
        double cval
        int64_t shape[8]
        int64_t low[8]
        int64_t high[8]
        int32_t modes[8]
        int32_t ndim
        int32_t in_dtype
        int32_t out_dtype
        int32_t heights

cdef extern from "gpunp/ndimage/rank_tile_params.h" namespace "gpunp":
    enum:
        RANK_TILE_BLOCK, RANK_TILE_SAMPLES, RANK_TILE_LINES, MEDIAN_NETWORK_ROWS, MEDIAN_NETWORK_COLUMNS
    int median_network_words(int size)
    cdef struct RankTileParams:
        const char* input
        char* output
        int64_t planes
        int64_t rows
        int64_t columns
        int64_t tile_rows
        int64_t tile_columns
        int64_t window_rows
        int64_t window_columns
        int64_t rows_before
        int64_t columns_before
        int64_t rank
        double cval
        int32_t row_mode
        int32_t column_mode
        int32_t in_dtype
        int32_t out_dtype

cdef enum:
    # Words of 4 bytes from mask to mask in MASK_PITCH of kernels/include/gpunp/ndimage/rank_tile.h.
    MASK_PITCH = RANK_TILE_SAMPLES // 32 + 4


# Those of kernels/codegen/ndimage_filters.py.
MEDIAN_SIZES = (7, 9, 11, 13, 15)


def filter_footprint(ndarray image not None, ndarray output not None, footprint, values, before, modes,
                     double cval, str kind, int64_t rank=0):
    """Filter with the samples of a footprint.

    Parameters
    ----------
    image : ndarray
        Real, with elements.
    output : ndarray
        Of its shape; shares no memory with the image.
    footprint : ndarray of bool
        On the host, with an axis for each axis of the image.
    values : ndarray of float64 or None
        Of the footprint's shape: weights of sums, or heights that are added to samples for extrema.
    before : sequence of int
        For each axis, samples of the footprint before that of its output.
    modes : sequence of int
        The code of the boundary mode of each axis.
    cval : float
    kind : {"sum", "minimum", "maximum", "rank"}
    rank : int, optional
    """
    cdef StencilParams p
    cdef Device device = image.device_
    cdef ndarray source, target, table
    cdef int64_t blocks
    check_status(device)
    source = image if image.c_contiguous else converted(image, order="C")
    target = output if output.c_contiguous else empty(output.shape, output.dtype, device=output.device)
    shape, footprint, values, before, modes = _merged(image.shape, footprint, values, before, modes)
    if len(shape) > STENCIL_NDIM:
        raise ValueError(f"filters with footprints are limited to {STENCIL_NDIM} axes, not {len(shape)}")
    steps = numpy.argwhere(footprint) - numpy.asarray(before, numpy.int64)
    offsets = steps @ [math.prod(shape[d + 1:]) for d in range(len(shape))]
    heights = numpy.zeros(len(steps)) if values is None else values[footprint]
    if kind != "sum" and values is not None:
        # As int64, heights wrapped to uint64 stay numbers that a double holds; sums wrap back.
        heights[1:] = heights[1:].astype("i8" if image.dtype == "u8" else image.dtype)
    table = asarray(numpy.concatenate((offsets, heights.view(numpy.int64), steps.ravel())).astype(numpy.int64),
                    device=image.device)
    p.table = <const int64_t*>table.data_ptr()
    p.taps = len(steps)
    p.size = source.size_
    p.rank = rank
    p.heights = values is not None
    p.cval = cval
    p.ndim = len(shape)
    for d in range(p.ndim):
        p.shape[d] = shape[d]
        p.modes[d] = modes[d]
        p.low[d] = before[d]
        p.high[d] = shape[d] - (footprint.shape[d] - 1 - before[d])
    p.in_dtype = source.code
    p.out_dtype = target.code
    if kind == "rank":
        name = "stencil_rank_u8" if source.itemsize_ == 8 else "stencil_rank_u4"
    else:
        name = "stencil_" + kind + ("_f4" if source.code == F4 else "")
    blocks = min((p.size + STENCIL_BLOCK - 1) // STENCIL_BLOCK, <int64_t>0x7fffffff)
    p.input = source.data_ptr()
    p.output = target.data_ptr()
    device.launch(device.kernel("ndimage_stencil", name), <unsigned int>blocks, 1, 1, STENCIL_BLOCK, 0,
                  &p, sizeof(p))
    if target is not output:
        output[...] = target


def _merged(shape, footprint, values, before, modes):
    """Merge adjacent axes along which the footprint has one sample, at that of the output."""
    new_shape, windows, new_before, new_modes = [], [], [], []
    last = 0
    for n, window, behind, mode in zip(shape, footprint.shape, before, modes, strict=True):
        if window == last == 1:
            new_shape[len(new_shape) - 1] *= n
            continue
        last = window
        new_shape.append(n)
        windows.append(window)
        new_before.append(behind)
        new_modes.append(mode)
    if values is not None:
        values = values.reshape(windows)
    return tuple(new_shape), footprint.reshape(windows), values, new_before, new_modes


@functools.lru_cache(maxsize=256)
def rank_tile(rows, columns):
    """The outputs (rows, columns) of a tile for a window, as many as possible; None if there are too few."""
    best, found = 15, None
    for high in range(rows, min(RANK_TILE_SAMPLES // columns, RANK_TILE_LINES - columns) + 1):
        wide = min(RANK_TILE_SAMPLES // high, RANK_TILE_LINES - high)
        outputs = (high - rows + 1) * (wide - columns + 1)
        if outputs > best:
            best, found = outputs, (high - rows + 1, wide - columns + 1)
    return found


def has_median_network(ndarray image not None, rows, columns, rank):
    """Whether `median_by_network` takes windows of an image, and its blocks fit the device and the image."""
    cdef Device device = image.device_
    if rows != columns or rows not in MEDIAN_SIZES or rank != rows * columns // 2 or image.itemsize_ > 4:
        return False
    # Blocks of narrow images would be empty for the most part.
    if image.shape_[image.ndim_ - 2] < MEDIAN_NETWORK_ROWS or image.shape_[image.ndim_ - 1] < 64:
        return False
    return device.is_cpu or 4 * median_network_words(rows) <= (<object>device).shared_memory_per_block


cdef int64_t _describe(RankTileParams* p, ndarray image, ndarray output, before, modes) except -1:
    """Fill in what the kernels of ranks need of an image; return the number of its tiles."""
    cdef int ndim = image.ndim_
    p.rows_before, p.columns_before = before
    p.row_mode, p.column_mode = modes
    p.in_dtype, p.out_dtype = image.code, output.code
    p.rows, p.columns = image.shape_[ndim - 2], image.shape_[ndim - 1]
    p.planes = image.size_ // (p.rows * p.columns)
    p.input = image.data_ptr()
    p.output = output.data_ptr()
    return (p.planes * ((p.rows + p.tile_rows - 1) // p.tile_rows)
            * ((p.columns + p.tile_columns - 1) // p.tile_columns))


def median_by_network(ndarray image not None, ndarray output not None, int size, before, modes, double cval):
    """Medians of squares of the last two axes of a contiguous image, by networks.

    Parameters
    ----------
    image, output : ndarray
        Contiguous, real, sharing no memory; samples of the image have at most 4 bytes.
    size : {7, 9, 11, 13, 15}
    before, modes : sequence of int
        Of both axes.
    cval : float
        Representable in the dtype of the image.
    """
    cdef RankTileParams p
    cdef Device device = image.device_
    cdef int64_t blocks
    check_status(device)
    p.window_rows = p.window_columns = size
    p.tile_rows, p.tile_columns = MEDIAN_NETWORK_ROWS, MEDIAN_NETWORK_COLUMNS
    p.rank, p.cval = size * size // 2, cval
    blocks = _describe(&p, image, output, before, modes)
    device.launch(device.kernel("ndimage_median", f"median_{size}_u4"),
                  <unsigned int>min(blocks, <int64_t>0x7fffffff), 1, 1, RANK_TILE_BLOCK,
                  <unsigned int>(4 * median_network_words(size)), &p, sizeof(p))
    return output


def rank_of_rectangle(ndarray image not None, ndarray output not None, window, before, modes, double cval,
                      int64_t rank):
    """The sample of a rank among those of a rectangle of the last two axes.

    Parameters
    ----------
    image, output : ndarray
        Contiguous, real, sharing no memory.
    window, before, modes : sequence of int
        Of both axes; `rank_tile` must have a tile for the window.
    cval : float
        Representable in the dtype of the image.
    rank : int
    """
    cdef RankTileParams p
    cdef Device device = image.device_
    cdef int64_t blocks, lines, itemsize = 8 if image.itemsize_ == 8 else 4
    check_status(device)
    p.window_rows, p.window_columns = window
    p.tile_rows, p.tile_columns = rank_tile(p.window_rows, p.window_columns)
    p.rank, p.cval = rank, cval
    blocks = _describe(&p, image, output, before, modes)
    # As in rank_tile: the masks of lines or what the sort needs, the masks of windows, and the sorted keys.
    lines = p.tile_rows + p.tile_columns + p.window_rows + p.window_columns - 2
    lines = max(lines * MASK_PITCH, RANK_TILE_SAMPLES * (itemsize + 4) // 4)
    lines = (lines + 3) // 4 * 4 + (p.tile_rows + p.tile_columns) * MASK_PITCH
    device.launch(device.kernel("ndimage_rank", "rank_tile_u8" if itemsize == 8 else "rank_tile_u4"),
                  <unsigned int>min(blocks, <int64_t>0x7fffffff), 1, 1, RANK_TILE_BLOCK,
                  <unsigned int>(lines * 4 + RANK_TILE_SAMPLES * itemsize), &p, sizeof(p))
    return output
