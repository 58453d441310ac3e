import numpy as np
import pytest
from records import ALL, CANCELLING, INEXACT, Record, assert_same, make_values, record_test

import gpunp

VECTORS = ((5,), (1,), (40,))
MODES = ("full", "same", "valid", 0, 1, 2)
LINES = ("C", "negative", "steps", "offset")
NAMES = ("convolve", "correlate")

RECORDS = (
    *(
        Record(
            name,
            lambda f, a, b, mode=mode: f(a, b[:7], mode),
            dtypes=ALL,
            shapes=VECTORS,
            arrays=2,
            layouts=LINES,
            exact=False,
            absolute=CANCELLING,
        )
        for name in NAMES
        for mode in MODES
    ),
    *(
        Record(
            name,
            lambda f, a, b, mode=mode: f(a[:4], b, mode),
            dtypes="?bLefdFD",
            shapes=VECTORS,
            arrays=2,
            layouts=LINES,
            exact=False,
            absolute=CANCELLING,
        )
        for name in NAMES
        for mode in MODES[:3]
    ),
    *(
        Record(
            name,
            lambda f, a, b: f(a, b),
            dtypes="ilfD",
            shapes=VECTORS,
            arrays=2,
            layouts=LINES,
            exact=False,
            absolute=CANCELLING,
        )
        for name in NAMES
    ),
    *(
        Record(
            name,
            lambda f, a: f(a, [1, 2.5, -3]),
            dtypes="?bifdF",
            shapes=VECTORS,
            layouts=LINES,
            exact=False,
            absolute=CANCELLING,
        )
        for name in NAMES
    ),
    *(
        Record(
            name,
            lambda f, a: f([1j, 2], a),
            dtypes="?bifdF",
            shapes=VECTORS,
            layouts=LINES,
            exact=False,
            absolute=CANCELLING,
        )
        for name in NAMES
    ),
    Record(
        "convolve",
        lambda f, a: f(a[0], a),
        dtypes="ild",
        shapes=VECTORS,
        layouts=LINES,
        exact=False,
        absolute=CANCELLING,
    ),
    Record("correlate", lambda f, a: f(a[0], a), dtypes="ild", shapes=VECTORS, layouts=LINES, raises=True),
    *(
        Record(name, dtypes="ld", shapes=((0,), (2, 3)), arrays=2, layouts=("C",), raises=True)
        for name in NAMES
    ),
    *(
        Record(
            name,
            lambda f, a, mode=mode: f(a, a, mode),
            dtypes="ld",
            shapes=VECTORS,
            layouts=("C",),
            raises=True,
        )
        for name in NAMES
        for mode in ("Same", "other", 3, None, 1.5)
    ),
)
test_records = record_test(RECORDS)


@pytest.mark.parametrize(
    "sizes", [(3000, 5), (3000, 129), (1024, 1024), (5000, 700), (2, 4000), (1, 3000), (3000, 8)]
)
@pytest.mark.parametrize("char", "?hlefdFD")
def test_several_tiles(sizes, char, rng):
    a, v = (make_values(char, (n,), seed) for seed, n in enumerate(sizes))
    if np.dtype(char).kind in "fc":
        a, v = (np.nan_to_num(x, nan=1, posinf=2, neginf=3) for x in (a, v))
        if char == "e":
            a, v = a / 64, v / 64
    for name in NAMES:
        for mode in ("full", "same", "valid"):
            expected = getattr(np, name)(a, v, mode)
            actual = getattr(np, name)(gpunp.asarray(a), gpunp.asarray(v), mode)
            assert actual.dtype == expected.dtype
            scale = 1 + np.abs(expected.astype("D")).max()
            tolerance = {"e": 4e-3, "f": 3e-5, "F": 3e-5, "d": 1e-12, "D": 1e-12}.get(char, 0)
            np.testing.assert_allclose(gpunp.asnumpy(actual), expected, rtol=0, atol=tolerance * scale)


@pytest.mark.parametrize("char", INEXACT)
def test_infinities_stay_where_they_are(char, rng):
    """Nothing is multiplied by the padding: infinity times a padded zero would be NaN."""
    a = rng.normal(size=2000).astype(char)
    a[[0, 700, -1]] = np.inf
    v = np.array([1, np.inf, 2, 1], char)
    for mode in ("full", "same", "valid"):
        with np.errstate(all="ignore"):
            expected = np.convolve(a, v, mode)
        actual = gpunp.asnumpy(np.convolve(gpunp.asarray(a), gpunp.asarray(v), mode))
        if np.dtype(char).kind == "f":
            np.testing.assert_array_equal(np.isnan(actual), np.isnan(expected))
            np.testing.assert_array_equal(np.isinf(actual), np.isinf(expected))
        assert np.isfinite(actual[10:690]).sum() == np.isfinite(expected[10:690]).sum()


def test_integers_wrap():
    a = np.full(2000, 100, "b")
    assert_same(np.convolve(gpunp.asarray(a), gpunp.asarray(a)), np.convolve(a, a))
    a = np.full(40, 2**62)
    assert_same(np.convolve(gpunp.asarray(a), gpunp.asarray(a)), np.convolve(a, a))
