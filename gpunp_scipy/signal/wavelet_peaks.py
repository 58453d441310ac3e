"""Peaks by ridges of a wavelet transform. The transform and its maxima are computed on the device."""

import math

import numpy
from scipy.signal._wavelets import _ricker

import gpunp
from gpunp.array.convert import asnumpy
from gpunp_scipy.rebinding import Rebound
from gpunp_scipy.signal.design import on_host
from gpunp_scipy.signal.wavelets import cwt

# The code that links maxima to ridges takes these instead of the transform.
_CODE = Rebound("scipy.signal._peak_finding", {"_boolrelextrema": lambda maxima, *args, **kwargs: maxima})


def _maxima(rows):
    """Which elements are greater than both neighbours in their row, as a host array.

    Only their places are copied to the host.
    """
    inner = rows[:, 1:-1]
    places = asnumpy(numpy.argwhere((inner > rows[:, 2:]) & (inner > rows[:, :-2])))
    found = numpy.zeros(rows.shape, bool)
    found[places[:, 0], places[:, 1] + 1] = True
    return found


def _noise(row, columns, size, percentage):
    """A percentile of the window around each of some columns; windows end at the ends of the row."""
    if not 0 <= percentage <= 100:
        raise ValueError(f"percentile must be in the range [0, 100], not {percentage}")
    half, odd = divmod(size, 2)
    padded = numpy.pad(row, (half, half + odd), constant_values=numpy.nan)
    # A window begins `half` samples before its column.
    places = columns[:, None] + gpunp.arange(size, device=row.device)
    return numpy.nanpercentile(padded[places], percentage, axis=1)


def _filtered(rows, lines, size, least, snr, percentage):
    """The ends, in the first row they have, of the ridges that are long and exceed the noise."""
    lines = [line for line in lines if len(line[0]) >= least]
    # As in SciPy, a list without peaks becomes an array of float64.
    none = gpunp.zeros(0, device=rows.device)
    if not lines:
        return none
    first = numpy.array([(line[0][0], line[1][0]) for line in lines])
    row, column = (gpunp.asarray(each, device=rows.device) for each in first.T)
    ratio = numpy.abs(rows[row, column] / _noise(rows[0], column, size, percentage))
    found = column[~(ratio < snr)]
    return numpy.sort(found) if found.size else none


def find_peaks_cwt(
    vector,
    widths,
    wavelet=None,
    max_distances=None,
    gap_thresh=None,
    min_length=None,
    min_snr=1,
    noise_perc=10,
    window_size=None,
):
    """Find peaks by a wavelet transform; see `scipy.signal.find_peaks_cwt`.

    The maxima of the transform are linked to ridges on the host, which their places are copied to.
    """
    vector = gpunp.asarray(vector)
    widths = numpy.atleast_1d(on_host(widths))
    gap_thresh = math.ceil(widths[0]) if gap_thresh is None else gap_thresh
    max_distances = widths / 4.0 if max_distances is None else on_host(max_distances)
    rows = cwt(vector, _ricker if wavelet is None else wavelet, widths)
    lines = _CODE["_identify_ridge_lines"](_maxima(rows), max_distances, gap_thresh)
    least = math.ceil(len(widths) / 4) if min_length is None else min_length
    size = int(math.ceil(len(vector) / 20) if window_size is None else window_size)
    return _filtered(rows, lines, size, least, min_snr, noise_perc)
