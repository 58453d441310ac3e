"""Groups with reductions along rows on the CPU device: some rows after the others, so that they stay in the cache.

All operations run on some rows before the next ones begin, by the host kernels that also run single operations.
Threads share the rows, each with memory for values of its own.
"""
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from gpunp.device cimport Device, Kernel
from gpunp.dtype_codes cimport itemsize_of
from gpunp.fusion.block_programs cimport HostFunction
from gpunp.fusion.blocks cimport (
    STREAM_PIECE, aligned_alloc, block_elements, fetch_ahead, finish_streams, is_streamed, stream_copy,
)
from gpunp.fusion.folds cimport Fold
from gpunp.fusion.group cimport ABSENT, CONSTANT, KEPT, LEAF, MASK
from gpunp.fusion.row_groups cimport FOLD_OR_COLUMNS, FULL, OF_ROWS, ROW_STEPS, RowGroup, RowStep
from gpunp.fusion.shared_blocks cimport share
from gpunp.reduction.plan cimport ROWS, ReduceParams
from gpunp.ufunc.plan cimport MAX_OPERANDS, SCALAR, STRIDED, ElementwiseParams, Loop

cdef enum:
    # Bytes of the values of some rows, and most bytes of those of one row.
    SOME_BYTES = 1 << 18
    MOST_BYTES = 1 << 23
    # The memory of a value: a slot's number, that of a store from here on, or of its own.
    IN_MEMORY = 128
    NOWHERE = -1

# Where an operand is: its first row, and the distance of rows, which is 0 in memory of the program for some rows.
cdef struct Source:
    char* data
    Py_ssize_t step

cdef struct Call:
    HostFunction function
    int count
    bint dense
    Source[MAX_OPERANDS + 1] source     # of the operands, then the mask
    Source kept
    ElementwiseParams params
    ReduceParams fold
    Source value
    Py_ssize_t row_bytes                # of the value


cdef struct Program:
    char* memory
    Py_ssize_t bytes                    # of the memory
    Py_ssize_t rows                     # that run together
    Call[ROW_STEPS] call                # last, as copies have only those that there are


# What the threads share.
cdef struct Work:
    const Program* program
    const RowGroup* group
    bint no_memory                      # set if a thread got none


cdef Source _source_of(Program* program, const RowGroup* group, int origin, Py_ssize_t* strides, int* code) noexcept:
    """An operand's place, dtype and strides by row and by column."""
    cdef Source source
    cdef int kind
    if origin >= LEAF:
        kind, code[0] = group.leaf[origin - LEAF].kind, group.leaf[origin - LEAF].code
    else:
        kind, code[0] = group.step[origin].kind, group.step[origin].code
        if kind == FOLD_OR_COLUMNS:
            kind = OF_ROWS
    cdef Py_ssize_t size = itemsize_of(code[0])
    strides[0] = group.length * size if kind == FULL else size if kind == OF_ROWS else 0
    strides[1] = size if kind == FULL or kind == FOLD_OR_COLUMNS else 0
    if origin < LEAF:
        return program.call[origin].value
    source.data = group.data[origin - LEAF]
    source.step = strides[0]
    return source


cdef bint _is_dense(const RowGroup* group, const RowStep* step) noexcept:
    """Whether all operands have elements in the order of the result, so that one axis covers them."""
    cdef int j, s
    for j in range(5):
        s = step.source[j]
        if LEAF <= s < CONSTANT and group.leaf[s - LEAF].kind != FULL or 0 <= s < LEAF and group.step[s].kind != FULL:
            return False
    return step.kind == FULL


cdef void _set_strides(Call* call, int k, const Py_ssize_t* strides) noexcept:
    call.params.strides[k][0] = strides[1 if call.dense else 0]
    call.params.strides[k][1] = strides[1]


cdef int _prepare(Program* program, Device device, const RowGroup* group, int i) except -1:
    """Set what the calls of a step have in common."""
    cdef const RowStep* step = &group.step[i]
    cdef Call* call = &program.call[i]
    cdef Py_ssize_t[2] strides
    cdef int j, s, code
    cdef Loop loop
    cdef Kernel kernel
    if step.fold != NULL:
        kernel = (<Fold>step.fold).loops.kernel(device, ROWS)
        call.function = <HostFunction>kernel.function
        call.count = 0
        call.fold = (<Fold>step.fold).params
        call.source[0] = _source_of(program, group, step.source[0], strides, &code)
        return 0
    loop = <Loop>step.loop
    loop.attach(device)
    call.function = <HostFunction>loop.vector.function
    call.count = loop.nin
    call.dense = _is_dense(group, step)
    call.params.ndim = 2 if step.kind == FULL and not call.dense else 1
    for j in range(loop.nin + 1):
        call.params.role[j] = STRIDED
    for j in range(loop.nin):
        s = step.source[j]
        call.source[j].data = NULL
        if s >= CONSTANT:
            call.params.role[j] = SCALAR
            call.params.dtype[j] = loop.codes[j]
            memcpy(call.params.scalar[j], group.constant[s - CONSTANT], 16)
        else:
            call.source[j] = _source_of(program, group, s, strides, &code)
            call.params.dtype[j] = code
            _set_strides(call, j, strides)
    strides[0] = call.row_bytes
    strides[1] = itemsize_of(step.code)
    _set_strides(call, loop.nin, strides)
    call.params.dtype[loop.nin] = step.code
    call.source[MAX_OPERANDS].data = call.kept.data = NULL
    if step.source[MASK] != ABSENT:
        call.source[MAX_OPERANDS] = _source_of(program, group, step.source[MASK], strides, &code)
        _set_strides(call, MAX_OPERANDS, strides)
    if step.source[KEPT] != ABSENT:
        call.kept = _source_of(program, group, step.source[KEPT], strides, &code)
    return 0


cdef void _run(Call* call, Py_ssize_t first, Py_ssize_t rows, Py_ssize_t length) noexcept nogil:
    """Run a step on some rows."""
    cdef char* value = call.value.data + first * call.value.step
    cdef int j
    if call.count == 0:
        call.fold.data = call.source[0].data + first * call.source[0].step
        call.fold.out = value
        call.fold.outputs = call.fold.dims[0].extent = rows
        call.function(&call.fold)
        return
    call.params.shape[0] = rows
    call.params.size = rows
    if call.dense:
        call.params.shape[0] = call.params.size = rows * length
    elif call.params.ndim == 2:
        call.params.shape[1] = length
        call.params.size = rows * length
    for j in range(call.count):
        if call.source[j].data != NULL:
            call.params.data[j] = call.source[j].data + first * call.source[j].step
    call.params.data[call.count] = value
    call.params.mask = NULL
    if call.source[MAX_OPERANDS].data != NULL:
        call.params.mask = call.source[MAX_OPERANDS].data + first * call.source[MAX_OPERANDS].step
    if call.kept.data != NULL:
        memcpy(value, call.kept.data + first * call.kept.step, rows * call.row_bytes)
    call.function(&call.params)


cdef void _fetch_rows(const RowGroup* group, Py_ssize_t first, Py_ssize_t rows, Py_ssize_t done,
                      Py_ssize_t nbytes) noexcept nogil:
    """Fetch a part of what the rows from ``first`` on are computed from: `done` of `nbytes` parts are there."""
    cdef Py_ssize_t row_bytes, begin, end
    cdef int k
    for k in range(group.leaves):
        if group.leaf[k].kind == FULL:
            row_bytes = group.length * itemsize_of(group.leaf[k].code)
            begin = rows * row_bytes * done // nbytes
            end = rows * row_bytes * min(done + STREAM_PIECE, nbytes) // nbytes
            fetch_ahead(group.data[k] + first * row_bytes + begin, end - begin)


cdef void _stream(Program* program, const RowGroup* group, int store, Py_ssize_t first, Py_ssize_t rows) noexcept nogil:
    """Write a result past the caches; meanwhile the next rows are fetched, a few lines at a time."""
    cdef Call* call = &program.call[group.stored[store]]
    cdef char* to = group.data[store] + first * call.row_bytes
    cdef Py_ssize_t nbytes = rows * call.row_bytes, done = 0
    cdef Py_ssize_t next_rows = min(program.rows, group.rows - first - rows)
    while done < nbytes:
        if next_rows > 0:
            _fetch_rows(group, first + rows, next_rows, done, nbytes)
        stream_copy(to + done, call.value.data + done, min(STREAM_PIECE, nbytes - done))
        done += STREAM_PIECE


cdef void _run_rows(Program* program, const RowGroup* group, Py_ssize_t first, Py_ssize_t rows) noexcept nogil:
    cdef Call* call
    cdef int i, k
    for i in range(group.steps):
        _run(&program.call[i], first, rows, group.length)
    for k in range(group.leaves, group.memory):
        call = &program.call[group.stored[k]]
        if call.value.data != group.data[k]:
            if _is_streamed(group, k):
                _stream(program, group, k, first, rows)
            else:
                memcpy(group.data[k] + first * call.row_bytes, call.value.data, rows * call.row_bytes)


cdef bint _is_read(const RowGroup* group, int store) noexcept:
    """Whether a leaf is in the memory of a store, so that the store must wait until all steps have run."""
    cdef int k
    for k in range(group.leaves):
        if group.data[k] == group.data[store]:
            return True
    return False


cdef bint _is_streamed(const RowGroup* group, int store) noexcept nogil:
    cdef const RowStep* step = &group.step[group.stored[store]]
    return step.kind == FULL and is_streamed(group.rows * group.length * itemsize_of(step.code))


cdef int _find_slots(const RowGroup* group, short* slot) noexcept:
    """Number the memory of values of elements: it is used again after the last use. Returns how many are needed."""
    cdef int[ROW_STEPS] last
    cdef bint[ROW_STEPS] taken
    cdef int i, j, k, s, slots = 0
    for i in range(group.steps):
        last[i] = i
        slot[i] = NOWHERE
        taken[i] = False
        for j in range(5):
            s = group.step[i].source[j]
            if 0 <= s < LEAF:
                last[s] = i
    for k in range(group.leaves, group.memory):
        last[group.stored[k]] = group.steps
        if not _is_read(group, k) and not _is_streamed(group, k):
            slot[group.stored[k]] = IN_MEMORY + k
    for i in range(group.steps):
        if group.step[i].kind == FULL and slot[i] == NOWHERE:
            k = 0
            while k < slots and taken[k]:
                k += 1
            slots = max(slots, k + 1)
            taken[k] = True
            slot[i] = k
        for j in range(i + 1):
            if last[j] == i and 0 <= slot[j] < IN_MEMORY:
                taken[slot[j]] = False
    return slots


cdef int _allocate(Program* program, const RowGroup* group) except -1:
    """Choose how many rows run together and the places of their values; 0 if a row is too long."""
    cdef short[ROW_STEPS] slot
    cdef Py_ssize_t row_bytes = 16 * group.steps, largest = 0, offset
    cdef int i, slots = _find_slots(group, slot)
    for i in range(group.steps):
        program.call[i].row_bytes = itemsize_of(group.step[i].code)
        if group.step[i].kind == FULL:
            program.call[i].row_bytes *= group.length
            if slot[i] < IN_MEMORY:
                largest = max(largest, program.call[i].row_bytes)
    row_bytes += slots * largest
    if row_bytes > MOST_BYTES:
        return 0
    program.rows = max(1, block_elements() // group.length if block_elements() else SOME_BYTES // row_bytes)
    program.rows = min(program.rows, group.rows)
    largest = (program.rows * largest + 63) & ~<Py_ssize_t>63
    offset = slots * largest
    program.bytes = offset + group.steps * ((16 * program.rows + 63) & ~<Py_ssize_t>63)
    program.memory = <char*>aligned_alloc(64, program.bytes)
    if program.memory == NULL:
        raise MemoryError()
    for i in range(group.steps):
        program.call[i].value.step = 0
        if slot[i] >= IN_MEMORY:
            program.call[i].value.data = group.data[slot[i] - IN_MEMORY]
            program.call[i].value.step = program.call[i].row_bytes
        elif slot[i] >= 0:
            program.call[i].value.data = program.memory + slot[i] * largest
        else:
            program.call[i].value.data = program.memory + offset
            offset += (16 * program.rows + 63) & ~<Py_ssize_t>63
    return 1


cdef inline void _move(Source* source, const Program* program, char* memory) noexcept nogil:
    """Change an address in the program's memory to that in a copy of it."""
    if program.memory <= source.data < program.memory + program.bytes:
        source.data = memory + (source.data - program.memory)


cdef void _run_blocks(Program* program, const RowGroup* group, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Py_ssize_t block, first
    for block in range(begin, end):
        first = block * program.rows
        _run_rows(program, group, first, min(program.rows, group.rows - first))


cdef void _run_share(void* context, int64_t begin, int64_t end) noexcept nogil:
    """Run some blocks by calls and memory of their own."""
    cdef Work* work = <Work*>context
    cdef size_t nbytes = sizeof(Program) - (ROW_STEPS - work.group.steps) * sizeof(Call)
    cdef Program* own = <Program*>malloc(nbytes)
    cdef char* memory = <char*>aligned_alloc(64, work.program.bytes)
    cdef int i, j
    if own == NULL or memory == NULL:
        work.no_memory = True
    else:
        memcpy(own, work.program, nbytes)
        for i in range(work.group.steps):
            for j in range(MAX_OPERANDS + 1):
                _move(&own.call[i].source[j], work.program, memory)
            _move(&own.call[i].kept, work.program, memory)
            _move(&own.call[i].value, work.program, memory)
        own.memory = memory
        _run_blocks(own, work.group, begin, end)
        finish_streams()
    free(memory)
    free(own)


cdef int run_row_blocks(Device device, RowGroup* group) except -1:
    cdef Program* program = <Program*>malloc(sizeof(Program))
    cdef Work work
    cdef Py_ssize_t blocks
    cdef int i
    if program == NULL:
        raise MemoryError()
    memset(program, 0, sizeof(Program))
    try:
        if not _allocate(program, group):
            return 0
        for i in range(group.steps):
            _prepare(program, device, group, i)
        blocks = (group.rows + program.rows - 1) // program.rows
        if blocks == 1:
            with nogil:
                _run_blocks(program, group, 0, 1)
                finish_streams()
            return 1
        work.program = program
        work.group = group
        work.no_memory = False
        share(device, _run_share, &work, blocks, program.rows * group.length * group.steps)
        if work.no_memory:
            raise MemoryError()
    finally:
        free(program.memory)
        free(program)
    return 1
