"""Functions that xarray delegates to NumPy, SciPy or bottleneck, implemented for device arrays.

xarray has no registry for these. Each function of xarray is replaced by one that calls ours if the data is a
device array, and the original otherwise.
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

# Bytes that the matrices of a fit with missing values may take at once.
_BLOCK_BYTES = 1 << 28


def fill_forward(array, n=None, axis=-1):
    """Replace NaN by the last number before it along an axis, if that is at most ``n`` positions back."""
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
        SciPy's interpolator; not used.
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
    # Converts dates to numbers.
    old, new = missing._floatize_x(old, list(new))
    old, new = ([asarray(x.data, device=data.device) for x in each] for each in (old, new))
    data = data if data.dtype.kind in "fc" else data.astype(float)
    extrapolated = fill == "extrapolate" if count == 1 else fill is None and "fill_value" in interp_kwargs
    if count > 1:
        found = _on_grid(data, old, new, method)
    elif method == "nearest":
        found = numpy.take(data, _nearest(old[0], new[0]), axis=-1)
    elif data.ndim == 1 and not extrapolated:
        # As in SciPy for one axis: at a sample point, a NaN in a neighboring sample has no effect.
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
    """The positions of the two samples around each point; the lower one is less than the point."""
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
    """Coefficients and residuals for each column of ``rhs``; ``skipna`` ignores NaN.

    Parameters
    ----------
    lhs : array
        The matrix, rows by coefficients.
    rhs : ndarray
    rcond : float
        Singular values that are smaller, relative to the largest, are treated as zero.
    skipna : bool
        Whether rows with NaN are ignored, separately in each column.

    Returns
    -------
    coefficients, residuals : ndarray
        The residual is NaN unless there are more rows than coefficients and the matrix has full rank.
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
    # Missing rows are set to zero, which does not change the fit; so all columns' matrices form a stack.
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
            # dask chunks: NumPy cannot convert the device array that they are joined to.
            return asnumpy(self._data.compute())
        return original(self)

    NamedArray.to_numpy = extended


def _extend_astype():
    original = duck_array_ops.astype

    @functools.wraps(original)
    def extended(data, dtype, **kwargs):
        # The method also takes an order, and NumPy scalars are not arrays for our function.
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
    # xarray restricts array API arrays to a subset of NumPy's indexing; device arrays support all of it.
    indexing.ArrayApiIndexingAdapter.__new__ = staticmethod(_indexing_adapter)
