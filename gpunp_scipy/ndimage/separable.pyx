"""The engine of separable filters: sums and extrema of windows along axes, two axes in one launch where that pays.

`filter_axes` takes the axes in order. As in SciPy, results are rounded to the dtype of the output after each axis.
Sums are computed in float64; those of integers and float64 in SciPy's order of operations, so that integers, which
are truncated, are equal. Sums stored as float32 are rounded once from float64 sums in another order.
"""
from libc.stdint cimport int32_t, int64_t

import numpy

from gpunp.array.convert import asarray
from gpunp.array.layout import converted, empty
from gpunp.array.ndarray cimport ndarray
from gpunp.device cimport Device, check_status
from gpunp.dtype_codes cimport BOOL, F4, U2

cdef extern from "gpunp/ndimage/boundary_params.h" namespace "gpunp":
    enum:
        BOUNDARY_CONSTANT, BOUNDARY_GRID_CONSTANT

cdef extern from "gpunp/ndimage/separable_params.h" namespace "gpunp":
    enum:
        SEPARABLE_BLOCK, SEPARABLE_RUN, SEPARABLE_TAPS, SEPARABLE_ROWS
        WINDOW_WEIGHTED, WINDOW_SYMMETRIC, WINDOW_ANTISYMMETRIC, WINDOW_MEAN
    cdef struct SeparableAxis:
        int64_t before
        int64_t taps
        int32_t mode
        int32_t combining
    cdef struct SeparableParams:
        const char* input
        char* output
        const double* weights
        int64_t planes
        int64_t rows
        int64_t columns
        SeparableAxis axis[2]
        double cval
        int64_t tile_rows
        int64_t tile_columns
        int32_t in_dtype
        int32_t out_dtype
        int32_t rows_first
        double taps[2][128]
    int64_t separable_tile(const SeparableParams& p)
    int64_t separable_between(const SeparableParams& p)

cdef enum:
    # Outputs of a tile, if it has few rows or columns.
    TILE = 4096
    # Bytes of shared memory that every supported GPU gives to a block.
    TILE_BYTES = 96 << 10
    # Columns and rows of a thread that filters with three taps.
    THREE_COLUMNS = 4
    THREE_ROWS = 16
    # Of sums over windows along both axes tiles have more rows, if three blocks fit in a multiprocessor then.
    SUM_ROWS = 48
    SUM_BYTES = 73 << 10
    # With fewer adjacent samples, filtering an axis that is not the last reads too little of each row.
    ADJACENT = 16


class Pass:
    """One axis of a separable filter.

    Parameters
    ----------
    axis : int
    taps : int
        Samples of the window.
    before : int
        Samples of the window before that of its output.
    mode : int
        The code of the boundary mode.
    weights : ndarray of float64, optional
        On the host; without weights, sums are means.
    """

    def __init__(self, axis, taps, before, mode, weights=None):
        self.axis = axis
        self.taps = taps
        self.before = before
        self.mode = mode
        self.weights = weights
        self.combining = WINDOW_MEAN if weights is None else _symmetry(weights)


def _symmetry(weights):
    """How SciPy adds samples: by pairs if it takes the weights to be symmetric or antisymmetric."""
    length = len(weights)
    if length % 2 == 0:
        return WINDOW_WEIGHTED
    epsilon = numpy.finfo(numpy.float64).eps
    half = length // 2
    left, right = weights[:half], weights[:half:-1]
    if numpy.all(numpy.abs(right - left) <= epsilon):
        return WINDOW_SYMMETRIC
    if numpy.all(numpy.abs(right + left) <= epsilon):
        return WINDOW_ANTISYMMETRIC
    return WINDOW_WEIGHTED


cdef inline bint fits_float(int code) noexcept:
    """Whether float32 holds all samples of a dtype."""
    return BOOL <= code <= U2 or code == F4


def filter_axes(ndarray image not None, ndarray output not None, list passes, double cval, str kind):
    """Filter along one or more axes.

    Parameters
    ----------
    image : ndarray
        Real, with elements.
    output : ndarray
        Gets the results; shares no memory with the image.
    passes : list of Pass
        At least one, in order.
    cval : float
        What the image continues with, where the mode is constant.
    kind : {"sum", "minimum", "maximum"}
    """
    cdef ndarray source, target, spare = None
    check_status(image.device_)
    source = image if image.c_contiguous else converted(image, order="C")
    steps = _grouped(passes, image.shape)
    # Between passes, SciPy's booleans are bytes with other values than 0 and 1.
    dtype = numpy.dtype(numpy.uint8) if output.code == BOOL and len(steps) > 1 else output.dtype
    target = output
    if not output.c_contiguous or dtype != output.dtype:
        target = empty(output.shape, dtype, device=output.device)
    for index, step in enumerate(steps):
        if (len(steps) - index) % 2 == 0:
            if spare is None:
                spare = empty(output.shape, dtype, device=output.device)
            into = spare
        else:
            into = target
        _run(source, into, step, cval, kind)
        source = into
    if target is not output:
        output[...] = target


def _grouped(passes, shape):
    """Split passes into steps of one launch: one pass, or two along the last axes with several samples."""
    steps, rest = [], list(passes)
    while rest:
        if len(rest) > 1 and _fuse(rest[0], rest[1], shape):
            steps.append((rest.pop(0), rest.pop(0)))
        else:
            steps.append((rest.pop(0),))
    return steps


def _fuse(first, second, shape):
    low, high = sorted((first.axis, second.axis))
    along = second if first.axis == low else first
    others = shape[low + 1:high] + shape[high + 1:]
    # The samples around a tile are filtered in the first pass too: with many of them, two launches are faster.
    return (all(n == 1 for n in others) and shape[low] > 1 and shape[high] > 1
            and first.taps <= SEPARABLE_TAPS // 2 and along.taps <= SEPARABLE_TAPS // 2)


cdef int _set_axis(SeparableParams* p, int axis, one) except -1:
    cdef int i
    p.axis[axis].before = one.before
    p.axis[axis].taps = one.taps
    p.axis[axis].mode = one.mode
    p.axis[axis].combining = one.combining
    if one.taps <= SEPARABLE_TAPS:
        for i in range(one.taps):
            p.taps[axis][i] = 1.0 / one.taps if one.weights is None else one.weights[i]
    return 0


cdef inline int64_t _round_up(int64_t n) noexcept:
    return (n + SEPARABLE_RUN - 1) // SEPARABLE_RUN * SEPARABLE_RUN


cdef bint _set_tile(SeparableParams* p, int itemsize) noexcept:
    """Choose the outputs of a block; False if no tile fits in shared memory."""
    cdef int64_t columns = _round_up(p.columns), rows = _round_up(p.rows), most
    p.tile_columns = min(columns, <int64_t>128)
    p.tile_rows = min(rows, <int64_t>SEPARABLE_ROWS)
    if not p.axis[0].taps:
        p.tile_rows = min(p.rows, <int64_t>SEPARABLE_ROWS)
        if p.tile_rows < SEPARABLE_ROWS:
            p.tile_columns = min(columns, _round_up(TILE // p.tile_rows))
    elif not p.axis[1].taps and p.tile_columns < 128:
        most = TILE // p.tile_columns // SEPARABLE_RUN * SEPARABLE_RUN
        p.tile_rows = min(rows, max(most, <int64_t>SEPARABLE_ROWS))
    while (separable_tile(p[0]) + separable_between(p[0])) * itemsize > TILE_BYTES:
        if p.tile_columns > 32 and p.axis[1].taps <= p.tile_columns:
            p.tile_columns = _round_up(p.tile_columns // 2)
        elif p.tile_rows > SEPARABLE_RUN:
            p.tile_rows = _round_up(p.tile_rows // 2)
        else:
            return False
    return True


cdef int _run(ndarray source, ndarray target, step, double cval, str kind) except -1:
    """Launch one step."""
    cdef SeparableParams p
    cdef Device device = source.device_
    cdef bint single = fits_float(source.code) and fits_float(target.code)
    cdef ndarray weights
    cdef int64_t blocks
    shape = source.shape
    first = step[0]
    axis = min(one.axis for one in step)
    inner = _product(shape[axis + 1:])
    if any(one.mode == BOUNDARY_CONSTANT for one in step):
        # Constants that float32 does not hold must not be rounded.
        single = single and (<double><float>cval == cval or cval != cval)
    p.weights = NULL
    p.cval = cval
    p.in_dtype = source.code
    p.out_dtype = target.code
    p.axis[0].taps = p.axis[1].taps = 0
    p.rows_first = 0
    if len(step) == 1 and 1 < inner < ADJACENT and first.taps <= SEPARABLE_TAPS and not device.is_cpu:
        return _run_transposed(source, target, first, cval, kind)
    p.input = source.data_ptr()
    p.output = target.data_ptr()
    if len(step) == 1 and first.taps > SEPARABLE_TAPS:
        p.planes, p.rows, p.columns = _product(shape[:axis]), shape[axis], inner
        _set_axis(&p, 0, first)
        if kind == "sum" and first.weights is not None:
            weights = asarray(numpy.ascontiguousarray(first.weights), device=source.device)
            p.weights = <const double*>weights.data_ptr()
        blocks = p.planes * p.columns * ((p.rows + SEPARABLE_RUN - 1) // SEPARABLE_RUN)
        blocks = min((blocks + SEPARABLE_BLOCK - 1) // SEPARABLE_BLOCK, <int64_t>0x7fffffff)
        device.launch(device.kernel("ndimage_separable", "separable_long_" + kind), <unsigned int>blocks, 1, 1,
                      SEPARABLE_BLOCK, 0, &p, sizeof(p))
        return 0
    if len(step) == 2:
        p.planes, p.rows, p.columns = _product(shape[:axis]), shape[axis], inner
        p.rows_first = first.axis != axis
        for one in step:
            _set_axis(&p, one.axis != axis, one)
        if kind == "sum" and source.code == F4 and target.code == F4 and _three_taps(&p, step, device):
            return 0
    elif inner == 1:
        p.planes, p.rows, p.columns = 1, _product(shape[:axis]), shape[axis]
        _set_axis(&p, 1, first)
    else:
        p.planes, p.rows, p.columns = _product(shape[:axis]), shape[axis], inner
        _set_axis(&p, 0, first)
    itemsize = 4 if single else 8
    if not _set_tile(&p, itemsize):
        raise RuntimeError("a tile of a separable filter does not fit in shared memory")
    if (kind == "sum" and single and len(step) == 2 and not device.is_cpu and p.rows > SUM_ROWS
            and p.tile_columns == 128):
        p.tile_rows = SUM_ROWS
        if (separable_tile(p) + separable_between(p)) * itemsize > SUM_BYTES:
            _set_tile(&p, itemsize)
    blocks = (p.planes * ((p.rows + p.tile_rows - 1) // p.tile_rows)
              * ((p.columns + p.tile_columns - 1) // p.tile_columns))
    name = "separable_" + ("quick" if kind == "sum" and single and target.code == F4 else kind)
    device.launch(device.kernel("ndimage_separable", name + ("_f4" if single else "_f8")),
                  <unsigned int>min(blocks, <int64_t>0x7fffffff), 1, 1, SEPARABLE_BLOCK,
                  <unsigned int>((separable_tile(p) + separable_between(p)) * itemsize), &p, sizeof(p))
    return 0


cdef int _three_taps(SeparableParams* p, step, Device device) except -1:
    """Launch a step of two axes with three weights each, if it is one and there is a kernel for it."""
    cdef int64_t blocks
    for one in step:
        if one.taps != 3 or one.before != 1 or one.weights is None:
            return 0
        if one.mode in (BOUNDARY_CONSTANT, BOUNDARY_GRID_CONSTANT):
            return 0
    if device.is_cpu or p.columns > 0x7fffffff:
        return 0
    p.tile_rows = THREE_ROWS
    blocks = p.planes * ((p.rows + THREE_ROWS - 1) // THREE_ROWS) * ((p.columns + THREE_COLUMNS - 1) // THREE_COLUMNS)
    blocks = (blocks + SEPARABLE_BLOCK - 1) // SEPARABLE_BLOCK
    if blocks > 0x7fffffff:
        return 0
    name = "separable_three_rows_f4" if p.rows_first else "separable_three_columns_f4"
    device.launch(device.kernel("ndimage_separable", name), <unsigned int>blocks, 1, 1, SEPARABLE_BLOCK, 0, p,
                  sizeof(p[0]))
    return 1


cdef int _run_transposed(ndarray source, ndarray target, one, double cval, str kind) except -1:
    """Filter an axis with few samples beside each other as the last axis of copies."""
    last = source.ndim_ - 1
    moved = converted(numpy.moveaxis(source, one.axis, last), order="C")
    result = empty(moved.shape, target.dtype, device=target.device)
    _run(moved, result, (Pass(last, one.taps, one.before, one.mode, one.weights),), cval, kind)
    target[...] = numpy.moveaxis(result, last, one.axis)
    return 0


cdef int64_t _product(shape) except -1:
    cdef int64_t size = 1
    for n in shape:
        size *= n
    return size


def median_of_square(ndarray image not None, ndarray output not None, int64_t size, before, modes, double cval):
    """Medians of 3 x 3 or 5 x 5 samples of the last two axes of a contiguous image.

    Parameters
    ----------
    image, output : ndarray
        Contiguous, of dtypes whose values float32 holds; so it does `cval`. They share no memory.
    size : {3, 5}
    before, modes : sequence of int
        Of both axes.
    cval : float
    """
    cdef SeparableParams p
    cdef Device device = image.device_
    cdef int ndim = image.ndim_, d
    cdef int64_t blocks, pitch
    check_status(device)
    p.weights = NULL
    p.cval = cval
    p.in_dtype = image.code
    p.out_dtype = output.code
    p.rows_first = 0
    p.planes, p.rows, p.columns = _product(image.shape[:ndim - 2]), image.shape_[ndim - 2], image.shape_[ndim - 1]
    for d in range(2):
        p.axis[d].before, p.axis[d].mode = before[d], modes[d]
        p.axis[d].taps, p.axis[d].combining = size, WINDOW_MEAN
    p.input = image.data_ptr()
    p.output = output.data_ptr()
    _set_tile(&p, itemsize=4)
    pitch = (p.tile_columns + size - 1 + 3) // 4 * 4
    blocks = (p.planes * ((p.rows + p.tile_rows - 1) // p.tile_rows)
              * ((p.columns + p.tile_columns - 1) // p.tile_columns))
    device.launch(device.kernel("ndimage_rank", f"median_{size}_f4"), <unsigned int>min(blocks, <int64_t>0x7fffffff),
                  1, 1, SEPARABLE_BLOCK, <unsigned int>((p.tile_rows + size - 1) * pitch * 4), &p, sizeof(p))
    return output


def holds_in_float(ndarray array not None):
    """Whether float32 holds all samples of an array's dtype."""
    return fits_float(array.code)
