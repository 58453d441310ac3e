"""Operators of arrays with one element on the CPU device, which is the host: without a launch.

Only those whose results are the same bits in C: sums, differences, products, quotients, comparisons and signs of
float64 and int64. All else is left to the ufuncs.
"""
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_CheckExact
from cpython.long cimport PyLong_AsLongLongAndOverflow, PyLong_CheckExact
from libc.math cimport fabs
from libc.stdint cimport int64_t, uint64_t

from gpunp.array.ndarray cimport ndarray, new_array
from gpunp.array.operators cimport (
    OP_ABSOLUTE, OP_ADD, OP_EQUAL, OP_GREATER, OP_GREATER_EQUAL, OP_LESS, OP_LESS_EQUAL, OP_MULTIPLY, OP_NEGATIVE,
    OP_NOT_EQUAL, OP_POSITIVE, OP_SUBTRACT, OP_TRUE_DIVIDE,
)
from gpunp.array.returning cimport released
from gpunp.dtype_codes cimport BOOL, F8, I8

# All integers up to here are float64 numbers.
cdef int64_t _LARGEST_EXACT = 2 ** 53


cdef struct Number:
    bint is_real
    int64_t integer
    double real


cdef bint _read(object value, Number* number) except -1:
    """Read an operand; return False if it is not one of those here."""
    cdef ndarray array
    cdef int overflow = 0
    if type(value) is ndarray:
        array = <ndarray>value
        # Operations on single elements may be deferred, if only after those that are.
        if array.ndim_ or not array.device_.is_cpu or array.device_.pending or array.device_.deferred_elements <= 1:
            return False
        number.is_real = array.code == F8
        if number.is_real:
            number.real = (<double*>array.read_ptr())[0]
            return True
        if array.code != I8:
            return False
        number.integer = (<int64_t*>array.read_ptr())[0]
        number.real = <double>number.integer
        return True
    number.is_real = PyFloat_CheckExact(value)
    if number.is_real:
        number.real = PyFloat_AS_DOUBLE(value)
        return True
    if not PyLong_CheckExact(value):
        return False
    number.integer = PyLong_AsLongLongAndOverflow(value, &overflow)
    number.real = <double>number.integer
    return not overflow and -_LARGEST_EXACT <= number.integer <= _LARGEST_EXACT


cdef inline bint _compared(int op, bint less, bint equal, bint greater) noexcept:
    if op == OP_LESS:
        return less
    if op == OP_LESS_EQUAL:
        return less or equal
    if op == OP_EQUAL:
        return equal
    if op == OP_NOT_EQUAL:
        return not equal
    if op == OP_GREATER:
        return greater
    return greater or equal


cdef ndarray of_numbers(int op, object left, object right):
    cdef Number a, b
    cdef ndarray array = <ndarray>left if type(left) is ndarray else <ndarray>right
    cdef ndarray result
    cdef bint compares = OP_LESS <= op <= OP_GREATER_EQUAL, real, truth
    if not (compares or op == OP_ADD or op == OP_SUBTRACT or op == OP_MULTIPLY or op == OP_TRUE_DIVIDE):
        return None
    if not (_read(left, &a) and _read(right, &b)):
        return None
    real = a.is_real or b.is_real
    if compares:
        if real:
            truth = _compared(op, a.real < b.real, a.real == b.real, a.real > b.real)
        else:
            truth = _compared(op, a.integer < b.integer, a.integer == b.integer, a.integer > b.integer)
        result = new_array(BOOL, 0, NULL, array.device_)
        result._data[0] = truth
    elif real or op == OP_TRUE_DIVIDE:
        result = new_array(F8, 0, NULL, array.device_)
        (<double*>result._data)[0] = (a.real + b.real if op == OP_ADD else a.real - b.real if op == OP_SUBTRACT
                                      else a.real * b.real if op == OP_MULTIPLY else a.real / b.real)
    else:
        # Unsigned, as overflows wrap around.
        result = new_array(I8, 0, NULL, array.device_)
        (<uint64_t*>result._data)[0] = (
            <uint64_t>a.integer + <uint64_t>b.integer if op == OP_ADD
            else <uint64_t>a.integer - <uint64_t>b.integer if op == OP_SUBTRACT
            else <uint64_t>a.integer * <uint64_t>b.integer)
    result.scalar = True
    result.writeable = False
    return released(result)


cdef ndarray of_number(int op, ndarray operand):
    cdef Number a
    cdef ndarray result
    if not (op == OP_NEGATIVE or op == OP_ABSOLUTE or op == OP_POSITIVE) or not _read(operand, &a):
        return None
    result = new_array(operand.code, 0, NULL, operand.device_)
    if a.is_real:
        (<double*>result._data)[0] = -a.real if op == OP_NEGATIVE else fabs(a.real) if op == OP_ABSOLUTE else a.real
    else:
        # Unsigned, as the least integer stays what it is.
        (<uint64_t*>result._data)[0] = (
            0 - <uint64_t>a.integer if op == OP_NEGATIVE or (op == OP_ABSOLUTE and a.integer < 0)
            else <uint64_t>a.integer)
    result.scalar = True
    result.writeable = False
    return released(result)
