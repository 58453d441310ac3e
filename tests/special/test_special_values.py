"""Values that a sweep of all ufuncs of scipy.special over zeros, infinities and extremes found wrong."""

import inspect

import mpmath
import numpy as np
import pytest
import scipy.special
from long_functions import plain
from values import assert_same_class

import gpunp

INF, NAN = np.inf, np.nan


def is_ufunc(found):
    """Also where SciPy's array API mode wraps it."""
    return isinstance(inspect.unwrap(found) if callable(found) else found, np.ufunc)


PRIVATE = ("_ufuncs._zeta", "_ufuncs._riemann_zeta")
UFUNCS = (*(name for name in dir(scipy.special) if is_ufunc(getattr(scipy.special, name))), *PRIVATE)


def attribute(name):
    found = scipy.special
    for part in name.split("."):
        found = getattr(found, part)
    return inspect.unwrap(found)


@pytest.mark.parametrize("name", UFUNCS)
def test_every_loop_of_scipys_exists(name, device):
    """But for those of long double, which no device has."""
    ufunc = attribute(name)
    for signature in ufunc.types:
        inputs, outputs = signature.split("->")
        if "g" in inputs:
            continue
        results = ufunc(*[gpunp.asarray(np.ones(2, dtype=char)) for char in inputs])
        results = results if isinstance(results, tuple) else (results,)
        assert [r.dtype.char for r in results] == list(outputs), signature


# A name, the operands, and the values; None are SciPy's.
REAL = (
    ("hyp1f1", (-1.0, 2.0, [-INF, INF]), [INF, -INF]),
    ("hyp1f1", (-1.5, 2.0, [-INF, INF]), [INF, INF]),
    ("hyp0f1", ([1.0, -0.5, INF, 2.5], [1e10, INF, 3.0, -INF]), [INF, -INF, 1, NAN]),
    ("hyp2f1", (-2.0, 3.0, 1.5, [INF, -INF]), [INF, INF]),
    ("hyp2f1", (-3.0, 3.0, 1.5, [INF, -INF, 1e200, -1e200]), [-INF, INF, -INF, INF]),
    ("hyp2f1", (-3.0, [-5.0, 5.0], [1.5, -1.5], INF), [INF, -INF]),
    ("berp", ([1e5, 1e9],), [INF, -INF]),
    ("beip", ([1e5, -1e5],), None),
    ("ker", ([1e3, 1.7e308],), [0, 0]),
    ("jv", ([100.5, -100.5, 1e5], 1e-200), [0, INF, 0]),
    ("iv", (100.5, [1e-200]), [0]),
    ("modstruve", (1e5, [100.5]), None),
    ("struve", (1e5, [100.5]), None),
    ("expn", (1e5, [1.0, 600.0]), None),
    ("expn", (5e4, [3.0]), None),
    ("chndtr", (1e5, 1e5, [1e-200, 0.001]), None),
    ("chndtrix", (0.5, 3.5, [1e-200]), None),
    ("nctdtr", (1e200, [0.0, -0.5], [-2.0, -30.0]), [0.022750131948179209, 1.4394745522291786e-191]),
    ("nctdtr", (1e-200, -1.0, [1.0]), None),
    ("stdtr", ([1e200, 1.7e308, 5e-324], [10.0, 1.0, 2.0]), None),
    ("stdtrit", (1.0, [1e-200, 1e-300]), None),
    ("betainc", ([1e-5, 1e-10, 1e-200], 1.75, 0.222), None),
    ("betainc", (1e200, 1e200, [0.5]), [0.5]),
    ("betainc", ([1e14, 3e14], 1e14, [0.50000001, 0.75000001]), [0.611351295149991, 0.677916384061669]),
    ("betaincinv", ([1.0, 2.0], [1.0, 3.0], 1e-200), None),
    ("eval_gegenbauer", (7.0, [1e-3, 1e-8], -2.0), [-1.444230572244, -1.440571465127e-05]),
    ("eval_legendre", (100.5, [10.0]), [2.4793480052674e129]),
    ("poch", ([1e-200, 0.0, 1e-200], [-1.0, -3.0, -2.0]), [-1, -1 / 6, 0.5]),
    ("tklmbda", (0.0, [1e5, -3.0]), [0.5, 0.5]),
)
COMPLEX = (
    ("expm1", ([complex(INF, 0), complex(INF, -0.0), complex(-INF, 2), complex(-INF, INF)],)),
    ("hyp1f1", (1.0, 2.0, [complex(-INF, 0)])),
    ("digamma", ([complex(-3, 1e-200), complex(-1, 1e-5), complex(-3.25, 0.5)],)),
    ("erf", ([complex(1.7e308, 2)],)),
    ("erfc", ([complex(1.7e308, 1)],)),
    ("wofz", ([complex(1.7e308, -1)],)),
    ("dawsn", ([complex(1.7e308, 1)],)),
    ("jv", (100.5, [complex(0, 1e-200)])),
)


def compare(actual, expected, tolerance=2e-12):
    assert_same_class(actual, expected, signed_zero=False)
    finite = np.isfinite(expected)
    np.testing.assert_allclose(actual[finite], expected[finite], rtol=tolerance, atol=1e-300)


@pytest.mark.parametrize(("name", "operands", "expected"), REAL)
def test_real(name, operands, expected, device):
    operands = np.broadcast_arrays(*[np.array(x, dtype=float) for x in operands])
    if expected is None:
        with np.errstate(all="ignore"):
            expected = plain(name)(*operands)
    compare(plain(name)(*[gpunp.asarray(x) for x in operands]).get(), np.array(expected, dtype=float))


@pytest.mark.parametrize(("name", "operands"), COMPLEX)
def test_complex(name, operands, device):
    operands = np.broadcast_arrays(*[np.array(x) for x in operands])
    with np.errstate(all="ignore"):
        expected = plain(name)(*operands)
    actual = plain(name)(*[gpunp.asarray(x) for x in operands]).get()
    for part in ("real", "imag"):
        compare(getattr(actual, part), getattr(expected, part))


@pytest.mark.parametrize("char", "FD")
def test_riemann_zeta_of_complex_numbers(char, device):
    s = np.array([2 + 3j, 0.5 + 20j, -0.04 + 1j, -3.5 + 2j, -50.5 - 20j, -30.5 + 100j, 60 + 2j, 1 + 1e-5j])
    s = s.astype(char)
    expected = np.array([complex(mpmath.zeta(complex(z))) for z in s])
    actual = scipy.special.zeta(gpunp.asarray(s))
    assert actual.dtype == char
    if char == "F":
        s, expected, actual = s[:4], expected[:4], actual[:4]
    np.testing.assert_allclose(actual.get(), expected, rtol=1e-12 if char == "D" else 1e-6)


def test_zeta_of_complex_numbers_on_the_axis_and_at_its_ends(device):
    s = np.array(
        [3 + 0j, -2 + 0j, 1 + 0j, complex(INF, 1), complex(-INF, 1), complex(2, INF), complex(NAN, 1)]
    )
    actual = scipy.special.zeta(gpunp.asarray(s)).get()
    with np.errstate(all="ignore"):
        expected = scipy.special.zeta(s)
    for part in ("real", "imag"):
        compare(getattr(actual, part), getattr(expected, part))
    # With an offset, SciPy has values for real numbers only.
    actual = scipy.special.zeta(gpunp.asarray([3 + 0j, 3 + 1j]), 2.0).get()
    np.testing.assert_allclose(actual, scipy.special.zeta(np.array([3 + 0j, 3 + 1j]), 2.0), rtol=1e-14)
