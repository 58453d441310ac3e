"""``nan_policy`` of statistics over axes, for arrays of one and several dimensions."""

import warnings

import numpy as np
import pytest
from scipy import stats

import gpunp

pytest.importorskip("scipy", minversion="1.18")

ROWS = np.random.default_rng(5).gamma(2.0, size=(3, 12))
ROWS[0, 3] = ROWS[2, 0] = ROWS[2, 5] = np.nan
NAMES = (
    "circmean circstd circvar entropy gmean hmean iqr kstat kstatvar kurtosis median_abs_deviation mode "
    "moment sem skew skewtest tmax tmean tmin tsem tstd tvar variation"
)
CALLS = {
    **{name: {} for name in NAMES.split()},
    "kurtosistest": {},
    "pmean": {"p": 1.5},
    "trim_mean": {"proportiontocut": 0.1},
    "ttest_1samp": {"popmean": 1.0},
    "bartlett": {"samples": 2},
    "f_oneway": {"samples": 2},
    "chatterjeexi": {"samples": 2},
    "kruskal": {"samples": 2},
    "ks_2samp": {"samples": 2},
    "mood": {"samples": 2},
    "ttest_ind": {"samples": 2},
    "ttest_rel": {"samples": 2},
    "wilcoxon": {"samples": 2, "method": "asymptotic"},
}


def _call(name, lib, data, **options):
    options = {**CALLS[name], **options}
    samples = [lib(data), lib(data[::-1] ** 2 + 0.5)][: options.pop("samples", 1)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = getattr(stats, name)(*samples, **options)
    return found if isinstance(found, tuple) else (found,)


@pytest.mark.parametrize("policy", ["omit", "propagate"])
@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("axis", [1, -1, None])
def test_values(name, policy, axis):
    expected = _call(name, np.asarray, ROWS, axis=axis, nan_policy=policy)
    found = _call(name, gpunp.asarray, ROWS, axis=axis, nan_policy=policy)
    for one, other in zip(found, expected, strict=True):
        assert isinstance(one, gpunp.ndarray)
        assert one.shape == other.shape
        np.testing.assert_allclose(gpunp.asnumpy(one), other, rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("data", [ROWS, ROWS[0], ROWS[:, None]])
def test_missing_values_raise(name, data):
    with pytest.raises(ValueError, match="nan"):
        _call(name, gpunp.asarray, data, axis=-1, nan_policy="raise")
    _call(name, gpunp.asarray, np.nan_to_num(data, nan=1.0), axis=-1, nan_policy="raise")


@pytest.mark.parametrize("char", "fd")
def test_dtypes_and_dimensions_that_stay(char):
    data = ROWS.astype(char)
    expected = stats.sem(data, axis=(0, 1), nan_policy="omit", keepdims=True)
    found = stats.sem(gpunp.asarray(data), axis=(0, 1), nan_policy="omit", keepdims=True)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    np.testing.assert_allclose(found.get(), expected, rtol=1e-5)


def test_a_policy_by_position():
    expected = stats.sem(ROWS, 1, 1, "omit")
    np.testing.assert_allclose(stats.sem(gpunp.asarray(ROWS), 1, 1, "omit").get(), expected)


def test_the_most_frequent_of_nothing():
    empty = np.zeros((0, 3), "i4")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected, found = stats.mode(empty), stats.mode(gpunp.asarray(empty))
    assert found.count.dtype == expected.count.dtype
    np.testing.assert_array_equal(found.count.get(), expected.count)


@pytest.mark.parametrize("axis", [1, 0, None])
@pytest.mark.parametrize("bias", [True, False])
def test_descriptions(axis, bias):
    options = {"axis": axis, "bias": bias, "nan_policy": "omit", "ddof": 0}
    expected, found = stats.describe(ROWS, **options), stats.describe(gpunp.asarray(ROWS), **options)
    assert found._fields == expected._fields
    for one, other in zip(
        (found.nobs, *found.minmax, *found[2:]), (expected.nobs, *expected.minmax, *expected[2:]), strict=True
    ):
        assert isinstance(one, gpunp.ndarray)
        # Masked arrays on the host; skewnesses of symmetric columns are rounding errors.
        np.testing.assert_allclose(one.get(), np.asarray(other), rtol=1e-9, atol=1e-15)
    whole = np.nan_to_num(ROWS, nan=1.0)
    same = stats.describe(gpunp.asarray(whole), **options)
    np.testing.assert_allclose(same.variance.get(), stats.describe(whole, **options).variance)
