"""The broadcast shape of operands, and the memory order of results."""
from gpunp.array.ndarray cimport ndarray
from gpunp.device cimport Device
from gpunp.ufunc.plan cimport ElementwiseParams, Operand

# Fill ``shape`` with the broadcast extents; return ndim, or -2 if the operands do not broadcast.
cdef int broadcast(Operand* operands, int count, Py_ssize_t* shape) except -1
# Extend the broadcast shape to that of an output; return ndim.
cdef int broadcast_to_output(Py_ssize_t* shape, int ndim, Operand* out) except -1
# Whether the loop for scalars serves the operands of a ufunc that has one; ``size`` elements in the result.
cdef bint suits_scalars(str namespace, const int* codes, const Operand* operands, const ElementwiseParams* params,
                        int nin, Py_ssize_t size) noexcept
# The shapes of the operands as in NumPy's messages.
cdef object shapes_text(Operand* operands, int count)
# A new result in the requested memory order; K follows the operands as NumPy's iterator does.
cdef ndarray new_output(int code, Operand* operands, int count, int ndim, const Py_ssize_t* shape,
                        Device device, object order)
