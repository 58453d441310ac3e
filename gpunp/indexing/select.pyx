"""Choosing elements by a condition, and writing where a mask is true."""
import numpy as np

from libc.stdint cimport int64_t
from libc.string cimport memcpy

from gpunp.array.ndarray cimport MAX_NDIM, code_of, dtype_of, ndarray, require_writeable
from gpunp.device cimport Device, check_status, current_device
from gpunp.dtype_codes cimport BOOL, NUM_DTYPES
from gpunp.ufunc.broadcasting cimport broadcast, new_output, shapes_text
from gpunp.ufunc.copying cimport overlaps
from gpunp.ufunc.engine import UFUNCS
from gpunp.ufunc.operands cimport FOREIGN, HOST_ARRAY, KINDS, classify, promotion_type, store_scalar
from gpunp.ufunc.plan cimport ElementwiseParams, Loop, Operand, describe, execute, settle

from gpunp.array.convert import asarray

cdef extern from "gpunp/indexing/mask_params.h" namespace "gpunp":
    enum:
        FILL_BLOCK, FILL_UNROLL
    struct MaskFillParams:
        const char* mask
        char* target
        const char* source
        int64_t size
        unsigned char value[16]

cdef object _select = UFUNCS["internal", "select"]
cdef object _copy = UFUNCS["internal", "copy"]
# Caches: selection loops by result code, and result codes by the kinds of the two values.
cdef list _loops = [None] * NUM_DTYPES
cdef list _results = [None] * (KINDS * KINDS)


cdef Loop _loop(int code):
    if _loops[code] is None:
        _loops[code] = _select.loop_of((np.dtype(bool), dtype_of(code), dtype_of(code)))
    return <Loop>_loops[code]


cdef int _result_code(int x, int y) except -1:
    """The code of the common dtype of values of two kinds, by NumPy's promotion rules."""
    cdef int key = x * KINDS + y
    if x == y and x < 14:
        return x
    if _results[key] is None:
        # A Python number is weakly typed: only its kind takes part.
        types = [promotion_type(kind) for kind in (x, y)]
        _results[key] = code_of(np.result_type(*[t(0) if isinstance(t, type) else t for t in types]))
    return _results[key]


cdef int _describe(Operand* operand, ElementwiseParams* params, int k, object value, int code) except -1:
    """Describe an operand: an array, or a host scalar, which is stored as a value of the loop's dtype."""
    if isinstance(value, ndarray):
        describe(operand, <ndarray>value)
    else:
        operand.scalar = True
        operand.ndim = 0
        operand.size = 1
        operand.data = NULL
        operand.code = code
        store_scalar(params.scalar[k], code, value)
    return 0


def where(condition, x, y):
    """Elements of ``x`` where the condition holds, of ``y`` elsewhere, in one pass that includes conversions."""
    cdef ElementwiseParams params
    cdef Operand[4] operands
    cdef Py_ssize_t[MAX_NDIM] shape
    cdef Device device = None
    cdef int[2] kinds
    cdef list values = [condition, x, y]
    cdef ndarray out
    cdef int k, ndim, code
    for value in values:
        if isinstance(value, ndarray):
            if device is None:
                device = (<ndarray>value).device_
            elif device is not (<ndarray>value).device_:
                raise ValueError(f"where: operands are on {device} and {(<ndarray>value).device_}; "
                                 "move them with to_device")
    if device is None:
        device = current_device()
    check_status(device)
    if not isinstance(condition, ndarray):
        values[0] = condition = asarray(condition, device=device)
    for k in range(2):
        value = values[k + 1]
        if isinstance(value, ndarray):
            kinds[k] = (<ndarray>value).code
            continue
        kinds[k] = classify(value)
        if kinds[k] == HOST_ARRAY or kinds[k] == FOREIGN:
            values[k + 1] = asarray(value, device=device)
            kinds[k] = (<ndarray>values[k + 1]).code
    code = _result_code(kinds[0], kinds[1])
    describe(&operands[0], <ndarray>condition)
    for k in range(1, 3):
        _describe(&operands[k], &params, k, values[k], code)
    ndim = broadcast(operands, 3, shape)
    if ndim < 0:
        raise ValueError(f"operands could not be broadcast together with shapes {shapes_text(operands, 3)}")
    out = new_output(code, operands, 3, ndim, shape, device, "K")
    describe(&operands[3], out)
    execute(_loop(code), device, &params, operands, NULL, ndim, shape)
    return out


cdef bint _fill(ndarray target, ndarray mask, Operand* value, const unsigned char* scalar) except -1:
    """Write one value through a mask, vector by vector; False if layouts, dtypes or the value do not allow it."""
    cdef MaskFillParams p
    cdef Device device = target.device_
    cdef int size = target.itemsize_, d
    cdef long long vectors
    if (value.size != 1 or value.code != target.code or mask.code != BOOL or mask.ndim_ != target.ndim_
            or mask.size_ != target.size_
            or not (target.c_contiguous and mask.c_contiguous
                    or target.f_contiguous and mask.f_contiguous)):
        return False
    for d in range(mask.ndim_):
        if mask.shape_[d] != target.shape_[d]:
            return False
    p.mask, p.target = mask.data_ptr(), target.data_ptr()
    if <size_t>p.target % 16 or <size_t>p.mask % (16 // size):
        return False
    if target.size_ == 0:
        return True
    settle(value, output=False)
    p.size = target.size_
    p.source = value.data  # null for a scalar
    if value.scalar:
        for d in range(0, 16, size):
            memcpy(&p.value[d], scalar, size)
    vectors = (p.size * size + 15) // 16
    device.launch(device.kernel("indexing_mask", _FILL_SYMBOLS[size]),
                  <unsigned int>((vectors + FILL_BLOCK * FILL_UNROLL - 1) // (FILL_BLOCK * FILL_UNROLL)),
                  1, 1, FILL_BLOCK, 0, &p, sizeof(p))
    return True


_FILL_SYMBOLS = {size: f"mask_fill_{size}" for size in (1, 2, 4, 8, 16)}


def write_masked(ndarray target not None, value, ndarray mask not None):
    """target[mask] = value; the scalar or array is converted, and all are broadcast to the target."""
    cdef ElementwiseParams params
    cdef Operand[2] operands
    cdef Operand mask_operand
    cdef Loop loop = _copy.loop_of((target.dtype,))
    require_writeable(target)
    check_status(target.device_)
    if mask.code != BOOL:
        mask = mask.astype(np.bool_)
    if isinstance(value, ndarray) and overlaps(target, <ndarray>value):
        value = value.copy()
    if overlaps(target, mask):
        mask = mask.copy()
    _describe(&operands[0], &params, 0, value, target.code)
    if _fill(target, mask, &operands[0], params.scalar[0]):
        return
    describe(&operands[1], target)
    describe(&mask_operand, mask)
    execute(loop, target.device_, &params, operands, &mask_operand, target.ndim_, target.shape_)
