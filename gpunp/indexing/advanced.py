"""Advanced indexing: keys with index arrays or masks."""

import numpy

from gpunp.array import layout
from gpunp.array.arguments import warn_of_imaginary
from gpunp.array.convert import asarray, assigned, to_device
from gpunp.array.ndarray import ndarray
from gpunp.indexing import moves, select
from gpunp.indexing.keys import Selection
from gpunp.indexing.masks import EXACT, bits_of

_NUMBERS = (bool, int, float, complex)


def advanced_get(array, key):
    """``array[key]`` for a key that contains arrays: a copy, or a scalar."""
    found = _selected(array, key)
    if found.ndim == 0 and not (type(key) is tuple and any(part is Ellipsis for part in key)):
        found._mark_scalar()
    return found


def _selected(array, key):
    if type(key) is ndarray and array.ndim and key.device is array.device:
        # Fast path for the usual keys, without parsing.
        kind = key.dtype.kind
        if kind in "iu":
            return moves.take(array, key, 0, call="indexing")
        if kind == "b" and key.shape == array.shape:
            return bits_of(key).select(array)
    selection = Selection(array, key)
    if selection.whole_mask():
        return bits_of(selection.mask).select(array)
    selection.resolve()
    return moves.move(array, *_few_arrays(selection))


def advanced_set(array, key, value):
    """``array[key] = value`` for a key that contains arrays; the last of repeated indices wins."""
    # A key that is an array with dimensions, the usual case, never selects a single element.
    several = type(value) in _NUMBERS or (type(key) is ndarray and key.ndim)
    value = (
        value_for(array, value) if several or not _is_element(array, key) else _element_value(array, value)
    )
    single = not isinstance(value, ndarray) or value.size == 1
    if type(key) is ndarray and array.ndim and key.device is array.device:
        # Fast path for the usual keys, without parsing.
        kind = key.dtype.kind
        if kind in "iu":
            shape, strides = array.shape, array.strides
            located = (*key.shape, *shape[1:]), (*(0,) * key.ndim, *strides[1:])
            if isinstance(value, ndarray):
                value = broadcastable(value, located[0])
            moves.move(array, 0, *located, 0, key.ndim, [(key, shape[0], strides[0], 0)], value, writing=True)
            return
        if kind == "b" and not isinstance(value, ndarray) and key.shape == array.shape:
            select.write_masked(array, value, key)
            return
    selection = Selection(array, key)
    whole = selection.whole_mask()
    mask = selection.mask
    if selection.alone and mask is not None and mask.ndim == array.ndim and getattr(value, "ndim", 0) > 1:
        raise TypeError(
            "NumPy boolean array indexing assignment requires a 0 or 1-dimensional input, input has "
            f"{value.ndim} dimensions"
        )
    if mask is not None and single:
        # A single value needs no count of the selected elements, and so no wait.
        view, mask = selection.masked_view()
        select.write_masked(view, value.reshape(()) if isinstance(value, ndarray) else value, mask)
        return
    if whole and value.ndim == 1:
        _assign_masked(array, mask, value)
        return
    selection.resolve()
    if isinstance(value, ndarray):
        value = broadcastable(value, selection.shape)
    moves.move(array, *_few_arrays(selection), value=value, writing=True)


def value_for(array, value):
    """A scalar unchanged, since kernels take it by value; otherwise an array on the device of ``array``."""
    if type(value) in _NUMBERS:
        kind = array.dtype.kind
        if (type(value) is float and kind in "iu") or (type(value) is complex and kind in "iuf"):
            # Raises NumPy's errors for NaN and infinities, numbers out of range, and complex numbers.
            return numpy.array(value, array.dtype).item()
        return value
    if isinstance(value, numpy.generic) and value.dtype.kind in "biufc":
        return value
    if not isinstance(value, ndarray):
        value = assigned(value, array, ndmax=64)
    if value.dtype.kind == "c" and array.dtype.kind not in "cb":
        warn_of_imaginary(value.dtype, array.dtype)
        value = value.real
    return to_device(value, array.device)


def _assign_masked(array, mask, values):
    """Write values in turn where the mask is true; on a GPU the kernel detects a wrong number of values."""
    bits = bits_of(mask)
    # Counting an empty mask needs no kernel and no wait.
    if (array.device.is_cpu or mask.size == 0) and bits.count() != values.size:
        raise ValueError(
            f"NumPy boolean array indexing assignment cannot assign {values.size} input values to the "
            f"{bits.count()} output values where the mask is true"
        )
    bits.expand(array, values, EXACT)


def _is_element(array, key):
    """Whether a key has an integer for every axis; 0-d integer arrays count as integers."""
    items = key if isinstance(key, tuple) else (key,)
    return len(items) == array.ndim and all(
        (isinstance(item, int | numpy.integer) and item is not True and item is not False)
        or (isinstance(item, ndarray | numpy.ndarray) and item.ndim == 0 and item.dtype.kind in "iu")
        for item in items
    )


def _element_value(array, value):
    """A value for one element; sequences raise NumPy's errors, but a bool takes the truth of one value."""
    if not isinstance(value, ndarray):
        return value_for(
            array, value if isinstance(value, numpy.generic) else assigned(value, array, element=True)
        )
    if value.ndim and array.dtype.kind == "c":
        raise TypeError("only 0-dimensional arrays can be converted to Python scalars")
    if value.ndim and (array.dtype.kind != "b" or value.size != 1):
        raise ValueError("setting an array element with a sequence.")
    return value_for(array, value.reshape(()))


def broadcastable(value, shape):
    """The value without excess leading axes of length one; raises NumPy's error if it does not broadcast."""
    given = value.shape
    while value.ndim > len(shape) and value.shape[0] == 1:
        value = value[0]
    lead = len(shape) - value.ndim
    if lead < 0 or any(n not in (1, m) for n, m in zip(value.shape, shape[lead:], strict=True)):
        raise ValueError(
            f"shape mismatch: value array of shape {_text(given)} could not be broadcast to indexing result "
            f"of shape {_text(shape)}"
        )
    return value


def _text(shape):
    return "(" + ",".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"


def _few_arrays(selection):
    """Arguments of `moves.move`, with at most as many index arrays as one launch takes."""
    arrays = selection.arrays
    common = selection.shape[selection.first : selection.end]
    if len(common) > 4:
        # A launch takes few dimensions; those of contiguous index arrays merge.
        arrays = [(_dense(a, common), *rest) for a, *rest in arrays]
    offset = selection.offset
    if len(arrays) > moves.MOST_INDICES:
        kept, folded = arrays[: moves.MOST_INDICES - 1], arrays[moves.MOST_INDICES - 1 :]
        total, reach = None, 1
        for index, extent, stride, _ in folded:
            # The lookup of the byte offset also checks the index. The least offset is added separately, so
            # that looked-up offsets are non-negative.
            offset += min(0, stride * (extent - 1))
            reach += abs(stride) * max(extent - 1, 0)
            table = asarray(numpy.arange(extent) * stride, device=index.device)
            part = moves.take(table - min(0, stride * (extent - 1)), index, 0, call="indexing")
            total = part if total is None else total + part
        arrays = [*kept, (total, reach, 1, folded[0][3])]
    return offset, selection.shape, selection.strides, selection.first, selection.end, arrays


def _dense(index, shape):
    full = layout.empty(shape, index.dtype, device=index.device)
    layout.copy_into(full, index)
    return full
