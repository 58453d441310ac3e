"""`interp1d` on device arrays."""

import numpy
import scipy.interpolate
from gpunp.device import get_device

from gpunp.array.convert import asarray, fetched
from gpunp.array.operands import device_of
from gpunp_scipy.interpolate.holders import F8, Holder, adopt, created, holds
from gpunp_scipy.interpolate.one_dimensional import OneDimensional, interpolated_axis

_ORDERS = {"zero": 0, "slinear": 1, "quadratic": 2, "cubic": 3}
_KINDS = ("linear", "nearest", "nearest-up", "previous", "next")


def _extrapolates(fill_value):
    return isinstance(fill_value, str) and fill_value == "extrapolate"


def _broadcast_to(values, shape, name):
    """Values that are as many as a shape has, or one."""
    own = values.shape
    fits = len(shape) >= len(own) and all(f in (1, t) for t, f in zip(shape[::-1], own[::-1], strict=False))
    if not fits:
        raise ValueError(f"{name} argument must be able to broadcast up to shape {shape} but had shape {own}")
    return numpy.broadcast_to(values, shape).reshape(-1) if values.size != 1 else values.reshape(-1)


@holds(scipy.interpolate.interp1d)
class Lines(OneDimensional, Holder):
    """Methods of `scipy.interpolate.interp1d` for device arrays."""

    @property
    def fill_value(self):
        """What points outside get, or "extrapolate"."""
        return self._fill_value_orig

    @fill_value.setter
    def fill_value(self, fill_value):
        if _extrapolates(fill_value):
            self._no_bounds_error()
            self._extrapolate = True
        else:
            shape = (self.y.shape[: self.axis] + self.y.shape[self.axis + 1 :]) or (1,)
            pair = fill_value if isinstance(fill_value, tuple) and len(fill_value) == 2 else None
            names = ("fill_value (below)", "fill_value (above)") if pair else ("fill_value",) * 2
            self._fill_value_below, self._fill_value_above = (
                _broadcast_to(asarray(value, device=self.y.device), shape, name)
                for value, name in zip(pair or (fill_value,) * 2, names, strict=True)
            )
            self._extrapolate = False
            if self.bounds_error is None:
                self.bounds_error = True
        self._fill_value_orig = fill_value

    def _no_bounds_error(self):
        if self.bounds_error:
            raise ValueError("Cannot extrapolate and raise at the same time.")
        self.bounds_error = False

    def _values(self, x):
        found = getattr(self, "_" + self._kind.replace("-", "_"))(x)
        if self._extrapolate:
            return found
        below, above = x < self.x[0], x > self.x[-1]
        if self.bounds_error:
            self._check_bounds(x, below, above)
        for outside, fill in ((below, self._fill_value_below), (above, self._fill_value_above)):
            found = numpy.where(outside[:, None], fill.astype(found.dtype), found)
        return found

    def _check_bounds(self, x, below, above):
        if not x.size:
            return
        is_below, is_above = fetched(numpy.stack([below.any(), above.any()]))
        for is_outside, where, side, extreme, bound in (
            (is_below, below, "below", "minimum", 0),
            (is_above, above, "above", "maximum", -1),
        ):
            if is_outside:
                raise ValueError(
                    f"A value ({fetched(x[numpy.argmax(where)])[()]}) in x_new is {side} the interpolation "
                    f"range's {extreme} value ({fetched(self.x[bound])[()]})."
                )

    def _linear(self, x):
        known = (F8, numpy.dtype(int))
        if not self._extrapolate and self.y.ndim == 1 and self.x.dtype in known and self.y.dtype == F8:
            return numpy.interp(x, self.x, self.y)[:, None]
        right = numpy.clip(numpy.searchsorted(self.x, x), 1, len(self.x) - 1)
        x0, x1 = self.x[right - 1], self.x[right]
        y0, y1 = self._y[right - 1], self._y[right]
        return ((x - x0) / (x1 - x0))[:, None] * y1 + ((x1 - x) / (x1 - x0))[:, None] * y0

    def _by_middles(self, x, side):
        halves = self.x / 2.0
        i = numpy.searchsorted(halves[1:] + halves[:-1], x, side=side)
        return self._y[numpy.clip(i, 0, len(self.x) - 1)]

    def _nearest(self, x):
        return self._by_middles(x, "left")

    def _nearest_up(self, x):
        return self._by_middles(x, "right")

    def _previous(self, x):
        i = numpy.searchsorted(numpy.nextafter(self.x, -numpy.inf), x, side="left")
        return self._y[numpy.clip(i, 1, len(self.x)) - 1]

    def _next(self, x):
        i = numpy.searchsorted(numpy.nextafter(self.x, numpy.inf), x, side="right")
        return self._y[numpy.clip(i, 0, len(self.x) - 1)]

    def _by_spline(self, x):
        values = self._spline(x)
        return numpy.full_like(values, numpy.nan) if self._rewrite_nan else values

    def _set_spline(self, order):
        """The spline through the points. Where data have NaN, values are NaN everywhere."""
        x, y, self._rewrite_nan = self.x, self._y, False
        if order > 1:
            bad = numpy.stack([numpy.isnan(x).any(), numpy.isnan(x).all(), numpy.isnan(y).any()])
            some, every, of_values = fetched(bad)
            if every:
                raise ValueError("`x` array is all-nan")
            if some:
                x = numpy.linspace(numpy.nanmin(x), numpy.nanmax(x), len(x))
            if of_values:
                y = numpy.ones_like(y)
            self._rewrite_nan = bool(some or of_values)
        self._spline = scipy.interpolate.make_interp_spline(x, y, k=order, check_finite=False)


def interp1d(
    self,
    x,
    y,
    kind="linear",
    axis=-1,
    copy=True,
    bounds_error=None,
    fill_value=numpy.nan,
    assume_sorted=False,
):
    """Initialize an interpolator of a table; see `scipy.interpolate.interp1d`.

    Waits for the device for splines. Calls wait with ``bounds_error``, which is the default.
    """
    device = device_of(x, y, nested=True) or get_device()
    x, y = (asarray(values, device=device, copy=copy or None) for values in (x, y))
    adopt(self)
    interpolated_axis(self, x, y, axis)
    self.bounds_error, self.copy = bounds_error, copy
    order = _ORDERS.get(kind) if isinstance(kind, str) else kind if isinstance(kind, int) else None
    if order is None and kind not in _KINDS:
        raise NotImplementedError(f"{kind} is unsupported: Use fitpack routines for other types.")
    if not assume_sorted:
        places = numpy.argsort(x, kind="mergesort")
        x, y = x[places], numpy.take(y, places, axis=axis)
    if x.ndim != 1:
        raise ValueError("the x array must have exactly one dimension.")
    if y.ndim == 0:
        raise ValueError("the y array must have at least one dimension.")
    if x.size == 0:
        raise ValueError("interp1d: there are no points; give at least one")
    if y.dtype.kind not in "fc":
        y = y.astype(F8)
    self.axis, self.x, self.y = axis % y.ndim, x, y
    self._y = self._rows_of(y)
    self._kind = kind if order is None else "by_spline"
    if kind in ("previous", "next") and _extrapolates(fill_value):
        self._no_bounds_error()
        fill_value = (
            (numpy.nan, numpy.take(y, -1, axis))
            if kind == "previous"
            else (numpy.take(y, 0, axis), numpy.nan)
        )
    least = 1 if order is None else order + 1
    if order is not None:
        self._set_spline(order)
    if len(x) < least:
        raise ValueError(f"x and y arrays must have at least {least} entries")
    self.fill_value = fill_value


def on_device(table, device):
    """A copy on a device of a table that is on the host."""
    kind = table._spline.k if table._kind == "spline" else table._kind
    x, y = (asarray(values, device=device) for values in (table.x, table.y))
    made = created(type(table))
    options = {"kind": kind, "axis": table.axis, "bounds_error": table.bounds_error}
    interp1d(made, x, y, **options, fill_value=table.fill_value, assume_sorted=True)
    return made
