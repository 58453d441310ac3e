"""Groups on the CPU device: block by block, so that intermediate values stay in the cache.

A block is a part of the iteration space of one or two dimensions. Every operation of the group runs on it before the
next block begins, by the host kernels that also run single operations. Meanwhile the next block is fetched from memory,
a few lines at a time: a processor waits for longer runs of them.
"""
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from gpunp.custom.plan cimport Plan
from gpunp.dtype_codes cimport is_complex, itemsize_of
from gpunp.fusion.block_programs cimport MAX_CALLS, NOWHERE, SLOT, Ahead, Call
from gpunp.fusion.group cimport MAX_MEMORY, Group
from gpunp.ufunc.plan cimport MAX_OPERANDS

cdef enum:
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
