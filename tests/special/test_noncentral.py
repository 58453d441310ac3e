"""Noncentral distributions, and those of Kolmogorov and Smirnov, compared with mpmath and SciPy."""

import mpmath
import numpy as np
import pytest
import scipy.special
from incomplete_functions import beta_below, gamma_below, inverse
from long_functions import EDGES, accuracy_test, assert_as_scipy, grid_of, plain

import gpunp

POINTS = EDGES[[0, 2, 3, 4, 5, 6, 7, 8]]


def mixture(term, mean):
    """Return the mean of a function of a Poisson variable."""
    mode = int(mean)
    weight = mpmath.exp(-mean) * mean**mode / mpmath.factorial(mode)
    total = weight * term(mode)
    for step in (1, -1):
        part, j = weight, mode
        while j + step >= 0:
            part *= mean / (j + 1) if step > 0 else j / mean
            j += step
            value = part * term(j)
            total += value
            if part < mpmath.mpf(10) ** -30 and value < total * mpmath.mpf(10) ** -20:
                break
    return total


def chi_square(x, df, nc):
    return mixture(lambda j: gamma_below(df / 2 + j, x / 2), nc / 2)


def fisher(dfn, dfd, nc, f):
    x = dfn * f / (dfd + dfn * f)
    return mixture(lambda j: beta_below(dfn / 2 + j, dfd / 2, x), nc / 2)


def student(df, nc, t):
    """Return the mean of a normal probability over a scaled chi variable, by a sum over its logarithm."""
    scale = mpmath.log(2) + df / 2 * mpmath.log(df / 2) - mpmath.loggamma(df / 2)
    step = 1 / mpmath.sqrt(100 + 10 * df + 5 * nc * nc)
    first, last = int(-(50 / df + 2) / step), int(mpmath.log(3 + 100 / df) / step)

    def value(u):
        return mpmath.exp(scale + df * u - df * mpmath.exp(2 * u) / 2) * mpmath.ncdf(t * mpmath.exp(u) - nc)

    return step * mpmath.fsum(value(k * step) for k in range(first, last))


def kolmogorov(x):
    x = x.real
    if x > 1:
        return 2 * mpmath.fsum((-1) ** (k - 1) * mpmath.exp(-2 * k * k * x * x) for k in range(1, 20))
    terms = (mpmath.exp(-((2 * k - 1) ** 2) * mpmath.pi**2 / (8 * x * x)) for k in range(1, 20))
    return 1 - mpmath.sqrt(2 * mpmath.pi) / x * mpmath.fsum(terms)


def smirnov(n, x):
    """Return Birnbaum and Tingey's sum."""
    n, x = int(n.real), x.real

    def term(j):
        part = x + mpmath.mpf(j) / n
        return mpmath.binomial(n, j) * x * part ** (j - 1) * (1 - part) ** (n - j)

    return mpmath.fsum(term(j) for j in range(int(mpmath.floor(n * (1 - x))) + 1))


def of_real(function, digits=25):
    """Return a function of complex numbers whose imaginary parts are zero."""

    def value(*operands):
        with mpmath.workdps(digits):
            return function(*[x.real for x in operands])

    return value


DEGREES, NONCENTRALITY = [0.7, 4.0, 31.5], [0.2, 3.0, 40.0]
DISTRIBUTIONS = {
    "chndtr": (of_real(chi_square), ([0.1, 2.0, 50.0], DEGREES, NONCENTRALITY), None),
    "ncfdtr": (of_real(fisher), (DEGREES, [1.5, 20.0], NONCENTRALITY, [0.1, 1.2, 5.0]), None),
    "nctdtr": (of_real(student), ([1.5, 12.0], [-2.5, 0.3, 4.0], [-3.0, -0.2, 1.5, 6.0]), None),
}
# The distribution as a function of the result, the probability's place, and the points. Each has one root.
INVERSES = {
    "chndtrix": (chi_square, 0, ([0.02, 0.6, 0.99], DEGREES, NONCENTRALITY[:2])),
    "chndtridf": (lambda df, x, nc: chi_square(x, df, nc), 1, ([10.0, 50.0], [0.1, 0.5], NONCENTRALITY[:2])),
    "chndtrinc": (lambda nc, x, df: chi_square(x, df, nc), 2, ([50.0, 80.0], [4.0, 31.5], [0.1, 0.5])),
    "ncfdtri": (
        lambda f, a, b, nc: fisher(a, b, nc, f),
        3,
        ([4.0], [1.5, 20.0], [0.2, 3.0], [0.02, 0.6, 0.9]),
    ),
    "ncfdtridfd": (lambda b, a, nc, f: fisher(a, b, nc, f), 1, ([4.0], [0.82, 0.86], [3.0], [4.0])),
    "ncfdtridfn": (lambda a, b, nc, f: fisher(a, b, nc, f), 0, ([0.8, 0.9], [30.0], [3.0], [3.0, 4.0])),
    "ncfdtrinc": (lambda nc, a, b, f: fisher(a, b, nc, f), 2, ([4.0], [20.0], [0.1, 0.5], [4.0, 6.0])),
    "nctdtrit": (lambda t, df, nc: student(df, nc, t), 2, ([5.0], [-2.5, 0.4], [0.05, 0.6, 0.95])),
    "nctdtridf": (lambda df, nc, t: student(df, nc, t), 0, ([0.8, 0.9], [0.4], [2.0, 3.0])),
    "nctdtrinc": (lambda nc, df, t: student(df, nc, t), 1, ([5.0], [0.05, 0.6, 0.95], [-1.5, 2.0])),
    "smirnovi": (lambda x, n: smirnov(n, x), 1, ([2, 5, 30], [1e-9, 0.03, 0.4, 0.8, 0.99])),
}
REFERENCES = DISTRIBUTIONS | {
    "kolmogorov": (kolmogorov, [0.06, 0.3, 0.8, 0.83, 1.5, 4.0, 9.0], None),
    "kolmogi": (inverse("kolmogi", kolmogorov, 0), [1e-9, 0.03, 0.4, 0.7, 0.99], None),
    "smirnov": (smirnov, ([1, 2, 5, 30, 200], [0.004, 0.03, 0.3, 0.61, 0.97]), None),
    **{
        # SciPy's result is the bound of its search for this one.
        name: (inverse(name, f, place, 5 if name == "ncfdtridfd" else None), points, None)
        for name, (f, place, points) in INVERSES.items()
    },
}
TOLERANCE = dict.fromkeys(INVERSES, 1e-11) | {"smirnov": 1e-13, "kolmogorov": 1e-13}
# SciPy truncates numbers of observations with a warning.
COUNTED = ("smirnov", "smirnovi", "_smirnovc", "_smirnovci", "_smirnovp")
test_accuracy = accuracy_test(REFERENCES, TOLERANCE)


@pytest.mark.parametrize("name", ["chndtr", "chndtrix", "chndtrinc", "kolmogorov", "kolmogi", "nctdtr"])
def test_edges(name, device):
    assert_as_scipy(name, grid_of([POINTS] * plain(name).nin), rtol=1e-9)


@pytest.mark.parametrize("name", ["ncfdtr", "ncfdtri"])
def test_edges_of_fisher(name, device):
    assert_as_scipy(name, grid_of([POINTS[[0, 1, 2, 4, 6, 7]]] * 4), rtol=1e-9)


@pytest.mark.parametrize("name", COUNTED)
def test_smirnov_of_integers(name, device):
    n, x = (
        np.array([-1, 0, 1, 2, 5, 20, 1000]),
        np.array([-0.5, 0.0, 1e-5, 0.02, 0.45, 0.9, 1.0, 1.5, np.nan]),
    )
    operands = grid_of([n, x])
    ufunc = getattr(scipy.special._ufuncs, name)
    expected = ufunc(*operands)
    actual = ufunc(*[gpunp.asarray(v) for v in operands]).get()
    np.testing.assert_allclose(actual, expected, rtol=2e-11, atol=1e-300)


@pytest.mark.parametrize("name", ["_kolmogc", "_kolmogci", "_kolmogp"])
def test_private_ufuncs_of_kolmogorov(name, device):
    ufunc = getattr(scipy.special._ufuncs, name)
    x = np.array([0.0, 0.05, 0.3, 0.81, 0.83, 0.99, np.nan])
    if not name.endswith("i"):
        x = np.append(x, [1.2, 3.0, np.inf])
    # SciPy's density has 8 digits near 0.83.
    rtol = 1e-7 if name == "_kolmogp" else 1e-11
    np.testing.assert_allclose(ufunc(gpunp.asarray(x)).get(), ufunc(x), rtol=rtol)


# Invalid parameters of the functions whose other results at the edges depend on the path of SciPy's search.
INVALID = {
    "chndtridf": ((-1.0, 0.5, 1.0), (1.0, 1.5, 1.0), (1.0, 0.5, -1.0)),
    "ncfdtridfd": ((-1.0, 0.5, 1.0, 2.0), (1.0, 1.5, 1.0, 2.0), (1.0, 0.5, -1.0, 2.0), (1.0, 0.5, 1.0, -2.0)),
    "ncfdtridfn": ((0.5, -1.0, 1.0, 2.0), (1.5, 1.0, 1.0, 2.0), (0.5, 1.0, -1.0, 2.0), (0.5, 1.0, 1.0, -2.0)),
    "ncfdtrinc": ((-1.0, 2.0, 0.5, 2.0), (1.0, -2.0, 0.5, 2.0), (1.0, 2.0, 1.5, 2.0), (1.0, 2.0, 0.5, -2.0)),
    "nctdtrit": ((-1.0, 0.5, 0.5), (1.0, 0.5, 1.5), (1.0, 0.5, -0.5)),
    "nctdtridf": ((-0.5, 1.0, 1.0), (1.5, 1.0, 1.0)),
    "nctdtrinc": ((-1.0, 0.5, 1.0), (1.0, 1.5, 1.0)),
}


@pytest.mark.parametrize("name", sorted(INVALID))
def test_invalid_parameters(name, device):
    ufunc = plain(name)
    rows = [
        *INVALID[name],
        *([1.0 if k != i else np.nan for k in range(ufunc.nin)] for i in range(ufunc.nin)),
    ]
    for row in rows:
        assert np.isnan(ufunc(*row))
        assert np.isnan(ufunc(*[gpunp.asarray([x]) for x in row]).get()[0])


def test_inverses_undo_distributions(device):
    """Also far in the tails, where SciPy's searches end early."""
    random = np.random.default_rng(2)
    count = 300
    df, nc, b = 10 ** random.uniform(-0.5, 2, (3, count))
    p = np.concatenate([random.uniform(0, 1, count // 2), 10 ** random.uniform(-12, 0, count // 2)])
    df, nc, b, p = (gpunp.asarray(x) for x in (df, nc, b, p))
    found = {
        "chndtr": plain("chndtr")(plain("chndtrix")(p, df, nc), df, nc),
        "ncfdtr": plain("ncfdtr")(df, b, nc, plain("ncfdtri")(df, b, nc, p)),
        "nctdtr": plain("nctdtr")(df, nc, plain("nctdtrit")(df, nc, p)),
    }
    for name, back in found.items():
        np.testing.assert_allclose(back.get(), p.get(), rtol=1e-11, err_msg=name)


def test_many_observations(device):
    """Beyond 1e6 an expansion replaces the sum; both agree where they meet."""
    x = np.array([0.3, 1.0, 2.0]) / 1e3
    smirnov_ufunc = plain("smirnov")
    below, above = (smirnov_ufunc(n, gpunp.asarray(x)).get() for n in (10**6, 10**6 + 1))
    np.testing.assert_allclose(below, above, rtol=2e-5)
    assert (np.diff(above) < 0).all()
