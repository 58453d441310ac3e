"""Integers, and discrete distributions of one variable."""

import numpy

from gpunp.array import layout
from gpunp.array.convert import asarray, fetched
from gpunp.array.dtype import as_dtype, dtype_code
from gpunp.array.ndarray import ndarray
from gpunp.random.describe import describe
from gpunp.random.engine import Sampler
from gpunp.random.parameters import (
    ABOVE_ONE,
    BELOW_ONE,
    COUNT,
    OPEN_PROBABILITY,
    POPULATION,
    POSITIVE_COUNT,
    PROBABILITY,
    RATE,
    Distribution,
    check,
    check_rate,
    check_words,
    common_shape,
    on_host,
    pattern,
    resolve,
    shape_or_none,
)
from gpunp.random.places import beside_operands


def _distribution(kernel, *parameters, **options):
    return Distribution("random_discrete", f"random_{kernel}", parameters, **options)


_BINOMIAL = _distribution("binomial", ("n", COUNT), ("p", PROBABILITY))
_GEOMETRIC = _distribution("geometric", ("p", OPEN_PROBABILITY))
HYPERGEOMETRIC = _distribution(
    "hypergeometric", ("ngood", COUNT), ("nbad", COUNT), ("nsample", COUNT), relation=POPULATION
)
# NumPy's older interface refuses an empty sample.
LEGACY_HYPERGEOMETRIC = _distribution(
    "hypergeometric", ("ngood", COUNT), ("nbad", COUNT), ("nsample", POSITIVE_COUNT), relation=POPULATION
)
_LOGSERIES = _distribution("logseries", ("p", BELOW_ONE))
_NEGATIVE_BINOMIAL = _distribution("negativebinomial", ("n", POSITIVE_COUNT), ("p", OPEN_PROBABILITY))
_POISSON = _distribution("poisson", ("lam", RATE))
_ZIPF = _distribution("zipf", ("a", ABOVE_ONE))

_INT64_DTYPE = numpy.dtype(numpy.int64)
_INT64 = dtype_code(_INT64_DTYPE)


def _limits(dtype):
    """The least and the greatest integer of a dtype."""
    if dtype.kind == "b":
        return 0, 1
    info = numpy.iinfo(dtype)
    return int(info.min), int(info.max)


def _raise_interval(low, high, limits, dtype, endpoint):
    """Raise NumPy's error for bounds, the upper one inclusive, that contain no integer of the dtype."""
    if low < limits[0]:
        raise ValueError(f"low is out of bounds for {dtype.name}")
    if high > limits[1]:
        raise ValueError(f"high is out of bounds for {dtype.name}")
    if low > high:
        if endpoint:
            raise ValueError("high < 0" if low == 0 else "low > high")
        raise ValueError("high <= 0" if low == 0 else "low >= high")


@describe
class DiscreteDraws(Sampler):
    """Distributions of integers; the values are int64 and are converted to another dtype on request."""

    _hypergeometric = HYPERGEOMETRIC

    @beside_operands
    def _counts(self, distribution, values, size, dtype=int):
        wanted = _INT64_DTYPE if dtype is int else numpy.dtype(dtype)
        if wanted.kind not in "biuf":
            raise TypeError(f"Unsupported dtype {wanted!r} for counts; use an integer or a floating dtype")
        parameters, shape = resolve(distribution, values, size, self.device)
        unit, kernel = distribution.unit, distribution.kernel
        name = kernel.removeprefix("random_")
        counts = self.sample(name, unit, kernel, parameters, distribution.relation, _INT64, shape)
        return counts if wanted is _INT64_DTYPE else counts.astype(wanted, copy=False)

    def _integers(self, low, high, size, dtype, endpoint, name):
        wanted = numpy.dtype(dtype)
        if wanted.kind not in "biu":
            raise TypeError(f"Unsupported dtype {wanted!r} for {name}")
        if name == "integers" and not wanted.isnative:
            raise ValueError(
                f"{name}: a dtype with a non-native byteorder is not supported. "
                "If you require platform-independent byteorder, call byteswap when required."
            )
        wanted = as_dtype(wanted)
        if high is None:
            low, high = 0, low
        if not (_is_scalar(low) and _is_scalar(high)):
            return self._integers_between(low, high, size, wanted, endpoint)
        limits = _limits(wanted)
        low, high = int(low), int(high) - (not endpoint)
        if low > high or low < limits[0] or high > limits[1]:
            if size is not None and size != () and numpy.prod(size) == 0:
                high = low = limits[0]
            _raise_interval(low, high, limits, wanted, endpoint)
        return self.fill_integers(low, high, size, dtype_code(wanted))

    @beside_operands
    def _integers_between(self, low, high, size, dtype, endpoint):
        limits, bounds = _limits(dtype), []
        for bound in (low, high):
            device_array = isinstance(bound, ndarray)
            bounds.append(bound if device_array else _exact(bound))
        shape = common_shape([x.shape for x in bounds], size)
        code = dtype_code(dtype)
        if 0 in shape:
            return layout.empty(shape, dtype, "C", self.device)
        low, high = bounds
        if not isinstance(low, ndarray) and not isinstance(high, ndarray):
            last = high - (not endpoint)
            for bad in ((low < limits[0]), (last > limits[1]), (low > last)):
                if numpy.any(bad):
                    i = numpy.argmax(numpy.broadcast_to(bad, shape))
                    pair = (numpy.broadcast_to(x, shape).reshape(-1)[i] for x in (low, last))
                    _raise_interval(*pair, limits, dtype, endpoint)
        word = numpy.dtype(numpy.uint64 if limits[1] >= 2**63 else numpy.int64)
        if not endpoint and not isinstance(high, ndarray):
            # 2**63 and 2**64 are valid as excluded bounds, but do not fit a 64-bit word.
            high, endpoint = _exact(high - 1), True
        patterns = []
        for bound in (low, high):
            if not isinstance(bound, ndarray):
                least, greatest = _limits(word)
                if bound.size and (bound.min() < least or bound.max() > greatest):
                    raise ValueError(f"a bound of integers is out of bounds for {dtype.name}")
                bound = bound.astype(word)
            array = asarray(bound, device=self.device)
            if array.dtype.kind not in "biuf":
                raise TypeError("the bounds of integers must be real numbers")
            patterns.append(
                pattern(layout.converted(array, word, "C") if array.dtype != word else array, shape)
            )
        return self.sample_between(*patterns, not endpoint, limits, code, shape_or_none(shape, size))

    def binomial(self, n, p, size=None, dtype=int):
        """Successes in ``n`` trials; see `numpy.random.Generator.binomial`."""
        check_words("binomial", n=n)
        return self._counts(_BINOMIAL, (n, p), size, dtype)

    def negative_binomial(self, n, p, size=None, dtype=int):
        """Failures before ``n`` successes; see `numpy.random.Generator.negative_binomial`."""
        n, p = on_host(n), on_host(p)
        check(_NEGATIVE_BINOMIAL, (n, p))
        check_rate(n, p)
        return self._counts(_NEGATIVE_BINOMIAL, (n, p), size, dtype)

    def poisson(self, lam=1.0, size=None, dtype=int):
        """Poisson counts; see `numpy.random.Generator.poisson`."""
        return self._counts(_POISSON, (lam,), size, dtype)

    def geometric(self, p, size=None, dtype=int):
        """Trials up to the first success; see `numpy.random.Generator.geometric`."""
        return self._counts(_GEOMETRIC, (p,), size, dtype)

    def hypergeometric(self, ngood, nbad, nsample, size=None, dtype=int):
        """Good elements in a sample without replacement; see `numpy.random.Generator.hypergeometric`."""
        check_words("hypergeometric", ngood=ngood, nbad=nbad, nsample=nsample)
        return self._counts(self._hypergeometric, (ngood, nbad, nsample), size, dtype)

    def logseries(self, p, size=None, dtype=int):
        """Variates of the logarithmic series distribution; see `numpy.random.Generator.logseries`."""
        return self._counts(_LOGSERIES, (p,), size, dtype)

    def zipf(self, a, size=None, dtype=int):
        """Zipf (zeta) variates; see `numpy.random.Generator.zipf`."""
        return self._counts(_ZIPF, (a,), size, dtype)


def _is_scalar(value):
    return isinstance(value, int | float | numpy.generic) or (
        isinstance(value, numpy.ndarray) and value.ndim == 0
    )


def _exact(bound):
    """Return a host bound as an array of Python integers, which do not overflow."""
    host = fetched(bound)
    if host.dtype.kind not in "biufO":
        raise TypeError(f"the bounds of integers must be numbers, not {host.dtype}")
    exact = numpy.empty(host.shape, object)
    exact.reshape(-1)[:] = [int(x) for x in host.reshape(-1)]
    return exact
