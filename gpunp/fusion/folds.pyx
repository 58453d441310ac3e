"""Reductions along rows that are deferred like elementwise operations.

A reduction of the last axes, whose result is new, becomes a node of the trace: a kernel may hold the rows until their
other operations have run. Where there is no such kernel, the reduction runs as it would have run at its call, in front
of the operations that were deferred before it: it reads what they read, and what it writes is new to them.
"""
import sys

from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF
from libc.string cimport memcpy, memmove

from gpunp.array.ndarray cimport ndarray, new_array
from gpunp.device cimport Buffer, Device, provide
from gpunp.dtype_codes cimport C16, F8, itemsize_of
from gpunp.fusion.checking cimport Shadows, clear_left_out, is_wide, new_shadows
from gpunp.fusion.group cimport Group
from gpunp.fusion.group_runs cimport row_hooks, run_alone
from gpunp.fusion.grouping cimport Draft, draw, is_alive, settle_group, traffic_of
from gpunp.fusion.nodes cimport bytes_of, is_recordable, release, set_place
from gpunp.fusion.observing cimport announce_fold, attention, in_function, observed
from gpunp.fusion.reductions cimport launched_reducer, reduce_group, shadows_of_results
from gpunp.fusion.row_blocks cimport run_row_blocks
from gpunp.fusion.row_groups cimport RowDraft, RowGroup, draw_rows
from gpunp.fusion.row_phases cimport settle_rows
from gpunp.fusion.row_kernels cimport launch_rows, launched_rows
from gpunp.fusion.trace cimport OUTPUT, PLACES, Node, Place, Trace, join, trace_of
from gpunp.reduction.engine cimport Loops, Options, fusion_hooks
from gpunp.reduction.plan cimport REDUCE_WHOLE, ROWS, Axes, ReduceParams, plan_dims, plan_launch
from gpunp.ufunc.plan cimport Loop, Operand, describe


cdef bint _plan(Fold fold, ndarray a, ndarray result, Loops loops, const Options* options, bint moments) noexcept:
    """Plan the reduction of rows in C order; False if a kernel for rows could not keep its order."""
    cdef Axes axes
    cdef Device device = a.device_
    cdef ReduceParams* p = &fold.params
    cdef Py_ssize_t rows = result.size_
    cdef Py_ssize_t[2] shape = [rows, a.size_ // rows]
    cdef Py_ssize_t[2] strides = [shape[1] * a.itemsize_, a.itemsize_]
    cdef Py_ssize_t[2] out_strides = [result.itemsize_, 0]
    cdef bint[2] reduced = [False, True]
    axes.ndim = 2
    axes.shape = shape
    axes.strides = strides
    axes.reduced = reduced
    axes.out_strides = out_strides
    axes.where_strides = NULL
    p.out = NULL
    p.where = NULL
    p.data = a.address()
    plan_dims(p, &axes, False)
    p.flags = options.flags
    p.divisor = <double>p.reduced
    p.correction = options.correction
    p.initial[0] = options.initial[0]
    p.initial[1] = options.initial[1]
    p.initial_integer = options.initial_integer
    p.in_dtype = a.code
    p.out_dtype = loops.result
    fold.loops = loops
    fold.launch = plan_launch(p, a.itemsize_, True, loops.runs, moments, device.is_cpu, &device.tuning,
                              device.multiprocessors)
    return fold.launch.variant == ROWS and p.splits == 1 and p.run == 0 and not p.flags & REDUCE_WHOLE


cdef ndarray _defer(ndarray a, const bint* reduced, Loops loops, const Options* options, bint moments,
                    int ndim, const Py_ssize_t* shape):
    """Defer a reduction and return its result, or None if it must run now."""
    cdef Device device = a.device_
    cdef Trace trace = trace_of(device)
    cdef Operand source, target
    cdef ndarray result
    cdef Fold fold
    cdef Node* node
    cdef int d, tail = 0, k
    cdef Py_ssize_t rows = 1
    cdef long long number = -1
    for d in range(a.ndim_):
        if reduced[d]:
            tail += 1
        elif tail:
            # A later axis is kept.
            return None
        else:
            rows *= a.shape_[d]
    if rows < 2 or a.size_ // rows < 2 or not a.c_contiguous or loops.fast is None or trace.running:
        return None
    if a.size_ < device.least_elements and not in_function():
        return None
    if <size_t>a.address() % a.itemsize_:
        return None
    describe(&source, a)
    if not is_recordable(&source):
        return None
    result = new_array(loops.result, ndim, shape, device, later=True)
    describe(&target, result)
    fold = Fold.__new__(Fold)
    fold.tail = tail
    if not _plan(fold, a, result, loops, options, moments):
        return None
    if observed:
        number = announce_fold(loops.fast[1].rsplit("_", 2)[0], a.shape, a.code, loops.result,
                               a.size_ * itemsize_of(a.code) + result.size_ * itemsize_of(loops.result))
    if join(trace, device, attention and in_function()):
        return None
    node = &trace.nodes[trace.count]
    node.loop = NULL
    node.fold = <PyObject*>fold
    Py_INCREF(fold)
    node.number = number
    node.ndim = a.ndim_
    memcpy(node.shape, a.shape_, a.ndim_ * sizeof(Py_ssize_t))
    for k in range(PLACES):
        node.place[k].buffer = NULL
    set_place(&node.place[0], &source, writes=False)
    set_place(&node.place[OUTPUT], &target, writes=True)
    trace.count += 1
    trace.folds += 1
    trace.counts.recorded += 1
    device.pending = trace.count
    return result


cdef int _start(Trace trace, Node* node) except -1:
    """Launch a reduction of an array in memory."""
    cdef Fold fold = <Fold>node.fold
    cdef ReduceParams p = fold.params
    cdef Buffer source = <Buffer>node.place[0].buffer
    cdef Buffer target = <Buffer>node.place[OUTPUT].buffer
    provide(target)
    p.data = <char*>source.ptr + node.place[0].offset
    p.out = <char*>target.ptr + node.place[OUTPUT].offset
    trace.device.start(fold.loops.kernel(trace.device, fold.launch.variant), fold.launch.blocks, 1, 1,
                       fold.launch.threads, 0, &p, sizeof(p))
    return 0


cdef int _run_alone(Trace trace, Node* node) except -1:
    """Run an operation or a reduction by itself, unless nothing needs its result; returns whether it ran."""
    if node.fold == NULL:
        return run_alone(trace.device, node)
    if not is_alive(node, 1, node.place[OUTPUT].buffer):
        return 0
    _start(trace, node)
    return 1


cdef void _take_out(Trace trace, int place) noexcept:
    """Drop a node that has run before the nodes in front of it."""
    cdef Node node = trace.nodes[place]
    memmove(&trace.nodes[trace.first + 1], &trace.nodes[trace.first], (place - trace.first) * sizeof(Node))
    trace.first += 1
    release(&node)


cdef bint _is_computed(Trace trace, const Node* node, const Place* written) noexcept:
    """Whether a reduction computes its elements. As in pending.pyx, the next one finds them in memory."""
    cdef const Place* source = &node.place[0]
    cdef Buffer buffer = <Buffer>source.buffer
    return ((_compiled or not trace.device.is_cpu) and buffer.ptr == NULL and not buffer.reduced
            and written.c_contiguous and written.offset == 0 and written.code == source.code)


cdef int _run_early(Trace trace, int place) except -1:
    """Run a reduction before the operations in front of it; 0 if these must run first."""
    cdef Draft draft
    cdef Group group
    cdef Node* nodes = trace.nodes + trace.first
    cdef Node* node = &trace.nodes[place]
    cdef Fold fold = <Fold>node.fold
    cdef Buffer source = <Buffer>node.place[0].buffer
    cdef Buffer target
    cdef Shadows shadows = fold.shadows
    cdef ReduceParams p
    cdef int i, count = place - trace.first, writer = -1
    for i in range(count):
        if <Buffer>nodes[i].place[OUTPUT].buffer is source:
            if writer >= 0:
                return 0
            writer = i
    if writer < 0:
        _note(trace, [node.number], "single", 0, None)
        trace.counts.alone += 1
        trace.counts.nbytes += bytes_of(node)
        trace.counts.moved += bytes_of(node)
        _start(trace, node)
        _take_out(trace, place)
        if shadows is not None:
            shadows.compare()
        return 1
    if not _is_computed(trace, node, &nodes[writer].place[OUTPUT]):
        return 0
    if trace.checked:
        clear_left_out(trace.device, nodes, count)
    draw(&draft, nodes, count)
    if draft.accesses == 0 or writer >= draft.nodes:
        return 0
    settle_group(&draft, nodes, &group, writer)
    target = <Buffer>node.place[OUTPUT].buffer
    provide(target)
    p = fold.params
    p.data = <char*><size_t>node.place[0].offset
    p.out = <char*>target.ptr + node.place[OUTPUT].offset
    if trace.checked:
        shadows = shadows_of_results(trace.device, fold.loops, &p)
    if not reduce_group(trace.device, &group, group.steps - 1, fold.loops, &fold.launch, &p, trace.urgent, trace.name):
        return 0
    source.reduced = True
    trace.useful = True
    if shadows is not None:
        # The operations run, then the reduction by itself.
        fold.shadows = shadows
        return 0
    _count_early(trace, &draft, &group, nodes, node)
    _take_out(trace, place)
    return 1


cdef int _count_early(Trace trace, Draft* draft, Group* group, Node* nodes, Node* node) except -1:
    """Count a reduction that has computed its elements, and tell of it."""
    cdef Py_ssize_t moved = traffic_of(group) + bytes_of(node) - node.place[0].size * itemsize_of(node.place[0].code)
    cdef Py_ssize_t nbytes = bytes_of(node)
    cdef list numbers = []
    cdef int i
    trace.counts.reductions += 1
    trace.counts.nbytes += nbytes
    trace.counts.moved += moved
    for i in range(draft.nodes):
        if draft.needed[i] and nodes[i].number >= 0:
            # It is told once, though it may be computed again.
            numbers.append(nodes[i].number)
            nbytes += bytes_of(&nodes[i])
            nodes[i].number = -1
    return _note(trace, [*numbers, node.number], "fused", nbytes - moved, launched_reducer())


cdef int _note(Trace trace, list numbers, str kind, Py_ssize_t saved, object kernel) except -1:
    return row_hooks.note(trace, numbers, kind, saved, kernel) if observed else 0


cdef int _run_rows(Trace trace, int place) except -1:
    """Run a kernel that holds rows; 0 if there is none for the first operations."""
    cdef RowDraft draft
    cdef RowGroup group
    cdef Node* nodes = trace.nodes + trace.first
    cdef Shadows shadows = None
    cdef Py_ssize_t moved = 0, nbytes = 0
    cdef list numbers = []
    cdef int i
    if not draw_rows(&draft, nodes, trace.count - trace.first, place - trace.first):
        return 0
    if trace.checked:
        clear_left_out(trace.device, nodes, draft.nodes)
    if not settle_rows(&draft, nodes, &group):
        return 0
    trace.useful = True
    if trace.checked:
        shadows = _shadows_of(trace.device, &group)
    if not _launch(trace, &group):
        # A part of the group would be another kernel, which nothing needs later.
        trace.apart = trace.first + draft.nodes
        return 0
    for i in range(group.memory):
        moved += _bytes_of_operand(&group, i)
    for i in range(draft.nodes):
        nbytes += bytes_of(&nodes[i])
        numbers.append(nodes[i].number)
        if shadows is not None:
            _run_alone(trace, &nodes[i])
        trace.first += 1
        release(&nodes[i])
    trace.counts.groups += 1
    trace.counts.fused += group.steps
    trace.counts.dropped += draft.nodes - group.steps
    trace.counts.nbytes += nbytes
    trace.counts.moved += moved
    _note(trace, numbers, "fused", nbytes - moved, "rows" if trace.device.is_cpu else launched_rows())
    if shadows is not None:
        shadows.compare()
    return 1


cdef bint _launch(Trace trace, RowGroup* group) except -1:
    if trace.device.is_cpu and not _compiled:
        return run_row_blocks(trace.device, group)
    return launch_rows(trace.device, group, trace.urgent, trace.name)


cdef Py_ssize_t _bytes_of_operand(const RowGroup* group, int k) noexcept:
    """What a kernel reads of a leaf or writes of a store."""
    cdef int kind, code
    if k < group.leaves:
        kind, code = group.leaf[k].kind, group.leaf[k].code
    else:
        kind, code = group.step[group.stored[k]].kind, group.stored_code[k]
        if kind == 2:
            kind = 1
    return itemsize_of(code) * (group.rows * group.length if kind == 0 else group.rows if kind == 1
                                else group.length if kind == 2 else 1)


cdef Shadows _shadows_of(Device device, RowGroup* group):
    """Copies of the stores' memory, to which the kernel writes."""
    cdef Shadows shadows = new_shadows(device, "rows")
    cdef int k
    for k in range(group.steps):
        shadows.wide = (shadows.wide or group.step[k].code == F8 or group.step[k].code == C16
                        or group.step[k].fold == NULL and is_wide(<Loop>group.step[k].loop))
    for k in range(group.leaves, group.memory):
        group.data[k] = shadows.divert(group.data[k], 0, _bytes_of_operand(group, k), group.stored_code[k])
    return shadows


cdef int _run(Trace trace) except -1:
    """Run the first operations of a trace, or a reduction in front of them; 0 if they have no reductions."""
    cdef int place = trace.first
    cdef Node* node
    while place < trace.count and trace.nodes[place].fold == NULL:
        place += 1
    if place == trace.count:
        return 0
    try:
        if trace.first >= trace.apart and _run_rows(trace, place):
            return 1
    except ImportError:
        # While the interpreter exits, there are no more kernels.
        if not sys.is_finalizing():
            raise
    node = &trace.nodes[place]
    if not is_alive(node, 1, node.place[OUTPUT].buffer):
        _note(trace, [node.number], "dropped", bytes_of(node), None)
        trace.counts.dropped += 1
        trace.counts.nbytes += bytes_of(node)
        _take_out(trace, place)
        return 1
    return _run_early(trace, place)


# Whether kernels for the CPU device are compiled, as those for GPUs are.
cdef bint _compiled = False
fusion_hooks.defer = _defer
row_hooks.run = _run


def compile_rows_on_cpu(bint value):
    """Have kernels compiled for the CPU device, too, for tests; returns the value before."""
    global _compiled
    before, _compiled = _compiled, value
    return before
