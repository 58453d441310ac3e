"""How a group of a trace runs: by one kernel, block by block, or one operation after the other."""
from libc.string cimport memcpy

from gpunp.device cimport Buffer, Device, provide
from gpunp.fusion.checking cimport Shadows, clear_left_out, shadows_of
from gpunp.fusion.generated cimport launch_group, launched_name, passed
from gpunp.fusion.group cimport ABSENT, Group
from gpunp.fusion.grouping cimport Draft, draw, is_alive, set_operand, settle_group, traffic_of
from gpunp.fusion.habits cimport FUSED, KNOWN, STRANGE, meet
from gpunp.fusion.nodes cimport bytes_of, release
from gpunp.fusion.observing cimport group_event, observed
from gpunp.fusion.shared_blocks cimport run_blocks
from gpunp.fusion.trace cimport CONDITION, OUTPUT, Counts, Node, Place, Trace
from gpunp.ufunc.plan cimport MAX_OPERANDS, ElementwiseParams, Loop, Operand, execute_now

import sys

cdef enum:
    # Bytes of results for which the device is asked how much memory it has left, which takes microseconds.
    LARGE = 1 << 30


cdef bint run_alone(Device device, Node* node) except -1:
    """Run one operation by its precompiled kernel, unless nothing needs its result; returns whether it ran."""
    cdef ElementwiseParams params
    cdef Operand[MAX_OPERANDS] operands
    cdef Operand mask
    cdef Loop loop = <Loop>node.loop
    cdef bint masked = node.place[CONDITION].buffer != NULL
    cdef int k
    if not is_alive(node, 1, node.place[OUTPUT].buffer):
        return 0
    provide(<Buffer>node.place[OUTPUT].buffer)
    for k in range(loop.nin):
        if node.place[k].buffer == NULL:
            operands[k].scalar = True
            operands[k].code = node.place[k].code
            operands[k].ndim = 0
            operands[k].size = 1
            operands[k].data = NULL
            memcpy(params.scalar[k], node.scalar[k], 16)
        else:
            set_operand(&operands[k], &node.place[k])
    set_operand(&operands[loop.nin], &node.place[OUTPUT])
    if masked:
        set_operand(&mask, &node.place[CONDITION])
    execute_now(loop, device, &params, operands, &mask if masked else NULL, node.ndim, node.shape)
    return 1


cdef bint _lacks_room(Device device, const Draft* draft, const Node* nodes) except -1:
    """Whether the memory may not suffice for the results that only a group's own kernel never stores."""
    cdef size_t total = 0
    cdef const Place* place
    cdef int k
    if device.is_cpu:
        return False
    for k in range(draft.accesses):
        place = draft.access[k].place
        if draft.access[k].step != ABSENT and (<Buffer>place.buffer).ptr == NULL:
            total += (<Buffer>place.buffer).nbytes
    return total >= LARGE and total > device.room()


cdef int run_group(Trace trace) except -1:
    cdef Draft draft
    cdef Group group
    cdef Node* nodes = trace.nodes + trace.first
    cdef Counts* counts = &trace.counts
    cdef Shadows shadows = None
    cdef Py_ssize_t moved = 0, nbytes = 0, each
    cdef bint together = False
    cdef int i
    if trace.folds and row_hooks.run(trace):
        return 0
    draw(&draft, nodes, trace.count - trace.first)
    if draft.nodes > 1:
        trace.useful = True
        if trace.checked:
            clear_left_out(trace.device, nodes, draft.nodes)
        settle_group(&draft, nodes, &group, wanted=-1)
        if trace.checked and group.steps > 1:
            shadows = shadows_of(trace.device, &group)
        # Of two operations, one may be dead.
        together = group.steps == 0
        if group.steps > 1:
            together = run_together(
                trace, &group, at_once=trace.urgent or _lacks_room(trace.device, &draft, nodes))
            if not trace.device.is_cpu:
                meet(trace, group.steps, FUSED if together else STRANGE if passed else KNOWN)
    if together:
        moved = traffic_of(&group)
        counts.groups += group.steps > 0
        counts.fused += group.steps
        counts.dropped += draft.nodes - group.steps
    for i in range(draft.nodes):
        each = bytes_of(&nodes[i])
        nbytes += each
        # A group that is checked has written to its shadows.
        if not together or shadows is not None:
            if run_alone(trace.device, &nodes[i]):
                counts.alone += not together
                moved += 0 if together else each
            else:
                counts.dropped += not together
        trace.first += 1
        release(&nodes[i])
    counts.nbytes += nbytes
    counts.moved += moved
    if observed:
        if together:
            kind = "fused" if group.steps else "dropped"
        elif draft.nodes > 1:
            kind = "separate"
        else:
            kind = "single" if moved else "dropped"
        _note(trace, &draft, nodes, kind, nbytes - moved, _kernel_name(trace) if kind == "fused" else None)
    if together and shadows is not None:
        # The operations have run: an error must not make them run again.
        shadows.compare()
    return 0


cdef object _kernel_name(Trace trace):
    return "blocks" if trace.device.is_cpu else launched_name()


cdef int _note(Trace trace, Draft* draft, Node* nodes, str kind, Py_ssize_t saved, object kernel) except -1:
    """Keep the event of a group that has run."""
    cdef int i
    return _keep(trace, [nodes[i].number for i in range(draft.nodes)], kind, saved, draft.end or trace.reason, kernel)


cdef int _note_rows(Trace trace, list numbers, str kind, Py_ssize_t saved, object kernel) except -1:
    return _keep(trace, numbers, kind, saved, trace.reason, kernel)


cdef int _keep(Trace trace, list numbers, str kind, Py_ssize_t saved, int reason, object kernel) except -1:
    event = group_event(numbers, kind, saved, reason, kernel)
    if event is not None:
        if trace.events is None:
            trace.events = []
        trace.events.append(event)
    return 0


cdef bint run_together(Trace trace, Group* group, bint at_once) except -1:
    """Run a group by one kernel, or block by block on the CPU device; False if there is no kernel yet.

    With ``at_once``, a missing kernel is compiled first.
    """
    if trace.device.is_cpu:
        return run_blocks(trace.device, group)
    try:
        return launch_group(trace.device, group, at_once, trace.name)
    except ImportError:
        # While the interpreter exits, there are no more kernels.
        if not sys.is_finalizing():
            raise
        return False


row_hooks.run = NULL
row_hooks.note = _note_rows
