"""The operators of arrays, which are ufuncs."""
from gpunp.array.ndarray cimport ndarray, new_array
from gpunp.array.operators cimport OP_EQUAL, OP_MATMUL, OP_NOT_EQUAL, OP_POWER, hooks
from gpunp.ufunc.engine cimport Ufunc, call, ufunc_named

from gpunp.ufunc.engine import UFUNCS

# Names in the order of the Op enum; matmul is installed by the linear-algebra chapter.
OPERATORS = (
    "add", "subtract", "multiply", "divide", "floor_divide", "remainder", "divmod", "power", "left_shift",
    "right_shift", "bitwise_and", "bitwise_or", "bitwise_xor", "matmul", "less", "less_equal", "equal",
    "not_equal", "greater", "greater_equal", "negative", "positive", "absolute", "invert",
)

cdef list _operators = []
for _name in OPERATORS:
    # Where the array API standard and NumPy differ the operators are the standard's.
    _operators.append(UFUNCS.get(("array_api", _name)) or UFUNCS.get(("numpy", _name)))
cdef Ufunc _square = UFUNCS["numpy", "square"]
cdef Ufunc _sqrt = UFUNCS["numpy", "sqrt"]
cdef Ufunc _reciprocal = UFUNCS["numpy", "reciprocal"]


def install_matmul(matmul):
    """The function behind ``@``: (left, right) -> array or NotImplemented."""
    _operators[OP_MATMUL] = matmul


cdef object _shortcut(object base, object exponent):
    """The function that is exactly a power of a float array, or None."""
    if type(exponent) is not int and type(exponent) is not float:
        return None
    if exponent == 2:
        return _square
    if (<ndarray>base).code >= 9:
        if exponent == 0.5:
            return _sqrt
        if exponent == -1:
            return _reciprocal
    return None


cdef object _unequal_types(int op, object left, object right):
    """``==`` and ``!=`` with None or a string: nothing is equal to it."""
    other = right if isinstance(left, ndarray) else left
    if op in (OP_EQUAL, OP_NOT_EQUAL) and (other is None or isinstance(other, (str, bytes))):
        array = left if isinstance(left, ndarray) else right
        result = new_array(0, (<ndarray>array).ndim_, (<ndarray>array).shape_, (<ndarray>array).device_)
        result[...] = op == OP_NOT_EQUAL
        return result
    return NotImplemented


cdef object _binary(int op, object left, object right):
    if op == OP_MATMUL:
        return _operators[OP_MATMUL](left, right)
    if op == OP_POWER and isinstance(left, ndarray):
        unary = _shortcut(left, right)
        if unary is not None and ((<ndarray>left).code >= 9 or type(right) is int):
            return call(<Ufunc>unary, (left,), None, True, "same_kind", "K", None, True)
    result = call(<Ufunc>_operators[op], (left, right), None, True, "same_kind", "K", None, True)
    if result is NotImplemented:
        return _unequal_types(op, left, right)
    return result


cdef object _unary(int op, object operand):
    return call(<Ufunc>_operators[op], (operand,), None, True, "same_kind", "K", None, True)


cdef object _inplace(int op, object target, object other):
    if op == OP_MATMUL:
        result = _operators[OP_MATMUL](target, other)
        if result is NotImplemented:
            return NotImplemented
        if result.shape != target.shape:
            raise ValueError(f"matmul: the result of shape {result.shape} cannot be written into {target.shape}")
        return call(ufunc_named("positive"), (result,), (target,), True, "same_kind", "K", None, True)
    if op == OP_POWER:
        unary = _shortcut(target, other)
        if unary is not None and (<ndarray>target).code >= 9:
            return call(<Ufunc>unary, (target,), (target,), True, "same_kind", "K", None, True)
    return call(<Ufunc>_operators[op], (target, other), (target,), True, "same_kind", "K", None, True)


hooks.binary = _binary
hooks.unary = _unary
hooks.inplace = _inplace
