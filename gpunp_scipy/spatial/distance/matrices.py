"""Square and condensed matrices of distances."""

import math

import numpy

import gpunp
from gpunp.array.convert import asarray
from gpunp_scipy.rebinding import Rebound

_REBOUND = Rebound("scipy.spatial.distance", {})
is_valid_dm = _REBOUND.public("is_valid_dm", __name__)
is_valid_y = _REBOUND.public("is_valid_y", __name__)
num_obs_dm = _REBOUND.public("num_obs_dm", __name__)
num_obs_y = _REBOUND.public("num_obs_y", __name__)


def _rows_and_columns(n):
    """The row and the column of each pair i < j of n points, by i and then j, on the current device."""
    place = gpunp.arange(n * (n - 1) // 2)
    # Counted from the end, the pairs of row i begin at a triangular number: its root is exact enough to be
    # right or one too great.
    rest = n * (n - 1) // 2 - 1 - place
    back = ((numpy.sqrt(8.0 * rest + 1) - 1) / 2).astype("i8")
    back -= back * (back + 1) // 2 > rest
    row = n - 2 - back
    return row, place - row * (2 * n - row - 1) // 2 + row + 1


def upper_triangle(matrix):
    """The elements above the diagonal of a square matrix, row by row, without waiting."""
    n = matrix.shape[0]
    with matrix.device:
        row, column = _rows_and_columns(n)
        return matrix[row, column]


def squareform(X, force="no", checks=True):
    """Convert between condensed and square matrices; see `scipy.spatial.distance.squareform`."""
    x = asarray(X)
    if force.lower() == "tomatrix" and x.ndim != 1:
        raise ValueError("Forcing 'tomatrix' but input X is not a distance vector.")
    if force.lower() == "tovector" and x.ndim != 2:
        raise ValueError("Forcing 'tovector' but input X is not a distance matrix.")
    if x.ndim == 2:
        if x.shape[0] != x.shape[1]:
            raise ValueError("The matrix argument must be square.")
        if checks:
            is_valid_dm(x, throw=True, name="X")
        return upper_triangle(x)
    if x.ndim != 1:
        raise ValueError(
            "The first argument must be one or two dimensional array. "
            f"A {x.ndim}-dimensional array is not permitted"
        )
    n = math.isqrt(2 * x.shape[0]) + 1
    if n * (n - 1) != 2 * x.shape[0]:
        raise ValueError(
            "Incompatible vector size. It must be a binomial coefficient n choose 2 for some integer n >= 2."
        )
    if n == 1:
        return numpy.zeros((1, 1), x.dtype, like=x)
    with x.device:
        row, column = gpunp.arange(n)[:, None], gpunp.arange(n)
        low, high = numpy.minimum(row, column), numpy.maximum(row, column)
        place = numpy.where(row == column, 0, low * (2 * n - low - 1) // 2 + high - low - 1)
        return numpy.where(row == column, numpy.zeros((), x.dtype), x[place])
