"""The thirteen quantile methods: where in the sorted sample a quantile lies.

The formulas are those of Hyndman and Fan (1996). They work on host numbers, if all rows have the same known
length, and on device arrays, if each row has its own.
"""

import numpy

# alpha and beta of the continuous methods except "linear".
_CONTINUOUS = {
    "interpolated_inverted_cdf": (0, 1),
    "hazen": (0.5, 0.5),
    "weibull": (0, 0),
    "median_unbiased": (1 / 3.0, 1 / 3.0),
    "normal_unbiased": (3 / 8.0, 3 / 8.0),
}
METHODS = (
    "inverted_cdf",
    "averaged_inverted_cdf",
    "closest_observation",
    "interpolated_inverted_cdf",
    "hazen",
    "weibull",
    "linear",
    "median_unbiased",
    "normal_unbiased",
    "lower",
    "higher",
    "midpoint",
    "nearest",
)


def check_method(method):
    """Raise ValueError for a method that does not exist."""
    if method not in METHODS:
        raise ValueError(f"{method!r} is not a valid method. Use one of: {', '.join(METHODS)}")


def is_discrete(method, q):
    """Whether a quantile is always an element, never interpolated between two."""
    if method == "linear":
        return q.dtype.kind in "biu"
    return method in ("inverted_cdf", "closest_observation", "lower", "higher", "nearest")


def discrete_index(method, n, last, q):
    """The index of the element that is the quantile, for a discrete method (see `is_discrete`).

    Parameters
    ----------
    method : str
    n, last : int or ndarray
        Length of the sample, and that length minus 1; arrays have the dtype of `q`.
    q : ndarray
        Quantiles from 0 to 1.
    """
    if method == "linear":
        return last * q
    if method == "lower":
        return numpy.floor(last * q)
    if method == "higher":
        return numpy.ceil(last * q)
    if method == "nearest":
        return numpy.round(last * q)
    index = n * q - 1
    if method == "closest_observation":
        index = index - 0.5
    below = numpy.floor(index)
    stays = (index - below) == 0
    if method == "closest_observation":
        # Halfway between two observations, counted from 1, the even one is taken.
        stays = stays & (below % 2 == 1)
    return numpy.maximum(below + 1 - stays, 0)


def virtual_index(method, n, last, q):
    """The fractional index, for a method that is not discrete; parameters as in `discrete_index`."""
    if method == "linear":
        return last * q
    if method == "averaged_inverted_cdf":
        return n * q - 1
    if method == "midpoint":
        place = last * q
        return 0.5 * (numpy.floor(place) + numpy.ceil(place))
    alpha, beta = _CONTINUOUS[method]
    return n * q + (alpha + q * (1 - alpha - beta)) - 1


def weight_of_next(method, index, below):
    """The weight of the next element: the fractional part of the index unless the method defines another."""
    fraction = index - below
    if method == "averaged_inverted_cdf":
        return numpy.where(fraction == 0, 0.5, 1.0).astype(index.dtype)
    if method == "midpoint":
        return numpy.where(index % 1 == 0, 0.0, 0.5).astype(index.dtype)
    return fraction
