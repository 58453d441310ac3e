"""Kernel density estimates with Gaussian kernels (``scipy.stats.gaussian_kde``)."""

import functools
import math

import numpy

import gpunp
from gpunp.array.operands import device_of
from gpunp_scipy.stats.draws import generator_for

# Pairs of a point and a datum whose kernels are held at a time: 128 MiB in double precision.
_PAIRS = 1 << 24


@functools.cache
def _class():
    """The subclass of SciPy's class for data on a device."""
    from scipy.stats import gaussian_kde

    return type("gaussian_kde", (gaussian_kde,), {**_METHODS, "__module__": "scipy.stats"})


def create(self, dataset, bw_method=None, weights=None):
    """Estimate a density from data on the device; see `scipy.stats.gaussian_kde`."""
    from scipy.linalg import LinAlgError

    self.__class__ = _class()
    device = device_of(dataset, weights)
    self.dataset = numpy.atleast_2d(gpunp.asarray(dataset, device=device))
    if not self.dataset.size > 1:
        raise ValueError("`dataset` input should have multiple elements.")
    self.d, self.n = self.dataset.shape
    if weights is None:
        self._weights = gpunp.full(self.n, 1 / self.n, device=device)
        self._neff = float(self.n)
    else:
        self._weights = numpy.atleast_1d(gpunp.asarray(weights, device=device)).astype(float)
        self._weights = self._weights / self._weights.sum()
        if self._weights.ndim != 1:
            raise ValueError("`weights` input should be one-dimensional.")
        if len(self._weights) != self.n:
            raise ValueError("`weights` input should be of length n")
        self._neff = 1 / numpy.vecdot(self._weights, self._weights)
    if self.d > self.n:
        raise ValueError(
            "Number of dimensions is greater than number of samples. This results in a singular data "
            "covariance matrix, which cannot be treated using the algorithms implemented in "
            "`gaussian_kde`. Note that `gaussian_kde` interprets each *column* of `dataset` to be a "
            "point; consider transposing the input to `dataset`."
        )
    try:
        self.set_bandwidth(bw_method=bw_method)
        # Without this wait a later call would raise what the Cholesky decomposition reports.
        device.synchronize()
    except LinAlgError as error:
        raise LinAlgError(
            "The data appears to lie in a lower-dimensional subspace of the space in which it is "
            "expressed. This has resulted in a singular data covariance matrix, which cannot be treated "
            "using the algorithms implemented in `gaussian_kde`. Consider performing principal "
            "component analysis / dimensionality reduction and using `gaussian_kde` with the "
            "transformed data."
        ) from error


def _checked_points(kde, points):
    points = numpy.atleast_2d(gpunp.asarray(points, device=device_of(points, kde.dataset)))
    d, m = points.shape
    if d == kde.d:
        return points
    if d == 1 and m == kde.d:
        return points.reshape(kde.d, 1)
    raise ValueError(f"points have dimension {d}, dataset has dimension {kde.d}")


def _whitened(factor, *arrays):
    """Arrays of columns, transformed so that the covariance with a Cholesky factor becomes the identity."""
    from scipy.linalg import solve_triangular

    if factor.shape == (1, 1):
        return [a / factor[0, 0] for a in arrays]
    return [solve_triangular(factor, a, lower=True, check_finite=False) for a in arrays]


def _tiles(points, data):
    """Halves of squared distances between columns, a block of points and of data at a time.

    Yields
    ------
    start, stop : int
        The block of points.
    data_start, data_stop : int
        The block of data.
    energies : ndarray
        (stop - start, data_stop - data_start).
    """
    width = min(data.shape[1], _PAIRS)
    height = max(_PAIRS // max(width, 1), 1)
    for start in range(0, points.shape[1], height):
        block = points[:, start : start + height]
        for at in range(0, data.shape[1], width):
            part = data[:, at : at + width]
            energies = 0.0
            for x, y in zip(block, part, strict=True):
                difference = x[:, None] - y[None, :]
                energies = energies + difference * difference
            yield start, start + block.shape[1], at, at + part.shape[1], energies * 0.5


def _densities(points, data, weights):
    """Sums of kernels with the identity as covariance, without the constant factor."""
    result = gpunp.zeros(points.shape[1])
    for start, stop, at, end, energies in _tiles(points, data):
        result[start:stop] += (numpy.exp(-energies) * weights[at:end]).sum(axis=1)
    return result


def _log_densities(points, data, weights):
    """Logarithms of `_densities`, without overflow or underflow."""
    log_weights = numpy.log(weights)
    result = gpunp.full(points.shape[1], -numpy.inf)
    for start, stop, at, end, energies in _tiles(points, data):
        exponents = log_weights[at:end] - energies
        largest = exponents.max(axis=1)
        sums = numpy.exp(exponents - largest[:, None]).sum(axis=1)
        result[start:stop] = numpy.logaddexp(result[start:stop], numpy.log(sums) + largest)
    return result


def _estimate(kde, points, sums):
    points = _checked_points(kde, points)
    with points.device:
        dtype = numpy.common_type(numpy.empty(0, kde.covariance.dtype), numpy.empty(0, points.dtype))
        data, factor, weights = map(gpunp.asarray, (kde.dataset, kde.cho_cov, kde.weights))
        points, data = _whitened(factor, points.astype("f8"), data.astype("f8"))
        log_constant = numpy.log(numpy.diagonal(factor)).sum() + kde.d / 2 * math.log(2 * math.pi)
        with numpy.errstate(all="ignore"):
            return sums(points, data, weights, log_constant).astype(dtype)


def evaluate(self, points):
    """Densities at points; see `scipy.stats.gaussian_kde.evaluate`."""
    return _estimate(self, points, lambda p, d, w, constant: _densities(p, d, w) * numpy.exp(-constant))


def logpdf(self, x):
    """Logarithms of densities at points; see `scipy.stats.gaussian_kde.logpdf`."""
    return _estimate(self, x, lambda p, d, w, constant: _log_densities(p, d, w) - constant)


def _of_sum(covariance, points, data, weights):
    """Densities at points of a sum of normal variables: the data, and one with a covariance."""
    from scipy.linalg import cholesky

    factor = cholesky(covariance, lower=True)
    points, data = _whitened(factor, points, data)
    constant = numpy.log(numpy.diagonal(factor)).sum() + len(data) / 2 * math.log(2 * math.pi)
    return _densities(points, data, weights) * numpy.exp(-constant)


def integrate_gaussian(self, mean, cov):
    """Integral of the product with a Gaussian; see `scipy.stats.gaussian_kde.integrate_gaussian`."""
    with self.dataset.device:
        mean, cov = numpy.atleast_1d(gpunp.asarray(mean).squeeze()), numpy.atleast_2d(gpunp.asarray(cov))
        if mean.shape != (self.d,):
            raise ValueError(f"mean does not have dimension {self.d}")
        if cov.shape != (self.d, self.d):
            raise ValueError(f"covariance does not have dimension {self.d}")
        return _of_sum(self.covariance + cov, mean[:, None], self.dataset, self.weights)[0]


def integrate_box_1d(self, low, high):
    """Integral between bounds; see `scipy.stats.gaussian_kde.integrate_box_1d`."""
    from scipy.special import ndtr

    if self.d != 1:
        raise ValueError("integrate_box_1d() only handles 1D pdfs")
    deviation = numpy.sqrt(self.covariance[0, 0])
    low, high = ((bound - self.dataset[0]) / deviation for bound in (low, high))
    return numpy.vecdot(self.weights, ndtr(high) - ndtr(low))


def integrate_box(self, low_bounds, high_bounds, maxpts=None, *, rng=None):
    """Integral over a box; see `scipy.stats.gaussian_kde.integrate_box`.

    In more than one dimension it is refused.
    """
    if self.d == 1:
        low, high = (bound[0] if numpy.ndim(bound) else bound for bound in (low_bounds, high_bounds))
        return integrate_box_1d(self, low, high)
    from gpunp.dispatch.function_protocol import unhandled

    raise unhandled("scipy.stats.gaussian_kde.integrate_box", "it integrates point by point on the host")


def integrate_kde(self, other):
    """Integral of the product with another estimate; see `scipy.stats.gaussian_kde.integrate_kde`."""
    if other.d != self.d:
        raise ValueError("KDEs are not the same dimensionality")
    with self.dataset.device:
        small, large = (other, self) if other.n < self.n else (self, other)
        covariance = gpunp.asarray(small.covariance) + gpunp.asarray(large.covariance)
        points, data = gpunp.asarray(small.dataset), gpunp.asarray(large.dataset)
        found = _of_sum(covariance, points, data, gpunp.asarray(large.weights))
        return numpy.vecdot(found, gpunp.asarray(small.weights))


def resample(self, size=None, seed=None):
    """Draw a sample; see `scipy.stats.gaussian_kde.resample`. ``seed`` may be a generator of the device."""
    size = int(self.neff) if size is None else size
    with self.dataset.device:
        generator = generator_for(seed, numpy.random.mtrand._rand)
        noise = self.cho_cov @ generator.standard_normal((self.d, size))
        return self.dataset[:, generator.choice(self.n, size, p=self.weights)] + noise


_METHODS = {
    "evaluate": evaluate,
    "__call__": evaluate,
    "logpdf": logpdf,
    "integrate_gaussian": integrate_gaussian,
    "integrate_box_1d": integrate_box_1d,
    "integrate_box": integrate_box,
    "integrate_kde": integrate_kde,
    "resample": resample,
}
