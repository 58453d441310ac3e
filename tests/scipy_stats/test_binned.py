"""Statistics of values in bins agree with SciPy's on the host."""

import numpy as np
import pytest
from scipy import stats
from waiting import waits

import gpunp

RNG = np.random.default_rng(11)
X, Y, Z = RNG.normal(size=(3, 300))
VALUES = RNG.normal(size=(2, 300))
NAMES = ("mean", "median", "count", "sum", "std", "min", "max")


def _agree(actual, expected):
    for ours, wanted in zip(actual, expected, strict=True):
        if isinstance(wanted, list | tuple):
            _agree(ours, wanted)
            continue
        assert isinstance(ours, gpunp.ndarray)
        assert ours.dtype == wanted.dtype
        np.testing.assert_allclose(gpunp.asnumpy(ours), wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("statistic", [*NAMES, np.mean, np.median])
def test_one_dimension(statistic):
    x, values = gpunp.asarray(X), gpunp.asarray(VALUES)
    _agree(stats.binned_statistic(x, values, statistic), stats.binned_statistic(X, VALUES, statistic))
    found, count = waits(lambda: stats.binned_statistic(x, values[0], statistic, 25, (-1, 2)))
    assert count == 1
    _agree(found, stats.binned_statistic(X, VALUES[0], statistic, 25, (-1, 2)))
    for bins in ([-2, 0, 0.5, 3], np.array([-1.0, 1]), [4.0]):
        _agree(
            stats.binned_statistic(x, values, statistic, bins),
            stats.binned_statistic(X, VALUES, statistic, bins),
        )
    found = stats.binned_statistic(x, values, statistic, gpunp.asarray([-1.0, 0, 1]))
    _agree(found, stats.binned_statistic(X, VALUES, statistic, [-1.0, 0, 1]))


@pytest.mark.parametrize("statistic", NAMES)
def test_more_dimensions(statistic):
    x, y, z, values = map(gpunp.asarray, (X, Y, Z, VALUES))
    for expand in (False, True):
        for bins in (4, [3, 5], [[-1, 0, 1], 4], [-2, -1, 0, 1]):
            _agree(
                stats.binned_statistic_2d(x, y, values, statistic, bins, expand_binnumbers=expand),
                stats.binned_statistic_2d(X, Y, VALUES, statistic, bins, expand_binnumbers=expand),
            )
        sample = np.stack([X, Y, Z], axis=1)
        _agree(
            stats.binned_statistic_dd(gpunp.asarray(sample), values, statistic, 3, expand_binnumbers=expand),
            stats.binned_statistic_dd(sample, VALUES, statistic, 3, expand_binnumbers=expand),
        )
    limits = [(-1, 1), (0, 2), (-3, 3)]
    first = stats.binned_statistic_dd((x, y, z), values, statistic, 3, limits)
    _agree(first, stats.binned_statistic_dd((X, Y, Z), VALUES, statistic, 3, limits))
    again = stats.binned_statistic_dd((x, y, z), values + 1, "mean", binned_statistic_result=first)
    _agree(again, stats.binned_statistic_dd((X, Y, Z), VALUES + 1, "mean", 3, limits))


def test_dtypes():
    x = X.astype("f4")
    _agree(stats.binned_statistic(gpunp.asarray(x), gpunp.asarray(x)), stats.binned_statistic(x, x))
    values = VALUES[0] + 1j * VALUES[1]
    for name in ("mean", "sum", "std"):
        _agree(
            stats.binned_statistic(gpunp.asarray(X), gpunp.asarray(values), name),
            stats.binned_statistic(X, values, name),
        )
    whole = RNG.integers(0, 5, 300)
    for name in NAMES:
        _agree(
            stats.binned_statistic(gpunp.asarray(whole), gpunp.asarray(whole), name, 3),
            stats.binned_statistic(whole, whole, name, 3),
        )
    same = np.full(4, 2.0)
    _agree(
        stats.binned_statistic(gpunp.asarray(same), gpunp.asarray(same)), stats.binned_statistic(same, same)
    )


def test_functions_of_users():
    def spread(values):
        return np.max(values) - np.min(values)

    actual = stats.binned_statistic(gpunp.asarray(X), gpunp.asarray(VALUES), spread, 5)
    _agree(actual, stats.binned_statistic(X, VALUES, spread, 5))


def test_errors():
    x = gpunp.asarray(X)
    with pytest.raises(ValueError, match="invalid statistic"):
        stats.binned_statistic(x, x, "mode")
    with pytest.raises(ValueError, match="NaN"):
        stats.binned_statistic(gpunp.asarray([1.0, np.nan]), gpunp.asarray([1.0, 2]))
    with pytest.raises(AttributeError, match="number of `values`"):
        stats.binned_statistic(x, x[:5])
    with pytest.raises(AttributeError, match="dimension of bins"):
        stats.binned_statistic_dd([x, x], x, bins=[3, 4, 5])
    with pytest.raises(ValueError, match="start must be <= stop"):
        stats.binned_statistic(x, x, range=(1, 0))
    with pytest.raises(ValueError, match="range given for 1 dimensions"):
        stats.binned_statistic_dd([x, x], x, range=[(0, 1)])
    with pytest.raises(ValueError, match="numerically 0"):
        stats.binned_statistic(x, x, bins=[0, 1, 1])
