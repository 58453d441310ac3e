"""Points of quasi-Monte Carlo methods: scaling and discrepancies."""

import warnings

import numpy
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import pdist, squareform

import gpunp
from gpunp.array.convert import asnumpy, fetched
from gpunp.array.operands import on_one_device

# Pairs of points at a time: 128 MiB in double precision.
_PAIRS = 1 << 24


def scale(sample, l_bounds, u_bounds, *, reverse=False):
    """Scale points from the unit hypercube to bounds, or back; see `scipy.stats.qmc.scale`.

    One wait, for the check that the points are in the unit hypercube, or within the bounds.
    """
    from scipy.stats import _qmc

    sample = gpunp.asarray(sample)
    if sample.ndim != 2:
        raise ValueError("Sample is not a 2D array")
    lower, upper = (
        asnumpy(each) if isinstance(each, gpunp.ndarray) else each for each in (l_bounds, u_bounds)
    )
    lower, upper = _qmc._validate_bounds(l_bounds=lower, u_bounds=upper, d=sample.shape[1])
    with sample.device:
        lower, upper = gpunp.asarray(lower), gpunp.asarray(upper)
        if not reverse:
            _require_unit(sample)
            return sample * (upper - lower) + lower
        if not bool(((sample >= lower) & (sample <= upper)).all()):
            raise ValueError("Sample is out of bounds")
        return (sample - lower) / (upper - lower)


def _require_unit(sample):
    if bool(((sample > 1.0) | (sample < 0.0)).any()):
        raise ValueError("Sample is not in unit hypercube")


def _product(terms):
    product = 1.0
    for term in terms:
        product = product * term
    return product


def _sum_of_pairs(columns, kernel):
    """The sum, over all pairs of points, of the product over dimensions of a kernel of two coordinates."""
    count = columns[0].size
    height = max(_PAIRS // count, 1)
    total = 0.0
    for start in range(0, count, height):
        block = [column[start : start + height, None] for column in columns]
        total = total + _product(kernel(x, y[None, :]) for x, y in zip(block, columns, strict=True)).sum()
    return total


def _centred(x, y):
    return 1 + 0.5 * (abs(x - 0.5) + abs(y - 0.5) - abs(x - y))


def _wrap_around(x, y):
    distance = abs(x - y)
    return 1.5 - distance * (1 - distance)


def _mixture(x, y):
    distance = abs(x - y)
    return 1.875 - 0.25 * (abs(x - 0.5) + abs(y - 0.5)) - 0.75 * distance + 0.5 * distance**2


def _star(x, y):
    return 1 - numpy.maximum(x, y)


def discrepancy(sample, *, iterative=False, method="CD", workers=1):
    """Discrepancy of a sample; see `scipy.stats.qmc.discrepancy`.

    All pairs of points, a block of them at a time. ``workers`` has no effect. One wait, for the check that
    the points are in the unit hypercube.
    """
    sample = gpunp.asarray(sample).astype("f8")
    if sample.ndim != 2:
        raise ValueError("Sample is not a 2D array")
    if sample.size == 0:
        raise ValueError(f"discrepancy: a sample of shape {sample.shape} has no points; give at least one")
    _require_unit(sample)
    methods = ("CD", "WD", "MD", "L2-star")
    if method not in methods:
        raise ValueError(f"{method!r} is not a valid method. It must be one of {set(methods)!r}")
    with sample.device:
        d, columns = sample.shape[1], list(sample.T)
        n = sample.shape[0] + bool(iterative)
        if method == "WD":
            return -((4 / 3) ** d) + _sum_of_pairs(columns, _wrap_around) / n**2
        if method == "L2-star":
            single = _product(1 - x * x for x in columns).sum()
            pairs = _sum_of_pairs(columns, _star)
            return numpy.sqrt(3.0**-d - 2.0 ** (1 - d) / n * single + pairs / n**2)
        distances = [abs(x - 0.5) for x in columns]
        if method == "CD":
            single = _product(1 + 0.5 * (x - x * x) for x in distances).sum()
            return (13 / 12) ** d - 2 / n * single + _sum_of_pairs(columns, _centred) / n**2
        single = _product(5 / 3 - 0.25 * (x + x * x) for x in distances).sum()
        return (19 / 12) ** d - 2 / n * single + _sum_of_pairs(columns, _mixture) / n**2


def update_discrepancy(x_new, sample, initial_disc):
    """Centered discrepancy of a sample and one more point; see `scipy.stats.qmc.update_discrepancy`.

    One wait, for the check that the points are in the unit hypercube.
    """
    x, sample = (each.astype("f8", copy=False) for each in on_one_device(x_new, sample))
    if sample.ndim != 2:
        raise ValueError("Sample is not a 2D array")
    outside = [(sample > 1).any() | (sample < 0).any(), ~((x >= 0) & (x <= 1)).all()]
    sample_is_outside, x_is_outside = fetched(numpy.stack(outside))
    if sample_is_outside:
        raise ValueError("Sample is not in unit hypercube")
    if x.ndim != 1:
        raise ValueError("x_new is not a 1D array")
    if x_is_outside:
        raise ValueError("x_new is not in unit hypercube")
    if x.shape[0] != sample.shape[1]:
        raise ValueError("x_new and sample must be broadcastable")
    n = sample.shape[0] + 1
    distance = abs(x - 0.5)
    single = numpy.prod(1 + 0.5 * (distance - distance**2))
    pairs = numpy.prod(_centred(x, sample), axis=1).sum()
    return initial_disc - 2 / n * single + (2 * pairs + numpy.prod(1 + distance)) / n**2


def geometric_discrepancy(sample, method="mindist", metric="euclidean"):
    """Discrepancy by distances between points; see `scipy.stats.qmc.geometric_discrepancy`.

    Two waits: for the check that the points are in the unit hypercube, and to look for equal ones.
    """
    sample = gpunp.asarray(sample).astype("f8")
    if sample.ndim != 2:
        raise ValueError("Sample is not a 2D array")
    _require_unit(sample)
    if sample.shape[0] < 2:
        raise ValueError("Sample must contain at least two points")
    distances = pdist(sample, metric=metric)
    if bool((distances == 0.0).any()):
        warnings.warn("Sample contains duplicate points.", stacklevel=2)
    if method == "mindist":
        return distances[distances != 0.0].min()
    if method == "mst":
        return minimum_spanning_tree(squareform(distances)).data.mean()
    raise ValueError(f"{method!r} is not a valid method. It must be one of {{'mindist', 'mst'}}")
