"""Arguments, parsed as NumPy's compiled functions parse them."""

import operator
import sys
import warnings

import numpy
from numpy.lib.array_utils import normalize_axis_index

from gpunp.array.scalars import without_fetching


def strict_integer(value):
    """Return an integer argument as an int; a bool is invalid."""
    if isinstance(value, bool):
        raise TypeError(f"an integer is required, not {value}")
    return operator.index(value)


def strict_axis(axis, ndim):
    """Return an axis as a number from 0, or raise NumPy's AxisError."""
    return normalize_axis_index(strict_integer(axis), ndim)


def truth_values(where):
    """Convert a ``where=`` that is not a device array to bool: numbers are true unless they are zero."""
    if isinstance(where, numpy.ndarray):
        return where
    from gpunp.array.convert import joined

    found = joined(where)
    if type(found) is type(where):
        try:
            with without_fetching():
                return numpy.asarray(where, dtype=bool)
        except TypeError:
            return where
    # Device arrays in a sequence, or another library's array.
    return found.astype(bool, copy=False) if isinstance(where, (list, tuple)) else found


def order_name(order, default="C"):
    """Return an ``order=`` argument as one of C, F, A and K; None is the default."""
    if order is None:
        return default
    if not isinstance(order, str):
        raise TypeError(f"order must be str, not {type(order).__name__}")
    if order.upper() not in ("C", "F", "A", "K"):
        raise ValueError(f"order must be one of 'C', 'F', 'A', or 'K' (got {order!r})")
    return order.upper()


def copy_flag(copy):
    """Return a ``copy=`` argument as True, False or None."""
    if copy is None or isinstance(copy, bool):
        return copy
    if isinstance(copy, str):
        raise ValueError("strings are not allowed for 'copy' keyword. Use True/False/None instead.")
    # Of NumPy's enum for the three values, IF_NEEDED has no truth value.
    kind = getattr(copy, "name", None)
    return None if kind == "IF_NEEDED" else bool(copy)


def warn_user(message, category):
    """Issue a warning that points to the calling line outside of gpunp."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "gpunp":
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def warn_of_imaginary(source, target):
    """Issue NumPy's warning if a conversion of dtype drops imaginary parts."""
    if source.kind == "c" and target.kind not in "cb":
        warn_user(
            "Casting complex values to real discards the imaginary part", numpy.exceptions.ComplexWarning
        )


def warn_of_kind(source, target):
    """Issue NumPy's warning if ``out=`` is of a lower kind, for functions that still allow it."""
    if not numpy.can_cast(source, target, "same_kind"):
        warn_user(
            "Implicit casting of output to a different kind is deprecated. In a future version, this will "
            "result in an error. (Deprecated NumPy 2.5)",
            DeprecationWarning,
        )
