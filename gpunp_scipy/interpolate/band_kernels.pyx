"""Launches of the kernels that solve one long system with a band matrix by cyclic reduction."""
from libc.stdint cimport int32_t, int64_t, uint32_t
from libc.string cimport memset

from gpunp.array.layout import empty
from gpunp.array.ndarray cimport ndarray
from gpunp.device cimport Device, check_status
from gpunp.dtype_codes cimport F8

cdef extern from "gpunp/interpolate/reduction_params.h" namespace "gpunp":
    enum:
        REDUCTION_BLOCK "gpunp::REDUCTION_BLOCK"
        REDUCTION_TAIL "gpunp::REDUCTION_TAIL"
        REDUCTION_WIDTH "gpunp::REDUCTION_WIDTH"
    cdef struct ReductionParams:
        const double* diagonals
        const double* b
        const double* known
        double* rows
        double* x
        uint32_t* status
        int64_t n, count, sides
        int32_t width, level, first

cdef enum:
    BLOCKS_PER_MULTIPROCESSOR = 16
    # One block takes over when a level takes each of its threads this often.
    TAIL_ROUNDS = 2
    # The widths from 1 on that have kernels of their own.
    OWN_WIDTHS = 5

WIDEST = REDUCTION_WIDTH


cdef int _step(Device device, str step, str name, ReductionParams* p, int64_t count, bint solves) except -1:
    cdef int64_t blocks = min((count + REDUCTION_BLOCK - 1) // REDUCTION_BLOCK,
                              <int64_t>(device.multiprocessors * BLOCKS_PER_MULTIPROCESSOR))
    kernel = device.kernel("interpolation_cubics", f"reduction_{step}_{name}")
    if solves:
        p.status = device.report_word("solve_banded")
    return device.launch(kernel, <unsigned int>blocks, 1, 1, REDUCTION_BLOCK, 0, p, sizeof(p[0]))


def reduced(ndarray diagonals not None, ndarray b not None, int width, ndarray known=None, ndarray rows=None):
    """Solve one system, without exchanges of rows that are far from each other.

    Parameters
    ----------
    diagonals : ndarray
        In `scipy.linalg.solve_banded`'s form, contiguous and float64.
    b : ndarray
        Right sides: n x sides, contiguous and float64, not empty.
    width : int
        The numbers of diagonals above and below the main one, from 1 to `WIDEST`.
    known, rows : ndarray, optional
        A solution that is nearly right, and what was returned with it, to solve for what it leaves of ``b``.

    Returns
    -------
    x : ndarray
        The solution.
    rows : ndarray
        Of blocks, of all levels of the reduction.
    """
    cdef ReductionParams p
    cdef Device device = b.device_
    cdef int64_t blocks, total, size, work, each
    cdef ndarray x
    check_status(device)
    for name, array in (("diagonals", diagonals), ("b", b), ("known", known)):
        if array is not None and ((<ndarray>array).code != F8 or not (<ndarray>array).c_contiguous):
            raise ValueError(f"{name} is C-contiguous float64, not {array.dtype}")
    if not 1 <= width <= REDUCTION_WIDTH:
        raise ValueError(f"bands have from 1 to {REDUCTION_WIDTH} diagonals above the main one, not {width}")
    memset(&p, 0, sizeof(p))
    p.n, p.sides, p.width = b.shape_[0], b.shape_[1], width
    p.count = blocks = total = (p.n + width - 1) // width
    while blocks > 1:
        blocks = (blocks + 1) // 2
        total += blocks
    size = width * (3 * width + p.sides)
    if rows is None:
        rows = empty(total * size, b.dtype, device=b.device)
    else:
        p.first = 3 * width
    x = empty((p.count * width, p.sides), b.dtype, device=b.device)
    p.diagonals, p.b = <const double*>diagonals.read_ptr(), <const double*>b.read_ptr()
    if known is not None:
        p.known = <const double*>known.read_ptr()
    p.rows, p.x = <double*>rows.data_ptr(), <double*>x.data_ptr()
    kind = str(width) if width <= OWN_WIDTHS else "any"
    each = 3 * width + p.sides - p.first
    _step(device, "load", kind, &p, p.count * width * each, solves=False)
    counts = []
    while p.count > 1:
        work = (p.count + 1) // 2 * each
        if work <= TAIL_ROUNDS * REDUCTION_TAIL:
            break
        _step(device, "elimination", kind, &p, work, solves=True)
        counts.append(p.count)
        p.rows += p.count * size
        p.count = (p.count + 1) // 2
        p.level += 1
    kernel = device.kernel("interpolation_cubics", f"reduction_finish_{kind}")
    p.status = device.report_word("solve_banded")
    device.launch(kernel, 1, 1, 1, REDUCTION_TAIL, 0, &p, sizeof(p))
    for count in reversed(counts):
        p.count = count
        p.rows -= p.count * size
        p.level -= 1
        _step(device, "substitution", kind, &p, p.count // 2 * p.sides, solves=True)
    return x[:p.n], rows
