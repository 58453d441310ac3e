"""Methods of SciPy's classes of distributions that are not elementwise there, for device arrays.

`METHODS` has them by the class of SciPy, `GLOBALS` has helper functions of SciPy's modules.
`device_classes` puts them in the place of SciPy's.
"""

import numpy as np
import scipy.special as sc
from scipy.special import _ufuncs

from gpunp.array.operands import device_of
from gpunp_scipy.stats import (
    box_probabilities,
    random_vectors,
    sums,
    variables_on_device,
    variates,
    wishart_matrices,
)
from gpunp_scipy.stats.inversion import smallest_double
from gpunp_scipy.stats.vectorizing import NeedsHost, Vectorize


def _log_difference(p, q):
    """``log(exp(p) - exp(q))`` for ``p >= q``."""
    d = q - p
    # Of two forms, the one without cancellation.
    return p + np.where(d > -0.693, np.log(-np.expm1(d)), np.log1p(-np.exp(d)))


def _log_normal_mass(a, b):
    """Logarithm of the probability that a standard normal variable is between ``a`` and ``b``."""
    # Where both limits are positive, their mirror images have the same mass and are exact.
    mirrored = a > 0
    low, high = np.where(mirrored, -b, a), np.where(mirrored, -a, b)
    tail = _log_difference(sc.log_ndtr(high), sc.log_ndtr(low))
    return np.where(high <= 0, tail, np.log1p(-sc.ndtr(low) - sc.ndtr(-high)))


def _log_complement(one, other):
    """The logarithm of a probability; where it is near 0, from that of the opposite event."""
    return np.where(one > -0.1, np.log1p(-np.exp(other)), one)


def _truncnorm_logcdf(self, x, a, b):
    total = _log_normal_mass(a, b)
    return _log_complement(_log_normal_mass(a, x) - total, _log_normal_mass(x, b) - total)


def _truncnorm_logsf(self, x, a, b):
    total = _log_normal_mass(a, b)
    return _log_complement(_log_normal_mass(x, b) - total, _log_normal_mass(a, x) - total)


def _truncnorm_ppf(self, q, a, b):
    total = _log_normal_mass(a, b)
    left = sc.ndtri_exp(np.logaddexp(sc.log_ndtr(a), np.log(q) + total))
    right = -sc.ndtri_exp(np.logaddexp(sc.log_ndtr(-b), np.log1p(-q) + total))
    return np.where(a < 0, left, right)


def _truncnorm_isf(self, q, a, b):
    total = _log_normal_mass(a, b)
    left = sc.ndtri_exp(_log_difference(sc.log_ndtr(b), np.log(q) + total))
    right = -sc.ndtri_exp(_log_difference(sc.log_ndtr(-a), np.log1p(-q) + total))
    return np.where(b < 0, left, right)


def _invgauss_ppf(self, q, mu):
    return np.where(q > 0.5, _ufuncs._invgauss_isf(1 - q, mu, 1), _ufuncs._invgauss_ppf(q, mu, 1))


def _invgauss_isf(self, q, mu):
    return np.where(q > 0.5, _ufuncs._invgauss_ppf(1 - q, mu, 1), _ufuncs._invgauss_isf(q, mu, 1))


def _wald_ppf(self, q):
    return _invgauss_ppf(self, q, 1.0)


def _wald_isf(self, q):
    return _invgauss_isf(self, q, 1.0)


def _betaprime_ppf(self, q, a, b):
    r = _ufuncs._beta_ppf(q, a, b)
    # Near 1 the difference from 1 is more exact.
    return np.where(r > 0.9999, 1 / sc.betainccinv(b, a, q) - 1, r / (1 - r))


def _erlang_argcheck(self, a):
    return a > 0


def _kappa3_sf(self, x, a):
    sf = 1.0 - self._cdf(x, a)
    # More exact where it is small, and not for a large parameter.
    small = -sc.expm1(sc.xlog1py(-1.0 / a, a * x**-a))
    return np.where((sf < 0.01) & (small <= 0.01), small, sf)


def _kappa4_argcheck(self, h, k):
    return True


def _kappa4_support(self, h, k):
    finite = (1.0 - np.float_power(h, -k)) / k
    low = np.where(h > 0, np.where(k == 0, np.log(h), finite), np.where(k < 0, 1.0 / k, -np.inf))
    unknown = np.isnan(h + k)
    return np.where(unknown, np.nan, low), np.where(unknown, np.nan, np.where(k > 0, 1.0 / k, np.inf))


def _pearson3_parts(x, skew):
    """The argument of a gamma distribution, its parameter, its scale, and whether the normal one is used."""
    beta = 2.0 / skew
    return beta * (x + beta), beta**2, beta, np.absolute(skew) < 0.000016


def _pearson3_logpdf(self, x, skew):
    y, alpha, beta, normal = _pearson3_parts(x, skew)
    logpdf = np.log(np.absolute(beta)) + sc.xlogy(alpha - 1.0, y) - y - sc.gammaln(alpha)
    logpdf = np.where(y < 0, -np.inf, logpdf)
    return np.where(normal, -(x**2) / 2.0 - np.log(np.sqrt(2 * np.pi)), logpdf)


def _pearson3_pdf(self, x, skew):
    pdf = np.exp(_pearson3_logpdf(self, x, skew))
    return np.where(np.isnan(pdf), 0.0, pdf)


def _pearson3_cdf(self, x, skew):
    y, alpha, _, normal = _pearson3_parts(x, skew)
    y = np.maximum(y, 0.0)
    cdf = np.where(skew > 0, sc.gammainc(alpha, y), sc.gammaincc(alpha, y))
    return np.where(normal, sc.ndtr(x), cdf)


def _pearson3_sf(self, x, skew):
    return _pearson3_cdf(self, -x, -skew)


def _pearson3_ppf(self, q, skew):
    _, alpha, beta, normal = _pearson3_parts(q, skew)
    q = np.where(skew < 0, 1.0 - q, q)
    return np.where(normal, sc.ndtri(q), sc.gammaincinv(alpha, q) / beta - beta)


# Nodes and weights of the Gauss-Laguerre formula: exact to 14 digits for the tail below.
_NODES, _WEIGHTS = np.polynomial.laguerre.laggauss(24)


def _skewnorm_left_tail(x, a):
    """The cumulative distribution function far to the left of zero, for positive skewness.

    The density decreases there like a normal one of variance ``1 / (1 + a**2)``.
    """
    scale = 1.0 / (np.absolute(x) * (1.0 + a * a))
    total = 0.0
    for node, weight in zip(_NODES.tolist(), _WEIGHTS.tolist(), strict=True):
        t = x - node * scale
        total = total + weight * np.exp(node - t * t / 2 + sc.log_ndtr(a * t))
    return total * scale * (2 / np.sqrt(2 * np.pi))


def _skewnorm_cdf(self, x, a):
    cdf = _ufuncs._skewnorm_cdf(x, 0.0, 1.0, a)
    if device_of(a) is not None or np.any(np.asarray(a) > 0):
        cdf = np.where((cdf < 1e-6) & (a > 0), _skewnorm_left_tail(x, a), cdf)
    return np.clip(cdf, 0, 1)


# From this concentration on, the cumulative distribution function is a transformed normal one.
_CONCENTRATED = 50.0


def _vonmises_cdf(self, x, kappa):
    """Hill's algorithm 518 (ACM TOMS 3, 279, 1977): a Fourier series, or a normal approximation."""
    turns = np.round(x / (2 * np.pi))
    x = x - turns * (2 * np.pi)
    on_host = device_of(kappa) is None
    largest = float(np.max(kappa)) if on_host else _CONCENTRATED
    result = None
    if not on_host or largest < _CONCENTRATED:
        k = np.minimum(kappa, _CONCENTRATED)
        terms = int(29 + 0.5 * largest - 100 / (largest + 5))
        # Ratios of Bessel functions by their recurrence, together with Horner's rule.
        ratio, total = 0.0, 0.0
        for n in range(terms, 0, -1):
            ratio = k / (2.0 * n + k * ratio)
            total = ratio * (np.sin(n * x) / n + total)
        result = 0.5 + x / (2 * np.pi) + total / np.pi
    if not on_host or largest >= _CONCENTRATED:
        z = np.sqrt(2 / np.pi) / sc.i0e(kappa) * np.sin(x / 2)
        w = z * z
        c = 24.0 * kappa
        chi = z - z**3 / ((c - 2 * w - 16) / 3 - (w * w + 7 / 4 * w + 167 / 2) / (c - 56 - w) + 3) ** 2
        concentrated = sc.ndtr(chi)
        result = concentrated if on_host else np.where(kappa < _CONCENTRATED, result, concentrated)
    return result + turns


def _genhyperbolic_logpdf(self, x, p, a, b):
    # In double precision, as in SciPy.
    p, a, b = (np.float64(1) * each for each in (p, a, b))
    gamma, y = np.sqrt((a - b) * (a + b)), np.sqrt(1 + x * x)
    constant = p * np.log(gamma) - np.log(np.sqrt(2 * np.pi)) - (p - 0.5) * np.log(a)
    constant = constant - (np.log(sc.kve(p, gamma)) - gamma)
    return constant + b * x + (p - 0.5) * np.log(y) + np.log(sc.kve(p - 0.5, a * y)) - a * y


def _exponential_of_logpdf(self, x, *args):
    return np.exp(self._logpdf(x, *args))


def _geninvgauss_logpdf(self, x, p, b):
    p, b = (np.float64(1) * each for each in (p, b))
    k = sc.kve(p, b)
    logpdf = (p - 1) * np.log(x) - b * (x + 1 / x) / 2 - np.log(2 * k) + b
    return np.where(np.isinf(k), np.nan, logpdf)


def _nbinom_logcdf(self, x, n, p):
    k = np.floor(x)
    cdf = self._cdf(k, n, p)
    return np.where(cdf > 0.5, np.log1p(-sc.betainc(k + 1, n, 1 - p)), np.log(cdf))


def _dpareto_lognorm_logcdf(self, x, u, s, a, b):
    z = (np.log(x) - u) / s
    density = -z * z / 2 - np.log(np.sqrt(2 * np.pi))
    # The logarithms of Mills' ratio to both sides, times the parameters.
    one, other = a * s - z, b * s + z
    one = np.log(b) + sc.log_ndtr(-one) + one * one / 2
    other = np.log(a) + sc.log_ndtr(-other) + other * other / 2
    # A constant of the ratios, which are relative to the density.
    part = np.maximum(one, other) + np.log(-np.expm1(-np.absolute(one - other)))
    part = part + np.log(np.sqrt(2 * np.pi)) + density - np.log(a + b)
    mass = sc.log_ndtr(z)
    logcdf = np.where(one > other, _log_difference(mass, part), np.logaddexp(mass, part))
    return np.where(x == 0, -np.inf, logcdf)


def _continuous_ppfvec(self, q, *args):
    """Quantiles by bisection of the cumulative distribution function."""
    if device_of(q, *args) is None:
        return Vectorize(self._ppf_single, otypes="d")(q, *args)
    shape = np.broadcast_shapes(*map(np.shape, (q, *args)))
    nothing = np.zeros_like(q) if np.shape(q) == shape else np.broadcast_to(q, shape) * 0.0
    low, high = (nothing + end for end in self._get_support(*args))
    return smallest_double(lambda x: ~(self._cdf(x, *args) < q), low, high)


def _logcdf(self, x, *args):
    cdf = self._cdf(x, *args)
    return np.where(cdf < 0.5, np.log(cdf), np.log1p(-self._sf(x, *args)))


def _logsf(self, x, *args):
    sf = self._sf(x, *args)
    return np.where(sf < 0.5, np.log(sf), np.log1p(-self._cdf(x, *args)))


def _cdf_on_host(self, x, *args):
    return Vectorize(self._cdf_single, otypes="d")(x, *args)


def _entropies(self, *args):
    try:
        return self._entropy(*args)
    except (TypeError, ValueError):
        # It is an integral or a sum of numbers.
        return _on_host(self)


def _on_host(self, *args, **kwargs):
    raise NeedsHost("its values are computed one by one on the host, by integrals or equations")


def _loguniform_munp(self, n, a, b):
    return (b**n - a**n) / (n * np.log(b / a))


def _betaprime_munp(self, n, a, b):
    product = 1.0
    for i in range(1, int(n) + 1):
        product = product * ((a + i - 1) / (b - i))
    return np.where(n < b, product, np.inf)


def _gennorm_stats(self, beta):
    one, three, five = (sc.gammaln(k / beta) for k in (1.0, 3.0, 5.0))
    return 0.0, np.exp(three - one), 0.0, np.exp(five + one - 2.0 * three) - 3.0


def _gennorm_munp(self, n, beta):
    if n % 2:
        return 0.0
    return np.exp(sc.gammaln((n + 1.0) / beta) - sc.gammaln(1.0 / beta))


def _promoted(*args, force_floating=False, xp=None):
    """SciPy's ``xp_promote`` for the arguments of one distribution."""
    args = [each if np.result_type(each).kind == "f" else each * 1.0 for each in args]
    return args if len(args) > 1 else args[0]


GLOBALS = {
    **variables_on_device.GLOBALS,
    "scipy.stats._continuous_distns": {"_log_gauss_mass": _log_normal_mass, "xp_promote": _promoted},
    "scipy.stats._multivariate": {
        "check_random_state": random_vectors.random_state,
        "_cholesky_invwishart_rvs": wishart_matrices.cholesky_invwishart_rvs,
    },
}
# What a value that has no density adds to a negative logarithm of a likelihood, as in SciPy.
_PENALTY = 100 * np.log(np.finfo(float).max)


def _penalized_nnlf(self, x, args):
    """The negative logarithm of the likelihood of standardized data, without a wait."""
    logpdf = self._logpdf(x, *args)
    good = self._support_mask(x, *args) & np.isfinite(logpdf)
    return np.where(good, -logpdf, _PENALTY).sum()


METHODS = {
    **box_probabilities.METHODS,
    **random_vectors.METHODS,
    **variables_on_device.METHODS,
    **wishart_matrices.METHODS,
    "betaprime_gen": {"_ppf": _betaprime_ppf, "_munp": _betaprime_munp},
    "dpareto_lognorm_gen": {"_logcdf": _dpareto_lognorm_logcdf},
    "erlang_gen": {"_argcheck": _erlang_argcheck},
    "genhyperbolic_gen": {
        "_logpdf": _genhyperbolic_logpdf,
        "_pdf": _exponential_of_logpdf,
        **dict.fromkeys(("_cdf", "_sf", "_rvs"), _on_host),
    },
    "geninvgauss_gen": {"_logpdf": _geninvgauss_logpdf, "_cdf": _on_host, "_rvs": _on_host},
    "hypergeom_gen": {
        "_rvs": variates.hypergeom_rvs,
        "_logcdf": sums.hypergeom_logcdf,
        "_logsf": sums.hypergeom_logsf,
    },
    "invgauss_gen": {"_ppf": _invgauss_ppf, "_isf": _invgauss_isf},
    "gennorm_gen": {"_munp": _gennorm_munp, "_stats": _gennorm_stats},
    "kappa3_gen": {"_sf": _kappa3_sf},
    "argus_gen": {"_rvs": variates.by_inversion},
    "kappa4_gen": {"_argcheck": _kappa4_argcheck, "_get_support": _kappa4_support},
    "kstwo_gen": dict.fromkeys(("_pdf", "_cdf", "_sf", "_ppf", "_isf"), _on_host),
    "irwinhall_gen": dict.fromkeys(("_pdf", "_cdf", "_sf", "_rvs", "_munp"), _on_host),
    "levy_stable_gen": dict.fromkeys(("_pdf", "_cdf", "_ppf", "_rvs"), _on_host),
    "nbinom_gen": {"_logcdf": _nbinom_logcdf},
    "norminvgauss_gen": {
        **dict.fromkeys(("_cdf", "_sf", "_ppf", "_isf"), _on_host),
        "_rvs": variates.norminvgauss_rvs,
    },
    "_nchypergeom_gen": dict.fromkeys(("_pmf", "_stats", "_rvs"), _on_host),
    "reciprocal_gen": {"_munp": _loguniform_munp},
    "tukeylambda_gen": {"_stats": _on_host},
    "maxwell_gen": {"_rvs": variates.maxwell_rvs},
    "moyal_gen": {"_rvs": variates.moyal_rvs},
    "randint_gen": {"_rvs": variates.randint_rvs},
    "rayleigh_gen": {"_rvs": variates.rayleigh_rvs},
    "pearson3_gen": {
        "_rvs": variates.pearson3_rvs,
        "_pdf": _pearson3_pdf,
        "_logpdf": _pearson3_logpdf,
        "_cdf": _pearson3_cdf,
        "_sf": _pearson3_sf,
        "_ppf": _pearson3_ppf,
    },
    "nhypergeom_gen": {"_rvs": variates.by_inversion},
    "poisson_binom_gen": {"_rvs": _on_host, "_pmf": sums.poisson_binom_pmf, "_cdf": sums.poisson_binom_cdf},
    "rv_continuous": {
        "_nnlf_and_penalty": _penalized_nnlf,
        "_ppfvec": _continuous_ppfvec,
        "_cdfvec": _cdf_on_host,
        "_logcdf": _logcdf,
        "_logsf": _logsf,
        "vecentropy": _entropies,
        "generic_moment": _on_host,
    },
    "rv_discrete": {
        "_cdf": sums.cdf,
        "_ppfvec": sums.ppf,
        "vecentropy": _entropies,
        "generic_moment": _on_host,
    },
    "rv_histogram": {
        "_pdf": sums.histogram_pdf,
        "_cdf": sums.histogram_cdf,
        "_ppf": sums.histogram_ppf,
    },
    "rv_sample": {"_cdf": sums.sample_cdf, "_ppf": sums.sample_ppf},
    "skewnorm_gen": {"_munp": _on_host, "_cdf": _skewnorm_cdf},
    "studentized_range_gen": dict.fromkeys(("_pdf", "_cdf"), _on_host),
    "truncnorm_gen": {
        "_logcdf": _truncnorm_logcdf,
        "_logsf": _truncnorm_logsf,
        "_ppf": _truncnorm_ppf,
        "_isf": _truncnorm_isf,
        "_munp": _on_host,
        "_stats": _on_host,
    },
    "vonmises_gen": {"_cdf": _vonmises_cdf},
    "wald_gen": {"_ppf": _wald_ppf, "_isf": _wald_isf},
}
