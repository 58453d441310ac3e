"""`RBFInterpolator` on device arrays: SciPy's code for all points, ours for the nearest ones of each."""

import itertools
import math
import warnings

import numpy
import scipy.interpolate
from gpunp.device import get_device
from scipy.spatial import KDTree

import gpunp
from gpunp.array.convert import asarray
from gpunp.array.operands import device_of
from gpunp_scipy.interpolate.holders import C16, F8, Holder, adopt, created, doubles, holds, is_held, scipys

_FUNCTIONS = {
    "linear": lambda r: -r,
    "thin_plate_spline": lambda r: r * r * numpy.log(numpy.where(r == 0, 1.0, r)),
    "cubic": lambda r: r * r * r,
    "quintic": lambda r: -(r**5),
    "multiquadric": lambda r: -numpy.sqrt(r * r + 1.0),
    "inverse_multiquadric": lambda r: 1.0 / numpy.sqrt(r * r + 1.0),
    "inverse_quadratic": lambda r: 1.0 / (r * r + 1.0),
    "gaussian": lambda r: numpy.exp(-(r * r)),
}
# Functions that need no epsilon, and the least degrees of the polynomials for conditionally definite ones.
_INVARIANT = ("linear", "thin_plate_spline", "cubic", "quintic")
_DEGREES = {"multiquadric": 0, "linear": 0, "thin_plate_spline": 1, "cubic": 1, "quintic": 2}
# Elements of the matrices that are solved at once.
_MOST_ELEMENTS = 1 << 24


def _powers(ndim, degree):
    """Exponents of all monomials up to a degree."""
    exponents = [
        [chosen.count(axis) for axis in range(ndim)]
        for total in range(degree + 1)
        for chosen in itertools.combinations_with_replacement(range(ndim), total)
    ]
    return numpy.array(exponents, dtype=int).reshape(-1, ndim)


@holds(scipy.interpolate.RBFInterpolator)
class Neighborhoods(Holder):
    """Methods of `scipy.interpolate.RBFInterpolator` with ``neighbors`` for device arrays."""

    def __call__(self, x):
        """Evaluate; see `scipy.interpolate.RBFInterpolator.__call__`. Solves a system for each point."""
        x = doubles(x, self.y.device)
        if x.ndim != 2:
            raise ValueError("`x` must be a 2-dimensional array.")
        if x.shape[1] != self.y.shape[1]:
            raise ValueError(f"Expected the second axis of `x` to have length {self.y.shape[1]}.")
        step = max(1, _MOST_ELEMENTS // (self.neighbors + len(self.powers)) ** 2)
        parts = [self._part(x[i : i + step]) for i in range(0, max(1, x.shape[0]), step)]
        found = numpy.concatenate(parts) if len(parts) > 1 else parts[0]
        if self.d_dtype == C16:
            found = found[..., ::2] + 1j * found[..., 1::2]
        return found.reshape(x.shape[:1] + self.d_shape)

    def _monomials(self, points):
        """Monomials at points: the last axis of points has the coordinates."""
        columns = []
        for exponents in self.powers:
            column = numpy.ones_like(points[..., 0])
            for axis, exponent in enumerate(exponents):
                for _ in range(exponent):
                    column = column * points[..., axis]
            columns.append(column)
        return numpy.stack(columns, axis=-1) if columns else numpy.zeros_like(points[..., :0])

    def _part(self, x):
        count, k, terms = x.shape[0], self.neighbors, len(self.powers)
        if count == 0:
            return gpunp.zeros((0, self.d.shape[1]), F8, device=x.device)
        _, nearest = self._tree.query(x, k)
        nearest = nearest.reshape(count, k)
        y, function = self.y[nearest], _FUNCTIONS[self.kernel]
        low, high = y.min(axis=1), y.max(axis=1)
        shift, scale = (high + low) / 2, (high - low) / 2
        scale = numpy.where(scale == 0.0, 1.0, scale)
        monomials = self._monomials((y - shift[:, None]) / scale[:, None])
        matrix = gpunp.zeros((count, k + terms, k + terms), F8, device=x.device)
        differences = (y[:, :, None] - y[:, None]) * self.epsilon
        matrix[:, :k, :k] = function(numpy.sqrt((differences**2).sum(axis=-1)))
        diagonal = numpy.arange(k)
        matrix[:, diagonal, diagonal] += self.smoothing[nearest]
        matrix[:, :k, k:], matrix[:, k:, :k] = monomials, monomials.mT
        # The matrix is symmetric: the weights of values solve the system for the functions at the point.
        distances = numpy.sqrt((((x[:, None] - y) * self.epsilon) ** 2).sum(axis=-1))
        sides = numpy.concatenate((function(distances), self._monomials((x - shift) / scale)), axis=1)
        try:
            weights = numpy.linalg.solve(matrix, sides[..., None])[:, :k]
        except numpy.linalg.LinAlgError as error:
            # On a GPU the next wait raises the error of `numpy.linalg.solve`.
            raise numpy.linalg.LinAlgError(_singular(monomials)) from error
        return (weights * self.d[nearest]).sum(axis=1)


def _singular(monomials):
    """Why systems have no solution: points x neighbors x monomials."""
    terms = monomials.shape[-1]
    rank = int(numpy.linalg.matrix_rank(monomials).min()) if terms else 0
    if rank == terms:
        return "Singular matrix"
    return (
        "Singular matrix. The matrix of monomials evaluated at the data point coordinates does not have full "
        f"column rank ({rank}/{terms})."
    )


def _checked_degree(kernel, degree):
    least = _DEGREES.get(kernel, -1)
    if degree is None:
        return max(least, 0)
    degree = int(degree)
    if degree < -1:
        raise ValueError("`degree` must be at least -1.")
    if -1 < degree < least:
        warnings.warn(
            f"`degree` should not be below {least} except -1 when `kernel` is '{kernel}'."
            "The interpolant may not be uniquely solvable, and the smoothing parameter may have an "
            "unintuitive effect.",
            UserWarning,
            stacklevel=5,
        )
    return degree


def rbf_interpolator(
    self,
    y,
    d,
    neighbors=None,
    smoothing=0.0,
    kernel="thin_plate_spline",
    epsilon=None,
    degree=None,
):
    """Initialize an interpolant; see `scipy.interpolate.RBFInterpolator`."""
    device = device_of(y, d, smoothing, nested=True) or get_device()
    if neighbors is None:
        # SciPy's code views complex values as pairs of numbers.
        y, d = (gpunp.ascontiguousarray(asarray(values, device=device)) for values in (y, d))
        if isinstance(smoothing, numpy.ndarray):
            smoothing = asarray(smoothing, device=device)
        scipys("RBFInterpolator.__init__")(self, y, d, None, smoothing, kernel, epsilon, degree)
        return
    y, d = doubles(y, device), asarray(d, device=device)
    if y.ndim != 2:
        raise ValueError("`y` must be a 2-dimensional array.")
    ny, ndim = y.shape
    if d.shape[0] != ny:
        raise ValueError(f"Expected the first axis of `d` to have length {ny}.")
    smoothing = asarray(smoothing, F8, device=device)
    if smoothing.ndim and smoothing.shape != (ny,):
        raise ValueError(f"Expected `smoothing` to be a scalar or have shape ({ny},).")
    kernel = kernel.lower()
    if kernel not in _FUNCTIONS:
        raise ValueError(f"`kernel` must be one of {set(_FUNCTIONS)}.")
    if epsilon is None and kernel not in _INVARIANT:
        raise ValueError(f"`epsilon` must be specified if `kernel` is not one of {set(_INVARIANT)}.")
    powers = _powers(ndim, _checked_degree(kernel, degree))
    neighbors = int(min(neighbors, ny))
    if powers.shape[0] > neighbors:
        raise ValueError(
            f"At least {powers.shape[0]} data points are required when `degree` is "
            f"{_checked_degree(kernel, degree)} and the number of dimensions is {ndim}."
        )
    adopt(self)
    self.d_shape, self.d_dtype = d.shape[1:], C16 if d.dtype.kind == "c" else F8
    rows = doubles(d, device, self.d_dtype).reshape(ny, math.prod(self.d_shape))
    self.y, self.d = y, rows.view(F8) if self.d_dtype == C16 else rows
    self.neighbors, self.smoothing = neighbors, numpy.broadcast_to(smoothing, (ny,))
    self.kernel, self.epsilon, self.powers = kernel, 1.0 if epsilon is None else float(epsilon), powers
    self._tree = KDTree(y)


def call(self, x):
    """Evaluate at points on the device, maybe an interpolant that is on the host."""
    if is_held(self):
        return self(x)
    if isinstance(self.y, gpunp.ndarray):
        return scipys("RBFInterpolator.__call__")(self, x)
    device, host = device_of(x), self
    made = created(type(host)) if host.neighbors is not None else object.__new__(type(host))
    for name, value in vars(host).items():
        is_array = isinstance(value, numpy.ndarray) and not (name == "powers" and host.neighbors is not None)
        setattr(made, name, asarray(value, device=device) if is_array else value)
    if host.neighbors is not None:
        made._tree = KDTree(made.y)
    else:
        made._xp = gpunp
    return made(x)
