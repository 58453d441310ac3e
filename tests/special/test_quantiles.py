"""Quantiles and parameters of distributions in scipy.special, compared with roots that mpmath finds."""

import mpmath
import numpy as np
import pytest
import scipy
from incomplete_functions import beta_below, gamma_above, gamma_below, inverse
from long_functions import EDGES, accuracy_test, assert_as_scipy, grid_of, plain

import gpunp

SHAPES = [0.3, 1.0, 4.5, 60.0]
PROBABILITIES = [1e-9, 0.03, 0.5, 0.9, 0.999]
COUNTS = [0, 1, 7, 40]


def fisher(a, b, x):
    return beta_below(a / 2, b / 2, a * x / (b + a * x))


def student(df, t):
    tail = beta_below(df / 2, mpmath.mpf(1) / 2, df / (df + t * t)) / 2
    return tail if t < 0 else 1 - tail


def binomial(k, n, p):
    return beta_below(n - k, k + 1, 1 - p)


def negative_binomial(k, n, p):
    return beta_below(n, k + 1, p)


# Name to the distribution as a function of the result, the probability's place, and the points.
QUANTILES = {
    "gammaincinv": (lambda x, a: gamma_below(a, x), 1, (SHAPES, PROBABILITIES)),
    "gammainccinv": (lambda x, a: gamma_above(a, x), 1, (SHAPES, PROBABILITIES)),
    "chdtri": (lambda x, df: gamma_above(df / 2, x / 2), 1, (SHAPES, PROBABILITIES)),
    "betaincinv": (lambda x, a, b: beta_below(a, b, x), 2, (SHAPES, SHAPES, PROBABILITIES)),
    "betainccinv": (lambda x, a, b: beta_below(b, a, 1 - x), 2, (SHAPES, SHAPES[1:], PROBABILITIES)),
    "fdtri": (lambda x, a, b: fisher(a, b, x), 2, (SHAPES, SHAPES, PROBABILITIES[1:])),
    "stdtrit": (lambda t, df: student(df, t), 1, (SHAPES, [1e-9, 0.03, 0.4, 0.7, 0.99])),
    "gdtrix": (lambda x, a, b: gamma_below(b, a * x), 2, ([0.5, 3.0], SHAPES, PROBABILITIES)),
    "gdtria": (lambda a, b, x: gamma_below(b, a * x), 0, (PROBABILITIES, SHAPES, [0.5, 3.0])),
    "bdtri": (lambda p, k, n: binomial(k, n, p), 2, ([0, 1, 7], [8, 9, 50], PROBABILITIES)),
    "nbdtri": (lambda p, k, n: negative_binomial(k, n, p), 2, (COUNTS, [1, 2, 30], PROBABILITIES)),
    "pdtri": (lambda m, k: gamma_above(k + 1, m), 1, (COUNTS, PROBABILITIES)),
}
PARAMETERS = {
    "chdtriv": (lambda df, x: gamma_below(df / 2, x / 2), 0, (PROBABILITIES[1:], [0.4, 3.0, 50.0])),
    "gdtrib": (lambda b, a, x: gamma_below(b, a * x), 1, ([0.5, 3.0], PROBABILITIES[1:], [0.4, 3.0, 50.0])),
    "pdtrik": (lambda k, m: gamma_above(k + 1, m), 0, ([0.3, 0.9, 0.999], [2.5, 30.0])),
    "btdtria": (lambda a, b, x: beta_below(a, b, x), 0, (PROBABILITIES, SHAPES, [0.1, 0.7])),
    "btdtrib": (lambda b, a, x: beta_below(a, b, x), 1, (SHAPES, PROBABILITIES, [0.1, 0.7])),
    "bdtrik": (binomial, 0, ([0.3, 0.9, 0.999], [20.0, 101.5], [0.2, 0.7])),
    "bdtrin": (lambda n, k, p: binomial(k, n, p), 1, ([1.0, 7.5, 40.0], PROBABILITIES[1:], [0.2, 0.7])),
    "nbdtrik": (negative_binomial, 0, ([0.3, 0.9, 0.999], [20.0, 101.5], [0.2, 0.6])),
    "nbdtrin": (
        lambda n, k, p: negative_binomial(k, n, p),
        1,
        ([1.0, 7.5, 40.0], PROBABILITIES[1:], [0.2, 0.7]),
    ),
    "fdtridfd": (lambda b, a, x: fisher(a, b, x), 1, ([0.7, 3.0], [0.3, 0.8], [4.0, 9.0])),
    "stdtridf": (lambda df, t: student(df, t), 0, ([0.97, 0.99, 0.995], [3.0, 4.0])),
}
REFERENCES = {
    name: (inverse(name, distribution, place), points, None)
    for name, (distribution, place, points) in (QUANTILES | PARAMETERS).items()
}
# The condition of the smallest arguments, and of parameters.
TOLERANCE = dict.fromkeys(PARAMETERS, 2e-12) | dict.fromkeys(QUANTILES, 1e-12)
COUNTED = ("bdtri", "nbdtri", "pdtri")
# SciPy's results are of the wrong sign for p = 0, or depend on the path of a search.
ARBITRARY = ("stdtrit", "stdtridf")
if np.lib.NumpyVersion(scipy.__version__) < "1.18.0":
    # It has values outside of the domains.
    ARBITRARY += ("bdtrik", "bdtrin", "nbdtrik", "nbdtrin")
test_accuracy = accuracy_test(REFERENCES, TOLERANCE)


@pytest.mark.parametrize("name", sorted(set(REFERENCES) - set(COUNTED) - set(ARBITRARY)))
def test_edges(name, device):
    # SciPy takes -0 for a number below zero in some functions.
    points = EDGES[[0, 2, 3, 4, 5, 6, 7, 8]]
    operands = grid_of([points] * plain(name).nin)
    if name == "gdtria":
        operands = [x[(operands[1] > 0) | (operands[1] < 0)] for x in operands]
    if name.startswith("beta"):
        # SciPy has a value for a = 1 or b = 1 if the other one is infinite, and NaN for others.
        operands = [x[np.isfinite(operands[0]) & np.isfinite(operands[1])] for x in operands]
    assert_as_scipy(name, operands, rtol=1e-9)


@pytest.mark.parametrize("name", COUNTED)
def test_integers(name, device):
    k, p = np.array([-2, -1, 0, 1, 2, 5, 6]), np.array([-0.5, 0.0, 0.2, 0.5, 1.0, 1.5, np.nan])
    n = np.array([-1, 0, 1, 2, 5])
    first = k.astype("d") if name == "bdtri" else k
    assert_as_scipy(name, grid_of([first, p] if name == "pdtri" else [first, n, p]), rtol=1e-12)


def test_student_quantiles_at_the_ends(device):
    df, p = grid_of([np.array([0.5, 1.0, 30.0, np.inf]), np.array([0.0, 1.0, -0.1, 1.1, np.nan])])
    expected = np.select([p == 0, p == 1], [-np.inf, np.inf], np.nan)
    np.testing.assert_array_equal(plain("stdtrit")(gpunp.asarray(df), gpunp.asarray(p)).get(), expected)


def test_quantiles_of_many_shapes(device):
    """The inverse functions undo the distribution functions, from 1e-300 on."""
    random = np.random.default_rng(5)
    a, b = 10 ** random.uniform(-2, 4, (2, 3000))
    p = np.concatenate([random.uniform(0, 1, 1500), 10 ** random.uniform(-300, 0, 1500)])
    a, b, p = (gpunp.asarray(x) for x in (a, b, p))
    for name, below in (("gammaincinv", plain("gammainc")), ("gammainccinv", plain("gammaincc"))):
        x = plain(name)(a, p)
        error = np.abs(below(a, x) / p - 1).get()
        assert error[(x > 1e-290).get()].max() < 1e-11
    x = plain("betaincinv")(a, b, p)
    # Elsewhere the distance from 1 has few digits.
    inside = ((x > 1e-290) & (x < 0.9)).get()
    assert np.abs(plain("betainc")(a, b, x) / p - 1).get()[inside].max() < 1e-10
