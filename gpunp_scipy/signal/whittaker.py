"""Whittaker-Henderson smoothing, a banded system of equations that is solved by block cyclic reduction."""

import warnings

import numpy
from scipy._lib._util import _RichResult, _validate_int
from scipy.optimize import minimize_scalar
from scipy.signal._whittaker import _logdet_difference_matrix

import gpunp
from gpunp.array.operands import on_one_device

# Solutions are refined for larger products of the penalty and the norm of D'D.
_WELL = 1e6


def _band(length, order, penalty, device):
    """The lower diagonals of a penalty times D'D for differences D of an order, one row per diagonal."""
    small = min(length, 2 * order + 1)
    differences = numpy.diff(numpy.eye(small), n=order, axis=0)
    product = differences.T @ differences
    rows = numpy.zeros((order + 1, small))
    for k in range(order + 1):
        rows[k, : small - k] = numpy.diagonal(product, k)
    rows *= penalty
    if length <= small:
        return gpunp.asarray(rows, device=device)
    band = gpunp.empty((order + 1, length), device=device)
    rows = gpunp.asarray(rows, device=device)
    # The middle column repeats.
    band[:, : order + 1] = rows[:, : order + 1]
    band[:, order + 1 : length - order] = rows[:, order : order + 1]
    band[:, length - order :] = rows[:, order + 1 :]
    return band


def _blocks(band, values):
    """The blocks of a symmetric banded matrix on and below the diagonal, and of the right-hand side."""
    order, length = len(band) - 1, band.shape[1]
    count = -(-length // order)
    padded = count * order
    band = numpy.pad(band, ((0, 0), (0, padded - length)))
    # Equations x = 0 fill the last block.
    band[0, length:] = 1.0
    columns = band.reshape(order + 1, count, order)
    diagonal = gpunp.empty((count, order, order), device=band.device)
    below = gpunp.zeros((count - 1, order, order), device=band.device)
    for column in range(order):
        for row in range(column, order):
            diagonal[:, row, column] = diagonal[:, column, row] = columns[row - column, :, column]
        for row in range(column + 1):
            below[:, row, column] = columns[order + row - column, :-1, column]
    return diagonal, below, numpy.pad(values, (0, padded - length)).reshape(count, order, 1)


def _determinant(blocks):
    """The logarithm of the determinants of positive definite blocks, NaN if one is found not to be."""
    sign, logarithm = numpy.linalg.slogdet(blocks)
    least = numpy.minimum(numpy.diagonal(blocks, axis1=1, axis2=2).min(), sign.min())
    return numpy.where(least > 0, logarithm.sum(), numpy.nan)


def _solve(diagonal, below, values):
    """Solve a block tridiagonal, symmetric, positive definite system by cyclic reduction.

    Each second unknown is eliminated, and the rest is a system of half the size [1]_.

    Parameters
    ----------
    diagonal : gpunp.ndarray
        The blocks of the diagonal, of shape (count, order, order).
    below : gpunp.ndarray
        Those below it, of shape (count - 1, order, order).
    values : gpunp.ndarray
        Of shape (count, order, 1).

    Returns
    -------
    x : gpunp.ndarray
        Of the shape of ``values``.
    logdet : gpunp.ndarray
        The logarithm of the determinant, or NaN for a matrix that is not positive definite.

    References
    ----------
    .. [1] D. Heller, "Some aspects of the cyclic reduction algorithm for block tridiagonal linear systems",
       SIAM J. Numer. Anal. 13, 484-496 (1976).
    """
    if len(diagonal) == 1:
        return numpy.linalg.solve(diagonal, values), _determinant(diagonal)
    odd, even = diagonal[1::2], diagonal[::2].copy()
    inverse = numpy.linalg.inv(odd)
    right = values[::2].copy()
    # Each odd block has one to its left, and all but maybe the last have one to their right.
    left_link, right_link = below[::2], below[1::2]
    both = len(right_link)
    from_left = numpy.matmul(inverse, left_link)
    from_right = numpy.matmul(inverse[:both], right_link.transpose(0, 2, 1))
    from_values = numpy.matmul(inverse, values[1::2])
    even[: len(odd)] -= numpy.matmul(left_link.transpose(0, 2, 1), from_left)
    even[1 : both + 1] -= numpy.matmul(right_link, from_right)
    right[: len(odd)] -= numpy.matmul(left_link.transpose(0, 2, 1), from_values)
    right[1 : both + 1] -= numpy.matmul(right_link, from_values[:both])
    next_below = -numpy.matmul(right_link, from_left[:both])
    solved, logdet = _solve(even, next_below[: len(even) - 1], right)
    x = numpy.empty_like(values)
    x[::2] = solved
    odds = from_values - numpy.matmul(from_left, solved[: len(odd)])
    odds[:both] -= numpy.matmul(from_right, solved[1 : both + 1])
    x[1::2] = odds
    return x, logdet + _determinant(odd)


def _solved(band, right):
    x, logdet = _solve(*_blocks(band, right))
    return x.reshape(-1)[: len(right)], logdet


def _twice_differences(x, order):
    """The product of D'D and a signal, for the differences D of an order."""
    signed = numpy.diff(x, n=order) * (-1) ** order
    return numpy.diff(numpy.pad(signed, order), n=order)


def _polynomial(y, order, weights):
    """The polynomial that smoothing with a large penalty becomes, by least squares of Legendre's."""
    length = len(y)
    places = gpunp.linspace(-1.0, 1.0, length, device=y.device) if length > 1 else gpunp.zeros_like(y)
    columns = [numpy.ones_like(places), places]
    for k in range(2, order):
        columns.append(((2 * k - 1) * places * columns[-1] - (k - 1) * columns[-2]) / k)
    basis = numpy.stack(columns[:order], axis=1)
    left, right = (basis, y) if weights is None else (basis * weights[:, None], y * weights)
    return basis @ numpy.linalg.lstsq(left, right, rcond=None)[0]


def _smoothed(y, penalty, order, weights, warn=True):
    """The smoothed signal, and the logarithm of the determinant of the matrix."""
    band = _band(len(y), order, penalty, y.device)
    if weights is None:
        straight = penalty * numpy.finfo(numpy.float64).eps > 8
    else:
        straight = bool(numpy.all(band[0] == band[0] + weights * 8))
    if not straight:
        band[0] += 1.0 if weights is None else weights
        right = y if weights is None else weights * y
        try:
            x, logdet = _solved(band, right)
            logdet = logdet.item()
        except numpy.linalg.LinAlgError:
            logdet = numpy.nan
        if not numpy.isnan(logdet):
            # Errors grow with the penalty. Differences of a smooth signal are exact, and so are residuals.
            for _ in range(2 if penalty * 4.0**order > _WELL else 0):
                residual = right - (x if weights is None else weights * x)
                x = x + _solved(band, residual - penalty * _twice_differences(x, order))[0]
            return x, logdet
        if warn:
            because = "" if weights is None else " or due to the weights"
            warnings.warn(
                "The linear solver in Whittaker-Henderson smoothing detected a numerical instability. This "
                f"is likely due to a very large value of lamb={penalty!r}{because}. As Whittaker-Henderson "
                "approaches a polynomial of degree 'order - 1' for large lamb, this polynomial (via least "
                "squares) is returned.",
                UserWarning,
                stacklevel=4,
            )
    count = len(y)
    logdet = (count - order) * numpy.log(penalty) + _logdet_difference_matrix(order=order, n=count)
    return _polynomial(y, order, weights), logdet


def _likelihood(penalty, y, order, weights):
    """The restricted likelihood of a penalty, up to constants, as SciPy's documentation defines it."""
    x, logdet = _smoothed(y, penalty, order, weights, warn=False)
    residual = y - x
    squares = residual @ (residual if weights is None else weights * residual)
    squares = (squares + penalty * numpy.sum(numpy.diff(x, n=order) ** 2)).item()
    free = len(y) - order
    value = free * (1 + numpy.log(squares / free)) - free * numpy.log(penalty)
    return -0.5 * (value - _logdet_difference_matrix(order=order, n=len(y)) + logdet)


def _checked(signal, order, weights):
    """The signal and weights on one device, and the order."""
    order = _validate_int(order, name="order", minimum=1)
    if weights is None:
        signal = gpunp.asarray(signal)
    else:
        signal, weights = on_one_device(signal, weights)
    if signal.ndim != 1:
        raise ValueError(f"Input array signal must be of shape (n,); got {signal.shape}")
    if len(signal) < order + 1:
        raise ValueError(f"Input array signal must be at least of shape ({order + 1},); got {len(signal)}.")
    if weights is None:
        if not numpy.isfinite(signal).all():
            raise ValueError("Input array signal must be finite.")
        return signal, order, None
    if weights.shape != signal.shape:
        raise ValueError("Input array weights must have the same shape as the signal array.")
    if not numpy.isfinite(weights).all():
        raise ValueError("Input array weights must be finite.")
    missing = ~numpy.isfinite(signal)
    if missing.any():
        if numpy.any(missing & (weights != 0)):
            raise ValueError("Input array weights must be zero for all non-finite elements of signal.")
        signal = numpy.nan_to_num(signal)
    return signal, order, weights


def whittaker_henderson(signal, *, lamb="reml", order=2, weights=None):
    """Smooth a signal with a penalty on its differences; see `scipy.signal.whittaker_henderson`.

    The equations are solved by block cyclic reduction.
    """
    signal, order, weights = _checked(signal, order, weights)
    if isinstance(lamb, str) and lamb != "reml":
        raise ValueError(f"Parameter lamb must be string 'reml' or a non-negative float; got {lamb=}.")
    y = signal.astype(numpy.float64, copy=False)
    weights = None if weights is None else weights.astype(numpy.float64, copy=False)
    if isinstance(lamb, str):
        found = minimize_scalar(
            lambda exponent: -_likelihood(numpy.exp(exponent), y, order, weights), bracket=[-10, 10]
        )
        lamb = numpy.exp(found.x)
    if lamb < 0:
        raise ValueError(f"Parameter lamb must be string 'reml' or a non-negative float; got {lamb=}.")
    if lamb == 0.0:
        return _RichResult(x=signal.copy(), lamb=lamb)
    return _RichResult(x=_smoothed(y, lamb, order, weights)[0], lamb=lamb)
