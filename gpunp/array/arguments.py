"""Arguments as NumPy's compiled functions take them."""

import operator
import sys
import warnings

import numpy
from numpy.lib.array_utils import normalize_axis_index

from gpunp.array.scalars import without_fetching


def strict_integer(value):
    """An integer argument; a bool is none."""
    if isinstance(value, bool):
        raise TypeError(f"an integer is required, not {value}")
    return operator.index(value)


def strict_axis(axis, ndim):
    """The number of an axis from 0, or NumPy's AxisError."""
    return normalize_axis_index(strict_integer(axis), ndim)


def truth_values(where):
    """What ``where=`` says, where it is no array: numbers and sequences are true unless they are zero."""
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
    """An ``order=`` argument as one of C, F, A and K; None is the default."""
    if order is None:
        return default
    if not isinstance(order, str):
        raise TypeError(f"order must be str, not {type(order).__name__}")
    if order.upper() not in ("C", "F", "A", "K"):
        raise ValueError(f"order must be one of 'C', 'F', 'A', or 'K' (got {order!r})")
    return order.upper()


def copy_flag(copy):
    """A ``copy=`` argument as True, False or None."""
    if copy is None or isinstance(copy, bool):
        return copy
    if isinstance(copy, str):
        raise ValueError("strings are not allowed for 'copy' keyword. Use True/False/None instead.")
    # NumPy's own names for the three, where "if needed" has no truth.
    kind = getattr(copy, "name", None)
    return None if kind == "IF_NEEDED" else bool(copy)


def warn_user(message, category):
    """A warning at the line outside of gpunp that called it."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "gpunp":
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def warn_of_imaginary(source, target):
    """NumPy's warning where a conversion of dtype drops imaginary parts."""
    if source.kind == "c" and target.kind not in "cb":
        warn_user(
            "Casting complex values to real discards the imaginary part", numpy.exceptions.ComplexWarning
        )


def warn_of_kind(source, target):
    """NumPy's warning where ``out=`` is of a lesser kind, for the functions that allow it."""
    if not numpy.can_cast(source, target, "same_kind"):
        warn_user(
            "Implicit casting of output to a different kind is deprecated. In a future version, this will "
            "result in an error. (Deprecated NumPy 2.5)",
            DeprecationWarning,
        )
