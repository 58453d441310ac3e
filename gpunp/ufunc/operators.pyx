"""The operators of arrays, which call ufuncs, and the fast path from NumPy's ufuncs to ours."""
import _thread
import contextlib
import sys

import numpy

from cpython.complex cimport PyComplex_CheckExact
from cpython.dict cimport PyDict_GetItem
from cpython.float cimport PyFloat_CheckExact
from cpython.long cimport PyLong_CheckExact
from cpython.object cimport PyObject

from gpunp.array.ndarray cimport as_scalar, ndarray, new_array
from gpunp.array.operators cimport OP_EQUAL, OP_MATMUL, OP_MULTIPLY, OP_NOT_EQUAL, OP_POWER, hooks
from gpunp.array.returning cimport released
from gpunp.array.short cimport is_number
from gpunp.dtype_codes cimport BOOL, F4, F8, is_complex, is_inexact, is_integer
from gpunp.ufunc.engine cimport Ufunc, call, ufunc_named
from gpunp.ufunc.numbers cimport of_number, of_numbers
from gpunp.ufunc.vectorcalls cimport PyVectorcall_NARGS, Vectorcall, replace_vectorcall

from gpunp.dispatch.first_use import first_use
from gpunp.ufunc.engine import UFUNCS

cdef enum:
    SHORT = 512     # elements of vectors whose product is computed here

cdef extern from *:
    """
    // Whether Python multiplies this object by repeating it: a sequence without arithmetic.
    static int gpunp_repeats(PyObject* value) {
        PyTypeObject* type = Py_TYPE(value);
        return type->tp_as_sequence != NULL && type->tp_as_sequence->sq_repeat != NULL
            && (type->tp_as_number == NULL || type->tp_as_number->nb_multiply == NULL);
    }
    """
    bint gpunp_repeats(PyObject* value)

_compare_objects = first_use("gpunp.ufunc.equality", "compare_objects")

# Names in the order of the Op enum; matmul is set by `install_matmul`.
OPERATORS = (
    "add", "subtract", "multiply", "divide", "floor_divide", "remainder", "divmod", "power", "left_shift",
    "right_shift", "bitwise_and", "bitwise_or", "bitwise_xor", "matmul", "less", "less_equal", "equal",
    "not_equal", "greater", "greater_equal", "negative", "positive", "absolute", "invert",
)

cdef list _operators = []
for _name in OPERATORS:
    # Where the array API standard differs from NumPy, the operators follow the standard.
    _operators.append(UFUNCS.get(("array_api", _name)) or UFUNCS.get(("numpy", _name)))
cdef Ufunc _square = UFUNCS["numpy", "square"]
cdef Ufunc _sqrt = UFUNCS["numpy", "sqrt"]
cdef Ufunc _reciprocal = UFUNCS["numpy", "reciprocal"]


def install_matmul(matmul):
    """Set the function behind ``@``: (left, right) -> array or NotImplemented."""
    _operators[OP_MATMUL] = matmul


cdef inline object _call(object ufunc, object left, object right, tuple outs):
    cdef PyObject* pair[2]
    pair[0], pair[1] = <PyObject*>left, <PyObject*>right
    return call(<Ufunc>ufunc, pair, outs, where=True, casting="same_kind", order="K", signature=None,
                operator=True)


cdef object _shortcut(object base, object exponent):
    """The ufunc that computes a power exactly, or None; NumPy has fewer such shortcuts for complex arrays."""
    if type(exponent) is not int and type(exponent) is not float:
        return None
    if exponent == 0.5:
        return _sqrt if is_inexact((<ndarray>base).code) else None
    if is_complex((<ndarray>base).code) and type(exponent) is float:
        return None
    if exponent == 2:
        return _square
    if is_inexact((<ndarray>base).code):
        if exponent == -1:
            return _reciprocal
    return None


cdef object _equality(int op, object left, object right):
    """``==`` and ``!=``, which are defined for any object."""
    try:
        result = _call(_operators[op], left, right, None)
        if result is not NotImplemented:
            return result
    except TypeError:
        # One operand has a dtype that device arrays cannot have.
        result = _compare_objects(left, right, op == OP_NOT_EQUAL)
        if result is NotImplemented:
            raise
        return result
    return _compare_objects(left, right, op == OP_NOT_EQUAL)


cdef object _repeated(object sequence, ndarray count):
    """``[0] * n``: repeat a sequence, as Python does with NumPy's integer scalars."""
    if not is_integer(count.code):
        raise TypeError(f"can't multiply sequence by non-int of type '{count.dtype}'")
    return sequence * count.__index__()


cdef ndarray _small_dot(ndarray left, ndarray right):
    """``left @ right`` of short real vectors on the CPU device, which a call of BLAS would take longer for; or None."""
    cdef Py_ssize_t n = left.size_, i
    cdef ndarray out
    cdef const char* a
    cdef const char* b
    cdef double[4] sums
    if (left.ndim_ != 1 or right.ndim_ != 1 or left.code != right.code or n != right.size_ or n > SHORT
            or left.device_ is not right.device_ or not left.device_.is_cpu
            or not (left.code == F8 or left.code == F4)):
        return None
    a, b = left.read_ptr(), right.read_ptr()
    sums[0] = sums[1] = sums[2] = sums[3] = 0
    out = new_array(left.code, 0, left.shape_, left.device_)
    if left.code == F8:
        for i in range(n):
            sums[i & 3] += ((<const double*>(a + i * left.strides_[0]))[0]
                            * (<const double*>(b + i * right.strides_[0]))[0])
        (<double*>out._data)[0] = (sums[0] + sums[1]) + (sums[2] + sums[3])
    else:
        for i in range(n):
            sums[i & 3] += (<double>(<const float*>(a + i * left.strides_[0]))[0]
                            * (<const float*>(b + i * right.strides_[0]))[0])
        (<float*>out._data)[0] = <float>((sums[0] + sums[1]) + (sums[2] + sums[3]))
    return as_scalar(out)


cdef object _binary(int op, object left, object right):
    cdef ndarray found
    if ((type(left) is ndarray and (<ndarray>left).ndim_ == 0)
            or (type(right) is ndarray and (<ndarray>right).ndim_ == 0)):
        found = of_numbers(op, left, right)
        if found is not None:
            return released(found)
    if op == OP_MATMUL:
        if type(left) is ndarray and type(right) is ndarray:
            found = _small_dot(<ndarray>left, <ndarray>right)
            if found is not None:
                return released(found)
        return _operators[OP_MATMUL](left, right)
    if ((op == OP_EQUAL or op == OP_NOT_EQUAL)
            and not (_is_plain(<PyObject*>left) and _is_plain(<PyObject*>right))):
        return _equality(op, left, right)
    if op == OP_MULTIPLY and not (isinstance(left, ndarray) and isinstance(right, ndarray)):
        other, array = (right, left) if isinstance(left, ndarray) else (left, right)
        if (<ndarray>array).scalar and gpunp_repeats(<PyObject*>other):
            return _repeated(other, <ndarray>array)
    if op == OP_POWER and isinstance(left, ndarray):
        if (<ndarray>left).ndim_ == 0 and is_number(right, 2):
            found = of_numbers(OP_MULTIPLY, left, left)
            if found is not None:
                return released(found)
        unary = _shortcut(left, right)
        # NumPy applies the shortcut to arrays only: the square of a boolean scalar is an int64.
        if unary is not None and (is_inexact((<ndarray>left).code) or type(right) is int
                                  and not ((<ndarray>left).scalar and (<ndarray>left).code == BOOL)):
            return _call(unary, left, right=None, outs=None)
    return _call(_operators[op], left, right, None)


cdef object _unary(int op, object operand):
    cdef ndarray found = of_number(op, <ndarray>operand) if (<ndarray>operand).ndim_ == 0 else None
    if found is not None:
        return released(found)
    return _call(_operators[op], operand, right=None, outs=None)


# Whether `operators_of_scalars` was ever entered, and how many of its blocks each thread is in.
cdef bint _scalars_used = False
_scalars = _thread._local()


@contextlib.contextmanager
def operators_of_scalars():
    """Context manager in which ``x += 1`` in this thread creates a new value, as it does for Python's numbers.

    Code of gpunp itself is exempt, as its functions operate on arrays in place.
    """
    global _scalars_used
    _scalars_used = True
    _scalars.depth = getattr(_scalars, "depth", 0) + 1
    try:
        yield
    finally:
        _scalars.depth -= 1


cdef bint _means_scalars() except -1:
    if not getattr(_scalars, "depth", 0):
        return False
    return sys._getframe(0).f_globals.get("__name__", "").partition(".")[0] not in ("gpunp", "gpunp_scipy")


cdef object _inplace(int op, object target, object other):
    if (<ndarray>target).scalar or (_scalars_used and _means_scalars()):
        # Create a new value: other references to the old one must not change.
        return _binary(op, target, other)
    if op == OP_MATMUL:
        result = _operators[OP_MATMUL](target, other)
        if result is NotImplemented:
            return NotImplemented
        if result.shape != target.shape:
            raise ValueError(f"matmul: the result of shape {result.shape} cannot be written into {target.shape}")
        if (<ndarray>result).code == BOOL:
            # numpy.positive has no loop for booleans.
            return _call(ufunc_named("logical_or"), result, result, (target,))
        return _call(ufunc_named("positive"), result, None, (target,))
    if op == OP_POWER:
        unary = _shortcut(target, other)
        if unary is not None and is_inexact((<ndarray>target).code):
            return _call(unary, target, None, (target,))
    return _call(_operators[op], target, other, (target,))


# Set by `install_protocol`: our ufuncs by NumPy's, and the complete ``__array_ufunc__``.
cdef dict _ufuncs = {}
cdef object _array_ufunc = None


def install_protocol(ufuncs, array_ufunc):
    """Set the dict from NumPy's ufuncs to ours, and the ``__array_ufunc__`` for calls off the fast path."""
    global _ufuncs, _array_ufunc
    _ufuncs = ufuncs
    _array_ufunc = array_ufunc


# What ``ufunc.reduce(array)`` computes for an array of one axis, by functions whose calls are short.
cdef dict _reductions = {
    numpy.add: numpy.sum, numpy.multiply: numpy.prod, numpy.maximum: numpy.max, numpy.minimum: numpy.min,
    numpy.logical_and: numpy.all, numpy.logical_or: numpy.any,
}
cdef object _numpy_matmul = numpy.matmul
# NumPy's other products, and the numbers of axes with which they are that of ``@``.
cdef dict _products = {numpy.vecdot: (1, 1)}
for _name, _axes in (("matvec", (2, 1)), ("vecmat", (1, 2))):
    if hasattr(numpy, _name):
        _products[getattr(numpy, _name)] = _axes
# NumPy's scalars that operands may be.
cdef set _numbers = {
    numpy.float64, numpy.float32, numpy.complex128, numpy.complex64, numpy.int64, numpy.int32, numpy.bool_,
}


cdef inline bint _is_plain(PyObject* operand):
    """Whether an operand is of a type that no other library overrides."""
    return (type(<object>operand) is ndarray or PyFloat_CheckExact(<object>operand)
            or PyLong_CheckExact(<object>operand) or <object>operand is True or <object>operand is False
            or PyComplex_CheckExact(<object>operand) or type(<object>operand) in _numbers)


# Set by `use_short_methods`.
cdef object _accumulate = None
cdef object _reduceat = None
cdef object _at = None


def use_short_methods(accumulate, reduceat, at):
    """Set what tries short calls of the ufuncs' methods first: (ufunc, array, ...) -> array or None; ``at`` -> bool."""
    global _accumulate, _reduceat, _at
    _accumulate, _reduceat, _at = accumulate, reduceat, at


cdef object _short_method(PyObject** args, Py_ssize_t nargs, PyObject* names):
    """The result of a usual call of a ufunc's method with an array first, or NotImplemented."""
    ufunc, method, array = <object>args[0], <object>args[1], <object>args[2]
    found = None
    if method == "reduce":
        if nargs == 3 and ufunc in _reductions:
            if names == NULL and (<ndarray>array).ndim_ == 1:
                return _reductions[ufunc](array)
            # None and tuples mean the same in both, but a missing axis does not.
            if names != NULL and len(<tuple>names) == 1 and (<tuple>names)[0] == "axis":
                return _reductions[ufunc](array, <object>args[3])
    elif names == NULL:
        if nargs == 3 and method == "accumulate":
            found = _accumulate(ufunc, array)
        elif nargs == 4 and method == "reduceat":
            found = _reduceat(ufunc, array, <object>args[3])
        elif nargs == 5 and method == "at" and _at(ufunc, array, <object>args[3], <object>args[4]):
            return None
    return NotImplemented if found is None else found


cdef object _answer(object self, PyObject** args, Py_ssize_t nargs, PyObject* names):
    """``__array_ufunc__(ufunc, method, *inputs, **kwargs)`` as a vectorcall: the names of the keywords are a tuple
    or NULL, and their values follow the inputs."""
    cdef PyObject* found
    cdef Py_ssize_t i, count = 0 if names == NULL else len(<tuple>names)
    cdef tuple outs = None
    cdef bint quick
    if nargs < 2:
        raise TypeError("__array_ufunc__ takes a ufunc, a method and the operands")
    found = PyDict_GetItem(_ufuncs, <object>args[0])
    quick = found != NULL and type(<object>found) is Ufunc and (<Ufunc>found).nin == nargs - 2
    if quick and count:
        # The only keyword of the fast path is one out array, the most common one.
        quick = count == 1 and (<tuple>names)[0] == "out" and type(<object>args[nargs]) is tuple
        if quick:
            outs = <tuple>args[nargs]
            quick = len(outs) == 1 and (<Ufunc>found).nout == 1 and type(outs[0]) is ndarray
    if quick and <object>args[1] == "__call__":
        for i in range(2, nargs):
            quick = quick and _is_plain(args[i])
        if quick:
            _shorten_calls(<object>args[0])
            return call(<Ufunc>found, args + 2, outs, where=True, casting="same_kind", order="K", signature=None,
                        operator=False)
    if nargs > 2 and type(<object>args[2]) is ndarray:
        result = _short_method(args, nargs, names)
        if result is not NotImplemented:
            return result
    if <object>args[0] is _numpy_matmul or <object>args[0] in _products:
        _shorten_calls(<object>args[0])
    inputs = tuple([<object>args[i] for i in range(2, nargs)])
    kwargs = {(<tuple>names)[i]: <object>args[nargs + i] for i in range(count)}
    return _array_ufunc(self, <object>args[0], <object>args[1], inputs, kwargs)


# What NumPy's ufuncs do when they are called.
cdef Vectorcall _numpy_call = NULL


cdef object _call_numpy_ufunc(object ufunc, PyObject** args, size_t nargsf, PyObject* names):
    """The vectorcall of NumPy's ufuncs: the fast path of `_answer`, with at most ``out=array``, needs no protocol."""
    cdef Py_ssize_t nargs = PyVectorcall_NARGS(nargsf)
    cdef PyObject* found
    cdef tuple outs = None
    if (nargs == 2 or nargs == 3) and names == NULL and type(<object>args[nargs - 1]) is ndarray:
        # The last argument may be the output.
        found = PyDict_GetItem(_ufuncs, ufunc)
        if (found != NULL and type(<object>found) is Ufunc and (<Ufunc>found).nin == nargs - 1
                and (<Ufunc>found).nout == 1 and _is_plain(args[0]) and _is_plain(args[nargs - 2])):
            return call(<Ufunc>found, args, (<object>args[nargs - 1],), where=True, casting="same_kind", order="K",
                        signature=None, operator=False)
    if ((nargs == 1 or nargs == 2) and (names == NULL or _names_out(<tuple>names, args[nargs]))
            and (type(<object>args[0]) is ndarray or type(<object>args[nargs - 1]) is ndarray)):
        found = PyDict_GetItem(_ufuncs, ufunc)
        if (found != NULL and type(<object>found) is Ufunc and (<Ufunc>found).nin == nargs
                and _is_plain(args[0]) and _is_plain(args[nargs - 1])):
            if names != NULL:
                outs = (<object>args[nargs],)
            if outs is None or (<Ufunc>found).nout == 1:
                result = call(<Ufunc>found, args, outs, where=True, casting="same_kind", order="K", signature=None,
                              operator=False)
                if result is not NotImplemented:
                    return result
        elif (names == NULL and nargs == 2 and type(<object>args[0]) is ndarray and type(<object>args[1]) is ndarray
              and (ufunc is _numpy_matmul or _is_product(ufunc, <ndarray>args[0], <ndarray>args[1]))):
            return _binary(OP_MATMUL, <object>args[0], <object>args[1])
    return _numpy_call(ufunc, args, nargsf, names)


cdef bint _is_product(object ufunc, ndarray left, ndarray right) except -1:
    """Whether a product of real arrays on the CPU device that fit is that of ``@``."""
    axes = _products.get(ufunc)
    return (axes is not None and left.ndim_ == axes[0] and right.ndim_ == axes[1] and left.device_ is right.device_
            and left.device_.is_cpu and left.code == right.code and (left.code == F8 or left.code == F4)
            and left.shape_[left.ndim_ - 1] == right.shape_[0])


cdef inline bint _names_out(tuple names, PyObject* value) except -1:
    """Whether the only keyword of a call is ``out``, and its value an array."""
    return len(names) == 1 and type(<object>value) is ndarray and names[0] == "out"


cdef void _shorten_calls(object ufunc) noexcept:
    """Replace the vectorcall of a ufunc of NumPy, which finds the protocol half a microsecond later."""
    replace_vectorcall(ufunc, _call_numpy_ufunc, &_numpy_call)


hooks.array_ufunc = _answer
hooks.binary = _binary
hooks.unary = _unary
hooks.inplace = _inplace
