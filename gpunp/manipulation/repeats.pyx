"""Launch of the kernel that repeats each element as often as an array says."""
from libc.stdint cimport int64_t

from gpunp.array.ndarray cimport MAX_NDIM, ndarray, new_array
from gpunp.device cimport Device, Kernel, check_status
from gpunp.manipulation.params cimport REPEAT_BLOCK, REPEAT_TILE, RepeatParams

cdef enum:
    # Units that one block copies per outer index.
    WORK = 8192


def repeated(ndarray source not None, int axis, ndarray ends not None, Py_ssize_t total):
    """Repeat elements along an axis of a C-contiguous array; element i ends before position ``ends[i]``."""
    cdef Py_ssize_t dims[MAX_NDIM]
    cdef RepeatParams params
    cdef Kernel kernel
    cdef Device device = source.device_
    cdef long long inner = source.itemsize_, each, chunks, segments
    cdef int d, unit = 16
    for d in range(source.ndim_):
        dims[d] = total if d == axis else source.shape_[d]
    cdef ndarray out = new_array(source.code, source.ndim_, dims, device)
    if out.size_ == 0:
        return out
    check_status(device)
    params.outer = 1
    for d in range(axis):
        params.outer *= source.shape_[d]
    for d in range(axis + 1, source.ndim_):
        inner *= source.shape_[d]
    params.source = source.data_ptr()
    params.out = out.data_ptr()
    while inner % unit or <size_t>params.source % unit:
        unit //= 2
    params.inner = inner // unit
    params.ends = <const int64_t*>ends.data_ptr()
    params.length = source.shape_[axis]
    params.total = total
    kernel = device.kernel("manipulation", f"repeat_counts_{unit}")
    if device.is_cpu:
        device.launch(kernel, 1, 1, 1, 1, 0, &params, sizeof(params))
        return out
    params.tile = <int>min(total, max(1, min(<long long>REPEAT_TILE, WORK // params.inner)))
    params.tiles = (total + params.tile - 1) // params.tile
    params.segment = min(params.inner, <long long>WORK)
    # If there is little to copy per outer index, a block handles several, to amortize its lookup of the runs.
    each = params.tile * params.segment
    params.outer_chunk = min(params.outer, max(1, WORK // each))
    chunks = (params.outer + params.outer_chunk - 1) // params.outer_chunk
    if chunks > 65535:
        params.outer_chunk = (params.outer + 65534) // 65535
        chunks = (params.outer + params.outer_chunk - 1) // params.outer_chunk
    segments = (params.inner + params.segment - 1) // params.segment
    device.launch(kernel, <unsigned int>(params.tiles * segments), <unsigned int>chunks, 1, REPEAT_BLOCK, 0,
                  &params, sizeof(params))
    return out
