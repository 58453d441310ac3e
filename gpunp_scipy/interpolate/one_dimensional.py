"""What the interpolators of SciPy's ``_Interpolator1D`` have in common on device arrays."""

import importlib
import math

import numpy
import scipy.interpolate

from gpunp.array.convert import asarray
from gpunp.array.operands import device_of
from gpunp_scipy.interpolate.holders import F8, computing_dtype, is_held, points_first


def interpolated_axis(self, xi, yi, axis):
    """Set an object's axis, the extents of the others and its dtype, with SciPy's errors."""
    if axis is None:
        axis = self._y_axis
    if axis is None:
        raise ValueError("no interpolation axis specified")
    shape = yi.shape or (1,)
    if xi is not None and shape[axis] != len(xi):
        raise ValueError("x and y arrays must be equal in length along interpolation axis.")
    self._y_axis = axis % yi.ndim
    self._y_extra_shape = yi.shape[: self._y_axis] + yi.shape[self._y_axis + 1 :]
    self.dtype = computing_dtype(yi.dtype).type


class OneDimensional:
    """Calls of interpolators with values along an axis; ``_values`` computes rows of them."""

    def __call__(self, x):
        """Interpolate at points."""
        x = self._points(x)
        return self._placed(self._values(x.reshape(-1)), x)

    def _points(self, x):
        x = asarray(x, device=self._device())
        return x if x.dtype.kind in "fc" else x.astype(F8)

    def _device(self):
        return self.y.device

    def _placed(self, rows, x, first=()):
        """Values with their axes where those of ``yi`` were; ``first`` are extents of axes before."""
        values = rows.reshape(first + x.shape + self._y_extra_shape)
        if self._y_axis == 0 or x.ndim == 0:
            return values
        if not first:
            return points_first(values, x.ndim, self._y_axis)
        return numpy.stack([points_first(each, x.ndim, self._y_axis) for each in values])

    def _rows_of(self, yi, check=False):
        """Values as rows by points of the axis."""
        yi = numpy.moveaxis(yi, self._y_axis, 0)
        if check and yi.shape[1:] != self._y_extra_shape:
            before, after = (
                self._y_extra_shape[-self._y_axis :],
                self._y_extra_shape[: -self._y_axis],
            )
            raise ValueError(f"Data must be of shape {before!r} + (N,) + {after!r}")
        return yi.reshape(yi.shape[0], math.prod(yi.shape[1:]))

    def derivatives(self, x, der=None):
        """Derivatives up to an order, along the first axis; see `scipy.interpolate.KroghInterpolator`."""
        x = self._points(x)
        rows = self._derivatives(x.reshape(-1), der)
        return self._placed(rows, x, (rows.shape[0],))

    def derivative(self, x, der=1):
        """A derivative; see `scipy.interpolate.KroghInterpolator.derivative`."""
        x = self._points(x)
        return self._placed(self._derivatives(x.reshape(-1), der + 1)[der], x)


def _of_device(self, x):
    """The interpolator, or a copy of one that is on the host."""
    if is_held(self):
        return self
    home = "lines" if isinstance(self, scipy.interpolate.interp1d) else "polynomials"
    home = importlib.import_module(f"gpunp_scipy.interpolate.{home}")
    return home.on_device(self, device_of(x, nested=True))


def call(self, x):
    """Interpolate at points on the device, maybe values that are on the host."""
    return _of_device(self, x)(x)


def derivative(self, x, der=1):
    """Compute a derivative at points on the device, maybe of values that are on the host."""
    return _of_device(self, x).derivative(x, der)


def derivatives(self, x, der=None):
    """Compute derivatives at points on the device, maybe of values that are on the host."""
    return _of_device(self, x).derivatives(x, der)
