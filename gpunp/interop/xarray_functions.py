"""Functions that xarray leaves to NumPy, SciPy or bottleneck, for device arrays.

xarray has no place to register these. Each is a function of xarray that goes on to ours where the data is a
device array, and stays what it is for everything else.
"""

import functools
import itertools
import math

import numpy
from xarray.core import duck_array_ops, indexing, missing, nputils
from xarray.core.common import AbstractArray
from xarray.core.variable import Variable, broadcast_variables
from xarray.namedarray.core import NamedArray

from gpunp.array.convert import asarray, asnumpy
from gpunp.array.ndarray import ndarray

# How much memory the matrices of a fit with gaps may take at once.
_BLOCK_BYTES = 1 << 28


def fill_forward(array, n=None, axis=-1):
    """NaN replaced by the last number before it along an axis, if that is at most ``n`` back."""
    axis %= array.ndim
    places = numpy.arange(array.shape[axis], like=array).reshape((-1,) + (1,) * (array.ndim - axis - 1))
    last = numpy.maximum.accumulate(numpy.where(numpy.isnan(array), 0, places), axis=axis)
    filled = numpy.take_along_axis(array, last, axis)
    return filled if n is None else numpy.where(places - last <= n, filled, array)


def _selected(array, places, axis, keepdims):
    found = numpy.take_along_axis(array, numpy.expand_dims(places, axis), axis)
    return found if keepdims else numpy.squeeze(found, axis)


def first_number(values, axis, keepdims=False):
    """The first element along an axis that is not NaN."""
    (axis,) = axis if isinstance(axis, tuple) else (axis,)
    return _selected(values, numpy.argmax(~numpy.isnan(values), axis=axis), axis, keepdims)


def last_number(values, axis, keepdims=False):
    """The last element along an axis that is not NaN."""
    (axis,) = axis if isinstance(axis, tuple) else (axis,)
    from_end = numpy.argmax(~numpy.isnan(numpy.flip(values, axis)), axis=axis)
    return _selected(values, values.shape[axis] - 1 - from_end, axis, keepdims)


def interpolate(data, *coords, interp_func, interp_kwargs, result_coord_core_dims):
    """Linear and nearest-neighbor interpolation along the last axes.

    Parameters
    ----------
    data : ndarray
    *coords : array
        The ascending coordinates of the last axes, then the new ones.
    interp_func : object
        SciPy's way, which is not taken.
    interp_kwargs : dict
        ``method`` and ``fill_value``.
    result_coord_core_dims : list of tuple
        Names of the axes of the new coordinates.

    Returns
    -------
    ndarray
    """
    count = len(coords) // 2
    method, fill = interp_kwargs.get("method"), interp_kwargs.get("fill_value")
    if method not in ("linear", "slinear", "nearest"):
        raise TypeError(
            f"interp: method {method!r} is SciPy's and runs on the host; use 'linear' or 'nearest', or move "
            "the data with .gpunp.asnumpy()"
        )
    old = [Variable((f"old_{i}",), x) for i, x in enumerate(coords[:count])]
    new = broadcast_variables(
        *(Variable(dims, x) for dims, x in zip(result_coord_core_dims, coords[count:], strict=True))
    )
    # Dates become numbers.
    old, new = missing._floatize_x(old, list(new))
    old, new = ([asarray(x.data, device=data.device) for x in each] for each in (old, new))
    data = data if data.dtype.kind in "fc" else data.astype(float)
    extrapolated = fill == "extrapolate" if count == 1 else fill is None and "fill_value" in interp_kwargs
    if count > 1:
        found = _on_grid(data, old, new, method)
    elif method == "nearest":
        found = numpy.take(data, _nearest(old[0], new[0]), axis=-1)
    elif data.ndim == 1 and not extrapolated:
        # What SciPy does with one axis: a NaN beside a point that is hit does no harm.
        found = numpy.interp(new[0], old[0], data)
    else:
        found = _on_line(data, old[0], new[0])
    if extrapolated:
        return found
    below, above = fill if isinstance(fill, tuple) else (fill, fill)
    for x, at in zip(old, new, strict=True):
        for outside, value in ((~(at >= x[0]), below), (~(at <= x[-1]), above)):
            found = numpy.where(outside, math.nan if value is None else value, found)
    return found


def _interval(x, at):
    """The positions of the two neighbors of each point; the lower one is less than the point."""
    upper = numpy.clip(numpy.searchsorted(x, at), 1, len(x) - 1)
    return upper - 1, upper


def _nearest(x, at):
    half = x / 2
    return numpy.clip(numpy.searchsorted(half[1:] + half[:-1], at), 0, len(x) - 1)


def _on_line(data, x, at):
    lower, upper = _interval(x, at)
    start, at_start = numpy.take(data, lower, axis=-1), x[lower]
    slope = (numpy.take(data, upper, axis=-1) - start) / (x[upper] - at_start)
    return slope * (at - at_start) + start


def _on_grid(data, old, new, method):
    if method == "nearest":
        return data[(..., *map(_nearest, old, new))]
    ends, weights = [], []
    for x, at in zip(old, new, strict=True):
        lower, upper = _interval(x, at)
        share = (at - x[lower]) / (x[upper] - x[lower])
        ends.append((lower, upper))
        weights.append((1 - share, share))
    corners = itertools.product((0, 1), repeat=len(old))
    return sum(
        data[(..., *(end[side] for end, side in zip(ends, corner, strict=True)))]
        * math.prod(weight[side] for weight, side in zip(weights, corner, strict=True))
        for corner in corners
    )


def least_squares(lhs, rhs, rcond=None, skipna=False):
    """Coefficients and residuals for each column of ``rhs``; ``skipna`` leaves out NaN.

    Parameters
    ----------
    lhs : array
        The matrix, rows by coefficients.
    rhs : ndarray
    rcond : float
        Singular values that are smaller, relative to the largest, count as zero.
    skipna : bool
        Whether rows with NaN are left out, in each column by itself.

    Returns
    -------
    coefficients, residuals : ndarray
        The residual is NaN where there are not more rows than coefficients, or too few that are independent.
    """
    lhs = asarray(lhs, device=rhs.device)
    columns = rhs.reshape(rhs.shape[0], -1)
    missing_ones = numpy.isnan(columns)
    if not skipna or not missing_ones.any():
        coefficients, residuals, rank, _ = numpy.linalg.lstsq(lhs, columns, rcond=rcond)
        nputils.warn_on_deficient_rank(int(rank), lhs.shape[1])
        if residuals.size == 0:
            residuals = numpy.full_like(coefficients[0], math.nan)
    else:
        blocks = max(1, columns.size * lhs.shape[1] * 8 // _BLOCK_BYTES)
        coefficients, residuals = (
            numpy.concatenate(parts, axis=-1)
            for parts in zip(
                *(
                    _of_present(lhs, part, absent, rcond)
                    for part, absent in zip(
                        numpy.array_split(columns, blocks, axis=1),
                        numpy.array_split(missing_ones, blocks, axis=1),
                        strict=True,
                    )
                ),
                strict=True,
            )
        )
    if rhs.ndim == 1:
        return coefficients[:, 0], residuals if not skipna else residuals[0]
    return coefficients.reshape(-1, *rhs.shape[1:]), residuals.reshape(rhs.shape[1:])


def _of_present(lhs, columns, absent, rcond):
    # A row of zeros changes nothing, so that the matrices of all columns are one stack.
    present = ~absent.T
    matrices = lhs * present[..., None]
    values = numpy.where(present, columns.T, 0)
    left, sizes, right = numpy.linalg.svd(matrices, full_matrices=False)
    counts = sizes > rcond * sizes[:, :1]
    inverses = numpy.where(counts, 1 / sizes, 0)
    found = (numpy.matmul(values[:, None], left)[:, 0] * inverses)[:, None] @ right
    residuals = ((values - (matrices @ found.mT)[..., 0]) ** 2).sum(axis=-1)
    enough = counts.all(axis=-1) & (present.sum(axis=-1) > lhs.shape[1])
    found = numpy.where(present.any(axis=-1), found[:, 0].T, math.nan)
    return found, numpy.where(enough, residuals, math.nan)


def _fit_present(arr, x, rcond=None):
    coefficients, residual = least_squares(x, arr, rcond, skipna=True)
    return numpy.concatenate([coefficients, residual[None]])


def _extend(owner, name, function):
    original = getattr(owner, name)

    @functools.wraps(original)
    def extended(data, *args, **kwargs):
        return (function if isinstance(data, ndarray) else original)(data, *args, **kwargs)

    setattr(owner, name, extended)


def _extend_conversion(name):
    original = getattr(AbstractArray, name)

    @functools.wraps(original)
    def extended(self):
        data = getattr(self, "_variable", self)._data
        return getattr(data, name)() if isinstance(data, ndarray) else original(self)

    setattr(AbstractArray, name, extended)


def _extend_to_numpy():
    original = NamedArray.to_numpy

    @functools.wraps(original)
    def extended(self):
        if isinstance(getattr(self._data, "_meta", None), ndarray):
            # Chunks of dask; NumPy could not convert what they are put together to.
            return asnumpy(self._data.compute())
        return original(self)

    NamedArray.to_numpy = extended


def _extend_astype():
    original = duck_array_ops.astype

    @functools.wraps(original)
    def extended(data, dtype, **kwargs):
        # The method takes an order too; a scalar of NumPy is no array to our function.
        if isinstance(data, ndarray | numpy.generic):
            kwargs.pop("xp", None)
            return data.astype(dtype, **kwargs)
        return original(data, dtype, **kwargs)

    duck_array_ops.astype = extended


def _extend_least_squares():
    original = nputils.least_squares

    @functools.wraps(original)
    def extended(lhs, rhs, rcond=None, skipna=False):
        return (least_squares if isinstance(rhs, ndarray) else original)(lhs, rhs, rcond, skipna)

    nputils.least_squares = extended


def _indexing_adapter(cls, array=None):
    if isinstance(array, ndarray):
        return indexing.NdArrayLikeIndexingAdapter(array)
    return object.__new__(cls)


def register():
    """Make functions of xarray accept device arrays."""
    _extend(missing, "_interpnd", interpolate)
    _extend(duck_array_ops, "_push", fill_forward)
    _extend(nputils, "nanfirst", first_number)
    _extend(nputils, "nanlast", last_number)
    for name in ("__bool__", "__int__", "__float__", "__complex__"):
        _extend_conversion(name)
    _extend_astype()
    _extend(nputils, "_nanpolyfit_1d", _fit_present)
    _extend_to_numpy()
    _extend_least_squares()
    # Arrays of the array API standard get less than NumPy's indexing, and ours has all of it.
    indexing.ArrayApiIndexingAdapter.__new__ = staticmethod(_indexing_adapter)
