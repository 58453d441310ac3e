"""Launches of the kernels of distances between two sets of points."""
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memset

import numpy

from gpunp.array.layout import empty
from gpunp.array.ndarray cimport ndarray
from gpunp.device cimport Device, check_status

cdef extern from "gpunp/spatial/pairs_params.h" namespace "gpunp":
    enum:
        PAIRS_BLOCK "gpunp::PAIRS_BLOCK"
        PAIRS_SIDE "gpunp::PAIRS_SIDE"
        PAIRS_DEPTH "gpunp::PAIRS_DEPTH"
        FORM_SUM "gpunp::FORM_SUM"
        FORM_ROOT "gpunp::FORM_ROOT"
        FORM_DICE "gpunp::FORM_DICE"
        FORM_JACCARD "gpunp::FORM_JACCARD"
        FORM_ROGERS_TANIMOTO "gpunp::FORM_ROGERS_TANIMOTO"
        FORM_RUSSELL_RAO "gpunp::FORM_RUSSELL_RAO"
        FORM_SOKAL_SNEATH "gpunp::FORM_SOKAL_SNEATH"
        FORM_YULE "gpunp::FORM_YULE"
    cdef struct PairsParams:
        const double* x
        const double* y
        const double* weights
        const double* x_lengths
        const double* y_lengths
        double* out
        int64_t m, k, n
        double power, total
        int32_t form, condensed
    cdef struct NearestParams:
        const double* x
        const double* y
        int32_t* place
        double* distance
        int64_t m, k, n

cdef extern from "gpunp/spatial/code_sums_params.h" namespace "gpunp":
    enum:
        SUMS_BLOCK "gpunp::SUMS_BLOCK"
        SUMS_SHARED "gpunp::SUMS_SHARED"
    cdef struct CodeSumsParams:
        const double* x
        const int32_t* code
        double* out
        int64_t n, k, width, row_stride
        int32_t groups, lanes

cdef enum:
    MOST_BLOCKS = 1 << 16   # of the kernel of nearest points, which loop over more points

SUM, ROOT, DICE, JACCARD = FORM_SUM, FORM_ROOT, FORM_DICE, FORM_JACCARD
ROGERS_TANIMOTO, RUSSELL_RAO = FORM_ROGERS_TANIMOTO, FORM_RUSSELL_RAO
SOKAL_SNEATH, YULE = FORM_SOKAL_SNEATH, FORM_YULE
# The points that a thread has of either set, as kernels/include/gpunp/spatial/metrics.h says.
NARROW = (8, 1)
MEDIUM = (8, 4)
cdef dict _THREAD_POINTS = {
    "squares": (4, 8), "absolutes": (4, 8), "greatest": (4, 8), "powers": (2, 2), "canberra": (4, 4),
    "bray_curtis": (4, 4), "hamming": (4, 8), "truths": (4, 4), "jensen_shannon": (2, 2), "cosine": (4, 8),
}
# Metrics with a kernel for few points of the second set.
cdef tuple _NARROW = ("squares", "absolutes", "greatest", "cosine")


cdef unsigned int _shared_bytes(int64_t rows, int64_t columns):
    """The size of a tile: two chunks of coordinates of either set, and of weights."""
    return <unsigned int>(2 * PAIRS_DEPTH * sizeof(double) * (rows + 1 + columns + 1 + 1))


def distances(str metric, ndarray x not None, ndarray y, ndarray out not None, int form, ndarray weights=None,
              ndarray x_lengths=None, ndarray y_lengths=None, double power=2, double total=0):
    """Write the distances of all pairs; all arrays are contiguous and float64.

    Parameters
    ----------
    metric : str
        One of kernels/codegen/spatial.py.
    x, y : ndarray
        Points: of shapes (m, n) and (k, n). If `y` is None, the pairs i < j of points of `x`.
    out : ndarray
        Of m * k or m * (m - 1) / 2 elements.
    form : int
        What is made of the sums of a pair.
    weights : ndarray, optional
        Of the n coordinates.
    x_lengths, y_lengths : ndarray, optional
        Of the points, for ``"cosine"``.
    power : float, optional
        For ``"powers"``.
    total : float, optional
        The sum of the weights.
    """
    cdef Device device = x.device_
    cdef PairsParams p
    cdef int64_t rows, columns
    check_status(device)
    if out.size_ == 0:
        return
    memset(&p, 0, sizeof(p))
    p.x, p.m, p.n = <double*>x.data_ptr(), x.shape_[0], x.shape_[1]
    p.condensed = y is None
    if y is None:
        p.y, p.k = p.x, p.m
    else:
        p.y, p.k = <double*>y.data_ptr(), y.shape_[0]
    name = "pairs_" + metric
    if weights is not None:
        p.weights = <double*>weights.data_ptr()
        name += "_weighted"
    if x_lengths is not None:
        p.x_lengths = <double*>x_lengths.data_ptr()
        p.y_lengths = p.x_lengths if y_lengths is None else <double*>y_lengths.data_ptr()
    p.out = <double*>out.data_ptr()
    p.power, p.total, p.form = power, total, form
    rows, columns = _THREAD_POINTS[metric]
    if metric in _NARROW and weights is None and not p.condensed and p.k <= PAIRS_SIDE:
        name += "_narrow"
        rows, columns = NARROW
    rows, columns = rows * PAIRS_SIDE, columns * PAIRS_SIDE
    device.launch(device.kernel("pairs", name),
                  <unsigned int>(((p.m + rows - 1) // rows) * ((p.k + columns - 1) // columns)), 1, 1,
                  PAIRS_BLOCK, _shared_bytes(rows, columns), &p, sizeof(p))


def nearest(ndarray x not None, ndarray y not None):
    """The nearest point of ``y`` for each of ``x``: int32 places and float64 Euclidean distances.

    Both are contiguous, float64 and of shape (points, coordinates); ``y`` has at least one point. The first of
    several nearest points counts. A point with NaN has distance infinity and place 0.
    """
    cdef Device device = x.device_
    cdef NearestParams p
    cdef ndarray place = empty((x.shape_[0],), numpy.dtype("i4"), device=x.device)
    cdef ndarray distance = empty((x.shape_[0],), x.dtype, device=x.device)
    cdef int64_t rows, columns
    check_status(device)
    if x.shape_[0] == 0:
        return place, distance
    p.x, p.y, p.place = <double*>x.data_ptr(), <double*>y.data_ptr(), <int32_t*>place.data_ptr()
    p.distance = <double*>distance.data_ptr()
    p.m, p.k, p.n = x.shape_[0], y.shape_[0], x.shape_[1]
    if p.k <= PAIRS_SIDE:
        name, (rows, columns) = "nearest_narrow", NARROW
    elif p.k <= MEDIUM[1] * PAIRS_SIDE:
        name, (rows, columns) = "nearest_medium", MEDIUM
    else:
        name, (rows, columns) = "nearest_wide", _THREAD_POINTS["squares"]
    rows, columns = rows * PAIRS_SIDE, columns * PAIRS_SIDE
    device.launch(device.kernel("pairs", name),
                  <unsigned int>min((p.m + rows - 1) // rows, <int64_t>MOST_BLOCKS), 1, 1, PAIRS_BLOCK,
                  _shared_bytes(rows, columns), &p, sizeof(p))
    return place, distance


def code_columns(int64_t k):
    """How many coordinates of k codes `code_sums` can add up; 0 if the codes are too many."""
    return max(SUMS_SHARED // (max(k, 1) * <int64_t>sizeof(double)) - 1, 0)


def code_sums(ndarray x not None, ndarray code not None, int64_t k, int64_t first, int64_t count):
    """The sums of some coordinates of the observations of each code, and their number in the last column.

    Parameters
    ----------
    x : ndarray
        Observations: contiguous, float64 and of shape (n, coordinates).
    code : ndarray
        int32, contiguous, of shape (n,); below `k`.
    k : int
    first, count : int
        Of the coordinates; no more than `code_columns`.

    Returns
    -------
    ndarray
        Of shape (parts, k, count + 1), to be added up over the parts.
    """
    cdef Device device = x.device_
    cdef CodeSumsParams p
    cdef ndarray out
    cdef int64_t blocks = 1, nbytes
    memset(&p, 0, sizeof(p))
    p.n, p.k, p.width, p.row_stride, p.lanes = x.shape_[0], k, count + 1, x.shape_[1], 1
    while p.lanes < p.width and p.lanes < 32:
        p.lanes *= 2
    nbytes = p.k * p.width * <int64_t>sizeof(double)
    p.groups = <int32_t>min(<int64_t>(SUMS_BLOCK // p.lanes), SUMS_SHARED // max(nbytes, 1))
    # Whole warps.
    while p.groups > 1 and p.groups * p.lanes % 32:
        p.groups -= 1
    if not device.is_cpu:
        # A few rows for each group at least; four blocks for each multiprocessor at most.
        blocks = max(min(p.n // (16 * p.groups), <int64_t>(4 * device.multiprocessors)), 1)
    out = empty((blocks, p.k, p.width), x.dtype, device=x.device)
    check_status(device)
    p.x, p.code, p.out = <double*>x.data_ptr() + first, <int32_t*>code.data_ptr(), <double*>out.data_ptr()
    if out.size_:
        device.launch(device.kernel("codes", "code_sums"), <unsigned int>blocks, 1, 1,
                      <unsigned int>(p.groups * p.lanes), <unsigned int>(p.groups * nbytes), &p, sizeof(p))
    return out
