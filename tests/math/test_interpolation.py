import numpy as np
import pytest
from records import REAL, Record, assert_same, record_test

import gpunp

SHAPES = ((), (7,), (0,), (3, 4), (33, 65))
XP = (-3.0, -1.0, 0.0, 0.5, 4.0)
FP = (1.0, -2.0, 0.25, np.inf, 3.0)
COMPLEX = tuple(y * 1j + 0.3 for y in (1.0, 2.0, 0.25, 7.5, 3.0))
RECORDS = (
    Record("interp", lambda f, x: f(x, XP, FP), dtypes=REAL, shapes=SHAPES),
    Record("interp", lambda f, x: f(x, XP, FP, left=-7, right=np.float32(9)), dtypes="ifd", shapes=SHAPES),
    Record("interp", lambda f, x: f(x, XP, FP, period=6.5), dtypes="ifd", shapes=SHAPES),
    Record("interp", lambda f, x: f(x, XP[::-1], FP, 1, 2, period=-9), dtypes="ifd", shapes=SHAPES),
    Record("interp", lambda f, x: f(x, XP, COMPLEX), dtypes="ifd", shapes=SHAPES),
    Record("interp", lambda f, x: f(x, XP, COMPLEX, 1j, 2), dtypes="ifd", shapes=SHAPES),
    Record("interp", lambda f, x: f(x, XP, COMPLEX, period=5), dtypes="ifd", shapes=SHAPES),
    Record("interp", lambda f, x: f(x, [1], [2]), dtypes="id", shapes=SHAPES),
    Record("interp", lambda f, x: f(x, [1], [2], left=0), dtypes="id", shapes=SHAPES),
    Record("interp", lambda f, x: f(x, [], []), shapes=((), (7,)), raises=True),
    Record("interp", lambda f, x: f(x, [1, 2], [1]), dtypes="id", shapes=((), (7,)), raises=True),
    Record("interp", lambda f, x: f(x, [1, 2], [1], period=3), dtypes="id", shapes=((), (7,)), raises=True),
    Record("interp", lambda f, x: f(x, [[1, 2]], [[1, 2]]), dtypes="id", shapes=((), (7,)), raises=True),
    Record(
        "interp", lambda f, x: f(x, [[1, 2]], [[1, 2]], period=3), dtypes="id", shapes=((), (7,)), raises=True
    ),
    Record("interp", lambda f, x: f(x, XP, FP, period=0), dtypes="id", shapes=((), (7,)), raises=True),
    Record("interp", lambda f, x: f(x, XP, FP, left=1j), dtypes="id", shapes=((), (7,)), raises=True),
    Record("interp", lambda f, x: f(x, XP, FP, right="a"), dtypes="id", shapes=((), (7,)), raises=True),
    Record("interp", lambda f, x: f(x, XP, FP, right=[1]), dtypes="id", shapes=((), (7,)), raises=True),
    Record("interp", lambda f, x: f(x, XP, FP), dtypes="FD", shapes=((), (7,)), raises=True),
    Record("interp", lambda f, x: f(x, [1, 2j], [1, 2]), dtypes="id", shapes=((), (7,)), raises=True),
)
test_records = record_test(RECORDS)


@pytest.mark.parametrize("size", [2, 31, 33, 2048, 2049, 70_000])
@pytest.mark.parametrize("char", "dD")
def test_sizes(size, char):
    """Bits equal NumPy's at, between and beyond the points, whichever memory holds the points."""
    rng = np.random.default_rng(size)
    xp = np.sort(rng.normal(0, 3, size))
    fp = rng.normal(0, 1, size) + (1j * rng.normal(0, 1, size) if char == "D" else 0)
    x = np.concatenate([rng.normal(0, 4, 5000), xp[:100], xp[-1:], [np.nan, np.inf, -np.inf]])
    ours = np.interp(gpunp.asarray(x), gpunp.asarray(xp), gpunp.asarray(fp))
    assert_same(ours, np.interp(x, xp, fp))


def test_no_x_needs_no_points():
    # As in NumPy 2.5; NumPy 2.4 raises.
    assert np.interp(gpunp.zeros((0, 3)), [], []).shape == (0, 3)


def test_points_that_are_not_finite():
    x = np.array([0.5, 1.0, 1.5, 2.0, 2.5, 3.5, 4.5, np.nan, -np.inf])
    xp = np.array([0.0, 1.0, 2.0, 3.0, 4.0, np.inf])
    for fp in ([0, np.inf, np.inf, 1, 2, 3], [np.nan, 1, -np.inf, np.inf, 4, 4], [np.inf] * 6):
        fp = np.array(fp)
        assert_same(np.interp(gpunp.asarray(x), xp, fp), np.interp(x, xp, fp))
        assert_same(np.interp(gpunp.asarray(x), xp, fp + 2j), np.interp(x, xp, fp + 2j))


@pytest.mark.parametrize("factor", [1, 1j, 1 + 1j])
def test_one_of_two_points_is_not_a_number(factor):
    for xp, fp in (
        ([np.nan, 1], [0, 10]),
        ([0, np.nan], [0, 10]),
        ([0, 1], [np.nan, 10]),
        ([0, 1], [0, np.nan]),
    ):
        fp = np.array(fp) * factor
        assert_same(np.interp(gpunp.asarray([0.5]), xp, fp), np.interp([0.5], xp, fp))


def test_device_points_of_other_dtypes_and_strides():
    x = np.linspace(-1, 12, 50).astype("f")
    xp, fp = np.arange(20, dtype="h"), np.arange(20, dtype="e") ** 2
    ours = np.interp(gpunp.asarray(x), gpunp.asarray(xp)[::2], gpunp.asarray(fp)[::-2])
    assert_same(ours, np.interp(x, xp[::2], fp[::-2]))
    with pytest.raises(TypeError, match="Cannot cast"):
        np.interp(gpunp.asarray(x), gpunp.asarray(xp) * 1j, fp)
