"""Groups of a trace: which operations one kernel computes.

Operations belong to one group if they have one iteration space and if every element of it can be computed by itself:
no operation reads or overwrites, at another place, what an operation of the group writes.
"""
from cpython.object cimport PyObject
from libc.string cimport memcmp, memcpy

from gpunp.array.strides cimport extent
from gpunp.device cimport Buffer, provide
from gpunp.dtype_codes cimport itemsize_of
from gpunp.fusion.group cimport (
    ABSENT, CONSTANT, KEPT, LEAF, MASK, MAX_CONSTANTS, MAX_MEMORY, MAX_STEPS, Group, Step,
)
from gpunp.fusion.observing cimport BY_FOLD, BY_OPERANDS, BY_OVERLAP, BY_SHAPE, BY_STEPS
from gpunp.fusion.trace cimport CONDITION, OUTPUT, PLACES, Node, Place
from gpunp.ufunc.plan cimport Loop, Operand

import sys

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


cdef void set_operand(Operand* operand, Place* place) noexcept:
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
                    set_operand(&group.operand[group.leaves], draft.access[k].place)
                    group.leaves += 1
                s = LEAF + leaf_of[k]
            else:
                s = step_of[s]
            step.source[j] = s
    group.memory = group.leaves
    for i in range(written):
        access = &draft.access[stores[i]]
        provide(<Buffer>access.place.buffer)
        set_operand(&group.operand[group.memory], access.place)
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
