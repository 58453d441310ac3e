"""Linear interpolation in one dimension."""

import numpy

from gpunp.array import layout
from gpunp.array.convert import asarray
from gpunp.array.operands import on_one_device
from gpunp.dispatch.registry import implements
from gpunp.manipulation.joining import concatenate
from gpunp.sorting import search
from gpunp.sorting.searchsorted import contiguous, require_one_dimension

_FLOAT = numpy.dtype(numpy.float64)
_COMPLEX = numpy.dtype(numpy.complex128)


def _real(a):
    if a.dtype.kind == "c":
        raise TypeError(
            f"Cannot cast array data from {a.dtype!r} to dtype('float64') according to the rule 'safe'"
        )
    return a


def _end_value(value, kind):
    """``left`` or ``right`` as a Python number of the kind of the result, or None."""
    if value is None:
        return None
    if isinstance(value, str | bytes):
        raise TypeError(f"must be real number, not {type(value).__name__}")
    return complex(value) if kind == "c" else float(value)


def _periodic(x, xp, fp, period):
    """``x`` reduced to one period, and the points in order over one period with one more on each side."""
    period = abs(period)
    require_points(xp, fp)
    x, xp = x % period, xp % period
    order = numpy.argsort(xp, kind="stable")
    xp, fp = xp[order], fp[order]
    return (
        x,
        concatenate((xp[-1:] - period, xp, xp[:1] + period)),
        concatenate((fp[-1:], fp, fp[:1])),
    )


def require_points(xp, fp):
    """Raise NumPy's error unless both are one-dimensional and of equal length."""
    if xp.ndim != 1 or fp.ndim != 1:
        raise ValueError("Data points must be 1-D sequences")
    if xp.size != fp.size:
        raise ValueError(f"fp and xp are not of the same length: {fp.size} and {xp.size}")


@implements(numpy.interp, chapter="math", kernels=("include/gpunp/sorting/search.h", "codegen/searching.py"))
def interp(x, xp, fp, left=None, right=None, period=None):
    """Piecewise linear interpolation through points; see `numpy.interp`."""
    x, xp, fp = on_one_device(x, xp, fp)
    dtype = _COMPLEX if fp.dtype.kind == "c" else _FLOAT
    if period is not None:
        if period == 0:
            raise ValueError("period must be a non-zero value")
        # Like NumPy, which takes the real parts of complex points only if a period is given.
        x, xp = x.real, xp.real
    x, xp = _real(x), contiguous(_real(xp), _FLOAT)
    fp = contiguous(fp, dtype)
    if period is not None:
        x, xp, fp = _periodic(asarray(x, dtype=_FLOAT), xp, fp, period)
        left = right = None
    require_one_dimension(xp)
    require_one_dimension(fp)
    require_points(xp, fp)
    out = layout.empty(x.shape, dtype, "C", x.device)
    if x.size == 0:
        return out
    if xp.size == 0:
        raise ValueError("array of sample points is empty")
    search.interpolate(
        contiguous(x, x.dtype), xp, fp, out, _end_value(left, dtype.kind), _end_value(right, dtype.kind)
    )
    return out._mark_scalar()
