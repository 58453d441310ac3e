"""Fourier transforms by our own kernels: power-of-two lengths in single precision.

They transform adjacent columns, or rows, one tile at a time, and multiply by the norm's factor in the same pass.
A long transform consists of two: along the columns of a matrix, then along those of its transpose.
"""
from libc.stdint cimport int64_t
from libc.string cimport memset

from gpunp.array.axes cimport merge_into
from gpunp.array.ndarray cimport ndarray
from gpunp.array.strides cimport is_c_contiguous
from gpunp.device cimport Buffer, Device, check_status
from gpunp.dtype_codes cimport C8, F4
from gpunp.fft.params cimport (
    FFT_LEAST_COLUMNS, FFT_LEAST_HALF, FFT_LEAST_REAL, FFT_LEAST_ROW, FFT_MOST, FftParams, FftShape,
    fft_columns_shape, fft_real_rows_shape, fft_rows_shape, fft_shared_bytes)

cdef enum:
    LEAST_WIDTH = 64    # columns; with fewer the tiles do not pay for their memory


# Adjacent columns, in `batch` batches; strides in elements.
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


def copies_pay(ndarray x not None):
    """Whether the device's time for an array of this size hides the host's time for two more launches."""
    return x.size_ >= x.device_.tuning.fft_copies_elements


def passes_pay(ndarray x not None):
    """Whether two axes of an array of this size are transformed in separate passes."""
    return x.size_ >= x.device_.tuning.fft_passes_elements


def own_pays(ndarray x not None):
    """Whether an array is large enough for our own kernels."""
    return x.size_ >= x.device_.tuning.fft_own_elements


def own_columns(Device device not None, int64_t n):
    """Whether our own kernels are faster for an axis of this length that is not the last."""
    return n & (n - 1) == 0 and n & device.tuning.fft_own_columns != 0


def own_lines(Device device not None, int64_t n):
    """Whether our own kernels are faster for a last axis of this length."""
    return n & (n - 1) == 0 and n & device.tuning.fft_own_lines != 0


def own_scaled(Device device not None, int64_t n):
    """Like `own_lines`, with a factor: cuFFT does not scale and needs another pass for it."""
    return n & (n - 1) == 0 and n & device.tuning.fft_own_scaled != 0


def own_real(Device device not None, int64_t n):
    """Whether our own kernels are faster for real matrices with rows of this length."""
    return n & (n - 1) == 0 and n & device.tuning.fft_own_real != 0


cdef bint _dense_behind(ndarray array, int axis) noexcept:
    cdef int first = axis + 1
    return is_c_contiguous(array.ndim_ - first, array.shape_ + first, array.strides_ + first, array.itemsize_)


cdef bint _collapse(ndarray array, int axis, int64_t* batch, int64_t* distance) noexcept:
    """Merge the dimensions before an axis into one batch; False if they do not merge."""
    cdef Py_ssize_t count = 1, step = 0
    if merge_into(axis, 1, array.shape_, array.strides_, 1, &count, &step) < 0:
        return False
    batch[0] = count
    distance[0] = step // array.itemsize_
    return step % array.itemsize_ == 0


cdef bint _aligned(ndarray array) noexcept:
    return <size_t>array.address() % array.itemsize_ == 0


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


cdef int _launch(Device device, str family, FftParams* p, int log_n, FftShape shape, bint rows,
                 int64_t batch) except -1:
    """Launch over all tiles; the caller has set addresses, strides and the number of transforms."""
    cdef int width = 1 << shape.log_width
    cdef int64_t blocks
    p.tiles_a_batch = (p.columns + width - 1) // width
    p.tiles = p.tiles_a_batch * batch
    p.paired = <size_t>p.source % 16 == 0 and p.in_row % 2 == 0 and p.in_batch % 2 == 0
    blocks = p.tiles
    if shape.ahead:
        blocks = min(blocks, <int64_t>device.multiprocessors * shape.blocks)
    device.launch(device.kernel("fft_c8", f"{family}_{log_n}"), <unsigned int>blocks, 1, 1, shape.threads,
                  fft_shared_bytes(log_n, shape.log_width, 4, shape.ahead, rows), p, sizeof(FftParams))
    return 0


cdef int _launch_columns(Device device, const char* source, char* target, Columns* columns, bint forward,
                         double factor) except -1:
    cdef FftParams p
    cdef int log_n = _log2(columns.length)
    cdef FftShape shape = fft_columns_shape(log_n)
    memset(&p, 0, sizeof(p))
    p.source = source
    p.target = target
    p.columns = columns.count
    p.in_row = columns.in_row
    p.in_batch = columns.in_batch
    p.out_row = columns.out_row
    p.out_batch = columns.out_batch
    p.in_tile = p.out_tile = 1 << shape.log_width
    p.factor = factor
    p.inverse = not forward
    return _launch(device, "columns", &p, log_n, shape, False, columns.batch)


cdef dict _fits = {}


def fits(device):
    """Whether a CUDA device allows blocks the shared memory that the kernels need."""
    known = _fits.get(device.index)
    if known is None:
        # CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
        shapes = [(log_n, fft_columns_shape(log_n)) for log_n in range(FFT_LEAST_COLUMNS, FFT_MOST + 1)]
        known = _fits[device.index] = device.attribute(97) >= max([
            fft_shared_bytes(log_n, shape["log_width"], 4, shape["ahead"], False) for log_n, shape in shapes])
    return known


def down(ndarray x not None, ndarray y not None, int axis, bint forward, double factor):
    """Transform ``x`` along an axis into ``y``, times a factor, if the strides fit; else return False.

    ``y`` is disjoint memory or ``x`` itself.
    """
    cdef Columns columns
    check_status(x.device_)
    if not FFT_LEAST_COLUMNS <= _log2(x.shape_[axis]) <= FFT_MOST or not _describe(x, y, axis, &columns):
        return False
    if columns.count < LEAST_WIDTH:
        return False
    _launch_columns(x.device_, x.data_ptr(), y.data_ptr(), &columns, forward, factor)
    return True


def along(ndarray x not None, ndarray y not None, bint forward, double factor):
    """Transform the last axis of ``x`` into ``y``, times a factor, if the strides fit; else return False.

    ``y`` is disjoint memory or ``x`` itself.
    """
    cdef Columns rows
    cdef FftParams p
    cdef FftShape shape, second
    cdef Buffer between
    cdef int log_n, log_first
    cdef int64_t n
    check_status(x.device_)
    if x.ndim_ == 0 or not _describe(x, y, x.ndim_ - 1, &rows) or rows.in_row != 1 or rows.out_row != 1:
        return False
    n = rows.length
    log_n = _log2(n)
    memset(&p, 0, sizeof(p))
    p.source = x.data_ptr()
    p.inverse = not forward
    if FFT_LEAST_ROW <= log_n <= FFT_MOST:
        shape = fft_rows_shape(log_n)
        p.target = y.data_ptr()
        p.columns = rows.batch
        p.in_column = rows.in_batch
        p.out_column = rows.out_batch
        p.in_tile = rows.in_batch << shape.log_width
        p.out_tile = rows.out_batch << shape.log_width
        p.factor = factor
        _launch(x.device_, "rows", &p, log_n, shape, True, 1)
        return True
    if not 2 * FFT_LEAST_HALF <= log_n <= 2 * FFT_MOST:
        return False
    log_first = log_n // 2
    shape = fft_columns_shape(log_first)
    second = fft_columns_shape(log_n - log_first)
    # The first half stores each tile contiguously in the workspace; the second half reads a few rows of each tile.
    between = x.device_.allocate(x.size_ * x.itemsize_)
    p.target = <char*>between.ptr
    p.columns = 1 << (log_n - log_first)
    p.in_row = p.columns
    p.in_tile = 1 << shape.log_width
    p.in_batch = rows.in_batch
    p.out_tile = <int64_t>1 << (shape.log_width + log_first)
    p.out_batch = n
    p.whole = n
    _launch(x.device_, "first", &p, log_first, shape, False, rows.batch)
    p.source = <char*>between.ptr
    p.target = y.data_ptr()
    p.columns = 1 << log_first
    p.in_row = p.out_tile
    p.in_tile = 1 << (shape.log_width + second.log_width)
    p.in_batch = n
    p.out_row = p.columns
    p.out_tile = 1 << second.log_width
    p.out_batch = rows.out_batch
    p.factor = factor
    _launch(x.device_, f"second_{log_first}", &p, log_n - log_first, second, False, rows.batch)
    return True


def real_columns_and_rows(ndarray x not None, ndarray y not None, double factor):
    """Transform real ``x`` along its last two axes, times a factor, if the strides fit; else return False.

    The columns come first, two at a time as real and imaginary parts of complex numbers, then half of the rows.
    """
    cdef Columns columns
    cdef FftParams p
    cdef FftShape shape
    cdef Buffer between
    cdef int log_n, log_rows, d, ndim = x.ndim_
    cdef int64_t n, rows, batch = 1
    check_status(x.device_)
    if ndim < 2 or x.code != F4 or y.code != C8 or not x.c_contiguous or not y.c_contiguous:
        return False
    n = x.shape_[ndim - 1]
    rows = x.shape_[ndim - 2]
    log_n = _log2(n)
    log_rows = _log2(rows)
    if (not (FFT_LEAST_REAL <= log_n <= FFT_MOST and FFT_LEAST_COLUMNS <= log_rows <= FFT_MOST)
            or <size_t>x.data_ptr() % 8):
        return False
    for d in range(ndim - 2):
        batch *= x.shape_[d]
    if batch == 0:
        return False
    between = x.device_.allocate(x.size_ * x.itemsize_)
    columns.length = rows
    columns.count = columns.in_row = columns.out_row = n // 2
    columns.batch = batch
    columns.in_batch = columns.out_batch = rows * (n // 2)
    _launch_columns(x.device_, x.data_ptr(), <char*>between.ptr, &columns, True, 1.0)
    shape = fft_real_rows_shape(log_n)
    memset(&p, 0, sizeof(p))
    p.source = <char*>between.ptr
    p.target = y.data_ptr()
    p.columns = rows // 2 + 1
    p.in_column = n // 2
    p.in_batch = rows * p.in_column
    p.out_column = n // 2 + 1
    p.out_batch = rows * p.out_column
    p.whole = rows
    # The kernel separates the two columns by sums and differences, which are twice the values.
    p.factor = factor / 2
    _launch(x.device_, "real_rows", &p, log_n, shape, True, batch)
    return True
