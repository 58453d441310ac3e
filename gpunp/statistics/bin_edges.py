"""Edges of histogram bins: from the data, from a range, or given by the caller."""

import functools
import operator

import numpy

from gpunp.array.convert import asarray, asnumpy
from gpunp.array.dtype import as_dtype
from gpunp.array.ndarray import ndarray
from gpunp.statistics import binning

FLOAT64 = numpy.dtype(numpy.float64)
# Scalar types that alone determine the result dtypes, if the values are not large integers.
_PLAIN = (int, float)
_LARGE = 2**62
# The dtypes in which edges and values are compared, by kind.
_COMPARED = {"f": FLOAT64, "i": numpy.dtype(numpy.int64), "u": numpy.dtype(numpy.uint64)}


def host_scalar(value):
    """Return a scalar on the host; a device scalar is copied there."""
    return asnumpy(value)[()] if isinstance(value, ndarray) else value


def as_data(name, values, device=None):
    """Convert the values to count to a device array of integers or floats."""
    values = asarray(values, device=device)
    if values.dtype.kind == "b":
        return values.astype(numpy.uint8)
    if values.dtype.kind == "c":
        raise TypeError(
            f"{name}: the values are {values.dtype}; complex numbers have no bins, use values.real or "
            "numpy.abs(values)"
        )
    return values


def unsigned_difference(high, low):
    """high - low of scalars; unsigned for integers, as the difference of signed ones may overflow."""
    dtype = numpy.result_type(high, low)
    if dtype.kind != "i":
        return numpy.subtract(high, low, dtype=dtype)
    unsigned = numpy.dtype(f"u{dtype.itemsize}")
    return numpy.subtract(
        numpy.asarray(high, dtype), numpy.asarray(low, dtype), casting="unsafe", dtype=unsigned
    )


def checked_range(range):
    """Check a range argument and return its ends as distinct host scalars."""
    first, last = map(host_scalar, range)
    if first > last:
        raise ValueError("max must be larger than min in range parameter.")
    if not (numpy.isfinite(first) and numpy.isfinite(last)):
        raise ValueError(f"supplied range of [{first}, {last}] is not finite")
    return moved_apart(first, last)


def moved_apart(first, last):
    """Widen equal outer edges by one half on each side."""
    return (first - 0.5, last + 0.5) if first == last else (first, last)


def edge_dtype(first, last, dtype):
    """NumPy's dtype of the edges of uniform bins."""
    found = numpy.result_type(first, last, numpy.empty(1, dtype))
    if found.kind in "biu":
        found = numpy.result_type(found, float)
    if found.kind == "c":
        raise TypeError("histogram: the range is complex; use real numbers")
    return as_dtype(found)


def _range_dtypes(first, last, dtype):
    """The dtypes of linspace, of the edges and of the division, for data of dtype ``dtype``."""
    line = as_dtype(numpy.linspace(first, last, 2).dtype)
    edge = line if dtype is None else edge_dtype(first, last, dtype)
    width = unsigned_difference(last, first)
    return line, edge, as_dtype(numpy.result_type(numpy.empty(1, edge), width))


@functools.lru_cache(maxsize=256)
def _dtypes_of_types(first, last, dtype):
    return _range_dtypes(first(0), last(1), dtype)


def uniform_from_range(first, last, bins, dtype, device, check):
    """Edges and record of equal bins between host scalars; ``dtype`` is the data's, None for linspace's."""
    if type(first) in _PLAIN and type(last) in _PLAIN and first > -_LARGE and last < _LARGE:
        # The dtypes depend on the types alone, and Python's difference equals NumPy's.
        line, edge, division = _dtypes_of_types(type(first), type(last), dtype)
        width = last - first
    else:
        with numpy.errstate(all="ignore"):
            line, edge, division = _range_dtypes(first, last, dtype)
            width = unsigned_difference(last, first)
    return binning.uniform_edges(
        None, float(first), float(last), float(width), bins, line, edge, division, check, device
    )


def uniform_from_data(values, bins, check):
    """Edges and record of equal bins over the values, which never leave the device."""
    dtype = values.dtype if values.dtype.kind == "f" else FLOAT64
    return binning.uniform_edges(binning.extent(values), 0, 0, 0, bins, dtype, dtype, dtype, check)


def explicit_edges(bins, device, message):
    """Return given edges on the device, and whether a kernel must check that they do not decrease.

    Edges on the host are checked here; those on the device are reported through the status word.
    """
    if isinstance(bins, ndarray):
        return bins, True
    host = numpy.asarray(bins)
    if numpy.any(host[:-1] > host[1:]):
        raise ValueError(message)
    return asarray(host, device=device), False


def comparable(edges, dtype, check=False):
    """Edges as float64, int64 or uint64: the dtype in which they are compared with values of ``dtype``."""
    common = numpy.promote_types(edges.dtype, dtype)
    if common.kind == "c":
        raise TypeError(f"histogram: the bins are {edges.dtype}; use real edges")
    compared = edges.astype(_COMPARED.get(common.kind, _COMPARED["u"]), copy=False)
    if not compared.flags.c_contiguous:
        compared = compared.copy()
    if check:
        binning.check_edges(compared)
    return compared


def bin_count(bins, integer_message, positive_message):
    """Return a number of bins as an int, or raise for one that is not an integer in [1, 2**31)."""
    try:
        count = operator.index(bins)
    except TypeError as error:
        raise TypeError(integer_message) from error
    if count < 1:
        raise ValueError(positive_message)
    if count >= 2**31:
        raise ValueError(f"histogram: {count} bins are more than 2**31 - 1; use fewer")
    return count
