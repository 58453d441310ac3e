"""Views with another shape, axis order or dtype."""
from cpython.long cimport PyLong_CheckExact
from cpython.number cimport PyNumber_Index
from cpython.object cimport PyObject
from cpython.pyport cimport PY_SSIZE_T_MAX
from cpython.tuple cimport PyTuple_GET_ITEM

from gpunp.array.axes cimport merge_into
from gpunp.array.layout cimport new_like, order_code, parse_shape
from gpunp.array.ndarray cimport MAX_NDIM, code_of, ndarray, new_array
from gpunp.array.operators cimport hooks
from gpunp.array.ndarray cimport new_array_strided, new_view
from gpunp.array.strides cimport c_strides, f_strides
from gpunp.device cimport check_status
from gpunp.dtype_codes cimport C16, F4, F8, is_complex, itemsize_of
from gpunp.array.arguments import copy_flag
from gpunp.array.layout import is_integer


cdef str _C = "C"


cdef int wanted_shape(ndarray source, object shape, Py_ssize_t* dims) except -1:
    """Parse the target shape of a reshape; one -1 is inferred from the size."""
    cdef int i, unknown = -1, ndim
    cdef Py_ssize_t known = 1
    cdef PyObject* extent
    if shape is True or shape is False:
        raise TypeError(f"expected a sequence of integers or a single integer, got '{shape}'")
    if isinstance(shape, int):
        shape = (shape,)
    elif not isinstance(shape, tuple):
        shape = (shape,) if is_integer(shape) else tuple(shape)
    ndim = len(shape)
    if ndim > MAX_NDIM:
        raise ValueError(f"maximum supported dimension for an ndarray is {MAX_NDIM}, found {ndim}")
    for i in range(ndim):
        extent = PyTuple_GET_ITEM(shape, i)
        if not PyLong_CheckExact(<object>extent) and isinstance(<object>extent, bool):
            raise TypeError(f"reshape: an integer is required for each extent, not {<object>extent}")
        dims[i] = <object>extent
        if dims[i] < 0:
            if unknown >= 0:
                raise ValueError("can only specify one unknown dimension")
            unknown = i
        elif known and dims[i] > PY_SSIZE_T_MAX // known:
            raise ValueError(f"cannot reshape array of size {source.size_} into shape {_text(shape)}")
        else:
            known *= dims[i]
    if unknown >= 0:
        if known == 0 or source.size_ % known:
            raise ValueError(f"cannot reshape array of size {source.size_} into shape {_text(shape)}")
        dims[unknown] = source.size_ // known
    elif known != source.size_:
        raise ValueError(f"cannot reshape array of size {source.size_} into shape {_text(shape)}")
    return ndim


cdef str _text(tuple shape):
    return "(" + ",".join(str(extent) for extent in shape) + ("," if len(shape) == 1 else "") + ")"


cdef bint view_strides(ndarray source, int ndim, const Py_ssize_t* dims, bint f_order, Py_ssize_t* strides):
    """Find the strides of a reshaped view of a source with elements; return False if only a copy can do it.

    In the order of the reshape, the addresses of the elements form runs of equal steps: neighboring axes of
    the source share a run if the outer one continues the inner one. An axis of the target has one step too,
    so it must lie within a run, and its length must divide what the faster axes leave of that run.
    """
    cdef Py_ssize_t lengths[MAX_NDIM]
    cdef Py_ssize_t steps[MAX_NDIM]
    cdef Py_ssize_t left = 1, step = source.itemsize_
    cdef int run, i, axis
    for i in range(source.ndim_):
        axis = source.ndim_ - 1 - i if f_order else i
        lengths[i] = source.shape_[axis]
        steps[i] = source.strides_[axis]
    # Start with the last run, which varies fastest.
    run = merge_into(source.ndim_, 1, lengths, steps, MAX_NDIM, lengths, steps) - 1
    if run >= 0:
        left = lengths[run]
        step = steps[run]
    for i in range(ndim):
        axis = i if f_order else ndim - 1 - i
        if left == 1 and dims[axis] != 1:
            # The run is used up; another one exists, as both shapes have the same number of elements.
            run -= 1
            left = lengths[run]
            step = steps[run]
        if left % dims[axis]:
            return False
        strides[axis] = step
        left //= dims[axis]
        step *= dims[axis]
    return True


cpdef ndarray reshaped(ndarray source, shape, order="C", copy=None):
    """``source.reshape(shape)``: a view where the strides allow it, else a copy."""
    cdef Py_ssize_t dims[MAX_NDIM]
    cdef Py_ssize_t strides[MAX_NDIM]
    if copy is not None:
        copy = copy_flag(copy)
    if shape is None:
        return plain_view(source)
    cdef int ndim = wanted_shape(source, shape, dims)
    # The default is always the same object.
    cdef int wanted = c"C" if order is None or order is _C else order_code(order)
    cdef bint f_order
    cdef int i
    cdef ndarray dense
    if wanted == c"K":
        raise ValueError("order 'K' is not permitted for reshaping")
    f_order = wanted == c"F" or (wanted == c"A" and source.f_contiguous and not source.c_contiguous)
    if not copy:
        if source.size_ == 0 or (source.c_contiguous and not f_order):
            if f_order:
                f_strides(ndim, dims, source.itemsize_, strides)
            else:
                c_strides(ndim, dims, source.itemsize_, strides)
            return new_view(source, source.address(), source.code, ndim, dims, strides)
        if view_strides(source, ndim, dims, f_order, strides):
            return new_view(source, source.address(), source.code, ndim, dims, strides)
        if copy is False:
            raise ValueError("Unable to avoid creating a copy while reshaping.")
    # The copy is written through a view of the source's shape into the final array's memory.
    if f_order:
        f_strides(ndim, dims, source.itemsize_, strides)
        dense = new_array_strided(source.code, ndim, dims, strides, source.device_)
        f_strides(source.ndim_, source.shape_, source.itemsize_, strides)
        hooks.copy(new_view(dense, dense.address(), dense.code, source.ndim_, source.shape_, strides),
                   source)
        return dense
    dense = new_array(source.code, ndim, dims, source.device_)
    if dense.size_:
        hooks.copy(reshaped(dense, tuple([source.shape_[i] for i in range(source.ndim_)])), source)
    return dense


cdef int normalize_axis(object axis, int ndim) except -1:
    cdef Py_ssize_t value = axis
    if value < -ndim or value >= ndim:
        from numpy.exceptions import AxisError
        raise AxisError(value, ndim)
    return value + ndim if value < 0 else value


cdef object _integer(object axis):
    if isinstance(axis, bool):
        raise TypeError(f"an axis must be an integer, not {axis}")
    return PyNumber_Index(axis)


cpdef ndarray transposed(ndarray source, axes=None):
    """``source.transpose(axes)``; None reverses the axes."""
    cdef Py_ssize_t dims[MAX_NDIM]
    cdef Py_ssize_t strides[MAX_NDIM]
    cdef bint seen[MAX_NDIM]
    cdef int i, axis, ndim = source.ndim_
    if axes is None:
        for i in range(ndim):
            dims[i] = source.shape_[ndim - 1 - i]
            strides[i] = source.strides_[ndim - 1 - i]
        return new_view(source, source.address(), source.code, ndim, dims, strides)
    axes = tuple(axes)
    for each in axes:
        if type(each) is not int:
            axes = tuple([_integer(other) for other in axes])
            break
    if len(axes) != ndim:
        raise ValueError("axes don't match array")
    for i in range(ndim):
        seen[i] = False
    for i in range(ndim):
        axis = normalize_axis(axes[i], ndim)
        if seen[axis]:
            raise ValueError("repeated axis in transpose")
        seen[axis] = True
        dims[i] = source.shape_[axis]
        strides[i] = source.strides_[axis]
    return new_view(source, source.address(), source.code, ndim, dims, strides)


cpdef ndarray broadcast(ndarray source, shape):
    """A read-only view of ``source`` stretched to ``shape``."""
    cdef Py_ssize_t dims[MAX_NDIM]
    cdef Py_ssize_t strides[MAX_NDIM]
    cdef int ndim = parse_shape(shape, dims)
    cdef int i, lead = ndim - source.ndim_
    cdef Py_ssize_t extent
    if lead < 0:
        raise ValueError("input operand has more dimensions than allowed by the axis remapping")
    for i in range(ndim):
        extent = source.shape_[i - lead] if i >= lead else 1
        if extent == dims[i] and i >= lead:
            strides[i] = source.strides_[i - lead]
        elif extent == 1:
            strides[i] = 0
        else:
            have, want = source.shape, tuple([dims[k] for k in range(ndim)])
            raise ValueError("operands could not be broadcast together with remapped shapes "
                             f"[original->remapped]: {_text(have)} and requested shape {_text(want)}")
    cdef ndarray view = new_view(source, source.address(), source.code, ndim, dims, strides)
    view.writeable = False
    return view


cpdef ndarray reinterpreted(ndarray source, dtype):
    """``source.view(dtype)``: the same bytes as elements of another dtype."""
    cdef Py_ssize_t dims[MAX_NDIM]
    cdef Py_ssize_t strides[MAX_NDIM]
    cdef int code = code_of(dtype), i, ndim = source.ndim_, last = source.ndim_ - 1
    cdef Py_ssize_t old = source.itemsize_, new = itemsize_of(code), nbytes
    cdef size_t bits = <size_t>source.address()
    for i in range(ndim):
        dims[i] = source.shape_[i]
        strides[i] = source.strides_[i]
    if old != new:
        if ndim == 0:
            raise ValueError("Changing the dtype of a 0d array is only supported if the itemsize is "
                             "unchanged")
        if strides[last] != old and dims[last] != 1 and source.size_ != 0:
            raise ValueError("To change to a dtype of a different size, the last axis must be contiguous")
        nbytes = dims[last] * old
        if new > old and nbytes % new:
            raise ValueError("When changing to a larger dtype, its size must be a divisor of the total size "
                             "in bytes of the last axis of the array.")
        dims[last] = nbytes // new
        strides[last] = new
        for i in range(ndim):
            if dims[i] > 1:
                bits |= <size_t>strides[i]
        if new > old and source.size_ and bits % <size_t>new:
            raise ValueError(f"view: elements of {dtype} would not be aligned to their {new} bytes, as a "
                             "device needs them; copy() the array first")
    return new_view(source, source.address(), code, ndim, dims, strides)


cpdef ndarray component(ndarray source, bint imaginary):
    """The real or imaginary parts of a complex array, as a view."""
    cdef int code = F8 if source.code == C16 else F4
    return new_view(source, source.address() + (itemsize_of(code) if imaginary else 0), code, source.ndim_,
                    source.shape_, source.strides_)


cpdef ndarray real_part(ndarray source):
    """The real parts: a view, or the array itself if it is real."""
    return component(source, imaginary=False) if is_complex(source.code) else source


cpdef ndarray imaginary_part(ndarray source):
    """The imaginary parts: a view, or read-only zeros for a real array."""
    cdef ndarray zeros
    if is_complex(source.code):
        return component(source, imaginary=True)
    check_status(source.device_)
    zeros = new_like(source, source.code, c"K", source.device_)
    if zeros.size_:
        zeros.device_.fill_bytes(zeros.data_ptr(), 0, zeros.size_ * zeros.itemsize_)
    zeros.writeable = False
    zeros.scalar = source.scalar
    return zeros


cpdef ndarray matrix_transposed(ndarray source):
    """The array with its last two axes swapped."""
    cdef Py_ssize_t dims[MAX_NDIM]
    cdef Py_ssize_t strides[MAX_NDIM]
    cdef int i, ndim = source.ndim_
    if ndim < 2:
        raise ValueError("matrix transpose with ndim < 2 is undefined")
    for i in range(ndim):
        dims[i], strides[i] = source.shape_[i], source.strides_[i]
    dims[ndim - 2], dims[ndim - 1] = source.shape_[ndim - 1], source.shape_[ndim - 2]
    strides[ndim - 2], strides[ndim - 1] = source.strides_[ndim - 1], source.strides_[ndim - 2]
    return new_view(source, source.address(), source.code, ndim, dims, strides)


cpdef ndarray plain_view(ndarray source):
    """Another array object over the same memory."""
    return new_view(source, source.address(), source.code, source.ndim_, source.shape_, source.strides_)
