"""Groups on the CPU device: block by block, so that intermediate values stay in the cache.

A block is a part of the iteration space of one or two dimensions. Every operation of the group runs on it before the
next block begins, by the host kernels that also run single operations. Meanwhile the next block is fetched from memory,
a few lines at a time: a processor waits for longer runs of them.
"""
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from gpunp.custom.plan cimport Plan
from gpunp.device cimport Device
from gpunp.dtype_codes cimport is_complex, itemsize_of
from gpunp.fusion.group cimport ABSENT, CONSTANT, KEPT, LEAF, MASK, MAX_MEMORY, MAX_STEPS, Group, Step
from gpunp.ufunc.plan cimport MAX_OPERANDS, SCALAR, STRIDED, Loop, copy_loop

cdef enum:
    NOWHERE = -1
    SLOT = 64                   # operand numbers from here on are slots, others are places in memory
    # Bytes of one intermediate value of a block: two of them fit the L1 cache, or four short ones. Complex values are
    # short: their arithmetic takes so long that calls on fewer elements cost little, and up to twice as long otherwise.
    VALUE_BYTES = 1 << 14
    SHORT_BYTES = 1 << 13
    LINE = 64
    # Bytes between places that lie together, as those of neighboring elements.
    TOGETHER = 256

# Elements of a block, if tests set it.
cdef Py_ssize_t _block_elements = 0
# Bytes of results that are written past the caches.
cdef Py_ssize_t _streamed_bytes = 32 << 20


def set_block_elements(Py_ssize_t count=0):
    """Set how many elements a block has; for tests.

    Parameters
    ----------
    count : int, default 0
        0 for as many as fit the cache.

    Returns
    -------
    int
        The number before.
    """
    global _block_elements
    if count < 0:
        raise ValueError(f"set_block_elements: the number must not be negative, it is {count}")
    before = _block_elements
    _block_elements = count
    return before


def set_streamed_bytes(Py_ssize_t count=32 << 20):
    """Set how large results are that are written past the caches; for tests.

    Parameters
    ----------
    count : int, default 32 MiB

    Returns
    -------
    int
        The number before.
    """
    global _streamed_bytes
    before = _streamed_bytes
    _streamed_bytes = count
    return before


cdef bint is_streamed(Py_ssize_t nbytes) noexcept nogil:
    return nbytes >= _streamed_bytes


cdef Py_ssize_t block_elements() noexcept:
    return _block_elements


cdef HostFunction _function_of(Loop loop, Device device) except NULL:
    loop.attach(device)
    return <HostFunction>loop.vector.function


cdef Call* _add_call(Program* program, Loop loop, Device device) except NULL:
    cdef Call* call = &program.call[program.calls]
    cdef int k
    program.calls += 1
    memset(call, 0, sizeof(Call))
    call.function = _function_of(loop, device)
    call.count = loop.nin + loop.nout
    for k in range(MAX_OPERANDS + 1):
        call.where[k] = NOWHERE
    for k in range(call.count):
        call.params.role[k] = STRIDED
    return call


cdef int _add_copy(Program* program, Device device, int code, int source, int target) except -1:
    cdef Call* call = _add_call(program, copy_loop(code), device)
    call.where[0] = source
    call.where[1] = target
    call.params.dtype[0] = call.params.dtype[1] = code
    return 0


cdef int compile_group(Program* program, Device device, const Group* group, const Plan* plan) except -1:
    cdef int[MAX_STEPS] last        # the last step that uses a value
    cdef short[MAX_STEPS] where     # the place of a value
    cdef bint[MAX_STEPS] free_slot
    cdef short[MAX_MEMORY] late     # stores that follow all steps
    cdef int late_count = 0, i, j, k, s, code
    cdef const Step* step
    cdef Loop loop
    cdef Call* call
    program.calls = program.slots = program.streams = 0
    for i in range(group.steps):
        last[i] = -1
        where[i] = NOWHERE
        for j in range(5):
            s = group.step[i].source[j]
            if 0 <= s < LEAF:
                last[s] = i
    for k in range(group.leaves, group.memory):
        i = group.stored[k]
        if where[i] == NOWHERE and not _is_read(group, k):
            if _is_streamed(group, plan, k):
                last[i] = group.steps
                program.stream_store[program.streams] = k
                program.streams += 1
            else:
                where[i] = k
        else:
            late[late_count] = k
            late_count += 1
            last[i] = group.steps
    for i in range(group.steps):
        step = &group.step[i]
        loop = <Loop>step.loop
        code = step.code
        if where[i] == NOWHERE:
            where[i] = _slot_in_place(group, last, where, i)
        if where[i] == NOWHERE:
            for k in range(program.slots):
                if free_slot[k]:
                    break
            else:
                k = program.slots
                program.slots += 1
            free_slot[k] = False
            where[i] = SLOT + k
        if step.source[KEPT] != ABSENT:
            _add_copy(program, device, code, _place(group, where, step.source[KEPT]), where[i])
        call = _add_call(program, loop, device)
        for j in range(loop.nin):
            s = step.source[j]
            if s >= CONSTANT:
                call.params.role[j] = SCALAR
                call.params.dtype[j] = loop.codes[j]
                memcpy(call.params.scalar[j], group.constant[s - CONSTANT], 16)
            else:
                call.where[j] = _place(group, where, s)
                call.params.dtype[j] = group.operand[s - LEAF].code if s >= LEAF else group.step[s].code
        call.where[loop.nin] = where[i]
        call.params.dtype[loop.nin] = code
        if step.source[MASK] != ABSENT:
            call.where[MAX_OPERANDS] = _place(group, where, step.source[MASK])
        for j in range(5):
            s = step.source[j]
            if 0 <= s < LEAF and last[s] == i and where[s] >= SLOT and where[s] != where[i]:
                free_slot[where[s] - SLOT] = True
    program.result = where[group.steps - 1]
    for j in range(program.streams):
        i = group.stored[program.stream_store[j]]
        program.stream_slot[j] = where[i]
        program.stream_size[j] = itemsize_of(group.step[i].code)
    for j in range(late_count):
        k = late[j]
        i = group.stored[k]
        _add_copy(program, device, group.step[i].code, where[i], k)
    return 0


cdef short _slot_in_place(const Group* group, const int* last, const short* where, int i) noexcept:
    """The slot of an operand that nothing needs after a step, whose result may be there; else NOWHERE.

    A block then takes less of the cache, and its lines are those that were read last.
    """
    cdef const Step* step = &group.step[i]
    cdef int j, s
    if step.source[MASK] != ABSENT or step.source[KEPT] != ABSENT:
        return NOWHERE
    for j in range((<Loop>step.loop).nin):
        s = step.source[j]
        if (0 <= s < LEAF and last[s] == i and where[s] >= SLOT
                and itemsize_of(group.step[s].code) == itemsize_of(step.code)):
            return where[s]
    return NOWHERE


cdef bint _is_streamed(const Group* group, const Plan* plan, int store) noexcept:
    cdef Py_ssize_t size = itemsize_of(group.operand[store].code)
    return plan.strides[store][plan.ndim - 1] == size and is_streamed(group.operand[store].size * size)


cdef bint _is_read(const Group* group, int store) noexcept:
    """Whether a leaf is in the memory of a store, so that the store must wait until all steps have run."""
    cdef int k
    for k in range(group.leaves):
        if group.operand[k].data == group.operand[store].data:
            return True
    return False


cdef int _place(const Group* group, const short* where, int source) noexcept:
    return source - LEAF if source >= LEAF else where[source]


cdef int _itemsize(const Group* group, bint* has_complex) noexcept:
    """The bytes of the largest value, or of an element that is read."""
    cdef int i, size = 1
    has_complex[0] = False
    for i in range(group.steps):
        size = max(size, itemsize_of(group.step[i].code))
        has_complex[0] = has_complex[0] or is_complex(group.step[i].code)
    for i in range(group.leaves):
        if group.operand[i].size > 1:
            size = max(size, itemsize_of(group.operand[i].code))
            has_complex[0] = has_complex[0] or is_complex(group.operand[i].code)
    return size


cdef int set_block(Program* program, const Group* group, const Plan* plan) except -1:
    cdef bint has_complex
    cdef int itemsize = _itemsize(group, &has_complex)
    cdef Py_ssize_t nbytes = VALUE_BYTES if program.slots <= 2 and not has_complex else SHORT_BYTES
    cdef Py_ssize_t elements = _block_elements if _block_elements else nbytes // itemsize
    program.columns = min(plan.shape[plan.ndim - 1], elements)
    program.rows = 1
    if plan.ndim > 1 and program.columns == plan.shape[plan.ndim - 1]:
        program.rows = min(plan.shape[plan.ndim - 2], max(elements // program.columns, 1))
    program.slot_bytes = (program.rows * program.columns * itemsize + 63) & ~<Py_ssize_t>63
    program.memory = NULL
    return 0


cdef void prepare(Program* program, const Group* group, const Plan* plan) noexcept:
    cdef Call* call
    program.last_rows = program.last_columns = 0
    _look_ahead(program, group, plan)
    cdef int i, k, where, row = plan.ndim - 2, column = plan.ndim - 1
    cdef Py_ssize_t itemsize
    for i in range(program.streams):
        program.stream_step[i] = plan.strides[program.stream_store[i]][row] if row >= 0 else 0
    for i in range(program.calls):
        call = &program.call[i]
        call.params.ndim = min(plan.ndim, 2)
        for k in range(MAX_OPERANDS + 1):
            where = call.where[k]
            if where == NOWHERE:
                continue
            if where >= SLOT:
                itemsize = 1 if k == MAX_OPERANDS else itemsize_of(call.params.dtype[k])
                call.params.strides[k][call.params.ndim - 1] = itemsize
                if row >= 0:
                    call.params.strides[k][0] = program.columns * itemsize
            else:
                call.params.strides[k][call.params.ndim - 1] = plan.strides[where][column]
                if row >= 0:
                    call.params.strides[k][0] = plan.strides[where][row]


cdef bint _comes_along(const Group* group, const Plan* plan, const Py_ssize_t* delta, int leaf) noexcept:
    """Whether another operand has the next block of a leaf in its block, or fetches the same."""
    cdef int k
    for k in range(group.leaves):
        if k != leaf and (abs(plan.data[leaf] + delta[leaf] - plan.data[k]) < TOGETHER
                          or k < leaf and delta[k] and abs(plan.data[leaf] - plan.data[k]) < TOGETHER):
            return True
    return False


cdef void _look_ahead(Program* program, const Group* group, const Plan* plan) noexcept:
    """Find what the next block reads, and how much of it to fetch at a time."""
    cdef Py_ssize_t[MAX_MEMORY] delta
    cdef Py_ssize_t size, nbytes, lines = 0, pieces = program.calls
    cdef int k, column = plan.ndim - 1, row = plan.ndim - 2
    cdef bint along = row < 0 or plan.shape[column] > program.columns
    program.aheads = 0
    for k in range(group.leaves):
        delta[k] = plan.strides[k][column] * program.columns if along else plan.strides[k][row] * program.rows
    for k in range(group.leaves):
        size = itemsize_of(group.operand[k].code)
        nbytes = program.columns * size
        if delta[k] == 0 or plan.strides[k][column] != size or _comes_along(group, plan, delta, k):
            continue
        if program.rows > 1:
            # Rows that do not lie together are not worth the instructions.
            if plan.strides[k][row] < nbytes or plan.strides[k][row] > 2 * nbytes:
                continue
            nbytes = program.rows * plan.strides[k][row]
        program.ahead[program.aheads].leaf = k
        program.ahead[program.aheads].delta = delta[k]
        program.ahead[program.aheads].nbytes = nbytes
        program.aheads += 1
        lines += (nbytes + LINE - 1) // LINE
    for k in range(program.streams):
        pieces += (program.rows * program.columns * program.stream_size[k] + STREAM_PIECE - 1) // STREAM_PIECE
    program.lines = (lines + pieces - 1) // pieces


cdef void _fetch(Program* program, char** data, Ahead* at) noexcept nogil:
    """Fetch some more lines of the next block; `at`: the number of the operand and how far it has come."""
    cdef Py_ssize_t left = program.lines * LINE, nbytes
    cdef const Ahead* ahead
    while left > 0 and at.leaf < program.aheads:
        ahead = &program.ahead[at.leaf]
        nbytes = min(left, ahead.nbytes - at.nbytes)
        fetch_ahead(data[ahead.leaf] + ahead.delta + at.nbytes, nbytes)
        left -= nbytes
        at.nbytes += nbytes
        if at.nbytes == ahead.nbytes:
            at.leaf += 1
            at.nbytes = 0


cdef void _bind(Program* program) noexcept nogil:
    """Set the addresses of slots, and note which operands move with the block."""
    cdef Call* call
    cdef int i, k, where
    for i in range(program.calls):
        call = &program.call[i]
        call.moving = 0
        for k in range(MAX_OPERANDS + 1):
            where = call.where[k]
            if where >= SLOT:
                _set_address(call, k, program.memory + (where - SLOT) * program.slot_bytes)
            elif where != NOWHERE:
                call.moves[call.moving] = k
                call.moving += 1


cdef inline void _set_address(Call* call, int k, char* address) noexcept nogil:
    if k == MAX_OPERANDS:
        call.params.mask = address
    else:
        call.params.data[k] = address


cdef void _set_shape(Program* program, Py_ssize_t rows, Py_ssize_t columns) noexcept nogil:
    cdef Call* call
    cdef int i
    for i in range(program.calls):
        call = &program.call[i]
        call.params.size = rows * columns
        call.params.shape[0] = rows
        call.params.shape[call.params.ndim - 1] = columns
    program.last_rows = rows
    program.last_columns = columns


cdef void run_block(Program* program, char** data, Py_ssize_t rows, Py_ssize_t columns) noexcept nogil:
    cdef Call* call
    cdef char* address
    cdef char* to
    cdef Ahead at
    cdef Py_ssize_t nbytes, done, _row
    cdef int i, k
    at.leaf = 0
    at.nbytes = 0
    if rows != program.last_rows or columns != program.last_columns:
        _set_shape(program, rows, columns)
    for i in range(program.calls):
        call = &program.call[i]
        for k in range(call.moving):
            _set_address(call, call.moves[k], data[call.where[call.moves[k]]])
        _fetch(program, data, &at)
        call.function(&call.params)
    for i in range(program.streams):
        address = program.memory + (program.stream_slot[i] - SLOT) * program.slot_bytes
        to = data[program.stream_store[i]]
        nbytes = columns * program.stream_size[i]
        for _row in range(rows):
            done = 0
            while done < nbytes:
                _fetch(program, data, &at)
                stream_copy(to + done, address + done, min(nbytes - done, STREAM_PIECE))
                done += STREAM_PIECE
            to += program.stream_step[i]
            address += program.columns * program.stream_size[i]


cdef Program* copy_program(const Program* program) noexcept nogil:
    cdef size_t nbytes = sizeof(Program) - (MAX_CALLS - program.calls) * sizeof(Call)
    cdef Program* own = <Program*>malloc(nbytes)
    if own == NULL:
        return NULL
    memcpy(own, program, nbytes)
    own.memory = NULL
    if program.slots:
        own.memory = <char*>aligned_alloc(64, program.slots * program.slot_bytes)
        if own.memory == NULL:
            free(own)
            return NULL
    _bind(own)
    return own


cdef char* result_of(const Program* program) noexcept nogil:
    return program.memory + (program.result - SLOT) * program.slot_bytes


cdef void free_copy(Program* program) noexcept nogil:
    free(program.memory)
    free(program)
