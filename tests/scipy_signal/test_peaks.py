"""Peaks and their properties, against SciPy."""

import numpy as np
import pytest
import scipy.signal
from signal_calls import assert_close, both, compare, values

import gpunp
from gpunp_scipy import signal


def signals(rng):
    """Noise, plateaus, waves, constants, and signals too short for a peak."""
    wave = np.sin(np.linspace(0, 40, 900)) + 0.3 * np.sin(np.linspace(0, 700, 900))
    with_nan = values(rng, 60, "d")
    with_nan[[10, 33]] = np.nan
    return [
        values(rng, 800, "d"),
        rng.integers(0, 4, 500).astype("f"),
        rng.integers(0, 50, 300),
        wave,
        with_nan,
        np.ones(20),
        np.ones(2),
        np.zeros(0),
        np.arange(30.0),
    ]


CONDITIONS = [
    {},
    {"height": 0.5},
    {"height": (0.1, 1.5), "threshold": 0.1},
    {"threshold": (None, 0.8)},
    {"prominence": 0.7},
    {"prominence": (0.2, 2), "wlen": 21},
    {"width": 2},
    {"width": (1, 5), "rel_height": 0.8, "prominence": 0.1},
    {"plateau_size": (2, 4)},
    {"distance": 5},
    {"distance": 33.5, "height": 0.1, "prominence": 0.1},
]


@pytest.mark.parametrize("conditions", CONDITIONS)
def test_find_peaks(conditions, rng):
    for x in signals(rng):
        if "distance" in conditions and x.dtype != np.float64:
            # SciPy's choice among peaks of equal height depends on its sort.
            continue
        compare(*both("find_peaks"), x, **conditions)
    compare(*both("find_peaks"), x, distance=0.5)
    compare(*both("find_peaks"), np.ones((3, 3)), **conditions)
    heights = signals(rng)[0] * 0.5
    compare(*both("find_peaks"), signals(rng)[0], **{**conditions, "height": 0.3})
    assert heights.size == 800


def test_borders_of_conditions(rng):
    x = values(rng, 200, "d")
    device = gpunp.asarray(x)
    for conditions in ({"height": (x * 0.9, None)}, {"height": x - 0.1, "threshold": (None, x + 2)}):
        compare(*both("find_peaks"), x, **conditions)
        # Borders on the host are uploaded.
        expected = scipy.signal.find_peaks(x, **conditions)
        assert_close(scipy.signal.find_peaks(device, **conditions), expected)
    compare(*both("find_peaks"), x, height=x[:-1])
    # Scalars of the device are numbers.
    expected = scipy.signal.find_peaks(x, height=x.mean(), prominence=(x.std(), x.max()), distance=2)
    found = scipy.signal.find_peaks(
        device, height=device.mean(), prominence=(device.std(), device.max()), distance=2
    )
    assert_close(found, expected)


def test_distance_of_a_staircase():
    # Each peak waits for the next one's decision.
    x = np.zeros(400)
    x[1::2] = np.arange(200) + 1.0
    compare(*both("find_peaks"), x, distance=3)
    compare(*both("find_peaks"), x, distance=90)


@pytest.mark.parametrize("wlen", [None, 2, 9, 40.5, 2000])
def test_prominences_and_widths(wlen, rng):
    for x in signals(rng)[:4]:
        peaks = scipy.signal.find_peaks(x)[0]
        compare(*both("peak_prominences"), x, peaks, wlen)
        for height in (0.0, 0.5, 1.0):
            compare(*both("peak_widths"), x, peaks, height, wlen=wlen)
    data = scipy.signal.peak_prominences(x, peaks)
    compare(*both("peak_widths"), x, peaks, 0.3, data)


def test_bad_peaks():
    x = np.sin(np.arange(50.0))
    for peaks in ([60], [-1], [1.5], [[1]]):
        compare(*both("peak_prominences"), x, np.array(peaks))
    compare(*both("peak_prominences"), x, np.array([2]), 1)
    compare(*both("peak_widths"), x, np.array([2]), -0.5)
    bases = np.array([3]), np.array([1])
    compare(*both("peak_widths"), x, np.array([2]), 0.5, (np.array([0.5]), *bases))
    compare(*both("peak_prominences"), x, np.array([], int))


def test_warning_of_no_prominence():
    x = gpunp.asarray(np.arange(5.0))
    with pytest.warns(scipy.signal._peak_finding_utils.PeakPropertyWarning):
        signal.peak_prominences(x, gpunp.asarray([2]))


@pytest.mark.parametrize("mode", ["clip", "wrap"])
@pytest.mark.parametrize("axis", [0, 1])
def test_relative_extrema(axis, mode, rng):
    for char in "di":
        x = values(rng, (20, 30), char)
        for order in (1, 3):
            compare(*both("argrelmax"), x, axis=axis, order=order, mode=mode)
            compare(*both("argrelmin"), x, axis=axis, order=order, mode=mode)
            compare(*both("argrelextrema"), x, np.greater_equal, axis=axis, order=order, mode=mode)
    compare(*both("argrelmax"), x, order=0)
