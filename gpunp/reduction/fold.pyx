"""Launches of the folds behind the ufunc methods, and of what ``ufunc.at`` needs besides."""
import numpy as np

from libc.stdint cimport int32_t, int64_t, uint32_t
from libc.string cimport memcpy, memset

from gpunp.array.layout cimport new_like
from gpunp.array.ndarray cimport ndarray, new_array
from gpunp.device cimport Device, Kernel, check_status
from gpunp.dtype_codes cimport BOOL, I8, U4
from gpunp.reduction.lanes cimport LANE_OPERANDS, Lanes, find_lanes
from gpunp.ufunc.copying cimport copy_into, overlaps

from gpunp.array.dtype import DTYPES
from gpunp.dtype_codes import CHARS, NAME_OF
from gpunp.reduction.scan import scan
from gpunp.reduction.fold_table import ATOMIC_OPS, REORDERABLE, UNIT_CHAR, fold_key, fold_ops
from gpunp.ufunc.table import ROWS

cdef extern from "gpunp/reduction/fold_params.h" namespace "gpunp":
    enum:
        FOLD_DIMS, SCATTER_DIMS, FOLD_BLOCK, TARGET_SORT_BLOCK, TARGET_SORT_ITEMS, TARGET_SORT_DIGITS
    struct FoldParams:
        const char* input
        char* output
        const char* mask
        const int64_t* starts
        uint32_t* status
        int64_t length
        int64_t segments, chunk
        int64_t lanes
        int64_t in_stride, out_stride, mask_stride
        int64_t shape[8]
        int64_t in_strides[8]
        int64_t out_strides[8]
        int64_t mask_strides[8]
        int32_t ndim
        int32_t op
        int32_t in_dtype, out_dtype
        int32_t loop_dtype
        int32_t round_steps
        int32_t emit_all
        int32_t cooperative
        int32_t has_initial
        unsigned char initial[16]
    struct ScatterParams:
        char* data
        const char* values
        uint32_t* status
        const uint32_t* refused
        const int64_t* targets
        const int64_t* order
        int64_t count, value_stride, data_size
        int32_t op
        int32_t data_dtype, value_dtype, loop_dtype
        int32_t round_steps
    struct TargetParams:
        int64_t* targets
        uint32_t* refused
        uint32_t* status
        int64_t count, base
        int64_t shape[12]
        int64_t strides[12]
        const char* index[12]
        int64_t index_strides[12][12]
        int64_t extent[12]
        int64_t multiplier[12]
        int32_t index_dtype[12]
        int32_t ndim, indices
    struct TargetSortParams:
        const uint32_t* refused
        const int64_t* keys_in
        const int64_t* order_in
        int64_t* keys_out
        int64_t* order_out
        int64_t* counts
        int64_t count, blocks
        int32_t shift
    struct PositionParams:
        const char* mask
        const int64_t* ranks
        int64_t* positions
        int64_t count, selected
        int64_t shape[12]
        int32_t ndim

# Mean length of a segment from which on a warp shares it.
cdef enum:
    LONG_SEGMENT = 64

cdef dict _ops = fold_ops(ROWS)


cdef int _blocks(int64_t threads, str what) except -1:
    cdef int64_t blocks = (threads + FOLD_BLOCK - 1) // FOLD_BLOCK
    if blocks > 0x7fffffff:
        raise ValueError(f"{what}: too many elements for one launch; work on parts of the array")
    return <int>blocks


def fold(str name, loop, ndarray source not None, ndarray out not None, int axis, *, ndarray mask=None,
         ndarray starts=None, initial=None, bint emit_all=False, bint exact_steps=False):
    """Fold ``source`` along ``axis`` with a binary ufunc.

    Parameters
    ----------
    name : str
        The ufunc.
    loop : str
        dtype characters of the loop's two inputs; ``source`` is of the first dtype, or converts exactly.
    source, out : ndarray
        ``out`` has the length of ``starts`` (or one) along the axis; with ``emit_all`` that of ``source``.
    mask : ndarray, optional
        bool, of the shape of ``source``: what takes part.
    starts : ndarray, optional
        int64, C-contiguous: the indices of reduceat.
    initial : numpy scalar, optional
        Of the loop's dtype.
    emit_all : bool
        Write every partial result.
    exact_steps : bool
        Do not round partial results to a dtype narrower than the kernel computes in.
    """
    cdef FoldParams p
    cdef Lanes lanes
    cdef const Py_ssize_t* strides[LANE_OPERANDS]
    cdef Device device = out.device_
    cdef ndarray copy
    cdef bytes raw
    cdef int d, operands = 2, code = CHARS.index(loop[0])
    cdef int64_t threads
    check_status(device)
    if out.size_ == 0:
        return
    computed = UNIT_CHAR[loop[0]]
    if overlaps(source, out):
        copy = new_like(source, source.code, c"K", device)
        copy_into(copy, source)
        source = copy
    # The axis itself has no part in the lanes, so that shapes may differ there.
    strides[0] = source.strides_
    strides[1] = out.strides_
    if mask is not None:
        strides[2] = mask.strides_
        operands = 3
    find_lanes(&lanes, source.ndim_, source.shape_, axis, operands, strides)
    if lanes.ndim > FOLD_DIMS:
        _fold_dense(name, loop, source, out, axis, mask, starts, initial, emit_all, exact_steps)
        return
    memset(&p, 0, sizeof(p))
    p.input = source.data_ptr()
    p.output = out.data_ptr()
    if starts is not None or name == "power":
        p.status = device.report_word(name + (".reduceat" if starts is not None else
                                              ".accumulate" if emit_all else ".reduce"))
    p.length = source.shape_[axis]
    p.segments = 1 if emit_all else out.shape_[axis]
    p.chunk = p.length
    p.lanes = lanes.size
    p.in_stride = source.strides_[axis]
    p.out_stride = out.strides_[axis]
    p.ndim = lanes.ndim
    for d in range(lanes.ndim):
        p.shape[d] = lanes.shape[d]
        p.in_strides[d] = lanes.strides[0][d]
        p.out_strides[d] = lanes.strides[1][d]
        if mask is not None:
            p.mask_strides[d] = lanes.strides[2][d]
    if mask is not None:
        p.mask = mask.data_ptr()
        p.mask_stride = mask.strides_[axis]
    if starts is not None:
        p.starts = <const int64_t*>starts.data_ptr()
    p.op = _ops[fold_key(name, loop)]
    p.in_dtype, p.out_dtype, p.loop_dtype = source.code, out.code, code
    p.round_steps = computed != loop[0] and not exact_steps
    p.emit_all = emit_all
    if initial is not None:
        raw = np.asarray(initial).astype(DTYPES[CHARS.index(computed)]).tobytes()
        memcpy(p.initial, <const char*>raw, len(raw))
        p.has_initial = True
    threads = p.lanes * p.segments
    p.cooperative = (not device.is_cpu and not emit_all and name in REORDERABLE
                     and p.length >= LONG_SEGMENT * p.segments)
    unit = NAME_OF[computed]
    if p.cooperative:
        threads *= 32
    device.launch(device.kernel("fold_" + unit, "fold_" + unit), _blocks(threads, name), 1, 1, FOLD_BLOCK, 0,
                  &p, sizeof(p))


cdef object _fold_dense(str name, object loop, ndarray source, ndarray out, int axis, ndarray mask,
                        ndarray starts, object initial, bint emit_all, bint exact_steps):
    """Through C-ordered copies, whose dimensions merge."""
    cdef ndarray dense = new_like(source, source.code, c"C", source.device_)
    cdef ndarray result = new_array(out.code, out.ndim_, out.shape_, out.device_)
    cdef ndarray dense_mask = None
    copy_into(dense, source)
    if mask is not None:
        dense_mask = new_array(BOOL, mask.ndim_, mask.shape_, mask.device_)
        copy_into(dense_mask, mask)
    fold(name, loop, dense, result, axis, mask=dense_mask, starts=starts, initial=initial, emit_all=emit_all,
         exact_steps=exact_steps)
    copy_into(out, result)


def find_targets(str name, ndarray array not None, tuple shape, int64_t base, list strides, list indices):
    """Element numbers in a C-contiguous ``array`` that an index selects.

    Parameters
    ----------
    name : str
        The ufunc that operates on them.
    array : ndarray
    shape : tuple of int
        Of the indexing result.
    base : int
        Element number that the scalars and slices of the index start from.
    strides : list of int
        Elements from one to the next along each dimension of the result, 0 where an index array decides.
    indices : list of tuple
        (integer array, its byte strides over the result's dimensions, extent of the axis it indexes,
        elements from one to the next along that axis)

    Returns
    -------
    targets, refused : ndarray
        int64 of ``shape`` in C order, and one uint32, not zero where an index is out of bounds.
    """
    cdef TargetParams p
    cdef Device device = array.device_
    cdef Py_ssize_t one = 1, count = 1
    cdef int d, k, ndim = len(shape), number = len(indices)
    cdef ndarray index, targets, refused = new_array(U4, 1, &one, device)
    if ndim > SCATTER_DIMS or number > SCATTER_DIMS:
        raise ValueError(f"ufunc.at: an index of {ndim} dimensions and {number} arrays is more than the "
                         f"{SCATTER_DIMS} supported; reshape the array first")
    for extent in shape:
        count *= extent
    targets = new_array(I8, 1, &count, device)
    device.fill_bytes(refused.data_ptr(), 0, 4)
    memset(&p, 0, sizeof(p))
    p.targets = <int64_t*>targets.data_ptr()
    p.refused = <uint32_t*>refused.data_ptr()
    p.status = device.report_word(name + ".at")
    p.count, p.base, p.ndim, p.indices = count, base, ndim, number
    for d in range(ndim):
        p.shape[d] = shape[d]
        p.strides[d] = strides[d]
    for k in range(number):
        index, steps, extent, multiplier = indices[k]
        p.index[k] = index.data_ptr()
        p.index_dtype[k] = index.code
        p.extent[k], p.multiplier[k] = extent, multiplier
        for d in range(ndim):
            p.index_strides[k][d] = steps[d]
    if count:
        device.launch(device.kernel("fold_targets", "find_targets"), _blocks(count, "at"), 1, 1,
                      FOLD_BLOCK, 0, &p, sizeof(p))
    return targets, refused


cdef tuple _sorted_targets(ndarray targets, ndarray refused, int64_t extent):
    """Targets in ascending order, equal ones in the order they come in, and where each came from."""
    cdef TargetSortParams p
    cdef Device device = targets.device_
    cdef Py_ssize_t count = targets.size_, slots
    cdef ndarray counts, ranks
    cdef Kernel count_kernel = device.kernel("fold_targets", "sort_count")
    cdef Kernel scatter_kernel = device.kernel("fold_targets", "sort_scatter")
    memset(&p, 0, sizeof(p))
    p.refused = <const uint32_t*>refused.data_ptr()
    p.count = count
    p.blocks = (count + TARGET_SORT_ITEMS - 1) // TARGET_SORT_ITEMS
    slots = p.blocks * TARGET_SORT_DIGITS
    counts = new_array(I8, 1, &slots, device)
    ranks = new_array(I8, 1, &slots, device)
    current, order = targets, None
    spare = [new_array(I8, 1, &count, device) for _ in range(4)]
    for turn in range(max(1, (int(extent - 1).bit_length() + 7) // 8)):
        to_keys, to_order = spare[turn % 2], spare[2 + turn % 2]
        p.keys_in = <const int64_t*>(<ndarray>current).data_ptr()
        if order is not None:
            p.order_in = <const int64_t*>(<ndarray>order).data_ptr()
        p.keys_out = <int64_t*>(<ndarray>to_keys).data_ptr()
        p.order_out = <int64_t*>(<ndarray>to_order).data_ptr()
        p.shift = 8 * turn
        p.counts = <int64_t*>counts.data_ptr()
        device.launch(count_kernel, p.blocks, 1, 1, TARGET_SORT_BLOCK, 0, &p, sizeof(p))
        scan("add", counts, ranks, 0)
        p.counts = <int64_t*>ranks.data_ptr()
        device.launch(scatter_kernel, p.blocks, 1, 1, TARGET_SORT_BLOCK, 0, &p, sizeof(p))
        current, order = to_keys, to_order
    return current, order


def scatter(str name, loop, ndarray array not None, ndarray values not None, ndarray targets not None,
            ndarray refused not None):
    """``array[targets[i]] = ufunc(array[targets[i]], values[i])`` in the order of i.

    ``array`` is C-contiguous; ``values`` has one element, or is C-contiguous with one for each target.
    """
    cdef ScatterParams p
    cdef Device device = array.device_
    cdef Kernel kernel
    check_status(device)
    if targets.size_ == 0:
        return
    unit_char = UNIT_CHAR[loop[0]]
    unit = NAME_OF[unit_char]
    memset(&p, 0, sizeof(p))
    p.data = array.data_ptr()
    p.values = values.data_ptr()
    p.refused = <const uint32_t*>refused.data_ptr()
    p.count = targets.size_
    p.value_stride = 0 if values.size_ == 1 else values.itemsize_
    p.data_size = array.itemsize_
    p.data_dtype, p.value_dtype, p.loop_dtype = array.code, values.code, CHARS.index(loop[0])
    p.round_steps = loop[0] != unit_char or CHARS[array.code] != unit_char
    key = fold_key(name, loop)
    if device.is_cpu:
        kernel = device.kernel("fold_" + unit, "scatter_" + unit)
        p.op = _ops[key]
        p.targets = <const int64_t*>targets.data_ptr()
    elif (unit_char in "iIqQ" and CHARS[array.code] == unit_char and loop == unit_char * 2
          and key in ATOMIC_OPS):
        kernel = device.kernel("fold_targets", "atomic_" + unit)
        p.op = ATOMIC_OPS.index(key)
        p.targets = <const int64_t*>targets.data_ptr()
    else:
        kernel = device.kernel("fold_" + unit, "scatter_" + unit)
        p.op = _ops[key]
        keys, order = _sorted_targets(targets, refused, array.size_)
        p.targets = <const int64_t*>(<ndarray>keys).data_ptr()
        p.order = <const int64_t*>(<ndarray>order).data_ptr()
    if name == "power":
        p.status = device.report_word("power.at")
    device.launch(kernel, _blocks(p.count, name), 1, 1, FOLD_BLOCK, 0, &p, sizeof(p))


def find_positions(ndarray mask not None):
    """Coordinates of the true elements of a C-contiguous bool array: int64 of shape (ndim, number of them).

    Synchronises: the shape of the result is data.
    """
    cdef PositionParams p
    cdef Device device = mask.device_
    cdef Py_ssize_t[2] shape
    cdef Py_ssize_t count = mask.size_
    cdef int64_t selected = 0
    cdef int d
    cdef ndarray ranks, positions
    if mask.ndim_ > SCATTER_DIMS:
        raise ValueError(f"ufunc.at: a boolean index of {mask.ndim_} dimensions is more than the "
                         f"{SCATTER_DIMS} supported; reshape the array first")
    ranks = new_array(I8, 1, &count, device)
    if count:
        scan("add", mask.reshape(-1), ranks, 0)
        device.copy_to_host(&selected, <int64_t*>ranks.data_ptr() + count - 1, 8)
    shape[0], shape[1] = mask.ndim_, selected
    positions = new_array(I8, 2, shape, device)
    if selected == 0:
        return positions
    memset(&p, 0, sizeof(p))
    p.mask = mask.data_ptr()
    p.ranks = <const int64_t*>ranks.data_ptr()
    p.positions = <int64_t*>positions.data_ptr()
    p.count, p.selected, p.ndim = count, selected, mask.ndim_
    for d in range(mask.ndim_):
        p.shape[d] = mask.shape_[d]
    device.launch(device.kernel("fold_targets", "find_positions"), _blocks(count, "at"), 1, 1, FOLD_BLOCK, 0,
                  &p, sizeof(p))
    return positions
