"""Groups on the CPU device: block by block, so that intermediate values stay in the cache.

A block is a part of the iteration space of one or two dimensions. Every operation of the group runs on it before the
next block begins, by the host kernels that also run single operations. Threads share the blocks, each with memory for
intermediate values of its own.
"""
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from gpunp.custom.plan cimport Plan, make_plan
from gpunp.device cimport Device, Kernel
from gpunp.dtype_codes cimport itemsize_of
from gpunp.fusion.group cimport ABSENT, CONSTANT, KEPT, LEAF, MASK, MAX_MEMORY, MAX_STEPS, Group, Step
from gpunp.ufunc.plan cimport MAX_OPERANDS, SCALAR, STRIDED, Loop, copy_loop

cdef extern from "<stdlib.h>" nogil:
    void* aligned_alloc(size_t alignment, size_t size)

cdef enum:
    NOWHERE = -1
    SLOT = 64                   # operand numbers from here on are slots, others are places in memory
    SHARED_COST = 1 << 15       # operations on elements that are worth a thread
    # Bytes of one intermediate value of a block: two of them fit the L1 cache, or four short ones.
    VALUE_BYTES = 1 << 14
    SHORT_BYTES = 1 << 13

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


# As in kernels/host/pool.cpp.
cdef struct PoolParams:
    int64_t n
    int64_t grain
    void (*body)(void* context, int64_t begin, int64_t end) noexcept nogil
    void* context


# What the threads share.
cdef struct Work:
    const Program* program
    const Plan* plan
    bint no_memory                  # set if a thread got none


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
            if 0 <= s < LEAF and last[s] == i and where[s] >= SLOT:
                free_slot[where[s] - SLOT] = True
    for j in range(program.streams):
        i = group.stored[program.stream_store[j]]
        program.stream_slot[j] = where[i]
        program.stream_size[j] = itemsize_of(group.step[i].code)
    for j in range(late_count):
        k = late[j]
        i = group.stored[k]
        _add_copy(program, device, group.step[i].code, where[i], k)
    return 0


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


cdef int _itemsize(const Group* group) noexcept:
    """The bytes of the largest value."""
    cdef int i, size = 1
    for i in range(group.steps):
        size = max(size, itemsize_of(group.step[i].code))
    return size


cdef int set_block(Program* program, const Group* group, const Plan* plan) except -1:
    cdef int itemsize = _itemsize(group)
    cdef Py_ssize_t nbytes = VALUE_BYTES if program.slots <= 2 else SHORT_BYTES
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


cdef void run_block(Program* program, char** data, Py_ssize_t rows, Py_ssize_t columns) noexcept nogil:
    cdef Call* call
    cdef char* address
    cdef int i, k, where
    for i in range(program.calls):
        call = &program.call[i]
        call.params.size = rows * columns
        call.params.shape[0] = rows
        call.params.shape[call.params.ndim - 1] = columns
        for k in range(MAX_OPERANDS + 1):
            where = call.where[k]
            if where == NOWHERE:
                continue
            address = program.memory + (where - SLOT) * program.slot_bytes if where >= SLOT else data[where]
            if k == MAX_OPERANDS:
                call.params.mask = address
            else:
                call.params.data[k] = address
        call.function(&call.params)
    for i in range(program.streams):
        address = program.memory + (program.stream_slot[i] - SLOT) * program.slot_bytes
        for k in range(rows):
            stream_copy(data[program.stream_store[i]] + k * program.stream_step[i],
                        address + k * program.columns * program.stream_size[i], columns * program.stream_size[i])


cdef Py_ssize_t _step_of(const Program* program, const Plan* plan, int d) noexcept nogil:
    """The extent of a block along a dimension."""
    return program.columns if d == plan.ndim - 1 else program.rows if d == plan.ndim - 2 else 1


cdef Py_ssize_t _count_blocks(const Program* program, const Plan* plan) noexcept nogil:
    cdef Py_ssize_t count = 1, step
    cdef int d
    for d in range(plan.ndim):
        step = _step_of(program, plan, d)
        count *= (plan.shape[d] + step - 1) // step
    return count


cdef void _run_range(Program* program, const Plan* plan, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Run the calls on blocks [begin, end), the last axis fastest."""
    cdef Py_ssize_t[64] at
    cdef char* data[MAX_MEMORY]
    cdef int d, k, column = plan.ndim - 1
    cdef Py_ssize_t rows, columns, step, count, _block, rest = begin
    for d in range(column, -1, -1):
        step = _step_of(program, plan, d)
        count = (plan.shape[d] + step - 1) // step
        at[d] = rest % count * step
        rest = rest // count
    for _block in range(begin, end):
        for k in range(plan.count):
            data[k] = plan.data[k]
            for d in range(plan.ndim):
                data[k] += at[d] * plan.strides[k][d]
        columns = min(program.columns, plan.shape[column] - at[column])
        rows = 1 if column == 0 else min(program.rows, plan.shape[column - 1] - at[column - 1])
        run_block(program, data, rows, columns)
        d = column
        while d >= 0:
            at[d] += _step_of(program, plan, d)
            if at[d] < plan.shape[d]:
                break
            at[d] = 0
            d -= 1


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
    return own


cdef void free_copy(Program* program) noexcept nogil:
    free(program.memory)
    free(program)


cdef void _run_share(void* context, int64_t begin, int64_t end) noexcept nogil:
    """Run some blocks by calls and memory of their own."""
    cdef Work* work = <Work*>context
    cdef Program* own = copy_program(work.program)
    if own == NULL:
        work.no_memory = True
        return
    _run_range(own, work.plan, begin, end)
    finish_streams()
    free_copy(own)


cdef int share(Device device, void (*body)(void*, int64_t, int64_t) noexcept nogil, void* context, Py_ssize_t count,
               Py_ssize_t cost) except -1:
    cdef PoolParams params
    cdef HostFunction function
    cdef Kernel pool
    if count <= 1:
        with nogil:
            body(context, 0, count)
        return 0
    pool = device.kernel("pool", "pool_run")
    function = <HostFunction>pool.function
    params.n = count
    params.grain = max(SHARED_COST // max(cost, 1), 1)
    params.body = body
    params.context = context
    with nogil:
        function(&params)
    return 0


cdef bint run_blocks(Device device, Group* group) except -1:
    cdef Plan plan
    cdef Work work
    cdef Program* program = <Program*>malloc(sizeof(Program))
    if program == NULL:
        raise MemoryError()
    try:
        make_plan(&plan, group.operand, group.memory, group.ndim, group.shape, False, group.leaves, 0, 1)
        compile_group(program, device, group, &plan)
        set_block(program, group, &plan)
        prepare(program, group, &plan)
        work.program = program
        work.plan = &plan
        work.no_memory = False
        share(device, _run_share, &work, _count_blocks(program, &plan), program.rows * program.columns * program.calls)
        if work.no_memory:
            raise MemoryError()
    finally:
        free(program)
    return True
