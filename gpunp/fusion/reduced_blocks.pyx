"""Reductions of recorded operations on the CPU device: their elements stay in the cache.

A chunk of elements is computed into a buffer, and folded by the host kernel of the reduction before the next one is
computed. Chunks are 2^k blocks of the kernels' own loops, so that the bits are those of an array in memory.
"""
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from gpunp.custom.plan cimport Plan, make_plan
from gpunp.device cimport Device, Kernel
from gpunp.dtype_codes cimport F4, F8, I8, U8, itemsize_of
from gpunp.fusion.block_programs cimport HostFunction, Program, compile_group
from gpunp.fusion.blocks cimport (
    block_elements, copy_program, free_copy, prepare, result_of, run_block, set_block,
)
from gpunp.fusion.group cimport MAX_MEMORY, Group
from gpunp.fusion.shared_blocks cimport share
from gpunp.reduction.engine cimport Loops
from gpunp.reduction.plan cimport (
    REDUCE_DIVIDE, REDUCE_INITIAL, REDUCE_SKIP_NAN, REDUCE_SQRT, ROWS, Launch, ReduceParams)
from gpunp.ufunc.plan cimport Loop

cdef enum:
    # Elements that are folded one after the other: HOST_BLOCK of kernels/include/gpunp/reduction/blocks_host.h.
    AT_ONCE = 512
    # Elements of the shortest array that is worth it. Tests that make blocks short take arrays of any size.
    LEAST = 64 * AT_ONCE
    # Bytes of a chunk: short ones leave the least time between reads from memory.
    CHUNK_BYTES = 1 << 12
    # Of what is computed again for another use.
    MOST_LEAVES = 3
    MOST_STEPS = 8

cdef enum Ending:
    NONE
    TREE        # sums of floats: in pairs, as the kernel combines its chunks
    TOTAL       # sums of integers
    AGAIN       # the kernel folds the values of the chunks

# Another use of the elements computes them again, so units whose functions take longer than memory are left out.
cdef frozenset _CHEAP = frozenset(("arithmetic", "bitwise", "cast", "comparison", "floating", "internal", "logical"))

# What the threads share.
cdef struct Work:
    const Program* program
    const Plan* plan
    HostFunction fold
    const ReduceParams* params
    char* parts                     # the values of the chunks
    int part_size
    int64_t chunk                   # elements of each
    int64_t start                   # the first element, as the array may be a part of the value
    int64_t size
    bint no_memory                  # set if a thread got none


cdef Ending _ending(Loops loops, const ReduceParams* p) except *:
    """How the values of chunks are combined; NONE if the kernels' own accumulators say more than those values."""
    cdef str name
    if loops.fast is None:
        return NONE
    name, source, result = loops.fast[1].rsplit("_", 2)
    if name == "add":
        if source == result and p.out_dtype in (F4, F8) and p.in_dtype == p.out_dtype:
            return TREE
        if p.out_dtype in (I8, U8) and not p.flags & (REDUCE_DIVIDE | REDUCE_SQRT | REDUCE_INITIAL):
            return TOTAL
    if name in ("maximum", "minimum", "logical_and", "logical_or") and p.in_dtype == p.out_dtype:
        return AGAIN
    return NONE


cdef bint _is_cheap(const Group* group):
    cdef int i
    if group.leaves > MOST_LEAVES or group.steps > MOST_STEPS:
        return False
    for i in range(group.steps):
        if (<Loop>group.step[i].loop).unit.partition("_")[0] not in _CHEAP:
            return False
    return True


cdef void _run_chunks(void* context, int64_t begin, int64_t end) noexcept nogil:
    """Compute and fold chunks [begin, end)."""
    cdef Work* work = <Work*>context
    cdef const Plan* plan = work.plan
    cdef Program* own = copy_program(work.program)
    cdef char* data[MAX_MEMORY]
    cdef ReduceParams params = work.params[0]
    cdef int64_t i, first, count
    cdef int k
    if own == NULL:
        work.no_memory = True
        return
    params.data = result_of(own)
    for i in range(begin, end):
        first = i * work.chunk
        count = min(work.chunk, work.size - first)
        for k in range(plan.count):
            data[k] = plan.data[k] + (work.start + first) * plan.strides[k][0]
        run_block(own, data, 1, count)
        params.out = work.parts + i * work.part_size
        params.reduced = params.dims[0].extent = count
        work.fold(&params)
    free_copy(own)


cdef int64_t _chunk_of(Py_ssize_t columns) noexcept:
    """The elements of a chunk: as many as so many columns have room for."""
    cdef int64_t chunk = AT_ONCE
    while 2 * chunk <= columns:
        chunk *= 2
    return chunk


cdef double _tree(const char* parts, int64_t count, int size) noexcept nogil:
    """The sum of parts, combined like the carries of a binary counter."""
    cdef double[64] level
    cdef double a
    cdef int64_t i, carries
    cdef int k
    for i in range(count):
        a = (<const float*>parts)[i] if size == 4 else (<const double*>parts)[i]
        # The last part may have fewer blocks than the others: it stays apart, and is the first of the final sum.
        if i == count - 1:
            break
        k = 0
        carries = i
        while carries & 1:
            a = <float>(level[k] + a) if size == 4 else level[k] + a
            k += 1
            carries >>= 1
        level[k] = a
    carries = count - 1
    k = 0
    while carries:
        if carries & 1:
            a = <float>(level[k] + a) if size == 4 else level[k] + a
        k += 1
        carries >>= 1
    return a


cdef int _finish(Work* work, const ReduceParams* p, Ending ending, int64_t chunks) except -1:
    """Combine the values of the chunks, and store the result."""
    cdef ReduceParams params = p[0]
    cdef double total
    cdef float single
    cdef int64_t whole = 0, i
    params.data = work.parts
    if ending == TOTAL:
        for i in range(chunks):
            whole += (<int64_t*>work.parts)[i]
        (<int64_t*>p.out)[0] = whole
        return 0
    params.reduced = params.dims[0].extent = chunks
    if ending == TREE:
        total = _tree(work.parts, chunks, work.part_size)
        single = <float>total
        if work.part_size == 4:
            memcpy(work.parts, &single, 4)
        else:
            memcpy(work.parts, &total, 8)
        # Its division, its square root and its initial value are left to the kernel. A sum that is NaN stays.
        params.flags &= ~REDUCE_SKIP_NAN
        params.reduced = params.dims[0].extent = 1
    work.fold(&params)
    return 0


cdef int reduce_blocks(Device device, const Group* group, Loops loops, const Launch* launch,
                       const ReduceParams* p) except -1:
    cdef Plan plan
    cdef Work work
    cdef ReduceParams params = p[0]
    cdef Program* program
    cdef Kernel kernel
    cdef Ending ending
    cdef int64_t chunks
    if (launch.variant != ROWS or p.outputs != 1 or p.kept_ndim or p.reduced_ndim != 1
            or p.dims[0].stride != itemsize_of(p.in_dtype) or p.reduced <= LEAST and not block_elements()):
        return 0
    ending = _ending(loops, p)
    if ending == NONE or not _is_cheap(group):
        return 0
    make_plan(&plan, group.operand, group.leaves, group.ndim, group.shape, True, 0, 0, 1)
    if plan.ndim != 1:
        return 0
    work.part_size = itemsize_of(p.out_dtype)
    program = <Program*>malloc(sizeof(Program))
    if program == NULL:
        raise MemoryError()
    work.parts = NULL
    try:
        compile_group(program, device, group, &plan)
        set_block(program, group, &plan)
        # A block that tests have made shorter than one of the kernels.
        program.columns = max(program.columns, AT_ONCE)
        program.slot_bytes = max(program.slot_bytes, <Py_ssize_t>AT_ONCE * 16)
        work.chunk = program.columns = _chunk_of(min(program.columns, CHUNK_BYTES // itemsize_of(p.in_dtype)))
        prepare(program, group, &plan)
        chunks = (p.reduced + work.chunk - 1) // work.chunk
        work.parts = <char*>malloc(chunks * work.part_size)
        if work.parts == NULL:
            raise MemoryError()
        kernel = loops.kernel(device, ROWS)
        params.flags &= ~(REDUCE_DIVIDE | REDUCE_SQRT | REDUCE_INITIAL)
        work.program = program
        work.plan = &plan
        work.fold = <HostFunction>kernel.function
        work.params = &params
        work.start = <int64_t>p.data // itemsize_of(p.in_dtype)
        work.size = p.reduced
        work.no_memory = False
        share(device, _run_chunks, &work, chunks, work.chunk * (program.calls + 1))
        if work.no_memory:
            raise MemoryError()
        _finish(&work, p, ending, chunks)
    finally:
        free(work.parts)
        free(program)
    return 1
