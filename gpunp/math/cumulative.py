"""Cumulative sums and products."""

import numpy

from gpunp.array import layout
from gpunp.array.arguments import strict_axis, strict_integer
from gpunp.array.convert import asarray
from gpunp.dispatch.registry import implements
from gpunp.math.sums import without_nan
from gpunp.ufunc.engine import UFUNCS
from gpunp.ufunc.methods import accumulate, accumulate_into, accumulated_dtype, single_output

_ADD = UFUNCS["numpy", "add"]
_MULTIPLY = UFUNCS["numpy", "multiply"]
_KERNELS = ("include/gpunp/reduction/scan.h", "codegen/scans.py")


def _cumulate(ufunc, a, axis, dtype, out):
    """cumsum and cumprod; without an axis over the flattened array."""
    a = asarray(a)
    if axis is None:
        a, axis = a.reshape(-1), 0
    elif a.ndim == 0:
        a = a.reshape(1)
    return accumulate(ufunc, a, strict_integer(axis), dtype, out)


def _cumulate_finite(ufunc, a, axis, dtype, out):
    """nancumsum and nancumprod, with NaN as the identity."""
    a = asarray(a)
    numbers = without_nan(a, dtype, ufunc.identity)
    if numbers is not a or a.dtype.kind not in "fc":
        return _cumulate(ufunc, numbers, axis, dtype, out)
    if axis is None:
        a, axis = a.reshape(-1), 0
    elif a.ndim == 0:
        a = a.reshape(1)
    axis = strict_axis(axis, a.ndim)
    return accumulate_into(ufunc, a, axis, dtype, single_output(out), skip_nan=True)


def _cumulate_standard(name, ufunc, x, axis, dtype, out, include_initial):
    """cumulative_sum and cumulative_prod of the array API standard."""
    x = asarray(x)
    if x.ndim == 0:
        x = x.reshape(1)
    if axis is None:
        if x.ndim > 1:
            raise ValueError("For arrays which have more than one dimension ``axis`` argument is required.")
        axis = 0
    if not include_initial:
        return accumulate(ufunc, x, axis, dtype, out)
    if isinstance(axis, tuple) and len(axis) != 1:
        raise ValueError("accumulate does not allow multiple axes")
    axis = strict_axis(axis[0] if isinstance(axis, tuple) else axis, x.ndim)
    shape = (*x.shape[:axis], x.shape[axis] + 1, *x.shape[axis + 1 :])
    out = single_output(out)
    if out is None:
        out = layout.empty(shape, accumulated_dtype(ufunc, dtype, x), device=x.device)
    elif out.shape != shape:
        raise ValueError(f"{name}: out has shape {out.shape}, the result with include_initial has {shape}")
    before = (slice(None),) * axis
    out[(*before, slice(0, 1))] = ufunc.identity
    accumulate(ufunc, x, axis, dtype, out[(*before, slice(1, None))])
    return out


@implements(numpy.cumsum, chapter="math", kernels=_KERNELS)
def cumsum(a, axis=None, dtype=None, out=None):
    """Cumulative sums along an axis; see `numpy.cumsum`."""
    return _cumulate(_ADD, a, axis, dtype, out)


@implements(numpy.cumprod, chapter="math", kernels=_KERNELS)
def cumprod(a, axis=None, dtype=None, out=None):
    """Cumulative products along an axis; see `numpy.cumprod`."""
    return _cumulate(_MULTIPLY, a, axis, dtype, out)


@implements(numpy.nancumsum, chapter="math", kernels=_KERNELS)
def nancumsum(a, axis=None, dtype=None, out=None):
    """Cumulative sums along an axis with NaN as zero; see `numpy.nancumsum`."""
    return _cumulate_finite(_ADD, a, axis, dtype, out)


@implements(numpy.nancumprod, chapter="math", kernels=_KERNELS)
def nancumprod(a, axis=None, dtype=None, out=None):
    """Cumulative products along an axis with NaN as one; see `numpy.nancumprod`."""
    return _cumulate_finite(_MULTIPLY, a, axis, dtype, out)


@implements(numpy.cumulative_sum, chapter="math", kernels=_KERNELS)
def cumulative_sum(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """Cumulative sums along an axis; see `numpy.cumulative_sum`."""
    return _cumulate_standard("cumulative_sum", _ADD, x, axis, dtype, out, include_initial)


@implements(numpy.cumulative_prod, chapter="math", kernels=_KERNELS)
def cumulative_prod(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """Cumulative products along an axis; see `numpy.cumulative_prod`."""
    return _cumulate_standard("cumulative_prod", _MULTIPLY, x, axis, dtype, out, include_initial)
