"""Launches of the kernels that measure peaks."""
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memset

from gpunp.array.ndarray cimport ndarray
from gpunp.device cimport Device, check_status

cdef extern from "gpunp/signal/peaks_params.h" namespace "gpunp":
    enum:
        PEAKS_BLOCK "gpunp::PEAKS_BLOCK"
    cdef struct PeaksParams:
        const double* x
        const int64_t* peaks
        double* prominences
        int64_t* left_bases
        int64_t* right_bases
        double* widths
        double* heights
        double* left
        double* right
        int32_t* invalid
        int64_t size, count, reach
        double relative

    cdef struct DistanceParams:
        const int64_t* peaks
        const int64_t* ranks
        signed char* states
        int32_t* undecided
        int64_t count, distance

cdef enum:
    MOST_BLOCKS = 1 << 20   # blocks loop over more peaks


cdef int _launch(str name, ndarray x, ndarray peaks, ndarray prominences, ndarray left, ndarray right,
                 ndarray invalid, PeaksParams* p) except -1:
    cdef Device device = x.device_
    check_status(device)
    p.x, p.peaks = <double*>x.data_ptr(), <int64_t*>peaks.data_ptr()
    p.prominences = <double*>prominences.data_ptr()
    p.left_bases, p.right_bases = <int64_t*>left.data_ptr(), <int64_t*>right.data_ptr()
    p.invalid = <int32_t*>invalid.data_ptr()
    p.size, p.count = x.size_, peaks.size_
    if p.count:
        device.launch(device.kernel("peaks", name), <unsigned int>min(p.count, <int64_t>MOST_BLOCKS), 1, 1,
                      PEAKS_BLOCK, 0, p, sizeof(p[0]))
    return 0


def prominences(ndarray x not None, ndarray peaks not None, ndarray out not None, ndarray left not None,
                ndarray right not None, ndarray invalid not None, int64_t reach):
    """Write the prominences and bases of peaks within ``reach`` samples; all arrays are contiguous."""
    cdef PeaksParams p
    memset(&p, 0, sizeof(p))
    p.reach = reach
    _launch("peaks_prominence", x, peaks, out, left, right, invalid, &p)


def widths(ndarray x not None, ndarray peaks not None, ndarray prominences not None, ndarray left_bases not None,
           ndarray right_bases not None, ndarray invalid not None, double relative, ndarray out not None):
    """Write widths, heights, left and right ends of peaks to the rows of ``out``; all arrays are contiguous."""
    cdef PeaksParams p
    cdef double* rows = <double*>out.data_ptr()
    cdef int64_t count = peaks.size_
    memset(&p, 0, sizeof(p))
    p.relative = relative
    p.widths, p.heights, p.left, p.right = rows, rows + count, rows + 2 * count, rows + 3 * count
    _launch("peaks_width", x, peaks, prominences, left_bases, right_bases, invalid, &p)


def decide(ndarray peaks not None, ndarray ranks not None, ndarray states not None, ndarray undecided not None,
           int64_t distance):
    """One round of the selection by distance; ``states`` are 0 undecided, 1 kept, 2 removed."""
    cdef Device device = peaks.device_
    cdef DistanceParams p
    check_status(device)
    p.peaks, p.ranks = <int64_t*>peaks.data_ptr(), <int64_t*>ranks.data_ptr()
    p.states, p.undecided = <signed char*>states.data_ptr(), <int32_t*>undecided.data_ptr()
    p.count, p.distance = peaks.size_, distance
    device.launch(device.kernel("peaks", "peaks_distance"),
                  <unsigned int>min((p.count + PEAKS_BLOCK - 1) // PEAKS_BLOCK, <int64_t>MOST_BLOCKS), 1, 1,
                  PEAKS_BLOCK, 0, &p, sizeof(p))
