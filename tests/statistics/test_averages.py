import numpy as np
import pytest
from calls import call_test
from records import ALL, CANCELLING, Record, assert_same, outcome, record_test

import gpunp

SHAPES = ((), (1,), (7,), (0,), (3, 4), (2, 3, 4))
NAMES = ("mean", "var", "std", "nanmean", "nanvar", "nanstd")
CHARS = ALL.replace("e", "")
RECORDS = (
    *(Record(name, dtypes=CHARS, shapes=SHAPES, exact=False) for name in NAMES),
    *(Record(name, lambda f, a: f(a, axis=0), dtypes=CHARS, shapes=SHAPES, exact=False) for name in NAMES),
    *(
        Record(name, lambda f, a: f(a, axis=-1, keepdims=True), dtypes=CHARS, shapes=SHAPES, exact=False)
        for name in NAMES
    ),
    *(Record(name, lambda f, a: f(a, dtype=np.float64), dtypes="?ild", exact=False) for name in NAMES),
    *(Record(name, lambda f, a: f(a, dtype=np.complex128), dtypes="idD", exact=False) for name in NAMES),
    *(
        Record(name, lambda f, a: f(a, dtype=int), dtypes="il", shapes=((5,), (3, 4)), exact=False)
        for name in NAMES
    ),
    *(
        Record(
            name,
            lambda f, a, b: f(a, axis=0, where=b > 0),
            dtypes="ildD",
            arrays=2,
            shapes=SHAPES,
            exact=False,
        )
        for name in NAMES
    ),
    *(
        Record(name, lambda f, a: f(a, ddof=1), dtypes="?lfD", exact=False)
        for name in NAMES[1:]
        if "mean" not in name
    ),
    *(
        Record(name, lambda f, a: f(a, axis=0, correction=1.5), dtypes="lfD", shapes=SHAPES, exact=False)
        for name in ("var", "std", "nanvar", "nanstd")
    ),
    *(
        Record(
            name,
            lambda f, a: f(a, axis=0, mean=np.mean(a, axis=0, keepdims=True)),
            dtypes="lfdD",
            shapes=((7,), (3, 4), (2, 3, 4)),
            exact=False,
        )
        for name in ("var", "std", "nanvar", "nanstd")
    ),
    Record("var", lambda f, a: f(a, ddof=1, correction=1), raises=True),
    *(
        Record(
            name,
            lambda f, a, axis=axis: f(a, axis=axis),
            dtypes="?bIld",
            shapes=((33, 65), (3, 300)),
            exact=False,
        )
        for name in NAMES
        for axis in (None, 0, 1)
    ),
    Record("mean", dtypes="e", shapes=((5,), (3, 4)), exact=False),
)
test_records = record_test(RECORDS)


@pytest.mark.parametrize("name", ["var", "std", "nanvar", "nanstd"])
def test_float16_against_float64(name, rng):
    host = rng.normal(3, 2, (40, 300)).astype("f2")
    for axis in (None, 0, 1):
        expected = getattr(np, name)(host.astype("f8"), axis=axis).astype("f2")
        assert_same(getattr(np, name)(gpunp.asarray(host), axis=axis), expected, exact=False)


@pytest.mark.parametrize("offset", [0, 1e4, 1e7, -1e9])
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_variance_far_from_zero(offset, axis, rng):
    """A single pass must not cancel where the deviations are small compared with the mean."""
    host = rng.normal(offset, 1, (700, 600))
    exact = np.asarray(np.var(host.astype(np.longdouble), axis=axis), "f8")
    np.testing.assert_allclose(
        gpunp.asnumpy(np.var(gpunp.asarray(host), axis=axis)), exact, rtol=1e-11 + 2e-16 * abs(offset)
    )


def test_variance_after_an_outlier():
    host = np.ones(100_000)
    host[0] = 1e8
    np.testing.assert_allclose(gpunp.asnumpy(np.var(gpunp.asarray(host))), np.var(host), rtol=1e-11)


def test_constant_has_no_variance():
    for value in (0.1, 1e30, -3.7e-20):
        assert float(np.var(gpunp.full((50, 1000), value))) == 0
        assert float(np.var(gpunp.full((50, 1000), value), axis=0).max()) == 0


def test_complex_numbers(rng):
    host = rng.normal(size=(70, 300)) + 1j * rng.normal(5, 2, (70, 300))
    for char in "FD":
        for axis in (None, 0, 1):
            for name in NAMES:
                a = host.astype(char)
                assert_same(
                    getattr(np, name)(gpunp.asarray(a), axis=axis),
                    getattr(np, name)(a, axis=axis),
                    exact=False,
                    absolute=CANCELLING,
                )


def test_infinite_complex_mean():
    """NumPy divides by a complex count, so the finite part becomes NaN."""
    host = np.array([complex(np.inf, 1), 2 + 3j])
    expected, _ = outcome(lambda: np.mean(host))
    ours = gpunp.asnumpy(np.mean(gpunp.asarray(host)))
    np.testing.assert_array_equal([ours.real, ours.imag], [expected.real, expected.imag])


@pytest.mark.parametrize("name", ["nanmean", "nanvar", "nanstd"])
def test_integers_for_inexact(name):
    a = gpunp.ones(3)
    for kwargs in ({"dtype": int}, {"out": gpunp.zeros((), int)}):
        with pytest.raises(TypeError, match="must be inexact"):
            getattr(np, name)(a, **kwargs)


@pytest.mark.parametrize("name", ["nanmean", "nanvar", "nanstd"])
def test_slices_without_numbers(name):
    host = np.array([[np.nan, np.nan], [1, np.nan], [1, 3]])
    expected, _ = outcome(lambda: getattr(np, name)(host, axis=1))
    assert_same(getattr(np, name)(gpunp.asarray(host), axis=1), expected)


test_corrections = call_test(
    """
    xp.var(A(np.arange(600.)), ddof=np.uint8(1))
    xp.std(A(np.arange(600.).reshape(300, 2)), 0, ddof=np.int8(1))
    xp.nanvar(A(np.arange(600.)), ddof=np.int8(1))
    xp.var(A([1., 2, 4]), ddof=np.uint8(200))
    xp.var(A([1, 2, 4]), ddof=np.float32(0.5))
    xp.std(A([1., 2, 4]), correction=np.int16(1))
    xp.std(A([[1., 2], [4, 9]]), 0, ddof=[1])
    xp.std(A([[1., 2], [4, 9]]), 0, ddof=np.array([1]))
    xp.std(A([1., 2, 4]), ddof=[1, 2])
    xp.std(A([1., 2, 4]), ddof=A(1))
    """,
    exact=False,
)


test_complex_numbers_to_real_ones = call_test(
    """
    xp.nanmean(A([1 + 2j, nan, 3 + 1j, complex(0, nan)]), dtype="f8")
    xp.nanmean(A([[1 + 2j, nan], [3 + 1j, complex(0, nan)]]), axis=0, dtype="f4")
    xp.nanmean(A([[1 + 2j, nan], [3 + 1j, complex(0, nan)]]), axis=1, dtype="f8", keepdims=True)
    xp.nanmean(A([1 + 2j, 5, 3 + 1j, complex(0, nan)]), dtype="f8", where=A([True, False, True, True]))
    xp.nanmean(A([1 + 2j, nan, 3 + 1j]), dtype="D")
    xp.nanmean(A([nan, complex(0, nan)]), dtype="f8")
    """,
    exact=False,
)


# nanvar writes the deviations over a copy of the array, so a mean of a wider dtype does not widen the result.
test_given_means_of_another_dtype = call_test(
    """
    xp.nanvar(A([1, 2.5, nan], dtype="f"), mean=A(2.0))
    xp.nanstd(A([[1, 2.5, nan], [3, 4, 6]], dtype="f"), axis=1, mean=A([[1.75], [4.5]]))
    xp.nanvar(A([1, 2.5, nan], dtype="f"), mean=A(2.0), dtype="d")
    xp.nanvar(A([1, 2, 4]), mean=A(2, dtype="f"))
    xp.nanvar(A([1, 2.5, nan], dtype="e"), mean=A(2, dtype="f"))
    xp.var(A([1, 2.5, 3], dtype="f"), mean=A(2.0))
    """,
    exact=False,
)
