"""The plan of a user's reduction: its dimensions, the variant of the kernel, and how the work is split.

The split is that of gpunp's own reductions, whose planner sees one array in place of all inputs.
"""
from libc.stdint cimport uint32_t
from libc.string cimport memcpy, memset

from gpunp.array.axes cimport magnitude, merge_axes, sort_axes
from gpunp.array.division cimport set_divider
from gpunp.array.ndarray cimport MAX_NDIM
from gpunp.reduction.plan cimport COLUMNS, REDUCE_LANES_FASTEST, ROWS, Launch, ReduceParams, plan_launch
from gpunp.tuning cimport Tuning

cdef enum:
    # Strides in the place of one that is not contiguous: larger than any element.
    FAR = 32


cdef void add_axis(ReductionPlan* plan, bint reduced, Py_ssize_t extent, const Py_ssize_t (*strides)[MAX_NDIM],
                   int axis) noexcept:
    cdef AxisGroup* group = &plan.reduced if reduced else &plan.kept
    cdef int arrays = plan.inputs + plan.outputs, row
    cdef bint backwards = plan.inputs > 0 and strides[plan.leader][axis] < 0
    cdef Py_ssize_t stride
    group.shape[group.ndim] = extent
    for row in range(arrays + 2):
        stride = strides[row][axis] if row < arrays or plan.indexed else 0
        if backwards:
            # Traverse memory forwards.
            if row < arrays:
                plan.data[row] += stride * (extent - 1)
            elif row == arrays:
                plan.work.first += stride * (extent - 1)
            else:
                plan.work.first_out += stride * (extent - 1)
            stride = -stride
        group.strides[row][group.ndim] = stride
    group.ndim += 1


cdef void _merge(ReductionPlan* plan, AxisGroup* group) noexcept:
    cdef int rows = plan.inputs + plan.outputs + 2
    if group.ndim > 1:
        if plan.inputs:
            sort_axes(group.ndim, group.shape, group.strides, rows, plan.leader)
        group.ndim = merge_axes(group.ndim, group.shape, group.strides, rows)


cdef bint _neighbors(const ReductionPlan* plan, const AxisGroup* group, uint32_t* repeated, int* count) noexcept:
    """Whether each input is contiguous or has one value along the last axis, and not all have one value.

    Sets the bits of those with one value, and the number of neighbors that a kernel reads at once.
    """
    cdef int last = group.ndim - 1, k, least = 16, largest = 1
    repeated[0] = 0
    count[0] = 1
    if last < 0:
        return False
    for k in range(plan.inputs):
        if group.strides[k][last] == 0:
            repeated[0] |= <uint32_t>1 << k
        elif group.strides[k][last] != plan.itemsize[k]:
            return False
        else:
            least = min(least, plan.itemsize[k])
            largest = max(largest, plan.itemsize[k])
    count[0] = reduction_neighbors(least, largest)
    return repeated[0] + 1 != <uint32_t>1 << plan.inputs


cdef bint _is_aligned(const ReductionPlan* plan, int row, int nbytes) noexcept:
    """Whether an array's runs along the last kept axis all start at multiples of ``nbytes``."""
    cdef size_t bits = <size_t>plan.data[row]
    cdef int d
    for d in range(plan.kept.ndim - 1):
        bits |= <size_t>plan.kept.strides[row][d]
    if row < plan.inputs:
        for d in range(plan.reduced.ndim):
            bits |= <size_t>plan.reduced.strides[row][d]
    return bits % <size_t>nbytes == 0


cdef uint32_t _column_flags(const ReductionPlan* plan, int count) noexcept:
    """Whether columns can be read, and results be written, as vectors of ``count`` neighbors."""
    cdef int k, last = plan.kept.ndim - 1
    cdef uint32_t flags = REDUCTION_ALIGNED | REDUCTION_VECTORS
    for k in range(plan.inputs):
        if not plan.repeated >> k & 1 and not _is_aligned(plan, k, min(16, count * plan.itemsize[k])):
            flags &= ~<uint32_t>REDUCTION_ALIGNED
    for k in range(plan.inputs, plan.inputs + plan.outputs):
        if (plan.kept.strides[k][last] != plan.itemsize[k]
                or not _is_aligned(plan, k, min(16, count * plan.itemsize[k]))):
            flags &= ~<uint32_t>REDUCTION_VECTORS
    return flags


cdef Launch _split(const ReductionPlan* plan, ReduceParams* p, int itemsize, bint rows, bint columns, bint is_cpu,
                   const Tuning* tuning, int multiprocessors) noexcept:
    """Let the planner of gpunp's own reductions split the work, for one array that stands for all inputs."""
    cdef const AxisGroup* kept = &plan.kept
    cdef const AxisGroup* reduced = &plan.reduced
    cdef int inner
    memset(p, 0, sizeof(ReduceParams))
    p.outputs = plan.work.outputs
    p.reduced = plan.work.reduced
    p.kept_ndim = min(kept.ndim, 2)
    # More than one outer reduced axis: runs of elements are not read as one with those of other rows.
    p.reduced_ndim = 1 if reduced.ndim == 1 else 3
    inner = p.kept_ndim
    if kept.ndim:
        p.dims[0].extent = kept.shape[kept.ndim - 1]
        p.dims[0].stride = (itemsize if columns else
                            FAR * (1 + magnitude(kept.strides[plan.leader][kept.ndim - 1])))
    p.dims[inner].extent = reduced.shape[reduced.ndim - 1]
    p.dims[inner].stride = (itemsize if rows else
                            FAR * (1 + magnitude(reduced.strides[plan.leader][reduced.ndim - 1])))
    return plan_launch(p, itemsize, rows or columns, False, False, is_cpu, tuning, multiprocessors)


cdef void make_reduction_plan(ReductionPlan* plan, bint is_cpu, const Tuning* tuning,
                              int multiprocessors) noexcept:
    cdef AxisGroup* reduced = &plan.reduced
    cdef ReduceParams p
    cdef Launch launch
    cdef uint32_t along_rows = 0, along_columns = 0
    cdef int in_row = 1, in_column = 1, k, ndim
    cdef bint rows, columns
    _merge(plan, &plan.kept)
    _merge(plan, reduced)
    if plan.work.reduced <= 1:
        # No reduced axis, or an empty one, which stands for all.
        reduced.ndim = 1
        reduced.shape[0] = plan.work.reduced
        for k in range(plan.inputs + plan.outputs + 2):
            reduced.strides[k][0] = 0
    rows = _neighbors(plan, reduced, &along_rows, &in_row) or plan.work.reduced <= 1
    columns = _neighbors(plan, &plan.kept, &along_columns, &in_column)
    # The kernels for columns take at most four neighbors; so does the planner for small elements.
    in_column = min(in_column, 4)
    launch = _split(plan, &p, 16 // in_row, rows, columns, is_cpu, tuning, multiprocessors)
    if launch.variant == COLUMNS and in_row != in_column:
        launch = _split(plan, &p, 16 // in_column, False, True, is_cpu, tuning, multiprocessors)
    plan.repeated = 0
    plan.work.flags = 0
    if launch.variant == ROWS:
        plan.variant = REDUCTION_ROWS
        plan.repeated = along_rows
    elif launch.variant == COLUMNS:
        plan.variant = REDUCTION_COLUMNS
        plan.repeated = along_columns
        plan.work.flags = _column_flags(plan, in_column)
    else:
        plan.variant = REDUCTION_GENERAL
        if p.flags & REDUCE_LANES_FASTEST:
            plan.work.flags = REDUCTION_LANES_FASTEST
    ndim = plan.kept.ndim + reduced.ndim
    plan.capacity = (REDUCTION_FEW_DIMS if ndim <= REDUCTION_FEW_DIMS else
                     REDUCTION_SOME_DIMS if ndim <= REDUCTION_SOME_DIMS else REDUCTION_MOST_DIMS)
    plan.blocks = launch.blocks
    plan.threads = launch.threads
    plan.work.kept_ndim = plan.kept.ndim
    plan.work.reduced_ndim = reduced.ndim
    plan.work.chunk = p.chunk
    plan.work.units = p.units
    plan.work.per_split = p.per_split
    plan.work.splits = p.splits
    plan.work.tiles = p.tiles
    plan.work.lanes = p.lanes
    plan.work.down = p.down
    plan.work.partials = NULL
    plan.work.counters = NULL


cdef int planned_words(const ReductionPlan* plan) noexcept:
    cdef int pointers = max(plan.inputs, 1) + max(plan.outputs, 1)
    return <int>(sizeof(ReductionWork) // 8) + pointers + plan.capacity * (4 + pointers)


cdef void pack_plan(const ReductionPlan* plan, long long* words) noexcept:
    cdef int inputs = max(plan.inputs, 1), outputs = max(plan.outputs, 1)
    cdef int arrays = plan.inputs + plan.outputs, k, i, d
    cdef const AxisGroup* group
    cdef uint32_t* divider
    memcpy(words, &plan.work, sizeof(ReductionWork))
    words += sizeof(ReductionWork) // 8
    for k in range(plan.inputs):
        words[k] = <long long>plan.data[k]
    words += inputs
    for k in range(plan.outputs):
        words[k] = <long long>plan.data[plan.inputs + k]
    words += outputs
    for i in range(plan.kept.ndim + plan.reduced.ndim):
        group = &plan.kept if i < plan.kept.ndim else &plan.reduced
        # Innermost first.
        d = group.ndim - 1 - (i if i < plan.kept.ndim else i - plan.kept.ndim)
        words[0] = group.shape[d]
        divider = <uint32_t*>(words + 1)
        set_divider(group.shape[d], &divider[0], &divider[1])
        words[2] = group.strides[arrays][d]
        words[3] = group.strides[arrays + 1][d]
        words += 4
        for k in range(plan.inputs):
            words[k] = group.strides[k][d]
        words += inputs
        for k in range(plan.outputs):
            words[k] = group.strides[plan.inputs + k][d]
        words += outputs
