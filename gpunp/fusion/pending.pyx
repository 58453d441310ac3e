"""Arrays whose elements are not in memory yet, as the reduction engine sees them.

A reduction at the end of a chain computes its elements by itself and writes none. If there is another use of them, they
are computed again: that costs instructions, and saves writing and reading an array.
"""
import sys

from gpunp.array.ndarray cimport ndarray
from gpunp.device cimport BY_KERNEL, Buffer
from gpunp.dtype_codes cimport itemsize_of
from gpunp.fusion.checking cimport Shadows, clear_left_out
from gpunp.fusion.group cimport Group
from gpunp.fusion.grouping cimport Draft, draw, settle_group, traffic_of
from gpunp.fusion.nodes cimport bytes_of
from gpunp.fusion.observing cimport observed, reduction_event
from gpunp.fusion.reduced_blocks cimport reduce_blocks
from gpunp.fusion.reductions cimport launched_reducer, reduce_group, shadows_of_results
from gpunp.fusion.trace cimport OUTPUT, Node, Trace, begin, end, run_first, trace_of
from gpunp.reduction.engine cimport Loops, fusion_hooks
from gpunp.reduction.plan cimport Launch, ReduceParams


cdef int _writer(Trace trace, Buffer buffer) noexcept:
    """The operation that writes all elements of a buffer in C order, or -1."""
    cdef Node* node
    cdef int i
    for i in range(trace.first, trace.count):
        node = &trace.nodes[i]
        if <Buffer>node.place[OUTPUT].buffer is buffer:
            # Others, of a view or through a mask, write a part of the buffer.
            return i if node.place[OUTPUT].c_contiguous and node.place[OUTPUT].offset == 0 else -1
    return -1


cdef Py_ssize_t _place(ndarray a) except -2:
    cdef Buffer buffer = a.buffer
    cdef Trace trace
    cdef int writer
    # The second reduction finds the elements in memory: chains may be long.
    if buffer.ptr != NULL or buffer.writes != 1 or buffer.reduced:
        return -1
    trace = <Trace>a.device_.trace
    if trace.running or trace.queue is not a.device_.queue():
        return -1
    writer = _writer(trace, buffer)
    # What a view of another dtype sees are bytes, which no operation computes.
    if writer < 0 or trace.nodes[writer].place[OUTPUT].code != a.code:
        return -1
    return <size_t>a.address() - buffer.reserved


cdef int _reduce(ndarray a, Loops loops, const Launch* launch, const ReduceParams* p) except -1:
    cdef Trace trace = trace_of(a.device_)
    cdef ReduceParams params = p[0]
    cdef Shadows shadows = None
    cdef int done
    if trace.running:
        return 0
    begin(trace)
    trace.reason = BY_KERNEL
    try:
        if trace.checked:
            clear_left_out(a.device_, trace.nodes, trace.count)
            shadows = shadows_of_results(a.device_, loops, &params)
        done = _reduce_value(trace, a, loops, launch, &params)
    except ImportError:
        # While the interpreter exits, there are no more kernels.
        if not sys.is_finalizing():
            raise
        return 0
    finally:
        end(trace)
    if done and shadows is not None:
        _reduce_stored(a, loops, launch, p)
        shadows.compare()
    return done


cdef int _reduce_stored(ndarray a, Loops loops, const Launch* launch, const ReduceParams* p) except -1:
    """Store the elements of an array and reduce them."""
    cdef ReduceParams params = p[0]
    a.data_ptr()
    params.data += <size_t>a.buffer.ptr
    a.device_.start(loops.kernel(a.device_, launch.variant), launch.blocks, 1, 1, launch.threads, 0, &params,
                    sizeof(params))
    return 0


cdef int _reduce_value(Trace trace, ndarray a, Loops loops, const Launch* launch, const ReduceParams* p) except -1:
    cdef Draft draft
    cdef Group group
    cdef int wanted = _writer(trace, a.buffer)
    while wanted >= 0:
        if trace.folds and _has_fold(trace, wanted):
            # Deferred reductions run before others.
            run_first(trace, 1)
            wanted = _writer(trace, a.buffer)
            continue
        draw(&draft, trace.nodes, trace.count)
        if draft.accesses == 0:
            # The first operation is one that no generated kernel computes.
            run_first(trace, 1)
        elif wanted < draft.nodes:
            trace.useful = True
            settle_group(&draft, trace.nodes, &group, wanted)
            if a.device_.is_cpu:
                if not reduce_blocks(a.device_, &group, loops, launch, p):
                    return 0
            elif not reduce_group(a.device_, &group, group.steps - 1, loops, launch, p, trace.urgent, trace.name):
                return 0
            _count(trace, &draft, &group, a, loops)
            a.buffer.reduced = True
            return 1
        else:
            run_first(trace, draft.nodes)
        wanted = _writer(trace, a.buffer)
    return 0


cdef bint _has_fold(Trace trace, int last) noexcept:
    """Whether there is a reduction among the operations up to one."""
    cdef int i
    for i in range(trace.first, last + 1):
        if trace.nodes[i].fold != NULL:
            return True
    return False


cdef int _count(Trace trace, Draft* draft, Group* group, ndarray a, Loops loops) except -1:
    """Count a reduction that has computed its elements, and tell of it."""
    cdef Py_ssize_t elements = a.size_ * itemsize_of(a.code), moved = traffic_of(group), nbytes = elements
    cdef Node* node
    cdef list numbers = []
    cdef int i
    trace.counts.reductions += 1
    trace.counts.nbytes += elements
    trace.counts.moved += moved
    if not observed:
        return 0
    for i in range(draft.nodes):
        node = &trace.nodes[i]
        if draft.needed[i] and node.number >= 0:
            # It is told once, though it may be computed again.
            numbers.append(node.number)
            nbytes += bytes_of(node)
            node.number = -1
    symbol = (loops.general if loops.fast is None else loops.fast)[1]
    if trace.events is None:
        trace.events = []
    trace.events.append(reduction_event(
        numbers, symbol.rsplit("_", 2)[0], a.shape, a.code, loops.result, elements, nbytes - moved, BY_KERNEL,
        None if a.device_.is_cpu else launched_reducer()))
    return 0


fusion_hooks.pending = _place
fusion_hooks.reduce = _reduce
