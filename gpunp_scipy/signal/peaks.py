"""Peaks of signals and their properties: SciPy's code, with kernels in place of its compiled loops."""

import math
import warnings

import numpy
from scipy.signal._peak_finding_utils import PeakPropertyWarning

import gpunp
from gpunp_scipy.rebinding import Rebound
from gpunp_scipy.signal import peak_kernels as kernels

# Rounds of the selection by distance between two questions whether a peak is still undecided.
_ROUNDS = 8


def _local_maxima_1d(x):
    """The middles of maxima and their first and last samples."""
    starts = numpy.flatnonzero(x[1:] != x[:-1]) + 1
    left, right = starts[:-1], starts[1:] - 1
    top = x[left]
    found = numpy.flatnonzero((x[left - 1] < top) & (x[right + 1] < top))
    left, right = left[found], right[found]
    return (left + right) // 2, left, right


def _select_by_peak_distance(peaks, priority, distance):
    """Which peaks remain if the highest remove others that are nearer than a distance."""
    if peaks.size == 0:
        return gpunp.ones(0, bool, device=peaks.device)
    ranks = numpy.argsort(numpy.argsort(priority, kind="stable"), kind="stable")
    peaks = gpunp.ascontiguousarray(peaks)
    states = gpunp.zeros(peaks.size, numpy.int8, device=peaks.device)
    undecided = gpunp.zeros(1, numpy.int32, device=peaks.device)
    while True:
        for _ in range(_ROUNDS):
            undecided[...] = 0
            kernels.decide(peaks, ranks, states, undecided, math.ceil(distance))
        if not undecided.item():
            return states == 1


def _unpack_condition_args(interval, x, peaks):
    """The lower and the upper border of a condition: numbers, also those of the device, or one per peak."""
    try:
        borders = tuple(interval)
    except TypeError:
        borders = ()
    borders = borders if len(borders) == 2 else (interval, None)
    found = []
    for name, border in zip(("lower", "upper"), borders, strict=True):
        if isinstance(border, gpunp.ndarray | numpy.ndarray) and not getattr(border, "_is_scalar", False):
            if border.size != x.size:
                raise ValueError(f"array size of {name} interval border must match x")
            border = gpunp.asarray(border, device=x.device)[peaks]
        found.append(border)
    return tuple(found)


def _on_device(x, values, dtype):
    return gpunp.ascontiguousarray(gpunp.asarray(values, dtype, device=x.device))


def _peak_prominences(x, peaks, wlen):
    """Prominences and the bases on both sides."""
    x, peaks = gpunp.ascontiguousarray(x), _on_device(x, peaks, numpy.int64)
    out = gpunp.zeros(peaks.size, device=x.device)
    left, right = (gpunp.zeros(peaks.size, numpy.int64, device=x.device) for _ in range(2))
    invalid = gpunp.zeros(1, numpy.int32, device=x.device)
    kernels.prominences(x, peaks, out, left, right, invalid, wlen // 2 if wlen >= 2 else x.size)
    if _failed(invalid, out):
        raise ValueError("a peak is not a valid index for `x`")
    return out, left, right


def _failed(invalid, out):
    """Whether a kernel reported invalid input; warns if a result is zero."""
    flags = numpy.concatenate([invalid != 0, numpy.any(out == 0, keepdims=True)]).get()
    if flags[1] and not flags[0]:
        warnings.warn("some peaks have a prominence or a width of 0", PeakPropertyWarning, stacklevel=4)
    return bool(flags[0])


def _peak_widths(x, peaks, rel_height, prominences, left_bases, right_bases):
    """Widths, their heights, and the ends on both sides."""
    if rel_height < 0:
        raise ValueError("`rel_height` must be greater or equal to 0.0")
    x, peaks = gpunp.ascontiguousarray(x), _on_device(x, peaks, numpy.int64)
    prominences = _on_device(x, prominences, numpy.float64)
    left_bases, right_bases = (_on_device(x, bases, numpy.int64) for bases in (left_bases, right_bases))
    if not peaks.shape == prominences.shape == left_bases.shape == right_bases.shape:
        raise ValueError("arrays in `prominence_data` must have the same shape as `peaks`")
    out = gpunp.zeros((4, peaks.size), device=x.device)
    invalid = gpunp.zeros(1, numpy.int32, device=x.device)
    kernels.widths(x, peaks, prominences, left_bases, right_bases, invalid, rel_height, out)
    if _failed(invalid, out[0]):
        raise ValueError("prominence data is invalid for a peak")
    return tuple(out)


_CODE = Rebound(
    "scipy.signal._peak_finding",
    {
        "_local_maxima_1d": _local_maxima_1d,
        "_peak_prominences": _peak_prominences,
        "_peak_widths": _peak_widths,
        "_select_by_peak_distance": _select_by_peak_distance,
        "_unpack_condition_args": _unpack_condition_args,
    },
)

find_peaks = _CODE.public("find_peaks", __name__)
peak_prominences = _CODE.public("peak_prominences", __name__)
peak_widths = _CODE.public("peak_widths", __name__)
argrelextrema = _CODE.public("argrelextrema", __name__)
argrelmax = _CODE.public("argrelmax", __name__)
argrelmin = _CODE.public("argrelmin", __name__)
