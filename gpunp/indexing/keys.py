"""The parser of all indices: how each item of an index maps axes to the result, by NumPy's rules."""

import numpy

from gpunp.array.convert import HOLDERS, as_host, asarray
from gpunp.array.foreign import is_exchanged
from gpunp.array.ndarray import ndarray
from gpunp.dispatch import policy
from gpunp.indexing.masks import Bits

_INVALID = (
    "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are "
    "valid indices"
)


class Selection:
    """The elements that an index selects.

    Parameters
    ----------
    array : ndarray
    key : object
        Any index that NumPy accepts.
    call : str
        The name for errors and policies.

    Attributes
    ----------
    offset : int
        Bytes to the element that the integers and the starts of the slices select.
    shape : tuple of int
        Shape of the result.
    strides : tuple of int
        Byte strides of the dimensions that come from slices and None; 0 for those of the index arrays.
    first, end : int
        The range of dimensions that come from the index arrays.
    arrays : list of tuple
        Integer arrays, each with the extent, the byte stride and the number of the axis that it indexes.
    mask : ndarray or None
        The boolean array of an index that has exactly one and no integer arrays.
    alone : bool
        Whether the index is a single item.
    """

    def __init__(self, array, key, call="indexing"):
        # Id of a device copy -> host array: the bounds of host indices are checked immediately.
        hosts = {}
        items = [
            _normalized(item, array, hosts, call) for item in (key if isinstance(key, tuple) else (key,))
        ]
        self.alone = len(items) == 1
        items = _without_ellipsis(items, array.ndim)
        axis, parts = 0, []
        for item in items:
            used = consumed(item)
            parts += _parts(item, array, axis, hosts)
            axis += used
        masks = [item for item in items if isinstance(item, ndarray) and item.dtype == bool]
        others = [item for item in items if isinstance(item, ndarray) and item.dtype != bool]
        alone = len(masks) == 1 and not others and not any(isinstance(p, Mask) and p.is_short for p in parts)
        self.mask = masks[0] if alone else None
        self.items = items
        self._array = array
        self._parts = parts

    def whole_mask(self):
        """Whether the index is one mask over all axes of the array."""
        items = [item for item in self.items if item is not Ellipsis]
        return self.mask is not None and len(items) == 1 and self.mask.ndim == self._array.ndim > 0

    def resolve(self):
        """Turn masks into index arrays, which waits for the device, and lay out the result."""
        parts = []
        for part in self._parts:
            parts += part.index_arrays() if isinstance(part, Mask) else (part,)
        places = [i for i, part in enumerate(parts) if isinstance(part, (Fancy, Integer))]
        fancy = [part for part in parts if isinstance(part, Fancy)]
        common = _common_shape([part.array.shape for part in fancy])
        for part in fancy:
            # As in NumPy, indices that broadcast to an empty result are not checked.
            if part.host is not None and 0 not in common:
                check_bounds(part.host, part.extent, part.axis)
        # For the place of the common dimensions integers count as index arrays, as in NumPy.
        adjacent = bool(places) and places[-1] - places[0] == len(places) - 1
        steps = [part for part in parts if isinstance(part, Step)]
        before = sum(isinstance(part, Step) for part in parts[: places[0]]) if adjacent else 0
        lengths = [part.length for part in steps]
        strides = [part.stride for part in steps]
        self.shape = (*lengths[:before], *common, *lengths[before:])
        self.strides = (*strides[:before], *(0,) * len(common), *strides[before:])
        self.first, self.end = before, before + len(common)
        self.offset = sum(part.offset for part in parts if not isinstance(part, Fancy))
        self.arrays = [(part.array, part.extent, part.stride, part.axis) for part in fancy]
        return self

    def masked_view(self):
        """For an index with one mask: the view selected by the other items, and the mask reshaped to fit."""
        view_key, shape = [], []
        for item in self.items:
            if item is self.mask:
                view_key += [slice(None)] * item.ndim
                shape += item.shape
            else:
                view_key.append(item)
                shape += () if isinstance(item, int) or item is Ellipsis else (1,)
        if not any(item is Ellipsis for item in view_key):
            # Without an ellipsis a single element would be a copy, not a view.
            view_key.append(Ellipsis)
        view = self._array[tuple(view_key)]
        return view, self.mask.reshape((*shape, *(1,) * (view.ndim - len(shape))))


class Step:
    """A result dimension from a slice, an ellipsis or None."""

    def __init__(self, length, stride, offset=0):
        self.length, self.stride, self.offset = length, stride, offset


class Gap:
    """An ellipsis that covers no axis; it still separates index arrays."""

    offset = 0


class Integer:
    """An axis removed by an integer."""

    def __init__(self, offset):
        self.offset = offset


class Fancy:
    """An integer array that indexes an axis; ``host`` is the host array that it was copied from, or None."""

    def __init__(self, array, extent, stride, axis, host=None):
        self.array, self.extent, self.stride, self.axis = array, extent, stride, axis
        self.host = host


class Mask:
    """A boolean array that indexes as many axes as it has dimensions."""

    def __init__(self, mask, array, axis):
        # As in NumPy, a mask axis of length 0 fits any axis.
        self.is_short = False
        for d, length in enumerate(mask.shape):
            self.is_short |= length != array.shape[axis + d]
            if length not in (array.shape[axis + d], 0):
                raise IndexError(
                    f"boolean index did not match indexed array along axis {axis + d}; size of axis is "
                    f"{array.shape[axis + d]} but size of corresponding boolean axis is {length}"
                )
        self.mask, self.array, self.axis = mask, array, axis

    def index_arrays(self):
        """One index array per axis of the mask."""
        if self.mask.ndim == 0:
            # A 0-d mask adds a dimension of length 1 or 0.
            places = numpy.zeros(Bits(self.mask).count(), numpy.int64)
            return [Fancy(asarray(places, device=self.array.device), 1, 0, 0)]
        positions = Bits(self.mask).positions()
        shape, strides = self.array.shape, self.array.strides
        return [
            Fancy(positions[d], shape[self.axis + d], strides[self.axis + d], self.axis + d)
            for d in range(self.mask.ndim)
        ]


def _normalized(item, array, hosts, call):
    """Convert an item to None, Ellipsis, slice, int, or a device array of integers or booleans."""
    if item is None or item is Ellipsis or isinstance(item, slice):
        return item
    if isinstance(item, ndarray):
        if item.device is not array.device:
            raise ValueError(
                f"{call}: the index is on {item.device} and the array on {array.device}; move one with "
                "to_device"
            )
        _check_kind(item)
        return item
    if isinstance(item, (bool, numpy.bool)):
        return asarray(item, device=array.device)
    if isinstance(item, (int, numpy.integer)):
        return int(item)
    if type(item) in HOLDERS or is_exchanged(item):
        return _normalized(asarray(item, device=array.device), array, hosts, call)
    if not isinstance(item, (list, tuple, numpy.ndarray)) and hasattr(item, "__index__"):
        return item.__index__()
    if isinstance(item, numpy.ndarray):
        _check_kind(item)
        if item.ndim == 0 and item.dtype != bool:
            return int(item)
    policy.check_host_operand(item, call)
    host = None if holds_device_array(item) else as_host(item)
    if host is not None:
        if not host.size and not isinstance(item, numpy.ndarray):
            # NumPy gives empty lists its default dtype float64, which is not an integer dtype.
            host = host.astype(numpy.intp)
        _check_kind(host)
    item = asarray(item if host is None else host, device=array.device)
    _check_kind(item)
    if host is not None and host.dtype.kind != "b":
        hosts[id(item)] = host
    return item


def holds_device_array(item):
    """Whether a nested sequence contains device arrays."""
    return isinstance(item, (list, tuple)) and any(
        isinstance(part, ndarray) or holds_device_array(part) for part in item
    )


def check_bounds(host, extent, axis=0):
    """Raise an IndexError if host indices are out of bounds."""
    if host.size and (host.min() < -extent or host.max() >= extent):
        outside = host[(host < -extent) | (host >= extent)].flat[0]
        raise IndexError(f"index {outside} is out of bounds for axis {axis} with size {extent}")


def _check_kind(item):
    if item.dtype.kind not in "biu":
        if item.ndim == 0:
            raise IndexError(_INVALID)
        raise IndexError(f"arrays used as indices must be of integer (or boolean) type, not {item.dtype}")


def consumed(item):
    """Number of axes that an item indexes."""
    if item is None or item is Ellipsis:
        return 0
    if isinstance(item, (slice, int)):
        return 1
    return item.ndim if item.dtype == bool else 1


def _without_ellipsis(items, ndim):
    """The items with the ellipsis (or the missing end) replaced by full slices."""
    ellipses = [i for i, item in enumerate(items) if item is Ellipsis]
    if len(ellipses) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    used = sum(map(consumed, items))
    if used > ndim:
        raise IndexError(f"too many indices for array: array is {ndim}-dimensional, but {used} were indexed")
    rest = [slice(None)] * (ndim - used)
    if not ellipses:
        return [*items, *rest]
    at = ellipses[0]
    # An ellipsis that covers no axis still separates the items beside it.
    return [*items[:at], *(rest or (Ellipsis,)), *items[at + 1 :]]


def _parts(item, array, axis, hosts):
    if item is None:
        return [Step(1, 0)]
    if item is Ellipsis:
        return [Gap()]
    if isinstance(item, slice):
        start, stop, step = item.indices(array.shape[axis])
        length = len(range(start, stop, step))
        stride = array.strides[axis]
        return [Step(length, step * stride, start * stride if length else 0)]
    if isinstance(item, int):
        extent = array.shape[axis]
        if not -extent <= item < extent:
            raise IndexError(f"index {item} is out of bounds for axis {axis} with size {extent}")
        return [Integer(array.strides[axis] * (item % extent))]
    if item.dtype == bool:
        return [Mask(item, array, axis)]
    return [Fancy(item, array.shape[axis], array.strides[axis], axis, hosts.get(id(item)))]


def _common_shape(shapes):
    try:
        return numpy.broadcast_shapes(*shapes)
    except ValueError as error:
        if "too large" in str(error):
            raise
        text = "".join(str(shape).replace(" ", "") + " " for shape in shapes if shape)
        raise IndexError(
            f"shape mismatch: indexing arrays could not be broadcast together with shapes {text}"
        ) from None
