"""The planner of reductions: from axes and strides to a kernel variant, its launch shape and its parameters."""
from libc.stdint cimport int64_t, uint32_t, uint64_t

from gpunp.array.axes cimport merge_axes, sort_axes
from gpunp.array.division cimport set_divider
from gpunp.array.ndarray cimport MAX_NDIM
from gpunp.dtype_codes cimport itemsize_of
from gpunp.tuning cimport Tuning

cdef enum:
    # Least bytes that a block reads when work is split: one batch of four 16-byte vectors per thread.
    BATCH_BYTES = REDUCE_BLOCK * 4 * 16
    LONGEST_CHUNK = 1 << 30
    # Most bytes of a run, or of a bundle of interleaved runs, that is folded in shared memory; most bytes of a
    # bundle if no other axis is reduced; least bytes of columns for the columns kernel.
    LONGEST_RUN = 4096
    SHORT_BUNDLE = 1024
    NARROW = 32
    # Least vectors of long rows, and least rows per multiprocessor for which two share a block.
    LONG_ROW = 2048
    MANY_ROWS = 64
    # Least bytes of runs that the REDUCE_WHOLE kernel reads together with the runs of other rows.
    SHORTEST_WHOLE = 128


cdef int64_t _ceil_div(int64_t a, int64_t b) noexcept nogil:
    return (a + b - 1) // b


cdef int64_t _power_of_two(int64_t n, int64_t limit) noexcept nogil:
    """The least power of two not below n, clamped to [1, limit]."""
    cdef int64_t result = 1
    while result < n and result < limit:
        result *= 2
    return result


cdef void _set_magic(ReduceDim* d) noexcept nogil:
    set_divider(<uint64_t>d.extent, &d.magic, &d.shift)


# The kept or the reduced axes, with the strides of the input, the output and the mask.
cdef struct AxisGroup:
    int ndim
    Py_ssize_t[MAX_NDIM] shape
    Py_ssize_t[3][MAX_NDIM] strides


cdef void _add_axis(AxisGroup* group, Py_ssize_t extent, Py_ssize_t stride, Py_ssize_t out_stride,
                    Py_ssize_t where_stride) noexcept nogil:
    group.shape[group.ndim] = extent
    group.strides[0][group.ndim] = stride
    group.strides[1][group.ndim] = out_stride
    group.strides[2][group.ndim] = where_stride
    group.ndim += 1


cdef void _merge(AxisGroup* group, bint in_order) noexcept nogil:
    if not in_order:
        sort_axes(group.ndim, group.shape, group.strides, 3, 0)
    group.ndim = merge_axes(group.ndim, group.shape, group.strides, 3)


cdef void _set_dims(ReduceDim* dims, const AxisGroup* group) noexcept nogil:
    """Fill in the dimensions of a kernel, innermost first."""
    cdef int d, i
    for i in range(group.ndim):
        d = group.ndim - 1 - i
        dims[i].extent = group.shape[d]
        dims[i].stride = group.strides[0][d]
        dims[i].out_stride = group.strides[1][d]
        dims[i].where_stride = group.strides[2][d]
        _set_magic(&dims[i])


cdef bint plan_dims(ReduceParams* p, const Axes* axes, bint ordered) noexcept:
    cdef AxisGroup kept, reduced
    cdef Py_ssize_t extent, stride, out_stride, where_stride
    cdef int axis
    p.outputs = 1
    p.reduced = 1
    kept.ndim = reduced.ndim = 0
    for axis in range(axes.ndim):
        extent = axes.shape[axis]
        if axes.reduced[axis]:
            p.reduced *= extent
        else:
            p.outputs *= extent
        if extent == 1:
            continue
        stride = axes.strides[axis]
        out_stride = 0 if axes.reduced[axis] else axes.out_strides[axis]
        where_stride = 0 if axes.where_strides == NULL else axes.where_strides[axis]
        # Traverse memory forwards, unless the order of the reduced elements matters.
        if stride < 0 and extent > 0 and not (ordered and axes.reduced[axis]):
            p.data += stride * (extent - 1)
            p.out += out_stride * (extent - 1)
            if p.where != NULL:
                p.where += where_stride * (extent - 1)
            stride, out_stride, where_stride = -stride, -out_stride, -where_stride
        _add_axis(&reduced if axes.reduced[axis] else &kept, extent, stride, out_stride, where_stride)
    _merge(&kept, False)
    _merge(&reduced, ordered)
    if p.reduced <= 1:
        # No reduced axis, or an empty one, which stands for all.
        reduced.ndim = 0
        _add_axis(&reduced, p.reduced, 0, 0, 0)
    if kept.ndim + reduced.ndim > REDUCE_MAX_DIMS:
        return False
    p.kept_ndim = kept.ndim
    p.reduced_ndim = reduced.ndim
    _set_dims(p.dims, &kept)
    _set_dims(&p.dims[kept.ndim], &reduced)
    return True


cdef bint _aligned(const ReduceParams* p, int nbytes) noexcept nogil:
    """Whether every run along the first kept dimension starts at a multiple of ``nbytes``."""
    cdef int64_t bits = <int64_t><size_t>p.data
    cdef int i
    for i in range(1, p.kept_ndim + p.reduced_ndim):
        bits |= p.dims[i].stride
    return bits % nbytes == 0


cdef bint _aligned_results(const ReduceParams* p) noexcept nogil:
    """Whether results along the first kept dimension are contiguous and start at multiples of 16 bytes."""
    cdef int64_t bits = <int64_t><size_t>p.out
    cdef int i
    for i in range(1, p.kept_ndim):
        bits |= p.dims[i].out_stride
    return bits % 16 == 0 and p.dims[0].out_stride == itemsize_of(p.out_dtype)


cdef Launch _plan_rows(ReduceParams* p, int itemsize, bint moments, const Tuning* tuning,
                       int multiprocessors) noexcept nogil:
    cdef ReduceDim* inner = &p.dims[p.kept_ndim]
    cdef int64_t vectors = _ceil_div(inner.extent * itemsize, 16)
    cdef int64_t outer = p.reduced // inner.extent if inner.extent else 1
    # Eight vectors per thread, or sixteen if eight do not divide into whole batches of four; for moments of small
    # elements one batch; fewer if the device would not be filled.
    cdef int64_t each = 8 if not moments or itemsize >= 4 else 4
    cdef int64_t wanted, batch, pieces
    cdef Launch launch
    launch.variant = ROWS
    launch.threads = REDUCE_BLOCK
    p.lanes = <int>_power_of_two(_ceil_div(vectors, each), REDUCE_BLOCK)
    if not moments and p.lanes > 1 and vectors % (p.lanes * 4):
        p.lanes = <int>_power_of_two(_ceil_div(vectors, 2 * each), REDUCE_BLOCK)
    if moments and vectors >= LONG_ROW and p.outputs >= <int64_t>MANY_ROWS * multiprocessors:
        # Two rows per block: to combine the moments of its threads takes a row as long as to read it.
        p.lanes = REDUCE_BLOCK // 2
    while (p.lanes < REDUCE_BLOCK and p.lanes < vectors
           and p.outputs * p.lanes < multiprocessors * tuning.reduce_row_threads):
        p.lanes *= 2
    p.chunk = inner.extent if 0 < inner.extent < LONGEST_CHUNK else LONGEST_CHUNK
    p.units = outer * _ceil_div(inner.extent, p.chunk)
    p.per_split = p.units
    if p.lanes == REDUCE_BLOCK and p.outputs < multiprocessors * tuning.reduce_few_blocks:
        wanted = tuning.reduce_resident_blocks if moments else tuning.reduce_many_blocks
        wanted = _ceil_div(multiprocessors * wanted, p.outputs)
        if outer >= wanted:
            p.per_split = _ceil_div(p.units, wanted)
        else:
            batch = BATCH_BYTES // itemsize * (1 + moments)
            pieces = _ceil_div(wanted, outer)
            p.chunk = min(_ceil_div(_ceil_div(inner.extent, pieces), batch) * batch, <int64_t>LONGEST_CHUNK)
            p.units = outer * _ceil_div(inner.extent, p.chunk)
            p.per_split = 1
        p.splits = <uint32_t>_ceil_div(p.units, p.per_split)
    p.tiles = <uint32_t>_ceil_div(p.outputs, REDUCE_BLOCK // p.lanes)
    launch.blocks = p.tiles * p.splits
    return launch


cdef bint _are_whole(const ReduceParams* p, int itemsize, bint moments, const Tuning* tuning) noexcept nogil:
    """Whether exactly one axis besides that of the runs is reduced, and runs are whole 16-byte vectors."""
    cdef const ReduceDim* inner = &p.dims[p.kept_ndim]
    cdef int64_t nbytes = inner.extent * itemsize, bits = <int64_t><size_t>p.data | nbytes
    cdef int i
    if (p.reduced_ndim != 2 or nbytes < SHORTEST_WHOLE
            or nbytes > (tuning.reduce_whole_moments_bytes if moments else tuning.reduce_whole_bytes)):
        return False
    for i in range(p.kept_ndim + p.reduced_ndim):
        if i != p.kept_ndim:
            bits |= p.dims[i].stride
    return bits % 16 == 0 and p.reduced // inner.extent * (nbytes // 16) < 0x40000000


cdef Launch _plan_whole(ReduceParams* p, int itemsize, const Tuning* tuning, int multiprocessors) noexcept nogil:
    cdef ReduceDim* inner = &p.dims[p.kept_ndim]
    cdef int64_t wanted
    cdef Launch launch
    launch.variant = ROWS
    launch.threads = REDUCE_BLOCK
    p.flags |= REDUCE_WHOLE
    p.vectors.extent = inner.extent * itemsize // 16
    _set_magic(&p.vectors)
    # Groups of threads read neighboring runs; a group grows if there are too few threads.
    p.lanes = <int>_power_of_two(p.vectors.extent, REDUCE_BLOCK)
    while p.lanes < REDUCE_BLOCK and p.outputs * p.lanes < multiprocessors * tuning.reduce_whole_threads:
        p.lanes *= 2
    p.chunk = inner.extent
    p.units = p.per_split = p.reduced // inner.extent
    if p.lanes == REDUCE_BLOCK and p.outputs < multiprocessors * tuning.reduce_few_blocks:
        wanted = _ceil_div(multiprocessors * tuning.reduce_whole_blocks, p.outputs)
        p.per_split = max(_ceil_div(p.units, wanted),
                          min(_ceil_div(BATCH_BYTES, inner.extent * itemsize), p.units))
        p.splits = <uint32_t>_ceil_div(p.units, p.per_split)
    p.tiles = <uint32_t>_ceil_div(p.outputs, REDUCE_BLOCK // p.lanes)
    launch.blocks = p.tiles * p.splits
    return launch


cdef int64_t _columns_of(int itemsize, bint moments) noexcept nogil:
    """Number of neighboring columns per thread."""
    cdef int64_t columns = 16 // itemsize if itemsize >= 4 else 4
    return min(columns, 2) if moments else columns


cdef void _split(ReduceParams* p, int64_t least, int64_t wanted) noexcept nogil:
    """Split the reduced extent if tiles alone do not fill the device."""
    cdef int64_t splits
    p.per_split = p.reduced
    splits = min(wanted, p.reduced // least)
    if splits > 1:
        p.per_split = _ceil_div(_ceil_div(p.reduced, splits), least) * least
        p.splits = <uint32_t>_ceil_div(p.reduced, p.per_split)


cdef int64_t _whole_rounds(int64_t tiles, int64_t places) noexcept nogil:
    """Number of splits per tile with which the blocks best fill whole rounds of ``places`` resident blocks."""
    cdef int64_t rounds, splits, best = 1, wasted, least = places
    for rounds in range(1, 5):
        splits = rounds * places // tiles
        wasted = (rounds * places - splits * tiles) // rounds
        if splits > 0 and wasted < least:
            best, least = splits, wasted
    return best


cdef Launch _plan_columns(ReduceParams* p, int itemsize, bint moments, const Tuning* tuning,
                          int multiprocessors) noexcept nogil:
    cdef int64_t columns = _columns_of(itemsize, moments), width = p.dims[0].extent
    cdef int64_t threads = _ceil_div(width, columns), down, wanted, bundle
    cdef int64_t unrolled = 4 if itemsize * columns >= 16 and not moments else 8
    cdef Launch launch
    launch.variant = COLUMNS
    # Strips of 512 bytes, where moments leave a thread few columns: np.var(A, axis=0) of 16384 x 16384 float32 on an
    # H200 takes 254 us, by strips of 256 bytes 264.
    p.lanes = <int>_power_of_two(threads, 64 if moments and columns * itemsize <= 8 else 32)
    down = _power_of_two(_ceil_div(p.reduced, unrolled), REDUCE_BLOCK // p.lanes)
    # With enough columns a thread folds all rows of its columns, and no exchange between threads is needed.
    wanted = _ceil_div(multiprocessors * tuning.reduce_column_threads, p.outputs // width * threads)
    down = min(down, _power_of_two(wanted, REDUCE_BLOCK))
    p.lanes = <int>_power_of_two(threads, REDUCE_BLOCK // down)
    p.tiles = <uint32_t>(p.outputs // width * _ceil_div(threads, p.lanes))
    wanted = _whole_rounds(p.tiles, multiprocessors * tuning.reduce_resident_blocks)
    if p.lanes * down < 32 and wanted > 1:
        down = 32 // p.lanes
    p.down = <int>down
    _split(p, down * unrolled, wanted)
    launch.threads = <unsigned int>(p.lanes * down)
    launch.blocks = p.tiles * p.splits
    if p.splits == 1:
        # Several narrow tiles share a block if enough blocks remain.
        bundle = _power_of_two(p.tiles // (multiprocessors * tuning.reduce_column_blocks),
                               REDUCE_BLOCK // launch.threads)
        bundle = max(bundle, <int64_t>32 // launch.threads)
        launch.blocks = <unsigned int>_ceil_div(p.tiles, bundle)
        launch.threads *= <unsigned int>bundle
    if _aligned(p, <int>columns * itemsize):
        p.flags |= REDUCE_ALIGNED
    if _aligned_results(p):
        p.flags |= REDUCE_VECTORS
    return launch


cdef int64_t _common_divisor(int64_t a, int64_t b) noexcept nogil:
    while b:
        a, b = b, a % b
    return a


cdef bint _find_runs(ReduceParams* p, int itemsize) noexcept nogil:
    """Take short runs of reduced elements out of the dimensions; False if there are none.

    Runs are adjacent in memory, or in bundles of a few runs whose elements interleave.
    """
    cdef ReduceDim* inner = &p.dims[p.kept_ndim]
    cdef int64_t beside = 1, step = inner.extent * itemsize
    cdef int i, taken = inner.stride != itemsize
    # If no other axis is reduced, the usual rows kernel is as good.
    if inner.extent <= 1 or p.kept_ndim <= taken or (not taken and p.reduced_ndim == 1):
        return False
    if taken:
        beside = p.dims[0].extent
        step *= beside
        if p.dims[0].stride != itemsize or inner.stride != beside * itemsize:
            return False
        # The columns kernel takes wide bundles that are long or consist of whole vectors.
        if inner.stride >= NARROW and (p.reduced_ndim > 1 or step > SHORT_BUNDLE or _aligned(p, 16)):
            return False
    if p.dims[taken].stride != step or step > LONGEST_RUN:
        return False
    p.run = <uint32_t>inner.extent
    p.beside = <uint32_t>beside
    p.beside_stride = p.dims[0].out_stride if taken else 0
    p.reduced //= p.run
    p.kept_ndim -= taken
    for i in range(p.kept_ndim):
        p.dims[i] = p.dims[i + taken]
    # The dimension of the runs remains as a placeholder if no other axis is reduced.
    if p.reduced_ndim > 1:
        p.reduced_ndim -= 1
        taken += 1
    for i in range(p.kept_ndim, p.kept_ndim + p.reduced_ndim):
        p.dims[i] = p.dims[i + taken]
    if p.reduced == 1:
        p.dims[p.kept_ndim].extent = 1
        p.dims[p.kept_ndim].stride = 0
    return True


cdef Launch _plan_runs(ReduceParams* p, int itemsize, const Tuning* tuning, int multiprocessors) noexcept nogil:
    cdef int64_t bundle = <int64_t>p.run * p.beside, room = REDUCE_RUNS_BYTES // itemsize
    cdef int64_t vector = 16 // itemsize, unit = bundle * (vector // _common_divisor(bundle, vector))
    cdef int64_t most, strip
    cdef Launch launch
    launch.variant = ROWS
    launch.threads = REDUCE_BLOCK
    p.width = p.dims[0].extent * bundle
    most = min(room, p.width)
    if p.reduced > 1:
        # Each thread keeps one result across batches.
        most = min(most, <int64_t>REDUCE_BLOCK * p.run)
    if unit > most:
        unit = bundle
    strip = most // unit * unit
    strip = _ceil_div(_ceil_div(p.width, _ceil_div(p.width, strip)), unit) * unit
    p.strip = <uint32_t>strip
    p.per_row = <uint32_t>_ceil_div(p.width, strip)
    p.bundles = <uint32_t>(strip // bundle)
    p.results = <uint32_t>(strip // p.run)
    p.batch = <uint32_t>min(room // strip, p.reduced)
    p.vectors.extent = strip * itemsize // 16
    _set_magic(&p.vectors)
    if strip * itemsize % 16 == 0 and _aligned(p, 16):
        p.flags |= REDUCE_ALIGNED
    # Lanes fold whole vectors only if the runs consist of them.
    if p.beside > 1 or p.run % vector or strip % vector:
        vector = 1
    p.lanes = 1
    while p.lanes * 2 * p.results <= REDUCE_BLOCK and p.lanes < p.batch * p.run // vector:
        p.lanes *= 2
    p.tiles = <uint32_t>(p.outputs // (p.dims[0].extent * p.beside) * p.per_row)
    _split(p, p.batch, _ceil_div(multiprocessors * tuning.reduce_column_blocks, p.tiles))
    launch.blocks = p.tiles * p.splits
    return launch


cdef Launch _plan_general(ReduceParams* p, const Tuning* tuning, int multiprocessors) noexcept nogil:
    cdef ReduceDim* inner = &p.dims[p.kept_ndim]
    cdef int64_t step = inner.stride if inner.stride >= 0 else -inner.stride
    cdef bint beside = p.kept_ndim == 0 or step <= p.dims[0].stride, many
    cdef Launch launch
    launch.variant = GENERAL
    launch.threads = REDUCE_BLOCK
    if beside:
        p.flags |= REDUCE_LANES_FASTEST
        many = p.outputs >= multiprocessors * tuning.reduce_general_results
        p.lanes = <int>_power_of_two(_ceil_div(p.reduced, 4), 32 if many else REDUCE_BLOCK)
    else:
        p.lanes = 1
        while (p.lanes < REDUCE_BLOCK // 32 and p.lanes * 16 < p.reduced
                and p.outputs * p.lanes < multiprocessors * tuning.reduce_general_threads):
            p.lanes *= 2
    p.tiles = <uint32_t>_ceil_div(p.outputs, REDUCE_BLOCK // p.lanes)
    _split(p, p.lanes * 16, _ceil_div(multiprocessors * tuning.reduce_column_blocks, p.tiles))
    launch.blocks = p.tiles * p.splits
    return launch


cdef Launch plan_launch(ReduceParams* p, int itemsize, bint fast, bint runs, bint moments, bint is_cpu,
                        const Tuning* tuning, int multiprocessors) noexcept:
    cdef ReduceDim* inner = &p.dims[p.kept_ndim]
    cdef bint rows = fast and (inner.stride == itemsize or inner.extent <= 1)
    cdef bint columns = fast and p.kept_ndim > 0 and p.dims[0].stride == itemsize
    cdef Launch launch
    p.splits = 1
    p.tiles = 1
    p.run = 0
    p.partials = NULL
    p.counters = NULL
    if is_cpu:
        launch.variant = COLUMNS if columns else ROWS if rows else GENERAL
        p.chunk = p.units = p.per_split = 0
        p.lanes = p.down = launch.blocks = launch.threads = 1
        return launch
    if rows and p.reduced > 0 and _are_whole(p, itemsize, moments, tuning):
        return _plan_whole(p, itemsize, tuning, multiprocessors)
    if fast and runs and p.reduced > 0 and _find_runs(p, itemsize):
        return _plan_runs(p, itemsize, tuning, multiprocessors)
    # Short rows would leave most threads of a block idle: the general kernel handles them.
    if columns and p.dims[0].extent * itemsize < 32 and p.outputs > p.dims[0].extent:
        columns = False
    if rows and p.reduced_ndim > 1 and inner.extent * itemsize < BATCH_BYTES // 4:
        rows = p.outputs >= multiprocessors * tuning.reduce_short_rows and inner.extent * itemsize >= 64
    if columns and not (rows and inner.extent > 1):
        return _plan_columns(p, itemsize, moments, tuning, multiprocessors)
    if rows:
        return _plan_rows(p, itemsize, moments, tuning, multiprocessors)
    return _plan_general(p, tuning, multiprocessors)
