"""Launches of the kernels of distance transforms."""
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memset

from gpunp.array.ndarray cimport ndarray, new_array
from gpunp.device cimport Buffer, Device, check_status
from gpunp.dtype_codes cimport F8, I4
from gpunp.sorting.search cimport blocks_of, shared_limit

cdef extern from "gpunp/ndimage/distance_params.h" namespace "gpunp":
    enum:
        DISTANCE_BLOCK, DISTANCE_SEGMENT, DISTANCE_AXES
        METRIC_SQUARES, METRIC_SUM, METRIC_GREATEST
    cdef struct DistanceColumnsParams:
        const uint8_t* image
        int64_t length
        int64_t inner
        uint64_t* words
        void* cost
        int32_t* nearest
        double scale
        int32_t metric
    cdef struct DistanceRowsParams:
        const void* cost
        void* out
        double* distance
        int32_t* nearest
        int64_t length
        double scale
        int32_t last
        int32_t in_shared
        double none
        int32_t ndim
        int64_t shape[DISTANCE_AXES]
        double scales[DISTANCE_AXES]

# Names of kernels by metric.
_METRICS = {"squares": METRIC_SQUARES, "sum": METRIC_SUM, "greatest": METRIC_GREATEST}
MOST_AXES = DISTANCE_AXES


def columns(ndarray image not None, str metric, double scale, *, bint wide, bint places):
    """Costs of the nearest background along the first axis.

    Parameters
    ----------
    image : ndarray of uint8
        Contiguous and not empty, of one dimension or more; zero is background.
    metric : {"squares", "sum", "greatest"}
    scale : float
        The distance of neighbors along the axis.
    wide : bool
        Whether costs are float64 instead of int32.
    places : bool
        Whether to find where the nearest background is, too.

    Returns
    -------
    cost : ndarray
        Infinite, or 2^30, where there is none.
    nearest : ndarray of int32 or None
        -1 where there is none.
    """
    cdef DistanceColumnsParams p
    cdef Device device = image.device_
    cdef ndarray nearest = None
    cdef Buffer words
    cdef int64_t count
    cdef ndarray cost = new_array(F8 if wide else I4, image.ndim_, image.shape_, device)
    check_status(device)
    memset(&p, 0, sizeof(p))
    p.image, p.length = <const uint8_t*>image.data_ptr(), image.shape_[0]
    p.inner = image.size_ // p.length
    p.cost = cost.data_ptr()
    p.scale, p.metric = scale, _METRICS[metric]
    if places:
        nearest = new_array(I4, image.ndim_, image.shape_, device)
        p.nearest = <int32_t*>nearest.data_ptr()
    count = (p.length + DISTANCE_SEGMENT - 1) // DISTANCE_SEGMENT * p.inner
    words = device.allocate(8 * count)
    p.words = <uint64_t*>words.ptr
    blocks = blocks_of(device, count, DISTANCE_BLOCK, device.tuning.loop_blocks)
    device.launch(device.kernel("ndimage_distances", "distance_words"), blocks, 1, 1, DISTANCE_BLOCK, 0, &p, sizeof(p))
    device.launch(device.kernel("ndimage_distances", "distance_columns_" + ("f8" if wide else "i4")), blocks, 1, 1,
                  DISTANCE_BLOCK, 0, &p, sizeof(p))
    return cost, nearest


def rows(ndarray cost not None, str metric, scales, *, bint last, bint distances, bint places, double none=0.0):
    """Least costs along the last axis.

    Parameters
    ----------
    cost : ndarray
        Contiguous costs of the axes before.
    metric : {"squares", "sum", "greatest"}
    scales : sequence of float
        The distances of neighbors along all axes.
    last : bool
        Whether there is no further axis.
    distances : bool
        Whether to find square roots of the costs, in float64, instead of costs.
    places : bool
        Whether to find where along the axis the least cost comes from, too.
    none : float, optional
        The distance where there is no background; by default the one from (-1, 0, 0, ...), as in SciPy.

    Returns
    -------
    out : ndarray
        Costs or distances.
    nearest : ndarray of int32 or None
    """
    cdef DistanceRowsParams p
    cdef Device device = cost.device_
    cdef ndarray out = new_array(F8 if distances else cost.code, cost.ndim_, cost.shape_, device), nearest = None
    cdef int k, ndim = cost.ndim_
    cdef int64_t each
    cdef unsigned int block = 32
    check_status(device)
    memset(&p, 0, sizeof(p))
    p.cost, p.length, p.ndim, p.last, p.none = cost.data_ptr(), cost.shape_[ndim - 1], ndim, last, none
    for k in range(ndim):
        p.shape[k], p.scales[k] = cost.shape_[k], scales[k]
    p.scale = p.scales[ndim - 1]
    each = p.length * (cost.itemsize_ + sizeof(int32_t))
    p.in_shared = each <= shared_limit(device)
    if distances:
        p.distance = <double*>out.data_ptr()
    else:
        p.out = out.data_ptr()
    if places or not (p.in_shared or device.is_cpu):
        nearest = new_array(I4, ndim, cost.shape_, device)
        p.nearest = <int32_t*>nearest.data_ptr()
    # Four pixels or more for each thread.
    while block < DISTANCE_BLOCK and 8 * block <= p.length:
        block *= 2
    device.launch(device.kernel("ndimage_distances", f"distance_{metric}_{'f8' if cost.code == F8 else 'i4'}"),
                  <unsigned int>(cost.size_ // p.length), 1, 1, block, each if p.in_shared else 0, &p, sizeof(p))
    return out, nearest if places else None
