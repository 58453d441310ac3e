"""Axes, ``out=`` and ``where=`` of reductions: checked, and in the form that the planner takes."""
from gpunp.array.ndarray cimport ndarray

# Mark the axes of an ``axis=`` argument; None marks all.
cdef int mark_axes(object axis, int ndim, bint* reduced) except -1
# The array of ``out=``, once its type, device and shape fit.
cdef ndarray checked_out(str name, object out, ndarray a, int ndim, const Py_ssize_t* shape)
# ``where=`` as a device array of bool, and its strides along the axes of ``a``.
cdef ndarray broadcast_mask(str name, ndarray a, object where, Py_ssize_t* strides)
# The errors of a mask, and of no elements, without anything to start from.
cdef int refuse_mask(str name) except -1
cdef int refuse_empty(str name, ndarray a, object axis) except -1
