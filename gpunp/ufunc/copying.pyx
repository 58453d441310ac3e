"""Copies between arrays of one device: broadcast, converted, and safe where they overlap."""
from libc.string cimport memcpy

from gpunp.array.ndarray cimport ndarray, new_array
from gpunp.array.operators cimport hooks
from gpunp.array.strides cimport extent
from gpunp.device cimport Device, check_status
from gpunp.dtype_codes cimport NUM_DTYPES
from gpunp.ufunc.plan cimport ElementwiseParams, Loop, Operand, copy_loop, describe, execute

from gpunp.dtype_codes import NAMES
from gpunp.ufunc.table.row import unit_of

# Loops of contiguous conversions, at source * NUM_DTYPES + target.
cdef list _cast_loops = [None] * (NUM_DTYPES * NUM_DTYPES)


cdef Loop _cast_loop(int source, int target):
    cdef int key = source * NUM_DTYPES + target
    if _cast_loops[key] is None:
        _cast_loops[key] = Loop(unit_of("cast", NAMES[source]), f"cast_{NAMES[source]}_{NAMES[target]}",
                                (source, target), 1, tiled=False, strided=False)
    return <Loop>_cast_loops[key]


cdef int _check_broadcast(ndarray target, ndarray source) except -1:
    cdef int d, offset = target.ndim_ - source.ndim_
    cdef bint ok = offset >= 0
    if ok:
        for d in range(source.ndim_):
            if source.shape_[d] != 1 and source.shape_[d] != target.shape_[d + offset]:
                ok = False
                break
    if not ok:
        raise ValueError(f"could not broadcast input array from shape {source.shape} into shape {target.shape}")
    return 0


cdef bint overlaps(ndarray a, ndarray b) noexcept:
    """Whether two arrays share bytes without having the same elements in the same places."""
    cdef Py_ssize_t low_a, high_a, low_b, high_b
    cdef int d
    if a.device_ is not b.device_ or a.size_ == 0 or b.size_ == 0:
        return False
    if a.address() == b.address() and a.ndim_ == b.ndim_ and a.itemsize_ == b.itemsize_:
        for d in range(a.ndim_):
            if a.shape_[d] != b.shape_[d] or (a.shape_[d] > 1 and a.strides_[d] != b.strides_[d]):
                break
        else:
            return False
    extent(a.ndim_, a.shape_, a.strides_, a.itemsize_, &low_a, &high_a)
    extent(b.ndim_, b.shape_, b.strides_, b.itemsize_, &low_b, &high_b)
    return a.address() + low_a < b.address() + high_b and b.address() + low_b < a.address() + high_a


cdef int _copy_last(ndarray target, ndarray source) except -1:
    """Copy into an array with strides of 0, where the last element written to a place remains, as in NumPy."""
    cdef tuple key = tuple([slice(-1 if step == 0 else 0, None) for step in target.strides])
    return copy_into(target[key], source[key[target.ndim_ - source.ndim_:]])


cdef int copy_into(ndarray target, ndarray source) except -1:
    cdef ElementwiseParams params
    cdef Operand[2] operands
    cdef Device device = target.device_
    cdef bint same_shape
    cdef ndarray apart
    cdef int d
    if source.device_ is not device:
        raise ValueError(f"copy: the source is on {source.device_} and the target on {device}; "
                         "move one with to_device")
    check_status(device)
    _check_broadcast(target, source)
    if target.size_ == 0:
        return 0
    if overlaps(target, source):
        apart = new_array(source.code, source.ndim_, source.shape_, device)
        copy_into(apart, source)
        source = apart
    for d in range(target.ndim_):
        if target.strides_[d] == 0 and target.shape_[d] > 1:
            return _copy_last(target, source)
    describe(&operands[0], source)
    describe(&operands[1], target)
    same_shape = source.size_ == target.size_
    dense = same_shape and ((source.c_contiguous and target.c_contiguous) or
                            (source.f_contiguous and target.f_contiguous and source.ndim_ == target.ndim_))
    if source.code == target.code:
        if dense:
            if operands[0].data == operands[1].data:
                return 0
        elif not device.is_cpu and copy_hooks.backwards(target, source):
            return 0
    elif dense or device.is_cpu:
        return execute(_cast_loop(source.code, target.code), device, &params, operands, NULL,
                       target.ndim_, target.shape_)
    return execute(copy_loop(target.code), device, &params, operands, NULL, target.ndim_, target.shape_)


cdef int fill(ndarray target, const void* value) except -1:
    cdef ElementwiseParams params
    cdef Operand[2] operands
    memcpy(params.scalar[0], value, target.itemsize_)
    operands[0].scalar = True
    operands[0].code = target.code
    operands[0].data = NULL
    describe(&operands[1], target)
    check_status(target.device_)
    return execute(copy_loop(target.code), target.device_, &params, operands, NULL,
                   target.ndim_, target.shape_)


cdef int _copy_hook(object target, object source) except -1:
    return copy_into(<ndarray>target, <ndarray>source)


def fill_bytes(ndarray target not None, bytes value):
    """Set every element to one value, given as bytes of the target's dtype."""
    if len(value) != target.itemsize_:
        raise ValueError(f"fill_bytes: the value has {len(value)} bytes, the elements have {target.itemsize_}")
    fill(target, <const char*>value)


hooks.copy = _copy_hook
