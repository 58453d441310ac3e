"""The tests of Cramer and von Mises, and estimates from censored data."""

import numpy as np
import pytest
import scipy
from scipy import stats

import gpunp

RNG = np.random.default_rng(8)
X, Y = RNG.normal(size=(4, 25)), RNG.normal(0.3, 1.2, size=(4, 22))


def agree(found, expected, rtol=1e-9):
    for name in ("statistic", "pvalue"):
        one, other = getattr(found, name), getattr(expected, name)
        assert isinstance(one, gpunp.ndarray)
        assert one.shape == np.shape(other)
        np.testing.assert_allclose(one.get(), other, rtol, 1e-12)


@pytest.mark.parametrize("axis", [0, 1, None])
def test_one_sample(axis):
    data = gpunp.asarray(X)
    agree(stats.cramervonmises(data, "norm", axis=axis), stats.cramervonmises(X, "norm", axis=axis))
    options = {"args": (0.2, 1.5), "axis": axis, "keepdims": True}
    agree(
        stats.cramervonmises(data, stats.norm.cdf, **options),
        stats.cramervonmises(X, stats.norm.cdf, **options),
    )


def test_one_sample_of_other_dtypes():
    counts = np.array([1, 3, 4, 4, 9])
    expected = stats.cramervonmises(counts, "expon", args=(0, 4))
    agree(stats.cramervonmises(gpunp.asarray(counts), "expon", args=(0, 4)), expected)
    single = X[0].astype("f4")
    agree(stats.cramervonmises(gpunp.asarray(single), "norm"), stats.cramervonmises(single, "norm"), 1e-5)


@pytest.mark.parametrize("method", ["auto", "exact", "asymptotic"])
@pytest.mark.parametrize("size", [7, 22])
def test_two_samples(method, size):
    if size > 7 and method == "exact":
        pytest.skip("the exact distribution takes long")
    x, y = X[:2, :size], Y[:2, : size - 1]
    for axis in (1, -1):
        options = {"method": method, "axis": axis}
        expected = stats.cramervonmises_2samp(x, y, **options)
        agree(stats.cramervonmises_2samp(gpunp.asarray(x), gpunp.asarray(y), **options), expected)
    # With equal numbers.
    x, y = np.round(x[0]), np.round(y[0])
    expected = stats.cramervonmises_2samp(x, y, method=method)
    agree(stats.cramervonmises_2samp(gpunp.asarray(x), gpunp.asarray(y), method=method), expected)


@pytest.mark.parametrize("policy", ["omit", "propagate"])
def test_missing_values(policy):
    x = X.copy()
    x[1, 3] = np.nan
    options = {"axis": 1, "nan_policy": policy}
    agree(
        stats.cramervonmises(gpunp.asarray(x), "norm", **options), stats.cramervonmises(x, "norm", **options)
    )
    expected = stats.cramervonmises_2samp(x, Y, method="asymptotic", **options)
    found = stats.cramervonmises_2samp(gpunp.asarray(x), gpunp.asarray(Y), method="asymptotic", **options)
    agree(found, expected)


def test_errors():
    with pytest.raises(ValueError, match="exact or asymptotic"):
        stats.cramervonmises_2samp(gpunp.asarray(X[0]), gpunp.asarray(Y[0]), method="none")
    with pytest.raises(ValueError, match="nan"):
        stats.cramervonmises(gpunp.asarray([1.0, np.nan, 2.0]), "norm", nan_policy="raise")


@pytest.mark.skipif(
    np.lib.NumpyVersion(scipy.__version__) < "1.18.0", reason="SciPy 1.17 counts ranks of host arrays only"
)
def test_small_samples_have_exact_ranks():
    x, y = np.round(X[:3, :6], 3), np.round(Y[:3, :7], 3)
    for axis in (0, 1):
        samples = (x, y) if axis else (x.T, y.T)
        expected = stats.mannwhitneyu(*samples, method="exact", axis=axis)
        found = stats.mannwhitneyu(*map(gpunp.asarray, samples), method="exact", axis=axis)
        agree(found, expected)


TIMES, CENSORED = np.round(np.abs(X[0]) * 5), X[1] > 0.5


def test_censored_data():
    times, censored = gpunp.asarray(TIMES), gpunp.asarray(CENSORED)
    for make in (stats.CensoredData.right_censored, stats.CensoredData.left_censored):
        found, expected = make(times, censored), make(TIMES, CENSORED)
        assert repr(found) == repr(expected)
        assert isinstance(found._uncensored, gpunp.ndarray)
    low, high = TIMES, np.where(CENSORED, np.inf, TIMES + (X[1] > 0))
    found = stats.CensoredData.interval_censored(gpunp.asarray(low), gpunp.asarray(high))
    assert str(found) == str(stats.CensoredData.interval_censored(low, high))
    with pytest.raises(ValueError, match="must not contain nan"):
        stats.CensoredData.right_censored(gpunp.asarray([1.0, np.nan]), gpunp.asarray([True, False]))


def test_survival_functions():
    samples = stats.CensoredData.right_censored(gpunp.asarray(TIMES), gpunp.asarray(CENSORED))
    other = stats.CensoredData.right_censored(gpunp.asarray(TIMES * 2 + 1), gpunp.asarray(~CENSORED))
    on_host = stats.CensoredData.right_censored(TIMES, CENSORED)
    expected, found = stats.ecdf(on_host), stats.ecdf(samples)
    for name in ("cdf", "sf"):
        for field in ("quantiles", "probabilities"):
            one = getattr(getattr(found, name), field)
            assert isinstance(one, gpunp.ndarray)
            np.testing.assert_allclose(one.get(), getattr(getattr(expected, name), field))
    agree(
        stats.logrank(samples, other),
        stats.logrank(on_host, stats.CensoredData.right_censored(TIMES * 2 + 1, ~CENSORED)),
    )
