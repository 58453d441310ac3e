"""Means and variances over axes."""

import math

import numpy
from numpy.lib.array_utils import normalize_axis_tuple

from gpunp.array.arguments import warn_of_imaginary, warn_user
from gpunp.array.convert import asarray
from gpunp.array.dtype import as_dtype
from gpunp.array.ndarray import ndarray
from gpunp.array.numpy_internals import UFuncOutputCastingError
from gpunp.dispatch.registry import implements
from gpunp.reduction.engine import fold_array, reduce_array

_KERNELS = ("include/gpunp/reduction/reduce_device.h", "codegen/reductions.py")
_NoValue = numpy._NoValue
_EMPTY = "Mean of empty slice"
_NO_FREEDOM = "Degrees of freedom <= 0 for slice"
_DOUBLE = numpy.dtype("f8")
_REAL_OF = {numpy.dtype("c8"): numpy.dtype("f4"), numpy.dtype("c16"): _DOUBLE}


@implements(numpy.mean, kernels=_KERNELS)
def mean(a, axis=None, dtype=None, out=None, keepdims=_NoValue, *, where=_NoValue):
    """Arithmetic mean over axes; see `numpy.mean`."""
    a = asarray(a)
    given = a.dtype
    if a.size == 0 and (where is _NoValue or where is True):
        _warn_of_count(a, axis, 0, _EMPTY)
    if axis is not None and a.ndim == 0 and (where is _NoValue or where is True):
        _refuse_axis(axis)
    if dtype is None:
        result = _DOUBLE if given.kind in "biu" else _widened(given, out)
    else:
        result = as_dtype(dtype)
        if result.kind in "biu":
            total = reduce_array("add", a, axis, result, out, keepdims, where=where)
            mean = _divided(total, a, axis, keepdims, where)
            return mean._mark_scalar() if out is None else mean
        if given.kind == "c" and result.kind == "f":
            a = a.astype(result)
    if isinstance(out, ndarray):
        warn_of_imaginary(result, out.dtype)
    if where is _NoValue or where is True:
        return fold_array("add", a, axis, result, out, keepdims, divide=True)
    return fold_array("mean_counted", a, axis, result, out, keepdims, where)


@implements(numpy.nanmean, kernels=_KERNELS)
def nanmean(a, axis=None, dtype=None, out=None, keepdims=_NoValue, *, where=_NoValue):
    """Arithmetic mean over axes, ignoring NaN; see `numpy.nanmean`."""
    a = asarray(a)
    if a.dtype.kind in "biu":
        return mean(a, axis, dtype, out, keepdims, where=where)
    if a.size == 0:
        _warn_of_count(a, axis, 0, _EMPTY, results=True)
    result = _inexact(a, dtype, out)
    if isinstance(out, ndarray):
        warn_of_imaginary(result, out.dtype)
    if a.dtype.kind == "c" and result.kind == "f":
        # The mean takes the real parts, but a NaN in either part excludes the element.
        numbers = ~numpy.isnan(a)
        if where is not _NoValue and where is not True:
            numbers &= asarray(where, device=a.device)
        return fold_array("mean_counted", a.astype(result), axis, result, out, keepdims, numbers)
    return fold_array("mean_counted", a, axis, result, out, keepdims, where, skip_nan=True)


def _warn_of_count(a, axis, least, message, results=False):
    """Issue NumPy's warning if, by the shape alone, at most ``least`` elements contribute to each result.

    With ``results``, only if the result has elements.
    """
    axes = range(a.ndim) if axis is None or a.ndim == 0 else normalize_axis_tuple(axis, a.ndim)
    others = math.prod(extent for i, extent in enumerate(a.shape) if i not in axes)
    if math.prod(a.shape[i] for i in axes) <= least and (others or not results):
        warn_user(message, RuntimeWarning)


def _widened(dtype, out):
    """The dtype that a mean without ``dtype=`` is computed in: at least the precision of ``out``."""
    if (
        not isinstance(out, ndarray)
        or out.dtype.kind not in "fc"
        or (dtype.kind, out.dtype.kind) == ("f", "c")
    ):
        return dtype
    return numpy.promote_types(dtype, out.dtype)


def _refuse_axis(axis):
    """Raise AxisError for an axis of a 0-d array, as NumPy does when it counts the elements along it."""
    for i in axis if isinstance(axis, tuple) else (axis,):
        raise numpy.exceptions.AxisError(i, 0)


def _inexact(a, dtype, out):
    """The dtype that a nan-function computes in, which must be able to hold NaN as in NumPy."""
    result = _widened(a.dtype, out) if dtype is None else as_dtype(dtype)
    if result.kind not in "fc":
        raise TypeError("If a is inexact, then dtype must be inexact")
    if out is not None and out.dtype.kind not in "fc":
        raise TypeError("If a is inexact, then out must be inexact")
    return result


def _count(a, axis, keepdims, where):
    """The number of elements per result: an int, or with a mask an array."""
    if where is _NoValue or where is True:
        if axis is None:
            return a.size
        count = 1
        for i in axis if isinstance(axis, tuple) else (axis,):
            count *= a.shape[i]
        return count
    mask = numpy.broadcast_to(asarray(where, device=a.device), a.shape)
    return reduce_array("add", mask, axis, numpy.intp, None, keepdims)


def _divided(total, a, axis, keepdims, where):
    """Divide ``total`` in place by the number of elements; integers are truncated."""
    count = _count(a, axis, keepdims, where)
    return numpy.true_divide(total._unmark_scalar(), count, out=total, casting="unsafe")


def _correction(ddof, correction):
    """What is subtracted from the count, as a Python number, since a narrow integer could wrap around."""
    if correction is not _NoValue:
        if ddof != 0:
            raise ValueError("ddof and correction can't be provided simultaneously.")
        ddof = correction
    if type(ddof) is not int and isinstance(ddof, (numpy.generic, numpy.ndarray, list, tuple)):
        ddof = numpy.asarray(ddof)
        if ddof.size != 1:
            raise ValueError("ddof must be one number: the truth value of an array is ambiguous")
        ddof = ddof.item()
    return ddof


def _variance(a, axis, dtype, out, ddof, keepdims, where, mean, *, root, skip_nan):
    given = a.dtype
    if axis is not None and a.ndim == 0 and not skip_nan and (where is _NoValue or where is True):
        _refuse_axis(axis)
    if dtype is None:
        result = _DOUBLE if given.kind in "biu" else _REAL_OF.get(given, given)
        if given.kind in "fc":
            result = _widened(result, out)
            result = _REAL_OF.get(result, result)
            result = _DOUBLE if isinstance(out, ndarray) and out.dtype == numpy.complex128 else result
    else:
        result = as_dtype(dtype)
    if root and isinstance(out, ndarray):
        square_root = numpy.sqrt.resolve_dtypes((out.dtype, None))[1]
        if not numpy.can_cast(square_root, out.dtype, "same_kind"):
            raise UFuncOutputCastingError(numpy.sqrt, "same_kind", square_root, out.dtype, 0)
    if isinstance(ddof, (int, float)) and (ddof > 0 or a.size == 0):
        if skip_nan:
            _warn_of_count(a, axis, ddof, _NO_FREEDOM + ".", results=True)
        elif where is _NoValue or where is True:
            _warn_of_count(a, axis, ddof, _NO_FREEDOM)
    # The one-pass kernel computes its own mean; a given mean or an unusual dtype is computed step by step.
    one_pass = mean is _NoValue and type(ddof) in (int, float) and result.kind == "f"
    if one_pass and (dtype is None or given.kind != "c"):
        return fold_array(
            "variance", a, axis, result, out, keepdims, where, skip_nan, root=root, correction=ddof
        )
    result = _stepwise_variance(a, axis, dtype, out, ddof, keepdims, where, mean, skip_nan)
    if root:
        result = _root_in_place(result, out)
    return result._mark_scalar() if out is None else result


def _root_in_place(result, out):
    # As in NumPy: a scalar result is converted to any dtype, but roots are not written to integer arrays.
    casting = "unsafe" if result.ndim == 0 and out is None else "same_kind"
    return numpy.sqrt(result, out=result, casting=casting)


def _stepwise_variance(a, axis, dtype, out, ddof, keepdims, where, center, skip_nan):
    """The variance from the mean, the deviations and the sum of their squares, each in NumPy's dtype."""
    if dtype is None and a.dtype.kind in "biu":
        dtype = _DOUBLE
    if skip_nan:
        numbers = numpy.logical_not(numpy.isnan(a))
        where = numbers if where is _NoValue else numpy.logical_and(numbers, where)
    if center is _NoValue:
        center = reduce_array("add", a, axis, dtype, keepdims=True, where=where)
        center = _divided(center, a, axis, keepdims=True, where=where)
    deviations = numpy.subtract(a, center)
    if skip_nan:
        # As in NumPy, which writes them over a copy of the array, so that a wider mean does not widen them.
        deviations = deviations.astype(a.dtype, copy=False)
    if deviations.dtype.kind == "c":
        squares = numpy.square(deviations.real) + numpy.square(deviations.imag)
    else:
        squares = numpy.square(deviations)
    total = reduce_array("add", squares, axis, dtype, out, keepdims, where=where)
    freedom = numpy.maximum(_count(a, axis, keepdims, where) - ddof, 0)
    result = numpy.true_divide(total._unmark_scalar(), freedom, out=total, casting="unsafe")
    if skip_nan:
        numpy.copyto(result, numpy.nan, where=asarray(freedom, device=a.device) == 0)
    return result


@implements(numpy.var, kernels=_KERNELS)
def var(
    a,
    axis=None,
    dtype=None,
    out=None,
    ddof=0,
    keepdims=_NoValue,
    *,
    where=_NoValue,
    mean=_NoValue,
    correction=_NoValue,
):
    """Variance over axes, in one pass over the elements; see `numpy.var`."""
    ddof = _correction(ddof, correction)
    return _variance(asarray(a), axis, dtype, out, ddof, keepdims, where, mean, root=False, skip_nan=False)


@implements(numpy.std, kernels=_KERNELS)
def std(
    a,
    axis=None,
    dtype=None,
    out=None,
    ddof=0,
    keepdims=_NoValue,
    *,
    where=_NoValue,
    mean=_NoValue,
    correction=_NoValue,
):
    """Standard deviation over axes, in one pass over the elements; see `numpy.std`."""
    ddof = _correction(ddof, correction)
    return _variance(asarray(a), axis, dtype, out, ddof, keepdims, where, mean, root=True, skip_nan=False)


@implements(numpy.nanvar, kernels=_KERNELS)
def nanvar(
    a,
    axis=None,
    dtype=None,
    out=None,
    ddof=0,
    keepdims=_NoValue,
    *,
    where=_NoValue,
    mean=_NoValue,
    correction=_NoValue,
):
    """Variance over axes, ignoring NaN; see `numpy.nanvar`."""
    return _nan_variance(a, axis, dtype, out, ddof, keepdims, where, mean, correction, root=False)


@implements(numpy.nanstd, kernels=_KERNELS)
def nanstd(
    a,
    axis=None,
    dtype=None,
    out=None,
    ddof=0,
    keepdims=_NoValue,
    *,
    where=_NoValue,
    mean=_NoValue,
    correction=_NoValue,
):
    """Standard deviation over axes, ignoring NaN; see `numpy.nanstd`."""
    return _nan_variance(a, axis, dtype, out, ddof, keepdims, where, mean, correction, root=True)


def _nan_variance(a, axis, dtype, out, ddof, keepdims, where, mean, correction, *, root):
    a = asarray(a)
    skip_nan = a.dtype.kind in "fc"
    if skip_nan:
        _inexact(a, dtype, out)
    ddof = _correction(ddof, correction)
    return _variance(a, axis, dtype, out, ddof, keepdims, where, mean, root=root, skip_nan=skip_nan)
