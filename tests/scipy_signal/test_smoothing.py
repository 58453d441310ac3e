"""Whittaker-Henderson smoothing and peaks of wavelet transforms on the device, against SciPy."""

import warnings

import numpy as np
import pytest
import scipy.signal
from signal_calls import assert_close, compare

import gpunp
from gpunp_scipy import signal

pytest.importorskip("scipy", minversion="1.18")


def noisy(rng, count):
    return np.sin(np.linspace(0, 6, count)) + 0.1 * rng.normal(size=count)


@pytest.mark.parametrize("order", [1, 2, 3, 5])
@pytest.mark.parametrize("count", [6, 7, 12, 31, 500])
@pytest.mark.parametrize("lamb", [1e-3, 10.0, 1e5])
def test_smoothing(order, count, lamb, rng):
    y, weights = noisy(rng, count), rng.uniform(0.5, 2, count)
    # Weights at as many samples as the order has to be there.
    weights[1 : 3 if count > 6 else 1] = 0
    for w in (None, weights):
        ours = signal.whittaker_henderson(gpunp.asarray(y), lamb=lamb, order=order, weights=w)
        theirs = scipy.signal.whittaker_henderson(y, lamb=lamb, order=order, weights=w)
        assert_close(ours.x, theirs.x, 1e-6 if lamb > 100 else 1e-9)
        assert ours.lamb == theirs.lamb


@pytest.mark.parametrize("order", [1, 2])
def test_the_penalty_of_the_greatest_likelihood(order, rng):
    y = noisy(rng, 200)
    ours = signal.whittaker_henderson(gpunp.asarray(y), order=order)
    theirs = scipy.signal.whittaker_henderson(y, order=order)
    assert ours.lamb == pytest.approx(theirs.lamb, rel=1e-5)
    assert_close(ours.x, theirs.x, 1e-6)


@pytest.mark.parametrize("weighted", [False, True])
def test_huge_penalties_give_a_polynomial(weighted, rng):
    y = noisy(rng, 60)
    weights = rng.uniform(1, 2, 60) if weighted else None
    for order, lamb in ((1, 1e20), (2, 1e20), (3, 1e19)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            ours = signal.whittaker_henderson(gpunp.asarray(y), lamb=lamb, order=order, weights=weights)
            theirs = scipy.signal.whittaker_henderson(y, lamb=lamb, order=order, weights=weights)
        assert_close(ours.x, theirs.x, 1e-8)


def test_a_matrix_that_is_singular_in_double_precision_warns(rng):
    with pytest.warns(UserWarning, match="numerical instability"):
        signal.whittaker_henderson(gpunp.asarray(noisy(rng, 100)), lamb=1e15, order=4)


def test_too_few_weights(rng):
    y, weights = gpunp.asarray(noisy(rng, 6)), np.array([1.0, 0, 0, 1, 1, 1])
    with pytest.warns(UserWarning, match="due to the weights"):
        found = signal.whittaker_henderson(y, lamb=10.0, order=5, weights=weights)
    assert np.isfinite(found.x).all()


def test_arguments_of_smoothing(rng):
    y = noisy(rng, 20)
    ours, theirs = signal.whittaker_henderson, scipy.signal.whittaker_henderson
    gap = np.where(np.arange(20) == 3, np.nan, y)
    present = (np.arange(20) != 3).astype(float)
    compare(ours, theirs, gap, lamb=5.0, weights=present)
    compare(ours, theirs, y, lamb=0)
    for options in (
        {"lamb": -1.0},
        {"lamb": "gcv"},
        {"order": 0},
        {"order": 30},
        {"lamb": 1.0, "weights": np.ones(3)},
        {"lamb": 1.0, "weights": np.full(20, np.inf)},
    ):
        compare(ours, theirs, y, **options)
    compare(ours, theirs, gap, lamb=5.0)
    compare(ours, theirs, gap, lamb=5.0, weights=np.ones(20))
    compare(ours, theirs, y.reshape(4, 5), lamb=5.0)


def test_peaks_of_wavelet_transforms(rng):
    places = np.arange(400.0)
    x = sum(np.exp(-(((places - center) / 8) ** 2)) for center in (40, 130, 150, 333))
    x = x + 0.02 * rng.normal(size=400)
    ours, theirs = signal.find_peaks_cwt, scipy.signal.find_peaks_cwt
    widths = np.arange(2, 20)
    compare(ours, theirs, x, widths)
    compare(ours, theirs, x, widths, min_snr=3, noise_perc=50, window_size=31)
    compare(ours, theirs, x, widths, max_distances=np.full(18, 2.0), gap_thresh=1, min_length=3)
    compare(ours, theirs, x.astype(np.float32), widths, wavelet=scipy.signal._wavelets._ricker)
    compare(ours, theirs, np.zeros(50), widths)
    compare(ours, theirs, x[:60], widths[:3], min_snr=1e9)
