"""Outputs and ``where=`` of ufuncs: checked, and kept from overwriting inputs before they are read."""
import numpy as np

from cpython.object cimport PyObject

from gpunp.array.ndarray cimport (
    as_scalar, dtype_of, ndarray, new_array, require_writeable, shape_tuple, unmarked_copy,
)
from gpunp.device cimport Device, current_device
from gpunp.dtype_codes cimport BOOL, C16, is_complex
from gpunp.ufunc.broadcasting cimport new_output
from gpunp.ufunc.copying cimport copy_into, overlaps
from gpunp.ufunc.operands cimport WEAK_COMPLEX, upload
from gpunp.ufunc.plan cimport ElementwiseParams, Loop, Operand, describe, execute
from gpunp.watching cimport shared_of, watches

from gpunp.array.arguments import truth_values, warn_of_imaginary
from gpunp.array.numpy_internals import UFuncOutputCastingError


cdef tuple given_outputs(object ufunc, object out):
    """``out=`` as a tuple with a device array or None per output; None if all are None."""
    if not isinstance(out, tuple):
        if ufunc.nout > 1:
            raise TypeError(f"'out' must be a tuple of {ufunc.nout} arrays for {ufunc.name}")
        out = (out,)
    if len(out) != ufunc.nout:
        raise ValueError("The 'out' tuple must have exactly one entry per ufunc output")
    for each in out:
        if each is not None and not isinstance(each, ndarray):
            raise TypeError(f"{ufunc.path}: out is {type(each).__name__}; give a gpunp array, "
                            "or copy the result with gpunp.asnumpy(result, out=...)")
    return None if all([each is None for each in out]) else out


cdef Device device_of_results(tuple outs, object where):
    if outs is not None:
        for x in outs:
            if x is not None:
                return (<ndarray>x).device_
    return (<ndarray>where).device_ if isinstance(where, ndarray) else current_device()


cdef int check_outputs(object ufunc, Loop loop, tuple outs, int ndim, const Py_ssize_t* shape,
                       Device device) except -1:
    """Raise unless the outputs are writable, on the device and of the broadcast shape."""
    cdef ndarray out
    cdef int i, d
    cdef bint same
    for i in range(loop.nout):
        if outs[i] is None:
            continue
        out = <ndarray>outs[i]
        # Memory that is shared with the host gets the results of a copy: see `into_outputs`.
        if out.scalar or not out.writeable:
            require_writeable(out)
        if out.device_ is not device:
            raise ValueError(f"{ufunc.path}: the operands are on {device} and out is on {out.device_}; "
                             "move one with to_device")
        same = out.ndim_ == ndim
        if same:
            for d in range(ndim):
                same = same and out.shape_[d] == shape[d]
        if not same:
            wanted = tuple([shape[d] for d in range(ndim)])
            raise ValueError(f"non-broadcastable output operand with shape {shape_tuple(out)} doesn't match the "
                             f"broadcast shape {wanted}")
    return 0


cdef int check_output_dtypes(object ufunc, Loop loop, tuple outs, object casting) except -1:
    """Raise unless the dtypes that the loop computes may be cast to those of the outputs."""
    cdef int i
    for i in range(loop.nout):
        if outs[i] is None or (<ndarray>outs[i]).code == loop.codes[loop.nin + i]:
            continue
        computed = dtype_of(loop.codes[loop.nin + i])
        if not np.can_cast(computed, (<ndarray>outs[i]).dtype, casting):
            raise UFuncOutputCastingError(ufunc.numpy_ufunc, casting, computed, (<ndarray>outs[i]).dtype, i)
        warn_of_imaginary(computed, (<ndarray>outs[i]).dtype)
    return 0


cdef int warn_of_inputs(Loop loop, const int* kinds) except -1:
    """Issue NumPy's warning if a loop that the caller chose drops imaginary parts of an input."""
    cdef int i
    for i in range(loop.nin):
        if is_complex(kinds[i]) or kinds[i] == WEAK_COMPLEX:
            warn_of_imaginary(dtype_of(C16), dtype_of(loop.codes[i]))
    return 0


cdef ndarray where_mask(object where, Device device):
    """``where=`` as a bool array on the device."""
    cdef ndarray mask
    if isinstance(where, ndarray):
        mask = <ndarray>where
        if mask.device_ is not device:
            raise ValueError(f"where is on {mask.device_} and the operands are on {device}; "
                             "move one with to_device")
    else:
        mask = upload(truth_values(where), device, "where")
    if mask.code != BOOL:
        raise TypeError(f"Cannot cast array data from {mask.dtype!r} to dtype('bool') according to the rule 'safe'")
    return mask


cdef ndarray _apart(ndarray source, tuple outs, Operand* operand):
    """Copy an array that an output would overwrite before it is read; None if there is no such output."""
    cdef ndarray copy
    for out in outs:
        if out is not None and overlaps(source, <ndarray>out):
            copy = new_array(source.code, source.ndim_, source.shape_, source.device_)
            copy_into(copy, source)
            describe(operand, copy)
            return copy
    return None


cdef list separate(PyObject** args, tuple outs, ndarray mask, Operand* operands, Operand* masked, int nin):
    """Copy what an output would overwrite before it is read; the list keeps the copies alive."""
    cdef list copies = []
    cdef int i
    for i in range(nin):
        if isinstance(<object>args[i], ndarray):
            copies.append(_apart(<ndarray>args[i], outs, &operands[i]))
    if mask is not None:
        copies.append(_apart(mask, outs, masked))
    return copies


cdef bint share_memory(list results) noexcept:
    """Whether any two outputs share memory, fully or in part."""
    cdef ndarray first, second
    cdef int i, k
    for i in range(len(results)):
        for k in range(i):
            first, second = <ndarray>results[k], <ndarray>results[i]
            if overlaps(first, second) or (first.address() == second.address() and first.size_ != 0):
                return True
    return False


cdef bint second_stays(PyObject** args, Loop loop, list results) noexcept:
    """Whether, of two outputs in the same memory, NumPy writes the second one last.

    NumPy writes the second result of an element before the first one. Outputs that overlap inputs, and those of
    other dtypes than the loop's, are computed in temporary copies, which NumPy writes back at the end.
    """
    cdef ndarray first = <ndarray>results[0], second = <ndarray>results[1]
    cdef bint copied[2]
    cdef int i, k
    for k in range(2):
        copied[k] = False
        for i in range(loop.nin):
            if isinstance(<object>args[i], ndarray):
                copied[k] = copied[k] or overlaps(<ndarray>args[i], <ndarray>results[k])
    if not copied[0] and not copied[1]:
        for k in range(2):
            copied[k] = (<ndarray>results[k]).code != loop.codes[loop.nin + k]
    if copied[0] or copied[1]:
        return copied[1]
    # Element by element, the array that starts at the lower address reaches a shared place last.
    return second.address() < first.address()


cdef object _all_results(Loop loop, PyObject** args, Operand* operands, Operand* masked, int ndim,
                         const Py_ssize_t* shape, Device device, list results, ElementwiseParams* params):
    """Compute results whose outputs share memory in temporary arrays, then write one after the other."""
    cdef list apart = []
    cdef bint reverse = loop.nout == 2 and not second_stays(args, loop, results)
    cdef int i
    for i in range(loop.nout):
        apart.append(new_array(loop.codes[loop.nin + i], ndim, shape, device))
        if masked != NULL:
            copy_into(<ndarray>apart[i], <ndarray>results[i])
        describe(&operands[loop.nin + i], <ndarray>apart[i])
    execute(loop, device, params, operands, masked, ndim, shape)
    for i in reversed(range(loop.nout)) if reverse else range(loop.nout):
        copy_into(<ndarray>results[i], <ndarray>apart[i])
    return tuple(results)


cdef list _copies_of_shared(tuple outs):
    """The outputs with copies of those whose memory is shared with the host; None if there is no such output."""
    cdef list copies = [
        out if out is None or shared_of((<ndarray>out).buffer) is None else unmarked_copy(<ndarray>out) for out in outs
    ]
    for i, out in enumerate(outs):
        if copies[i] is not out:
            return copies
    return None


cdef object _stored(tuple outs, list copies, object found):
    """Write the copies to the shared memory. Returns the results of the ufunc."""
    from gpunp.array.sharing import store

    cdef list results = list(found) if len(outs) > 1 else [found]
    for i, out in enumerate(outs):
        if copies[i] is not out:
            store(out, copies[i])
            results[i] = out
    return tuple(results) if len(outs) > 1 else results[0]


cdef object into_outputs(Loop loop, PyObject** args, ndarray mask, Operand* operands, Operand* masked, int ndim,
                         const Py_ssize_t* shape, Device device, tuple outs, object order,
                         ElementwiseParams* params):
    """Compute several results, or results that are written into given arrays."""
    cdef int i, nin = loop.nin, nout = loop.nout
    cdef list results = [], _copies
    cdef ndarray array
    if outs is not None and watches:
        _copies = _copies_of_shared(outs)
        if _copies is not None:
            found = into_outputs(loop, args, mask, operands, masked, ndim, shape, device, tuple(_copies), order, params)
            return _stored(outs, _copies, found)
    for i in range(nout):
        if outs is not None and outs[i] is not None:
            array = <ndarray>outs[i]
        else:
            array = new_output(loop.codes[nin + i], operands, nin, ndim, shape, device, order)
        results.append(array)
    if outs is not None:
        if share_memory(results):
            return _all_results(loop, args, operands, masked, ndim, shape, device, results, params)
        # The copies live until the kernel is launched.
        _copies = separate(args, outs, mask, operands, masked, nin)
    for i in range(nout):
        describe(&operands[nin + i], <ndarray>results[i])
    execute(loop, device, params, operands, masked, ndim, shape)
    if ndim == 0:
        for i in range(nout):
            if outs is None or outs[i] is None:
                as_scalar(<ndarray>results[i])
    return results[0] if nout == 1 else tuple(results)
