"""``ufunc.at``: unbuffered in-place operation on the elements that an index selects."""

from dataclasses import dataclass, field

import numpy

from gpunp.array import layout
from gpunp.array.arguments import warn_of_imaginary
from gpunp.array.convert import asarray, joined
from gpunp.array.dtype import dtype_code
from gpunp.array.ndarray import ndarray
from gpunp.dispatch.policy import check_host_operand
from gpunp.dtype_codes import CHARS
from gpunp.ufunc.methods.scatter import find_positions, find_targets, scatter

_KINDS_OF_INDEX = (
    "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are "
    "valid indices"
)


def at(ufunc, a, indices, b=None, /):
    """Operate in place on ``a[indices]``, as often as an element is named; see `numpy.ufunc.at`.

    Parameters
    ----------
    ufunc : Ufunc
        With one output.
    a : ndarray
    indices : array_like of int or bool, slice, int, Ellipsis, None, or a tuple of these
    b : array_like, optional
        The second operand of a binary ufunc.

    Raises
    ------
    IndexError
        For an index out of bounds, and nothing is written; for indices on the device, at a later call.
    """
    if ufunc.nout != 1:
        raise ValueError("Only single output ufuncs supported at this time")
    if ufunc.nin > 2:
        raise ValueError("Only unary and binary ufuncs supported at this time")
    if not isinstance(a, ndarray):
        raise TypeError(
            f"numpy.{ufunc.name}.at: the first operand must be a device array, not a {type(a).__name__}, "
            "as other operands are on the device; make it with gpunp.asarray"
        )
    if ufunc.nin == 2 and b is None:
        raise ValueError("second operand needed for ufunc")
    if ufunc.nin == 1 and b is not None:
        raise ValueError("second operand provided when ufunc is unary")
    if not a.flags.writeable:
        raise ValueError("array to perform in place operation on is read-only")
    if ufunc.nin == 1:
        _apply_unary(ufunc, a, indices)
        return
    if not isinstance(b, ndarray):
        check_host_operand(b, f"numpy.{ufunc.name}.at")
        b = asarray(b, device=a.device)
    dtypes = ufunc.numpy_ufunc.resolve_dtypes((a.dtype, b.dtype, None))
    loop = "".join(CHARS[dtype_code(d)] for d in dtypes[:2])
    if not numpy.can_cast(b.dtype, dtypes[1], "safe"):
        warn_of_imaginary(b.dtype, dtypes[1])
        b = layout.converted(b, dtypes[1])
    warn_of_imaginary(dtypes[-1], a.dtype)
    _scatter(ufunc.name, loop, a, indices, b)


def _scatter(name, loop, a, indices, b):
    index = Index(a, indices)
    values = _values(a, b, index.shape)
    if index.size == 0:
        # Nothing is written, but what is named must exist.
        if all(array.size for array, *_ in index.arrays):
            for array, _, extent, _ in index.arrays:
                find_targets(name, a, array.shape, 0, [0] * array.ndim, [(array, array.strides, extent, 0)])
        return
    target = a if a.flags.c_contiguous else layout.converted(a, order="C")
    targets, refused = find_targets(name, target, index.shape, index.base, index.strides, index.arrays)
    scatter(name, loop, target, values, targets, refused)
    if target is not a:
        layout.copy_into(a, target)


def _values(a, b, shape):
    """``b`` as one element, or dense in the shape of the indexed elements; never memory of ``a``."""
    lead = len(shape) - b.ndim
    if lead < 0 or any(n not in (1, m) for n, m in zip(b.shape, shape[lead:], strict=True)):
        raise ValueError(
            f"array is not broadcastable to correct shape: the second operand has shape {b.shape}, "
            f"the indexed elements {shape}"
        )
    if b.size == 1 and not _shares_memory(a, b):
        return b
    if b.shape == shape and b.flags.c_contiguous and not _shares_memory(a, b):
        return b
    dense = layout.empty(shape, b.dtype, device=b.device)
    layout.copy_into(dense, b)
    return dense


def _shares_memory(a, b):
    low, nbytes = a.buffer_address
    other, other_nbytes = b.buffer_address
    return low < other + other_nbytes and other < low + nbytes


def _apply_unary(ufunc, a, indices):
    """Count how often each element is named, then apply to those named once, twice, ... and more."""
    # What has no loop is an error in any case.
    ufunc(layout.empty((0,), a.dtype, device=a.device))
    counts = layout.empty(a.shape, numpy.dtype(numpy.int32), device=a.device)
    counts.fill(0)
    one = asarray(1, dtype=counts.dtype, device=a.device)
    _scatter("add", "ii", counts, indices, one)
    most = int(counts.max()) if counts.size else 0
    for turn in range(most):
        ufunc(a, out=a, where=counts > turn, casting="unsafe")


@dataclass
class _Array:
    """An index array and the axis it indexes; a scalar has no array, only its place in the index."""

    array: object
    extent: int = 0
    multiplier: int = 0


@dataclass
class _Slice:
    length: int
    step: int


@dataclass
class Index:
    """An index taken apart: which elements of a C-contiguous array of the shape of ``a`` it selects.

    Attributes
    ----------
    shape : tuple of int
        Of the indexed elements.
    base : int
        Number of the element that its scalars and the starts of its slices select.
    strides : list of int
        Elements from one to the next along the dimensions that slices made, 0 along the others.
    arrays : list of tuple
        Index arrays with byte strides over ``shape``, extent and elements from one to the next.
    outside : tuple of int, optional
        An index of the host that is out of bounds, with extent and axis.
    """

    a: object
    indices: object
    shape: tuple = ()
    base: int = 0
    strides: list = field(default_factory=list)
    arrays: list = field(default_factory=list)
    outside: tuple | None = None

    def __post_init__(self):
        parts = self._parts()
        arrays = [p for p in parts if isinstance(p, _Array) and p.array is not None]
        if not arrays:
            parts = [p for p in parts if not isinstance(p, _Array)]
        common = _common_shape([p.array.shape for p in arrays])
        if self.outside and 0 not in common:
            _checked(*self.outside)
        places = [i for i, p in enumerate(parts) if isinstance(p, _Array)]
        adjacent = bool(places) and places[-1] - places[0] == len(places) - 1
        first = places[0] if adjacent else 0
        slices = [p for p in parts if isinstance(p, _Slice)]
        before = sum(isinstance(p, _Slice) for p in parts[:first])
        lengths, steps = [p.length for p in slices], [p.step for p in slices]
        self.shape = (*lengths[:before], *common, *lengths[before:])
        self.strides = [*steps[:before], *(0,) * len(common), *steps[before:]]
        for p in arrays:
            lead = len(common) - p.array.ndim
            own = [0 if n == 1 else s for n, s in zip(p.array.shape, p.array.strides, strict=True)]
            over = [0] * (before + lead) + own + [0] * (len(slices) - before)
            self.arrays.append((p.array, over, p.extent, p.multiplier))

    @property
    def size(self):
        """Number of indexed elements."""
        size = 1
        for n in self.shape:
            size *= n
        return size

    def _parts(self):
        """The index as a list of `_Slice` and `_Array`, one or more for each axis of the array."""
        items = self.indices if isinstance(self.indices, tuple) else (self.indices,)
        items = [_normalize(item, self.a.device) for item in items]
        ndim = self.a.ndim
        used = sum(_consumed(item) for item in items)
        if used > ndim:
            raise IndexError(
                f"too many indices for array: array is {ndim}-dimensional, but {used} were indexed"
            )
        ellipses = sum(item is Ellipsis for item in items)
        if ellipses > 1:
            raise IndexError("an index can only have a single ellipsis ('...')")
        if not ellipses:
            items.append(Ellipsis)
        multipliers = [1] * ndim
        for d in range(ndim - 2, -1, -1):
            multipliers[d] = multipliers[d + 1] * self.a.shape[d + 1]
        parts, axis = [], 0
        for item in items:
            count = ndim - used if item is Ellipsis else _consumed(item)
            axes = [(d, self.a.shape[d], multipliers[d]) for d in range(axis, axis + count)]
            parts += self._part(item, axes)
            axis += count
        return parts

    def _part(self, item, axes):
        """What one item of the index makes of its axes: (number, extent, elements from one to the next)."""
        if item is Ellipsis:
            return [_Slice(extent, multiplier) for _, extent, multiplier in axes]
        if item is None:
            return [_Slice(1, 0)]
        if isinstance(item, slice):
            _, extent, multiplier = axes[0]
            start, stop, step = item.indices(extent)
            self.base += start * multiplier
            return [_Slice(len(range(start, stop, step)), step * multiplier)]
        if isinstance(item, int):
            axis, extent, multiplier = axes[0]
            self.base += _checked(item, extent, axis) * multiplier
            return [_Array(None)]
        if item.dtype == bool:
            return self._from_mask(item, axes)
        axis, extent, multiplier = axes[0]
        if not isinstance(item, ndarray):
            outside = item[(item < -extent) | (item >= extent)]
            if outside.size:
                self.outside = self.outside or (int(outside.flat[0]), extent, axis)
            item = asarray(item, device=self.a.device)
        return [_Array(item, extent, multiplier)]

    def _from_mask(self, mask, axes):
        """A boolean array as one index array for each of its dimensions."""
        for place, (axis, extent, _) in enumerate(axes):
            if mask.shape[place] not in (extent, 0):
                raise IndexError(
                    f"boolean index did not match indexed array along axis {axis}; size of axis is {extent} "
                    f"but size of corresponding boolean axis is {mask.shape[place]}"
                )
        if mask.ndim == 0:
            # Selects the whole array once, or not at all.
            chosen = numpy.zeros(int(bool(mask)), numpy.int64)
            return [_Array(asarray(chosen, device=self.a.device), 1, 0)]
        if isinstance(mask, ndarray):
            positions = find_positions(mask if mask.flags.c_contiguous else layout.converted(mask, order="C"))
        else:
            positions = asarray(numpy.stack(mask.nonzero()), device=self.a.device)
        return [_Array(positions[i], extent, multiplier) for i, (_, extent, multiplier) in enumerate(axes)]


def _normalize(item, device):
    """One item of an index: None, Ellipsis, slice, int, or an array of integers or booleans."""
    if item is None or item is Ellipsis or isinstance(item, slice):
        return item
    if isinstance(item, (bool, numpy.bool)):
        return numpy.asarray(item)
    if isinstance(item, (int, numpy.integer)):
        return int(item)
    item = joined(item)
    if isinstance(item, ndarray):
        if item.device is not device:
            raise ValueError(f"ufunc.at: the index is on {item.device} and the array on {device}")
    else:
        empty_list = isinstance(item, list) and len(item) == 0
        item = numpy.asarray(item, dtype=numpy.intp if empty_list else None)
    if item.dtype.kind not in "biu":
        if isinstance(item, ndarray) or item.ndim:
            raise IndexError(f"arrays used as indices must be of integer (or boolean) type, not {item.dtype}")
        raise IndexError(_KINDS_OF_INDEX)
    return item


def _consumed(item):
    """How many axes an item of an index takes."""
    if item is None or item is Ellipsis:
        return 0
    if isinstance(item, (slice, int)):
        return 1
    return item.ndim if item.dtype == bool else 1


def _checked(index, extent, axis):
    """A valid index, wrapped once where it is negative."""
    if not -extent <= index < extent:
        raise IndexError(f"index {index} is out of bounds for axis {axis} with size {extent}")
    return index + extent if index < 0 else index


def _common_shape(shapes):
    try:
        return numpy.broadcast_shapes(*shapes)
    except ValueError:
        text = " ".join(str(shape).replace(" ", "") for shape in shapes)
        raise IndexError(
            f"shape mismatch: indexing arrays could not be broadcast together with shapes {text}"
        ) from None
