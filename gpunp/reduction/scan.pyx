"""Inclusive scans: choice of kernel and tiles, and the workspace in which blocks publish their aggregates."""
import numpy as np

from libc.stdint cimport int32_t, int64_t, uint32_t
from libc.string cimport memset

from gpunp.array.layout cimport new_like
from gpunp.array.ndarray cimport dtype_of, ndarray, new_array
from gpunp.device cimport Buffer, Device, Kernel, check_status
from gpunp.dtype_codes cimport F2, I4, I8, U4, U8, is_integer, itemsize_of
from gpunp.reduction.lanes cimport LANE_OPERANDS, Lanes, find_lanes
from gpunp.ufunc.copying cimport copy_into, overlaps

from gpunp.dtype_codes import CHARS, NAME_OF
from gpunp.reduction.scan_table import scan_kernel

cdef extern from "gpunp/reduction/scan_params.h" namespace "gpunp":
    enum:
        SCAN_DIMS, SCAN_BLOCK, SCAN_WARPS, SCAN_ROUNDS, SCAN_GROUP_ROWS, SCAN_GROUP_COLUMNS
        SCAN_VECTOR, SCAN_ELEMENT, SCAN_CONVERT
    struct ScanParams:
        const char* input
        char* output
        int64_t length
        int64_t rows
        int64_t columns
        int64_t in_stride, out_stride
        int64_t in_item, out_item
        int64_t tiles
        uint32_t* counter
        uint32_t* flags
        uint32_t* group_flags
        char* aggregates
        char* groups
        int64_t shape[8]
        int64_t in_strides[8]
        int64_t out_strides[8]
        int32_t ndim
        int32_t in_dtype, out_dtype
        int32_t in_access, out_access
        int32_t op
        int32_t skip_nan
        int32_t warps_per_row
        int32_t ahead

cdef enum:
    # Many lanes of at most this many elements get one thread each: a warp would be mostly idle.
    SHORT_LANE = 32
    # A few adjacent columns of at least this many elements are scanned as rows of a transposed copy: of every
    # sector of memory, a strided lane would use one element.
    LONG_LANE = 4096
    # Least bytes of adjacent columns for the columns kernel; narrower ones are scanned lane by lane.
    WIDE_ROW = 256

# (op, loop code) -> (accumulator code, unit, functor, operation number)
cdef dict _kernels = {}


cdef tuple _find(str name, int code):
    found = _kernels.get((name, code))
    if found is None:
        accumulator, functor, number = scan_kernel(name, CHARS[code])
        found = CHARS.index(accumulator), f"scan_{NAME_OF[accumulator]}", functor, number
        _kernels[name, code] = found
    return <tuple>found


cdef bint _loads_exactly(str name, int source, int loop):
    """Whether converting elements directly to the accumulator gives the same as via the loop's dtype."""
    if source == loop:
        return True
    if is_integer(source) and is_integer(loop) and (name in ("add", "multiply") or name.startswith("bitwise")):
        return True
    return np.can_cast(dtype_of(source), dtype_of(loop), "safe")


cdef int _same_bits(int code, int accumulator) noexcept:
    """The accumulator's code for an unsigned integer of the accumulator's width: the bits are the same.

    Narrower unsigned integers keep their code: read as signed they would widen to another value.
    """
    if (code == U4 and accumulator == I4) or (code == U8 and accumulator == I8):
        return accumulator
    return code


cdef int _access(int code, int accumulator, const char* data, Py_ssize_t unit_stride, Py_ssize_t other_stride,
                 const Lanes* lanes, int operand, int last) noexcept:
    cdef int d
    cdef Py_ssize_t bits = <Py_ssize_t><void*>data | other_stride
    if code != accumulator:
        return SCAN_CONVERT
    for d in range(last):
        bits |= lanes.strides[operand][d]
    if bits % 16 or unit_stride != itemsize_of(code):
        return SCAN_ELEMENT
    return SCAN_VECTOR


cdef Buffer _columns_workspace(Device device, ScanParams* p, int64_t chains, size_t value):
    """Allocate cleared flags, then the tiles' aggregates of all chains and the prefixes of their groups."""
    cdef int64_t tiles = chains * p.tiles
    cdef int64_t groups = chains * ((p.tiles + SCAN_GROUP_COLUMNS - 1) // SCAN_GROUP_COLUMNS)
    cdef size_t flags = (16 + 4 * (tiles + groups) + 15) // 16 * 16
    cdef Buffer buffer = device.allocate(flags + (tiles + groups) * value)
    cdef char* at = <char*>buffer.ptr
    device.fill_bytes(at, 0, flags)
    p.counter = <uint32_t*>at
    p.flags = <uint32_t*>(at + 16)
    p.group_flags = p.flags + tiles
    p.aggregates = at + flags
    p.groups = p.aggregates + tiles * value
    return buffer


cdef Buffer _rows_workspace(Device device, ScanParams* p, size_t value):
    """Allocate cleared aggregates and group prefixes, at twice their size: words carry their own flags."""
    cdef int64_t tiles = p.rows * p.tiles
    cdef int64_t groups = p.rows * ((p.tiles + SCAN_GROUP_ROWS - 1) // SCAN_GROUP_ROWS)
    cdef size_t size = 16 + (tiles + groups) * 2 * value
    cdef Buffer buffer = device.allocate(size)
    cdef char* at = <char*>buffer.ptr
    device.fill_bytes(at, 0, size)
    p.counter = <uint32_t*>at
    p.aggregates = at + 16
    p.groups = p.aggregates + tiles * 2 * value
    p.ahead = device.multiprocessors
    return buffer


def scan(str name, ndarray source not None, ndarray out not None, int axis, bint skip_nan=False):
    """Write the inclusive scan of ``source`` along ``axis`` into ``out``, whose dtype is the loop's.

    Parameters
    ----------
    name : str
        A ufunc of `gpunp.reduction.scan_table.SCANNED`.
    source, out : ndarray
        Of equal shapes.
    axis : int
        Must be non-negative.
    skip_nan : bool
        Replace NaN by the identity of add or multiply.
    """
    cdef ScanParams p
    cdef Lanes lanes
    cdef const Py_ssize_t* strides[LANE_OPERANDS]
    cdef Device device = out.device_
    cdef Kernel kernel
    cdef Buffer buffer = None
    cdef int accumulator, last, d, in_code, out_code
    cdef bint columns
    cdef int64_t width, blocks, warp_elements
    check_status(device)
    if out.size_ == 0:
        return
    accumulator, unit, functor, number = _find(name, out.code)
    if not _loads_exactly(name, source.code, out.code):
        source = _copied(source, out.code)
    if overlaps(source, out):
        source = _copied(source, source.code)
    strides[0] = out.strides_
    strides[1] = source.strides_
    find_lanes(&lanes, out.ndim_, out.shape_, axis, 2, strides)
    if lanes.ndim > SCAN_DIMS:
        # In C order dimensions merge, to fewer than a launch takes.
        _scan_copies(name, source, out, axis, axis, skip_nan)
        return
    memset(&p, 0, sizeof(p))
    p.length = out.shape_[axis]
    if not device.is_cpu and p.length <= SHORT_LANE and lanes.size >= device.tuning.scan_lanes and not skip_nan:
        from gpunp.reduction.fold import fold
        fold(name, CHARS[out.code] * 2, source, out, axis, emit_all=True, exact_steps=out.code == F2)
        return
    in_code, out_code = _same_bits(source.code, accumulator), _same_bits(out.code, accumulator)
    p.input = source.read_ptr()
    p.output = out.data_ptr()
    p.in_stride = source.strides_[axis]
    p.out_stride = out.strides_[axis]
    p.in_dtype, p.out_dtype = in_code, out_code
    p.op, p.skip_nan = number, skip_nan
    width = itemsize_of(accumulator)
    last = lanes.ndim - 1
    columns = (lanes.ndim > 0 and lanes.strides[0][last] == out.itemsize_
               and lanes.strides[1][last] == source.itemsize_ and lanes.shape[last] * width >= WIDE_ROW
               and p.length > 1)
    if (not columns and not device.is_cpu and lanes.ndim > 0 and lanes.strides[1][last] == source.itemsize_
            and lanes.shape[last] > 1 and p.length >= LONG_LANE):
        _scan_copies(name, source, out, axis, out.ndim_ - 1, skip_nan)
        return
    if columns:
        p.columns = lanes.shape[last]
        p.rows = lanes.size // p.columns
        p.in_item, p.out_item = source.itemsize_, out.itemsize_
        lanes.ndim -= 1
        p.in_access = _access(in_code, accumulator, p.input, p.in_item, p.in_stride, &lanes, 1, lanes.ndim)
        p.out_access = _access(out_code, accumulator, p.output, p.out_item, p.out_stride, &lanes, 0,
                               lanes.ndim)
    else:
        p.rows = lanes.size
        p.in_access = _access(in_code, accumulator, p.input, p.in_stride, 0, &lanes, 1, lanes.ndim)
        p.out_access = _access(out_code, accumulator, p.output, p.out_stride, 0, &lanes, 0, lanes.ndim)
    p.ndim = lanes.ndim
    for d in range(lanes.ndim):
        p.shape[d] = lanes.shape[d]
        p.out_strides[d] = lanes.strides[0][d]
        p.in_strides[d] = lanes.strides[1][d]
    kernel = device.kernel(unit, f"scan_{'columns' if columns else 'rows'}_{functor}")
    warp_elements = SCAN_ROUNDS * 32 * (16 // width)
    if columns:
        p.tiles = (p.length + SCAN_WARPS * SCAN_ROUNDS - 1) // (SCAN_WARPS * SCAN_ROUNDS)
        blocks = p.rows * ((p.columns * width + 511) // 512)
        if p.tiles > 1 and not device.is_cpu:
            buffer = _columns_workspace(device, &p, blocks, 512)
        blocks *= p.tiles
    else:
        p.warps_per_row = 1
        while p.warps_per_row < SCAN_WARPS and p.warps_per_row * warp_elements < p.length:
            p.warps_per_row *= 2
        p.tiles = (p.length + p.warps_per_row * warp_elements - 1) // (p.warps_per_row * warp_elements)
        if p.tiles > 1:
            blocks = p.rows * p.tiles
            if not device.is_cpu:
                buffer = _rows_workspace(device, &p, width)
        else:
            blocks = (p.rows * p.warps_per_row + SCAN_WARPS - 1) // SCAN_WARPS
    if blocks > 0x7fffffff:
        raise ValueError(f"{name}.accumulate: an array of shape {out.shape} is too large for one scan; "
                         "scan parts of it")
    device.start(kernel, <unsigned int>blocks, 1, 1, SCAN_BLOCK, 0, &p, sizeof(p))


cdef ndarray _copied(ndarray source, int code):
    cdef ndarray copy = new_like(source, code, c"K", source.device_)
    copy_into(copy, source)
    return copy


cdef int _scan_copies(str name, ndarray source, ndarray out, int axis, int place, bint skip_nan) except -1:
    """Scan C-ordered copies in which the scanned axis has changed places with another one, or kept its own."""
    cdef ndarray turned = <ndarray>(<object>source).swapaxes(axis, place)
    cdef ndarray dense = new_like(turned, source.code, c"C", source.device_)
    cdef ndarray result = new_array(out.code, turned.ndim_, turned.shape_, out.device_)
    copy_into(dense, turned)
    scan(name, dense, result, place, skip_nan)
    copy_into(out, <ndarray>(<object>result).swapaxes(axis, place))
    return 0
