"""scipy.special on device arrays, compared with mpmath over the whole domain and with SciPy at the edges."""

import mpmath
import numpy as np
import pytest
import scipy.special
from long_functions import plain
from values import assert_same_class

import gpunp
from gpunp.ufunc.table import ROWS
from gpunp.ufunc.table.row import LONG

# Those of long functions are in the modules that use tests/long_functions.py.
SPECIAL = [row for row in ROWS if row.namespace == "scipy.special" and row.family not in LONG]
EVERYWHERE = [-30.5, -8.25, -2.5, -1.0, -0.3, -1e-3, -1e-12, 1e-12, 1e-3, 0.3, 1.0, 2.5, 8.25, 30.5]
POSITIVE = [1e-300, 1e-12, 0.25, 0.999, 1.5, 2.0001, 7.5, 33.3, 1e3, 1e5]
PARAMETERS = [1e-3, 0.3, 0.9, 1.0, 2.5, 9.5, 20.0, 99.0, 120.0, 150.0, 900.0]
ANGLES = [-725.0, -100.0, -33.3, -1e-3, 1e-2, 0.5, 12.3, 44.9, 89.9, 91.0, 179.0, 200.0, 300.0, 1e6 + 1]
UNIT = [1e-300, 1e-12, 0.01, 0.3, 0.5, 0.75, 0.99, 1 - 1e-12]


@pytest.fixture(autouse=True)
def _digits():
    with mpmath.workdps(40):
        yield


def normal(x):
    return mpmath.ncdf(x)


def log_expit(x):
    return -mpmath.log1p(mpmath.exp(-x))


def logit(p):
    return mpmath.log(p) - mpmath.log1p(-p)


def quantile(p):
    """Find the normal quantile as a root of the logarithm of the cdf, which is smooth in the tails."""
    start = float(scipy.special.ndtri(float(p)))
    return mpmath.findroot(lambda x: mpmath.log(mpmath.ncdf(x)) - mpmath.log(p), start)


def inverse_erfc(y):
    return -quantile(y / 2) / mpmath.sqrt(2)


def gamma_below(a, x):
    return mpmath.gammainc(a, 0, x, regularized=True)


def gamma_above(a, x):
    return mpmath.gammainc(a, x, regularized=True)


def beta_below(a, b, x):
    return mpmath.betainc(a, b, 0, x, regularized=True)


def beta_above(a, b, x):
    return beta_below(b, a, 1 - x)


def fisher_above(a, b, x):
    return beta_below(b / 2, a / 2, b / (b + a * x))


def student(df, t):
    tail = beta_below(df / 2, mpmath.mpf(1) / 2, df / (df + t * t)) / 2
    return tail if t < 0 else 1 - tail


def box_cox(x, a):
    return (x**a - 1) / a


def huber(delta, r):
    return r * r / 2 if abs(r) <= delta else delta * (abs(r) - delta / 2)


def pseudo_huber(delta, r):
    return r * r / (1 + mpmath.sqrt(1 + (r / delta) ** 2))


def degrees(function):
    return lambda x: function(x * mpmath.pi / 180)


# Name to mpmath's function and the points of comparison.
REFERENCES = {
    "erf": (mpmath.erf, EVERYWHERE),
    "erfc": (mpmath.erfc, [*EVERYWHERE[:-1], 20.0]),
    "erfinv": (mpmath.erfinv, [-0.999, -0.5, -1e-9, 1e-9, 0.2, 0.7, 0.99999]),
    "erfcinv": (inverse_erfc, [1e-300, 1e-30, 0.01, 0.4, 0.6, 0.999, 1.2, 1.999]),
    "gammasgn": (lambda x: mpmath.sign(mpmath.gamma(x)), [-30.5, -7.25, -0.3, 0.5, 7.0]),
    "rgamma": (mpmath.rgamma, [-170.3, -10.5, -2.5, -0.3, 1e-9, 0.5, 1.5, 4.25, 33.3, 170.5, 175.0]),
    "loggamma": (mpmath.loggamma, POSITIVE),
    "zetac": (lambda x: mpmath.zeta(x) - 1, [-20.3, -7.5, -0.5, 1e-3, 0.9, 1.001, 2.5, 8.0, 55.5]),
    "gamma": (mpmath.gamma, [-10.5, -2.5, -0.3, 1e-9, 0.5, 1.5, 4.25, 33.3, 170.5]),
    "gammaln": (lambda x: mpmath.log(abs(mpmath.gamma(x))), [*POSITIVE, -2.7, -0.4]),
    "digamma": (mpmath.digamma, [*POSITIVE[1:], -2.7, -0.4]),
    "exp2": (lambda x: mpmath.mpf(2) ** x, EVERYWHERE),
    "expm1": (mpmath.expm1, EVERYWHERE),
    "log1p": (mpmath.log1p, POSITIVE),
    "round": (mpmath.nint, EVERYWHERE),
    "expit": (lambda x: 1 / (1 + mpmath.exp(-x)), EVERYWHERE),
    "logit": (logit, UNIT),
    "log_expit": (log_expit, EVERYWHERE),
    "ndtr": (normal, EVERYWHERE),
    "ndtri": (quantile, UNIT[1:-1]),
    "ndtri_exp": (lambda y: quantile(mpmath.exp(y)), [-80.0, -20.0, -3.0, -0.7, -0.6, -1e-3, -1e-12]),
    "log_ndtr": (lambda x: mpmath.log(normal(x)), EVERYWHERE),
    "entr": (lambda x: -x * mpmath.log(x), POSITIVE),
    "i0": (lambda x: mpmath.besseli(0, x), EVERYWHERE),
    "i0e": (lambda x: mpmath.besseli(0, x) * mpmath.exp(-abs(x)), EVERYWHERE),
    "i1": (lambda x: mpmath.besseli(1, x), EVERYWHERE),
    "i1e": (lambda x: mpmath.besseli(1, x) * mpmath.exp(-abs(x)), EVERYWHERE),
    "j0": (lambda x: mpmath.besselj(0, x), EVERYWHERE),
    "j1": (lambda x: mpmath.besselj(1, x), EVERYWHERE),
    "y0": (lambda x: mpmath.bessely(0, x), POSITIVE[1:]),
    "y1": (lambda x: mpmath.bessely(1, x), POSITIVE[1:]),
    "exp10": (lambda x: mpmath.mpf(10) ** x, EVERYWHERE),
    "cbrt": (lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)), EVERYWHERE),
    "xlogy": (lambda x, y: x * mpmath.log(y), POSITIVE),
    "xlog1py": (lambda x, y: x * mpmath.log1p(y), POSITIVE),
    "rel_entr": (lambda x, y: x * (mpmath.log(x) - mpmath.log(y)), POSITIVE[2:]),
    "kl_div": (lambda x, y: x * (mpmath.log(x) - mpmath.log(y)) - x + y, POSITIVE[2:]),
    "gammainc": (gamma_below, PARAMETERS),
    "gammaincc": (gamma_above, PARAMETERS),
    "chdtr": (lambda df, x: gamma_below(df / 2, x / 2), PARAMETERS),
    "chdtrc": (lambda df, x: gamma_above(df / 2, x / 2), PARAMETERS),
    "stdtr": (student, (PARAMETERS[:-2], [-7.5, -1.5, -0.25, -1e-6, 1e-3, 0.9, 2.0, 20.0])),
    "betainc": (beta_below, (PARAMETERS[1:-1], PARAMETERS[1:-1], UNIT[1:-1])),
    "betaincc": (beta_above, (PARAMETERS[1:-1], PARAMETERS[1:-1], UNIT[2:-1])),
    "fdtr": (lambda a, b, x: 1 - fisher_above(a, b, x), ([0.5, 3.0, 20.0], [1.0, 7.0], [0.5, 1.5, 4.0])),
    "cosdg": (degrees(mpmath.cos), ANGLES),
    "sindg": (degrees(mpmath.sin), ANGLES),
    "tandg": (degrees(mpmath.tan), ANGLES),
    "cotdg": (degrees(mpmath.cot), ANGLES),
    "cosm1": (lambda x: -2 * mpmath.sin(x / 2) ** 2, EVERYWHERE),
    "exprel": (lambda x: mpmath.expm1(x) / x, EVERYWHERE),
    "boxcox": (box_cox, (POSITIVE[1:], EVERYWHERE)),
    "boxcox1p": (lambda x, a: box_cox(1 + x, a), (POSITIVE[1:], EVERYWHERE)),
    "inv_boxcox": (lambda x, a: (1 + x * a) ** (1 / a), (POSITIVE[1:8], [0.3, 1.0, 2.5])),
    "inv_boxcox1p": (lambda x, a: (1 + x * a) ** (1 / a) - 1, (POSITIVE[1:8], [0.3, 1.0, 2.5])),
    "huber": (huber, (POSITIVE[1:], EVERYWHERE)),
    "pseudo_huber": (pseudo_huber, (POSITIVE[1:], EVERYWHERE)),
    "powm1": (lambda x, y: mpmath.expm1(y * mpmath.log(x)), (POSITIVE[1:], [-2.0, -0.3, 1e-12, 0.3, 3.0])),
    "radian": (lambda d, m, s: ((s / 60 + m) / 60 + d) * mpmath.pi / 180, POSITIVE[2:8]),
    "fdtrc": (fisher_above, ([0.5, 3.0, 20.0], [1.0, 7.0], [0.5, 1.5, 4.0, 40.0])),
}
# Oscillating functions: the error is relative to the amplitude.
AMPLITUDE = frozenset({"j0", "j1", "y0", "y1"})
TAILS = frozenset({"gammainc", "gammaincc", "chdtr", "chdtrc", "betainc", "betaincc"})
EDGES = np.array([0.0, -0.0, 1.0, -1.0, 2.0, -2.0, np.inf, -np.inf, np.nan, 0.5, -0.5])


def test_every_row_has_a_reference():
    assert {row.name for row in SPECIAL} == set(REFERENCES)


@pytest.mark.parametrize("char", "fd")
@pytest.mark.parametrize("name", sorted(REFERENCES))
def test_accuracy(name, char, device):
    function, points = REFERENCES[name]
    ufunc = plain(name)
    points = points if isinstance(points, tuple) else (points,) * ufunc.nin
    operands = [g.ravel() for g in np.meshgrid(*[np.array(p).astype(char) for p in points])]
    with np.errstate(all="ignore"):
        exact = (
            [function(*[mpmath.mpf(float(x)) for x in xs]) for xs in zip(*operands, strict=True)]
            if (char == "d")
            else None
        )
        wanted = (
            np.array([float(e) for e in exact])
            if exact is not None
            else ufunc(*[x.astype("d") for x in operands]).astype(char)
        )
    actual = ufunc(*[gpunp.asarray(x) for x in operands])
    assert actual.dtype == char
    actual = actual.get()
    finite = np.isfinite(wanted) & (np.abs(wanted) > np.finfo(char).smallest_normal)
    tolerance = 5e-14 if char == "d" else 2e-6
    floor = tolerance if name in AMPLITUDE else 0
    if name in TAILS:
        # A tail is computed as exp(log(tail)): the rounding error grows with |log(tail)|.
        tolerance = tolerance * np.maximum(1, -np.log(wanted[finite]) / 100)
    error = np.abs(actual[finite] - wanted[finite])
    assert (error <= tolerance * np.abs(wanted[finite]) + floor).all()


@pytest.mark.parametrize("name", sorted(REFERENCES))
def test_edges(name, device):
    ufunc = plain(name)
    operands = [g.ravel() for g in np.meshgrid(*[EDGES] * ufunc.nin)]
    with np.errstate(all="ignore"):
        expected = ufunc(*operands)
    actual = ufunc(*[gpunp.asarray(x) for x in operands]).get()
    if name == "powm1":
        # SciPy returns 0 where the power of a base below 1 overflows.
        expected[(operands[0] == 0.5) & (operands[1] == -np.inf)] = np.inf
    assert_same_class(actual, expected, signed_zero=False)
    finite = np.isfinite(expected)
    np.testing.assert_allclose(actual[finite], expected[finite], rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("char", "FD")
@pytest.mark.parametrize(
    "row", [r for r in SPECIAL if any(x.inputs[0] == "D" for x in r.loops)], ids=lambda r: r.name
)
def test_complex(row, char, device):
    random = np.random.default_rng(3)
    ufunc = plain(row.name)
    points = (random.normal(0, 2, (row.nin, 200)) + 1j * random.normal(0, 2, (row.nin, 200))).astype(char)
    expected = ufunc(*points)
    actual = ufunc(*[gpunp.asarray(x) for x in points])
    assert actual.dtype == expected.dtype
    tolerance = 1e-11 if char == "D" else 2e-5
    # SciPy's log_ndtr has an absolute error of 1e-14 where the result is small.
    np.testing.assert_allclose(actual.get(), expected, rtol=tolerance, atol=tolerance / 100)


@pytest.mark.parametrize("char", "?bBhHiIlLefd")
@pytest.mark.parametrize("name", ["exp2", "expm1", "log1p", "round", "cbrt", "i0"])
def test_names_that_numpy_has_too_are_scipys(name, char, device):
    """SciPy's rules for dtypes: float32 for narrow integers, booleans and float16."""
    ufunc = plain(name)
    host = np.array([0, 1, 3]).astype(char)
    actual = ufunc(gpunp.asarray(host))
    expected = ufunc(host)
    assert actual.dtype == expected.dtype
    np.testing.assert_allclose(actual.get(), expected, rtol=1e-6)
    assert getattr(gpunp.special, name)(gpunp.asarray(host)).dtype == expected.dtype


def test_rounding_is_scipys():
    host = np.array([0.5, 1.5, 2.5, -0.5, -0.3, -0.0, 0.0, -1.5, 1e300, np.inf, -np.inf, np.nan])
    actual, expected = plain("round")(gpunp.asarray(host)).get(), plain("round")(host)
    np.testing.assert_array_equal(actual, expected)
    np.testing.assert_array_equal(np.signbit(actual), np.signbit(expected))


def test_errors_and_names_say_scipy():
    for name in ("log1p", "exp2", "round"):
        with pytest.raises(TypeError, match=rf"scipy\.special\.{name}"):
            getattr(gpunp.special, name)(None)
        assert repr(getattr(gpunp.special, name)) == f"<gpunp ufunc 'scipy.special.{name}'>"
        assert getattr(gpunp.special, name).__doc__.startswith(f"{name}(x, /")
    with pytest.raises(TypeError, match=r"scipy\.special\.log1p: out is a host array"):
        plain("log1p")(gpunp.ones(2), out=np.zeros(2))
    with pytest.raises(TypeError, match=r"numpy\.log1p: out is a host array"):
        np.log1p(gpunp.ones(2), out=np.zeros(2))
    with pytest.raises(TypeError, match=r"numpy\.clip: out is a host array"):
        np._core.umath.clip(gpunp.ones(2), 0, 1, out=np.zeros(2))
