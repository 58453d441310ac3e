"""From drafts to groups that hold rows: the passes in which steps are computed, and the arrays that are held.

Pass number n computes elements, then the reductions that follow it give values of rows, which pass n + 1 needs.
"""
from libc.string cimport memcpy

from cpython.object cimport PyObject

from gpunp.device cimport Buffer, provide
from gpunp.dtype_codes cimport itemsize_of
from gpunp.fusion.folds cimport Fold
from gpunp.fusion.group cimport ABSENT, CONSTANT, KEPT, LEAF
from gpunp.fusion.grouping cimport is_alive
from gpunp.fusion.row_groups cimport (
    FOLD_OR_COLUMNS, FULL, ROW_LEAVES, ROW_STEPS, ROWS_HELD, ROWS_MEMORY, RowAccess, RowDraft, RowGroup, RowLeaf,
    RowStep,
)
from gpunp.fusion.trace cimport OUTPUT, Node, Place


# When the values of a group are computed and needed, in half passes: an elementwise pass, then its reductions.
cdef struct Times:
    short[ROW_STEPS] level      # the first pass in which all that a step needs is known
    short[ROW_STEPS] at         # the pass in which it is computed
    short[ROW_STEPS] last       # the last use
    short[ROW_LEAVES] leaf_first
    short[ROW_LEAVES] leaf_last
    bint[ROW_STEPS] needed
    bint[ROW_STEPS] stored
    short passes


cdef void _find_needed(RowDraft* draft, Node* nodes, Times* times) noexcept:
    cdef RowAccess* access
    cdef int i, j, k
    cdef short s
    for i in range(draft.nodes):
        times.needed[i] = times.stored[i] = False
    for k in range(draft.accesses):
        access = &draft.access[k]
        if access.step != ABSENT and is_alive(nodes, draft.nodes, access.place.buffer):
            times.needed[access.step] = times.stored[access.step] = True
    for i in range(draft.nodes - 1, -1, -1):
        if times.needed[i]:
            for j in range(5):
                s = draft.source[i][j]
                if 0 <= s < LEAF:
                    times.needed[s] = True


cdef void _find_times(RowDraft* draft, Times* times) noexcept:
    """Find the passes: a value is computed as late as possible, so that few are held, and stored in the last one."""
    cdef int i, j, k, level
    cdef short s, use
    times.passes = 0
    for i in range(draft.nodes):
        level = 0
        if not times.needed[i]:
            continue
        for j in range(5):
            s = draft.source[i][j]
            if 0 <= s < LEAF:
                level = max(level, times.level[s])
        times.level[i] = level + (draft.kind[i] == FOLD_OR_COLUMNS)
        times.at[i] = -1
        times.last[i] = -1
        if draft.kind[i] == FULL:
            times.passes = max(times.passes, level + 1)
        elif draft.kind[i] == FOLD_OR_COLUMNS:
            times.passes = max(times.passes, times.level[i])
    for k in range(draft.leaves):
        times.leaf_first[k] = 2 * ROW_STEPS
        times.leaf_last[k] = -1
    for i in range(draft.nodes - 1, -1, -1):
        if not times.needed[i]:
            continue
        if draft.kind[i] == FULL:
            if times.stored[i]:
                times.last[i] = max(times.last[i], 2 * (times.passes - 1))
            if times.at[i] < 0:
                times.at[i] = times.passes - 1
            use = 2 * times.at[i]
        elif draft.kind[i] == FOLD_OR_COLUMNS:
            times.at[i] = times.level[i] - 1
            use = 2 * times.at[i] + 1
        else:
            times.at[i] = times.level[i]
            continue
        for j in range(5):
            s = draft.source[i][j]
            if LEAF <= s < CONSTANT:
                k = s - LEAF
                times.leaf_first[k] = min(times.leaf_first[k], use // 2)
                times.leaf_last[k] = max(times.leaf_last[k], use)
            elif 0 <= s < LEAF and draft.kind[s] == FULL:
                times.at[s] = use // 2 if times.at[s] < 0 else min(times.at[s], use // 2)
                times.last[s] = max(times.last[s], use)


cdef int _hold(RowGroup* group, short* until, int itemsize, int first, int last) noexcept:
    """An array in shared memory for a value from pass ``first`` to the half pass ``last``; -1 if there is none."""
    cdef int k
    for k in range(group.held):
        if until[k] <= 2 * first and group.held_bytes[k] == itemsize:
            until[k] = last
            return k
    if group.held == ROWS_HELD:
        return -1
    until[group.held] = last
    group.held_bytes[group.held] = itemsize
    group.held += 1
    return group.held - 1


cdef int _place_of_leaf(const RowDraft* draft, int leaf) noexcept:
    """The number of the access that reads a leaf."""
    cdef int k
    for k in range(draft.accesses):
        if draft.access[k].leaf == leaf:
            return k
    return -1


cdef const Place* _output(const RowDraft* draft, int step) noexcept:
    return &draft.first[step].place[OUTPUT]


cdef bint _assign_held(RowDraft* draft, Times* times, RowGroup* group, signed char* of_step,
                       signed char* of_leaf) noexcept:
    """Give values that are needed after the pass that computes them arrays in shared memory; False if they lack."""
    cdef short[ROWS_HELD] until
    cdef Place* place
    cdef int i, k, stage
    for i in range(draft.nodes):
        of_step[i] = -1
    for k in range(draft.leaves):
        of_leaf[k] = -1
    for stage in range(times.passes):
        for k in range(draft.leaves):
            if times.leaf_first[k] != stage or times.leaf_last[k] <= 2 * stage:
                continue
            i = _place_of_leaf(draft, k)
            if draft.access[i].kind == FULL:
                place = draft.access[i].place
                of_leaf[k] = _hold(group, until, itemsize_of(place.code), stage, times.leaf_last[k])
                if of_leaf[k] < 0:
                    return False
        for i in range(draft.nodes):
            if times.needed[i] and draft.kind[i] == FULL and times.at[i] == stage and times.last[i] > 2 * stage:
                of_step[i] = _hold(group, until, itemsize_of(_output(draft, i).code), stage, times.last[i])
                if of_step[i] < 0:
                    return False
    return True


cdef short _leaf(RowDraft* draft, RowGroup* group, short* leaf_of, const signed char* held, int leaf) noexcept:
    """The number of a leaf in the group, added if it is new; ABSENT if it is memory that nothing has written."""
    cdef RowAccess* access = &draft.access[_place_of_leaf(draft, leaf)]
    cdef RowLeaf* added = &group.leaf[group.leaves]
    if (<Buffer>access.place.buffer).ptr == NULL:
        return ABSENT
    if leaf_of[leaf] == ABSENT:
        leaf_of[leaf] = LEAF + group.leaves
        added.code, added.kind, added.held = access.place.code, access.kind, held[leaf]
        group.data[group.leaves] = <char*>(<Buffer>access.place.buffer).ptr + access.place.offset
        group.leaves += 1
    return leaf_of[leaf]


cdef int _add_stores(RowDraft* draft, const Times* times, RowGroup* group, const short* step_of) except -1:
    """Add the stores; 0 if a kernel has no place for them, or no use."""
    cdef RowAccess* access
    cdef bint elements = False
    cdef int k
    group.memory = group.leaves
    for k in range(draft.accesses):
        access = &draft.access[k]
        elements = elements or access.step != ABSENT and times.stored[access.step] and access.kind == FULL
    if group.folds == 0 or group.folds == 1 and not elements:
        return 0
    for k in range(draft.accesses):
        access = &draft.access[k]
        if access.step == ABSENT or not times.stored[access.step]:
            continue
        if group.memory == ROWS_MEMORY:
            return 0
        provide(<Buffer>access.place.buffer)
        group.data[group.memory] = <char*>(<Buffer>access.place.buffer).ptr + access.place.offset
        group.stored[group.memory] = step_of[access.step]
        group.stored_code[group.memory] = access.place.code
        group.memory += 1
    return 1


cdef int settle_rows(RowDraft* draft, Node* nodes, RowGroup* group) except -1:
    cdef Times times
    cdef short[ROW_STEPS] step_of
    cdef short[ROW_LEAVES] leaf_of
    cdef signed char[ROW_STEPS] held_step
    cdef signed char[ROW_LEAVES] held_leaf
    cdef RowStep* step
    cdef int i, j, k
    cdef short s
    draft.first = nodes
    _find_needed(draft, nodes, &times)
    _find_times(draft, &times)
    group.steps = group.leaves = group.constants = group.folds = group.values = group.held = 0
    group.rows, group.length = draft.rows, draft.length
    if not _assign_held(draft, &times, group, held_step, held_leaf):
        return 0
    for k in range(draft.leaves):
        leaf_of[k] = ABSENT
    for i in range(draft.nodes):
        if not times.needed[i]:
            continue
        step_of[i] = group.steps
        step = &group.step[group.steps]
        group.steps += 1
        step.fold = nodes[i].fold
        step.loop = <PyObject*>(<Fold>nodes[i].fold).loops if nodes[i].fold != NULL else nodes[i].loop
        step.code = nodes[i].place[OUTPUT].code
        step.kind = draft.kind[i]
        step.stage = times.at[i]
        step.held = held_step[i]
        group.folds += step.fold != NULL
        group.values += step.kind != FULL
        for j in range(5):
            s = draft.source[i][j]
            if LEAF <= s < CONSTANT:
                s = _leaf(draft, group, leaf_of, held_leaf, s - LEAF)
                if s == ABSENT and j != KEPT:
                    return 0
            elif s >= CONSTANT:
                group.constant_code[group.constants] = nodes[i].place[j].code
                memcpy(group.constant[group.constants], nodes[i].scalar[j], 16)
                s = CONSTANT + group.constants
                group.constants += 1
            elif s >= 0:
                s = step_of[s]
            step.source[j] = s
    return _add_stores(draft, &times, group, step_of)
