"""`griddata` and `NearestNDInterpolator` on device arrays."""

import math

import numpy
import scipy.interpolate
from gpunp.device import get_device
from scipy.spatial import KDTree

from gpunp.array.convert import asarray
from gpunp.array.operands import device_of
from gpunp_scipy.interpolate.coordinates import coordinates
from gpunp_scipy.interpolate.holders import F8, Holder, adopt, created, doubles, holds, is_held, refused


@holds(scipy.interpolate.NearestNDInterpolator)
class Nearest(Holder):
    """Methods of `scipy.interpolate.NearestNDInterpolator` for device arrays."""

    def __call__(self, *args, **query_options):
        """Find the nearest points' values; see `scipy.interpolate.NearestNDInterpolator.__call__`."""
        device, ndim = self.points.device, self.points.shape[1]
        xi = doubles(coordinates(args, ndim, device), device)
        if xi.shape[-1] != ndim:
            raise ValueError(
                "number of dimensions in xi does not match x: "
                f"the requested sample points xi have {xi.shape[-1]}, x has {ndim}"
            )
        shape = xi.shape[:-1]
        flat = self._scaled(xi.reshape(math.prod(shape), ndim))
        distances, i = self.tree.query(flat, **query_options)
        found = numpy.isfinite(distances)[(..., *[None] * (self.values.ndim - 1))]
        kind = self.values.dtype if self.values.dtype.kind == "c" else F8
        values = self.values[numpy.where(numpy.isfinite(distances), i, 0)].astype(kind)
        return numpy.where(found, values, kind.type(math.nan)).reshape(shape + self.values.shape[1:])

    def _scaled(self, points):
        return points if self.scale is None else (points - self.offset) / self.scale


def nearest(self, x, y, rescale=False, tree_options=None):
    """Initialize an interpolator; see `scipy.interpolate.NearestNDInterpolator`."""
    device = device_of(x, y, nested=True) or get_device()
    points, values = doubles(coordinates(x, device=device), device), asarray(y, device=device)
    if points.ndim != 2:
        raise ValueError("invalid shape for input data points")
    if values.ndim < 1 or values.shape[0] != points.shape[0]:
        raise ValueError("different number of values and points")
    if points.shape[1] < 2:
        raise ValueError("input data must be at least 2-D")
    adopt(self)
    self.scale = self.offset = None
    if rescale:
        self.offset, extents = points.mean(axis=0), points.max(axis=0) - points.min(axis=0)
        self.scale = numpy.where(extents > 0, extents, 1.0)
        points = self._scaled(points)
    self.points, self.values = points, values
    self.tree = KDTree(points, **(tree_options or {}))


def call(self, *args, **query_options):
    """Interpolate values that are on the host at points on the device."""
    if not is_held(self):
        host, self = self, created(type(self))
        device = device_of(*args, nested=True)
        self.points, self.values = doubles(host.points, device), asarray(host.values, device=device)
        self.scale = None if host.scale is None else doubles(host.scale, device)
        self.offset = None if host.scale is None else doubles(host.offset, device)
        self.tree = KDTree(self.points)
    return self(*args, **query_options)


def griddata(points, values, xi, method="linear", fill_value=numpy.nan, rescale=False, simplex_tolerance=1.0):
    """Interpolate scattered data; see `scipy.interpolate.griddata`.

    In one dimension, or by the nearest point: triangulations are Qhull's, on the host.
    """
    if simplex_tolerance <= 0:
        raise ValueError("simplex_tolerance must be positive")
    device = device_of(points, values, xi, nested=True) or get_device()
    points, values = coordinates(points, device=device), asarray(values, device=device)
    ndim = points.ndim if points.ndim < 2 else points.shape[-1]
    if ndim == 1 and method in ("nearest", "linear", "cubic"):
        if isinstance(xi, tuple):
            if len(xi) != 1:
                raise ValueError("invalid number of dimensions in xi")
            (xi,) = xi
        if method == "nearest":
            fill_value = "extrapolate"
        options = {"kind": method, "axis": 0, "bounds_error": False, "fill_value": fill_value}
        return scipy.interpolate.interp1d(points.reshape(-1), values, **options)(asarray(xi, device=device))
    if method == "nearest":
        return scipy.interpolate.NearestNDInterpolator(points, values, rescale=rescale)(
            coordinates(xi, ndim, device)
        )
    if method == "linear" or (method == "cubic" and ndim == 2):
        reason = "Qhull's triangulations are on the host; method='nearest' is on the device"
        return refused("griddata", reason, points, values, xi, method, fill_value, rescale)
    raise ValueError(f"Unknown interpolation method {method!r} for {ndim} dimensional data")
