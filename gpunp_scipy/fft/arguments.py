"""Checks of SciPy's arguments: lengths, axes, plans and workers."""

import contextlib
import operator
import os
from numbers import Number

import numpy
from numpy.lib.array_utils import normalize_axis_index

import gpunp


def operand(x):
    """The array to transform, in single or double precision; like SciPy, float16 becomes float32."""
    x = gpunp.asarray(x)
    if x.dtype.char == "e":
        return x.astype(numpy.float32)
    return x if x.dtype.kind in "fc" else x.astype(numpy.float64)


def check(n):
    """Return ``n`` as an int; ValueError if it is less than 1."""
    n = operator.index(n)
    if n < 1:
        raise ValueError(f"invalid number of data points ({n}) specified")
    return n


def lengths_and_axes(x, s, axes):
    """Normalize ``s`` and ``axes`` as SciPy does: ``s`` alone means the last axes; no axis may repeat."""
    whole = axes is None
    if not whole:
        axes = [axis + x.ndim if axis < 0 else axis for axis in integers(axes, "axes")]
        if any(not 0 <= axis < x.ndim for axis in axes):
            raise ValueError("axes exceeds dimensionality of input")
        if len(set(axes)) != len(axes):
            raise ValueError("all axes must be unique")
    if s is None:
        axes = list(range(x.ndim)) if whole else axes
        s = [x.shape[axis] for axis in axes]
    else:
        s = integers(s, "shape")
        if axes and len(axes) != len(s):
            raise ValueError("when given, axes and shape arguments have to be of the same length")
        if whole:
            if len(s) > x.ndim:
                raise ValueError("shape requires more axes than are present")
            axes = list(range(x.ndim - len(s), x.ndim))
        s = [x.shape[axis] if n == -1 else n for n, axis in zip(s, axes, strict=False)]
    if any(n < 1 for n in s):
        raise ValueError(f"invalid number of data points ({s}) specified")
    return s, axes


def integers(value, name):
    """A number or several as a list of int; ValueError for anything else."""
    if isinstance(value, Number):
        value = (value,)
    try:
        return [operator.index(each) for each in value]
    except TypeError:
        raise ValueError(f"{name} must be a scalar or iterable of integers") from None


def axis_of(x, axis):
    """Normalize an axis of ``x``."""
    return normalize_axis_index(operator.index(axis), x.ndim)


def context(workers, plan):
    """The context manager of a call: its plan, if any. ``workers`` is accepted, but has no effect."""
    if workers is not None:
        workers, processors = operator.index(workers), os.cpu_count()
        if workers < -processors:
            raise ValueError(
                f"workers value out of range; got {workers}, must not be less than {-processors}"
            )
        if workers == 0:
            raise ValueError("workers must not be zero")
    if plan is None:
        return contextlib.nullcontext()
    if not hasattr(plan, "__enter__"):
        raise TypeError(f"plan must be made by gpunp.fft.plan, not a {type(plan).__name__}")
    return plan
