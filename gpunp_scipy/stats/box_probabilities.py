"""Probabilities of boxes under multivariate normal and t distributions, for many boxes at a time.

One dimension is a difference of normal probabilities; two are an integral by a fixed formula (Drezner and
Wesolowsky 1990, Genz 2004); more are the integral of Genz (1992) by shifted lattices, for all boxes and
points together, one dimension after another.
"""

import numpy
import scipy.special as sc

import gpunp

_NODES, _WEIGHTS = (each.tolist() for each in numpy.polynomial.legendre.leggauss(20))
# From this correlation on, the integral over the correlation starts at 1.
_NARROW = 0.925
# Halvings of the interval near the correlation 1.
_PANELS = 32
_BATCHES = 10
# Points of boxes and lattices that are evaluated at a time.
_CHUNK = 1 << 22
_SINGULAR = 1e-10


def _upper_quadrant(h, k, r):
    """The probability that two normal variables of correlation ``r`` exceed ``h`` and ``k``."""
    if r < 0 and -r >= _NARROW:
        # The first exceeds h; less the part in which the mirrored second does not stay below.
        return sc.ndtr(-h) - _upper_quadrant(h, -k, -r)
    half, product = (h * h + k * k) / 2, h * k
    total = 0.0
    if abs(r) < _NARROW:
        angle = numpy.arcsin(r) / 2
        for node, weight in zip(_NODES, _WEIGHTS, strict=True):
            s = float(numpy.sin(angle * (node + 1)))
            total = total + weight * numpy.exp((s * product - half) / (1 - s * s))
        found = total * float(angle / (2 * numpy.pi)) + sc.ndtr(-h) * sc.ndtr(-k)
    else:
        # The integral from r to 1 over x = sqrt(1 - r**2), in panels that halve towards 0.
        end, square = float(numpy.sqrt((1 - r) * (1 + r))), (h - k) ** 2 / 2
        for panel in range(_PANELS if end else 0):
            middle = end * 0.75 * 0.5**panel
            for node, weight in zip(_NODES, _WEIGHTS, strict=True):
                x = middle * (1 + node / 3)
                c = float(numpy.sqrt((1 - x) * (1 + x)))
                part = numpy.exp(-square / (x * x) - product / (1 + c))
                total = total + (weight * middle / 3 / c) * part
        found = sc.ndtr(-numpy.maximum(h, k)) - total / (2 * numpy.pi)
    # A limit at infinity: one variable, or nothing.
    found = numpy.where(h == -numpy.inf, sc.ndtr(-k), numpy.where(k == -numpy.inf, sc.ndtr(-h), found))
    return numpy.where((h == numpy.inf) | (k == numpy.inf), 0.0, found)


def _two_dimensional(covariance, low, high):
    deviations = numpy.sqrt(numpy.diagonal(covariance))
    r = float(numpy.clip(covariance[0, 1] / (deviations[0] * deviations[1]), -1, 1))
    (a, c), (b, d) = ([each[..., i] / float(deviations[i]) for i in range(2)] for each in (low, high))
    return (
        _upper_quadrant(a, c, r)
        - _upper_quadrant(b, c, r)
        - _upper_quadrant(a, d, r)
        + _upper_quadrant(b, d, r)
    )


def _factor(covariance, low, high):
    """The order of the variables and the scaled Cholesky factor, for typical limits.

    Variables with a small probability come first, given the ones before (Gibson, Glasbey and Elston 1994).

    Returns
    -------
    order : list of int
    factor : numpy.ndarray
        Its diagonal is the conditional deviations; 0 for variables that others determine.
    """
    n = len(covariance)
    factor, order, means = numpy.zeros((n, n)), list(range(n)), numpy.zeros(n)
    for k in range(n):
        best = None
        for i in range(k, n):
            row = factor[i, :k]
            variance = covariance[order[i], order[i]] - row @ row
            deviation = numpy.sqrt(variance) if variance > _SINGULAR * covariance[order[i], order[i]] else 0.0
            if deviation:
                a, b = ((each[order[i]] - row @ means[:k]) / deviation for each in (low, high))
                mass = sc.ndtr(b) - sc.ndtr(a)
                if best is None or mass < best[0]:
                    best = mass, i, deviation, a, b
        if best is None:
            break
        mass, i, deviation, a, b = best
        order[k], order[i] = order[i], order[k]
        factor[[k, i]] = factor[[i, k]]
        factor[k, k] = deviation
        for j in range(k + 1, n):
            factor[j, k] = (covariance[order[j], order[k]] - factor[j, :k] @ factor[k, :k]) / deviation
        peak = numpy.exp(-a * a / 2) - numpy.exp(-b * b / 2)
        means[k] = peak / (numpy.sqrt(2 * numpy.pi) * mass) if mass > _SINGULAR else numpy.clip(0.0, a, b)
    return order, factor


def _between(low, high, shift, deviation):
    """The probabilities below a low limit and up to a high one, given the variables before."""
    if deviation:
        return sc.ndtr((low - shift) / deviation), sc.ndtr((high - shift) / deviation)
    # The variable is known.
    slack = _SINGULAR * (1 + numpy.absolute(shift))
    return (shift < low - slack) * 1.0, 1.0 - (shift > high + slack)


def _product(low, high, order, factor, points, scale):
    """The mean of Genz's integrand over the points of each lattice: one number for each box and lattice."""
    value, normal = 1.0, []
    for i, variable in enumerate(order):
        a, b = (each[:, None, None, variable] for each in (low, high))
        if scale is not None:
            a, b = a * scale, b * scale
        shift = 0.0
        for weight, each in zip(factor[i, :i].tolist(), normal, strict=True):
            if weight:
                shift = shift + weight * each
        below, upto = _between(a, b, shift, float(factor[i, i]))
        inside = upto - below
        value = value * inside
        if i + 1 < len(order):
            y = sc.ndtri(below + points[i] * inside)
            # Where nothing is inside, any number does.
            normal.append(numpy.where(numpy.isfinite(y), y, 0.0))
    # Without correlations no point has an influence.
    return numpy.broadcast_to(numpy.mean(value, axis=-1), (len(low), _BATCHES))


def _lattices(count, dimensions, generator):
    """Shifted lattices with a tent transformation: one array of shape (batches, points) a dimension."""
    from scipy.stats import _qmvnt

    steps, count = _qmvnt._cbc_lattice(dimensions, max(count // _BATCHES, 2))
    shifts = gpunp.asarray(generator.random(size=(dimensions, _BATCHES, 1)))
    places = gpunp.arange(1, int(count) + 1, dtype=float)
    for step, shift in zip(steps.tolist(), shifts, strict=True):
        x = places * step + shift
        yield numpy.absolute(2 * (x - numpy.floor(x)) - 1)


def _estimates(low, high, order, factor, count, generator, df):
    """Probabilities of boxes, and three standard errors of them."""
    points = list(_lattices(count, len(order) - (df is None), generator))
    scale = None if df is None else numpy.sqrt(2 * sc.gammaincinv(df / 2, points[-1]) / df)
    step = max(1, _CHUNK // points[0].size)
    means = [
        _product(low[i : i + step], high[i : i + step], order, factor, points, scale)
        for i in range(0, len(low), step)
    ]
    mean = numpy.concatenate(means)
    return mean.mean(axis=-1), 3 * mean.std(axis=-1, ddof=1) / _BATCHES**0.5


def probabilities(low, high, covariance, generator, error, limit, df=None):
    """Probabilities of boxes under a centred normal or t distribution.

    Parameters
    ----------
    low, high : ndarray
        Limits of boxes, ``low <= high``; the last axis has the variables.
    covariance : numpy.ndarray
        The covariance, or the shape matrix of a t distribution.
    generator : numpy.random.Generator, numpy.random.RandomState or gpunp.random.Generator
        Shifts the lattices.
    error : float
        Lattices grow until the largest error is estimated to be below it. There is one wait for each.
    limit : int
        Or until so many points were used for each box.
    df : float, optional
        The degrees of freedom of a t distribution.

    Returns
    -------
    ndarray
    """
    n = len(covariance)
    deviations = numpy.sqrt(numpy.diagonal(covariance))
    if df is None and n == 1:
        return (sc.ndtr(high / float(deviations[0])) - sc.ndtr(low / float(deviations[0])))[..., 0]
    if df is None and n == 2 and deviations.all():
        return _two_dimensional(covariance, low, high)
    shape, low, high = low.shape[:-1], low.reshape(-1, n), high.reshape(-1, n)
    unknown = numpy.isnan(low).any(axis=-1) | numpy.isnan(high).any(axis=-1)
    if not len(low):
        return gpunp.zeros(shape)
    typical = gpunp.asnumpy(
        numpy.stack([numpy.nanmean(numpy.clip(each, -1e6, 1e6), axis=0) for each in (low, high)])
    )
    order, factor = _factor(covariance, *typical)
    count, used, found, spread = min(limit, n * 1000), 0, 0.0, gpunp.ones(len(low))
    while True:
        count = round(2**0.5 * count)
        one, one_spread = _estimates(low, high, order, factor, count, generator, df)
        used += count
        # What is exact stays.
        weight = numpy.where(spread == 0, 0.0, 1.0 / (1 + (one_spread / spread) ** 2))
        found = found + weight * (one - found)
        spread = numpy.sqrt(weight) * one_spread
        if used >= limit or df is not None or not bool((spread > error).any()):
            return numpy.where(unknown, numpy.nan, found).reshape(shape)


def _signed_limits(x, lower, center):
    """The limits of a box in ascending order, and -1 where an odd number of them was not."""
    high = x - gpunp.asarray(center)
    low = (
        gpunp.full(center.shape, -numpy.inf)
        if lower is None
        else gpunp.asarray(lower) - gpunp.asarray(center)
    )
    low, high = numpy.broadcast_arrays(low, high)
    sign = 1 - 2 * ((high < low).sum(axis=-1) % 2)
    return numpy.minimum(low, high), numpy.maximum(low, high), sign


def normal_cdf(self, x, mean, cov, maxpts, abseps, releps, lower_limit, rng):
    low, high, sign = _signed_limits(x, lower_limit, mean)
    found = probabilities(low, high, cov, rng, abseps, maxpts) * sign
    return found.squeeze()[()]


def t_cdf(self, x, loc, shape, df, dim, maxpts=None, lower_limit=None, random_state=None):
    generator = self._get_random_state(random_state)
    low, high, sign = _signed_limits(self._process_quantiles(x, dim), lower_limit, loc)
    df = None if numpy.isinf(df) else float(df)
    found = probabilities(low, high, shape, generator, 1e-5, maxpts or 1000 * dim, df) * sign
    return found.squeeze()[()]


METHODS = {"multivariate_normal_gen": {"_cdf": normal_cdf}, "multivariate_t_gen": {"_cdf": t_cdf}}
