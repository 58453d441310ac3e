"""Comparison of values and exceptions between host and device."""

import re

import numpy as np
from registry import ARITHMETIC, CLOSE, EXACT, POWER, SUMMED

# Allowed relative errors of single functions, by the size of a real number in bytes.
_CLOSE = {2: 2.5e-3, 4: 4e-6, 8: 4e-14}
_EPSILON = {2: 1e-3, 4: 1.2e-7, 8: 2.3e-16}
# Beyond these numbers, overflow and cancellation depend on the order of additions.
_LARGEST = {2: 50.0, 4: 1e6, 8: 1e15}


class Difference(Exception):
    """A difference between two values: ``kind`` classifies it, and ``text`` describes it."""

    def __init__(self, kind, text):
        super().__init__(f"{kind}: {text}")
        self.kind, self.text = kind, text


def is_array(value):
    return isinstance(value, np.ndarray | np.generic)


def public_type(error):
    """The first public type of an exception: NumPy raises private subclasses of TypeError."""
    for cls in type(error).__mro__:
        if cls.__module__.split(".")[0] in ("builtins", "numpy") and not re.match("_|UFunc", cls.__name__):
            return cls
    return type(error)


def describe(value):
    text = repr(value)
    if is_array(value):
        text += f" {value.dtype} {value.shape}"
    return text if len(text) < 600 else text[:600] + "..."


def compare(name, expected, actual, mode, scale, ndarray, size=8):
    """Raise a `Difference`, or return whether the values are bitwise identical.

    Parameters
    ----------
    name : str
        The name of the variable.
    expected, actual : object
        The values on the host and on the device.
    mode : str
        A mode of comparison from `registry`.
    scale : float
        The greatest absolute value that was summed.
    ndarray : type
        The type of device arrays.
    size : int
        Bytes of the real numbers used in the computation, if they are shorter than those of the result.
    """
    if not is_array(expected):
        if (
            isinstance(expected, list | tuple)
            and isinstance(actual, list | tuple)
            and len(expected) == len(actual)
        ):
            pairs = zip(expected, actual, strict=True)
            return all([compare(name, e, a, mode, scale, ndarray, size) for e, a in pairs])  # noqa: C419
        if isinstance(actual, ndarray) and actual.ndim == 0 and not isinstance(expected, list | tuple):
            # NumPy returned a Python number.
            actual = actual.item()
        if isinstance(actual, ndarray) or actual != expected:
            raise Difference("value", f"{name} is {describe(actual)}, expected {describe(expected)}")
        return True
    if not isinstance(actual, ndarray):
        raise Difference("type", f"{name} is {describe(actual)}, expected {describe(expected)}")
    if expected.dtype != actual.dtype:
        raise Difference("dtype", f"{name} is {actual.dtype}, expected {expected.dtype}")
    if expected.shape != actual.shape:
        raise Difference("shape", f"{name} is {actual.shape}, expected {expected.shape}")
    found = actual.get()
    if found.tobytes() == expected.tobytes():
        return True
    if not same_values(np.asarray(expected), found, mode, scale, size):
        raise Difference("value", f"{name} is {describe(found)}, expected {describe(expected)}")
    return False


def same_values(expected, found, mode, scale, size=8):
    if expected.dtype.kind not in "fc":
        return bool((expected == found).all())
    size = min(size, expected.dtype.itemsize // (2 if expected.dtype.kind == "c" else 1))
    if mode == ARITHMETIC:
        mode = CLOSE if expected.dtype.kind == "c" else EXACT
    elif mode == POWER:
        mode = SUMMED if expected.dtype.kind == "c" else CLOSE
    if mode == SUMMED and not scale < _LARGEST[size]:
        return True
    if expected.dtype.kind == "c":
        parts = [_equal(expected.real, found.real, mode), _equal(expected.imag, found.imag, mode)]
        equal = parts[0] & parts[1]
    else:
        equal = _equal(expected, found, mode)
    if mode == EXACT or equal.all():
        return bool(equal.all())
    wide = "c16" if expected.dtype.kind == "c" else "f8"
    a, b = expected[~equal].astype(wide), found[~equal].astype(wide)
    finite = np.isfinite(a) & np.isfinite(b)
    if not finite.all():
        # The order of operations determines which parts of a complex product overflow.
        if wide == "f8" or np.isfinite(a[~finite]).any() or np.isfinite(b[~finite]).any():
            return False
        a, b = a[finite], b[finite]
    allowed = _CLOSE[size] * np.abs(a)
    if mode == SUMMED:
        allowed = 8 * allowed + _EPSILON[size] * 256 * max(scale, 16.0) ** 2
    elif expected.dtype.kind == "f":
        # A negative tolerance refuses zeros of different signs.
        allowed = np.where(
            (a == 0) & (b == 0), -1.0, allowed + np.finfo(expected.dtype).smallest_subnormal * 4.0
        )
    else:
        # One part may be a small difference of large numbers.
        allowed = allowed + 4 * _EPSILON[size]
    return bool((np.abs(a - b) <= allowed).all())


def _equal(a, b, mode):
    equal = (a == b) | (np.isnan(a) & np.isnan(b))
    if mode != SUMMED:
        equal &= (np.signbit(a) == np.signbit(b)) | np.isnan(a) | (a != 0)
    return equal


def compare_errors(expected, actual):
    """Raise a `Difference` unless both are the same public exception, or None."""
    if expected is None and actual is None:
        return
    if expected is None:
        raise Difference("raises", f"raises {type(actual).__name__}: {actual}")
    if actual is None:
        raise Difference("no error", f"does not raise {type(expected).__name__}: {expected}")
    # A subclass is accepted: it is caught wherever NumPy's exception is.
    if not issubclass(public_type(actual), public_type(expected)):
        raise Difference(
            "error",
            f"raises {type(actual).__name__}: {actual}; expected {type(expected).__name__}: {expected}",
        )


def scale_of(values):
    """The greatest absolute value in arrays; infinity if a value is not finite."""
    greatest = 0.0
    for value in values:
        if is_array(value) and value.size and value.dtype.kind in "fciu":
            top = float(np.abs(value.astype("c16" if value.dtype.kind == "c" else "f8")).max())
            if not top <= greatest:
                greatest = top if top == top else float("inf")
    return greatest


__all__ = [
    "CLOSE",
    "Difference",
    "compare",
    "compare_errors",
    "describe",
    "is_array",
    "public_type",
    "scale_of",
]
