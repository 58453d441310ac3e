"""Kernels of groups that hold rows: found by what the group looks like, and launched."""
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from gpunp.device cimport Device
from gpunp.dtype_codes cimport itemsize_of
from gpunp.fusion.folds cimport Fold
from gpunp.fusion.generated cimport Entry, entry_of, is_passing
from gpunp.fusion.row_groups cimport (
    FOLD_OR_COLUMNS, FULL, ROW_STEPS, ROWS_BLOCK, ROWS_CONSTANTS, ROWS_MEMORY, ROWS_VALUE, RowGroup, RowStep,
)
from gpunp.reduction.engine cimport Loops
from gpunp.ufunc.plan cimport Loop

from gpunp.fusion.description import Rows, RowStep as StepText

cdef extern from "gpunp/fusion/rows_params.h" namespace "gpunp::fusion" nogil:
    struct RowFold:
        double divisor, correction
        double initial[2]
        int64_t initial_integer
        uint32_t flags
        int32_t out_dtype, lanes
    struct RowsParams:
        int64_t rows
        int32_t length, tile, chunks, across
        uint32_t nbytes
        int32_t ahead
        uint32_t held[8]
        uint32_t pitch[8]
        char* memory[16]
        float single
        double wide
        RowFold fold[8]
        uint64_t constant[32][2]

cdef enum:
    # Most bytes of a tile of several rows: several blocks fit on a multiprocessor, so that some load while others
    # compute.
    TILE_BYTES = 72 << 10
    # Most bytes of shared memory of a block, beyond which rows are too long: two blocks fit on a multiprocessor.
    MOST_BYTES = 112 << 10
    MOST_BLOCKS = 0x7fffffff
    # Most elements of a vector, and most bytes that a thread loads from arrays at once.
    WIDEST = 8
    LOADED_BYTES = 64
    KEY_BYTES = 16 + 22 * ROW_STEPS + 5 * ROWS_MEMORY + ROWS_CONSTANTS

cdef dict _entries = {}
cdef dict _described = {}
cdef Entry _launched = None


cdef object launched_rows():
    return None if _launched is None else _launched.name


cdef int _width(const RowGroup* group, int* loaded) noexcept:
    """Elements of a vector: as many as have 16 bytes, and fewer where rows are not aligned to that."""
    cdef int k, size, largest = 1, width, sum = 0
    cdef bint whole = False
    for k in range(group.memory):
        if k < group.leaves and (group.leaf[k].kind == FULL or group.leaf[k].kind == FOLD_OR_COLUMNS):
            largest = max(largest, itemsize_of(group.leaf[k].code))
            sum += itemsize_of(group.leaf[k].code)
        elif k >= group.leaves and group.step[group.stored[k]].kind == FULL:
            largest = max(largest, itemsize_of(group.stored_code[k]))
    for k in range(group.held):
        largest = max(largest, group.held_bytes[k])
    width = min(16 // largest, <int>WIDEST)
    while width > 1:
        whole = group.length % width == 0
        for k in range(group.memory):
            if k < group.leaves:
                size = itemsize_of(group.leaf[k].code)
                if group.leaf[k].kind != FULL and group.leaf[k].kind != FOLD_OR_COLUMNS:
                    continue
            else:
                size = itemsize_of(group.stored_code[k])
                if group.step[group.stored[k]].kind != FULL:
                    continue
            whole = whole and <size_t>group.data[k] % <size_t>(width * size) == 0
        if whole:
            break
        width //= 2
    loaded[0] = max(1, min(4, LOADED_BYTES // max(1, sum * width)))
    return width


cdef size_t _tile_bytes(const RowGroup* group, Py_ssize_t tile, uint32_t* held, uint32_t* pitch) noexcept:
    """Bytes of shared memory for some rows, and the places of arrays in it."""
    cdef size_t total = max(group.values, 1) * tile * ROWS_VALUE
    cdef size_t each
    cdef int k
    for k in range(group.held):
        each = group.length * group.held_bytes[k]
        # A row may begin up to 15 bytes later. Rows do not begin in the same banks.
        each = (each + 15) // 16 * 16 + 16
        held[k] = total
        pitch[k] = each
        total += each * tile
    return total


cdef int _pack_key(unsigned char* key, const RowGroup* group, Device device, int width, int loaded) noexcept:
    """Write everything that the kernel depends on; return the number of bytes."""
    cdef const RowStep* step
    cdef void* address = <void*>device
    cdef int k, w = 16
    memset(key, 0, 16)
    memcpy(key, &address, 8)
    key[8], key[9], key[10], key[11] = group.steps, group.leaves, group.memory, group.constants
    key[12], key[13] = width, loaded
    for k in range(group.steps):
        step = &group.step[k]
        memcpy(key + w, &step.loop, 8)
        memcpy(key + w + 8, step.source, 10)
        key[w + 18], key[w + 19], key[w + 20], key[w + 21] = step.code, step.kind, step.stage, <unsigned char>step.held
        w += 22
    for k in range(group.leaves):
        key[w], key[w + 1], key[w + 2] = group.leaf[k].code, group.leaf[k].kind, <unsigned char>group.leaf[k].held
        w += 3
    for k in range(group.leaves, group.memory):
        key[w], key[w + 1] = group.stored_code[k], <unsigned char>group.stored[k]
        w += 2
    memcpy(key + w, group.constant_code, group.constants)
    return w + group.constants


cdef object _describe(const RowGroup* group, int width, int loaded):
    cdef const RowStep* step
    cdef int j, k
    cdef list steps = []
    for k in range(group.steps):
        step = &group.step[k]
        if step.fold == NULL:
            unit, symbol = (<Loop>step.loop).unit, (<Loop>step.loop).symbol
        else:
            unit, symbol = "", (<Loops>step.loop).fast[1]
        steps.append(StepText(unit, symbol, tuple([step.source[j] for j in range(5)]), step.code, step.kind,
                              step.stage, step.held))
    return Rows(
        tuple(steps),
        tuple([(group.leaf[k].code, group.leaf[k].kind, group.leaf[k].held) for k in range(group.leaves)]),
        tuple([(group.stored_code[k], group.stored[k]) for k in range(group.leaves, group.memory)]),
        tuple([group.constant_code[k] for k in range(group.constants)]),
        (width, loaded))


cdef void _pack(RowsParams* p, const RowGroup* group) noexcept:
    cdef RowFold* fold
    cdef int k, n = 0
    memset(p, 0, sizeof(RowsParams))
    p.rows = group.rows
    p.length = <int32_t>group.length
    p.single = -0.0
    p.wide = -0.0
    for k in range(group.memory):
        p.memory[k] = group.data[k]
    for k in range(group.constants):
        memcpy(&p.constant[k], group.constant[k], itemsize_of(group.constant_code[k]))
    for k in range(group.steps):
        if group.step[k].fold == NULL:
            continue
        fold = &p.fold[n]
        n += 1
        given = <Fold>group.step[k].fold
        fold.divisor = (<Fold>given).params.divisor
        fold.correction = (<Fold>given).params.correction
        fold.initial[0] = (<Fold>given).params.initial[0]
        fold.initial[1] = (<Fold>given).params.initial[1]
        fold.initial_integer = (<Fold>given).params.initial_integer
        fold.flags = (<Fold>given).params.flags
        fold.out_dtype = (<Fold>given).params.out_dtype
        fold.lanes = (<Fold>given).params.lanes


cdef bint _place(RowsParams* p, const RowGroup* group, Device device, int width) noexcept:
    """Choose the rows of a block and the threads of a row; False if not even one row fits."""
    cdef Py_ssize_t tile = 1
    cdef int k
    p.chunks = p.length // width
    p.across = 1
    if not device.is_cpu:
        for k in range(group.folds):
            tile = max(tile, <Py_ssize_t>ROWS_BLOCK // p.fold[k].lanes)
        while p.across < p.chunks and p.across < ROWS_BLOCK:
            p.across *= 2
    while tile > 1 and _tile_bytes(group, tile, p.held, p.pitch) > TILE_BYTES:
        tile //= 2
    p.tile = <int32_t>tile
    p.nbytes = <uint32_t>_tile_bytes(group, tile, p.held, p.pitch)
    p.ahead = <int32_t>(tile * device.multiprocessors)
    return p.nbytes <= MOST_BYTES


cdef int launch_rows(Device device, RowGroup* group, bint at_once, object name) except -1:
    global _launched
    cdef RowsParams p
    cdef unsigned char[KEY_BYTES] key
    cdef Entry entry
    cdef int width, loaded = 1, length
    cdef long long blocks
    if group.length >= 1 << 24:
        return 0
    width = 1 if device.is_cpu else _width(group, &loaded)
    _pack(&p, group)
    if not _place(&p, group, device, width):
        return 0
    blocks = (group.rows + p.tile - 1) // p.tile
    if blocks > MOST_BLOCKS:
        return 0
    length = _pack_key(key, group, device, width, loaded)
    key_bytes = PyBytes_FromStringAndSize(<const char*>key, length)
    entry = <Entry>_entries.get(key_bytes)
    if entry is None:
        if not at_once and is_passing(key_bytes):
            return 0
        entry = entry_of(_described, device, _describe(group, width, loaded), name or "rows")
        entry = <Entry>_entries.setdefault(key_bytes, entry)
    if entry.kernel is None:
        entry.sight(at_once)
        if entry.kernel is None:
            return 0
    _launched = entry
    device.start(entry.kernel, <unsigned int>blocks, 1, 1, ROWS_BLOCK, p.nbytes, &p, sizeof(RowsParams))
    return 1


def row_kernels():
    """What is known of the groups seen so far.

    Returns
    -------
    list of Entry
    """
    return list(_described.values())


def forget():
    """Forget all groups: they are new when they are seen again."""
    _entries.clear()
    _described.clear()
