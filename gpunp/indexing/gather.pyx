"""The plan of one gather or scatter by index arrays, and its launch."""
from cpython.object cimport PyObject
from libc.stdint cimport uint64_t

from gpunp.array.axes cimport merge_axes
from gpunp.array.layout cimport new_like
from gpunp.array.ndarray cimport ndarray, new_array
from gpunp.device cimport Buffer, Device, Kernel
from gpunp.dtype_codes cimport I4, I8
from gpunp.indexing.bins cimport scatter_by_bins
from gpunp.indexing.gather cimport (
    DENSE, FIRST_INDEX, GATHER_BLOCK, GATHER_DIMS, GATHER_EACH, INDEXED, POSITION, TARGET, GatherParams,
    IndexReport, Walk)
from gpunp.indexing.windows cimport gather_by_cluster, gather_by_windows
from gpunp.ufunc.copying cimport copy_into, overlaps
from gpunp.ufunc.operands cimport store_scalar

cdef enum:
    # Up to DIRECT_CLAIMS targets per position plus FEW_TARGETS, claims are indexed by target; beyond, a hash
    # table is smaller.
    DIRECT_CLAIMS = 8
    FEW_TARGETS = 1 << 16
    # Up to this many targets per position, a scatter iterates over the targets' claims instead of the positions.
    SETTLE_BY_TARGET = 4
    # From this many positions per target on, most positions need not write: reading first costs less.
    CROWDED = 4

cdef str UNIT = "indexing_gather"
# On GPUs a single 1-d index array has its own kernels.
cdef str FLAT_UNIT = "indexing_flat"
# Names in errors of index expressions. Errors of the CPU device omit them: the traceback shows the line.
cdef str INDEXING = "indexing", ASSIGNMENT = "assignment by index"


cdef ndarray as_index(ndarray index):
    """The index array itself if it is int32 or int64, otherwise converted to int64."""
    cdef ndarray wide
    if index.code == I8 or index.code == I4:
        return index
    wide = new_like(index, I8, c"K", index.device_)
    copy_into(wide, index)
    return wide


cdef bint touch(ndarray a, ndarray b) noexcept:
    """Whether two arrays share memory, identical views included."""
    return a.address() == b.address() or overlaps(a, b)


cdef int add_index(Walk* walk, GatherParams* p, ndarray index, Py_ssize_t extent, Py_ssize_t multiplier,
                   int axis) except -1:
    """Append an index array, broadcast over the common dimensions; the caller keeps it alive until the launch."""
    cdef int k = walk.indices, d, lead = walk.end_common - index.ndim_
    p.index[k] = index.data_ptr()
    p.index_bytes[k] = index.itemsize_
    p.extent[k] = extent
    p.multiplier[k] = multiplier
    walk.axes[k] = axis
    for d in range(walk.ndim):
        if d < lead or d >= walk.end_common or index.shape_[d - lead] == 1:
            walk.strides[FIRST_INDEX + k][d] = 0
        else:
            walk.strides[FIRST_INDEX + k][d] = index.strides_[d - lead]
    walk.indices += 1
    return 0


cdef void _number_positions(Walk* walk) noexcept:
    """Set the strides that number the positions of the index arrays; those of targets start as zero."""
    cdef Py_ssize_t step = 1
    cdef int d
    for d in range(walk.ndim - 1, -1, -1):
        walk.strides[POSITION][d] = walk.strides[TARGET][d] = 0
        if walk.first_common <= d < walk.end_common:
            walk.strides[POSITION][d] = step
            step *= walk.shape[d]


cdef int set_dense(Walk* walk, GatherParams* p, ndarray dense) except -1:
    """Set the dense array: of the result's shape or broadcast to it."""
    cdef int d, lead = walk.ndim - dense.ndim_
    p.dense = dense.data_ptr()
    for d in range(walk.ndim):
        walk.strides[DENSE][d] = 0
        if d >= lead and dense.shape_[d - lead] != 1:
            walk.strides[DENSE][d] = dense.strides_[d - lead]
    return 0


cdef void _merge(Walk* walk) noexcept nogil:
    cdef int r, rows = FIRST_INDEX + walk.indices
    walk.ndim = merge_axes(walk.ndim, walk.shape, walk.strides, rows)
    if walk.ndim == 0:
        walk.ndim = walk.shape[0] = 1
        for r in range(rows):
            walk.strides[r][0] = 0


cdef void _widen(Walk* walk, GatherParams* p) noexcept nogil:
    """Move contiguous runs along which all indices are constant as wider elements, of up to 16 bytes."""
    cdef int d, k, last = walk.ndim - 1, width = 16
    cdef size_t bits
    if (p.dense == NULL or p.dense_period or p.flat_ndim or walk.strides[INDEXED][last] != walk.itemsize
            or walk.strides[DENSE][last] != walk.itemsize):
        return
    bits = <size_t>p.indexed | <size_t>p.dense | <size_t>(walk.shape[last] * walk.itemsize)
    for k in range(walk.indices):
        if walk.strides[FIRST_INDEX + k][last]:
            return
        bits |= <size_t>p.multiplier[k]
    for d in range(last):
        bits |= <size_t>(walk.strides[INDEXED][d] | walk.strides[DENSE][d])
    while width > walk.itemsize and bits & <size_t>(width - 1):
        width //= 2
    if width == walk.itemsize:
        return
    walk.shape[last] = walk.shape[last] * walk.itemsize // width
    walk.strides[INDEXED][last] = walk.strides[DENSE][last] = width
    walk.itemsize = width
    if walk.shape[last] == 1 and last > 0:
        walk.ndim = last


cdef int _raise_index(Walk* walk, GatherParams* p) except -1:
    k = p.report.which
    call = <str>walk.call
    named = "" if call in (INDEXING, ASSIGNMENT) else call + ": "
    raise IndexError(f"{named}index {p.report.value} is out of bounds for axis {walk.axes[k]} with size "
                     f"{p.extent[k]}") from None


cdef int _start(Walk* walk, GatherParams* p, Device device, str symbol, Py_ssize_t blocks,
                str unit=UNIT) except -1:
    cdef Kernel kernel = device.kernel(unit, symbol)
    if not device.is_cpu:
        if blocks > 0x7fffffff:
            raise ValueError(f"indexing: a result of {p.size} elements is too large for one launch")
        device.launch(kernel, <unsigned int>blocks, 1, 1, GATHER_BLOCK, 0, p, sizeof(GatherParams))
        return 0
    try:
        device.launch(kernel, 1, 1, 1, 1, 0, p, sizeof(GatherParams))
    except IndexError:
        _raise_index(walk, p)
    return 0


cdef int _fill_dims(Walk* walk, GatherParams* p, int first) except -1:
    cdef int d, k
    p.ndim = walk.ndim - first
    p.indices = walk.indices
    p.size = 1
    for d in range(p.ndim):
        p.shape[d] = walk.shape[first + d]
        p.size *= walk.shape[first + d]
        p.indexed_strides[d] = walk.strides[INDEXED][first + d]
        p.dense_strides[d] = walk.strides[DENSE][first + d]
        p.position_strides[d] = walk.strides[POSITION][first + d]
        p.target_strides[d] = walk.strides[TARGET][first + d]
        for k in range(walk.indices):
            p.index_strides[k][d] = walk.strides[FIRST_INDEX + k][first + d]
    p.small = p.size < 0x7fffffff
    return 0


cdef bint _is_flat(const GatherParams* p) noexcept:
    """Whether the plan is a single 1-d index array and nothing else."""
    return (p.indices == 1 and p.ndim == 1 and p.indexed_strides[0] == 0 and p.target_strides[0] == 0
            and not p.flat_ndim and not p.dense_period)


cdef Py_ssize_t _blocks(Py_ssize_t size, Py_ssize_t each) noexcept:
    return (size + GATHER_BLOCK * each - 1) // (GATHER_BLOCK * each)


cdef int _launch(Walk* walk, GatherParams* p, Device device, bint writing, int first) except -1:
    cdef int k
    cdef Py_ssize_t _i, extent
    cdef str name = "scatter" if writing else "gather"
    if walk.ndim - first > GATHER_DIMS:
        # Loop on the host over the leading dimensions beyond those of one launch.
        extent = walk.shape[first]
        for _i in range(extent + 1):
            if _i < extent:
                _launch(walk, p, device, writing, first + 1)
            step = 1 if _i < extent else -extent
            p.indexed += step * walk.strides[INDEXED][first]
            if p.dense != NULL:
                p.dense += step * walk.strides[DENSE][first]
            p.first_position += step * walk.strides[POSITION][first]
            for k in range(walk.indices):
                p.index[k] += step * walk.strides[FIRST_INDEX + k][first]
        return 0
    _fill_dims(walk, p, first)
    if device.is_cpu:
        return _start(walk, p, device, f"{name}_{walk.itemsize}", 1)
    if _is_flat(p) and _launch_flat(walk, p, device, writing):
        return 0
    variant = "one" if p.indices == 1 else "many"
    return _start(walk, p, device, f"{name}_{variant}_{walk.itemsize}", _blocks(p.size, 1))


cdef bint _launch_flat(Walk* walk, GatherParams* p, Device device, bint writing) except -1:
    """Launch for a single 1-d index array; False if the general kernel must check each position's claim."""
    cdef Py_ssize_t count = p.size
    p.crowded = p.size >= CROWDED * p.extent[0]
    if p.claims != NULL:
        if p.claim_keys != NULL or p.claim_wide or p.extent[0] > SETTLE_BY_TARGET * p.size:
            return False
        # Iterating over targets is cheaper: it writes in address order.
        symbol = "scatter_claimed"
        count = p.extent[0]
    elif writing:
        symbol = "scatter_flat"
    else:
        symbol = "gather_flat"
        if gather_by_cluster(p, device, walk.itemsize) or gather_by_windows(p, device, walk.itemsize):
            return True
    _start(walk, p, device, f"{symbol}_{walk.itemsize}", _blocks(count, GATHER_EACH), FLAT_UNIT)
    return True


cdef uint64_t _number_targets(Walk* walk, GatherParams* p) noexcept:
    """Set the multipliers and strides that number all possible targets; returns their count."""
    cdef uint64_t targets = 1
    cdef int d, k
    for k in range(walk.indices - 1, -1, -1):
        p.claim_multiplier[k] = targets
        targets *= p.extent[k]
    for d in range(walk.ndim):
        if walk.lane_axis >= 0 and d != walk.lane_axis:
            walk.strides[TARGET][d] = targets
            targets *= walk.shape[d]
    return targets


cdef Buffer _claim(Walk* walk, GatherParams* p, Device device, uint64_t targets):
    """Check the indices and, unless ``targets`` is 0, record the last position that writes each target."""
    cdef Walk common
    cdef GatherParams q
    cdef Buffer buffer = None
    cdef int d, r, n = 0
    cdef Py_ssize_t count = 1
    cdef uint64_t slots = targets
    cdef size_t width
    common = walk[0]
    for d in range(walk.first_common, walk.end_common):
        common.shape[n] = walk.shape[d]
        for r in range(FIRST_INDEX + walk.indices):
            common.strides[r][n] = walk.strides[r][d]
        count *= walk.shape[d]
        n += 1
    common.ndim = n
    for d in range(n):
        # Strides that the check does not use must not prevent merging.
        common.strides[INDEXED][d] = common.strides[DENSE][d] = 0
    _merge(&common)
    if common.ndim > GATHER_DIMS:
        raise ValueError(f"indexing: index arrays of more than {GATHER_DIMS} dimensions that do not merge; "
                         "make them contiguous")
    if targets:
        p.claim_wide = count >= 0xffffffff
        width = 8 if p.claim_wide else 4
        if targets > <uint64_t>(DIRECT_CLAIMS * count + FEW_TARGETS):
            slots = 1024
            while slots < <uint64_t>(2 * count):
                slots *= 2
            buffer = device.allocate(slots * (width + 8))
            p.claim_keys = <uint64_t*>buffer.ptr
            p.claims = <char*>buffer.ptr + 8 * slots
            p.claim_mask = slots - 1
        else:
            buffer = device.allocate(slots * width)
            p.claims = <char*>buffer.ptr
        device.fill_bytes(buffer.ptr, 0, buffer.nbytes)
    q = p[0]
    q.dense = NULL
    q.dense_period = 0
    _fill_dims(&common, &q, 0)
    if _is_flat(&q) and q.claims != NULL and q.claim_keys == NULL and not q.claim_wide and not device.is_cpu:
        q.crowded = q.size >= CROWDED * q.extent[0]
        _start(walk, &q, device, "claim_flat", _blocks(q.size, GATHER_EACH), FLAT_UNIT)
    else:
        _start(walk, &q, device, "gather_claim", _blocks(q.size, 1))
    return buffer


cdef bint _flat_plan(Walk* walk, GatherParams* p, Device device, GatherParams* move) except -1:
    """Fill the plan of a single 1-d index array; False for any other index."""
    cdef Walk flat = walk[0]
    _merge(&flat)
    if flat.ndim > 1:
        return False
    move[0] = p[0]
    _fill_dims(&flat, move, 0)
    return _is_flat(move)


cdef Py_ssize_t _extent_of(Walk* walk, int first, int end) noexcept:
    cdef Py_ssize_t size = 1
    cdef int d
    for d in range(first, end):
        size *= walk.shape[d]
    return size


cdef int run(Walk* walk, GatherParams* p, Device device, bint writing, str call) except -1:
    """Launch a filled plan on behalf of function ``call``; ``p.dense`` is null if the value is a scalar."""
    cdef IndexReport report
    cdef Buffer claims = None
    cdef Py_ssize_t common = _extent_of(walk, walk.first_common, walk.end_common)
    cdef GatherParams move
    cdef bint differ = False
    cdef int d
    if common == 0:
        return 0
    # All launches share one status word: one call raises one error. Only the CPU device reports the index itself.
    walk.call = <PyObject*>call
    p.status = device.report_word(call)
    p.report = &report
    _number_positions(walk)
    if _extent_of(walk, 0, walk.ndim) == 0:
        # Nothing to move, but NumPy checks the indices anyway.
        _claim(walk, p, device, 0)
        return 0
    if (writing and common >= device.tuning.bins_positions and not device.is_cpu and _flat_plan(walk, p, device, &move)
            and scatter_by_bins(&move, device, walk.itemsize)):
        return 0
    if writing and not device.is_cpu and common > 1 and p.dense != NULL and not walk.unique:
        for d in range(walk.first_common, walk.end_common):
            differ = differ or (walk.shape[d] > 1 and walk.strides[DENSE][d] != 0)
        if differ or p.dense_period > 1:
            claims = _claim(walk, p, device, _number_targets(walk, p))
    if claims is None:
        for d in range(walk.ndim):
            walk.strides[POSITION][d] = walk.strides[TARGET][d] = 0
    _merge(walk)
    _widen(walk, p)
    _launch(walk, p, device, writing, 0)
    return 0


cdef int set_value(Walk* walk, GatherParams* p, ndarray target, value, list keep) except -1:
    """Set what a scatter writes: a scalar by value, or an array in the dtype and on the device of the target."""
    cdef ndarray source, apart
    if not isinstance(value, ndarray):
        p.dense = NULL
        store_scalar(p.scalar, target.code, value)
        return 0
    source = <ndarray>value
    if source.code != target.code or touch(source, target):
        apart = new_array(target.code, source.ndim_, source.shape_, target.device_)
        copy_into(apart, source)
        source = apart
    keep.append(source)
    return set_dense(walk, p, source)
