"""Matrices of B-splines at points, as sparse arrays on the device."""

import numpy
from gpunp.device import get_device
from scipy.sparse import csr_array

from gpunp.array.convert import fetched
from gpunp.array.operands import device_of
from gpunp_scipy.interpolate.holders import doubles
from gpunp_scipy.interpolate.spline_fits import basis_values
from gpunp_scipy.interpolate.tensor_splines import checked_knots


def _index_dtype(count):
    return numpy.int32 if count < numpy.iinfo(numpy.int32).max else numpy.int64


def design_matrix(cls, x, t, k, extrapolate=False):
    """Values of all B-splines at points; see `scipy.interpolate.BSpline.design_matrix`.

    Waits for the device to check the points and knots.
    """
    device = device_of(x, t, nested=True) or get_device()
    x, t = (numpy.atleast_1d(doubles(values, device)) for values in (x, t))
    periodic = isinstance(extrapolate, str) and extrapolate == "periodic"
    n = t.shape[0] - k - 1
    enough = t.ndim == 1 and len(t) >= 2 * k + 2 and k >= 0
    outside = (x < t[k]) | (x > t[n]) if enough else x != x
    flags = [numpy.isfinite(x).all() & numpy.isfinite(t).all(), (t[1:] < t[:-1]).any(), outside.any()]
    finite, falls, outside = fetched(numpy.stack(flags))
    if not finite:
        raise ValueError("Array must not contain infs or nans.")
    if k < 0:
        raise ValueError("Spline order cannot be negative.")
    if t.ndim != 1 or falls:
        raise ValueError(f"Expect t to be a 1-D sorted array_like, but got t={fetched(t)}.")
    if not enough:
        raise ValueError(f"Length t is not enough for k={k}.")
    if periodic:
        x = t[k] + (x - t[k]) % (t[n] - t[k])
    elif not extrapolate and outside:
        raise ValueError(f"Out of bounds w/ x = {fetched(x)}.")
    values, places = basis_values(t, x, k)
    dtype = _index_dtype(values.size)
    columns = (places[:, None] + numpy.arange(k + 1)).astype(dtype)
    starts = numpy.arange(0, values.size + 1, k + 1, dtype=dtype, like=values)
    return csr_array((values.reshape(-1), columns.reshape(-1), starts), shape=(x.shape[0], n))


def nd_design_matrix(cls, xvals, t, k, extrapolate=True):
    """Values of all products of B-splines at points; see `scipy.interpolate.NdBSpline.design_matrix`."""
    device = device_of(xvals, *t) or get_device()
    points = doubles(xvals, device)
    if len(t) != points.shape[-1]:
        raise ValueError(
            f"Data and knots are inconsistent: len(t) = {len(t)} for  ndim = {points.shape[-1]!r}."
        )
    if points.ndim != 2:
        raise ValueError(f"xvals must have two dimensions, a row for each point; it has {points.ndim}.")
    k, t = checked_knots(k, tuple(doubles(knots, device) for knots in t))
    count, data, columns = points.shape[0], None, None
    for axis, (knots, degree) in enumerate(zip(t, k, strict=True)):
        values, places = basis_values(knots, doubles(points[:, axis], device), degree)
        places = places[:, None] + numpy.arange(degree + 1)
        if data is None:
            data, columns = values, places
            continue
        data = (data[:, :, None] * values[:, None]).reshape(count, data.shape[1] * values.shape[1])
        columns = columns[:, :, None] * (len(knots) - degree - 1) + places[:, None]
        columns = columns.reshape(data.shape)
    starts = numpy.arange(0, data.size + 1, data.shape[1], like=data)
    return csr_array((data.reshape(-1), columns.reshape(-1), starts))
