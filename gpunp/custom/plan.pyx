"""The loop of an elementwise kernel: which axes it has, and how each operand is accessed along the last one.

The engine of the ufuncs plans for kernels that are compiled already, which take any role at run time. Here the
roles are part of the source, so there are fewer of them, and no limits on operands and axes.
"""
from gpunp.array.axes cimport merge_axes, sort_axes
from gpunp.dtype_codes cimport itemsize_of
from gpunp.ufunc.plan cimport Operand


cdef bint _is_dense(const Operand* operands, int count, long long size, bint ordered) noexcept nogil:
    """Whether one axis covers all operands: all have the same dense order."""
    cdef bint c_order = True, f_order = not ordered
    cdef int k
    for k in range(count):
        if operands[k].size != size:
            return False
        c_order = c_order and operands[k].c_contiguous
        f_order = f_order and operands[k].f_contiguous
    return c_order or f_order


cdef void _follow(Plan* plan, int leader) noexcept nogil:
    """Turn and sort the axes so that the operand ``leader`` is traversed in the order of its addresses."""
    cdef int d, k
    for d in range(plan.ndim):
        if plan.strides[leader][d] < 0:
            for k in range(plan.count):
                plan.data[k] += plan.strides[k][d] * (plan.shape[d] - 1)
                plan.strides[k][d] = -plan.strides[k][d]
    sort_axes(plan.ndim, plan.shape, plan.strides, plan.count, leader)


cdef void _layout(Plan* plan, const Operand* operands, int ndim, const Py_ssize_t* shape, bint ordered,
                  int leader) noexcept nogil:
    """Set shape and strides: 0 where an operand is broadcast; axes of length one are dropped, the rest merged."""
    cdef int d, e, k
    plan.ndim = 0
    for d in range(ndim):
        if shape[d] == 1:
            continue
        plan.shape[plan.ndim] = shape[d]
        for k in range(plan.count):
            e = d - (ndim - operands[k].ndim)
            plan.strides[k][plan.ndim] = 0 if e < 0 or operands[k].shape[e] == 1 else operands[k].strides[e]
        plan.ndim += 1
    if not ordered and plan.ndim and plan.count:
        _follow(plan, leader)
    plan.ndim = merge_axes(plan.ndim, plan.shape, plan.strides, plan.count)
    if plan.ndim == 0:
        plan.ndim = plan.shape[0] = 1
        for k in range(plan.count):
            plan.strides[k][0] = 0


cdef bint _aligned(const Plan* plan, int k, int width) noexcept nogil:
    """Whether every row of an operand starts at the boundary of a vector."""
    cdef size_t mask = min(16, width * plan.itemsize[k]) - 1
    cdef int d
    if <size_t>plan.data[k] & mask:
        return False
    for d in range(plan.ndim - 1):
        if plan.strides[k][d] & mask:
            return False
    return True


cdef int make_plan(Plan* plan, const Operand* operands, int count, int ndim, const Py_ssize_t* shape, bint ordered,
                   int leader, unsigned long long in_memory, int width) except -1:
    cdef int d, k, last
    cdef bint vectors = False, even = True
    plan.count = count
    plan.size = 1
    for d in range(ndim):
        plan.size *= shape[d]
    for k in range(count):
        plan.data[k] = operands[k].data
        plan.itemsize[k] = itemsize_of(operands[k].code)
    if _is_dense(operands, count, plan.size, ordered):
        plan.ndim = 1
        plan.shape[0] = plan.size
        for k in range(count):
            plan.strides[k][0] = plan.itemsize[k]
    else:
        _layout(plan, operands, ndim, shape, ordered, leader)
    last = plan.ndim - 1
    for k in range(count):
        if in_memory >> k & 1:
            plan.roles[k] = ELEMENTWISE_IN_MEMORY
            even = False
        elif plan.strides[k][last] == 0:
            plan.roles[k] = ELEMENTWISE_SPREAD
        elif plan.strides[k][last] != plan.itemsize[k]:
            plan.roles[k] = ELEMENTWISE_STRIDED
            even = False
        elif width > 1 and _aligned(plan, k, width):
            plan.roles[k] = ELEMENTWISE_ALIGNED
            vectors = True
        else:
            plan.roles[k] = ELEMENTWISE_UNIT
    # Threads that take several elements each would only spread the accesses of the other operands.
    plan.width = width if vectors and even else 1
    if plan.width == 1:
        for k in range(count):
            if plan.roles[k] == ELEMENTWISE_ALIGNED:
                plan.roles[k] = ELEMENTWISE_UNIT
    plan.chunks = plan.size // plan.shape[last] * ((plan.shape[last] + plan.width - 1) // plan.width)
    plan.wide = plan.ndim > 1 and plan.chunks > 0xffffffff
    return 0


cdef bint is_transposed(const Plan* plan, int operand) noexcept:
    """Whether an operand is contiguous along another axis than the last one."""
    cdef int d, last = plan.ndim - 1
    if plan.roles[operand] != ELEMENTWISE_STRIDED or plan.shape[last] < 8:
        return False
    for d in range(last):
        if plan.strides[operand][d] == plan.itemsize[operand] and plan.shape[d] >= 8:
            return True
    return False


cdef int pack_plan(long long* words, const Plan* plan) noexcept:
    cdef int d, k, w = ELEMENTWISE_SHAPE
    words[ELEMENTWISE_SIZE] = plan.size
    words[ELEMENTWISE_CHUNKS] = plan.chunks
    for d in range(plan.ndim):
        words[w + d] = plan.shape[d]
    w += plan.ndim
    for k in range(plan.count):
        words[w] = <long long>plan.data[k]
        for d in range(plan.ndim):
            words[w + 1 + d] = plan.strides[k][d]
        w += 1 + plan.ndim
    return w
