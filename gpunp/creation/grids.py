"""Objects that make grids and joined ranges when indexed: mgrid, ogrid, r_ and c_."""

import math

import numpy

from gpunp.array import layout
from gpunp.array.convert import asarray
from gpunp.array.dtype import as_dtype
from gpunp.array.operands import device_of
from gpunp.array.views import transposed
from gpunp.creation.ranges import arange, linspace
from gpunp.dispatch.registry import NAMESPACE, implements

_COMPLEX = (complex, numpy.complexfloating)
_SCALARS = (bool, int, float, complex, numpy.generic)


def _is_count(step):
    """Whether a step is complex: it then gives the number of points, both ends included."""
    return isinstance(step, _COMPLEX)


class Grid:
    """Coordinate arrays from slices; see `numpy.mgrid` and `numpy.ogrid`."""

    __slots__ = ("sparse",)

    def __init__(self, sparse):
        self.sparse = sparse

    def __repr__(self):
        return "gpunp.ogrid" if self.sparse else "gpunp.mgrid"

    def __len__(self):
        return 0

    def __getitem__(self, key):
        if isinstance(key, slice):
            return _line(key)
        starts, steps, sizes, numbers = [], [], [], [0]
        for one in key:
            start = 0 if one.start is None else one.start
            step = 1 if one.step is None else one.step
            if _is_count(step):
                step = abs(step)
                sizes.append(int(step))
            else:
                sizes.append(math.ceil((one.stop - start) / step))
            numbers += [start, one.stop, step]
            if _is_count(one.step):
                step = int(step)
                if step != 1:
                    step = (one.stop - start) / float(step - 1)
            starts.append(start)
            steps.append(step)
        dtype = as_dtype(numpy.result_type(*numbers))
        lines = [
            # As in NumPy, the grid has the result's dtype before it is scaled.
            (arange(size, dtype=dtype) * step + start)
            for size, step, start in zip(sizes, steps, starts, strict=True)
        ]
        ndim = len(lines)
        lines = [line.reshape((1,) * d + (-1,) + (1,) * (ndim - d - 1)) for d, line in enumerate(lines)]
        if self.sparse:
            return tuple(lines)
        whole = layout.empty((ndim, *sizes), dtype)
        for d, line in enumerate(lines):
            layout.copy_into(whole[d, ...], line)
        return whole


def _line(key):
    start = 0 if key.start is None else key.start
    if not _is_count(key.step):
        return arange(start, key.stop, key.step)
    count = abs(key.step)
    length = int(count)
    step = (key.stop - start) / float(length - 1) if length != 1 else length
    return arange(0, length, 1, dtype=numpy.result_type(start, key.stop, count)) * step + start


class Joiner:
    """Slices, arrays and numbers joined by indexing; see `numpy.r_` and `numpy.c_`."""

    __slots__ = ("_axis", "_name", "_ndmin", "_place")

    def __init__(self, name, axis, ndmin, place):
        self._name = name
        self._axis = axis
        self._ndmin = ndmin
        self._place = place

    def __repr__(self):
        return f"gpunp.{self._name}"

    def __len__(self):
        return 0

    def __getitem__(self, key):
        if isinstance(key, str):
            raise TypeError(f"gpunp.{self._name}: matrices are not supported; join arrays with gpunp.block")
        items = list(key) if isinstance(key, tuple) else [key]
        axis, ndmin, place = self._axis, self._ndmin, self._place
        if items and isinstance(items[0], str):
            axis, ndmin, place = self._directive(items.pop(0), axis, ndmin, place)
        if any(isinstance(item, str) for item in items):
            raise ValueError("special directives must be the first entry.")
        device = device_of(*items)
        parts, kinds = [], []
        for item in items:
            if isinstance(item, slice):
                part = _range(item, device)
                if ndmin > 1:
                    part = _at_least(part, ndmin)
                    if place != -1:
                        part = numpy.swapaxes(part, -1, place)
                kinds.append(part.dtype)
            elif isinstance(item, _SCALARS):
                part = item
                kinds.append(item)
            else:
                part = _placed(asarray(item, device=device), ndmin, place)
                kinds.append(part.dtype)
            parts.append(part)
        dtype = as_dtype(numpy.result_type(*kinds)) if kinds else None
        parts = [_at_least(asarray(part, dtype, device), ndmin) for part in parts]
        return NAMESPACE["concatenate"](parts, axis)

    def _directive(self, text, axis, ndmin, place):
        if text in ("r", "c"):
            raise TypeError(f"gpunp.{self._name}: matrices are not supported; omit the directive {text!r}")
        try:
            numbers = [int(number) for number in text.split(",")[:3]]
        except ValueError:
            raise ValueError(f"unknown special directive {text!r}") from None
        return tuple(numbers) + (axis, ndmin, place)[len(numbers) :]


def _range(item, device):
    start = 0 if item.start is None else item.start
    step = 1 if item.step is None else item.step
    if _is_count(step):
        return linspace(start, item.stop, num=int(abs(step)), device=device)
    return arange(start, item.stop, step, device=device)


def _at_least(part, ndmin):
    return part if part.ndim >= ndmin else part.reshape((1,) * (ndmin - part.ndim) + part.shape)


def _placed(part, ndmin, place):
    """Add axes in front up to ``ndmin`` and move the array's own axes to ``place``."""
    missing = ndmin - part.ndim
    part = _at_least(part, ndmin)
    if place == -1 or missing <= 0:
        return part
    first = place if place >= 0 else place + missing + 1
    axes = list(range(ndmin))
    return transposed(part, axes[:first] + axes[missing:] + axes[first:missing])


mgrid = implements(name="mgrid")(Grid(sparse=False))
ogrid = implements(name="ogrid")(Grid(sparse=True))
r_ = implements(name="r_")(Joiner("r_", 0, 1, -1))
c_ = implements(name="c_")(Joiner("c_", -1, 2, 0))
