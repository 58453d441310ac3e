"""Binomial coefficients and distribution functions of scipy.special, compared with mpmath and SciPy."""

import mpmath
import numpy as np
import pytest
from incomplete_functions import beta_below, gamma_above, gamma_below
from long_functions import EDGES, accuracy_test, assert_as_scipy, edge_test, grid_of, plain

import gpunp

COUNTS = [0, 1, 4, 17, 60]
SIZES = [1e-3, 0.4, 1.0, 2.5, 9.0, 30.5, 120.0]
SIGNED = [-33.1, -9.5, -2.25, -0.4, 1e-3, 0.7, 2.0, 9.5, 20.25, 150.5]
UNIT = [1e-9, 0.02, 0.3, 0.5, 0.8, 0.99]


def binomial_tail(a, b, x):
    """Return I_x(a, b), and for a = 0 or b = 0 its limit."""
    if a == 0 or b == 0:
        return mpmath.mpf(int(a == 0))
    with mpmath.workdps(60):
        return beta_below(a, b, x)


def of_real(function):
    """Return a function of complex numbers whose imaginary parts are zero."""
    return lambda *operands: function(*[x.real for x in operands])


def owens_t(h, a):
    h, a = h.real, a.real
    nodes = mpmath.linspace(0, min(abs(a), 14 / abs(h)), 9)
    with mpmath.workdps(25):
        value = mpmath.quad(lambda t: mpmath.exp(-h * h * (1 + t * t) / 2) / (1 + t * t), nodes)
        return mpmath.sign(a) * value / (2 * mpmath.pi)


def tukey(x, shape):
    """Solve for log(p / (1 - p)), as p may be tiny."""
    x, shape = x.real, shape.real

    def excess(u):
        p, q = 1 / (1 + mpmath.exp(-u)), 1 / (1 + mpmath.exp(u))
        return (mpmath.log(p / q) if shape == 0 else (p**shape - q**shape) / shape) - x

    with mpmath.workdps(30):
        low, high = mpmath.mpf(-60), mpmath.mpf(60)
        for _ in range(110):
            middle = (low + high) / 2
            low, high = (middle, high) if excess(middle) < 0 else (low, middle)
        return 1 / (1 + mpmath.exp(-low))


def log_beta(a, b):
    return mpmath.log(abs(mpmath.beta(a, b)))


# Numbers of successes up to the number of trials.
BINOMIAL = ([0, 1, 4, 17], [17, 18, 60, 300], UNIT)
NEGATIVE_BINOMIAL = (COUNTS, [1, 2, 9, 40], UNIT)
REFERENCES = {
    "beta": (mpmath.beta, SIGNED, None),
    "betaln": (log_beta, SIGNED, None),
    "binom": (mpmath.binomial, (SIGNED, [*SIGNED, *COUNTS]), None),
    "poch": (mpmath.rf, (SIGNED, [*SIGNED[2:], *COUNTS]), None),
    "bdtr": (of_real(lambda k, n, p: binomial_tail(n - k, k + 1, 1 - p)), BINOMIAL, None),
    "bdtrc": (of_real(lambda k, n, p: binomial_tail(k + 1, n - k, p)), BINOMIAL, None),
    "nbdtr": (of_real(lambda k, n, p: binomial_tail(n, k + 1, p)), NEGATIVE_BINOMIAL, None),
    "nbdtrc": (of_real(lambda k, n, p: binomial_tail(k + 1, n, 1 - p)), NEGATIVE_BINOMIAL, None),
    "pdtr": (of_real(lambda k, m: gamma_above(mpmath.floor(k) + 1, m)), ([*COUNTS, 2.7], SIZES), None),
    "pdtrc": (of_real(lambda k, m: gamma_below(mpmath.floor(k) + 1, m)), ([*COUNTS, 2.7], SIZES), None),
    "gdtr": (of_real(lambda a, b, x: gamma_below(b, a * x)), ([0.5, 3.0], SIZES, SIZES[:-1]), None),
    "gdtrc": (of_real(lambda a, b, x: gamma_above(b, a * x)), ([0.5, 3.0], SIZES, SIZES[:-1]), None),
    "nrdtrimn": (
        lambda p, s, x: x - s * mpmath.sqrt(2) * mpmath.erfinv(2 * p - 1),
        ([0.02, 0.3, 0.8, 0.99], [0.5, 3.0], [-7.0, 10.0]),
        None,
    ),
    "nrdtrisd": (
        lambda m, p, x: (x - m) / (mpmath.sqrt(2) * mpmath.erfinv(2 * p - 1)),
        ([0.5, 3.0], [0.02, 0.3, 0.8, 0.99], [-7.0, 10.0]),
        None,
    ),
    "owens_t": (owens_t, ([-8.0, -1.2, 1e-3, 0.7, 3.0], [-2.5, -0.9, 1e-6, 0.3, 1.0, 1.1, 20.0]), None),
    "tklmbda": (tukey, ([-6.5, -1.2, -0.3, 0.01, 0.4, 2.0], [-1.5, -0.1, 0.0, 1e-7, 0.14]), None),
}
# Logarithms near zero, and tails as powers, cost digits.
TOLERANCE = {"betaln": 2e-13, "bdtr": 2e-13, "bdtrc": 2e-13, "nbdtr": 2e-13, "nbdtrc": 2e-13}
TOLERANCE |= {"pdtr": 2e-13, "pdtrc": 2e-13, "gdtr": 2e-13, "gdtrc": 2e-13, "poch": 1e-13, "binom": 1e-13}
# SciPy warns of numbers of events that are not integers, and of all of binomial distributions as floats.
COUNTED = ("bdtr", "bdtrc", "nbdtr", "nbdtrc")
# SciPy's values at poles and infinities depend on the order of its tests, and its lambda is finite.
ARBITRARY = ("beta", "betaln", "poch", "tklmbda")

test_accuracy = accuracy_test(REFERENCES, TOLERANCE)
test_edges = edge_test(set(REFERENCES) - set(COUNTED) - set(ARBITRARY))


@pytest.mark.parametrize("name", COUNTED)
def test_integers(name, device):
    k, p = np.array([-2, -1, 0, 1, 2, 5, 6]), np.array([-0.5, 0.0, 0.2, 0.5, 1.0, 1.5, np.nan])
    n = np.array([-1, 0, 1, 2, 5])
    first = k.astype("d") if name.startswith("bdtr") else k
    assert_as_scipy(name, grid_of([first, n, p]), rtol=1e-12)


@pytest.mark.parametrize("name", ARBITRARY)
def test_finite_edges(name, device):
    points = EDGES[[0, 2, 3, 4, 8]]
    other = points[points > 0] if name.startswith("beta") else points
    if name == "tklmbda":
        points = EDGES[[0, 2, 3, 4, 7, 8]]
    assert_as_scipy(name, grid_of([points, other]), rtol=1e-12)


def test_beta_of_large_numbers_is_accurate(device):
    """SciPy loses half of the digits."""
    operands = np.array([1e5, 1e8, 3e10, 2e5]), np.array([0.5, 20.0, 3.5, 1e5])
    for name, function in (("beta", mpmath.beta), ("betaln", log_beta)):
        with mpmath.workdps(60):
            wanted = [float(function(mpmath.mpf(a), mpmath.mpf(b))) for a, b in zip(*operands, strict=True)]
        actual = plain(name)(*[gpunp.asarray(x) for x in operands]).get()
        np.testing.assert_allclose(actual, wanted, rtol=1e-13)


@pytest.mark.parametrize("a", [1e6, 1e8, 1e10, 1e12])
def test_beta_distribution_of_large_parameters(a, device):
    """It is close to the normal distribution; SciPy has four digits at 1e12."""
    x = gpunp.asarray([0.5, 0.5 - 1 / np.sqrt(8 * a)])
    actual = plain("betainc")(a, a, x).get()
    np.testing.assert_allclose(actual, [0.5, float(mpmath.ncdf(-1))], rtol=1e-9)


def test_beta_distribution_of_small_parameters(device):
    """The complement of a sum near 1."""
    a, b, x = grid_of([[0.05, 1.3, 8.0], [1e-14, 1e-5, 0.1, 0.29], [0.92, 0.999]])
    wanted = [float(binomial_tail(*[mpmath.mpf(float(v)) for v in xs])) for xs in zip(a, b, x, strict=True)]
    actual = plain("betainc")(*[gpunp.asarray(v) for v in (a, b, x)]).get()
    np.testing.assert_allclose(actual, wanted, rtol=5e-14)
