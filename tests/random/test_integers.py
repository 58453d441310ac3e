import numpy as np
import pytest
from scipy import stats

import gpunp
from gpunp import random

DTYPES = "bBhHiIlLqQ"


@pytest.mark.parametrize("char", DTYPES)
def test_range_and_uniformity(char):
    g = random.default_rng(7)
    for low, high in ((0, 10), (3, 4), (0, 97), (1, 127)):
        values = gpunp.asnumpy(g.integers(low, high, 20_000, dtype=char))
        assert values.dtype == np.dtype(char)
        assert values.min() >= low
        assert values.max() < high
        if high - low > 1:
            assert stats.chisquare(np.bincount(values - low, minlength=high - low)).pvalue > 1e-4
    info = np.iinfo(char)
    whole = gpunp.asnumpy(g.integers(info.min, info.max, 20_000, dtype=char, endpoint=True))
    share = (whole.astype(float) - float(info.min)) / (float(info.max) - float(info.min))
    assert np.ptp(share) > 0.99
    assert stats.kstest(share, "uniform").statistic < 0.03
    negative = -5 if info.min < 0 else 5
    assert set(gpunp.asnumpy(g.integers(negative, 7, 500, dtype=char)).tolist()) == set(range(negative, 7))


@pytest.mark.parametrize("char", ["I", "Q"])
def test_large_ranges_are_unbiased(char):
    # If the range is 3/4 of all words, multiplication without rejection prefers every third value.
    span = 3 << (30 if char == "I" else 62)
    values = gpunp.asnumpy(random.default_rng(2).integers(0, span, 90_000, dtype=char))
    assert stats.chisquare(np.bincount((values % 3).astype(int), minlength=3)).pvalue > 1e-4
    assert stats.chisquare(np.bincount((values // (span // 64)).astype(int), minlength=64)).pvalue > 1e-4


def test_bool():
    values = gpunp.asnumpy(random.default_rng(1).integers(0, 2, 10_000, dtype=bool))
    assert values.dtype == bool
    assert 4700 < values.sum() < 5300
    assert not gpunp.asnumpy(random.default_rng(1).integers(0, 1, 10, dtype=bool)).any()


@pytest.mark.parametrize("on_device", [False, True])
@pytest.mark.parametrize("char", "bHiQl")
def test_arrays_of_bounds(on_device, char):
    low, high = np.array([0, 10, 5]), np.array([[4], [40]])
    if on_device:
        low, high = gpunp.asarray(low), gpunp.asarray(high)
    values = gpunp.asnumpy(random.default_rng(1).integers(low[:1], high, (500, 2, 3), dtype=char))
    assert values.dtype == np.dtype(char)
    assert values[:, 0].max() == 3
    assert values[:, 1].max() == 39
    values = gpunp.asnumpy(random.default_rng(1).integers(low, 50, (500, 3), dtype=char, endpoint=True))
    assert values.min(axis=0).tolist() == [0, 10, 5]
    assert values.max() == 50
    assert random.default_rng(1).integers(low, high + 10).shape == (2, 3)


def test_extreme_bounds_in_arrays():
    values = random.default_rng(1).integers([0, 2**63], [2**64, 2**64], (4000, 2), dtype=np.uint64)
    values = gpunp.asnumpy(values)
    assert values[:, 1].min() >= 2**63
    assert values[:, 0].min() < 2**62
    values = gpunp.asnumpy(random.default_rng(1).integers([-(2**63)], [2**63 - 1], 4000, endpoint=True))
    assert values.min() < -(2**62)
    assert values.max() > 2**62


ERRORS = [
    {"low": 0},
    {"low": 5, "high": 1},
    {"low": 0, "high": 300, "dtype": "u1"},
    {"low": -1, "high": 3, "dtype": "u1"},
    {"low": 0, "high": 3, "dtype": "f4"},
    {"low": 0, "high": 3, "dtype": bool},
    {"low": [1, 2], "high": [1, 3]},
    {"low": 0, "high": [5, 0]},
    {"low": [0, -1], "high": 5, "dtype": "u1"},
    {"low": 2**63 + 1},
    {"low": 2**64 + 1, "dtype": "u8"},
    {"low": 5, "high": 4, "endpoint": True},
    {"low": [1, 2], "high": [4, 5], "size": 3},
    {"low": 3, "size": -1},
    {"low": 3, "dtype": ">i4"},
]


@pytest.mark.parametrize("options", ERRORS, ids=str)
def test_errors_are_those_of_numpy(options):
    with pytest.raises((ValueError, TypeError)) as expected:
        np.random.default_rng(1).integers(**options)
    with pytest.raises(expected.type) as actual:
        random.default_rng(1).integers(**options)
    if "broadcast" not in str(expected.value) and "byteorder" not in str(expected.value):
        assert str(actual.value) == str(expected.value)


def test_bounds_on_the_device_are_checked_there():
    low, high = gpunp.asarray([0, 5]), gpunp.asarray([3, 5])
    with pytest.raises(ValueError, match="outside the domain"):
        gpunp.asnumpy(random.default_rng(1).integers(low, high))


def test_shapes_and_floats():
    g = random.default_rng(1)
    assert g.integers(5).shape == ()
    assert g.integers(5, size=()).shape == ()
    assert g.integers(10, 10, size=0).shape == (0,)
    assert g.integers([1, 2], [3, 4], size=(0, 2)).shape == (0, 2)
    assert set(gpunp.asnumpy(g.integers(1.5, 3.7, 100)).tolist()) <= {1, 2}
    assert g.integers(np.int8(3), size=np.int64(4)).shape == (4,)
