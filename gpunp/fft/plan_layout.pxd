"""Conversion of strides to the layout of a plan: cuFFT supports one stride, nested extents and one batch."""
from libc.stdint cimport int64_t

from gpunp.array.axes cimport merge_axes, sort_axes
from gpunp.array.ndarray cimport MAX_NDIM, ndarray
from gpunp.cuda.cufft cimport Calls, Layout


cdef inline bint embed(ndarray array, int rank, const int* axes, int64_t* extents,
                       int64_t* inner) noexcept:
    """Describe the transformed axes by one inner stride and embedding extents; False if cuFFT cannot."""
    cdef int i, axis
    cdef int64_t extent, stride, unit, above
    axis = axes[rank - 1]
    extent = array.shape_[axis]
    stride = array.strides_[axis] // array.itemsize_ if extent > 1 else 1
    if stride <= 0 or stride * array.itemsize_ != array.strides_[axis] and extent > 1:
        return False
    inner[0] = unit = stride
    for i in range(rank - 2, -1, -1):
        extent = array.shape_[axes[i + 1]]
        axis = axes[i]
        if array.shape_[axis] > 1:
            above = array.strides_[axis] // array.itemsize_
            if above <= 0 or above * array.itemsize_ != array.strides_[axis] or above % unit:
                return False
            extents[i + 1] = above // unit
            if extents[i + 1] < extent:
                return False
        else:
            extents[i + 1] = extent
        unit *= extents[i + 1]
    extents[0] = array.shape_[axes[0]]
    return True


cdef inline bint batches(ndarray x, ndarray y, int rank, const int* axes, Layout* layout,
                         Calls* calls) noexcept:
    """Split the other axes into one batch of the plan and repeated calls; False if copies are better."""
    cdef Py_ssize_t[MAX_NDIM] extent
    cdef Py_ssize_t[2][MAX_NDIM] strides        # of the source and of the target
    cdef int64_t count = 1, size = 1
    cdef int d, i, ndim = 0, best = 0
    cdef bint skip
    for d in range(x.ndim_):
        skip = x.shape_[d] == 1
        for i in range(rank):
            if axes[i] == d:
                skip = True
                size *= x.shape_[d]
        if skip:
            continue
        if (x.strides_[d] <= 0 or y.strides_[d] <= 0 or x.strides_[d] % x.itemsize_
                or y.strides_[d] % y.itemsize_):
            return False
        extent[ndim], strides[0][ndim], strides[1][ndim] = x.shape_[d], x.strides_[d], y.strides_[d]
        ndim += 1
    sort_axes(ndim, extent, strides, 2, 1)
    ndim = merge_axes(ndim, extent, strides, 2)
    for d in range(1, ndim):
        if extent[d] >= extent[best]:
            best = d
    layout.batch = extent[best] if ndim else 1
    layout.in_distance = strides[0][best] // x.itemsize_ if ndim else 1
    layout.out_distance = strides[1][best] // y.itemsize_ if ndim else 1
    calls.ndim = 0
    for d in range(ndim):
        if d != best:
            # Each call must start at multiples of both item sizes: real data needs the alignment of complex data.
            if strides[0][d] % y.itemsize_ or strides[1][d] % x.itemsize_:
                return False
            calls.extent[calls.ndim] = extent[d]
            calls.in_step[calls.ndim] = strides[0][d]
            calls.out_step[calls.ndim] = strides[1][d]
            calls.ndim += 1
            count *= extent[d]
    return (count <= x.device_.tuning.fft_calls
            or size * layout.batch >= x.device_.tuning.fft_call_elements)
