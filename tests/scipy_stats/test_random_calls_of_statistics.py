"""Random calls of statistics and tests: axes, missing values, alternatives, methods, and bad input."""

import warnings

import numpy as np
import pytest
from random_calls import Draw, precision
from random_samples import (
    POLICIES,
    SIDES,
    YES_NO,
    array,
    common,
    of_cumulants,
    of_windows,
    one,
    sample,
    several,
    two,
)
from records import settled
from scipy import stats
from scipy_forms import newest
from signal_calls import on_device

import gpunp

CALLS_OF_EACH = 20


def of_frequencies(draw):
    shape = draw.pick((4,), (3, 2), (1,), (0,))
    a = draw.rng.integers(1, 20, shape) * 1.0
    b = a[..., ::-1].copy() if draw.rng.random() < 0.6 else draw.rng.integers(1, 20, shape) * 1.0
    return (a, b), draw.some(
        axis=lambda: draw.pick(0, -1, None), ddof=lambda: draw.pick(0, 1), sum_check=False
    )


def of_divergence(draw):
    args, options = of_frequencies(draw)
    names = (
        "pearson",
        "log-likelihood",
        "freeman-tukey",
        "mod-log-likelihood",
        "neyman",
        "cressie-read",
        "x",
    )
    return args, options | draw.some(lambda_=lambda: draw.pick(*names, 0.5, -1))


def of_angles(draw):
    a = draw.rng.uniform(-4, 4, draw.pick((5,), (2, 6), (0,), (1,)))
    if a.size and draw.rng.random() < 0.1:
        a.flat[0] = np.nan
    return (a,), common(draw, a) | draw.some(
        high=lambda: draw.pick(np.pi, 180.0), low=lambda: draw.pick(-np.pi, 0.0)
    )


def of_deviations(draw):
    return of_angles(draw)[0], draw.some(
        normalize=lambda: draw.pick(*YES_NO), axis=lambda: draw.pick(0, -1, None)
    )


def of_directions(draw):
    a = draw.rng.normal(size=(*draw.pick((5,), (4, 3), (1,)), draw.pick(2, 3)))
    return (a,), draw.some(axis=lambda: draw.pick(0, -2), normalize=lambda: draw.pick(*YES_NO))


def of_pvalues(draw):
    a = draw.rng.random(draw.pick((5,), (3, 4), (1,), (0,)))
    if a.size and draw.rng.random() < 0.1:
        a.flat[0] = draw.pick(1.5, 0.0, 1.0, np.nan)
    methods = ("fisher", "pearson", "tippett", "stouffer", "mudholkar_george", "x")
    weights = {"weights": draw.rng.random(a.shape[-1])} if draw.rng.random() < 0.2 and a.ndim == 1 else {}
    return (a,), draw.some(method=lambda: draw.pick(*methods), axis=lambda: draw.pick(0, -1)) | weights


def of_discoveries(draw):
    (a,), _ = of_pvalues(draw)
    return (a,), draw.some(method=lambda: draw.pick("bh", "by", "x"), axis=lambda: draw.pick(0, -1, None))


def of_lines(draw):
    n = draw.pick(1, 2, 3, 9)
    x, y = array(draw, (n,), "ddfil"), array(draw, (n + (draw.rng.random() < 0.05),), "ddfil")
    return (x, y), draw.some(alternative=lambda: draw.pick(*SIDES))


def of_equal(draw):
    n = draw.pick(0, 1, 2, 3, 9)
    return array(draw, (n,)), array(draw, (n,))


def of_median_slopes(draw):
    x, y = of_lines(draw)[0]
    return (y, x), draw.some(
        method=lambda: draw.pick("separate", "joint"), nan_policy=lambda: draw.pick(*POLICIES)
    )


def of_repeated_medians(draw):
    x, y = of_lines(draw)[0]
    return (y, x), draw.some(method=lambda: draw.pick("hierarchical", "separate", "x"))


def of_survival(draw):
    a = draw.rng.exponential(size=draw.pick(1, 3, 9)).round(1)
    b = draw.rng.exponential(size=draw.pick(1, 4, 9)).round(1)
    return (a, b), draw.some(alternative=lambda: draw.pick(*SIDES))


def steps(a, b, side):
    found = stats.ecdf(a)
    part = found.cdf if side else found.sf
    return part.quantiles, part.probabilities, part.evaluate(b)


def of_steps(draw):
    n = draw.pick(0, 1, 2, 9)
    return (array(draw, (n,), "ddfil"), draw.rng.normal(size=draw.pick(0, 1, 4)), draw.pick(*YES_NO)), {}


def of_bins(draw):
    n = draw.pick(0, 1, 2, 9, 30)
    x, values = array(draw, (n,), "dddfil"), array(draw, draw.pick((n,), (2, n)), "dddfil")
    names = ("mean", "std", "median", "count", "sum", "min", "max", "x")
    options = draw.some(
        statistic=lambda: draw.pick(*names),
        bins=lambda: draw.pick(1, 3, 10, np.linspace(-4, 4, 5)),
        range=lambda: draw.pick((-3, 3), [(-2, 5)]),
    )
    return (x, values), options


def of_planes(draw):
    n = draw.pick(1, 2, 9, 30)
    x, y, values = (array(draw, (n,), "dddfil") for _ in range(3))
    names = ("mean", "std", "median", "count", "sum", "min", "max")
    options = draw.some(
        statistic=lambda: draw.pick(*names),
        bins=lambda: draw.pick(2, [3, 2], [np.linspace(-4, 4, 4), 3]),
        expand_binnumbers=lambda: draw.pick(*YES_NO),
    )
    return (x, y, values), options


def density(data, points, weights, method):
    made = stats.gaussian_kde(data, method, weights)
    return (
        made(points),
        made.logpdf(points),
        made.covariance,
        made.neff,
        made.integrate_gaussian(np.zeros(made.d), np.eye(made.d)),
    )


def of_density(draw):
    n, ndim = draw.pick(1, 6, 20), draw.pick(1, 2, 3)
    data = draw.rng.normal(size=(ndim, n) if ndim > 1 else n)
    points = draw.rng.normal(size=(ndim + (draw.rng.random() < 0.05), 4) if ndim > 1 else draw.pick(1, 4))
    weights = draw.pick(None, None, draw.rng.random(n), draw.rng.random(n + 1))
    return (data, points, weights, draw.pick(None, "scott", "silverman", 0.4, "x")), {}


def of_table(draw):
    table = draw.rng.integers(
        0 if draw.rng.random() < 0.2 else 1, 20, draw.pick((2, 2), (2, 3), (3, 2, 2), (2,), (0, 2))
    )
    options = draw.some(
        correction=lambda: draw.pick(*YES_NO), lambda_=lambda: draw.pick("pearson", "log-likelihood", 0.5)
    )
    return (table,), options


def of_association(draw):
    table = draw.rng.integers(1, 20, draw.pick((2, 2), (2, 3), (3, 3), (2, 2, 2)))
    return (table,), draw.some(
        method=lambda: draw.pick("cramer", "tschuprow", "pearson", "x"), correction=True
    )


def of_points(draw):
    a = draw.rng.random((draw.pick(1, 2, 5, 17), draw.pick(1, 2, 4)))
    if draw.rng.random() < 0.05:
        a.flat[0] = draw.pick(1.5, -0.1)
    a = a[:, 0] if draw.rng.random() < 0.05 else a
    return (a,), draw.some(
        method=lambda: draw.pick("CD", "WD", "MD", "L2-star", "x"), iterative=lambda: draw.pick(*YES_NO)
    )


def of_more_points(draw):
    (a,), _ = of_points(draw)
    return (draw.rng.random(a.shape[1:]) * draw.pick(1, 1, 1, 2), a, 0.1), {}


def of_spread_points(draw):
    (a,), _ = of_points(draw)
    if draw.rng.random() < 0.2:
        a = np.concatenate([a, a])
    return (a,), draw.some(method=lambda: draw.pick("mindist", "mst", "x"), metric="cityblock")


def of_fitted(draw):
    names = ("norm", "expon", "logistic", "gumbel_l", "gumbel_r", "x")
    return (draw.rng.gamma(2.0, size=draw.pick(10, 30)), draw.pick(*names)), {"method": "interpolate"}


def of_plots(draw):
    return (draw.rng.gamma(2.0, size=draw.pick(0, 5, 20)), draw.pick(0.5, 2.0), draw.pick(1.5, 3.0)), {"N": 4}


def permuted(a, b, options):
    found = stats.permutation_test(
        (a, b), lambda x, y, axis: x.mean(axis=axis) - y.mean(axis=axis), vectorized=True, **options
    )
    return found.statistic, found.pvalue, found.null_distribution


def of_permuted(draw):
    kind = draw.pick("independent", "samples", "x")
    a = draw.rng.normal(size=(*draw.pick((), (2,)), draw.pick(1, 2, 4)))
    options = {"axis": -1, "permutation_type": kind} | draw.some(alternative=lambda: draw.pick(*SIDES))
    return (a, a[..., ::-1] + 0.5, options), {}


def confidence(a, options):
    found = stats.bootstrap((a,), lambda x, axis: x.mean(axis=axis), n_resamples=30, rng=1, **options)
    return (*found.confidence_interval, found.standard_error, found.bootstrap_distribution)


def of_confidence(draw):
    a = draw.rng.normal(size=(*draw.pick((), (2,)), draw.pick(8, 20)))
    options = draw.some(
        method=lambda: draw.pick("percentile", "basic", "BCa", "x"),
        alternative=lambda: draw.pick(*SIDES),
        confidence_level=lambda: draw.pick(0.5, 0.9),
        batch=lambda: draw.pick(None, 7),
    )
    return (a, {"axis": -1} | options), {}


def of_distances(draw):
    a, b = (array(draw, (draw.pick(1, 2, 7),), "ddfil") for _ in range(2))
    weights = {"u_weights": draw.rng.random(a.size)} if draw.rng.random() < 0.3 else {}
    return (a, b), weights


def of_quantiles(draw):
    a = sample(draw)
    methods = (
        *(
            "inverted_cdf",
            "averaged_inverted_cdf",
            "closest_observation",
            "hazen",
            "interpolated_inverted_cdf",
        ),
        *("linear", "median_unbiased", "normal_unbiased", "weibull", "harrell-davis", "x"),
    )
    p = draw.pick(0.5, 0.0, 1.0, 0.3, 1.2)
    return (a, p), common(draw, a) | draw.some(method=lambda: draw.pick(*methods))


METHODS = ("auto", "exact", "asymptotic", "approx", "x")
# Functions of `scipy.stats`, or of this module, and what draws their arguments.
CALLS = {
    **dict.fromkeys(("gmean", "hmean"), one(dtype=(None, np.float64))),
    **dict.fromkeys(("skew", "kurtosis"), one(bias=YES_NO)),
    **dict.fromkeys(("kurtosistest", "skewtest"), one(alternative=SIDES)),
    **dict.fromkeys(("normaltest", "jarque_bera", "sem", "median_abs_deviation", "iqr"), one()),
    **dict.fromkeys(("kstatvar", "kstat"), of_cumulants),
    "moment": one(order=(0, 1, 2, 3, -1), center=(None, 0.5)),
    "pmean": lambda draw: ((abs(sample(draw)) + 1, draw.pick(0, 1, -2, 0.5)), {}),
    "lmoment": one(order=(1, 2, 4, 5), standardize=YES_NO, sorted=(False,)),
    "variation": one(ddof=(0, 1, 9)),
    "entropy": two(same=True, base=(None, 2)),
    "differential_entropy": of_windows,
    "mode": one(),
    "expectile": lambda draw: ((array(draw, (draw.pick(1, 5),), "d"), draw.pick(0.2, 0.5, 1.0, 2)), {}),
    "tmean": lambda draw: (
        (sample(draw), draw.pick(None, (-2, 2), (None, 1))),
        draw.some(inclusive=(False, True)),
    ),
    **dict.fromkeys(
        ("tvar", "tstd", "tsem"), lambda draw: ((sample(draw), draw.pick(None, (-2, 2))), draw.some(ddof=0))
    ),
    # With NaN SciPy raises for slices without a value.
    **dict.fromkeys(("tmin", "tmax"), lambda draw: ((sample(draw, "il"), draw.pick(None, -1, 1)), {})),
    "trim_mean": lambda draw: ((sample(draw), draw.pick(0, 0.1, 0.3, 0.5)), draw.some(axis=None)),
    **dict.fromkeys(("zscore", "gzscore"), lambda draw: ((sample(draw),), draw.some(ddof=1, axis=None))),
    "gstd": lambda draw: ((abs(sample(draw, "d")) + 1,), draw.some(ddof=0, axis=None)),
    "sigmaclip": lambda draw: ((array(draw, (draw.pick(1, 9),)),), draw.some(low=1.5, high=2.0)),
    "rankdata": one(method=("average", "min", "max", "dense", "ordinal", "x")),
    "quantile": of_quantiles,
    "quantile_test": lambda draw: ((array(draw, (9,), "dil"),), draw.some(q=0.5, p=0.4, alternative="less")),
    "cumfreq": lambda draw: ((array(draw, (9,), "dil"),), draw.some(numbins=4, weights=np.arange(9.0))),
    "relfreq": lambda draw: ((array(draw, (9,), "dil"),), draw.some(numbins=4)),
    "ttest_1samp": lambda draw: (
        (sample(draw), draw.pick(0, 0.5)),
        draw.some(alternative=lambda: draw.pick(*SIDES)),
    ),
    "ttest_ind": two(equal_var=YES_NO, alternative=SIDES, trim=(0, 0.2)),
    "ttest_rel": two(same=True, alternative=SIDES),
    "mannwhitneyu": two(use_continuity=YES_NO, alternative=SIDES, method=METHODS),
    "wilcoxon": two(
        same=True,
        zero_method=("wilcox", "pratt", "zsplit", "x"),
        alternative=SIDES,
        correction=YES_NO,
        method=METHODS,
    ),
    "ranksums": two(alternative=SIDES),
    "brunnermunzel": two(alternative=SIDES, distribution=("t", "normal", "x")),
    "mood": two(alternative=SIDES),
    "ansari": two(alternative=SIDES),
    "ks_2samp": two(alternative=SIDES, method=METHODS),
    "cramervonmises_2samp": two(method=METHODS),
    "epps_singleton_2samp": lambda draw: ((array(draw, (9,)), array(draw, (12,))), {}),
    "bws_test": lambda draw: (
        (array(draw, (5,)), array(draw, (4,))),
        draw.some(alternative=lambda: draw.pick(*SIDES)),
    ),
    "energy_distance": of_distances,
    "wasserstein_distance": of_distances,
    "pearsonr": two(same=True, alternative=SIDES),
    "spearmanr": lambda draw: of_lines(draw),
    "kendalltau": lambda draw: (of_equal(draw), draw.some(variant=lambda: draw.pick("b", "c"))),
    "pointbiserialr": lambda draw: ((draw.rng.random(9) < 0.5, array(draw, (9,), "d")), {}),
    "chatterjeexi": lambda draw: (of_lines(draw)[0], draw.some(y_continuous=True)),
    "linregress": of_lines,
    "theilslopes": of_median_slopes,
    "siegelslopes": of_repeated_medians,
    "f_oneway": several(equal_var=YES_NO),
    **dict.fromkeys(("kruskal", "bartlett", "alexandergovern"), several()),
    **dict.fromkeys(("levene", "fligner"), several(center=("mean", "median", "trimmed", "x"))),
    "friedmanchisquare": lambda draw: (tuple(array(draw, (6,)) for _ in range(draw.pick(2, 3, 4))), {}),
    "tukey_hsd": lambda draw: (
        tuple(array(draw, (draw.pick(2, 6),), "d") for _ in range(draw.pick(2, 3))),
        {},
    ),
    "obrientransform": lambda draw: (tuple(array(draw, (6,), "d") for _ in range(3)), {}),
    "shapiro": one(),
    "chisquare": of_frequencies,
    "power_divergence": of_divergence,
    "circmean": of_angles,
    "circvar": of_angles,
    "circstd": of_deviations,
    "directional_stats": of_directions,
    "combine_pvalues": of_pvalues,
    "false_discovery_control": of_discoveries,
    "logrank": of_survival,
    "steps": of_steps,
    "binned_statistic": of_bins,
    "binned_statistic_2d": of_planes,
    "density": of_density,
    "contingency.chi2_contingency": of_table,
    "contingency.expected_freq": lambda draw: (of_table(draw)[0], {}),
    "contingency.association": of_association,
    "qmc.discrepancy": of_points,
    "qmc.geometric_discrepancy": of_spread_points,
    "qmc.update_discrepancy": of_more_points,
    "anderson": of_fitted,
    **dict.fromkeys(("boxcox_normplot", "yeojohnson_normplot", "ppcc_plot"), of_plots),
    "permuted": of_permuted,
    "confidence": of_confidence,
}


def find(name):
    found = globals().get(name) or stats
    if found is stats:
        for part in name.split("."):
            found = getattr(found, part)
    return found


def outcome(function, args, kwargs):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return settled(function(*args, **kwargs))
        except Exception as error:
            return error


def numbers(result):
    """The arrays and numbers of a result, in order."""
    if isinstance(result, gpunp.ndarray):
        return [gpunp.asnumpy(result)]
    if isinstance(result, np.ndarray | np.generic | float | int):
        return [np.asarray(result)]
    if isinstance(result, tuple | list):
        return [each for part in result for each in numbers(part)]
    if hasattr(result, "__dict__"):
        return [each for name, part in vars(result).items() if name[0] != "_" for each in numbers(part)]
    return []


def check(name, draws, draw):
    args, kwargs = draws(draw)
    function = find(name)
    expected = outcome(function, args, kwargs)
    found = outcome(function, on_device(args), {key: on_device(value) for key, value in kwargs.items()})
    where = f"{name} {args} {kwargs}"
    if isinstance(expected, Exception):
        assert isinstance(found, type(expected)), f"{where}: {expected!r}, gpunp {found!r}"
        return
    if isinstance(found, Exception):
        raise AssertionError(f"{where}: gpunp raised") from found
    expected, found = numbers(expected), numbers(found)
    assert len(found) == len(expected), where
    tolerance = precision(args) if precision(args) > 1e-6 else 1e-7
    for actual, desired in zip(found, expected, strict=True):
        assert actual.shape == desired.shape, where
        np.testing.assert_allclose(actual, desired, tolerance, tolerance, err_msg=where)


@newest
@pytest.mark.parametrize("name", CALLS)
def test_agrees_with_the_host(name, device):
    draw = Draw(f"statistics.{name}")
    for _ in range(CALLS_OF_EACH):
        check(name, CALLS[name], draw)
