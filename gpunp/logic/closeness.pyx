"""Comparison of elements for closeness or equality, elementwise or for all, in one pass over both operands."""
from libc.stdint cimport int32_t, int64_t, uint32_t
from libc.string cimport memset

from gpunp.array.axes cimport merge_axes, sort_axes
from gpunp.array.ndarray cimport MAX_NDIM, code_of, dtype_of, ndarray
from gpunp.device cimport Buffer, Device, check_status
from gpunp.dtype_codes cimport BOOL, C8, C16, F4, F8, I4, I8, NUM_DTYPES, is_inexact
from gpunp.ufunc.broadcasting cimport broadcast as broadcast_operands
from gpunp.ufunc.broadcasting cimport new_output
from gpunp.ufunc.engine import UFUNCS
from gpunp.ufunc.operands cimport store_scalar
from gpunp.ufunc.plan cimport ElementwiseParams, Loop, Operand, describe, execute

from gpunp.dtype_codes import NAMES

cdef extern from "gpunp/logic/closeness_params.h" namespace "gpunp":
    enum:
        CLOSENESS_DIMS, CLOSENESS_BLOCK, CLOSENESS_EACH
    cdef struct ClosenessParams:
        const char* x
        const char* y
        int64_t size
        int64_t shape[8]
        int64_t x_strides[8]
        int64_t y_strides[8]
        int32_t ndim, x_dtype, y_dtype, equal, equal_nan, tolerance_dtype
        double rtol, atol
        double x_value[2]
        double y_value[2]
        char* out
        uint32_t* different

cdef str UNIT = "within_tolerance"
# Loops of deferred calls by the dtype of the difference, without and with equal NaNs.
cdef list _loops = [None] * (2 * NUM_DTYPES)


cdef int _spread(ndarray a, int ndim, const Py_ssize_t* shape, Py_ssize_t* strides) except -1:
    """Fill in an operand's strides in the common shape; 0 along axes that are broadcast."""
    cdef int d, lead = ndim - a.ndim_
    for d in range(ndim):
        strides[d] = 0
        if d >= lead and a.shape_[d - lead] != 1:
            if a.shape_[d - lead] != shape[d]:
                raise ValueError("operands could not be broadcast together with shapes "
                                 f"{a.shape} and {tuple([shape[k] for k in range(ndim)])}")
            strides[d] = a.strides_[d - lead]
    return 0


cdef int _common_shape(ndarray a, ndarray b, Py_ssize_t* shape):
    """Set the common shape of two arrays, one of which may be None; returns its number of dimensions."""
    cdef ndarray array
    cdef int d, lead, ndim = 0
    for operand in (a, b):
        if operand is not None and (<ndarray>operand).ndim_ > ndim:
            ndim = (<ndarray>operand).ndim_
    for d in range(ndim):
        shape[d] = 1
    for operand in (a, b):
        if operand is not None:
            array = <ndarray>operand
            lead = ndim - array.ndim_
            for d in range(array.ndim_):
                if array.shape_[d] != 1:
                    shape[d + lead] = array.shape_[d]
    return ndim


def compare(x, y, dtype, tolerances=None, bint equal_nan=False, bint each=False):
    """Whether all elements of two operands are close, or whether each of them is.

    Parameters
    ----------
    x, y : ndarray or complex
        At least one is an array. Two arrays are on one device and are broadcast together; a number has been
        rounded to ``dtype``.
    dtype : numpy.dtype
        The dtype of the difference, floating or complex; or an integer dtype for an exact comparison.
    tolerances : tuple, optional
        ``rtol`` and ``atol`` (float), and the code of the dtype in which they are combined with ``|y|``;
        without them elements must be equal.
    equal_nan : bool
        Whether NaN equals NaN.
    each : bool
        Whether to compare elementwise.

    Returns
    -------
    bool or ndarray or None
        A bool, for which the host waits, or with ``each`` an array. None if the dimensions do not merge into
        at most `CLOSENESS_DIMS`.
    """
    cdef ndarray a = x if isinstance(x, ndarray) else None, b = y if isinstance(y, ndarray) else None
    cdef ndarray first = b if a is None else a, out = None
    cdef Device device = first.device_
    cdef ClosenessParams p
    cdef Operand[2] operands
    cdef Py_ssize_t[MAX_NDIM] shape
    # Strides of x, of y, and those by which the axes are sorted: the output's, or the sums of magnitudes.
    cdef Py_ssize_t[3][MAX_NDIM] strides
    cdef int d, k, ndim, arrays = 0
    cdef Buffer told = None
    cdef uint32_t different = 0
    cdef bint integers = dtype.kind in "biu"
    check_status(device)
    memset(&p, 0, sizeof(p))
    ndim = _common_shape(a, b, shape)
    memset(strides, 0, sizeof(strides))
    if a is not None:
        _spread(a, ndim, shape, strides[0])
        p.x, p.x_dtype = a.data_ptr(), a.code
        describe(&operands[arrays], a)
        arrays += 1
    else:
        p.x_value[0], p.x_value[1] = complex(x).real, complex(x).imag
    if b is not None:
        _spread(b, ndim, shape, strides[1])
        p.y, p.y_dtype = b.data_ptr(), b.code
        describe(&operands[arrays], b)
        arrays += 1
    else:
        p.y_value[0], p.y_value[1] = complex(y).real, complex(y).imag
    p.size = 1
    for d in range(ndim):
        p.size *= shape[d]
    if each:
        out = new_output(BOOL, operands, arrays, ndim, shape, device, "K")
        p.out = out.data_ptr()
    if p.size == 0:
        return out if each else True
    for d in range(ndim):
        strides[2][d] = out.strides_[d] if each else abs(strides[0][d]) + abs(strides[1][d])
    # The kernel fills the output from its first byte to its last.
    sort_axes(ndim, shape, strides, 3, 2)
    ndim = merge_axes(ndim, shape, strides, 2)
    if ndim > CLOSENESS_DIMS:
        return None
    p.ndim = ndim
    for d in range(ndim):
        p.shape[d], p.x_strides[d], p.y_strides[d] = shape[d], strides[0][d], strides[1][d]
    p.equal, p.equal_nan = tolerances is None, equal_nan
    p.tolerance_dtype = F4
    if tolerances is not None:
        p.rtol, p.atol, p.tolerance_dtype = tolerances
    if not each:
        told = device.allocate(sizeof(uint32_t))
        device.fill_bytes(told.ptr, 0, sizeof(uint32_t))
        p.different = <uint32_t*>told.ptr
    cdef int64_t work = p.size, blocks
    symbol = "same_any" if integers else "close_any_" + dtype.str[1:]
    if (a is not None and b is not None and a.code == b.code and ndim <= 1
            and (ndim == 0 or strides[0][0] == a.itemsize_ and strides[1][0] == b.itemsize_)):
        if integers:
            symbol = "same_bytes"
            p.size *= a.itemsize_
            work = (p.size + 15) // 16
        elif is_inexact(a.code) or (a.code == I4 or a.code == I8) and tolerances is not None:
            symbol = "close_contiguous_" + NAMES[a.code]
            work = p.size * a.itemsize_ // 16
    k = CLOSENESS_BLOCK * CLOSENESS_EACH
    blocks = min((work + k - 1) // k, device.multiprocessors * device.tuning.loop_blocks)
    device.launch(device.kernel(UNIT, symbol), <unsigned int>max(blocks, <int64_t>1), 1, 1, CLOSENESS_BLOCK, 0,
                  &p, sizeof(p))
    if each:
        return out
    device.copy_to_host(&different, told.ptr, sizeof(uint32_t))
    return different == 0


cdef Loop _loop(int code, bint equal_nan):
    cdef int key = 2 * code + equal_nan
    if _loops[key] is None:
        tolerances = dtype_of(C16 if code == F8 or code == C16 else C8)
        ufunc = UFUNCS["internal", "close_or_nan" if equal_nan else "close"]
        _loops[key] = ufunc.loop_of((dtype_of(code), dtype_of(code), tolerances))
    return <Loop>_loops[key]


cdef bint _is_pending(object x) noexcept:
    """Whether elements are not in memory yet."""
    return isinstance(x, ndarray) and ((<ndarray>x).buffer.ptr == NULL or (<ndarray>x).buffer.writes > 0)


def defer(x, y, dtype, double rtol, double atol, bint equal_nan, bint pending):
    """Whether each element is close, as a call that fusion joins with those before and after it.

    Parameters
    ----------
    x, y, dtype, rtol, atol, equal_nan
        As for `compare`; the tolerances have the precision of ``dtype``.
    pending : bool
        Whether at least one operand must be the result of a deferred call.

    Returns
    -------
    ndarray or None
        None if the call is not deferred.
    """
    cdef ElementwiseParams params
    cdef Operand[4] operands
    cdef Py_ssize_t[MAX_NDIM] shape
    cdef Py_ssize_t size = 1
    cdef ndarray out
    cdef Device device = (<ndarray>(x if isinstance(x, ndarray) else y)).device_
    cdef Loop loop
    cdef int k, d, ndim, code = code_of(dtype)
    if pending and not (_is_pending(x) or _is_pending(y)):
        return None
    for k, value in enumerate((x, y)):
        if isinstance(value, ndarray):
            describe(&operands[k], <ndarray>value)
        else:
            _describe_number(&operands[k], &params, k, code, value if dtype.kind == "c" else complex(value).real)
    ndim = broadcast_operands(operands, 2, shape)
    if ndim < 0:
        # `compare` raises the error.
        return None
    for d in range(ndim):
        size *= shape[d]
    if size < max(device.deferred_elements, <Py_ssize_t>1):
        return None
    check_status(device)
    loop = _loop(code, equal_nan)
    _describe_number(&operands[2], &params, 2, loop.codes[2], complex(rtol, atol))
    out = new_output(BOOL, operands, 2, ndim, shape, device, "K")
    describe(&operands[3], out)
    execute(loop, device, &params, operands, NULL, ndim, shape)
    return out


cdef int _describe_number(Operand* operand, ElementwiseParams* params, int k, int code, object value) except -1:
    operand.scalar = True
    operand.ndim = 0
    operand.size = 1
    operand.data = NULL
    operand.code = code
    return store_scalar(params.scalar[k], code, value)
