"""Filters forwards and backwards, resampling, smoothing and detrending, against SciPy."""

import numpy as np
import pytest
import scipy.signal
from signal_calls import both, compare, values

import gpunp


@pytest.mark.parametrize("padtype", ["odd", "even", "constant", None])
@pytest.mark.parametrize("char", "fdD")
def test_forwards_and_backwards(char, padtype, rng):
    x = values(rng, (4, 120), char)
    b, a = scipy.signal.butter(3, 0.2)
    sos = scipy.signal.cheby1(5, 0.5, 0.3, output="sos")
    compare(*both("filtfilt"), b, a, x, padtype=padtype)
    compare(*both("sosfiltfilt"), sos, x, padtype=padtype)
    if padtype:
        compare(*both("filtfilt"), b, a, x.T, axis=0, padtype=padtype, padlen=30)
        compare(*both("sosfiltfilt"), sos, x.T, axis=0, padtype=padtype, padlen=30)
    # Too short.
    compare(*both("filtfilt"), b, a, x[:, :5], padtype=padtype, padlen=9)
    compare(*both("sosfiltfilt"), sos, x[:, :5])


@pytest.mark.parametrize("irlen", [None, 40])
def test_gustafsson(irlen, rng):
    b, a = scipy.signal.butter(3, 0.3)
    for x in (values(rng, 200, "d"), values(rng, (3, 200), "d")):
        compare(*both("filtfilt"), b, a, x, method="gust", irlen=irlen, tolerance=1e-8)
    compare(*both("filtfilt"), b, a, x, method="none")


@pytest.mark.parametrize("mode", ["interp", "mirror", "constant", "nearest", "wrap"])
@pytest.mark.parametrize("axis", [0, -1])
def test_savgol(axis, mode, rng):
    for char in "fdi":
        x = values(rng, (31, 40), char)
        for length, order, deriv in ((7, 3, 0), (8, 2, 1), (9, 4, 2)):
            options = {"deriv": deriv, "axis": axis, "mode": mode, "cval": 1.5, "delta": 0.5}
            tolerance = 1e-4 if char == "f" else None
            compare(*both("savgol_filter"), x, length, order, **options, tolerance=tolerance)
    compare(*both("savgol_filter"), x, 99, 3, mode=mode if mode == "interp" else "none")


@pytest.mark.parametrize("type", ["linear", "constant"])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_detrend(axis, type, rng):
    for char in "fdDi":
        x = values(rng, (31, 40), char) + np.linspace(0, 5, 40).astype("f")
        x = x.astype(char)
        compare(*both("detrend"), x, axis=axis, type=type)
        compare(*both("detrend"), x, axis=axis, type=type, bp=[5, 17])
        compare(*both("detrend"), x, axis=axis, type=type, overwrite_data=True)
    compare(*both("detrend"), x, axis=axis, type="other")
    compare(*both("detrend"), x, axis=axis, bp=77)
    compare(*both("detrend"), x[:1, :1], axis=axis)


MODES = ["constant", "wrap", "edge", "smooth", "symmetric", "reflect", "antisymmetric", "antireflect", "line"]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("up", "down"), [(1, 1), (3, 2), (2, 5), (7, 1), (1, 3)])
def test_upfirdn(up, down, mode, rng):
    for char, taps in (("f", 5), ("d", 16), ("D", 7), ("d", 2), ("i", 3)):
        h = values(rng, taps, "D" if taps == 7 else "f" if char == "f" else "d")
        x = values(rng, (3, 60), char)
        compare(*both("upfirdn"), h, x, up, down, mode=mode)
        compare(*both("upfirdn"), h, x.T, up, down, axis=0, mode=mode)
    compare(*both("upfirdn"), h.real, x.astype("F"), up, down, cval=2.5)


def test_upfirdn_of_one_sample(rng):
    """Through which there is no line."""
    for mode in ("line", "antisymmetric", "edge"):
        compare(*both("upfirdn"), np.array([1.0, 2.0, 3.0]), values(rng, (4, 1), "d"), mode=mode)


def test_upfirdn_of_bad_input(rng):
    x = values(rng, 9, "d")
    compare(*both("upfirdn"), np.ones((2, 2)), x)
    compare(*both("upfirdn"), np.ones(2), x, 0, 1)
    compare(*both("upfirdn"), np.ones(2), x, mode="none")
    compare(*both("upfirdn"), np.ones(0), x)


@pytest.mark.parametrize(("shape", "axis"), [((3, 0), 1), ((0, 3), 0), ((0, 3), 1), ((0,), 0)], ids=str)
@pytest.mark.parametrize(("up", "down"), [(1, 1), (2, 3), (5, 1)])
def test_upfirdn_without_samples(up, down, shape, axis):
    for taps in (2, 5, 9):
        for char in "fD":
            compare(*both("upfirdn"), np.ones(taps), np.zeros(shape, char), up, down, axis=axis)
            compare(*both("resample_poly"), np.zeros(shape, char), up, down, axis=axis)


@pytest.mark.parametrize("padtype", ["constant", "line", "mean", "median", "maximum", "minimum", "edge"])
@pytest.mark.parametrize(("up", "down"), [(3, 2), (2, 3), (5, 1), (1, 4), (4, 2)])
def test_resample_poly(up, down, padtype, rng):
    for char in "fdD" if padtype in ("constant", "line", "edge") else "fd":
        x = values(rng, (60, 3), char)
        compare(*both("resample_poly"), x, up, down, padtype=padtype)
        compare(*both("resample_poly"), x.T, up, down, axis=1, padtype=padtype)
    compare(*both("resample_poly"), x, up, down, window=rng.normal(size=21))
    compare(*both("resample_poly"), x, up, 1.5)


@pytest.mark.parametrize("num", [10, 25, 40, 41, 77])
def test_resample(num, rng):
    for char in "dD":
        x = values(rng, (40, 3), char)
        compare(*both("resample"), x, num)
        compare(*both("resample"), x[:39].T, num, axis=1)
        compare(*both("resample"), x, num, window="hamming")
        compare(*both("resample"), x, num, domain="freq")
        compare(*both("resample"), x, num, t=np.linspace(0, 1, 40))
    compare(*both("resample"), x, num, domain="none")


@pytest.mark.parametrize("ftype", ["iir", "fir"])
@pytest.mark.parametrize("zero_phase", [True, False])
def test_decimate(zero_phase, ftype, rng):
    for char in "fdi":
        x = values(rng, (3, 200), char)
        options = {"ftype": ftype, "zero_phase": zero_phase, "tolerance": 1e-4 if char == "f" else 1e-9}
        compare(*both("decimate"), x, 4, **options)
        compare(*both("decimate"), x.T, 3, n=5, axis=0, **options)


@pytest.mark.parametrize("char", "eBhF")
def test_wiener_of_other_dtypes(char, rng):
    # Products in single precision are rounded once or twice.
    tolerance = 1e-5 if char == "F" else 1e-8
    compare(*both("wiener"), values(rng, (9, 12), char), (4, 3), tolerance=tolerance)


def test_wiener_of_a_single_value():
    for noise in (None, 0.5):
        compare(*both("wiener"), np.array(2.5), 3, noise, tolerance=1e-12)


def test_wiener(rng):
    for shape in ((40,), (30, 20), (5, 6, 7)):
        x = values(rng, shape, "d")
        compare(*both("wiener"), x, tolerance=1e-8)
        compare(*both("wiener"), x, 5, tolerance=1e-8)
        compare(*both("wiener"), x, 3, 0.2, tolerance=1e-8)
        compare(*both("wiener"), x, 4, tolerance=1e-8)


def test_deconvolve(rng):
    divisor = np.array([1.0, 0.5, 0.2])
    compare(*both("deconvolve"), np.convolve(divisor, values(rng, 20, "d")), divisor)
    compare(*both("deconvolve"), divisor, np.ones(9))
    compare(*both("deconvolve"), np.ones((2, 2)), divisor)


def test_lfiltic(rng):
    b, a = scipy.signal.butter(4, 0.3)
    y, x = values(rng, 4, "d"), values(rng, 3, "d")
    compare(*both("lfiltic"), b, a, y)
    compare(*both("lfiltic"), b, 2 * a, y, x)


def test_vectorstrength(rng):
    events = np.sort(rng.uniform(0, 30, 50))
    compare(*both("vectorstrength"), events, 3.5)
    compare(*both("vectorstrength"), events, np.array([0.5, 3.5]))
    compare(*both("vectorstrength"), events, -1.0)


def test_steady_states():
    b, a = scipy.signal.butter(5, 0.3)
    compare(*both("lfilter_zi"), b, 2 * a)
    compare(*both("lfilter_zi"), b, 0 * a)
    compare(*both("sosfilt_zi"), scipy.signal.butter(5, 0.3, output="sos"))
    compare(*both("sosfilt_zi"), b)


def test_savgol_with_steps_of_numpy_and_of_the_device(rng):
    x = values(rng, (2, 40), "d")
    for mode in ("interp", "nearest"):
        expected = scipy.signal.savgol_filter(x, 7, 3, 1, np.float64(0.25), mode=mode)
        for delta in (np.float64(0.25), gpunp.sum(gpunp.asarray(0.25))):
            actual = scipy.signal.savgol_filter(gpunp.asarray(x), 7, 3, 1, delta, mode=mode)
            np.testing.assert_allclose(actual.get(), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("mode", ["mirror", "nearest", "wrap", "constant"])
def test_savgol_of_nothing(mode):
    for shape, axis in (((3, 0), -1), ((0, 3), 0), ((0, 3), 1)):
        compare(*both("savgol_filter"), np.zeros(shape), 3, 1, mode=mode, axis=axis)
