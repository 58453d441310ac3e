"""Groups with reductions along rows on the CPU device: some rows after the others, so that they stay in the cache.

All operations run on some rows before the next ones begin, by the host kernels that also run single operations. What
they compute is stored after that, since a value of a row may be needed where its elements were.
"""
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from gpunp.device cimport Device, Kernel
from gpunp.dtype_codes cimport itemsize_of
from gpunp.fusion.blocks cimport block_elements
from gpunp.fusion.folds cimport Fold
from gpunp.fusion.group cimport ABSENT, CONSTANT, KEPT, LEAF, MASK
from gpunp.fusion.row_groups cimport FOLD_OR_COLUMNS, FULL, OF_ROWS, ROW_STEPS, RowGroup, RowStep
from gpunp.reduction.plan cimport ROWS, ReduceParams
from gpunp.ufunc.plan cimport MAX_OPERANDS, SCALAR, STRIDED, ElementwiseParams, Loop

cdef extern from "<stdlib.h>" nogil:
    void* aligned_alloc(size_t alignment, size_t size)

ctypedef void (*HostFunction)(const void* params) noexcept nogil

cdef enum:
    # Bytes of the values of some rows, and most bytes of those of one row.
    SOME_BYTES = 1 << 18
    MOST_BYTES = 1 << 23

# Where an operand is: its first row, and the distance of rows, which is 0 in memory of the program.
cdef struct Source:
    char* data
    Py_ssize_t step

cdef struct Call:
    HostFunction function
    int count
    Source[MAX_OPERANDS + 1] source     # of the operands, then the mask
    Source kept
    ElementwiseParams params
    ReduceParams fold
    char* value
    Py_ssize_t row_bytes                # of the value


cdef struct Program:
    char* memory
    Py_ssize_t rows                     # that run together
    Call[ROW_STEPS] call


cdef Source _source_of(Program* program, const RowGroup* group, int origin, Py_ssize_t* strides, int* code) noexcept:
    """An operand's place, dtype and strides by row and by column."""
    cdef Source source
    cdef int kind
    if origin >= LEAF:
        kind, code[0] = group.leaf[origin - LEAF].kind, group.leaf[origin - LEAF].code
        source.data = group.data[origin - LEAF]
    else:
        kind, code[0] = group.step[origin].kind, group.step[origin].code
        source.data = program.call[origin].value
        if kind == FOLD_OR_COLUMNS:
            kind = OF_ROWS
    cdef Py_ssize_t size = itemsize_of(code[0])
    strides[0] = group.length * size if kind == FULL else size if kind == OF_ROWS else 0
    strides[1] = size if kind == FULL or kind == FOLD_OR_COLUMNS else 0
    source.step = strides[0] if origin >= LEAF else 0
    return source


cdef void _set_strides(Call* call, int k, const Py_ssize_t* strides, int ndim) noexcept:
    call.params.strides[k][0] = strides[0]
    if ndim == 2:
        call.params.strides[k][1] = strides[1]


cdef int _prepare(Program* program, Device device, const RowGroup* group, int i) except -1:
    """Set what the calls of a step have in common."""
    cdef const RowStep* step = &group.step[i]
    cdef Call* call = &program.call[i]
    cdef Py_ssize_t[2] strides
    cdef int j, s, code, ndim = 2 if step.kind == FULL else 1
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
    call.params.ndim = ndim
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
            _set_strides(call, j, strides, ndim)
    strides[0] = call.row_bytes
    strides[1] = itemsize_of(step.code)
    _set_strides(call, loop.nin, strides, ndim)
    call.params.dtype[loop.nin] = step.code
    call.source[MAX_OPERANDS].data = call.kept.data = NULL
    if step.source[MASK] != ABSENT:
        call.source[MAX_OPERANDS] = _source_of(program, group, step.source[MASK], strides, &code)
        _set_strides(call, MAX_OPERANDS, strides, ndim)
    if step.source[KEPT] != ABSENT:
        call.kept = _source_of(program, group, step.source[KEPT], strides, &code)
    return 0


cdef void _run(Call* call, Py_ssize_t first, Py_ssize_t rows, Py_ssize_t length) noexcept nogil:
    """Run a step on some rows."""
    cdef int j
    if call.count == 0:
        call.fold.data = call.source[0].data + first * call.source[0].step
        call.fold.out = call.value
        call.fold.outputs = call.fold.dims[0].extent = rows
        call.function(&call.fold)
        return
    call.params.shape[0] = rows
    call.params.size = rows
    if call.params.ndim == 2:
        call.params.shape[1] = length
        call.params.size *= length
    for j in range(call.count):
        if call.source[j].data != NULL:
            call.params.data[j] = call.source[j].data + first * call.source[j].step
    call.params.data[call.count] = call.value
    call.params.mask = NULL
    if call.source[MAX_OPERANDS].data != NULL:
        call.params.mask = call.source[MAX_OPERANDS].data + first * call.source[MAX_OPERANDS].step
    if call.kept.data != NULL:
        memcpy(call.value, call.kept.data + first * call.kept.step, rows * call.row_bytes)
    call.function(&call.params)


cdef void _run_rows(Program* program, const RowGroup* group, Py_ssize_t first, Py_ssize_t rows) noexcept nogil:
    cdef Call* call
    cdef int i, k
    for i in range(group.steps):
        _run(&program.call[i], first, rows, group.length)
    for k in range(group.leaves, group.memory):
        call = &program.call[group.stored[k]]
        memcpy(group.data[k] + first * call.row_bytes, call.value, rows * call.row_bytes)


cdef int _allocate(Program* program, const RowGroup* group) except -1:
    """Choose how many rows run together and allocate memory for their values; 0 if a row is too long."""
    cdef Py_ssize_t total = 0, offset = 0
    cdef int i
    for i in range(group.steps):
        program.call[i].row_bytes = itemsize_of(group.step[i].code)
        if group.step[i].kind == FULL:
            program.call[i].row_bytes *= group.length
        total += program.call[i].row_bytes
    if total > MOST_BYTES:
        return 0
    program.rows = max(1, block_elements() // group.length if block_elements() else SOME_BYTES // total)
    program.rows = min(program.rows, group.rows)
    program.memory = <char*>aligned_alloc(64, program.rows * total + 64 * (group.steps + 1) & ~<Py_ssize_t>63)
    if program.memory == NULL:
        raise MemoryError()
    for i in range(group.steps):
        program.call[i].value = program.memory + offset
        offset += (program.rows * program.call[i].row_bytes + 63) & ~<Py_ssize_t>63
    return 1


cdef int run_row_blocks(Device device, RowGroup* group) except -1:
    cdef Program* program = <Program*>malloc(sizeof(Program))
    cdef Py_ssize_t first = 0
    cdef int i
    if program == NULL:
        raise MemoryError()
    memset(program, 0, sizeof(Program))
    try:
        if not _allocate(program, group):
            return 0
        for i in range(group.steps):
            _prepare(program, device, group, i)
        with nogil:
            while first < group.rows:
                _run_rows(program, group, first, min(program.rows, group.rows - first))
                first += program.rows
    finally:
        free(program.memory)
        free(program)
    return 1
