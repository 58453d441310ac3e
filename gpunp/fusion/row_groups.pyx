"""Groups of operations over rows and of reductions along them, which one kernel computes.

The kernel holds whole rows. So an operation may need the value of a reduction along its own row, and of no other one.
Elements are read at their own place, at that of their row or of their column, and written at their own place, after
everything was read.
"""
from libc.string cimport memcmp

from gpunp.dtype_codes cimport itemsize_of
from gpunp.fusion.folds cimport Fold
from gpunp.fusion.group cimport ABSENT, CONSTANT, KEPT, LEAF, MASK
from gpunp.fusion.grouping cimport is_apart, is_same
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
