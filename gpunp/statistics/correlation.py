"""Covariances and correlation coefficients: matrix products of deviations from the means."""

import numpy

from gpunp.array.arguments import warn_user
from gpunp.array.convert import asarray, joined
from gpunp.array.ndarray import ndarray
from gpunp.array.numpy_internals import UFuncOutputCastingError
from gpunp.array.operands import device_of
from gpunp.dispatch.registry import implements

_KERNELS = ("include/gpunp/reduction/reduce_device.h", "codegen/reductions.py")


@implements(numpy.cov, kernels=_KERNELS)
def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None):
    """Covariance matrix; see `numpy.cov`."""
    if ddof is not None and ddof != int(ddof):
        raise ValueError("ddof must be integer")
    device = device_of(m, y, fweights, aweights)
    m = asarray(m, device=device)
    if m.ndim > 2:
        raise ValueError("m has more than 2 dimensions")
    kinds = [m.dtype, numpy.dtype("f8")]
    if y is not None:
        y = asarray(y, device=m.device)
        if y.ndim > 2:
            raise ValueError("y has more than 2 dimensions")
        kinds.append(y.dtype)
    dtype = numpy.result_type(*kinds) if dtype is None else numpy.dtype(dtype)
    samples = _variables(m, dtype)
    if not rowvar and m.ndim != 1:
        samples = samples.T
    if samples.shape[0] == 0:
        return asarray(numpy.empty((0, 0)), device=m.device)
    if y is not None:
        y = _variables(y, dtype)
        if not rowvar and y.shape[0] != 1:
            y = y.T
        samples = numpy.concatenate((samples, y), axis=0)
    if ddof is None:
        ddof = 1 if bias == 0 else 0
    frequencies = _checked_weights("fweights", fweights, samples)
    weights = aweights = _checked_weights("aweights", aweights, samples)
    if frequencies is not None:
        weights = frequencies if aweights is None else frequencies * aweights
    if dtype.kind not in "fc":
        # NumPy subtracts the means in place, which fails for these dtypes.
        raise UFuncOutputCastingError(numpy.subtract, "same_kind", numpy.dtype("f8"), dtype, 2)
    mean, total = numpy.average(samples, axis=1, weights=weights, returned=True)
    freedom = _freedom(samples.shape[1], total, ddof, weights, aweights)
    deviations = samples - mean[:, None]
    other = deviations if weights is None else deviations * asarray(weights, device=m.device)
    # The conjugate of real numbers would be a copy.
    other = numpy.conjugate(other.T) if other.dtype.kind == "c" else other.T
    result = numpy.dot(deviations, other)
    result *= numpy.true_divide(1, freedom)
    return result.squeeze()


def _variables(a, dtype):
    """Convert to a two-dimensional array with one variable per row."""
    a = a.astype(dtype, copy=False)
    return a.reshape((1,) * (2 - a.ndim) + a.shape)


def _checked_weights(name, weights, samples):
    """Weights of the observations as float64; values are checked where that needs no synchronization."""
    if weights is None:
        return None
    weights = joined(weights)
    seen = not isinstance(weights, ndarray) or weights.device.is_cpu
    weights = weights.astype(float) if isinstance(weights, ndarray) else numpy.asarray(weights, dtype=float)
    if seen and name == "fweights" and not bool((weights == numpy.round(weights)).all()):
        raise TypeError("fweights must be integer")
    if weights.ndim > 1:
        raise RuntimeError(f"cannot handle multidimensional {name}")
    if weights.shape[0] != samples.shape[1]:
        raise RuntimeError(f"incompatible numbers of samples and {name}")
    if seen and bool((weights < 0).any()):
        raise ValueError(f"{name} cannot be negative")
    return weights


def _freedom(count, total, ddof, weights, aweights):
    """The divisor of the sums of products; not negative."""
    if weights is None:
        if count <= ddof:
            warn_user("Degrees of freedom <= 0 for slice", RuntimeWarning)
        return max(count - ddof, 0.0)
    # All rows have the same sum of weights; with complex samples its imaginary part is zero.
    total = total[0].real
    if ddof == 0:
        freedom = total
    elif aweights is None:
        freedom = total - ddof
    else:
        freedom = total - ddof * asarray((weights * aweights).sum(), device=total.device) / total
    return numpy.maximum(freedom, 0.0)


@implements(numpy.corrcoef, kernels=_KERNELS)
def corrcoef(x, y=None, rowvar=True, *, dtype=None):
    """Pearson's correlation coefficients; see `numpy.corrcoef`."""
    result = cov(x, y, rowvar, dtype=dtype)
    if result.ndim == 0:
        # One variable: 1, or NaN if its variance is zero or not finite.
        return result / result
    # The diagonal of a C-contiguous matrix: a stride of one row plus one element.
    deviation = numpy.sqrt(result.reshape(-1)[:: result.shape[0] + 1].real)
    result = result / deviation[:, None]
    result /= deviation[None, :]
    numpy.clip(result.real, -1, 1, out=result.real)
    if result.dtype.kind == "c":
        numpy.clip(result.imag, -1, 1, out=result.imag)
    return result
