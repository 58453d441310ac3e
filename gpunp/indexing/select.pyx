"""Choosing elements by a condition, and writing where a mask is true."""
from gpunp.array.ndarray cimport ndarray, require_writeable
from gpunp.device cimport check_status
from gpunp.ufunc.engine import UFUNCS
from gpunp.ufunc.operands cimport store_scalar
from gpunp.ufunc.copying cimport overlaps
from gpunp.ufunc.plan cimport ElementwiseParams, Loop, Operand, describe, execute

cdef object _select = UFUNCS["internal", "select"]
cdef object _copy = UFUNCS["internal", "copy"]


cdef int _describe(Operand* operand, ElementwiseParams* params, int k, object value, int code) except -1:
    """An operand that is an array of the loop's dtype, or a host scalar that becomes one value of it."""
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


def choose(ndarray condition not None, x, y, ndarray out not None):
    """out = x where the condition holds, else y: arrays of the dtype of ``out``, or scalars."""
    cdef ElementwiseParams params
    cdef Operand[4] operands
    cdef Loop loop = _select.loop_of((condition.dtype, out.dtype, out.dtype))
    check_status(out.device_)
    describe(&operands[0], condition)
    _describe(&operands[1], &params, 1, x, out.code)
    _describe(&operands[2], &params, 2, y, out.code)
    describe(&operands[3], out)
    execute(loop, out.device_, &params, operands, NULL, out.ndim_, out.shape_)


def write_masked(ndarray target not None, value, ndarray mask not None):
    """target[mask] = value: an array of the target's dtype, or a scalar; all broadcast to the target."""
    cdef ElementwiseParams params
    cdef Operand[2] operands
    cdef Operand mask_operand
    cdef Loop loop = _copy.loop_of((target.dtype,))
    require_writeable(target)
    check_status(target.device_)
    if isinstance(value, ndarray) and overlaps(target, <ndarray>value):
        value = value.copy()
    if overlaps(target, mask):
        mask = mask.copy()
    _describe(&operands[0], &params, 0, value, target.code)
    describe(&operands[1], target)
    describe(&mask_operand, mask)
    execute(loop, target.device_, &params, operands, &mask_operand, target.ndim_, target.shape_)
