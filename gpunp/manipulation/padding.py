"""Padding of arrays, in all of NumPy's modes."""

import numpy

from gpunp.array import layout
from gpunp.array.convert import asarray, fetched
from gpunp.array.ndarray import ndarray
from gpunp.array.scalars import without_fetching
from gpunp.dispatch.registry import implements
from gpunp.manipulation.axis_maps import STRAIGHT, cycle, map_axes, mirrored, nearest, outside

# The keywords of each mode.
_KEYWORDS = {
    "constant": ("constant_values",),
    "edge": (),
    "empty": (),
    "linear_ramp": ("end_values",),
    "maximum": ("stat_length",),
    "mean": ("stat_length",),
    "median": ("stat_length",),
    "minimum": ("stat_length",),
    "reflect": ("reflect_type",),
    "symmetric": ("reflect_type",),
    "wrap": (),
}


@implements(numpy.pad, kernels=("include/gpunp/manipulation/axis_maps.h",))
def pad(array, pad_width, mode="constant", **kwargs):
    """An array padded on its sides; see `numpy.pad`.

    Parameters
    ----------
    **kwargs
        For some modes: `stat_length` ('maximum', 'mean', 'median', 'minimum'), `constant_values`
        ('constant'), `end_values` ('linear_ramp') and `reflect_type` ('reflect', 'symmetric').
    """
    array = asarray(array)
    widths = _widths(pad_width, array.ndim)
    if callable(mode):
        return _pad_by_function(array, widths, mode, kwargs)
    if mode not in _KEYWORDS:
        raise ValueError(f"mode '{mode}' is not supported")
    unsupported = set(kwargs) - set(_KEYWORDS[mode])
    if unsupported:
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {unsupported}")
    if array.size == 0 and mode not in ("constant", "empty"):
        for axis, width in enumerate(widths):
            if array.shape[axis] == 0 and any(width):
                raise ValueError(
                    f"can't extend empty axis {axis} using modes other than 'constant' or 'empty'"
                )
        return _pad_empty(array, widths)
    if mode == "empty":
        return _pad_empty(array, widths)
    if mode == "constant":
        return _pad_constant(array, widths, kwargs.get("constant_values", 0))
    if mode == "linear_ramp":
        return _pad_linear_ramp(array, widths, kwargs.get("end_values", 0))
    if mode in ("maximum", "mean", "median", "minimum"):
        return _pad_statistic(array, widths, mode, kwargs.get("stat_length"))
    if kwargs.get("reflect_type", "even") == "odd":
        return _pad_odd(array, widths, mode == "symmetric")
    rules = [_rule(mode, width, extent) for width, extent in zip(widths, array.shape, strict=True)]
    return _mapped(array, widths, rules)


def _rule(mode, width, extent):
    before = width[0]
    if not any(width):
        return STRAIGHT
    # A single element has nothing to reflect: NumPy repeats it.
    if mode == "edge" or (mode != "wrap" and extent == 1):
        return nearest(before)
    return cycle(-before % extent) if mode == "wrap" else mirrored(before, extent, mode == "symmetric")


def _widths(pad_width, ndim):
    """(before, after) per axis, from any ``pad_width`` that NumPy accepts."""
    if type(pad_width) is int:
        if pad_width < 0:
            raise ValueError("index can't contain negative values")
        return [(pad_width, pad_width)] * ndim
    if isinstance(pad_width, dict):
        pairs = [(0, 0)] * ndim
        for axis, width in pad_width.items():
            before, after = width if isinstance(width, tuple) else (width, width)
            pairs[axis] = before, after
        pad_width = pairs
    pad_width = fetched(pad_width)
    if pad_width.dtype.kind != "i":
        raise TypeError("`pad_width` must be of integral type.")
    return _indices(pad_width, ndim)


def _pairs(values, ndim):
    """Broadcast values to (ndim, 2); a single pair stands for every axis."""
    if values.size == 1 and values.ndim < 3:
        return numpy.broadcast_to(values.reshape(()), (ndim, 2))
    if values.size == 2 and values.ndim < 3 and values.shape != (2, 1):
        return numpy.broadcast_to(values.reshape(2), (ndim, 2))
    return numpy.broadcast_to(values, (ndim, 2))


def _indices(values, ndim):
    """Pairs of lengths, as Python integers."""
    pairs = _pairs(numpy.round(values).astype(numpy.intp, copy=False), ndim)
    if pairs.size and pairs.min() < 0:
        raise ValueError("index can't contain negative values")
    return [tuple(pair) for pair in pairs.tolist()]


def _value_pairs(values, ndim, device):
    """Pairs of values: host values, or 0-d views of a device array."""
    if isinstance(values, ndarray) or numpy.iterable(values):
        try:
            with without_fetching():
                values = values if isinstance(values, ndarray) else numpy.asarray(values)
        except TypeError:
            # There are device arrays among the values: keep them on the device.
            values = asarray(values, device=device)
    else:
        values = numpy.asarray(values)
    pairs = _pairs(values, ndim)
    if isinstance(pairs, ndarray):
        return [(pairs[axis, 0], pairs[axis, 1]) for axis in range(ndim)]
    # As in NumPy, one value or one pair keeps its dtype and wraps around; more become Python numbers, whose
    # overflow is an error.
    if values.size in (1, 2) and values.shape != (2, 1):
        return [(pair[0], pair[1]) for pair in pairs]
    return pairs.tolist()


def _shape(array, widths):
    return tuple(sum(width) + extent for width, extent in zip(widths, array.shape, strict=True))


def _mapped(array, widths, rules, constants=None):
    """The whole result in one pass, or None; keeps Fortran order."""
    shape = _shape(array, widths)
    if not array.flags.fnc:
        return map_axes(array, shape, rules, constants)
    if constants is not None:
        # In corners the constants of the later axis win: the axes can be reversed only if all are equal.
        if len({cell.tobytes() for cell in constants.ravel()}) > 1:
            return None
        constants = constants[::-1]
    return map_axes(array.T, shape[::-1], rules[::-1], constants).T


def _pad_empty(array, widths):
    padded = layout.empty(_shape(array, widths), array.dtype, "F" if array.flags.fnc else "C", array.device)
    layout.copy_into(padded[_centre(array, widths)], array)
    return padded


def _centre(array, widths):
    """The index of the original array within the result."""
    return (
        *(slice(before, before + extent) for (before, _), extent in zip(widths, array.shape, strict=True)),
        Ellipsis,
    )


def _pad_constant(array, widths, values):
    if type(values) is int and values == 0 and not array.flags.fnc:
        rules = [outside(width[0]) if any(width) else STRAIGHT for width in widths]
        return map_axes(array, _shape(array, widths), rules, numpy.zeros((array.ndim, 2), array.dtype))
    pairs = _value_pairs(values, array.ndim, array.device)
    on_device = any(isinstance(value, ndarray) for pair in pairs for value in pair)
    if not on_device:
        cells = numpy.zeros((array.ndim, 2), array.dtype)
        for axis, pair in enumerate(pairs):
            for side in range(2):
                cells[axis, side] = pair[side]
        rules = [outside(width[0]) if any(width) else STRAIGHT for width in widths]
        padded = _mapped(array, widths, rules, cells)
        if padded is not None:
            return padded
    padded = _pad_empty(array, widths)
    for axis, region in enumerate(_regions(padded, array, widths)):
        _set_sides(region, axis, widths[axis], pairs[axis])
    return padded


def _regions(padded, array, widths):
    """Yield per axis the region that its padding covers: full on earlier axes, unpadded on later ones."""
    centre = _centre(array, widths)
    for axis in range(array.ndim):
        yield padded[(*(slice(None),) * (axis + 1), *centre[axis + 1 :])]


def _along(axis, *bounds):
    return (*(slice(None),) * axis, slice(*bounds), Ellipsis)


def _set_sides(region, axis, width, values):
    before, after = width
    if before:
        region[_along(axis, None, before)] = values[0]
    if after:
        region[_along(axis, region.shape[axis] - after, None)] = values[1]


def _pad_linear_ramp(array, widths, end_values):
    padded = _pad_empty(array, widths)
    ends = _value_pairs(end_values, array.ndim, array.device)
    for axis, region in enumerate(_regions(padded, array, widths)):
        before, after = widths[axis]
        stop = region.shape[axis] - after
        sides = ((ends[axis][0], before, before), (ends[axis][1], stop - 1, after))
        ramps = [
            numpy.linspace(
                end,
                region[_along(axis, edge, edge + 1)].squeeze(axis),
                count,
                endpoint=False,
                dtype=array.dtype,
                axis=axis,
            )
            if count
            else None
            for end, edge, count in sides
        ]
        if after:
            ramps[1] = numpy.flip(ramps[1], axis)
        _set_sides(region, axis, widths[axis], ramps)
    return padded


def _pad_statistic(array, widths, mode, stat_length):
    function = {"maximum": numpy.max, "minimum": numpy.min, "mean": numpy.mean, "median": numpy.median}[mode]
    lengths = [(None, None)] * array.ndim
    if stat_length is not None:
        lengths = _indices(fetched(stat_length), array.ndim)
    padded = _pad_empty(array, widths)
    for axis, region in enumerate(_regions(padded, array, widths)):
        before, after = widths[axis]
        start, stop = before, region.shape[axis] - after
        first, last = (
            stop - start if length is None else min(length, stop - start) for length in lengths[axis]
        )
        if (first == 0 or last == 0) and mode in ("maximum", "minimum"):
            raise ValueError("stat_length of 0 yields no value for padding")

        def statistic(low, high, region=region, axis=axis):
            found = function(region[_along(axis, low, high)], axis=axis, keepdims=True)
            if array.dtype.kind in "iu" and found.dtype.kind == "f":
                found = numpy.round(found)
            return found

        left = right = statistic(start, start + first)
        if not first == last == stop - start:
            right = statistic(stop - last, stop)
        _set_sides(region, axis, widths[axis], (left, right))
    return padded


def _pad_odd(array, widths, ends_twice):
    """Odd reflection about the end values; each round extends by as many values as there are to reflect."""
    padded = _pad_empty(array, widths)
    for axis, region in enumerate(_regions(padded, array, widths)):
        before, after = widths[axis]
        length = array.shape[axis]
        if length == 1:
            edge = region[_along(axis, before, before + 1)]
            _set_sides(region, axis, widths[axis], (edge, edge))
            continue
        total = region.shape[axis]
        while before or after:
            known = total - before - after
            period = length if ends_twice else length - 1
            # Reflect whole periods of the known values; 'reflect' leaves out the end value itself.
            usable = known // period * period if ends_twice else (known - 1) // period * period
            skip = 0 if ends_twice else 1
            if before:
                count = min(usable, before)
                edge = region[_along(axis, before, before + 1)]
                chunk = region[_along(axis, before + skip, before + skip + count)]
                region[_along(axis, before - count, before)] = 2 * edge - numpy.flip(chunk, axis)
                before -= count
            if after:
                count = min(usable, after)
                stop = total - after
                edge = region[_along(axis, stop - 1, stop)]
                chunk = region[_along(axis, stop - skip - count, stop - skip)]
                region[_along(axis, stop, stop + count)] = 2 * edge - numpy.flip(chunk, axis)
                after -= count
    return padded


def _pad_by_function(array, widths, function, keywords):
    """Call the user's function on one line of the result after the other, as NumPy does."""
    padded = _pad_constant(array, widths, 0)
    for axis in range(padded.ndim):
        lines = numpy.moveaxis(padded, axis, -1)
        for index in numpy.ndindex(lines.shape[:-1]):
            function(lines[(*index, ...)], widths[axis], axis, keywords)
    return padded
