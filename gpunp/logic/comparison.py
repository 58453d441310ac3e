"""Comparison within tolerances, and of whole arrays."""

import numpy

from gpunp.array.convert import asarray
from gpunp.array.ndarray import ndarray
from gpunp.dispatch.registry import implements


def _pair(a, b):
    """Both as device arrays on one device; Python numbers stay, being weak in promotion."""
    device = next((x.device for x in (a, b) if isinstance(x, ndarray)), None)
    return tuple(x if type(x) in (bool, int, float, complex) else asarray(x, device=device) for x in (a, b))


@implements(numpy.isclose)
def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether elements are equal within tolerances; see `numpy.isclose`."""
    a, b = _pair(a, b)
    if type(a) in (bool, int, float, complex) and type(b) in (bool, int, float, complex):
        a = asarray(a)
    dtype = getattr(b, "dtype", None)
    # The tolerance of the smallest integer must not overflow.
    if dtype is not None and dtype.kind not in "fc":
        b = b.astype(numpy.result_type(b.dtype, 1.0))
    elif type(b) in (bool, int):
        b = float(b)
    difference = numpy.abs(a - b)
    # The tolerance of a Python number stays one, so that it takes the dtype of the difference.
    result = (numpy.less_equal(difference, atol + rtol * abs(b)) & numpy.isfinite(b)) | (a == b)
    if equal_nan:
        result = result | (numpy.isnan(a) & numpy.isnan(b))
    return result


@implements(numpy.allclose)
def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether all elements are equal within tolerances; see `numpy.allclose`."""
    return bool(numpy.all(isclose(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan)))


@implements(numpy.array_equal)
def array_equal(a1, a2, equal_nan=False):
    """Whether shapes and all elements are equal; see `numpy.array_equal`."""
    try:
        device = next((x.device for x in (a1, a2) if isinstance(x, ndarray)), None)
        a1, a2 = asarray(a1, device=device), asarray(a2, device=device)
    except (TypeError, ValueError):
        return False
    if a1.shape != a2.shape:
        return False
    if not equal_nan or (a1.dtype.kind not in "fc" and a2.dtype.kind not in "fc"):
        return bool((a1 == a2).all())
    both = (numpy.isnan(a1) & numpy.isnan(a2)) | (a1 == a2)
    return bool(both.all())


@implements(numpy.array_equiv)
def array_equiv(a1, a2):
    """Whether arrays are equal after broadcasting; see `numpy.array_equiv`."""
    try:
        device = next((x.device for x in (a1, a2) if isinstance(x, ndarray)), None)
        a1, a2 = asarray(a1, device=device), asarray(a2, device=device)
        numpy.broadcast_shapes(a1.shape, a2.shape)
    except (TypeError, ValueError):
        return False
    return bool((a1 == a2).all())
