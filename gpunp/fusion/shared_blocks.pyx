"""Groups on the CPU device: threads share the blocks, each with memory for intermediate values of its own."""
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc

from gpunp.custom.plan cimport Plan, make_plan
from gpunp.device cimport Device, Kernel
from gpunp.fusion.block_programs cimport HostFunction, Program, compile_group
from gpunp.fusion.blocks cimport copy_program, finish_streams, free_copy, prepare, run_block, set_block
from gpunp.fusion.group cimport MAX_MEMORY, Group

cdef enum:
    SHARED_COST = 1 << 15       # operations on elements that are worth a thread


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
