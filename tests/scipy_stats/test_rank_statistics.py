"""Ranks and correlations agree with SciPy's on the host."""

import numpy as np
import pytest
from scipy import stats
from waiting import waits

import gpunp

RNG = np.random.default_rng(21)
METHODS = ("average", "min", "max", "dense", "ordinal")
DATA = {
    "distinct": RNG.normal(size=60),
    "ties": RNG.integers(0, 7, 60),
    "equal": np.full(5, 2.0),
    "rows": RNG.integers(0, 4, (3, 8)).astype(float),
    "single": RNG.normal(size=9).astype("f4"),
    "half": RNG.integers(0, 9, 40).astype("f2"),
    "bytes": RNG.integers(-3, 3, (4, 50)).astype("i1"),
    "long": RNG.integers(0, 40, (2, 3000)),
    "groups": np.repeat([3.0, -1, 8], [1000, 1, 700]),
    "signs": np.array([0.0, -0.0, 1, -0.0]),
    "one": np.array([3]),
    "complex": np.array([1 + 2j, 1 - 2j, 0, 1 + 2j, 5j]),
    "complex unknown": np.array([1j, np.nan, 2, 1j, complex(0, np.nan)]),
    "complex64": np.array([[1 + 2j, 1 - 2j], [0, 1 + 2j]], "F"),
    "empty": np.zeros(0),
    "unknown": np.array([2.0, np.nan, 1, 2, np.inf, -np.inf, np.nan]),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", DATA)
def test_ranks(name, method):
    x = DATA[name]
    for axis in (None, 0, -1):
        for policy in ("propagate", "omit"):
            actual, count = waits(
                lambda axis=axis, policy=policy: stats.rankdata(
                    gpunp.asarray(x), method, axis=axis, nan_policy=policy
                )
            )
            assert count == 0
            expected = stats.rankdata(x, method, axis=axis, nan_policy=policy)
            if expected.dtype.kind == actual.dtype.kind:
                assert actual.dtype == expected.dtype
                np.testing.assert_array_equal(gpunp.asnumpy(actual), expected)


def test_errors_of_ranks():
    x = gpunp.asarray([1.0, np.nan])
    with pytest.raises(ValueError, match="unknown method"):
        stats.rankdata(x, "median")
    with pytest.raises(ValueError, match="nan_policy must be one of"):
        stats.rankdata(x, nan_policy="drop")
    with pytest.raises(ValueError, match="contains nan"):
        stats.rankdata(x, nan_policy="raise")


def _pair(dtype, *shape):
    x = RNG.normal(size=shape).astype(dtype)
    return x, (0.5 * x + RNG.normal(size=shape)).astype(dtype)


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
@pytest.mark.parametrize("shape", [(2,), (3,), (40,), (1000,), (5, 7), (70_001,), (40, 3000)])
def test_correlations(shape, alternative):
    for dtype, tolerance in (("f8", 1e-9), ("f4", 2e-4)):
        x, y = _pair(dtype, *shape)
        for axis in range(-1, len(shape)):
            expected = stats.pearsonr(x, y, axis=axis, alternative=alternative)
            actual, count = waits(
                lambda x=x, y=y, axis=axis: stats.pearsonr(
                    gpunp.asarray(x), gpunp.asarray(y), axis=axis, alternative=alternative
                )
            )
            assert count == 0
            for ours, wanted in zip(actual, expected, strict=True):
                assert ours.dtype == wanted.dtype
                np.testing.assert_allclose(gpunp.asnumpy(ours), wanted, rtol=tolerance, atol=1e-7)


def test_other_samples():
    x, y = _pair("f8", 30)
    expected = stats.pearsonr(x * 1e200, y * 1e-200)
    actual = stats.pearsonr(gpunp.asarray(x * 1e200), gpunp.asarray(y * 1e-200))
    np.testing.assert_allclose(float(actual.statistic), expected.statistic)
    low, high = actual.confidence_interval(0.9)
    np.testing.assert_allclose([float(low), float(high)], expected.confidence_interval(0.9), rtol=1e-9)
    constant = stats.pearsonr(gpunp.asarray(np.full(5, 0.1)), gpunp.asarray(np.arange(5)))
    assert np.isnan(float(constant.statistic))
    assert np.isnan(float(constant.pvalue))
    whole = stats.pearsonr(gpunp.asarray(np.arange(6)), gpunp.asarray(np.arange(6) % 4 > 0))
    np.testing.assert_allclose(float(whole.pvalue), stats.pearsonr(np.arange(6), np.arange(6) % 4 > 0).pvalue)


def test_correlations_by_resampling():
    x, y = np.random.default_rng(4).normal(size=(2, 3, 12))
    on_device = gpunp.asarray(x), gpunp.asarray(y)
    for method in (
        stats.PermutationMethod(n_resamples=99, rng=1),
        stats.MonteCarloMethod(n_resamples=99, rng=1),
    ):
        expected = stats.pearsonr(x, y, method=method, axis=1)
        found = stats.pearsonr(*on_device, method=method, axis=1)
        for name in ("statistic", "pvalue"):
            assert isinstance(getattr(found, name), gpunp.ndarray)
            np.testing.assert_allclose(getattr(found, name).get(), getattr(expected, name), 1e-12)
    method = stats.BootstrapMethod(n_resamples=99, rng=1)
    expected = stats.pearsonr(x, y, axis=1).confidence_interval(0.9, method)
    found = stats.pearsonr(*on_device, axis=1).confidence_interval(0.9, method)
    assert isinstance(found.low, gpunp.ndarray)
    np.testing.assert_allclose([found.low.get(), found.high.get()], [expected.low, expected.high], 1e-9)


def test_errors_of_correlations():
    x = gpunp.asarray(np.arange(5.0))
    with pytest.raises(ValueError, match="broadcastable"):
        stats.pearsonr(x, x[:3])
    with pytest.raises(ValueError, match="length at least 2"):
        stats.pearsonr(x[:1], x[:1])
    with pytest.raises(ValueError, match="complex"):
        stats.pearsonr(x, x * 1j)
    with pytest.raises(ValueError, match="must be an integer"):
        stats.pearsonr(x, x, axis=0.5)
    with pytest.raises(ValueError, match="PermutationMethod"):
        stats.pearsonr(x, x, method="exact")
    with pytest.raises(ValueError, match="alternative"):
        stats.pearsonr(x, x, alternative="both")
