"""Reductions whose elements are computed from a group's leaves.

Kernels are those of gpunp's reductions with another source of elements, for the same plan: they add in the same order.
"""
from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.object cimport PyObject
from libc.stdint cimport int64_t, uint32_t
from libc.string cimport memcpy, memset

from gpunp.array.axes cimport merge_axes
from gpunp.array.division cimport set_divider
from gpunp.array.ndarray cimport MAX_NDIM
from gpunp.custom.plan cimport COPY_WORTHWHILE
from gpunp.device cimport Device
from gpunp.dtype_codes cimport itemsize_of
from gpunp.fusion.checking cimport Shadows, new_shadows
from gpunp.fusion.generated cimport Entry, entry_of, is_passing
from gpunp.fusion.group cimport CONSTANT, LEAF, MAX_CONSTANTS, MAX_MEMORY, MAX_STEPS, Group
from gpunp.reduction.engine cimport Loops
from gpunp.reduction.plan cimport COLUMNS, GENERAL, REDUCE_WHOLE, Launch, ReduceParams
from gpunp.ufunc.plan cimport Loop, Operand

from gpunp.fusion.description import Reduced, StepText

cdef enum Access:
    # As in kernels/include/gpunp/fusion/reduction.h.
    SINGLE, DENSE, UNALIGNED, IN_ROWS, REPEATED, STRIDED

cdef enum Part:
    # The variants of a launch, and the parts of the one for rows.
    PART_ROWS, PART_COLUMNS, PART_GENERAL, PART_WHOLE, PART_RUNS

cdef tuple _PARTS = ("rows", "columns", "general", "whole", "runs")

cdef enum:
    MAX_RANK = 8
    # Every vector that a leaf is read by is aligned to so many bytes.
    VECTOR_BYTES = 16
    MOST_PARAMETER_WORDS = 510


# What a value depends on, numbered anew: steps, leaves and constants in the order of the group.
cdef struct Needed:
    int steps, leaves, constants
    short[MAX_STEPS] step
    short[MAX_MEMORY] leaf
    short[MAX_CONSTANTS] constant
    short[MAX_STEPS] step_number
    short[MAX_MEMORY] leaf_number
    short[MAX_CONSTANTS] constant_number

# The iteration space as the leaves need it: dimensions are merged where all strided leaves allow it.
cdef struct Space:
    int ndim, strided
    bint whole, narrow
    unsigned char[MAX_MEMORY] access
    Py_ssize_t[MAX_NDIM] shape
    Py_ssize_t[MAX_MEMORY][MAX_NDIM] strides    # of the strided leaves

# What a kernel depends on; compared and hashed as bytes.
cdef struct KeyStep:
    PyObject* loop
    short[5] source
    short code

cdef struct KeyHead:
    PyObject* device
    PyObject* loops
    unsigned char part, steps, leaves, constants, rank, whole, narrow, unused

cdef struct Key:
    KeyHead head
    KeyStep[MAX_STEPS] step
    unsigned char[2 * MAX_MEMORY] leaf          # dtype and access
    unsigned char[MAX_CONSTANTS] constant       # dtypes

cdef struct Dim:
    int64_t extent
    uint32_t magic, shift


cdef struct Zeros:
    float single
    double wide


# Kernels by key, and by device and description: loops of one symbol may be different objects.
cdef dict _reducers = {}
cdef dict _described = {}
cdef Entry _launched = None


cdef object launched_reducer():
    return None if _launched is None else _launched.name


cdef short _number(short* numbers, short* kept, int* count, int k) noexcept:
    """The new number of leaf or constant ``k``."""
    if numbers[k] < 0:
        numbers[k] = count[0]
        kept[count[0]] = k
        count[0] += 1
    return numbers[k]


cdef void _find_needed(Needed* needed, const Group* group, int step) noexcept:
    """Find what the value of a step depends on."""
    cdef bint[MAX_STEPS] used
    cdef int i, k
    cdef short source
    memset(used, 0, sizeof(used))
    memset(needed.leaf_number, 0xff, sizeof(needed.leaf_number))
    memset(needed.constant_number, 0xff, sizeof(needed.constant_number))
    needed.steps = needed.leaves = needed.constants = 0
    used[step] = True
    for i in range(step, -1, -1):
        if used[i]:
            for k in range(5):
                source = group.step[i].source[k]
                if 0 <= source < LEAF:
                    used[source] = True
    for i in range(step + 1):
        if not used[i]:
            continue
        needed.step_number[i] = needed.steps
        needed.step[needed.steps] = i
        needed.steps += 1
        for k in range(5):
            source = group.step[i].source[k]
            if source >= CONSTANT:
                _number(needed.constant_number, needed.constant, &needed.constants, source - CONSTANT)
            elif source >= LEAF:
                _number(needed.leaf_number, needed.leaf, &needed.leaves, source - LEAF)


cdef void _broadcast(const Group* group, const Operand* operand, Py_ssize_t* strides) noexcept:
    cdef int d, lead = group.ndim - operand.ndim
    for d in range(group.ndim):
        strides[d] = 0 if d < lead or operand.shape[d - lead] == 1 else operand.strides[d - lead]


cdef bint _find_space(Space* space, const Group* group, const Needed* needed, int itemsize, bint on_cpu) noexcept:
    """Find how the leaves lie in the iteration space; False if a kernel would need too many dimensions, or be slower.

    Kernels of single operations copy large transposed operands tile by tile, this one would read them across.
    """
    cdef const Operand* operand
    cdef Py_ssize_t size = 1
    cdef Py_ssize_t* strides
    cdef size_t bits
    cdef int d, k, s, last
    for d in range(group.ndim):
        size *= group.shape[d]
    space.narrow = size <= 0x7fffffff
    space.strided = 0
    for k in range(needed.leaves):
        operand = &group.operand[needed.leaf[k]]
        if operand.size == 1:
            space.access[k] = SINGLE
        elif operand.size == size and operand.c_contiguous:
            space.access[k] = DENSE if <size_t>operand.data % VECTOR_BYTES == 0 else UNALIGNED
        else:
            space.access[k] = STRIDED
            _broadcast(group, operand, space.strides[space.strided])
            space.strided += 1
    space.whole = True
    if space.strided == 0:
        space.ndim = 1
        space.shape[0] = size
        return True
    memcpy(space.shape, group.shape, group.ndim * sizeof(Py_ssize_t))
    space.ndim = merge_axes(group.ndim, space.shape, space.strides, space.strided)
    if space.ndim > MAX_RANK:
        return False
    last = space.ndim - 1
    # Vectors of the reduction are vectors of its own elements, from a multiple of their size on.
    space.whole = space.shape[last] % (VECTOR_BYTES // itemsize) == 0
    s = 0
    for k in range(needed.leaves):
        if space.access[k] != STRIDED:
            continue
        operand = &group.operand[needed.leaf[k]]
        strides = space.strides[s]
        if strides[last] == 0:
            space.access[k] = REPEATED
        elif strides[last] == itemsize_of(operand.code):
            bits = <size_t>operand.data
            for d in range(last):
                bits |= <size_t>strides[d]
            if bits % VECTOR_BYTES == 0:
                space.access[k] = IN_ROWS
        elif not on_cpu and size >= COPY_WORTHWHILE and operand.size == size:
            for d in range(last):
                if strides[d] == itemsize_of(operand.code):
                    return False
        s += 1
    return True


cdef size_t _make_key(Key* key, const Group* group, const Needed* needed, const Space* space, Device device,
                      Loops loops, const Launch* launch, const ReduceParams* p) noexcept:
    """Fill in a key without gaps; returns its bytes."""
    cdef char* at
    cdef KeyStep* step
    cdef short source
    cdef int i, k
    memset(&key.head, 0, sizeof(KeyHead))
    key.head.device = <PyObject*>device
    key.head.loops = <PyObject*>loops
    if launch.variant == COLUMNS:
        key.head.part = PART_COLUMNS
    elif launch.variant == GENERAL:
        key.head.part = PART_GENERAL
    elif device.is_cpu:
        key.head.part = PART_ROWS
    else:
        key.head.part = PART_RUNS if p.run else PART_WHOLE if p.flags & REDUCE_WHOLE else PART_ROWS
    key.head.steps = needed.steps
    key.head.leaves = needed.leaves
    key.head.constants = needed.constants
    key.head.rank = space.ndim
    key.head.whole = space.whole
    key.head.narrow = space.narrow
    for i in range(needed.steps):
        step = &key.step[i]
        memset(step, 0, sizeof(KeyStep))
        step.loop = group.step[needed.step[i]].loop
        step.code = group.step[needed.step[i]].code
        for k in range(5):
            source = group.step[needed.step[i]].source[k]
            if source >= CONSTANT:
                source = CONSTANT + needed.constant_number[source - CONSTANT]
            elif source >= LEAF:
                source = LEAF + needed.leaf_number[source - LEAF]
            elif source >= 0:
                source = needed.step_number[source]
            step.source[k] = source
    at = <char*>&key.step[needed.steps]
    for k in range(needed.leaves):
        at[0] = group.operand[needed.leaf[k]].code
        at[1] = space.access[k]
        at += 2
    for k in range(needed.constants):
        at[0] = group.constant_code[needed.constant[k]]
        at += 1
    return at - <char*>key


cdef object _describe(const Key* key, const Group* group, const Needed* needed, const Space* space, Loops loops):
    cdef const KeyStep* step
    cdef int i, k
    steps = []
    for i in range(needed.steps):
        step = &key.step[i]
        steps.append(StepText((<Loop>step.loop).unit, (<Loop>step.loop).symbol,
                              tuple([step.source[k] for k in range(5)]), step.code))
    return Reduced(
        tuple(steps), tuple([(group.operand[needed.leaf[k]].code, space.access[k]) for k in range(needed.leaves)]), (),
        tuple([group.constant_code[needed.constant[k]] for k in range(needed.constants)]),
        (space.ndim, bool(space.whole), bool(space.narrow)), _PARTS[key.head.part],
        (loops.general if key.head.part == PART_GENERAL else loops.fast)[1])


cdef size_t _pack(char* params, const Group* group, const Needed* needed, const Space* space,
                  const ReduceParams* p) noexcept:
    """Write the parameters; returns their bytes, or 0 if there are too many."""
    cdef size_t leaves = max(needed.leaves, 1), strided = max(space.strided, 1), rank = space.ndim
    cdef size_t zeros = sizeof(ReduceParams) + 8 * leaves + rank * (sizeof(Dim) + 8 * strided)
    cdef size_t constants = zeros + sizeof(Zeros)
    cdef size_t nbytes = constants + 16 * max(needed.constants, 1)
    cdef const char** leaf
    cdef Dim* dim
    cdef int64_t* stride
    cdef int d, k, s
    if nbytes > 8 * MOST_PARAMETER_WORDS:
        return 0
    memset(params + sizeof(ReduceParams), 0, nbytes - sizeof(ReduceParams))
    memcpy(params, p, sizeof(ReduceParams))
    leaf = <const char**>(params + sizeof(ReduceParams))
    for k in range(needed.leaves):
        leaf[k] = group.operand[needed.leaf[k]].data
    dim = <Dim*>(leaf + leaves)
    stride = <int64_t*>(dim + rank)
    for d in range(space.ndim):
        dim[d].extent = space.shape[space.ndim - 1 - d]
        set_divider(dim[d].extent, &dim[d].magic, &dim[d].shift)
        for s in range(space.strided):
            stride[s * space.ndim + d] = space.strides[s][space.ndim - 1 - d]
    (<Zeros*>(params + zeros)).single = -0.0
    (<Zeros*>(params + zeros)).wide = -0.0
    for k in range(needed.constants):
        memcpy(params + constants + 16 * k, group.constant[needed.constant[k]], 16)
    return nbytes


cdef int reduce_group(Device device, const Group* group, int step, Loops loops, const Launch* launch,
                      const ReduceParams* p, bint at_once=False, object name=None) except -1:
    global _launched
    cdef Needed needed
    cdef Space space
    cdef Key key
    cdef Entry reducer
    cdef int64_t[MOST_PARAMETER_WORDS] params
    cdef size_t nbytes
    _find_needed(&needed, group, step)
    if not _find_space(&space, group, &needed, itemsize_of(group.step[step].code), device.is_cpu):
        return 0
    nbytes = _make_key(&key, group, &needed, &space, device, loops, launch, p)
    key_bytes = PyBytes_FromStringAndSize(<const char*>&key, nbytes)
    reducer = <Entry>_reducers.get(key_bytes)
    if reducer is None:
        if not at_once and is_passing(key_bytes):
            return 0
        description = _describe(&key, group, &needed, &space, loops)
        reducer = entry_of(_described, device, description, name or description.kernel.rsplit("_", 2)[0])
        reducer = <Entry>_reducers.setdefault(key_bytes, reducer)
    if reducer.kernel is None:
        reducer.sight(at_once)
        if reducer.kernel is None:
            return 0
    nbytes = _pack(<char*>params, group, &needed, &space, p)
    if nbytes == 0:
        return 0
    _launched = reducer
    device.start(reducer.kernel, launch.blocks, 1, 1, launch.threads, 0, params, nbytes)
    return 1


cdef Shadows shadows_of_results(Device device, Loops loops, ReduceParams* p):
    cdef str symbol = loops.general[1]
    cdef Shadows shadows = new_shadows(device, f"{symbol} of deferred operations")
    cdef Py_ssize_t low = 0, high = itemsize_of(p.out_dtype), reach
    cdef int d
    # A symbol ends in the dtype that the kernel computes in.
    shadows.wide = symbol.endswith(("_f8", "_c16"))
    for d in range(p.kept_ndim):
        reach = p.dims[d].out_stride * (p.dims[d].extent - 1)
        low += min(reach, 0)
        high += max(reach, 0)
    p.out = shadows.divert(p.out, low, high, p.out_dtype)
    return shadows


def reducers():
    """What is known of the reductions seen so far.

    Returns
    -------
    list of Entry
    """
    return list(_described.values())


def forget():
    """Forget all reductions: they are new when they are seen again."""
    _reducers.clear()
    _described.clear()
