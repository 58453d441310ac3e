"""Methods of arrays whose usual calls need no code of Python; all other calls take those of `gpunp.array_methods`.

They are views, conversions, and reads and writes of small arrays on the CPU device, where the code around the work
would take many times as long as the work.
"""
import numpy

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.long cimport PyLong_CheckExact
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy

from gpunp.array.layout cimport names_code
from gpunp.array.ndarray cimport MAX_NDIM, as_scalar, ndarray, new_array, new_view
from gpunp.array.operators cimport FOR_ITEM, OP_MATMUL, hooks
from gpunp.array.returning cimport released
from gpunp.array.scalars cimport is_real, python_number
from gpunp.array.short cimport FEW_BYTES, is_number, is_short
from gpunp.array.views cimport reshaped
from gpunp.device cimport BY_READ, flush_because
from gpunp.dtype_codes cimport BOOL, F4, F8, I4, I8, is_complex, is_inexact, itemsize_of
from gpunp.ufunc.operands cimport store_scalar

from gpunp.ufunc.function_calls import use_methods

cdef enum:
    FEW_WORDS = 128         # FEW_BYTES in words of 8 bytes
    SHORT_DOT = 512         # elements of vectors whose product needs no BLAS; as in gpunp/ufunc/operators.pyx

ctypedef fused Number:
    double
    float
    int64_t
    int32_t

# The complete methods, and what takes their place in the class; `shorten` fills both.
cdef dict _methods = {}
METHODS = {}
# Those that are functions of NumPy too, with the same parameters.
_FUNCTIONS = (
    "all", "any", "argmax", "argmin", "diagonal", "dot", "max", "min", "prod", "ravel", "squeeze", "sum", "swapaxes",
)
cdef str _C = "C"
cdef object _not_given = numpy._NoValue


cdef inline int _read_all(ndarray self, void* target) except -1:
    """Copy the elements of a short array; it counts as a download."""
    flush_because(self.device_, BY_READ)
    return self.device_.copy_to_host(target, self.read_ptr(), self.size_ * self.itemsize_)


cdef list _listed(ndarray self, int axis, const char** element):
    cdef Py_ssize_t _i
    cdef list made = []
    for _i in range(self.shape_[axis]):
        if axis + 1 < self.ndim_:
            made.append(_listed(self, axis + 1, element))
        else:
            made.append(python_number(self.code, element[0]))
            element[0] += self.itemsize_
    return made


def tolist(ndarray self not None):
    cdef double[FEW_WORDS] elements
    cdef const char* first = <const char*>elements
    if self.ndim_ == 0 or not is_real(self.code) or not is_short(self, FEW_BYTES):
        return _methods["tolist"](self)
    _read_all(self, elements)
    return _listed(self, 0, &first)


def tobytes(ndarray self not None, order=_C):
    cdef bytes made
    if order is not _C or self.scalar or not is_short(self):
        return _methods["tobytes"](self, order)
    made = PyBytes_FromStringAndSize(NULL, self.size_ * self.itemsize_)
    if self.size_:
        _read_all(self, PyBytes_AS_STRING(made))
    return made


def item(ndarray self not None, *args):
    cdef double[2] element
    cdef Py_ssize_t offset = 0, index, extent
    cdef int axis, ndim = self.ndim_
    if not args:
        return hooks.number(self, FOR_ITEM)
    if not self.device_.is_cpu or len(args) != ndim or not is_real(self.code):
        return _methods["item"](self, *args)
    for axis in range(ndim):
        if not PyLong_CheckExact(args[axis]):
            return _methods["item"](self, *args)
        index, extent = args[axis], self.shape_[axis]
        if not -extent <= index < extent:
            return _methods["item"](self, *args)
        offset += (index + extent if index < 0 else index) * self.strides_[axis]
    flush_because(self.device_, BY_READ)
    self.device_.copy_to_host(element, self.read_ptr() + offset, self.itemsize_)
    return python_number(self.code, element)


def fill(ndarray self not None, value):
    cdef unsigned char[16] element
    cdef Py_ssize_t i
    cdef char* data
    kind = type(value)
    if (self.scalar or not self.writeable or not is_short(self)
            or not (kind is float and is_inexact(self.code) or kind is int and self.code != BOOL)):
        _methods["fill"](self, value)
        return
    store_scalar(element, self.code, value)
    data = self.data_ptr()
    if self.itemsize_ == 8:
        # Without a call of a function for elements of the most common size.
        for i in range(self.size_):
            memcpy(data + 8 * i, element, 8)
    else:
        for i in range(self.size_):
            memcpy(data + i * self.itemsize_, element, self.itemsize_)


def conj(ndarray self not None, out=None, /):
    return self if out is None and not is_complex(self.code) else _methods["conj"](self, out)


def conjugate(ndarray self not None, out=None, /):
    return self if out is None and not is_complex(self.code) else _methods["conjugate"](self, out)


def reshape(ndarray self not None, *shape, order=_C, copy=None):
    if not shape:
        return _methods["reshape"](self, order=order, copy=copy)
    return reshaped(self, shape[0] if len(shape) == 1 else shape, order, copy)


def ravel(ndarray self not None, order=_C):
    cdef Py_ssize_t step = self.itemsize_
    if order is not _C or not self.c_contiguous:
        return _methods["ravel"](self, order)
    return new_view(self, self.address(), self.code, 1, &self.size_, &step)


def flatten(ndarray self not None, order=_C):
    cdef ndarray made
    if order is not _C or not is_short(self):
        return _methods["flatten"](self, order)
    made = new_array(self.code, 1, &self.size_, self.device_)
    if self.size_:
        memcpy(made.data_ptr(), self.read_ptr(), self.size_ * self.itemsize_)
    return released(made)


def squeeze(ndarray self not None, axis=None):
    cdef Py_ssize_t[MAX_NDIM] shape
    cdef Py_ssize_t[MAX_NDIM] strides
    cdef int d, ndim = 0
    if axis is not None or self.scalar:
        return _methods["squeeze"](self, axis)
    for d in range(self.ndim_):
        if self.shape_[d] != 1:
            shape[ndim], strides[ndim] = self.shape_[d], self.strides_[d]
            ndim += 1
    # NumPy too returns the array itself if there is nothing to remove.
    return self if ndim == self.ndim_ else new_view(self, self.address(), self.code, ndim, shape, strides)


def swapaxes(ndarray self not None, axis1, axis2):
    cdef Py_ssize_t[MAX_NDIM] shape
    cdef Py_ssize_t[MAX_NDIM] strides
    cdef int d, ndim = self.ndim_
    cdef Py_ssize_t first, second
    if not PyLong_CheckExact(axis1) or not PyLong_CheckExact(axis2):
        return _methods["swapaxes"](self, axis1, axis2)
    first, second = axis1, axis2
    if not (-ndim <= first < ndim and -ndim <= second < ndim):
        return _methods["swapaxes"](self, axis1, axis2)
    first, second = first + (ndim if first < 0 else 0), second + (ndim if second < 0 else 0)
    for d in range(ndim):
        shape[d], strides[d] = self.shape_[d], self.strides_[d]
    shape[first], shape[second] = self.shape_[second], self.shape_[first]
    strides[first], strides[second] = self.strides_[second], self.strides_[first]
    return new_view(self, self.address(), self.code, ndim, shape, strides)


def diagonal(ndarray self not None, offset=0, axis1=0, axis2=1):
    cdef Py_ssize_t length, step
    cdef ndarray view
    if (self.ndim_ != 2 or not is_number(offset, 0) or not (is_number(axis1, 0) or is_number(axis1, -2))
            or not (is_number(axis2, 1) or is_number(axis2, -1))):
        return _methods["diagonal"](self, offset, axis1, axis2)
    length, step = self.shape_[0], self.strides_[0] + self.strides_[1]
    if self.shape_[1] < length:
        length = self.shape_[1]
    view = new_view(self, self.address(), self.code, 1, &length, &step)
    view.writeable = False
    return view


def view(ndarray self not None, dtype=_not_given, type=None):
    cdef int code = self.code
    if type is not None or self.scalar and dtype is not _not_given:
        return _methods["view"](self, dtype, type)
    if dtype is not _not_given:
        # Other sizes of elements change the shape.
        if not names_code(dtype, &code) or itemsize_of(code) != self.itemsize_:
            return _methods["view"](self, dtype, type)
    return new_view(self, self.address(), code, self.ndim_, self.shape_, self.strides_)


def astype(ndarray self not None, dtype, order="K", casting="unsafe", subok=True, copy=True):
    cdef ndarray made
    cdef int code = 0
    cdef bint known = (order == "K" and casting == "unsafe" and subok is True and (copy is True or copy is False)
                       and names_code(dtype, &code))
    if known and copy is False and code == self.code:
        return self
    if not known or is_complex(self.code) or not is_short(self):
        return _methods["astype"](self, dtype, order, casting, subok, copy)
    made = new_array(code, self.ndim_, self.shape_, self.device_)
    if made.code == self.code:
        memcpy(made.data_ptr(), self.read_ptr(), self.size_ * self.itemsize_)
    else:
        hooks.copy(made, self)
    if self.scalar:
        as_scalar(made)
    return released(made)


def dot(ndarray self not None, b, out=None):
    cdef ndarray right
    if out is None and type(b) is ndarray:
        right = <ndarray>b
        if (self.ndim_ == 1 and right.ndim_ == 1 and self.size_ == right.size_ <= SHORT_DOT
                and self.code == right.code and (self.code == F8 or self.code == F4)
                and self.device_ is right.device_ and self.device_.is_cpu):
            return hooks.binary(OP_MATMUL, self, right)
        # Of matrices and vectors that fit, the product is that of the operator.
        if (1 <= self.ndim_ <= 2 and 1 <= right.ndim_ <= 2 and self.device_ is right.device_ and self.device_.is_cpu
                and self.shape_[self.ndim_ - 1] == right.shape_[0]):
            return hooks.binary(OP_MATMUL, self, right)
    return _methods["dot"](self, b, out)


cdef Py_ssize_t _place(const Number* elements, Py_ssize_t n, Py_ssize_t step, bint least) noexcept:
    """The place of the first extreme element; of the first NaN if there is one."""
    cdef Py_ssize_t i, found = 0
    cdef Number best = elements[0], element
    for i in range(n):
        element = elements[i * step]
        if Number is double or Number is float:
            if element != element:
                return i
        if (element < best) if least else (element > best):
            best, found = element, i
    return found


cdef ndarray _extreme(ndarray self, object axis, bint least):
    """The result of argmax or argmin of a short array of the most common dtypes; None for others."""
    cdef Py_ssize_t i, place, count = 1, n = self.size_, step = 1, apart = 0
    cdef const char* data
    cdef ndarray made
    if not is_short(self, FEW_BYTES) or self.size_ == 0 or not (self.code == F8 or self.code == F4 or self.code == I8
                                                                or self.code == I4):
        return None
    if axis is not None:
        # Of a matrix, or all of a vector.
        if not PyLong_CheckExact(axis) or not 0 < self.ndim_ <= 2 or not -self.ndim_ <= axis < self.ndim_:
            return None
        if self.ndim_ == 2 and (axis == 0 or axis == -2):
            n, count, step, apart = self.shape_[0], self.shape_[1], self.shape_[1], 1
        elif self.ndim_ == 2:
            n, count, apart = self.shape_[1], self.shape_[0], self.shape_[1]
    data = self.read_ptr()
    made = new_array(I8, 1 if axis is not None and self.ndim_ == 2 else 0, &count, self.device_)
    for i in range(count):
        if self.code == F8:
            place = _place(<const double*>data, n, step, least)
        elif self.code == F4:
            place = _place(<const float*>data, n, step, least)
        elif self.code == I8:
            place = _place(<const int64_t*>data, n, step, least)
        else:
            place = _place(<const int32_t*>data, n, step, least)
        (<int64_t*>made._data)[i] = place
        data += apart * self.itemsize_
    return as_scalar(made)


def argmax(ndarray self not None, axis=None, out=None, **kwargs):
    if out is None and not kwargs:
        found = _extreme(self, axis, least=False)
        if found is not None:
            return found
    return _methods["argmax"](self, axis, out, **kwargs)


def argmin(ndarray self not None, axis=None, out=None, **kwargs):
    if out is None and not kwargs:
        found = _extreme(self, axis, least=True)
        if found is not None:
            return found
    return _methods["argmin"](self, axis, out, **kwargs)


cdef inline bint _is_plain(object out, object keepdims, object initial, object where) noexcept:
    """Whether a reduction has none of these arguments."""
    return out is None and keepdims is _not_given and initial is _not_given and where is _not_given


cdef enum Fold:
    ADD, MULTIPLY, MAXIMUM, MINIMUM, LOGICAL_OR, LOGICAL_AND

_FOLDS = ("add", "multiply", "maximum", "minimum", "logical_or", "logical_and")
cdef object _reduce = None
cdef list _reductions = []


cdef object _reduced(Fold fold, ndarray self, object axis):
    """The reduction along an axis by a ufunc."""
    global _reduce
    if _reduce is None:
        # Imported at the first reduction, as not every program has one.
        from gpunp.reduction.engine import reduce_plain, reduction_named

        _reductions.extend(map(reduction_named, _FOLDS))
        _reduce = reduce_plain
    return _reduce(_reductions[fold], self, axis)


def sum(ndarray self not None, axis=None, dtype=None, out=None, keepdims=_not_given, initial=_not_given,
        where=_not_given):
    cdef int code = 0
    # Sums of float64 have that dtype.
    if dtype is not None and self.code == F8 and names_code(dtype, &code) and code == F8:
        dtype = None
    if dtype is None and _is_plain(out, keepdims, initial, where):
        return _reduced(ADD, self, axis)
    return _methods["sum"](self, axis, dtype, out, keepdims, initial, where)


def prod(ndarray self not None, axis=None, dtype=None, out=None, keepdims=_not_given, initial=_not_given,
         where=_not_given):
    if dtype is None and _is_plain(out, keepdims, initial, where):
        return _reduced(MULTIPLY, self, axis)
    return _methods["prod"](self, axis, dtype, out, keepdims, initial, where)


def max(ndarray self not None, axis=None, out=None, keepdims=_not_given, initial=_not_given, where=_not_given):
    if _is_plain(out, keepdims, initial, where):
        return _reduced(MAXIMUM, self, axis)
    return _methods["max"](self, axis, out, keepdims, initial, where)


def min(ndarray self not None, axis=None, out=None, keepdims=_not_given, initial=_not_given, where=_not_given):
    if _is_plain(out, keepdims, initial, where):
        return _reduced(MINIMUM, self, axis)
    return _methods["min"](self, axis, out, keepdims, initial, where)


def any(ndarray self not None, axis=None, out=None, keepdims=_not_given, *, where=_not_given):
    if _is_plain(out, keepdims, _not_given, where):
        return _reduced(LOGICAL_OR, self, axis)
    return _methods["any"](self, axis, out, keepdims, where=where)


def all(ndarray self not None, axis=None, out=None, keepdims=_not_given, *, where=_not_given):
    if _is_plain(out, keepdims, _not_given, where):
        return _reduced(LOGICAL_AND, self, axis)
    return _methods["all"](self, axis, out, keepdims, where=where)


def shorten(methods):
    """Return the methods by name; those of ``methods`` are called where there is no short way."""
    for short in (all, any, argmax, argmin, astype, conj, conjugate, diagonal, dot, fill, flatten, item, max, min, prod,
                  ravel, reshape, squeeze, sum, swapaxes, tobytes, tolist, view):
        complete = _methods[short.__name__] = methods[short.__name__]
        short.__qualname__, short.__module__ = complete.__qualname__, complete.__module__
        short.__doc__, short.__wrapped__ = complete.__doc__, complete
        METHODS[short.__name__] = short
    use_methods({getattr(numpy, name): METHODS[name] for name in _FUNCTIONS})
    return METHODS
