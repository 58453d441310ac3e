"""Launches of the kernels of recursive filters, on lanes that gpunp_scipy/signal/recursion.py has cut into spans."""
from libc.stdint cimport int64_t
from libc.string cimport memcpy, memset

from gpunp.array.ndarray cimport ndarray
from gpunp.device cimport Device, check_status
from gpunp.dtype_codes cimport C8, F4

cdef extern from "gpunp/signal/iir_params.h" namespace "gpunp":
    enum:
        IIR_BLOCK "gpunp::IIR_BLOCK"
        IIR_EACH "gpunp::IIR_EACH"
        IIR_TILE "gpunp::IIR_TILE"
        IIR_STATES "gpunp::IIR_STATES"
        IIR_COEFFICIENTS "gpunp::IIR_COEFFICIENTS"
        IIR_LEVELS "gpunp::IIR_LEVELS"
        IIR_POWERS "gpunp::IIR_POWERS"
        IIR_COLUMN_BLOCK "gpunp::IIR_COLUMN_BLOCK"
    cdef struct IirParams:
        const char* x
        char* y
        const double* initial
        double* last
        const double* table
        int64_t length, span, spans, rows, inner
        int64_t x_outer, x_inner, x_item, y_outer, y_inner, y_item
        int64_t single
        double coefficients[20]
        double levels[320]
    cdef struct IirCarryParams:
        double* states
        const double* initial
        const double* table
        int64_t rows, spans
        double levels[320]
    cdef struct IirGeneralParams:
        const char* x
        char* y
        const char* forward
        const char* back
        char* states
        int64_t order, length, span, spans, rows, inner
        int64_t x_outer, x_inner, x_item, y_outer, y_inner, y_item
        int64_t single

ctypedef fused AnyParams:
    IirParams
    IirGeneralParams

EACH, TILE, STATES, LEVELS, POWERS = IIR_EACH, IIR_TILE, IIR_STATES, IIR_LEVELS, IIR_POWERS


cdef double* _doubles(ndarray array) except? NULL:
    if array is None:
        return NULL
    return <double*>array.data_ptr()


cdef int _describe(AnyParams* p, ndarray x, ndarray y, int64_t span, int64_t spans) except -1:
    """Describe lanes: arrays of shape (outer, inner, length), ``y`` may be None."""
    cdef int64_t item = x.itemsize_
    p.x = x.data_ptr()
    p.rows = x.shape_[0] * x.shape_[1]
    p.inner = x.shape_[1]
    p.length = x.shape_[2]
    p.span, p.spans = span, spans
    p.single = x.code == F4 or x.code == C8
    p.x_outer, p.x_inner, p.x_item = x.strides_[0] // item, x.strides_[1] // item, x.strides_[2] // item
    if y is not None:
        p.y = y.data_ptr()
        p.y_outer, p.y_inner, p.y_item = y.strides_[0] // item, y.strides_[1] // item, y.strides_[2] // item
    return 0


cdef unsigned int _grid(int64_t blocks) except 0:
    if blocks > 0x7fffffff:
        raise ValueError(f"{blocks} blocks of lanes are too many for one filter call; filter parts of the array")
    return <unsigned int>blocks


def run(str unit, str name, ndarray x not None, ndarray y, const double[::1] coefficients not None, int64_t span,
        int64_t spans, ndarray initial=None, ndarray last=None, ndarray table=None, const double[::1] levels=None,
        bint columns=False):
    """Filter ``x`` into ``y``, or with ``y`` None compute only the states after each span but the last.

    Arrays of states are contiguous, of float64 and of shape (rows, spans, states); ``last`` is of shape (rows, states)
    if there is ``y``. ``columns`` chooses the kernel with a thread per span.
    """
    cdef Device device = x.device_
    cdef IirParams p
    check_status(device)
    memset(&p, 0, sizeof(p))
    _describe(&p, x, y, span, spans)
    p.initial, p.last, p.table = _doubles(initial), _doubles(last), _doubles(table)
    memcpy(p.coefficients, &coefficients[0], coefficients.shape[0] * sizeof(double))
    if levels is not None:
        memcpy(p.levels, &levels[0], sizeof(p.levels))
    if columns:
        device.launch(device.kernel(unit, "iir_columns_" + name),
                      _grid((p.rows * spans + IIR_COLUMN_BLOCK - 1) // IIR_COLUMN_BLOCK), 1, 1, IIR_COLUMN_BLOCK, 0,
                      &p, sizeof(p))
    else:
        device.launch(device.kernel(unit, "iir_rows_" + name), _grid(p.rows * spans), 1, 1, IIR_BLOCK, 0,
                      &p, sizeof(p))


def carry(str unit, str name, ndarray states not None, ndarray initial, ndarray table not None,
          const double[::1] levels not None):
    """Replace the states that each span leaves behind, from zeros, by those before each span."""
    cdef Device device = states.device_
    cdef IirCarryParams p
    memset(&p, 0, sizeof(p))
    p.states, p.initial, p.table = _doubles(states), _doubles(initial), _doubles(table)
    p.rows, p.spans = states.shape_[0], states.shape_[1]
    memcpy(p.levels, &levels[0], sizeof(p.levels))
    device.launch(device.kernel(unit, "iir_carry_" + name), _grid(p.rows), 1, 1, IIR_BLOCK, 0, &p, sizeof(p))


def run_general(ndarray x not None, ndarray y, ndarray forward not None, ndarray back not None,
                ndarray states not None, int64_t span, int64_t spans):
    """Filter with any order; ``states``, of shape (order, rows, spans), are updated to those after each span."""
    cdef Device device = x.device_
    cdef IirGeneralParams p
    check_status(device)
    memset(&p, 0, sizeof(p))
    _describe(&p, x, y, span, spans)
    p.forward, p.back, p.states = forward.data_ptr(), back.data_ptr(), states.data_ptr()
    p.order = forward.size_ - 1
    name = "iir_general_c16" if x.dtype.kind == "c" else "iir_general_f8"
    device.launch(device.kernel("iir_general", name),
                  _grid((p.rows * spans + IIR_COLUMN_BLOCK - 1) // IIR_COLUMN_BLOCK), 1, 1, IIR_COLUMN_BLOCK, 0,
                  &p, sizeof(p))
