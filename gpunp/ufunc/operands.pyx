"""Classification and conversion of operands: device arrays, Python numbers, host values."""
import numpy as np

from cpython.complex cimport PyComplex_CheckExact
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_CheckExact
from cpython.long cimport PyLong_CheckExact
from cpython.object cimport PyObject
from libc.string cimport memcpy

from gpunp.array.ndarray cimport code_of, dtype_of, ndarray
from gpunp.device cimport Device
from gpunp.dtype_codes cimport BOOL, C16, F4, F8, I1, I8, NUM_DTYPES, U8, is_integer, itemsize_of
from gpunp.ufunc.plan cimport Operand, describe

cdef extern from "Python.h":
    long long PyLong_AsLongLongAndOverflow(object value, int* overflow) except? -1
    unsigned long long PyLong_AsUnsignedLongLong(object value) except? 0

cdef object _generic = np.generic
cdef object _host_array = np.ndarray
# NumPy's most common scalars, which have the same value as Python's numbers.
cdef object _float64 = np.float64
cdef object _int64 = np.int64
# Set by `install`: converts array-likes to device arrays; checks the policy for host operands.
cdef object _asarray = None
cdef object _check_host_operand = None

# Smallest and largest value of each integer dtype, by code.
cdef list _limits = [None] * NUM_DTYPES
for _code in range(I1, U8 + 1):
    _info = np.iinfo(dtype_of(_code))
    _limits[_code] = (_info.min, _info.max)


def install(asarray, check_host_operand):
    """Set the converter of host operands and the function that checks the policy for them."""
    global _asarray, _check_host_operand
    _asarray = asarray
    _check_host_operand = check_host_operand


# Array-likes of gpunp that have ``__array_ufunc__`` themselves.
cdef set _own_types = set()


def add_operand_type(cls):
    """Accept objects of a class, which `asarray` must be able to convert, as operands."""
    _own_types.add(cls)


def is_sequence_of_numbers(value):
    """Whether NumPy reads a sequence without array protocols, such as ``range(3)``, as numbers."""
    if isinstance(value, (str, bytes)) or not (hasattr(type(value), "__len__")
                                               and hasattr(type(value), "__getitem__")):
        return False
    return np.asarray(value).dtype.kind in "biufc"


cdef int classify(object value) except -1:
    if PyFloat_CheckExact(value):
        return WEAK_FLOAT
    if PyLong_CheckExact(value):
        return WEAK_INT
    if value is True or value is False:
        return BOOL
    if PyComplex_CheckExact(value):
        return WEAK_COMPLEX
    if type(value) is _float64:
        return F8
    if isinstance(value, _generic):
        return code_of((<object>value).dtype)
    if isinstance(value, _host_array):
        if value.ndim == 0 and type(value) is _host_array:
            return code_of(value.dtype)
        # Subclasses with a higher priority (masked arrays, matrices) handle the call themselves.
        return FOREIGN if getattr(value, "__array_priority__", 0) > 0 else HOST_ARRAY
    if isinstance(value, (list, tuple)):
        return HOST_ARRAY
    if type(value) in _own_types:
        return HOST_ARRAY
    if hasattr(type(value), "__array_ufunc__") or hasattr(type(value), "__array_priority__"):
        return FOREIGN
    if isinstance(value, int):
        return WEAK_INT
    if isinstance(value, float):
        return WEAK_FLOAT
    for attribute in ("__array_interface__", "__array__", "__dlpack__", "__cuda_array_interface__"):
        if hasattr(value, attribute):
            return HOST_ARRAY
    return HOST_ARRAY if is_sequence_of_numbers(value) else FOREIGN


def is_foreign(value):
    """Whether an operand is left to another library, or supported by none."""
    return classify(value) == FOREIGN


cdef int _store_integer(unsigned char* target, int code, object value) except -1:
    cdef int overflow = 0
    cdef long long number
    cdef unsigned long long big
    limits = _limits[code]
    if value < limits[0] or value > limits[1]:
        raise OverflowError(f"Python integer {value} out of bounds for {dtype_of(code)}")
    if code == U8:
        big = PyLong_AsUnsignedLongLong(value)
        memcpy(target, &big, 8)
    else:
        # Little-endian two's complement: the low bytes are the narrower integer.
        number = PyLong_AsLongLongAndOverflow(value, &overflow)
        memcpy(target, &number, itemsize_of(code))
    return 0


cdef int store_scalar(unsigned char* target, int code, object value) except -1:
    cdef double real
    cdef float narrow
    cdef double complex wide
    cdef bytes raw
    kind = type(value)
    if kind is _float64 and code == F8:
        real = PyFloat_AS_DOUBLE(value)
        memcpy(target, &real, 8)
        return 0
    if kind is _int64 and (code == F8 or code == I8):
        value = int(value)
        kind = int
    if kind is float or kind is int:
        if code == F8:
            real = value
            memcpy(target, &real, 8)
            return 0
        if code == F4:
            real = value
            narrow = <float>real
            memcpy(target, &narrow, 4)
            return 0
        if is_integer(code) and kind is int:
            return _store_integer(target, code, value)
        if code == C16:
            wide = complex(value)
            memcpy(target, &wide, 16)
            return 0
    if isinstance(value, int) and not isinstance(value, bool) and is_integer(code):
        return _store_integer(target, code, int(value))
    with np.errstate(all="ignore"):
        raw = np.asarray(value).astype(dtype_of(code)).tobytes()
    memcpy(target, <const char*>raw, itemsize_of(code))
    return 0


cdef ndarray upload(object value, Device device, str name):
    _check_host_operand(value, name)
    return <ndarray>_asarray(value, device=device)


cdef list upload_operands(object ufunc, PyObject** args, Operand* operands, int* kinds, Device device):
    cdef list arrays = []
    cdef ndarray array
    cdef int i, count = ufunc.nin
    for i in range(count):
        if kinds[i] == HOST_ARRAY:
            array = upload(<object>args[i], device, ufunc.path)
            arrays.append(array)
            describe(&operands[i], array)
            kinds[i] = array.code
    return arrays


cdef object promotion_type(int kind):
    if kind == WEAK_INT:
        return int
    if kind == WEAK_FLOAT:
        return float
    if kind == WEAK_COMPLEX:
        return complex
    return dtype_of(kind)
