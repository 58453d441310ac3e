"""Launches of the kernels that sum Gaussian kernels around data."""
from libc.stdint cimport int64_t
from libc.string cimport memset

from gpunp.array.layout import empty
from gpunp.array.ndarray cimport ndarray
from gpunp.device cimport Device, check_status

cdef extern from "gpunp/statistics/density_params.h" namespace "gpunp":
    enum:
        DENSITY_BLOCK "gpunp::DENSITY_BLOCK"
        DENSITY_POINTS "gpunp::DENSITY_POINTS"
        DENSITY_LEAF "gpunp::DENSITY_LEAF"
        DENSITY_TERMS "gpunp::DENSITY_TERMS"
        DENSITY_LEAVES "gpunp::DENSITY_LEAVES"
    cdef struct DensityParams:
        const double* points
        const double* data
        const double* weights
        const double* leaves
        double* out
        double* top
        int64_t m, n, count, part, d
        double total
    cdef struct LeavesParams:
        const double* data
        const double* weights
        double* leaves
        int64_t n, count

cdef enum:
    WAVES = 16      # blocks for each multiprocessor, if there are data enough for them
    LEAF_BLOCK = 64


cdef object _launch(Device device, str name, DensityParams* p, int64_t points, int64_t items, int64_t tile,
                    ndarray like, bint logs):
    """Sum over the data in parts, so that there are blocks for all multiprocessors."""
    cdef int64_t blocks = (p.m + points - 1) // points, parts = 1
    cdef ndarray out, top
    if not device.is_cpu:
        parts = max(min(WAVES * device.multiprocessors // max(blocks, 1), (items + tile - 1) // tile), 1)
    p.part = (items + parts * tile - 1) // (parts * tile) * tile
    parts = (items + p.part - 1) // p.part
    out = empty((parts, p.m), like.dtype, device=like.device)
    top = empty((parts, p.m), like.dtype, device=like.device) if logs else out
    p.out, p.top = <double*>out.data_ptr(), <double*>top.data_ptr()
    check_status(device)
    if p.m:
        device.launch(device.kernel("density", name), <unsigned int>blocks, <unsigned int>parts, 1,
                      DENSITY_BLOCK, 0, p, sizeof(DensityParams))
    return (out, top) if logs else out


def sums(ndarray points not None, ndarray data not None, ndarray weights, bint logs):
    """Sums of kernels at points, in parts that are to be added up; all arrays are contiguous and float64.

    Parameters
    ----------
    points, data : ndarray
        Of shapes (d, m) and (d, n), in units in which a kernel is ``2 ** (-distance ** 2 / 128)``.
    weights : ndarray or None
        Of the data, or None for ones. With ``logs`` 128 times their binary logarithms.
    logs : bool
        Whether sums are relative to a power of two.

    Returns
    -------
    out : ndarray
        Of shape (parts, m): sums times ``2 ** 512``; with ``logs`` divided by ``2 ** (top / 128)``.
    top : ndarray
        Likewise, only with ``logs``.
    """
    cdef Device device = points.device_
    cdef DensityParams p
    memset(&p, 0, sizeof(p))
    p.points, p.data = <double*>points.data_ptr(), <double*>data.data_ptr()
    p.d, p.m, p.n = points.shape_[0], points.shape_[1], data.shape_[1]
    if weights is not None:
        p.weights = <double*>weights.data_ptr()
    name = "logs" if logs else "plain" if weights is None else "weighted"
    return _launch(device, f"density_{name}_{p.d if p.d <= 3 else 0}", &p, DENSITY_BLOCK * DENSITY_POINTS, p.n,
                   DENSITY_BLOCK, points, logs)


def line_sums(ndarray points not None, ndarray data not None, ndarray weights, bint logs):
    """Sums as those of `sums`, for ascending data of one coordinate; weights are never logarithms.

    Without weights they are ones; else their sum is one.
    """
    cdef Device device = points.device_
    cdef DensityParams p
    cdef LeavesParams q
    cdef int64_t count = (data.size_ + DENSITY_LEAF - 1) // DENSITY_LEAF
    cdef ndarray leaves = empty((2 + DENSITY_TERMS, count), data.dtype, device=data.device)
    memset(&p, 0, sizeof(p))
    memset(&q, 0, sizeof(q))
    p.points, p.data = <double*>points.data_ptr(), <double*>data.data_ptr()
    p.d, p.m, p.n, p.count, p.total = 1, points.size_, data.size_, count, data.size_
    if weights is not None:
        p.weights, p.total = <double*>weights.data_ptr(), 1
    q.data, q.weights, q.leaves, q.n, q.count = p.data, p.weights, <double*>leaves.data_ptr(), p.n, count
    p.leaves = q.leaves
    check_status(device)
    device.launch(device.kernel("density", "density_leaves"),
                  <unsigned int>((count + LEAF_BLOCK - 1) // LEAF_BLOCK), 1, 1, LEAF_BLOCK, 0, &q, sizeof(q))
    return _launch(device, "density_leaf_logs" if logs else "density_leaf_sums", &p, DENSITY_BLOCK, count,
                   DENSITY_LEAVES, points, logs)
