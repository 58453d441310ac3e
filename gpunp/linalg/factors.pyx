"""Band matrices, symmetric indefinite factorizations, and orders of rows: kernels with one block per matrix.

Arrays are contiguous stacks of float32, float64, complex64 or complex128, on any device.
"""
from libc.stdint cimport int32_t, int64_t, uint32_t
from libc.string cimport memset

from gpunp.array.ndarray cimport ndarray
from gpunp.device cimport Device, check_status

from gpunp.dtype_codes import NAMES

cdef extern from "gpunp/linalg/band_params.h" namespace "gpunp":
    enum:
        BAND_THREADS, LDL_THREADS, ORDER_THREADS, BAND_SUBSTITUTE, LDL_HERMITIAN
    cdef struct BandParams:
        void* band
        void* b
        void* diagonal
        uint32_t* status
        int64_t batch, n
        int32_t lower, upper, sides, flags
    cdef struct LdlParams:
        void* a
        void* diagonal
        void* below
        int32_t* order
        void* work
        int64_t batch, n
        int32_t flags
    cdef struct OrderParams:
        int32_t* swaps
        int32_t* order
        int64_t batch, n, steps


cdef unsigned int _threads(int64_t work, int most) noexcept:
    """Threads for so many independent elements of a step: whole warps."""
    cdef unsigned int threads = 32
    while threads < most and threads < work:
        threads *= 2
    return threads


cdef int _launch(Device device, str unit, str name, int64_t batch, unsigned int threads, const void* params,
                 size_t size) except -1:
    if batch == 0:
        return 0
    return device.launch(device.kernel(unit, name), <unsigned int>min(batch, <int64_t>1 << 30), 1, 1, threads, 0,
                         params, size)


def band_solve(ndarray band not None, ndarray b not None, ndarray diagonal not None, int lower, int upper, str call):
    """Solve band systems in place, by LU factors with partial pivoting.

    Parameters
    ----------
    band : ndarray, shape (batch, 2 * lower + upper + 1, n)
        The first ``lower`` rows are zero, the others the diagonals as in `scipy.linalg.solve_banded`. Overwritten.
    b : ndarray, shape (batch, n, sides)
        Becomes the solutions.
    diagonal : ndarray, shape (batch, n)
        Workspace.
    lower, upper : int
        The numbers of diagonals below and above the main one.
    call : str
        The function for which a singular matrix is reported.
    """
    cdef BandParams p
    cdef Device device = band.device_
    check_status(device)
    memset(&p, 0, sizeof(p))
    p.band, p.b, p.diagonal = band.data_ptr(), b.data_ptr(), diagonal.data_ptr()
    p.batch, p.n, p.sides = b.shape_[0], b.shape_[1], <int32_t>b.shape_[2]
    p.lower, p.upper = lower, upper
    p.status = device.report_word(call)
    _launch(device, "linalg_factors_" + NAMES[band.code], "band_solve_" + NAMES[band.code], p.batch,
            _threads(lower + upper + p.sides, BAND_THREADS), &p, sizeof(p))


def band_positive(ndarray band not None, ndarray b, bint factored, str call):
    """Factor positive definite band matrices in place by Cholesky's method, and solve systems with them.

    Parameters
    ----------
    band : ndarray, shape (batch, lower + 1, n)
        The lower diagonals as in `scipy.linalg.cholesky_banded`. Becomes those of the factor.
    b : ndarray, shape (batch, n, sides), or None
        Becomes the solutions.
    factored : bool
        Whether ``band`` is a factor.
    call : str
        The function for which a matrix that is not positive definite is reported.
    """
    cdef BandParams p
    cdef Device device = band.device_
    cdef int64_t work
    check_status(device)
    memset(&p, 0, sizeof(p))
    p.band, p.batch, p.n = band.data_ptr(), band.shape_[0], band.shape_[2]
    p.lower = <int32_t>(band.shape_[1] - 1)
    if b is not None:
        p.b, p.sides = b.data_ptr(), <int32_t>b.shape_[2]
    p.flags = BAND_SUBSTITUTE if factored else 0
    p.status = device.report_word(call)
    work = p.sides if factored else max(<int64_t>p.lower * p.lower, <int64_t>p.sides)
    _launch(device, "linalg_factors_" + NAMES[band.code], "band_positive_" + NAMES[band.code], p.batch,
            _threads(work, BAND_THREADS), &p, sizeof(p))


def ldl(ndarray a not None, ndarray diagonal not None, ndarray below not None, ndarray order not None,
        ndarray work not None, bint hermitian):
    """Factor symmetric or Hermitian matrices with Bunch and Kaufman's pivots: P A P^T = L D L^H.

    Parameters
    ----------
    a : ndarray, shape (batch, n, n)
        The lower triangle is read, and becomes L below the diagonal.
    diagonal, below : ndarray, shape (batch, n)
        Become D's diagonal and the elements below it, of which the last is zero.
    order : ndarray of int32, shape (batch, n)
        Row i of P A is row ``order[i]`` of A.
    work : ndarray, shape (batch, 2 * n)
    hermitian : bool
    """
    cdef LdlParams p
    cdef Device device = a.device_
    check_status(device)
    memset(&p, 0, sizeof(p))
    p.a, p.diagonal, p.below = a.data_ptr(), diagonal.data_ptr(), below.data_ptr()
    p.order, p.work = <int32_t*>order.data_ptr(), work.data_ptr()
    p.batch, p.n, p.flags = a.shape_[0], a.shape_[2], LDL_HERMITIAN if hermitian else 0
    _launch(device, "linalg_factors_" + NAMES[a.code], "ldl_" + NAMES[a.code], p.batch,
            _threads(p.n * p.n // 8, LDL_THREADS), &p, sizeof(p))


def order_of_swaps(ndarray swaps not None, ndarray order not None):
    """Which rows end at each place, of ``order.shape[1]`` rows, after LAPACK's exchanges, counted from 0.

    Exchanges with rows that do not exist are ignored.
    """
    cdef OrderParams p
    cdef Device device = swaps.device_
    check_status(device)
    memset(&p, 0, sizeof(p))
    p.swaps, p.order = <int32_t*>swaps.data_ptr(), <int32_t*>order.data_ptr()
    p.batch, p.n, p.steps = order.shape_[0], order.shape_[1], swaps.shape_[1]
    _launch(device, "linalg_orders", "order_of_swaps", p.batch, _threads(p.n, ORDER_THREADS), &p, sizeof(p))
