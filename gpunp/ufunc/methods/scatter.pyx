"""Launches of the kernels behind ``ufunc.at``: find the targets of an index, sort them stably, and scatter."""
from libc.stdint cimport int32_t, int64_t, uint32_t
from libc.string cimport memset

from gpunp.array.ndarray cimport ndarray, new_array
from gpunp.device cimport Device, Kernel, check_status
from gpunp.dtype_codes cimport I8, U4
from gpunp.reduction.fold cimport fold_blocks

from gpunp.dtype_codes import CHARS, NAME_OF
from gpunp.reduction.fold import OPS
from gpunp.reduction.fold_table import ATOMIC_OPS, UNIT_CHAR, fold_key
from gpunp.reduction.scan import scan

cdef extern from "gpunp/reduction/fold_params.h" namespace "gpunp":
    enum:
        SCATTER_DIMS, FOLD_BLOCK, TARGET_SORT_BLOCK, TARGET_SORT_ITEMS, TARGET_SORT_DIGITS
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

cdef dict _ops = OPS


def find_targets(str name, ndarray array not None, tuple shape, int64_t base, list strides, list indices):
    """Find the element numbers in a C-contiguous ``array`` that an index selects.

    Parameters
    ----------
    name : str
        Name of the ufunc, for error messages.
    array : ndarray
    shape : tuple of int
        Shape of the indexing result.
    base : int
        Element number that the integers and slices of the index start from.
    strides : list of int
        Stride in elements along each dimension of the result; 0 where an index array selects.
    indices : list of tuple
        (integer array, its byte strides over the result's dimensions, extent of the axis it indexes,
        stride of that axis in elements)

    Returns
    -------
    targets, refused : ndarray
        int64 of ``shape`` in C order, and one uint32, nonzero if an index is out of bounds.
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
        device.launch(device.kernel("fold_targets", "find_targets"), fold_blocks(count, "at"), 1, 1,
                      FOLD_BLOCK, 0, &p, sizeof(p))
    return targets, refused


cdef tuple _sorted_targets(ndarray targets, ndarray refused, int64_t extent):
    """Sort targets stably in ascending order; return them and the position that each had before."""
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
    device.launch(kernel, fold_blocks(p.count, name), 1, 1, FOLD_BLOCK, 0, &p, sizeof(p))
