"""Launches of the kernels that evaluate piecewise polynomials and tensor products of B-splines."""
from libc.stdint cimport int64_t
from libc.string cimport memset

from gpunp.array.ndarray cimport ndarray
from gpunp.device cimport Device, check_status
from gpunp.dtype_codes cimport F8

cdef extern from "gpunp/interpolate/pieces_params.h" namespace "gpunp":
    enum:
        PIECES_BLOCK "gpunp::PIECES_BLOCK"
        PIECES_SAMPLES "gpunp::PIECES_SAMPLES"
        PIECES_STAGED "gpunp::PIECES_STAGED"
        PIECES_LOOPS "gpunp::PIECES_LOOPS"
        PIECES_DEGREE "gpunp::PIECES_DEGREE"
        OUTSIDE_NAN, OUTSIDE_EXTRAPOLATED, OUTSIDE_PERIODIC
    cdef struct PiecesParams:
        const double* breaks
        const double* points
        const double* c
        double* out
        int64_t* places
        int64_t pieces, count, inner, stride
        int terms, derivative, outside, parted, staged, pairs

cdef extern from "gpunp/interpolate/grid_params.h" namespace "gpunp":
    enum:
        GRID_BLOCK "gpunp::GRID_BLOCK"
        GRID_SAMPLES "gpunp::GRID_SAMPLES"
        GRID_RANK "gpunp::GRID_RANK"
        GRID_DEGREE "gpunp::GRID_DEGREE"
        GRID_EXTRAPOLATED, GRID_FILLED
    cdef struct GridAxis:
        const double* breaks
        int64_t pieces, stride, step
        int degree, derivative
    cdef struct GridParams:
        GridAxis[8] axes
        const double* points
        const double* c
        double* out
        int64_t count, inner
        double[2] fill
        int rank, outside, pairs

NAN_OUTSIDE, EXTRAPOLATED, PERIODIC = OUTSIDE_NAN, OUTSIDE_EXTRAPOLATED, OUTSIDE_PERIODIC
MOST_AXES, HIGHEST_DEGREE, HIGHEST_GRID_DEGREE = GRID_RANK, PIECES_DEGREE, GRID_DEGREE

# Degrees, and ranks with degrees, that have a kernel of their own: as in kernels/codegen/interpolation.py.
DEGREES = (1, 2, 3, 5)
GRIDS = {1: (1, 3, 5), 2: (1, 3, 5), 3: (1, 3)}

cdef enum:
    BLOCKS_PER_MULTIPROCESSOR = 16  # threads of which loop over more elements


cdef unsigned int blocks_of(Device device, int64_t elements, int block):
    cdef int64_t wanted = (elements + block - 1) // block
    return <unsigned int>min(wanted, <int64_t>device.multiprocessors * BLOCKS_PER_MULTIPROCESSOR)


cdef const double* doubles(ndarray a, str name) except NULL:
    """The address to read a C-contiguous float64 array from that is not empty."""
    if a.code != F8 or not a.c_contiguous:
        raise ValueError(f"{name} is C-contiguous float64, not {a.dtype}")
    return <const double*>a.read_ptr()


cdef double* results(ndarray out) except NULL:
    """The address to write a C-contiguous float64 array to that is not empty."""
    if out.code != F8 or not out.c_contiguous:
        raise ValueError(f"results are C-contiguous float64, not {out.dtype}")
    return <double*>out.data_ptr()


def evaluate(str kind, ndarray breaks not None, ndarray c not None, ndarray points not None,
             ndarray out not None, int terms, int derivative, int outside, bint pairs, int64_t first=0):
    """Write the values of piecewise polynomials at points.

    Parameters
    ----------
    kind : {"power", "bernstein", "spline"}
    breaks : ndarray
        Breakpoints, ascending or descending, or knots, float64.
    c : ndarray
        Coefficients: terms x pieces x inner, of splines (pieces + degree) x inner; float64.
    points : ndarray
        Of any shape, float64.
    out : ndarray
        points x inner, float64.
    terms : int
        Coefficients of a piece, or the degree of splines + 1.
    derivative : int
        The order of the derivative.
    outside : int
        `NAN_OUTSIDE`, `EXTRAPOLATED` or `PERIODIC`.
    pairs : bool
        Whether odd elements along ``inner`` are imaginary parts, which are zero where there is no value.
    first : int, optional
        The knot where the first piece of a spline begins; as many are before the end of the last piece.
    """
    cdef Device device = out.device_
    cdef PiecesParams p
    cdef unsigned int blocks
    cdef int64_t coefficients
    check_status(device)
    if out.size_ == 0:
        return
    memset(&p, 0, sizeof(p))
    p.breaks, p.points = doubles(breaks, "breaks") + first, doubles(points, "points")
    p.c, p.out = doubles(c, "c"), results(out)
    p.pieces = breaks.size_ - 2 * first - 1
    p.count = points.size_
    p.inner = out.size_ // p.count
    p.stride = p.pieces // PIECES_SAMPLES + 1
    p.terms, p.derivative, p.outside, p.pairs = terms, derivative, outside, pairs
    blocks = blocks_of(device, out.size_, PIECES_BLOCK)
    # Blocks that loop over elements prepare tables in shared memory.
    p.parted = out.size_ >= <int64_t>blocks * PIECES_BLOCK * PIECES_LOOPS and not device.is_cpu
    coefficients = p.pieces * terms if kind != "spline" else p.pieces + terms - 1
    if p.parted and p.inner == 1 and coefficients <= PIECES_STAGED:
        p.staged = <int>coefficients
    name = f"{kind}_{terms - 1}" if kind == "spline" and terms - 1 in DEGREES else kind
    device.launch(device.kernel("interpolation_pieces", "pieces_" + name), blocks, 1, 1, PIECES_BLOCK,
                  <unsigned int>(p.staged * sizeof(double)), &p, sizeof(p))


def basis(ndarray knots not None, ndarray points not None, ndarray out not None, ndarray places not None,
          int degree, int derivative):
    """Write the B-splines that are not zero at each point.

    Parameters
    ----------
    knots, points : ndarray
        Float64.
    out : ndarray
        points x (degree + 1), float64.
    places : ndarray
        The number of the first of these splines, int64.
    degree, derivative : int
    """
    cdef Device device = out.device_
    cdef PiecesParams p
    check_status(device)
    if out.size_ == 0:
        return
    memset(&p, 0, sizeof(p))
    p.breaks, p.points = doubles(knots, "knots") + degree, doubles(points, "points")
    p.out, p.places = results(out), <int64_t*>places.data_ptr()
    p.pieces = knots.size_ - 2 * degree - 1
    p.count = points.size_
    p.inner = 1
    p.stride = p.pieces // PIECES_SAMPLES + 1
    p.terms, p.derivative = degree + 1, derivative
    device.launch(device.kernel("interpolation_pieces", "pieces_basis"), blocks_of(device, p.count, PIECES_BLOCK),
                  1, 1, PIECES_BLOCK, 0, &p, sizeof(p))


def evaluate_grid(list knots, ndarray c not None, ndarray points not None, ndarray out not None, degrees,
                  derivatives, fill, bint pairs):
    """Write the values of a tensor product of B-splines at points.

    Parameters
    ----------
    knots : list of ndarray
        By axis, float64.
    c : ndarray
        Coefficients: by axis, then inner; C-contiguous float64.
    points : ndarray
        points x axes, float64.
    out : ndarray
        points x inner, float64.
    degrees, derivatives : sequence of int
        By axis.
    fill : complex or None
        The value outside; None extrapolates.
    pairs : bool
        Whether odd elements along ``inner`` are imaginary parts.
    """
    cdef Device device = out.device_
    cdef GridParams p
    cdef int axis, rank = len(knots)
    cdef int64_t step
    cdef ndarray own
    check_status(device)
    if out.size_ == 0:
        return
    memset(&p, 0, sizeof(p))
    p.rank = rank
    p.points, p.c, p.out = doubles(points, "points"), doubles(c, "c"), results(out)
    p.count = points.size_ // rank
    p.inner = step = out.size_ // p.count
    for axis in range(rank - 1, -1, -1):
        own = knots[axis]
        p.axes[axis].degree, p.axes[axis].derivative = degrees[axis], derivatives[axis]
        p.axes[axis].breaks = doubles(own, "knots") + p.axes[axis].degree
        p.axes[axis].pieces = own.size_ - 2 * p.axes[axis].degree - 1
        p.axes[axis].stride = p.axes[axis].pieces // GRID_SAMPLES + 1
        p.axes[axis].step = step
        step *= p.axes[axis].pieces + p.axes[axis].degree
    p.outside, p.pairs = GRID_EXTRAPOLATED if fill is None else GRID_FILLED, pairs
    if fill is not None:
        p.fill[0], p.fill[1] = fill.real, fill.imag
    degree = degrees[0]
    own_kernel = degree in GRIDS.get(rank, ()) and all(each == degree for each in degrees)
    name = f"grid_{rank}_{degree}" if own_kernel else "grid_any"
    device.launch(device.kernel("interpolation_grids", name), blocks_of(device, out.size_, GRID_BLOCK), 1, 1,
                  GRID_BLOCK, 0, &p, sizeof(p))
