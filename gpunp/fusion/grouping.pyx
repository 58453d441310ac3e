"""Groups of a trace: which operations one kernel computes, and how a group runs.

Operations belong to one group if they have one iteration space and if every element of it can be computed by itself:
no operation reads or overwrites, at another place, what an operation of the group writes.
"""
from cpython.object cimport PyObject
from libc.string cimport memcmp, memcpy

from gpunp.array.strides cimport extent
from gpunp.device cimport Buffer, Device, provide
from gpunp.dtype_codes cimport itemsize_of
from gpunp.fusion.checking cimport Shadows, clear_left_out, shadows_of
from gpunp.fusion.generated cimport launch_group, launched_name, passed
from gpunp.fusion.group cimport (
    ABSENT, CONSTANT, KEPT, LEAF, MASK, MAX_CONSTANTS, MAX_MEMORY, MAX_STEPS, Group, Step,
)
from gpunp.fusion.habits cimport FUSED, KNOWN, STRANGE, meet
from gpunp.fusion.nodes cimport bytes_of, release
from gpunp.fusion.observing cimport BY_FOLD, BY_OPERANDS, BY_OVERLAP, BY_SHAPE, BY_STEPS, group_event, observed
from gpunp.fusion.shared_blocks cimport run_blocks
from gpunp.fusion.trace cimport CONDITION, OUTPUT, PLACES, Counts, Node, Place, Trace
from gpunp.ufunc.plan cimport MAX_OPERANDS, ElementwiseParams, Loop, Operand, execute_now

import sys

cdef enum:
    # Bytes of results for which the device is asked how much memory it has left, which takes microseconds.
    LARGE = 1 << 30

# Without the GIL, reference counts do not tell whether a buffer is in use outside the trace.
cdef bint _counts_are_exact = getattr(sys, "_is_gil_enabled", lambda: True)()

cdef extern from "Python.h":
    Py_ssize_t gpunp_references "Py_REFCNT" (PyObject* value) noexcept


cdef bint is_same(const Place* a, const Place* b) noexcept:
    return (a.offset == b.offset and a.code == b.code and a.ndim == b.ndim
            and memcmp(a.shape, b.shape, a.ndim * sizeof(Py_ssize_t)) == 0
            and memcmp(a.strides, b.strides, a.ndim * sizeof(Py_ssize_t)) == 0)


cdef bint is_apart(const Place* a, const Place* b) noexcept:
    """Whether two places of one buffer share no byte, by the ranges that they span."""
    cdef Py_ssize_t low_a, high_a, low_b, high_b
    extent(a.ndim, a.shape, a.strides, itemsize_of(a.code), &low_a, &high_a)
    extent(b.ndim, b.shape, b.strides, itemsize_of(b.code), &low_b, &high_b)
    return a.offset + high_a <= b.offset + low_b or b.offset + high_b <= a.offset + low_a


cdef int _find(const Draft* draft, const Place* place, bint writing) noexcept:
    """The number of a place's access, ``draft.accesses`` if it is new, or -1 if it is in conflict with the group."""
    cdef const Access* access
    cdef int k, found = draft.accesses
    for k in range(draft.accesses):
        access = &draft.access[k]
        if access.place.buffer != place.buffer:
            continue
        if is_same(access.place, place):
            found = k
        elif (writing or access.step != ABSENT) and not is_apart(access.place, place):
            return -1
    return found


cdef int _obstacle(const Draft* draft, const Node* node) noexcept:
    """Why an operation cannot be added to the group; 0 if it can."""
    cdef const Place* place
    cdef const Place* out = &node.place[OUTPUT]
    cdef int k, found, leaves = draft.leaves
    if draft.nodes == MAX_STEPS:
        return BY_STEPS
    if draft.constants + 3 > MAX_CONSTANTS:
        return BY_OPERANDS
    for k in range(PLACES):
        place = &node.place[k]
        if place.buffer == NULL or k == OUTPUT and node.place[CONDITION].buffer == NULL:
            continue
        found = _find(draft, place, writing=False)
        if found < 0 or place.buffer == out.buffer and not is_same(place, out) and not is_apart(place, out):
            return BY_OVERLAP
        leaves += found == draft.accesses or draft.access[found].step == ABSENT and draft.access[found].leaf == ABSENT
    if leaves > MAX_LEAVES:
        return BY_OPERANDS
    return 0 if _find(draft, out, writing=True) >= 0 else BY_OVERLAP


cdef Access* _access(Draft* draft, Place* place) noexcept:
    """The access of a place, added if it is new."""
    cdef int found = _find(draft, place, writing=False)
    cdef Access* access = &draft.access[found]
    if found == draft.accesses:
        draft.accesses += 1
        access.place = place
        access.step = access.leaf = ABSENT
    return access


cdef short _read(Draft* draft, Place* place) noexcept:
    """Where the value of a place comes from."""
    cdef Access* access = _access(draft, place)
    if access.step != ABSENT:
        return access.step
    if access.leaf == ABSENT:
        access.leaf = draft.leaves
        draft.leaves += 1
    return LEAF + access.leaf


cdef void _add(Draft* draft, Node* node) noexcept:
    """Add an operation to the group, to which it belongs."""
    cdef short* source = draft.source[draft.nodes]
    cdef int k
    for k in range(5):
        source[k] = ABSENT
    for k in range((<Loop>node.loop).nin):
        if node.place[k].buffer != NULL:
            source[k] = _read(draft, &node.place[k])
        else:
            source[k] = CONSTANT + draft.constants
            draft.constants += 1
    if node.place[CONDITION].buffer != NULL:
        source[MASK] = _read(draft, &node.place[CONDITION])
        source[KEPT] = _read(draft, &node.place[OUTPUT])
    _access(draft, &node.place[OUTPUT]).step = draft.nodes
    draft.nodes += 1


cdef bint _fits(const Node* first, const Node* node) noexcept:
    return (node.ndim == first.ndim
            and memcmp(node.shape, first.shape, first.ndim * sizeof(Py_ssize_t)) == 0)


cdef void draw(Draft* draft, Node* nodes, int count) noexcept:
    cdef Node* node
    cdef int k, written = 0
    draft.nodes = draft.accesses = draft.leaves = draft.constants = 0
    draft.end = _obstacle(draft, nodes)
    if draft.end:
        # One that reads what it writes under another layout or dtype is a group by itself.
        draft.nodes = 1
        return
    _add(draft, nodes)
    while draft.nodes < count:
        node = &nodes[draft.nodes]
        draft.end = BY_FOLD if node.fold != NULL else _obstacle(draft, node) if _fits(nodes, node) else BY_SHAPE
        if draft.end:
            break
        _add(draft, node)
    for k in range(draft.accesses):
        written += draft.access[k].step != ABSENT and is_alive(nodes, draft.nodes, draft.access[k].place.buffer)
    if written > MAX_MEMORY - draft.leaves:
        draw(draft, nodes, MAX_MEMORY - MAX_LEAVES)
        if draft.end == 0:
            draft.end = BY_OPERANDS


cdef int _uses_in(const Node* nodes, int count, const PyObject* buffer) noexcept:
    cdef int i, k, uses = 0
    for i in range(count):
        for k in range(PLACES):
            uses += nodes[i].place[k].buffer == buffer
    return uses


cdef bint is_alive(const Node* nodes, int count, PyObject* buffer) noexcept:
    """Whether anything but these operations refers to a buffer."""
    # More references than all deferred operations have is the usual case, which needs no count.
    return (not _counts_are_exact or gpunp_references(buffer) > (<Buffer>buffer).uses
            or gpunp_references(buffer) > _uses_in(nodes, count, buffer))


cdef void _set_operand(Operand* operand, Place* place) noexcept:
    operand.data = <char*>(<Buffer>place.buffer).ptr + place.offset
    operand.shape = place.shape
    operand.strides = place.strides
    operand.ndim = place.ndim
    operand.code = place.code
    operand.scalar = False
    operand.c_contiguous = place.c_contiguous
    operand.f_contiguous = place.f_contiguous
    operand.size = place.size
    operand.buffer = place.buffer


cdef int settle_group(Draft* draft, Node* nodes, Group* group, int wanted) except -1:
    cdef bint* needed = draft.needed
    cdef short[MAX_STEPS] step_of
    cdef short[MAX_ACCESSES] leaf_of
    cdef short[MAX_ACCESSES] stores
    cdef int count = draft.nodes, i, j, k, s, written = 0
    cdef Access* access
    cdef Step* step
    for i in range(count):
        needed[i] = i == wanted
    for k in range(draft.accesses):
        access = &draft.access[k]
        leaf_of[k] = ABSENT
        if wanted < 0 and access.step != ABSENT and is_alive(nodes, count, access.place.buffer):
            needed[access.step] = True
            stores[written] = k
            written += 1
    for i in range(count - 1, -1, -1):
        if needed[i]:
            for j in range(5):
                s = draft.source[i][j]
                if 0 <= s < LEAF:
                    needed[s] = True
    group.steps = group.leaves = group.constants = 0
    group.ndim = nodes.ndim
    memcpy(group.shape, nodes.shape, nodes.ndim * sizeof(Py_ssize_t))
    for i in range(count):
        if not needed[i]:
            continue
        step_of[i] = group.steps
        step = &group.step[group.steps]
        group.steps += 1
        step.loop = nodes[i].loop
        step.code = nodes[i].place[OUTPUT].code
        for j in range(5):
            s = draft.source[i][j]
            if s == ABSENT or j == KEPT and s >= LEAF and _is_fresh(draft, s - LEAF):
                s = ABSENT
            elif s >= CONSTANT:
                group.constant_code[group.constants] = nodes[i].place[j].code
                memcpy(group.constant[group.constants], nodes[i].scalar[j], 16)
                s = CONSTANT + group.constants
                group.constants += 1
            elif s >= LEAF:
                for k in range(draft.accesses):
                    if draft.access[k].leaf == s - LEAF:
                        break
                if leaf_of[k] == ABSENT:
                    leaf_of[k] = group.leaves
                    _set_operand(&group.operand[group.leaves], draft.access[k].place)
                    group.leaves += 1
                s = LEAF + leaf_of[k]
            else:
                s = step_of[s]
            step.source[j] = s
    group.memory = group.leaves
    for i in range(written):
        access = &draft.access[stores[i]]
        provide(<Buffer>access.place.buffer)
        _set_operand(&group.operand[group.memory], access.place)
        group.stored[group.memory] = step_of[access.step]
        group.memory += 1
    return 0


cdef bint _is_fresh(const Draft* draft, int leaf) noexcept:
    """Whether a leaf is memory that nothing has written: its values do not matter."""
    cdef int k
    for k in range(draft.accesses):
        if draft.access[k].leaf == leaf:
            return (<Buffer>draft.access[k].place.buffer).ptr == NULL
    return False


cdef Py_ssize_t traffic_of(const Group* group) noexcept:
    cdef Py_ssize_t total = 0
    cdef int k
    for k in range(group.memory):
        total += group.operand[k].size * itemsize_of(group.operand[k].code)
    return total


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
            _set_operand(&operands[k], &node.place[k])
    _set_operand(&operands[loop.nin], &node.place[OUTPUT])
    if masked:
        _set_operand(&mask, &node.place[CONDITION])
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
