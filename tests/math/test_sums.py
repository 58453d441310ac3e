import numpy as np
import pytest
from calls import call_test
from records import ALL, CANCELLING, SHAPES, Record, assert_same, record_test

import gpunp

INTEGERS = "?bBhHiIlL"
# Along an axis NumPy rounds float16 sums at every step, gpunp only once, at the end.
CHARS = ALL.replace("e", "")
# The values of short arrays have no infinities, with which complex results are hard to compare.
FINITE = ((), (7,), (0,), (3, 4), (2, 3, 4))
REALS = "?bBhHiIlLfd"
RECORDS = (
    Record("sum", dtypes=INTEGERS, shapes=SHAPES),
    Record("sum", dtypes="fd", shapes=SHAPES, exact=False),
    Record("sum", dtypes="FD", shapes=FINITE, exact=False),
    Record("sum", lambda f, a: f(a, axis=-1), dtypes=CHARS, shapes=((3, 4), (2, 3, 4), (6, 8)), exact=False),
    Record("sum", lambda f, a: f(a, axis=0, keepdims=True), dtypes=CHARS, shapes=FINITE, exact=False),
    Record(
        "sum",
        lambda f, a: f(a, axis=(0, 2)),
        dtypes=CHARS,
        shapes=((2, 3, 4), (4, 0, 2)),
        exact=False,
        absolute=CANCELLING,
    ),
    Record("sum", lambda f, a: f(a, dtype=np.int8), dtypes=INTEGERS, shapes=SHAPES),
    Record("sum", lambda f, a: f(a, dtype=np.float32), dtypes="?bBiIle", shapes=SHAPES, exact=False),
    Record("sum", lambda f, a: f(a, dtype=bool), dtypes="?il"),
    Record("sum", lambda f, a: f(a, initial=7), dtypes=ALL, exact=False),
    Record("sum", lambda f, a: f(a, initial=2.75), dtypes="ild", exact=False),
    Record("sum", lambda f, a, b: f(a, where=b != 0), dtypes="ildD", arrays=2, shapes=FINITE, exact=False),
    Record("prod", dtypes=ALL, exact=False),
    Record("prod", lambda f, a: f(a, axis=0, dtype=np.float64), dtypes="bif", exact=False),
    Record(
        "prod", lambda f, a: f(a, axis=-1, initial=2), dtypes=ALL, shapes=((3, 4), (2, 3, 4)), exact=False
    ),
    Record("nansum", dtypes=REALS, shapes=SHAPES, exact=False),
    Record("nansum", lambda f, a: f(a, axis=0), dtypes="fd", shapes=((33, 65),), exact=False),
    Record("nanprod", dtypes=ALL, exact=False),
    Record("nanprod", lambda f, a: f(a / 4, axis=-1), dtypes="fd", shapes=((33, 65),), exact=False),
)
test_records = record_test(RECORDS)


# NaN is replaced before the conversion to the result's dtype, which would lose it.
test_nan_before_conversion = call_test(
    """
    xp.nansum(A([1.5, nan, 2.5]), dtype="i8")
    xp.nansum(A([[nan, nan], [3, 2]], dtype="f4"), axis=0, dtype="i4")
    xp.nansum(A([nan]), dtype="u1", keepdims=True)
    xp.nansum(A([nan, 0.5]), dtype=bool)
    xp.nansum(A([nan, 2.5, 3.5]), dtype=int, where=A([True, True, False]))
    xp.nansum(A([complex(2, nan), complex(nan, 3), 4 + 1j]), dtype=float)
    xp.nanprod(A([nan, nan, 3, 2]), dtype="i8")
    xp.nanprod(A([nan, nan]), dtype="i8", initial=5)
    xp.nanprod(A([complex(2, nan), complex(nan, 3), 4 + 1j]), dtype=float)
    xp.nancumsum(A([1.5, nan, 2.5]), dtype="i8")
    xp.nancumsum(A([complex(2, nan), complex(nan, 3), 4 + 1j]), dtype=float)
    xp.nancumprod(A([complex(2, nan), complex(nan, 3), 4 + 1j]), dtype="f4")
    xp.nansum(A([1.5, nan]), dtype="f2")
    xp.nansum(A([1.5, nan], dtype="f4"), dtype=complex)
    """
)


@pytest.mark.parametrize("char", "FD")
def test_nan_parts_of_complex(char):
    host = np.full((3, 40), 1 + 2j, char)
    host[0, ::3] = complex(np.nan, 1)
    host[1, ::4] = complex(1, np.nan)
    for axis in (None, 0, 1):
        assert_same(np.nansum(gpunp.asarray(host), axis=axis), np.nansum(host, axis=axis), exact=False)
        assert_same(
            np.nanprod(gpunp.asarray(host[:, :5]), axis=axis), np.nanprod(host[:, :5], axis=axis), exact=False
        )


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_float32_is_as_accurate_as_pairwise(rng, axis):
    host = (rng.random((3000, 700)) + 1).astype("f4")
    exact = host.sum(axis, dtype="f8")
    ours = gpunp.asnumpy(np.sum(gpunp.asarray(host), axis=axis))
    np.testing.assert_allclose(ours, exact, rtol=5e-7)


def test_float16_is_rounded_once():
    host = np.full(5000, 0.1, "f2")
    assert_same(np.sum(gpunp.asarray(host)), np.float16(host.astype("f8").sum()))


def test_numpy_refuses_what_we_refuse():
    a = gpunp.ones((2, 3))
    with pytest.raises(np.exceptions.AxisError):
        np.sum(a, axis=2)
    with pytest.raises(ValueError, match="duplicate value"):
        np.sum(a, axis=(0, -2))
    with pytest.raises(TypeError, match="integer"):
        np.sum(a, axis=0.5)
    with pytest.raises(TypeError, match="gpunp arrays"):
        np.sum(a, out=np.zeros(()))
    with pytest.raises(TypeError, match="bool"):
        np.sum(a, where=gpunp.ones((2, 3)))
    with pytest.raises(OverflowError):
        np.sum(gpunp.ones(3, "i1"), dtype="i1", initial=300)
