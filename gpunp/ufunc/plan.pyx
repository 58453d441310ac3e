"""From operands to launches: broadcast, order and merge axes, choose the kernel variant."""
import importlib

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdint cimport uint32_t
from libc.string cimport memcpy, memset

from gpunp.array.axes cimport merge_axes, sort_axes
from gpunp.array.division cimport set_divider
from gpunp.array.ndarray cimport MAX_NDIM
from gpunp.array.strides cimport product
from gpunp.device cimport RESERVED, Buffer, Device, provide
from gpunp.dtype_codes cimport NUM_DTYPES, is_inexact, itemsize_of
from gpunp.status cimport GPUNP_STATUS_NEGATIVE_POWER
from gpunp.ufunc.streaming cimport launch_large, may_be_streamed
from gpunp.watching cimport watches, written

from gpunp.deferring import refuse_nested_use
from gpunp.device import register_report
from gpunp.dtype_codes import NAMES
from gpunp.ufunc.table.row import LONG, unit_of

cdef enum:
    HELD_ELEMENTS = 1024

ctypedef void (*HostFunction)(const void* params) noexcept nogil

register_report(
    GPUNP_STATUS_NEGATIVE_POWER, ValueError,
    "integers to negative integer powers are not allowed; make the base or the exponent floating point")

# Loops of the internal op "copy", by dtype code.
cdef list _copy_loops = [None] * NUM_DTYPES


# Kernels (vector, strided, tiled) by loop and device; both live as long as the process.
cdef dict _kernels = {}


cdef class Loop:
    def __init__(self, str unit, str symbol, codes, int nin, bint tiled=False, bint strided=True):
        cdef int i, largest = 1, smallest = 16
        self.unit = unit
        self.symbol = symbol
        self.nin = nin
        self.nout = len(codes) - nin
        self.has_tiled = tiled
        self.has_strided = strided
        self.has_vector = unit not in LONG
        # Only integer powers report errors; other kernels do not use the status word.
        self.copies = unit.startswith("internal") and symbol.startswith("copy_")
        self.reports = symbol.startswith("power_") and not is_inexact(codes[0])
        for i in range(len(codes)):
            self.codes[i] = codes[i]
            largest = max(largest, itemsize_of(codes[i]))
            smallest = min(smallest, itemsize_of(codes[i]))
        self.width = elementwise_width(largest, smallest)
        # As `vectors_at_once` of kernels/include/gpunp/ufunc/elementwise_device.h.
        wide = nin > 2 and self.width * itemsize_of(codes[nin]) > 16
        self.vectors = 1 if wide else elementwise_vectors(largest)
        self.device = None

    @property
    def dtype_codes(self):
        """Codes of the operands' dtypes: inputs, then outputs."""
        return tuple([self.codes[i] for i in range(self.nin + self.nout)])

    cdef int attach(self, Device device) except -1:
        """Look up the kernels on a device; cheap if the device is the one used last."""
        cdef Kernel vector = None, strided = None, tiled = None
        cdef object found
        if self.device is device:
            return 0
        found = _kernels.get((self, <size_t><void*>device))
        if found is not None:
            # Threads that use several GPUs come here at each call.
            self.vector, self.strided, self.tiled = <tuple>found
            self.device = device
            return 0
        if device.is_cpu:
            vector = strided = tiled = device.kernel(self.unit, self.symbol)
        else:
            if self.has_vector:
                vector = device.kernel(self.unit, self.symbol + "_vector")
            if self.has_strided:
                strided = device.kernel(self.unit, self.symbol + "_strided")
            if self.has_tiled:
                tiled = device.kernel(self.unit, self.symbol + "_tiled")
        _kernels[self, <size_t><void*>device] = vector, strided, tiled
        # Loading lets other threads run: set the fields only once all kernels are loaded.
        self.vector, self.strided, self.tiled = vector, strided, tiled
        self.device = device
        return 0


cdef int _import_and_record(Loop loop, Device device, const ElementwiseParams* params, const Operand* operands,
                            const Operand* mask, int ndim, const Py_ssize_t* shape) except -1:
    """Import fusion at the first operation that may be deferred; the import sets the hook."""
    importlib.import_module("gpunp.fusion.trace")
    return fusion_hooks.record(loop, device, params, operands, mask, ndim, shape)


fusion_hooks.record = _import_and_record


cdef Loop copy_loop(int code):
    if _copy_loops[code] is None:
        name = NAMES[code]
        _copy_loops[code] = Loop(unit_of("internal", name), f"copy_{name}", (code, code), 1, tiled=True)
    return <Loop>_copy_loops[code]


# The dimensions of a launch while they are sorted and merged.
cdef struct Plan:
    int ndim
    Py_ssize_t[MAX_NDIM] shape
    Py_ssize_t[8][MAX_NDIM] strides     # of the operands; those of the mask are at MAX_OPERANDS


cdef void _broadcast_strides(Plan* plan, int row, const Operand* operand, int ndim,
                             const int* kept) noexcept nogil:
    """Byte strides of one operand along the kept axes; 0 where it is broadcast."""
    cdef int i, d, offset = ndim - operand.ndim
    for i in range(plan.ndim):
        d = kept[i] - offset
        plan.strides[row][i] = 0 if d < 0 or operand.shape[d] == 1 else operand.strides[d]


cdef int settle(Operand* operand, bint output) except -1:
    cdef Buffer buffer
    if operand.scalar:
        return 0
    buffer = <Buffer>operand.buffer
    if watches and (output or buffer.writes):
        written(buffer)
    if buffer.uses if output else buffer.writes:
        if buffer.device.flush() and (buffer.uses if output else buffer.writes):
            refuse_nested_use()
    if <size_t>operand.data >= RESERVED:
        provide(buffer)
        operand.data = <char*>buffer.ptr + (<size_t>operand.data - buffer.reserved)
    return 0


cdef int execute(Loop loop, Device device, ElementwiseParams* params, Operand* operands, Operand* mask,
                 int ndim, const Py_ssize_t* shape) except -1:
    cdef int k
    cdef Py_ssize_t size = product(ndim, shape)
    if size == 0:
        return 0
    # Small ones may take the results of deferred reductions.
    if ((size >= device.deferred_elements or device.pending)
            and fusion_hooks.record(loop, device, params, operands, mask, ndim, shape)):
        return 0
    for k in range(loop.nin + loop.nout):
        settle(&operands[k], output=k >= loop.nin)
    if mask != NULL:
        settle(mask, output=False)
    return execute_now(loop, device, params, operands, mask, ndim, shape)


cdef int execute_now(Loop loop, Device device, ElementwiseParams* params, Operand* operands, Operand* mask,
                     int ndim, const Py_ssize_t* shape) except -1:
    cdef int count = loop.nin + loop.nout
    cdef int k, d, n
    cdef Py_ssize_t size = product(ndim, shape)
    cdef bint dense = mask == NULL, dense_f = mask == NULL
    cdef Plan plan
    cdef int[64] kept
    params.size = size
    params.status = device.report_word("power") if loop.reports else NULL
    params.mask = NULL
    for k in range(count):
        params.data[k] = operands[k].data
        params.dtype[k] = operands[k].code
        params.role[k] = SCALAR if operands[k].scalar else STRIDED
        if not operands[k].scalar:
            if operands[k].size != size:
                dense = dense_f = False
            else:
                dense = dense and operands[k].c_contiguous
                dense_f = dense_f and operands[k].f_contiguous
    if (dense or dense_f) and loop.copies and params.dtype[0] == params.dtype[1] and not operands[0].scalar:
        return device.copy_within(operands[1].data, operands[0].data, size * itemsize_of(params.dtype[0]))
    loop.attach(device)
    if dense or dense_f:
        # All operands have the same dense order: one axis covers them.
        params.ndim = 1
        params.shape[0] = size
        for k in range(count):
            params.strides[k][0] = 0 if operands[k].scalar else itemsize_of(operands[k].code)
        params.strides[MAX_OPERANDS][0] = 0
        return _launch(loop, device, params)
    n = 0
    for d in range(ndim):
        if shape[d] != 1:
            kept[n] = d
            plan.shape[n] = shape[d]
            n += 1
    plan.ndim = n
    memset(plan.strides, 0, sizeof(plan.strides))
    for k in range(count):
        if not operands[k].scalar:
            _broadcast_strides(&plan, k, &operands[k], ndim, kept)
    if mask != NULL:
        params.mask = mask.data
        _broadcast_strides(&plan, MAX_OPERANDS, mask, ndim, kept)
    # The strides of the first output determine the direction and the order of the axes.
    for d in range(plan.ndim):
        if plan.strides[loop.nin][d] < 0:
            for k in range(count):
                params.data[k] += plan.strides[k][d] * (plan.shape[d] - 1)
                plan.strides[k][d] = -plan.strides[k][d]
            if params.mask != NULL:
                params.mask += plan.strides[MAX_OPERANDS][d] * (plan.shape[d] - 1)
            plan.strides[MAX_OPERANDS][d] = -plan.strides[MAX_OPERANDS][d]
    sort_axes(n, plan.shape, plan.strides, MAX_OPERANDS + 1, loop.nin)
    plan.ndim = merge_axes(n, plan.shape, plan.strides, MAX_OPERANDS + 1)
    if plan.ndim == 0:
        plan.ndim = plan.shape[0] = 1
    return _split(loop, device, params, &plan, 0)


cdef int _split(Loop loop, Device device, ElementwiseParams* params, Plan* plan, int first) except -1:
    """Loop on the host over leading axes beyond the MAX_DIMS of one launch."""
    cdef int d, k
    cdef Py_ssize_t _i, size = 1
    if plan.ndim - first > MAX_DIMS:
        for _i in range(plan.shape[first]):
            _split(loop, device, params, plan, first + 1)
            for k in range(loop.nin + loop.nout):
                params.data[k] += plan.strides[k][first]
            if params.mask != NULL:
                params.mask += plan.strides[MAX_OPERANDS][first]
        for k in range(loop.nin + loop.nout):
            params.data[k] -= plan.strides[k][first] * plan.shape[first]
        if params.mask != NULL:
            params.mask -= plan.strides[MAX_OPERANDS][first] * plan.shape[first]
        return 0
    params.ndim = plan.ndim - first
    for d in range(params.ndim):
        params.shape[d] = plan.shape[first + d]
        size *= plan.shape[first + d]
        for k in range(MAX_OPERANDS + 1):
            params.strides[k][d] = plan.strides[k][first + d]
    params.size = size
    return _launch(loop, device, params)


cdef inline bint _is_unit(const ElementwiseParams* params, int k, int d) noexcept nogil:
    return params.strides[k][d] == itemsize_of(params.dtype[k])


cdef bint _aligned(const ElementwiseParams* params, int k, int width, int skip) noexcept nogil:
    """Whether vectors of operand ``k`` along axis ``skip`` are aligned at every index of the other axes."""
    cdef size_t mask = min(16, width * itemsize_of(params.dtype[k])) - 1
    cdef int d
    if <size_t>params.data[k] & mask:
        return False
    for d in range(params.ndim):
        if d != skip and params.strides[k][d] & mask:
            return False
    return True


cdef int _launch(Loop loop, Device device, ElementwiseParams* params) except -1:
    cdef int count = loop.nin + loop.nout
    cdef int last = params.ndim - 1
    cdef int k, across = -1
    cdef bint converted = params.mask != NULL, unit = params.mask == NULL and loop.has_vector, other, whole
    cdef long long rows, chunks, each
    cdef uint32_t magic, shift
    # Another thread may have attached the loop to its device while this one waited or copied.
    loop.attach(device)
    if device.is_cpu:
        if params.size <= HELD_ELEMENTS and not loop.reports:
            # To give up the interpreter's lock and to take it again costs more than the loop.
            (<HostFunction>loop.vector.function)(params)
            return 0
        # Elements have at most 16 bytes.
        if may_be_streamed(params.size * 16 * count, loop.symbol):
            return launch_large(device, loop.vector.function, params, loop.nin, itemsize_of(params.dtype[loop.nin]))
        device.start(loop.vector, 1, 1, 1, 1, 0, params, sizeof(ElementwiseParams))
        return 0
    for k in range(count):
        if params.role[k] == SCALAR:
            continue
        params.role[k] = STRIDED
        other = params.dtype[k] != loop.codes[k]
        converted = converted or other
        if params.strides[k][last] == 0 and k < loop.nin:
            params.role[k] = SPREAD
            unit = unit and not other
        elif not _is_unit(params, k, last):
            unit = False
    if unit:
        for k in range(count):
            if params.role[k] == STRIDED:
                whole = params.dtype[k] == loop.codes[k] and _aligned(params, k, loop.width, last)
                params.role[k] = ALIGNED if whole else UNALIGNED
        rows = params.size // params.shape[last]
        chunks = (params.shape[last] + loop.width - 1) // loop.width
        # What kernels/include/gpunp/ufunc/elementwise_device.h expects in place of the strides of a mask.
        set_divider(chunks, &magic, &shift)
        chunks *= rows
        params.strides[MAX_OPERANDS][0] = chunks
        params.strides[MAX_OPERANDS][1] = magic
        params.strides[MAX_OPERANDS][2] = shift
        each = ELEMENTWISE_BLOCK * loop.vectors
        device.start(loop.vector, (chunks + each - 1) // each, 1, 1, ELEMENTWISE_BLOCK, 0, params,
                     sizeof(ElementwiseParams))
        return 0
    if not converted and last > 0:
        across = _transposed_axis(loop, params)
        if across >= 0 and loop.has_tiled:
            return _launch_tiled(loop, device, params, across)
        if across >= 0 and loop.nout == 1 and params.size >= device.tuning.transposed_copy_elements:
            return _launch_copied(loop, device, params)
    return _launch_strided(loop, device, params)


cdef int _transposed_axis(Loop loop, ElementwiseParams* params) noexcept:
    """The axis along which all inputs that are not contiguous along the last axis are contiguous, or -1."""
    cdef int last = params.ndim - 1
    cdef int k, d, found = -1
    if not _is_unit(params, loop.nin, last):
        return -1
    for k in range(loop.nin):
        if params.role[k] != STRIDED or _is_unit(params, k, last):
            continue
        for d in range(last - 1, -1, -1):
            if _is_unit(params, k, d) and params.shape[d] > 1:
                break
        else:
            return -1
        if found >= 0 and found != d:
            return -1
        found = d
    # Narrow matrices would leave most of a tile empty.
    if found >= 0 and (params.shape[found] < 8 or params.shape[last] < 8):
        return -1
    return found


cdef int _launch_tiled(Loop loop, Device device, ElementwiseParams* params, int across) except -1:
    cdef int count = loop.nin + loop.nout
    cdef int last = params.ndim - 1
    cdef int width = min(loop.width, <int>ELEMENTWISE_TILE_WIDTH)
    cdef int k, d
    cdef long long batch = 1, tiles
    # Move the axis `across` next to the last one.
    for d in range(across, last - 1):
        params.shape[d], params.shape[d + 1] = params.shape[d + 1], params.shape[d]
        for k in range(MAX_OPERANDS + 1):
            params.strides[k][d], params.strides[k][d + 1] = params.strides[k][d + 1], params.strides[k][d]
    for d in range(last - 1):
        batch *= params.shape[d]
    params.vector_ok = True
    for k in range(count):
        if params.role[k] == SCALAR or params.role[k] == SPREAD:
            continue
        if _is_unit(params, k, last):
            params.role[k] = ALIGNED
            params.vector_ok = params.vector_ok and _aligned(params, k, width, last)
        else:
            params.role[k] = ACROSS
            params.vector_ok = params.vector_ok and _aligned(params, k, width, last - 1)
    tiles = ((params.shape[last - 1] + 16 * width - 1) // (16 * width)
             * ((params.shape[last] + 16 * width - 1) // (16 * width)))
    if batch > 65535 or tiles > 0x7fffffff:
        # More batches or tiles than the grid's limits in y and x.
        return _launch_strided(loop, device, params)
    device.start(loop.tiled, tiles, batch, 1, ELEMENTWISE_BLOCK, 0, params, sizeof(ElementwiseParams))
    return 0


cdef int _launch_strided(Loop loop, Device device, ElementwiseParams* params) except -1:
    """Launch the kernel for any layout, dtype and mask, with one element per thread."""
    cdef int k
    if loop.strided is None:
        raise RuntimeError(f"{loop.symbol} has no kernel for this layout")
    for k in range(loop.nin + loop.nout):
        if params.role[k] != SCALAR:
            params.role[k] = STRIDED
    device.start(loop.strided, (params.size + ELEMENTWISE_BLOCK - 1) // ELEMENTWISE_BLOCK, 1, 1,
                 ELEMENTWISE_BLOCK, 0, params, sizeof(ElementwiseParams))
    return 0


cdef int _launch_copied(Loop loop, Device device, ElementwiseParams* params) except -1:
    """Copy transposed inputs into the order of the output first: two coalesced passes beat a strided one."""
    cdef int last = params.ndim - 1
    cdef int k, d, code
    cdef Py_ssize_t step
    cdef ElementwiseParams* copy = <ElementwiseParams*>PyMem_Malloc(sizeof(ElementwiseParams))
    cdef list keep = []
    cdef Buffer buffer
    cdef Loop copier
    if copy == NULL:
        raise MemoryError()
    try:
        for k in range(loop.nin):
            if params.role[k] != STRIDED or _is_unit(params, k, last):
                continue
            code = params.dtype[k]
            buffer = device.allocate(params.size * itemsize_of(code))
            keep.append(buffer)
            copier = copy_loop(code)
            copier.attach(device)
            memcpy(copy, params, sizeof(ElementwiseParams))
            copy.data[0] = params.data[k]
            copy.data[1] = <char*>buffer.ptr
            copy.dtype[0] = copy.dtype[1] = code
            copy.role[0] = copy.role[1] = STRIDED
            step = itemsize_of(code)
            for d in range(last, -1, -1):
                copy.strides[0][d] = params.strides[k][d]
                copy.strides[1][d] = step
                step *= params.shape[d]
            memcpy(params.strides[k], copy.strides[1], sizeof(copy.strides[1]))
            params.data[k] = <char*>buffer.ptr
            memset(copy.strides[2], 0, (MAX_OPERANDS - 1) * sizeof(copy.strides[2]))
            _launch(copier, device, copy)
        _launch(loop, device, params)
    finally:
        PyMem_Free(copy)
    return 0
