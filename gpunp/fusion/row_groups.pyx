"""Groups of operations over rows and of reductions along them, which one kernel computes.

The kernel holds whole rows. So an operation may need the value of a reduction along its own row, and of no other one.
Elements are read at their own place, at that of their row or of their column, and written at their own place, after
everything was read.
"""
from libc.string cimport memcmp, memcpy

from gpunp.device cimport Buffer, provide
from gpunp.dtype_codes cimport itemsize_of
from gpunp.fusion.folds cimport Fold
from gpunp.fusion.group cimport ABSENT, CONSTANT, KEPT, LEAF, MASK
from gpunp.fusion.grouping cimport is_alive, is_apart, is_same
from gpunp.fusion.trace cimport CONDITION, OUTPUT, PLACES
from gpunp.ufunc.plan cimport Loop


cdef bint _is_dense(const Place* place, int first, int last, const Py_ssize_t* shape) noexcept:
    """Whether some axes have a shape and are dense, in C order."""
    cdef Py_ssize_t step = itemsize_of(place.code)
    cdef int d
    for d in range(last - 1, first - 1, -1):
        if place.shape[d] != shape[d - first] or shape[d - first] > 1 and place.strides[d] != step:
            return False
        step *= shape[d - first]
    return True


cdef bint _is_repeated(const Place* place, int first, int last) noexcept:
    """Whether an operand has one element along some axes."""
    cdef int d
    for d in range(first, last):
        if place.shape[d] != 1 and place.strides[d] != 0:
            return False
    return True


cdef Kind _kind_of(const RowDraft* draft, const Place* place, int tail) noexcept:
    """How a place lies in the iteration space, of which it has the last ``tail`` axes of a row."""
    cdef const Place* space = &draft.space.place[0]
    cdef int lead = space.ndim - draft.tail, first
    if place.size == 1:
        return ONE
    # Its axes among those of the iteration space are the last ones.
    first = place.ndim - tail
    if first == lead:
        if tail and place.c_contiguous and place.size == draft.rows * draft.length:
            return FULL
        if _is_dense(place, 0, lead, space.shape) and _is_repeated(place, lead, place.ndim):
            return OF_ROWS
    if (tail and first >= 0 and _is_repeated(place, 0, first)
            and _is_dense(place, first, place.ndim, space.shape + lead)):
        return FOLD_OR_COLUMNS
    return OTHER


cdef int _find(const RowDraft* draft, const Place* place, int kind, bint writing) noexcept:
    """The number of a place's access, ``draft.accesses`` if it is new, or -1 if it is in conflict with the group."""
    cdef const RowAccess* access
    cdef int k, found = draft.accesses
    for k in range(draft.accesses):
        access = &draft.access[k]
        if access.place.buffer != place.buffer:
            continue
        if access.kind == kind and (is_same(access.place, place) or kind == OF_ROWS
                                    and access.place.offset == place.offset and access.place.code == place.code):
            found = k
        elif (writing or access.step != ABSENT) and not is_apart(access.place, place):
            return -1
    return found


cdef int _tail_of(const RowDraft* draft, const Node* node) noexcept:
    """The last axes of a node that a row spans: all, or none if it computes values of rows; -1 if it has no rows."""
    cdef const Place* space = &draft.space.place[0]
    cdef int lead = space.ndim - draft.tail
    if node.ndim < lead or memcmp(node.shape, space.shape, lead * sizeof(Py_ssize_t)) != 0:
        return -1
    if node.ndim == lead:
        return 0
    return draft.tail if node.ndim == space.ndim else -1


cdef int _kind_of_node(const RowDraft* draft, const Node* node, int tail) noexcept:
    """Whether an operation computes elements or values of rows; OTHER if it does neither."""
    cdef const Place* space = &draft.space.place[0]
    cdef int d, lead = space.ndim - draft.tail
    if tail < 0:
        return OTHER
    if tail == 0:
        return OF_ROWS
    if memcmp(node.shape + lead, space.shape + lead, tail * sizeof(Py_ssize_t)) == 0:
        return FULL
    for d in range(lead, node.ndim):
        if node.shape[d] != 1:
            return OTHER
    return OF_ROWS


cdef RowAccess* _access(RowDraft* draft, Place* place, int kind) noexcept:
    """The access of a place, added if it is new."""
    cdef int found = _find(draft, place, kind, writing=False)
    cdef RowAccess* access = &draft.access[found]
    if found == draft.accesses:
        draft.accesses += 1
        access.place = place
        access.kind = kind
        access.step = access.leaf = ABSENT
    return access


cdef short _read(RowDraft* draft, Place* place, int kind) noexcept:
    """Where the value of a place comes from."""
    cdef RowAccess* access = _access(draft, place, kind)
    if access.step != ABSENT:
        return access.step
    if access.leaf == ABSENT:
        access.leaf = draft.leaves
        draft.leaves += 1
    return LEAF + access.leaf


cdef bint _admits(const RowDraft* draft, const Node* node, int kind, int tail) noexcept:
    """Whether the operands of a node can be operands of the group's kernel."""
    cdef const Place* place
    cdef const Place* out = &node.place[OUTPUT]
    cdef int k, found, of, leaves = draft.leaves
    for k in range(PLACES):
        place = &node.place[k]
        if place.buffer == NULL:
            continue
        of = _kind_of(draft, place, tail)
        if of == OTHER or kind == OF_ROWS and of != OF_ROWS and of != ONE:
            return False
        if k == OUTPUT and node.place[CONDITION].buffer == NULL:
            continue
        found = _find(draft, place, of, writing=False)
        if found < 0 or place.buffer == out.buffer and not is_same(place, out) and not is_apart(place, out):
            return False
        leaves += found == draft.accesses or draft.access[found].step == ABSENT and draft.access[found].leaf == ABSENT
    if leaves > ROW_LEAVES or draft.constants + 3 > ROWS_CONSTANTS:
        return False
    return _kind_of(draft, out, tail) == kind and _find(draft, out, kind, writing=True) >= 0


cdef void _add(RowDraft* draft, Node* node, int kind, int tail) noexcept:
    cdef short* source = draft.source[draft.nodes]
    cdef int k
    for k in range(5):
        source[k] = ABSENT
    for k in range((<Loop>node.loop).nin):
        if node.place[k].buffer != NULL:
            source[k] = _read(draft, &node.place[k], _kind_of(draft, &node.place[k], tail))
        else:
            source[k] = CONSTANT + draft.constants
            draft.constants += 1
    if node.place[CONDITION].buffer != NULL:
        source[MASK] = _read(draft, &node.place[CONDITION], _kind_of(draft, &node.place[CONDITION], tail))
        source[KEPT] = _read(draft, &node.place[OUTPUT], kind)
    _access(draft, &node.place[OUTPUT], kind).step = draft.nodes
    draft.kind[draft.nodes] = kind
    draft.nodes += 1


cdef bint _add_fold(RowDraft* draft, Node* node) noexcept:
    """Add a reduction of elements, if it is one."""
    cdef const Place* space = &draft.space.place[0]
    cdef Place* place = &node.place[0]
    cdef short* source = draft.source[draft.nodes]
    cdef int k, found
    # The order of a reduction depends on where a row begins, which shared memory keeps for rows of whole buffers.
    if ((<Fold>node.fold).tail != draft.tail or place.ndim != space.ndim or place.offset % 16 != 0
            or memcmp(place.shape, space.shape, space.ndim * sizeof(Py_ssize_t)) != 0
            or draft.folds == ROWS_FOLDS):
        return False
    found = _find(draft, place, FULL, writing=False)
    if found < 0 or found == draft.accesses and draft.leaves == ROW_LEAVES:
        return False
    for k in range(5):
        source[k] = ABSENT
    source[0] = _read(draft, place, FULL)
    _access(draft, &node.place[OUTPUT], OF_ROWS).step = draft.nodes
    draft.kind[draft.nodes] = FOLD_OR_COLUMNS
    draft.folds += 1
    draft.nodes += 1
    return True


cdef bint _gains(const RowDraft* draft) noexcept:
    """Whether rows are needed twice: for two reductions, or after one."""
    cdef int i, k
    cdef short source
    if draft.folds > 1:
        return True
    for i in range(draft.nodes):
        if draft.kind[i] == FULL:
            for k in range(5):
                source = draft.source[i][k]
                if 0 <= source < LEAF and draft.kind[source] != FULL:
                    return True
    return False


cdef bint draw_rows(RowDraft* draft, Node* nodes, int count, int fold) noexcept:
    cdef Node* node
    cdef int kind, tail
    draft.nodes = draft.accesses = draft.leaves = draft.constants = draft.folds = 0
    draft.space = &nodes[fold]
    draft.tail = (<Fold>nodes[fold].fold).tail
    draft.length = (<Fold>nodes[fold].fold).params.reduced
    draft.rows = (<Fold>nodes[fold].fold).params.outputs
    while draft.nodes < count and draft.nodes < ROW_STEPS:
        node = &nodes[draft.nodes]
        if node.fold != NULL:
            if not _add_fold(draft, node):
                break
            continue
        tail = _tail_of(draft, node)
        kind = _kind_of_node(draft, node, tail)
        if kind == OTHER or not _admits(draft, node, kind, tail):
            break
        _add(draft, node, kind, tail)
    return _gains(draft)


# -- phases


# When the values of a group are computed and needed, in half passes: an elementwise pass, then its reductions.
cdef struct Times:
    short[ROW_STEPS] level      # the first pass in which all that a step needs is known
    short[ROW_STEPS] at         # the pass in which it is computed
    short[ROW_STEPS] last       # the last use
    short[ROW_LEAVES] leaf_first
    short[ROW_LEAVES] leaf_last
    bint[ROW_STEPS] needed
    bint[ROW_STEPS] folded      # reduced
    bint[ROW_LEAVES] leaf_folded
    bint[ROW_STEPS] stored
    short passes


cdef void _find_needed(RowDraft* draft, Node* nodes, Times* times) noexcept:
    cdef RowAccess* access
    cdef int i, j, k
    cdef short s
    for i in range(draft.nodes):
        times.needed[i] = times.stored[i] = times.folded[i] = False
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
        times.leaf_folded[k] = False
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
                times.leaf_folded[k] = times.leaf_folded[k] or draft.kind[i] == FOLD_OR_COLUMNS
            elif 0 <= s < LEAF and draft.kind[s] == FULL:
                times.at[s] = use // 2 if times.at[s] < 0 else min(times.at[s], use // 2)
                times.last[s] = max(times.last[s], use)
                times.folded[s] = times.folded[s] or draft.kind[i] == FOLD_OR_COLUMNS


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


cdef int settle_rows(RowDraft* draft, Node* nodes, RowGroup* group) except -1:
    cdef Times times
    cdef short[ROW_STEPS] step_of
    cdef short[ROW_LEAVES] leaf_of
    cdef signed char[ROW_STEPS] held_step
    cdef signed char[ROW_LEAVES] held_leaf
    cdef RowStep* step
    cdef RowAccess* access
    cdef bint elements
    cdef int i, j, k, at
    cdef short s
    _find_needed(draft, nodes, &times)
    _find_times(draft, &times)
    group.steps = group.leaves = group.constants = group.folds = group.values = group.held = 0
    group.rows, group.length = draft.rows, draft.length
    draft.first = nodes
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
                at = _place_of_leaf(draft, s - LEAF)
                access = &draft.access[at]
                if (<Buffer>access.place.buffer).ptr == NULL:
                    # Nothing has written it: its values do not matter.
                    if j != KEPT:
                        return 0
                    s = ABSENT
                else:
                    k = s - LEAF
                    if leaf_of[k] == ABSENT:
                        leaf_of[k] = group.leaves
                        group.leaf[group.leaves].code = access.place.code
                        group.leaf[group.leaves].kind = access.kind
                        group.leaf[group.leaves].held = held_leaf[k]
                        group.data[group.leaves] = <char*>(<Buffer>access.place.buffer).ptr + access.place.offset
                        group.leaves += 1
                    s = LEAF + leaf_of[k]
            elif s >= CONSTANT:
                group.constant_code[group.constants] = nodes[i].place[j].code
                memcpy(group.constant[group.constants], nodes[i].scalar[j], 16)
                s = CONSTANT + group.constants
                group.constants += 1
            elif s >= 0:
                s = step_of[s]
            step.source[j] = s
    group.memory = group.leaves
    elements = False
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


cdef const Place* _output(const RowDraft* draft, int step) noexcept:
    return &draft.first[step].place[OUTPUT]
