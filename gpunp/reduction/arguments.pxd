"""Checks of the axes, ``out=`` and ``where=`` of reductions, and conversion for the planner."""
from gpunp.array.ndarray cimport ndarray
from gpunp.reduction.engine cimport Options

# Mark the axes of an ``axis=`` argument; None marks all.
cdef int mark_axes(object axis, int ndim, bint* reduced) except -1
# The array of ``out=``, after checks of its type, device and shape.
cdef ndarray checked_out(str name, object out, ndarray a, int ndim, const Py_ssize_t* shape)
# ``where=`` as a device array of bool, and its strides along the axes of ``a``.
cdef ndarray broadcast_mask(str name, ndarray a, object where, Py_ssize_t* strides)
# Raise the errors for a mask, and for no elements, in reductions without an identity.
cdef int refuse_mask(str name) except -1
cdef int refuse_empty(str name, ndarray a, object axis) except -1
# Store ``initial=`` in the result's dtype; raises the errors of NumPy's conversion.
cdef int set_initial(Options* options, object initial, int code) except -1
# The truth value of ``keepdims=``; like NumPy, accepts booleans and integers.
cdef bint keeps(object keepdims) except -1
# Whether all elements of an array from an address on are aligned to their size.
cdef bint is_aligned(ndarray a, const char* first) noexcept
