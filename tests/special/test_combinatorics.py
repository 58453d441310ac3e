"""Combinations, factorials, Stirling numbers and the periodic sinc function, compared with SciPy."""

import re

import numpy as np
import pytest
import scipy.special
from records import assert_same

import gpunp

COUNTS = np.array([[-3, -1, 0, 1], [2, 5, 9, 20], [21, 30, 64, 170]])
REALS = np.array([-3.0, -2.5, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 4.3, 20.0, np.nan])


def compare(name, *operands, rtol=1e-12, **options):
    """Compare gpunp's function, under its own name and SciPy's, with SciPy's on the host."""
    with np.errstate(all="ignore"):
        expected = getattr(scipy.special, name)(*operands, **options)
    arrays = [gpunp.asarray(x) if isinstance(x, np.ndarray) else x for x in operands]
    for library in (gpunp.special, scipy.special):
        actual = getattr(library, name)(*arrays, **options)
        assert isinstance(actual, gpunp.ndarray)
        assert actual.dtype == np.asarray(expected).dtype
        np.testing.assert_allclose(actual.get(), expected, rtol=rtol)


@pytest.mark.parametrize("dtype", ["i8", "i4", "f4", "f8"])
@pytest.mark.parametrize("name", ["comb", "perm"])
def test_comb_and_perm(name, dtype, device):
    n, k = COUNTS.astype(dtype), np.array([-1, 0, 1, 3, 8, 40], dtype)
    rtol = 1e-12 if dtype != "f4" else 1e-5
    compare(name, n.reshape(-1, 1), k, rtol=rtol)
    compare(name, n, 3, rtol=rtol)


def test_comb_with_repetition(device):
    n, k = np.arange(-2, 9).reshape(-1, 1), np.array([0, 1, 2, 5])
    compare("comb", n, k, repetition=True)


def test_exact_counts_are_integers(device):
    n = gpunp.asarray(60)
    assert scipy.special.comb(n, 30, exact=True) == scipy.special.comb(60, 30, exact=True)
    assert scipy.special.comb(n, 3, exact=True, repetition=True) == scipy.special.comb(62, 3, exact=True)
    assert scipy.special.perm(n, 30, exact=True) == scipy.special.perm(60, 30, exact=True)
    assert scipy.special.comb(n, 61, exact=True) == 0
    with pytest.raises(ValueError, match="perm: `N` and `k` must be scalar integers"):
        scipy.special.perm(gpunp.asarray([5, 6]), 2, exact=True)
    with pytest.raises(ValueError, match=r"comb: with exact=True .* whole"):
        scipy.special.comb(gpunp.asarray(2.5), 2, exact=True)


@pytest.mark.parametrize(("name", "options"), [("factorial", ()), ("factorial2", ()), ("factorialk", (3,))])
def test_factorials_of_integers(name, options, device):
    compare(name, COUNTS, *options)
    compare(name, COUNTS[1], *options, exact=True)
    # SciPy computes in float32 for narrow integers.
    compare(name, COUNTS.astype("u1")[1], *options, rtol=1e-6)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_factorial_of_real_numbers(dtype, device):
    compare("factorial", REALS.astype(dtype), rtol=1e-6 if dtype == "f4" else 1e-12)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
@pytest.mark.parametrize(("name", "order"), [("factorial", ()), ("factorial2", ()), ("factorialk", (3,))])
def test_extended_factorials(name, order, dtype, device):
    x = REALS.astype(dtype)
    if dtype.startswith("c"):
        x = x[np.isfinite(x) & (x.real != np.floor(x.real))] + np.array(0.3j, dtype)
    compare(name, x, *order, extend="complex", rtol=1e-5 if dtype in ("f4", "c8") else 1e-11)


def test_large_exact_factorials_are_refused(device):
    with pytest.raises(ValueError, match=r"factorial: 21 is too large for exact results in int64"):
        scipy.special.factorial(gpunp.asarray([3, 21]), exact=True)


@pytest.mark.parametrize(
    ("name", "n", "options"),
    [
        ("factorial", np.ones(2, "c16"), {}),
        ("factorial", np.ones(2), {"exact": True}),
        ("factorial", np.ones(2, "i8"), {"extend": "all"}),
        ("factorial", np.ones(2, "i8"), {"extend": "complex", "exact": True}),
        ("factorial", np.ones(2, "M8[s]"), {}),
        ("factorial2", np.ones(2), {}),
        ("factorialk", np.ones(2, "i8"), {"k": 0}),
        ("factorialk", np.ones(2, "i8"), {"k": 0, "extend": "complex"}),
        ("factorialk", np.ones(2, "i8"), {"k": 1.5}),
        ("factorialk", np.ones(2, "i8"), {"k": "3"}),
    ],
)
def test_errors_of_factorials(name, n, options, device):
    with pytest.raises(ValueError) as wanted:  # noqa: PT011
        getattr(scipy.special, name)(n, **options)
    if n.dtype.kind != "M":
        # SciPy's words, without the values after them.
        with pytest.raises(ValueError, match=re.escape(str(wanted.value)[:25])):
            getattr(scipy.special, name)(gpunp.asarray(n), **options)


def test_factorials_of_nothing(device):
    for name in ("factorial", "factorial2"):
        actual = getattr(scipy.special, name)(gpunp.zeros((0, 2), dtype="i4"))
        assert (actual.shape, actual.dtype) == ((0, 2), "i4")


def test_stirling_numbers(device):
    n, k = np.arange(0, 60, 3).reshape(-1, 1), np.arange(-1, 60)
    expected = scipy.special.stirling2(n, k, exact=True).astype(float)
    actual = scipy.special.stirling2(gpunp.asarray(n), gpunp.asarray(k))
    np.testing.assert_allclose(actual.get(), expected, rtol=1e-12)
    large = np.array([100, 150, 200, 200, 219]), np.array([2, 75, 199, 100, 31])
    expected = scipy.special.stirling2(*large, exact=True).astype(float)
    np.testing.assert_allclose(
        gpunp.special.stirling2(*[gpunp.asarray(x) for x in large]).get(), expected, rtol=1e-11
    )
    with pytest.raises(TypeError, match="stirling2: exact=True"):
        scipy.special.stirling2(gpunp.asarray(3), 2, exact=True)
    with pytest.raises(TypeError, match="Argument `N` must contain only integers"):
        scipy.special.stirling2(gpunp.asarray(3.0), 2)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_diric(dtype, device):
    x = np.linspace(-20, 20, 41).astype(dtype)
    x = np.concatenate([x, np.array([0, 2 * np.pi, 4 * np.pi, -2 * np.pi], dtype)])
    for n in (1, 2, 5, 8, 0, -3, 2.5):
        expected = scipy.special.diric(x, n)
        actual = scipy.special.diric(gpunp.asarray(x), n)
        assert_same(actual, expected, exact=False)
