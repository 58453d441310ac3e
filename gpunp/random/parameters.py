"""Parameters of distributions: host values are checked here, device arrays by the kernels that read them."""

import math
from dataclasses import dataclass

import numpy

from gpunp.array import layout
from gpunp.array.convert import asarray, joined
from gpunp.array.ndarray import ndarray

# RandomCheck and RandomRelation of random/params.h.
ANY, NOT_NEGATIVE, POSITIVE, PROBABILITY, OPEN_PROBABILITY, BELOW_ONE, ABOVE_ONE = range(7)
RATE, COUNT, POSITIVE_COUNT = range(7, 10)
NO_RELATION, TRIANGLE, POPULATION, INTERVAL, RANGE = range(5)

_FLOAT64 = numpy.dtype(numpy.float64)
# The greatest Poisson rate that NumPy accepts: counts of greater rates might not fit int64.
_GREATEST_RATE = 9.223372006484771e18


@dataclass(frozen=True)
class Distribution:
    """A distribution's kernel, and the domain of its parameters."""

    unit: str
    kernel: str
    parameters: tuple  # pairs of a name and a check
    relation: int = NO_RELATION


def negative(x):
    """Whether the sign bit is set: NumPy refuses -0.0 too, but not NaN."""
    if type(x) is float:
        return x <= 0 and math.copysign(1.0, x) < 0
    return numpy.signbit(x) & ~numpy.isnan(x)


# Tests for values outside each domain, for floats and NumPy arrays. Those written as `... ^ True` refuse NaN.
_OUTSIDE = {
    NOT_NEGATIVE: negative,
    POSITIVE: lambda x: x <= 0,
    PROBABILITY: lambda x: ((x >= 0) & (x <= 1)) ^ True,
    OPEN_PROBABILITY: lambda x: ((x > 0) & (x <= 1)) ^ True,
    BELOW_ONE: lambda x: ((x >= 0) & (x < 1)) ^ True,
    ABOVE_ONE: lambda x: (x > 1) ^ True,
    RATE: lambda x: ((x >= 0) & (x <= _GREATEST_RATE)) ^ True,
    COUNT: lambda x: (x >= 0) ^ True,
    POSITIVE_COUNT: lambda x: (x > 0) ^ True,
}


def _outside(x, check):
    """Whether any of the values is outside the domain; ``x`` is a float or a NumPy array."""
    wrong = _OUTSIDE[check](x)
    return wrong if type(wrong) is bool else bool(wrong.any())


def _message(name, check, x):
    """NumPy's message for a parameter outside its domain."""
    nan = "contains NaNs" if numpy.ndim(x) else "is NaN"
    if (name, check) == ("nsample", POSITIVE_COUNT):
        return f"nsample < 1 or nsample {nan}"
    if check == RATE:
        return f"{name} value too large" if numpy.all(x >= 0) else f"{name} < 0 or {name} {nan}"
    return {
        NOT_NEGATIVE: f"{name} < 0",
        COUNT: f"{name} < 0",
        POSITIVE: f"{name} <= 0",
        POSITIVE_COUNT: f"{name} <= 0",
        PROBABILITY: f"{name} < 0, {name} > 1 or {name} {nan}",
        OPEN_PROBABILITY: f"{name} <= 0, {name} > 1 or {name} contains NaNs",
        BELOW_ONE: f"{name} < 0, {name} >= 1 or {name} {nan}",
        ABOVE_ONE: f"{name} <= 1 or {name} {nan}",
    }[check]


def _check_relation(relation, values):
    """Raise NumPy's error for host parameters that are inconsistent with each other."""
    if relation == TRIANGLE:
        left, mode, right = values
        for wrong, text in (
            (left > mode, "left > mode"),
            (mode > right, "mode > right"),
            (left == right, "left == right"),
        ):
            if numpy.any(wrong):
                raise ValueError(text)
    elif relation == POPULATION:
        good, bad, sample = values
        if numpy.any(good >= 10**9) or numpy.any(bad >= 10**9):
            raise ValueError("both ngood and nbad must be less than 1000000000")
        if numpy.any(good + bad < sample):
            raise ValueError("ngood + nbad < nsample")
    elif relation in (INTERVAL, RANGE):
        low, high = values
        with numpy.errstate(invalid="ignore", over="ignore"):
            span = high - low
        if not numpy.all(numpy.isfinite(span)):
            raise OverflowError("high - low range exceeds valid bounds")
        if relation == INTERVAL and numpy.any(span < 0):
            raise ValueError("high - low < 0")


def on_host(value):
    """Convert a parameter to a float or a NumPy array of floats; a device array is returned as it is."""
    if type(value) is float or type(value) is int:
        return float(value)
    value = joined(value)
    if isinstance(value, ndarray):
        return value
    if not isinstance(value, list | tuple | numpy.ndarray):
        # The conversion raises NumPy's or Python's own error for unsupported objects.
        return float(value) if numpy.ndim(value) == 0 else numpy.asarray(value, _FLOAT64)
    array = numpy.asarray(value)
    if array.dtype.kind == "c":
        raise TypeError("parameters of distributions must be real numbers")
    return float(array) if array.ndim == 0 else array.astype(_FLOAT64)


def check_words(name, **values):
    """Raise NumPy's exception for Python integers that do not fit an int64."""
    for parameter, value in values.items():
        for number in value if isinstance(value, list | tuple) else (value,):
            if isinstance(number, int) and not -(2**63) <= number < 2**63:
                raise OverflowError(f"{name}: {parameter} is {number}; it must fit a 64-bit integer")


def check(distribution, values):
    """Raise NumPy's exceptions for host parameters outside their domains."""
    for (name, kind), value in zip(distribution.parameters, values, strict=True):
        if kind and not isinstance(value, ndarray) and _outside(value, kind):
            raise ValueError(_message(name, kind, value))
    if distribution.relation and not any(isinstance(x, ndarray) for x in values):
        _check_relation(distribution.relation, [numpy.float64(x) if type(x) is float else x for x in values])


def check_rate(n, p):
    """Raise if host parameters of the negative binomial lead to Poisson rates that are too large."""
    if isinstance(n, ndarray) or isinstance(p, ndarray):
        return
    with numpy.errstate(all="ignore"):
        rate = (1.0 - p) / p * (n + 10.0 * numpy.sqrt(n)) if numpy.all(p) else 0.0
    if numpy.any(rate > _GREATEST_RATE):
        raise ValueError("n too large or p too small, see Generator.negative_binomial Notes")


def common_shape(shapes, size):
    """The shape of the result: ``size``, to which all shapes must broadcast, or their broadcast shape."""
    if size is None:
        return numpy.broadcast_shapes(*shapes)
    size = (size,) if layout.is_integer(size) else tuple(size)
    if numpy.broadcast_shapes(size, *shapes) != size:
        raise ValueError(
            f"Output size {size} is not compatible with broadcast dimensions of inputs "
            f"{numpy.broadcast_shapes(*shapes)}."
        )
    return size


def shape_or_none(shape, size):
    """Return None, which stands for a scalar, if the shape is () and no ``size`` was given."""
    return None if size is None and shape == () else shape


def pattern(array, shape):
    """A contiguous array, the repeat count of each element in a result of ``shape``, and its length."""
    own = (1,) * (len(shape) - array.ndim) + array.shape
    varying = [axis for axis in range(len(shape)) if own[axis] != 1]
    if varying:
        first, last = varying[0], varying[-1]
        if any(own[axis] != shape[axis] for axis in range(first, last + 1)):
            # A broadcast axis lies between varying ones: (inner, length) cannot describe that.
            array = layout.converted(numpy.broadcast_to(array, shape), None, "C")
            return array, 1, array.size
        inner = math.prod(shape[last + 1 :])
    else:
        inner = 1
    if not array.flags.c_contiguous:
        array = layout.converted(array, None, "C")
    return array, inner, array.size


def on_device(value, dtype, shape, device):
    """Convert an array parameter to the (array, inner, length) that the kernels read."""
    array = asarray(value, device=device)
    if array.dtype.kind == "c":
        raise TypeError("parameters of distributions must be real numbers")
    if array.dtype != dtype:
        array = layout.converted(array, dtype, "C")
    return pattern(array, shape)


def resolve(distribution, values, size, device):
    """Check and convert parameters for `Sampler.sample`, and find the shape of the result.

    Parameters
    ----------
    distribution : Distribution
    values : sequence of array_like
    size : int, tuple of ints or None
    device : Device

    Returns
    -------
    tuple
        A list of pairs of a value and a check, and a shape.
    """
    values = [on_host(value) for value in values]
    check(distribution, values)
    checks = [kind for _, kind in distribution.parameters]
    if all(type(value) is float for value in values):
        return list(zip(values, checks, strict=True)), size
    shape = common_shape([numpy.shape(x) if not isinstance(x, ndarray) else x.shape for x in values], size)
    if 0 in shape:
        return [(1.0, ANY) for _ in values], shape
    return [
        (value if type(value) is float else on_device(value, _FLOAT64, shape, device), kind)
        for value, kind in zip(values, checks, strict=True)
    ], shape_or_none(shape, size)
