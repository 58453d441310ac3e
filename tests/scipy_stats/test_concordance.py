"""Kendall's rank correlation agrees with SciPy's on the host."""

import inspect
import warnings

import numpy as np
import pytest
from scipy import stats
from waiting import waits

import gpunp
from gpunp_scipy.stats.concordance import inversions

HAS_AXIS = "axis" in inspect.signature(stats.kendalltau).parameters

RNG = np.random.default_rng(51)
X = RNG.normal(size=300)
SAMPLES = {
    "distinct": (X, 0.5 * X + RNG.normal(size=300)),
    "small": (X[:20], X[20:40]),
    "sorted": (np.arange(40.0), np.arange(40)),
    "reversed": (np.arange(40), -np.arange(40.0)),
    "ties": (RNG.integers(0, 5, 200), RNG.integers(0, 7, 200)),
    "matrix": (X.reshape(3, 100), RNG.normal(size=(3, 100))),
    "two": (np.array([1.0, 2]), np.array([3.0, 1])),
    "constant": (np.ones(5), np.arange(5.0)),
    "unknown": (np.array([1.0, np.nan, 3]), np.arange(3.0)),
    "single": (X.astype("f4"), (X**3 - X).astype("f4")),
}


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64, 65, 1000])
def test_inversions(size):
    values = RNG.integers(0, size, size)
    expected = sum(int((values[:i] > values[i]).sum()) for i in range(size))
    actual, count = waits(lambda: inversions(gpunp.asarray(values)))
    assert float(actual) == expected
    assert count == 0


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
@pytest.mark.parametrize("variant", ["b", "c"])
@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.filterwarnings("ignore")
def test_values(name, variant, alternative):
    x, y = SAMPLES[name]
    keywords = {"variant": variant, "alternative": alternative}
    for method in ("auto", "asymptotic"):
        if name == "two" and method == "asymptotic":
            continue
        expected = stats.kendalltau(x, y, method=method, **keywords)
        actual = stats.kendalltau(gpunp.asarray(x), gpunp.asarray(y), method=method, **keywords)
        tolerance = 1e-6 if name == "single" else 1e-11
        for ours, wanted in zip(actual, expected, strict=True):
            np.testing.assert_allclose(float(ours), wanted, rtol=tolerance)
        np.testing.assert_allclose(float(actual.correlation), expected.correlation, rtol=tolerance)


@pytest.mark.parametrize("nan_policy", ["propagate", "omit"])
@pytest.mark.parametrize("x", [[], [1.0], [1.0, np.nan]])
def test_warning_of_small_samples(x, nan_policy):
    """Of SciPy's releases that have it: where samples, or what is left of them, are too small."""
    results, messages = [], []
    for samples in ((np.array(x), np.ones(len(x))), (gpunp.asarray(x), gpunp.ones(len(x)))):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            results.append([float(each) for each in stats.kendalltau(*samples, nan_policy=nan_policy)])
        texts = [(each.category, str(each.message)) for each in caught]
        messages.append([each for each in texts if "sample" in each[1]])
    np.testing.assert_equal(results[1], results[0])
    assert messages[1] == messages[0]


def test_waits_and_errors():
    x, y = map(gpunp.asarray, SAMPLES["ties"])
    assert waits(lambda: stats.kendalltau(x, y))[1] <= 2
    holes = SAMPLES["ties"][0].astype(float)
    holes[::7] = np.nan
    actual = stats.kendalltau(gpunp.asarray(holes), y, nan_policy="omit")
    expected = stats.kendalltau(holes, SAMPLES["ties"][1], nan_policy="omit")
    np.testing.assert_allclose([float(each) for each in actual], expected, rtol=1e-11)
    with pytest.raises(ValueError, match="alternative"):
        stats.kendalltau(x, y, alternative="both")
    with pytest.raises(ValueError, match="nan_policy"):
        stats.kendalltau(x, y, nan_policy="drop")
    with pytest.raises(ValueError, match="Ties found"):
        stats.kendalltau(x, y, method="exact")
    with pytest.raises(ValueError, match="Unknown `method`"):
        stats.kendalltau(x, y, method="best")
    with pytest.raises(ValueError, match="variant"):
        stats.kendalltau(x, y, variant="a")
    with pytest.raises(ValueError, match="incompatible"):
        stats.kendalltau(x, y[:5])
    with pytest.raises(ValueError, match="nan values"):
        stats.kendalltau(*map(gpunp.asarray, SAMPLES["unknown"]), nan_policy="raise")


def _agree(found, expected):
    for name in ("statistic", "pvalue"):
        one, other = gpunp.asnumpy(getattr(found, name)), getattr(expected, name)
        assert (one.shape, one.dtype) == (np.shape(other), np.asarray(other).dtype)
        np.testing.assert_allclose(one, other, rtol=1e-10)


@pytest.mark.skipif(not HAS_AXIS, reason="this SciPy's kendalltau flattens samples")
@pytest.mark.parametrize("axis", [0, 1, -1, None])
@pytest.mark.parametrize("keepdims", [False, True])
def test_axes(axis, keepdims):
    x, y = np.random.default_rng(6).normal(size=(2, 5, 7))
    keywords = {"axis": axis, "keepdims": keepdims, "alternative": "less"}
    found = stats.kendalltau(gpunp.asarray(x), gpunp.asarray(y), **keywords)
    _agree(found, stats.kendalltau(x, y, **keywords))
    with pytest.raises(np.exceptions.AxisError):
        stats.kendalltau(gpunp.asarray(x), gpunp.asarray(y), axis=5)
