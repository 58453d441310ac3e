"""Comparison within tolerances, and equality of whole arrays."""

import cmath

import numpy

from gpunp.array.convert import asarray
from gpunp.array.dtype import dtype_code
from gpunp.array.ndarray import ndarray
from gpunp.array.operands import device_of, on_one_device, require_one_device
from gpunp.dispatch.registry import implements
from gpunp.logic.closeness import compare, defer

_KERNELS = ("include/gpunp/logic/closeness.h", "codegen/closeness.py")
_NUMBERS = (bool, int, float, complex)


def _pair(a, b):
    """Convert both to arrays on one device; Python numbers are kept, since they are weak in promotion."""
    device = device_of(a, b)
    a, b = (x if type(x) in _NUMBERS else asarray(x, device=device) for x in (a, b))
    if type(a) in _NUMBERS and type(b) in _NUMBERS:
        a = asarray(a)
    return a, b


def _steps(a, b, rtol, atol, equal_nan):
    """The comparison in separate steps: for array tolerances, and for arguments the kernel does not take."""
    dtype = getattr(b, "dtype", None)
    # As a float, since abs() of the smallest integer overflows.
    if dtype is not None and dtype.kind not in "fc":
        b = b.astype(numpy.result_type(b.dtype, 1.0))
    elif type(b) in (bool, int):
        b = float(b)
    difference = numpy.abs(a - b)
    # For a Python number b the tolerance is one too, so it is compared in the dtype of the difference.
    result = (numpy.less_equal(difference, atol + rtol * abs(b)) & numpy.isfinite(b)) | (a == b)
    if equal_nan:
        result = result | (numpy.isnan(a) & numpy.isnan(b))
    return result


def _weak(x):
    """The dtype of an array, or a Python number itself, as an argument of result_type."""
    return x.dtype if isinstance(x, ndarray) else x


def _close(a, b, rtol, atol, equal_nan, each):
    """Compare with one kernel; None if it does not take the arguments."""
    if any(type(x) not in (bool, int, float) or not cmath.isfinite(x) for x in (rtol, atol)):
        return None
    of_b = numpy.result_type(b.dtype, 1.0) if isinstance(b, ndarray) else b
    dtype = numpy.result_type(_weak(a), of_b, 1.0)
    tolerance = dtype.type(0).real.dtype
    if isinstance(b, ndarray):
        tolerance = of_b.type(0).real.dtype
        rtol, atol = (float(tolerance.type(x)) for x in (rtol, atol))
    else:
        # One tolerance for all elements, in the dtype of the difference.
        rtol, atol = 0.0, float(tolerance.type(float(atol) + float(rtol) * abs(b)))
    numbers = [complex(dtype.type(x)) for x in (a, b) if not isinstance(x, ndarray)]
    if not all(map(cmath.isfinite, (rtol, atol, *numbers))):
        return None
    if tolerance == dtype.type(0).real.dtype:
        # The answer of allclose is read while its caller still holds the operands. A GPU stores them anyway,
        # and the pass over stored operands ends early; in blocks on the CPU device they are in the cache.
        found = None
        if each or device_of(a, b).is_cpu:
            found = defer(a, b, dtype, rtol, atol, bool(equal_nan), pending=not each)
        if found is not None and not each:
            # An array that is still alive when the result is read would be computed once more, and stored.
            found = numpy.all(found)
            return bool(found)
        if found is not None:
            return found
    tolerances = rtol, atol, dtype_code(tolerance)
    return compare(a, b, dtype, tolerances, bool(equal_nan), each)


@implements(numpy.isclose, kernels=_KERNELS)
def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether elements are equal within tolerances; see `numpy.isclose`."""
    a, b = _pair(a, b)
    result = None
    if any(getattr(x, "ndim", 0) for x in (a, b)):
        with numpy.errstate(over="ignore"):
            result = _close(a, b, rtol, atol, equal_nan, each=True)
    return _steps(a, b, rtol, atol, equal_nan) if result is None else result


@implements(numpy.allclose, kernels=_KERNELS)
def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether all elements are equal within tolerances; see `numpy.allclose`."""
    a, b = _pair(a, b)
    with numpy.errstate(over="ignore"):
        result = _close(a, b, rtol, atol, equal_nan, each=False)
    return bool(numpy.all(_steps(a, b, rtol, atol, equal_nan))) if result is None else result


def _all_equal(a1, a2, equal_nan=False):
    dtype = numpy.result_type(a1.dtype, a2.dtype)
    if a1.dtype.kind in "biu" and a2.dtype.kind in "biu":
        # Integers are compared exactly, although the common dtype of two may be floating.
        dtype = a1.dtype
    result = compare(a1, a2, dtype, None, equal_nan)
    if result is None:
        both = a1 == a2
        if equal_nan:
            both |= numpy.isnan(a1) & numpy.isnan(a2)
        result = bool(both.all())
    return result


@implements(numpy.array_equal, kernels=_KERNELS)
def array_equal(a1, a2, equal_nan=False):
    """Whether shapes and all elements are equal; see `numpy.array_equal`."""
    if isinstance(a1, ndarray):
        require_one_device("array_equal", a1, a2)
    try:
        a1, a2 = on_one_device(a1, a2)
    except (TypeError, ValueError):
        return False
    return a1.shape == a2.shape and _all_equal(a1, a2, bool(equal_nan))


@implements(numpy.array_equiv, kernels=_KERNELS)
def array_equiv(a1, a2):
    """Whether arrays are equal after broadcasting; see `numpy.array_equiv`."""
    if isinstance(a1, ndarray):
        require_one_device("array_equiv", a1, a2)
    try:
        a1, a2 = on_one_device(a1, a2)
        numpy.broadcast_shapes(a1.shape, a2.shape)
    except (TypeError, ValueError):
        return False
    return _all_equal(a1, a2)
