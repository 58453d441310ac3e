"""Fourier transforms by kernels of our own: large power-of-two ones of single precision.

They go down columns that lie side by side, a tile of columns at a time, and multiply by the norm's factor on
the way. A long transform is two of them: down the columns of a matrix, and down those of its transpose.
"""
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memset

from gpunp.array.ndarray cimport ndarray, new_array
from gpunp.device cimport Device, check_status

cdef extern from "gpunp/fft_params.h" namespace "gpunp" nogil:
    cdef struct FftParams:
        const char* source
        char* target
        int64_t columns, tiles, tiles_a_batch, in_row, in_batch, out_row, out_column, out_batch, whole
        double factor
        int32_t inverse, paired
    cdef struct FftShape:
        int log_width, threads, blocks
        bint ahead
    FftShape fft_shape(int log_n)
    int fft_shared_bytes(int log_n, int width, int item, bint ahead)

cdef enum:
    C8 = 12             # of gpunp/types.h
    LEAST_LOG = 10      # the kernels' lengths
    MOST_LOG = 12
    LEAST_WIDTH = 64    # columns from which on the tiles are worth their memory
    MAX_DIMS = 64


# Columns side by side, `batch` times; distances in elements.
cdef struct Columns:
    int64_t length, count, batch, in_row, in_batch, out_row, out_batch


cdef int _log2(int64_t n) noexcept:
    """The exponent of a power of two, or -1."""
    cdef int log = 0
    if n <= 0 or n & (n - 1):
        return -1
    while n >> log > 1:
        log += 1
    return log


cdef bint _dense_behind(ndarray array, int axis) noexcept:
    cdef int64_t step = array.itemsize_
    cdef int d
    for d in range(array.ndim_ - 1, axis, -1):
        if array.shape_[d] > 1 and array.strides_[d] != step:
            return False
        step *= array.shape_[d]
    return True


cdef bint _collapse(ndarray array, int axis, int64_t* batch, int64_t* distance) noexcept:
    """The dimensions before an axis as one, if its steps are even."""
    cdef int64_t count = 1, step = 0
    cdef int d
    for d in range(axis - 1, -1, -1):
        if array.shape_[d] == 1:
            continue
        if count == 1:
            step = array.strides_[d]
        elif array.strides_[d] != step * count:
            return False
        count *= array.shape_[d]
    batch[0] = count
    distance[0] = step // array.itemsize_
    return step % array.itemsize_ == 0


cdef bint _aligned(ndarray array) noexcept:
    return <size_t>array.data_ptr() % array.itemsize_ == 0


cdef bint _describe(ndarray x, ndarray y, int axis, Columns* columns) noexcept:
    cdef int d
    cdef int64_t batch = 0
    if x.code != C8 or y.code != C8 or x.ndim_ != y.ndim_ or not _aligned(x) or not _aligned(y):
        return False
    columns.count = 1
    for d in range(x.ndim_):
        if x.shape_[d] != y.shape_[d]:
            return False
        if d > axis:
            columns.count *= x.shape_[d]
    columns.length = x.shape_[axis]
    if not (_dense_behind(x, axis) and _dense_behind(y, axis)
            and _collapse(x, axis, &columns.batch, &columns.in_batch)
            and _collapse(y, axis, &batch, &columns.out_batch)):
        return False
    if x.strides_[axis] % x.itemsize_ or y.strides_[axis] % y.itemsize_:
        return False
    columns.in_row = x.strides_[axis] // x.itemsize_
    columns.out_row = y.strides_[axis] // y.itemsize_
    return x.size_ > 0


cdef int _launch(Device device, str family, const char* source, char* target, Columns* columns,
                 int64_t out_column, int64_t whole, bint forward, double factor) except -1:
    cdef FftParams p
    cdef int log_n = _log2(columns.length)
    cdef FftShape shape = fft_shape(log_n)
    cdef int width = 1 << shape.log_width
    cdef int64_t blocks
    memset(&p, 0, sizeof(p))
    p.source = source
    p.target = target
    p.columns = columns.count
    p.tiles_a_batch = (columns.count + width - 1) // width
    p.tiles = p.tiles_a_batch * columns.batch
    p.in_row = columns.in_row
    p.in_batch = columns.in_batch
    p.out_row = columns.out_row
    p.out_batch = columns.out_batch
    p.out_column = out_column
    p.whole = whole
    p.factor = factor
    p.inverse = not forward
    p.paired = <size_t>source % 16 == 0 and columns.in_row % 2 == 0 and columns.in_batch % 2 == 0
    blocks = p.tiles
    if shape.ahead:
        blocks = min(blocks, <int64_t>device.multiprocessors * shape.blocks)
    device.launch(device.kernel("fft_c8", f"{family}_{log_n}"), <unsigned int>blocks, 1, 1, shape.threads,
                  fft_shared_bytes(log_n, width, 4, shape.ahead), &p, sizeof(p))
    return 0


cdef dict _fits = {}


def fits(device):
    """Whether blocks of a CUDA device may have the shared memory of every kernel."""
    known = _fits.get(device.index)
    if known is None:
        # CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
        known = _fits[device.index] = device.attribute(97) >= max([
            fft_shared_bytes(log_n, 1 << fft_shape(log_n).log_width, 4, fft_shape(log_n).ahead)
            for log_n in range(LEAST_LOG, MOST_LOG + 1)])
    return known


def takes(ndarray x not None, int axis):
    """Whether `down` has a kernel for the length of an axis and the width behind it."""
    cdef int log_n, d
    cdef int64_t count = 1
    if x.code != C8:
        return False
    log_n = _log2(x.shape_[axis])
    for d in range(axis + 1, x.ndim_):
        count *= x.shape_[d]
    return LEAST_LOG <= log_n <= MOST_LOG and count >= LEAST_WIDTH


def down(ndarray x not None, ndarray y not None, int axis, bint forward, double factor):
    """Transform ``x`` along an axis into ``y``, times a factor, if the strides fit; else return False.

    ``y`` is other memory, or ``x`` itself.
    """
    cdef Columns columns
    check_status(x.device_)
    if not takes(x, axis) or not _describe(x, y, axis, &columns):
        return False
    _launch(x.device_, "columns", x.data_ptr(), y.data_ptr(), &columns, 1, 0, forward, factor)
    return True


def halves(int64_t n):
    """The lengths that a long transform is made of, both with kernels; None if there are none."""
    cdef int log_n = _log2(n)
    if not 2 * LEAST_LOG <= log_n <= 2 * MOST_LOG:
        return None
    return 1 << (log_n // 2), 1 << (log_n - log_n // 2)


def along(ndarray x not None, ndarray y not None, bint forward, double factor):
    """Transform long last axes into ``y``, times a factor, if the strides of both fit; else return False.

    ``y`` may be ``x`` itself.
    """
    cdef Columns rows, columns
    cdef int64_t n, first, second
    cdef char* between
    cdef ndarray temporary
    check_status(x.device_)
    if x.ndim_ == 0:
        return False
    n = x.shape_[x.ndim_ - 1]
    both = halves(n)
    if both is None or not _describe(x, y, x.ndim_ - 1, &rows) or rows.in_row != 1 or rows.out_row != 1:
        return False
    first, second = both
    # The first half writes transposed and so not into its own input; the second each element where it was.
    columns.length = first
    columns.count = second
    columns.batch = rows.batch
    columns.in_row = second
    columns.in_batch = rows.in_batch
    columns.out_row = 1
    if x.data_ptr() == y.data_ptr():
        temporary = new_array(C8, x.ndim_, x.shape_, x.device_)
        between = temporary.data_ptr()
        columns.out_batch = n
    else:
        between = y.data_ptr()
        columns.out_batch = rows.out_batch
    _launch(x.device_, "lines", x.data_ptr(), between, &columns, first, n, forward, 1.0)
    columns.length = second
    columns.count = first
    columns.in_batch = columns.out_batch
    columns.in_row = columns.out_row = first
    columns.out_batch = rows.out_batch
    _launch(x.device_, "columns", between, y.data_ptr(), &columns, 1, 0, forward, factor)
    return True
