"""The methods of ufuncs that fold: reduce, accumulate, reduceat; and outer.

Each function takes the `gpunp.ufunc.engine.Ufunc`, then the arguments of NumPy's method.
"""

import numpy

from gpunp.array import layout
from gpunp.array.arguments import strict_axis, warn_of_imaginary
from gpunp.array.convert import asarray, joined
from gpunp.array.dtype import DTYPES, dtype_code
from gpunp.array.ndarray import ndarray
from gpunp.array.operands import device_of, require_one_device
from gpunp.dispatch.policy import check_host_operand
from gpunp.dtype_codes import CHARS
from gpunp.reduction.engine import reduce_array
from gpunp.reduction.fold import FOLDED, fold
from gpunp.reduction.fold_table import UNROUNDED
from gpunp.reduction.records import BY_NAME
from gpunp.reduction.scan import scan
from gpunp.reduction.scan_table import SCANNED

# NumPy reorders these reductions although they have no identity.
_REORDERABLE_WITHOUT_IDENTITY = frozenset({"maximum", "minimum", "fmax", "fmin"})

_resolved = {}


def _check_binary(ufunc, method):
    if ufunc.nin != 2:
        raise ValueError(f"{method} only supported for binary functions")
    if ufunc.nout != 1:
        raise ValueError(f"{method} only supported for functions returning a single value")
    if ufunc.name not in FOLDED:
        raise TypeError(f"{ufunc.path}.{method} has no kernels, as for all long functions; call it in a loop")


def single_output(out):
    """Return the array of an ``out=`` argument, which NumPy's protocol passes in a tuple."""
    if isinstance(out, tuple):
        if len(out) != 1:
            raise ValueError("The 'out' tuple must have exactly one entry")
        out = out[0]
    if out is not None:
        if not isinstance(out, ndarray):
            raise TypeError(f"return arrays must be gpunp arrays, not {type(out).__name__}")
        if not out.flags.writeable:
            raise ValueError("output array is read-only")
    return out


def _resolve(ufunc, method, dtype, out, array):
    """Return the dtype characters of the two inputs of the loop for ``array``, and the result's dtype."""
    require_one_device(f"{ufunc.name}.{method}", array, out)
    dtype = None if dtype is None else numpy.dtype(dtype)
    first = None if out is None else out.dtype
    key = ufunc, method, dtype, first, array.dtype
    found = _resolved.get(key)
    if found is None:
        wanted = {} if dtype is None else {"signature": (dtype, None, None)}
        dtypes = ufunc.numpy_ufunc.resolve_dtypes(
            (first, array.dtype, None), casting="unsafe", reduction=True, **wanted
        )
        codes = [dtype_code(d) for d in dtypes]
        if codes[0] != codes[2] or (method != "reduce" and codes[0] != codes[1]):
            raise TypeError(
                f"the resolved dtypes are not compatible with {ufunc.name}.{method}. Resolved {dtypes}"
            )
        found = CHARS[codes[0]] + CHARS[codes[1]], DTYPES[codes[2]]
        _resolved[key] = found
    warn_of_imaginary(array.dtype, DTYPES[CHARS.index(found[0][1])])
    if out is not None:
        warn_of_imaginary(found[1], out.dtype)
    return found


def accumulated_dtype(ufunc, dtype, array):
    """Return the dtype of the result of `accumulate` for a ``dtype=`` argument."""
    return _resolve(ufunc, "accumulate", dtype, None, array)[1]


def _one_axis(axis, ndim, method):
    """Return the axis of a method that accepts only one."""
    if axis is None:
        axis = tuple(range(ndim))
    if isinstance(axis, tuple):
        if len(axis) != 1:
            raise ValueError(f"{method} does not allow multiple axes")
        axis = axis[0]
    return strict_axis(axis, ndim)


def _convertible(array, char):
    """Return ``array`` if the kernel may convert its elements on load, else a converted copy."""
    wanted = DTYPES[CHARS.index(char)]
    return array if numpy.can_cast(array.dtype, wanted, "safe") else layout.converted(array, wanted)


def accumulate(ufunc, array, axis=0, dtype=None, out=None):
    """Partial results along an axis; see `numpy.ufunc.accumulate`.

    Parameters
    ----------
    ufunc : Ufunc
        A binary ufunc.
    array : array_like
    axis : int, default 0
    dtype : dtype_like, optional
    out : ndarray, optional

    Returns
    -------
    ndarray
    """
    _check_binary(ufunc, "accumulate")
    out = single_output(out)
    array = asarray(array)
    if array.ndim == 0:
        raise TypeError("cannot accumulate on a scalar")
    axis = _one_axis(axis, array.ndim, "accumulate")
    return accumulate_into(ufunc, array, axis, dtype, out)


def _repeats(out):
    """Whether several elements of an array share one place in memory."""
    return any(step == 0 and extent > 1 for step, extent in zip(out.strides, out.shape, strict=True))


def accumulate_into(ufunc, array, axis, dtype=None, out=None, skip_nan=False):
    """Accumulate a device array along a valid axis; with ``skip_nan``, NaNs count as the identity."""
    loop, result_dtype = _resolve(ufunc, "accumulate", dtype, out, array)
    if out is not None and out.shape != array.shape:
        raise ValueError(
            f"{ufunc.name}.accumulate: provided out is the wrong size for the accumulation: "
            f"its shape is {out.shape}, not {array.shape}"
        )
    direct = out is not None and out.dtype == result_dtype and not _repeats(out)
    result = out if direct else layout.empty_like(array, result_dtype)
    if ufunc.name in SCANNED:
        scan(ufunc.name, array, result, axis, skip_nan)
    else:
        fold(ufunc.name, loop, _convertible(array, loop[0]), result, axis, emit_all=True)
    if out is not None and result is not out:
        layout.copy_into(out, result)
        return out
    return result


def _reduction_axes(axis, ndim):
    if axis is None:
        return tuple(range(ndim))
    if not isinstance(axis, tuple):
        axis = (axis,)
    if ndim == 0:
        # NumPy accepts axis 0 or -1 of a 0-d array, and reduces no axis.
        for a in axis:
            strict_axis(a, 1)
        return ()
    axes = tuple(strict_axis(a, ndim) for a in axis)
    if len(set(axes)) != len(axes):
        raise ValueError("duplicate value in 'axis'")
    return axes


def reduce(ufunc, array, axis=0, dtype=None, out=None, keepdims=False, initial=numpy._NoValue, where=True):
    """Reduce along axes; see `numpy.ufunc.reduce`.

    Parameters
    ----------
    ufunc : Ufunc
        A binary ufunc.
    array : array_like
    axis : None, int or tuple of int, default 0
    dtype : dtype_like, optional
    out : ndarray, optional
    keepdims : bool
    initial : scalar, optional
    where : array_like of bool

    Returns
    -------
    ndarray
    """
    _check_binary(ufunc, "reduce")
    out = single_output(out)
    array = asarray(array)
    name = ufunc.name
    reorderable = ufunc.identity is not None or name in _REORDERABLE_WITHOUT_IDENTITY
    if reorderable and name in BY_NAME:
        return reduce_array(name, array, axis, dtype, out, keepdims, initial, where)
    axes = _reduction_axes(axis, array.ndim)
    loop, result_dtype = _resolve(ufunc, "reduce", dtype, out, array)
    if len(axes) > 1:
        raise ValueError(
            f"reduction operation '{name}' is not reorderable, so at most one axis may be specified"
        )
    if initial is None:
        initial = numpy._NoValue
    mask = _reduction_mask(name, array, where, initial)
    # Without an axis, reduce an inserted axis of length one.
    place = axes[0] if axes else 0
    if not axes:
        array = _insert_axis(array, 0)
        mask = mask if mask is None else _insert_axis(mask, 0)
    if array.shape[place] == 0 and initial is numpy._NoValue:
        raise ValueError(f"zero-size array to reduction operation {name} which has no identity")
    folded = (*array.shape[:place], 1, *array.shape[place + 1 :])
    shape = folded if keepdims and axes else folded[:place] + folded[place + 1 :]
    _check_reduced(name, out, shape)
    direct = out is not None and out.dtype == result_dtype
    result = out if direct else layout.empty(shape, result_dtype, device=array.device)
    target = result if len(shape) == len(folded) else _insert_axis(result, place)
    fold(
        name,
        loop,
        _convertible(array, loop[0]),
        target,
        place,
        mask=mask,
        initial=_initial_value(initial, loop[0]),
        exact_steps=name in UNROUNDED,
    )
    if out is not None and result is not out:
        layout.copy_into(out, result)
    return result._mark_scalar() if out is None else out


def _insert_axis(array, place):
    shape, strides = array.shape, array.strides
    return layout.strided_view(
        array, (*shape[:place], 1, *shape[place:]), (*strides[:place], array.itemsize, *strides[place:])
    )


def _check_reduced(name, out, shape):
    if out is None or out.shape == shape:
        return
    if out.ndim != len(shape):
        raise ValueError(
            f"output parameter for reduction operation {name} has the wrong number of dimensions: "
            f"Found {out.ndim} but expected {len(shape)}"
        )
    raise ValueError(f"{name}: the result of shape {shape} does not fit into out of shape {out.shape}")


def _reduction_mask(name, array, where, initial):
    """Return ``where=`` as a bool array of the shape of ``array``, or None if every element takes part."""
    if where is True or where is None:
        return None
    if initial is numpy._NoValue:
        raise ValueError(
            f"reduction operation '{name}' does not have an identity, so to use a where mask one has to "
            "specify 'initial'"
        )
    mask = asarray(where, device=array.device)
    if mask.dtype != bool:
        raise TypeError(
            f"Cannot cast array data from {mask.dtype!r} to dtype('bool') according to the rule 'safe'"
        )
    message = f"{name}: where of shape {mask.shape} cannot be broadcast to {array.shape}"
    return _broadcast(mask, array.shape, message)


def _broadcast(array, shape, message):
    """Return a view of ``array`` broadcast to another shape, or raise ValueError with ``message``."""
    lead = len(shape) - array.ndim
    if lead < 0 or any(n not in (1, m) for n, m in zip(array.shape, shape[lead:], strict=True)):
        raise ValueError(message)
    steps = (0 if n == 1 else s for n, s in zip(array.shape, array.strides, strict=True))
    return layout.strided_view(array, shape, (0,) * lead + tuple(steps))


def _initial_value(initial, char):
    """Return ``initial=`` as a 0-d host array of the loop's dtype, or raise NumPy's conversion error."""
    if initial is numpy._NoValue:
        return None
    if isinstance(initial, ndarray):
        initial = initial.item()
    value = numpy.empty((), char)
    value[...] = initial
    return value


def reduceat(ufunc, array, indices, axis=0, dtype=None, out=None):
    """Reduce over slices of an axis; see `numpy.ufunc.reduceat`.

    Parameters
    ----------
    ufunc : Ufunc
        A binary ufunc.
    array : array_like
    indices : array_like of int
    axis : int, default 0
    dtype : dtype_like, optional
    out : ndarray, optional

    Returns
    -------
    ndarray

    Raises
    ------
    IndexError
        If an index is outside the axis; for indices on the device, a later call raises it.
    """
    _check_binary(ufunc, "reduceat")
    out = single_output(out)
    array = asarray(array)
    if array.ndim == 0:
        raise TypeError("cannot reduceat on a scalar")
    axis = _one_axis(axis, array.ndim, "reduceat")
    starts = _segment_starts(ufunc.name, indices, array, array.shape[axis])
    loop, result_dtype = _resolve(ufunc, "reduceat", dtype, out, array)
    shape = array.shape[:axis] + starts.shape + array.shape[axis + 1 :]
    if out is not None and out.shape != shape:
        raise ValueError(
            f"{ufunc.name}.reduceat: the result of shape {shape} does not fit into out of {out.shape}"
        )
    # Results must not overwrite elements that other segments still read.
    direct = out is not None and out.dtype == result_dtype and not _repeats(out)
    direct = direct and not any(numpy.may_share_memory(out, read) for read in (array, starts))
    result = out if direct else layout.empty(shape, result_dtype, device=array.device)
    if result.size == 0 and starts.size:
        # There is nothing to fold, but the indices must be checked against the axis.
        nothing = layout.empty((array.shape[axis],), numpy.dtype(bool), device=array.device)
        fold("logical_or", "??", nothing, layout.empty_like(starts, nothing.dtype), 0, starts=starts)
    fold(
        ufunc.name,
        loop,
        _convertible(array, loop[0]),
        result,
        axis,
        starts=starts,
        exact_steps=ufunc.name in UNROUNDED,
    )
    if out is not None and result is not out:
        layout.copy_into(out, result)
        return out
    return result


def _segment_starts(name, indices, array, extent):
    """Return reduceat's indices as a C-contiguous int64 device array; host indices are checked here."""
    if isinstance(indices, list | tuple) and isinstance(indices := joined(indices), ndarray):
        indices = indices.astype(numpy.int64)
    if not isinstance(indices, ndarray):
        is_array = hasattr(indices, "dtype")
        indices = numpy.asarray(indices)
        if not is_array:
            indices = indices.astype(numpy.int64)
    if not numpy.can_cast(indices.dtype, numpy.int64, "safe"):
        raise TypeError(
            f"Cannot cast array data from {indices.dtype!r} to dtype('int64') according to the rule 'safe'"
        )
    if indices.ndim != 1:
        depth = "of too small depth" if indices.ndim == 0 else "too deep"
        raise ValueError(f"object {depth} for desired array")
    if not isinstance(indices, ndarray):
        outside = (indices < 0) | (indices >= extent)
        if outside.any():
            raise IndexError(f"index {indices[outside][0]} out-of-bounds in {name}.reduceat [0, {extent})")
    return asarray(indices, dtype=numpy.int64, device=array.device, order="C")


def outer(ufunc, A, B, /, **kwargs):
    """Apply to all pairs of elements; see `numpy.ufunc.outer`.

    Parameters
    ----------
    ufunc : Ufunc
        A binary ufunc.
    A, B : array_like
    **kwargs
        As in a call of the ufunc.

    Returns
    -------
    ndarray or tuple of ndarray
    """
    if ufunc.nin != 2:
        raise ValueError("outer product only supported for binary functions")
    # As in NumPy, Python scalars become arrays here, so that they are not weakly typed.
    device = device_of(A, B)
    for x in (A, B):
        if device is not None and not isinstance(x, ndarray):
            check_host_operand(x, f"numpy.{ufunc.name}.outer")
    A, B = (x if isinstance(x, ndarray) else asarray(x, device=device) for x in (A, B))
    if B.ndim:
        A = A.reshape(A.shape + (1,) * B.ndim)
    return ufunc(A, B, **kwargs)
