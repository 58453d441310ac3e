"""What is done with each block of a group on the CPU device: calls of host kernels, and where their operands are."""
from libc.string cimport memcpy, memset

from gpunp.custom.plan cimport Plan
from gpunp.device cimport Device
from gpunp.dtype_codes cimport itemsize_of
from gpunp.fusion.blocks cimport is_streamed
from gpunp.fusion.group cimport ABSENT, CONSTANT, KEPT, LEAF, MASK, MAX_MEMORY, MAX_STEPS, Group, Step
from gpunp.ufunc.plan cimport MAX_OPERANDS, SCALAR, STRIDED, Loop, copy_loop


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
