import numpy as np
import pytest
from records import ALL, INEXACT, Record, assert_same, outcome, record_test

import gpunp

SHAPES = ((), (1,), (7,), (8,), (0,), (3, 4), (2, 3, 4), (4, 0, 2), (33, 65))
NAMES = ("median", "nanmedian")
FEW_LAYOUTS = ("C", "F", "steps", "broadcast")


def with_nan(a):
    """Replace a third of the elements, and all of the last row, by NaN."""
    holes = a.copy()
    holes[..., ::3] = np.nan
    holes[-1] = np.nan
    return holes


RECORDS = (
    *(Record(name, dtypes=ALL, shapes=SHAPES, layouts=FEW_LAYOUTS, exact=False) for name in NAMES),
    *(
        Record(name, lambda f, a: f(a, axis=0), dtypes=ALL, shapes=SHAPES, layouts=FEW_LAYOUTS, exact=False)
        for name in NAMES
    ),
    *(
        Record(name, lambda f, a: f(a, axis=-1, keepdims=True), dtypes="?IedD", shapes=SHAPES, exact=False)
        for name in NAMES
    ),
    *(
        Record(
            name,
            lambda f, a, axis=axis, keep=keep: f(a, axis=axis, keepdims=keep),
            dtypes="ifD",
            shapes=((2, 3, 4),),
            exact=False,
        )
        for name in NAMES
        for axis in ((0, 2), (2, 1), (0, 1, 2), (), 1, None)
        for keep in (False, True)
    ),
    *(
        Record(name, lambda f, a: f(a, 0, None, True), dtypes="d", layouts=("C", "F"), exact=False)
        for name in NAMES
    ),
    *(
        Record(
            name,
            lambda f, a, axis=axis: f(with_nan(a), axis=axis),
            dtypes=INEXACT,
            shapes=shapes,
            exact=False,
        )
        for name in NAMES
        for axis, shapes in (
            (None, ((7,), (3, 4))),
            (-1, ((3, 4), (2, 3, 4), (33, 65))),
            (0, ((3, 4), (33, 65))),
        )
    ),
    *(Record(name, lambda f, a: f(a, axis=3), layouts=("C",), raises=True) for name in NAMES),
    *(
        Record(name, lambda f, a: f(a, axis=(0, 0)), shapes=((3, 4),), layouts=("C",), raises=True)
        for name in NAMES
    ),
)
test_records = record_test(RECORDS)


@pytest.mark.parametrize("name", NAMES)
def test_out(name, rng):
    function = getattr(np, name)
    host = rng.normal(size=(5, 6))
    host[2, 3] = np.nan
    for kwargs in ({}, {"axis": 0}, {"axis": 1, "keepdims": True}, {"axis": (0, 1), "keepdims": True}):
        for char in "dfD":
            expected = np.zeros(function(host, **kwargs).shape, char)
            ours = gpunp.asarray(expected)
            function(host, out=expected, **kwargs)
            assert function(gpunp.asarray(host), out=ours, **kwargs) is ours
            assert_same(ours, expected, exact=False)


@pytest.mark.parametrize("char", "BhfdQ")
@pytest.mark.parametrize("size", [30_000, 100_003, 250_000])
def test_long_arrays(char, size, rng):
    """Rows that fit one block, and longer rows."""
    host = rng.normal(100, 15, (2, size)).clip(0).astype(char)
    assert_same(np.median(gpunp.asarray(host), axis=1), np.median(host, axis=1))
    assert_same(np.median(gpunp.asarray(host)), np.median(host))
    if char in "fd":
        host[1, 77] = np.nan
        assert_same(np.median(gpunp.asarray(host), axis=1), np.median(host, axis=1))
        assert_same(np.nanmedian(gpunp.asarray(host), axis=1), np.nanmedian(host, axis=1))


@pytest.mark.parametrize("nbytes", [45 << 10, 47 << 10, 48 << 10, (48 << 10) + 8, 96 << 10, (96 << 10) + 8])
def test_rows_as_large_as_shared_memory(nbytes, rng):
    for char in "hfd":
        host = rng.normal(0, 500, (3, nbytes // np.dtype(char).itemsize)).astype(char)
        assert_same(np.median(gpunp.asarray(host), axis=1), np.median(host, axis=1))


@pytest.mark.parametrize("length", [1, 2, 10, 31, 32, 33])
def test_many_short_rows(length, rng):
    host = rng.normal(size=(1000, length)).astype("f4")
    host[rng.random(host.shape) < 0.02] = np.nan
    for name in NAMES:
        expected, _ = outcome(lambda name=name: getattr(np, name)(host, axis=1))
        assert_same(getattr(np, name)(gpunp.asarray(host), axis=1), expected)


def test_infinities_and_zeros():
    for values in (
        [np.inf, np.inf, 1],
        [-np.inf, np.inf],
        [np.inf] * 4,
        [-0.0, 0.0, 0.0],
        [-np.inf, 1, 2, np.nan],
    ):
        host = np.array(values)
        for name in NAMES:
            expected, _ = outcome(lambda name=name, host=host: getattr(np, name)(host))
            np.testing.assert_array_equal(
                gpunp.asnumpy(getattr(np, name)(gpunp.asarray(host))), expected, err_msg=f"{name} {values}"
            )


def test_input_stays():
    host = np.array([3.0, 1, 2])
    a = gpunp.asarray(host)
    np.median(a, overwrite_input=True)
    assert_same(a, host)
