"""The broadcast shape of operands, and the memory order of results."""
from gpunp.array.ndarray cimport MAX_NDIM, ndarray, new_array, new_array_strided
from gpunp.array.strides cimport f_strides, permuted_strides, product
from gpunp.device cimport Device
from gpunp.dtype_codes cimport F4, itemsize_of
from gpunp.ufunc.plan cimport ElementwiseParams, Operand, fusion_hooks


cdef int broadcast(Operand* operands, int count, Py_ssize_t* shape) except -1:
    """Fill ``shape`` with the broadcast extents; return ndim, or -2 if the operands do not broadcast."""
    cdef int k, d, offset, ndim = 0
    cdef Py_ssize_t extent
    for k in range(count):
        if operands[k].ndim > ndim:
            ndim = operands[k].ndim
    for d in range(ndim):
        shape[d] = 1
    for k in range(count):
        offset = ndim - operands[k].ndim
        for d in range(operands[k].ndim):
            extent = operands[k].shape[d]
            if extent != 1:
                if shape[offset + d] == 1:
                    shape[offset + d] = extent
                elif shape[offset + d] != extent:
                    return -2
    return ndim


cdef bint suits_scalars(str namespace, const int* codes, const Operand* operands, const ElementwiseParams* params,
                        int nin, Py_ssize_t size) noexcept:
    """Whether every input but the first is one number; arrays of one element do not count if the result has one.

    Of a Bessel function, whether the order on the left is the number 0 or 1.
    """
    cdef int i
    cdef double order
    if namespace != "numpy":
        if not operands[0].scalar or codes[0] != codes[1]:
            return False
        order = (<float*>params.scalar[0])[0] if codes[0] == F4 else (<double*>params.scalar[0])[0]
        return order == 0 or order == 1
    for i in range(1, nin):
        if operands[i].size != 1 or (operands[i].ndim > 0 and size == 1):
            return False
    return True


cdef object shapes_text(Operand* operands, int count):
    parts = []
    for k in range(count):
        parts.append(str(tuple([operands[k].shape[d] for d in range(operands[k].ndim)])))
    return " ".join(parts)


cdef int _compare_axes(Operand* operands, int count, int ndim, int slow, int fast) noexcept:
    """1 if by the operands' strides axis ``slow`` varies faster than ``fast``, -1 if not; 0 if no strides tell."""
    cdef int verdict = 0
    cdef Py_ssize_t a, b
    cdef int k, offset
    for k in range(count):
        offset = ndim - operands[k].ndim
        if slow < offset or fast < offset:
            continue
        if operands[k].shape[slow - offset] == 1 or operands[k].shape[fast - offset] == 1:
            continue
        a = abs(operands[k].strides[slow - offset])
        b = abs(operands[k].strides[fast - offset])
        if a == 0 or b == 0:
            continue
        if b <= a:
            verdict = -1
        elif verdict == 0:
            verdict = 1
    return verdict


cdef void _iteration_order(Operand* operands, int count, int ndim, int* axes) noexcept:
    """Sort axes, the fastest first, as NumPy's iterator does: C order where no operand has strides that tell."""
    cdef int i, j, place, verdict
    for i in range(ndim):
        axes[i] = ndim - 1 - i
    for i in range(1, ndim):
        place = i
        for j in range(i - 1, -1, -1):
            verdict = _compare_axes(operands, count, ndim, axes[i], axes[j])
            if verdict < 0:
                break
            if verdict > 0:
                place = j
        for j in range(i, place, -1):
            axes[j], axes[j - 1] = axes[j - 1], axes[j]


cdef ndarray new_output(int code, Operand* operands, int count, int ndim, const Py_ssize_t* shape,
                        Device device, object order):
    """A new result in the requested memory order; K follows the operands as NumPy's iterator does."""
    cdef Py_ssize_t[MAX_NDIM] strides
    cdef int[MAX_NDIM] axes
    cdef int k
    cdef bint all_c = True, all_f = True
    cdef Py_ssize_t size = product(ndim, shape)
    # A buffer that gets memory later is a second buffer, which costs an operation that runs at once.
    cdef bint later = (size >= device.deferred_elements
                       and (fusion_hooks.rests == NULL or not fusion_hooks.rests(device, size)))
    if ndim > 1 and order != "C":
        for k in range(count):
            if operands[k].ndim:
                all_c = all_c and operands[k].c_contiguous
                all_f = all_f and operands[k].f_contiguous and operands[k].ndim == ndim
        if order == "F" or (order == "A" and all_f and not all_c) or (all_f and not all_c):
            f_strides(ndim, shape, itemsize_of(code), strides)
            return new_array_strided(code, ndim, shape, strides, device, later)
        if order == "K" and not all_c:
            _iteration_order(operands, count, ndim, axes)
            permuted_strides(ndim, shape, itemsize_of(code), axes, strides)
            return new_array_strided(code, ndim, shape, strides, device, later)
    return new_array(code, ndim, shape, device, later)


cdef int broadcast_to_output(Py_ssize_t* shape, int ndim, Operand* out) except -1:
    """Extend the broadcast shape to that of an output; `check_outputs` reports a mismatch later."""
    cdef int d, offset = out.ndim - ndim
    if offset < 0:
        return ndim
    for d in range(ndim):
        if shape[d] != out.shape[d + offset] and shape[d] != 1:
            return ndim
    for d in range(out.ndim):
        shape[d] = out.shape[d]
    return out.ndim
