"""Checks of the axes, ``out=`` and ``where=`` of reductions, and conversion for the planner."""
import numpy as np

from cpython.number cimport PyNumber_Index

from gpunp.array.ndarray cimport MAX_NDIM, dtype_of, ndarray, require_writeable, shape_tuple
from gpunp.dtype_codes cimport BOOL, is_inexact
from gpunp.reduction.engine cimport Options
from gpunp.reduction.plan cimport REDUCE_INITIAL

from gpunp.array.arguments import truth_values
from gpunp.array.convert import asarray

cdef object NoValue = np._NoValue


cdef int _mark_axis(object axis, int ndim, bint* reduced) except -1:
    """Mark one axis; a 0-d array accepts the axes 0 and -1, without effect."""
    cdef Py_ssize_t i
    if isinstance(axis, bool):
        raise TypeError(f"axis must be an integer, not {axis}")
    index = axis if type(axis) is int else PyNumber_Index(axis)
    if not -max(ndim, 1) <= index < max(ndim, 1):
        raise np.exceptions.AxisError(index, ndim)
    i = index
    if i < 0:
        i += ndim
    if ndim == 0:
        return 0
    if reduced[i]:
        raise ValueError("duplicate value in 'axis'")
    reduced[i] = True
    return 0


cdef int mark_axes(object axis, int ndim, bint* reduced) except -1:
    cdef int d
    if axis is None:
        for d in range(ndim):
            reduced[d] = True
        return 0
    for d in range(ndim):
        reduced[d] = False
    if isinstance(axis, tuple):
        for each in <tuple>axis:
            if ndim == 0:
                raise np.exceptions.AxisError(each, 0)
            _mark_axis(each, ndim, reduced)
        return 0
    return _mark_axis(axis, ndim, reduced)


cdef ndarray checked_out(str name, object out, ndarray a, int ndim, const Py_ssize_t* shape):
    """The array of ``out=``, after checks of its type, device and shape."""
    cdef ndarray target
    cdef int d
    if isinstance(out, tuple) and len(out) == 1:
        out = out[0]
    if not isinstance(out, ndarray):
        raise TypeError(f"{name}: return arrays must be gpunp arrays, not {type(out).__name__}")
    target = out
    if target.device_ is not a.device_:
        raise ValueError(f"{name}: out is on {target.device_} and the array on {a.device_}; move one with to_device")
    if target.ndim_ != ndim:
        raise ValueError(f"output parameter for reduction operation {name} has the wrong number of "
                         f"dimensions: Found {target.ndim_} but expected {ndim}")
    for d in range(ndim):
        if target.shape_[d] != shape[d]:
            raise ValueError(f"{name}: the result has shape {tuple([shape[i] for i in range(ndim)])} and "
                             f"does not fit into out of shape {shape_tuple(target)}")
    require_writeable(target)
    return target


cdef ndarray broadcast_mask(str name, ndarray a, object where, Py_ssize_t* strides):
    """``where=`` as a device array of bool, and its strides along the axes of ``a``."""
    cdef ndarray mask = (<ndarray>where if isinstance(where, ndarray)
                         else asarray(truth_values(where), device=a.device_))
    cdef int d, lead = a.ndim_ - mask.ndim_
    if mask.device_ is not a.device_:
        raise ValueError(f"{name}: where is on {mask.device_} and the array on {a.device_}; move one with to_device")
    if mask.code != BOOL:
        raise TypeError(f"Cannot cast array data from {dtype_of(mask.code)!r} to dtype('bool') according to "
                        f"the rule 'safe'; {name}: where= takes booleans")
    if lead < 0:
        raise ValueError(f"{name}: where has {mask.ndim_} dimensions, more than the {a.ndim_} of the array")
    for d in range(a.ndim_):
        strides[d] = 0
        if d >= lead and mask.shape_[d - lead] != 1:
            if mask.shape_[d - lead] != a.shape_[d]:
                raise ValueError(f"{name}: where of shape {shape_tuple(mask)} cannot be broadcast to the "
                                 f"array's shape {shape_tuple(a)}")
            strides[d] = mask.strides_[d - lead]
    return mask


cdef int refuse_mask(str name) except -1:
    raise ValueError(f"reduction operation '{name}' does not have an identity, so to use a where mask one has to "
                     "specify 'initial'")


cdef int refuse_empty(str name, ndarray a, object axis) except -1:
    """Raise for a reduction with ``initial=None`` along an empty axis: there is no first element to start from."""
    cdef bint[MAX_NDIM] reduced
    cdef int d
    mark_axes(axis, a.ndim_, reduced)
    for d in range(a.ndim_):
        if reduced[d] and a.shape_[d] == 0:
            raise ValueError(f"zero-size array to reduction operation {name} which has no identity")
    return 0


cdef int set_initial(Options* options, object initial, int code) except -1:
    """Store ``initial=`` in the result's dtype; raises the errors of NumPy's conversion."""
    if isinstance(initial, ndarray):
        initial = initial.item()
    value = np.empty((), dtype_of(code))
    value[...] = initial
    number = value.item()
    if not is_inexact(code):
        options.initial_integer = <long long>(<unsigned long long>int(number)) if number > 0 else int(number)
    else:
        options.initial[0] = number.real
        options.initial[1] = number.imag
    options.flags |= REDUCE_INITIAL
    return 0


cdef bint keeps(object keepdims) except -1:
    """The truth value of ``keepdims=``; like NumPy, accepts booleans and integers."""
    if keepdims is NoValue:
        return False
    if isinstance(keepdims, (bool, np.bool_)):
        return keepdims
    return PyNumber_Index(keepdims) != 0


cdef bint is_aligned(ndarray a, const char* first) noexcept:
    cdef size_t bits = <size_t>first
    cdef int d, unit = a.itemsize_
    for d in range(a.ndim_):
        bits |= <size_t>a.strides_[d]
    return bits % <size_t>unit == 0
