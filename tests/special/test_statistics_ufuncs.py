"""The private ufuncs behind scipy.stats, compared with SciPy."""

import mpmath
import numpy as np
import pytest
import scipy.special
from long_functions import grid_of

import gpunp

P = [1e-6, 0.04, 0.3, 0.5, 0.77, 0.999]
SHAPES = [0.4, 1.0, 3.5, 60.0]
COUNTS = [0, 1, 4, 17, 60]
MARKED, SAMPLE, ALL = [3, 20, 35], [5, 12, 30], [40, 41, 300]
DEGREES, NONCENTRALITY = [0.7, 4.0, 31.5], [0.2, 3.0, 40.0]
POINTS = [0.1, 1.5, 9.0, 60.0]
SIGNED = [-2.5, 0.0, 0.4, 3.0]
BINOMIAL, NEGATIVE_BINOMIAL = (COUNTS, [60, 61, 300], P), (COUNTS, SHAPES, P)
HYPERGEOMETRIC, CHI_SQUARE = ([0, 2, 3, 5], MARKED, SAMPLE, ALL), (POINTS, DEGREES, NONCENTRALITY)
FISHER, STUDENT = (POINTS[:3], DEGREES, [5.0, 20.0], NONCENTRALITY), (SIGNED, [2.5, 8.0, 40.0], SIGNED)
# The name to the operands, of which all combinations are compared.
OPERANDS = {
    "_beta_pdf": (P, SHAPES, SHAPES),
    "_beta_ppf": (P, SHAPES, SHAPES),
    **dict.fromkeys(["_binom_pmf", "_binom_cdf", "_binom_sf"], BINOMIAL),
    **dict.fromkeys(["_binom_ppf", "_binom_isf"], ([0.0, *P, 1.0], [1, 7, 60, 1000], [0.1, 0.5, 0.9])),
    **dict.fromkeys(["_nbinom_pmf", "_nbinom_cdf", "_nbinom_sf"], NEGATIVE_BINOMIAL),
    **dict.fromkeys(["_nbinom_ppf", "_nbinom_isf"], (P, SHAPES, [0.1, 0.5, 0.9])),
    **dict.fromkeys(
        ["_nbinom_mean", "_nbinom_variance", "_nbinom_skewness", "_nbinom_kurtosis_excess"], (SHAPES, P)
    ),
    **dict.fromkeys(["_hypergeom_pmf", "_hypergeom_cdf", "_hypergeom_sf"], HYPERGEOMETRIC),
    **dict.fromkeys(["_hypergeom_mean", "_hypergeom_variance", "_hypergeom_skewness"], (MARKED, SAMPLE, ALL)),
    **dict.fromkeys(["_cauchy_ppf", "_cauchy_isf"], (P, SIGNED, SHAPES)),
    "_cosine_cdf": ([-4.0, -3.14159, -3.1, -2.0, -0.5, 0.0, 1.0, 2.9, 3.2],),
    "_cosine_invcdf": ([0.0, 1e-12, *P, 1.0],),
    "_log1mexp": ([-700.0, -30.0, -0.7, -0.69, -1e-3, -1e-12],),
    "_scaled_exp1": ([0.0, 1e-9, 0.3, 0.99, 1.01, 4.5, 80.0, 1e12, np.inf],),
    "_gen_harmonic": ([1, 2, 19, 60, 1234], [-3.5, -0.3, 0.0, 0.7, 1.0, 1.0001, 2.5, 40.0]),
    "_normalized_gen_harmonic": ([1, 5], [5, 33], [33, 700], [-2.5, 0.0, 0.7, 1.0, 3.3]),
    **dict.fromkeys(["_ncx2_pdf", "_ncx2_sf"], CHI_SQUARE),
    "_ncx2_isf": (P, DEGREES, NONCENTRALITY),
    **dict.fromkeys(["_ncf_pdf", "_ncf_sf"], FISHER),
    "_ncf_isf": (P[1:5], DEGREES, [5.0, 20.0], NONCENTRALITY),
    **dict.fromkeys(
        ["_ncf_mean", "_ncf_variance", "_ncf_skewness", "_ncf_kurtosis_excess"],
        (DEGREES, [1.0, 3.0, 5.0, 7.0, 9.5, 30.0], NONCENTRALITY),
    ),
    **dict.fromkeys(["_nct_pdf", "_nct_sf"], STUDENT),
    "_nct_isf": (P[1:5], [2.5, 8.0, 40.0], SIGNED),
    **dict.fromkeys(
        ["_nct_mean", "_nct_variance", "_nct_skewness"], ([0.5, 1.5, 2.5, 3.5, 4.5, 200.0], SIGNED)
    ),
    # SciPy has 1 for the central distribution.
    "_nct_kurtosis_excess": ([0.5, 1.5, 2.5, 3.5, 4.5, 200.0], [-2.5, 0.4, 3.0]),
    **dict.fromkeys(
        ["_landau_pdf", "_landau_cdf", "_landau_sf"],
        ([-3.0, -1.0, 0.0, 2.5, 30.0, 1e7], [0.0, 0.5], [1.0, 2.0]),
    ),
    **dict.fromkeys(["_landau_ppf", "_landau_isf"], ([0.0, *P, 1.0], [0.0, 0.5], [1.0, 2.0])),
    "_skewnorm_cdf": ([-1.0, 0.0, 0.7, 3.0], [0.0, 0.5], [1.0, 2.0], SIGNED),
    **dict.fromkeys(["_skewnorm_ppf", "_skewnorm_isf"], (P[1:5], [0.0, 0.5], [1.0, 2.0], SIGNED)),
}
# Moments about the mean are differences of larger numbers, and SciPy's tails have 8 digits.
TOLERANCE = {"_nct_sf": 1e-7, "_nct_kurtosis_excess": 1e-8, "_nct_skewness": 1e-9}


@pytest.mark.parametrize("char", "fd")
@pytest.mark.parametrize("name", sorted(OPERANDS))
def test_as_scipy(name, char, device):
    ufunc = getattr(scipy.special._ufuncs, name)
    operands = [x.astype(char) for x in grid_of(OPERANDS[name])]
    if "harmonic" in name:
        operands = [x.astype("d") for x in operands]
    # SciPy computes float32 in float32, so it is the double loop that ours are compared with.
    expected = ufunc(*[x.astype("d") for x in operands])
    actual = ufunc(*[gpunp.asarray(x) for x in operands])
    assert actual.dtype == ufunc.resolve_dtypes((*[x.dtype for x in operands], None))[-1]
    rtol = TOLERANCE.get(name, 1e-11) if char == "d" else 3e-6
    # Quantiles of whole numbers jump where a probability is rounded.
    if char == "f" and name in ("_binom_ppf", "_binom_isf", "_nbinom_ppf", "_nbinom_isf"):
        rtol = 0.5
    with np.errstate(over="ignore"):
        expected = expected.astype(actual.dtype)
    tiny = np.finfo(actual.dtype).smallest_normal
    np.testing.assert_allclose(
        actual.get(), expected, rtol=rtol, atol=max(tiny, 1e-16 if char == "d" else 1e-7)
    )


def test_quantiles_undo_probabilities_of_whole_numbers(device):
    special = scipy.special._ufuncs
    k, n, p = (gpunp.asarray(x) for x in grid_of([np.arange(40.0), [40.0, 900.0], [0.03, 0.4]]))
    pairs = [(special._binom_cdf, special._binom_ppf), (special._binom_sf, special._binom_isf)]
    pairs += [(special._nbinom_cdf, special._nbinom_ppf), (special._nbinom_sf, special._nbinom_isf)]
    for forth, back in pairs:
        probability = forth(k, n, p).get()
        # Where the probability is nearly 0 or 1, the count is lost.
        kept = (probability > 1e-290) & (probability < 1 - 1e-12)
        found = back(gpunp.asarray(probability), n, p).get()
        np.testing.assert_array_equal(found[kept], k.get()[kept])


def test_inverse_gaussian_quantiles(device):
    """SciPy's are wrong or NaN for some parameters."""
    p, mu, shape = grid_of([P[1:], [0.2, 1.0, 50.0], [0.5, 40.0]])
    special = scipy.special._ufuncs
    operands = [gpunp.asarray(x) for x in (p, mu, shape)]
    quantiles, complements = special._invgauss_ppf(*operands).get(), special._invgauss_isf(*operands).get()
    for value, above, goal, m, s in zip(quantiles, complements, p, mu, shape, strict=True):
        assert abs(_inverse_gaussian(value, m, s) / goal - 1) < 1e-10
        assert abs((1 - _inverse_gaussian(above, m, s)) / goal - 1) < 1e-10


def _inverse_gaussian(x, mu, shape):
    """Return the distribution function."""
    with mpmath.workdps(60):
        x, mu, shape = mpmath.mpf(float(x)), mpmath.mpf(float(mu)), mpmath.mpf(float(shape))
        root = mpmath.sqrt(shape / x)
        second = mpmath.exp(2 * shape / mu) * mpmath.ncdf(-root * (x / mu + 1))
        return mpmath.ncdf(root * (x / mu - 1)) + second
