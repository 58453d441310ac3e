"""Distributions compared with scipy.stats; with GPUNP_LONG_TESTS set, 10^7 draws of each."""

import os

import numpy as np
import pytest
from scipy import special, stats

import gpunp
from gpunp import random

DRAWS = 10**7 if os.environ.get("GPUNP_LONG_TESTS") else 20_000
# The least p-value. Seeds are fixed, so results are reproducible.
LEAST_P = 1e-4

CONTINUOUS = [
    ("random", (), stats.uniform()),
    ("uniform", (-3, 5), stats.uniform(-3, 8)),
    ("standard_normal", (), stats.norm()),
    ("normal", (3, 2), stats.norm(3, 2)),
    ("standard_exponential", (), stats.expon()),
    ("exponential", (2,), stats.expon(0, 2)),
    *(("standard_gamma", (a,), stats.gamma(a)) for a in (0.01, 0.3, 1, 1.5, 30, 1e5)),
    ("gamma", (2.5, 3), stats.gamma(2.5, 0, 3)),
    *(("beta", ab, stats.beta(*ab)) for ab in ((0.1, 0.2), (0.5, 3), (1, 1), (3, 4), (100, 0.5))),
    ("chisquare", (3,), stats.chi2(3)),
    ("noncentral_chisquare", (0.5, 2), stats.ncx2(0.5, 2)),
    ("noncentral_chisquare", (4, 2), stats.ncx2(4, 2)),
    ("f", (3, 5), stats.f(3, 5)),
    ("noncentral_f", (3, 5, 2), stats.ncf(3, 5, 2)),
    ("standard_t", (2.5,), stats.t(2.5)),
    ("standard_cauchy", (), stats.cauchy()),
    ("laplace", (1, 2), stats.laplace(1, 2)),
    ("logistic", (1, 2), stats.logistic(1, 2)),
    ("gumbel", (1, 2), stats.gumbel_r(1, 2)),
    ("lognormal", (1, 0.5), stats.lognorm(0.5, 0, np.e)),
    ("pareto", (3,), stats.lomax(3)),
    ("power", (3,), stats.powerlaw(3)),
    ("rayleigh", (2,), stats.rayleigh(0, 2)),
    ("weibull", (1.5,), stats.weibull_min(1.5)),
    ("triangular", (1, 2, 5), stats.triang(0.25, 1, 4)),
    *(("wald", (m, s), stats.invgauss(m / s, 0, s)) for m, s in ((1, 1), (3, 0.5), (0.1, 10), (1e4, 1))),
    *(("vonmises", (0, k), stats.vonmises(k)) for k in (1e-6, 0.5, 4, 1000, 1e7)),
    ("vonmises", (0, 0), stats.uniform(-np.pi, 2 * np.pi)),
]
DISCRETE = [
    *(("poisson", (lam,), stats.poisson(lam)) for lam in (0.1, 3, 9.9, 10, 50, 1000, 1e7)),
    *(
        ("binomial", np_, stats.binom(*np_))
        for np_ in (
            (1, 0.3),
            (10, 0.5),
            (10, 0.99),
            (100, 0.05),
            (100, 0.3),
            (25, 0.5),
            (1000, 0.7),
            (10**7, 0.2),
        )
    ),
    *(("negative_binomial", np_, stats.nbinom(*np_)) for np_ in ((1, 0.3), (0.5, 0.5), (10, 0.1))),
    *(("geometric", (p,), stats.geom(p)) for p in (0.9, 0.3, 0.01, 1e-6)),
    *(
        ("hypergeometric", (good, bad, n), stats.hypergeom(good + bad, good, n))
        for good, bad, n in (
            (10, 5, 7),
            (100, 50, 30),
            (50, 100, 130),
            (500, 100, 300),
            (10**6, 10**6, 10**5),
            (1000, 7, 990),
            (12, 10**5, 10**4),
        )
    ),
    *(("logseries", (p,), stats.logser(p)) for p in (0.1, 0.5, 0.9, 0.99)),
    *(("zipf", (a,), stats.zipf(a)) for a in (1.1, 2, 4)),
]


def names(cases):
    return [f"{name}{args}" for name, args, _ in cases]


def draw(name, args, **options):
    return gpunp.asnumpy(getattr(random.default_rng(20251), name)(*args, size=DRAWS, **options))


@pytest.mark.parametrize(("name", "args", "expected"), CONTINUOUS, ids=names(CONTINUOUS))
def test_continuous(name, args, expected):
    values = draw(name, args)
    assert values.dtype == np.float64
    if name == "vonmises":
        # SciPy's cdf integrates numerically, so few points are compared, and no moments.
        assert chi_square(values, expected) > LEAST_P
    else:
        assert stats.kstest(values, expected.cdf).pvalue > LEAST_P
        check_moments(values, expected)


def check_moments(values, expected):
    """Assert mean and variance within five standard errors, if the fourth moment exists."""
    mean, variance, _, kurtosis = expected.stats("mvsk")
    if not (np.isfinite(kurtosis) and 0 < variance < np.inf) or kurtosis > 1000:
        return
    assert abs(values.mean() - mean) < 5 * np.sqrt(variance / values.size)
    assert abs(values.var() / variance - 1) < 5 * np.sqrt((kurtosis + 2) / values.size)


def chi_square(values, expected, edges=None):
    """Return the p-value over about fifty cells of equal probability, or over those of ``edges``."""
    edges = np.unique(expected.ppf(np.linspace(0.001, 0.999, 50)) if edges is None else edges)
    probability = np.diff(np.concatenate([[0], expected.cdf(edges), [1]]))
    counts = np.diff(np.concatenate([[0], np.searchsorted(np.sort(values), edges, "right"), [values.size]]))
    usual = probability * values.size > 5
    probability = np.append(probability[usual], probability[~usual].sum())
    counts = np.append(counts[usual], counts[~usual].sum())
    if probability[-1] * values.size < 1e-6:
        assert counts[-1] == 0
        probability, counts = probability[:-1], counts[:-1]
    if counts.size == 1:
        return 1
    return stats.chisquare(counts, probability / probability.sum() * values.size).pvalue


@pytest.mark.parametrize(("name", "args", "expected"), DISCRETE, ids=names(DISCRETE))
def test_discrete(name, args, expected):
    values = draw(name, args)
    assert values.dtype == np.int64
    # SciPy sums zipf's cdf term by term: use few and small edges.
    edges = [1, 2, 3, 4, 5, 7, 10, 20, 50, 100, 1000] if name == "zipf" else None
    assert chi_square(values, expected, edges) > LEAST_P
    if name != "zipf":
        check_moments(values, expected)


@pytest.mark.parametrize("a", [1.01, 1.1, 1.5])
def test_zipf_up_to_the_greatest_integers(a):
    values = draw("zipf", (a,))
    # The distribution truncated to integers below 2^63.
    edges = 2.0 ** np.arange(0, 63, 3)
    tails = special.zeta(a, np.append(edges + 1, 2.0**63))
    upper = (tails[:-1] - tails[-1]) / (special.zeta(a, 1) - tails[-1])
    probability = -np.diff(np.concatenate([[1], upper, [0]]))
    counts = np.diff(np.concatenate([[0], np.searchsorted(np.sort(values), edges, "right"), [values.size]]))
    usual = probability * values.size > 5
    counts = np.append(counts[usual], counts[~usual].sum())
    expected = np.append(probability[usual], probability[~usual].sum()) * values.size
    kept = expected > 1e-6
    assert stats.chisquare(counts[kept], expected[kept]).pvalue > LEAST_P


@pytest.mark.parametrize("name", ["random", "standard_normal", "standard_exponential", "standard_gamma"])
def test_single_precision(name):
    args, expected = {
        "random": ((), stats.uniform()),
        "standard_normal": ((), stats.norm()),
        "standard_exponential": ((), stats.expon()),
        "standard_gamma": ((0.7,), stats.gamma(0.7)),
    }[name]
    values = draw(name, args, dtype="f4")
    assert values.dtype == np.float32
    assert stats.kstest(values.astype(np.float64), expected.cdf).pvalue > LEAST_P


def test_uniform_spacing():
    for dtype, bits in (("f4", 24), ("f8", 53)):
        values = gpunp.asnumpy(random.default_rng(3).random(DRAWS, dtype=dtype)).astype(np.float64)
        assert values.min() >= 0
        assert values.max() < 1
        scaled = values * 2.0**bits
        assert (scaled == np.floor(scaled)).all()
        # All bits are random, also the lowest.
        for shift in range(8):
            ones = (scaled.astype(np.int64) >> shift & 1).mean()
            assert abs(ones - 0.5) < 5 * 0.5 / np.sqrt(values.size)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_normal_tails(dtype):
    size = 4 * 10**6
    values = np.abs(gpunp.asnumpy(random.default_rng(5).standard_normal(size, dtype=dtype)))
    for limit in (3.0, 4.0, 4.5):
        expected = 2 * stats.norm.sf(limit) * size
        assert abs((values > limit).sum() - expected) < 5 * np.sqrt(expected)
    # Values near 0 are finely spaced, and as frequent as the density requires.
    assert 0 < values.min() < 1e-5
    assert (values < 0.001).sum() == pytest.approx(2 * 0.001 * stats.norm.pdf(0) * size, rel=0.1)


def test_normal_tail_beyond_the_bits_of_one_word():
    # Radius words below 4096 draw further bits: the radius must take more than 4096 values there.
    values = gpunp.asnumpy(random.default_rng(8).standard_normal(2**23, dtype="f4"))
    pairs = values.reshape(-1, 2).astype(np.float64)
    far = np.sort((pairs**2).sum(axis=1))[-4:]
    word = np.exp(-far / 2) * 2.0**32
    assert far[-1] > 2 * np.log(2**22) - 6
    assert (np.abs(word - np.floor(word) - 0.5) > 1e-3).any()


def test_pairs_of_normals_are_independent():
    for dtype in ("f4", "f8"):
        x = gpunp.asnumpy(random.default_rng(6).standard_normal((10**6, 2), dtype=dtype)).astype(np.float64)
        products = (x[:, 0] * x[:, 1], (x[:, 0] ** 2 - 1) * (x[:, 1] ** 2 - 1) / 2)
        for product in products:
            assert abs(product.mean()) < 5e-3


def test_streams_are_not_correlated():
    first, second = random.default_rng(1).spawn(2)
    jumped = random.Generator(random.default_rng(1).bit_generator.jumped())
    streams = [gpunp.asnumpy(g.random(200_000)) for g in (first, second, random.default_rng(1), jumped)]
    off_diagonal = np.corrcoef(streams) - np.eye(4)
    assert np.abs(off_diagonal).max() < 5 / np.sqrt(200_000)
    # A stream has no autocorrelation either.
    for lag in (1, 2, 3, 4, 64):
        assert abs(np.corrcoef(streams[2][:-lag], streams[2][lag:])[0, 1]) < 5 / np.sqrt(200_000)


@pytest.mark.parametrize("kind", [random.XORWOW, random.MRG32k3a])
def test_other_bit_generators(kind):
    generator = random.Generator(kind(2))
    for values, expected in (
        (generator.random(DRAWS), stats.uniform()),
        (generator.standard_normal(DRAWS), stats.norm()),
        # Rejection sampling continues with new bits.
        (generator.standard_gamma(0.4, DRAWS), stats.gamma(0.4)),
    ):
        assert stats.kstest(gpunp.asnumpy(values), expected.cdf).pvalue > LEAST_P
    assert chi_square(gpunp.asnumpy(generator.poisson(30, DRAWS)), stats.poisson(30)) > LEAST_P


def test_limits_of_parameters():
    g = random.default_rng(1)
    for values, expected in (
        (g.standard_gamma(0, 3), 0),
        (g.exponential(0, 3), 0),
        (g.normal(5, 0, 3), 5),
        (g.weibull(0, 3), 0),
        (g.poisson(0, 3), 0),
        (g.binomial(7, 0, 3), 0),
        (g.binomial(7, 1, 3), 7),
        (g.binomial(0, 0.5, 3), 0),
        (g.geometric(1, 3), 1),
        (g.negative_binomial(4, 1, 3), 0),
        (g.hypergeometric(5, 0, 3, 3), 3),
        (g.hypergeometric(0, 5, 3, 3), 0),
        (g.hypergeometric(5, 4, 9, 3), 5),
        (g.logseries(0, 3), 1),
        (g.zipf(2000, 3), 1),
    ):
        assert gpunp.asnumpy(values).tolist() == [expected] * 3
    assert gpunp.asnumpy(g.poisson(1e18, 1000)).std() == pytest.approx(1e9, rel=0.2)
    # NaN parameters give NaN, without endless rejection.
    for name in ("gamma", "beta", "wald", "vonmises", "triangular"):
        args = (np.nan,) * (3 if name == "triangular" else 2)
        assert np.isnan(gpunp.asnumpy(getattr(g, name)(*args, size=3))).all()


@pytest.mark.parametrize(
    "name", ["normal", "exponential", "gamma", "gumbel", "laplace", "weibull", "rayleigh"]
)
def test_negative_zeros_are_refused(name):
    args = (1.0, -0.0) if name in ("normal", "gamma", "gumbel", "laplace") else (-0.0,)
    for parameters in (args, ([x] for x in args)):
        with pytest.raises(ValueError, match="< 0"):
            getattr(random.default_rng(1), name)(*parameters)


@pytest.mark.parametrize("values", [(2**62, 0.1), ([1, 2**62], [0.1])])
def test_rates_of_the_negative_binomial(values):
    with pytest.raises(ValueError, match="n too large or p too small"):
        random.default_rng(1).negative_binomial(*values)


def test_beta_of_the_smallest_parameters():
    values = gpunp.asnumpy(random.default_rng(1).beta(1e-310, 3e-310, 4000))
    assert set(values.tolist()) == {0, 1}
    assert 0.2 < values.mean() < 0.3
