"""``scipy.stats`` on device arrays: its functions under SciPy's names and with SciPy's signatures."""

import importlib
import sys

from gpunp_scipy.lazy import attach

_CONTINUOUS = ("cdf", "isf", "logcdf", "logpdf", "logsf", "pdf", "ppf", "sf")
_DISCRETE = ("cdf", "isf", "logcdf", "logpmf", "logsf", "pmf", "ppf", "sf")

_VARIABLES = ("ccdf", "cdf", "iccdf", "icdf", "ilogccdf", "ilogcdf", "logccdf", "logcdf", "logpdf", "pdf")
_SUMMARIES = ("entropy", "interval", "moment", "stats", "support")

_DISTRIBUTIONS = (
    "alpha anglit arcsine argus bernoulli beta betabinom betanbinom betaprime binom boltzmann bradford "
    "burr burr12 cauchy chi chi2 cosine crystalball dgamma dirichlet dirichlet_multinomial dlaplace "
    "dpareto_lognorm dweibull erlang expon exponnorm exponpow exponweib f fatiguelife fisk foldcauchy "
    "foldnorm gamma gausshyper genexpon genextreme gengamma genhalflogistic genhyperbolic geninvgauss "
    "genlogistic gennorm genpareto geom gibrat gompertz gumbel_l gumbel_r halfcauchy halfgennorm "
    "halflogistic halfnorm hypergeom hypsecant invgamma invgauss invweibull invwishart jf_skew_t "
    "johnsonsb johnsonsu kappa3 kappa4 ksone kstwobign landau laplace laplace_asymmetric levy levy_l "
    "loggamma logistic loglaplace lognorm logser loguniform lomax matrix_normal matrix_t maxwell mielke "
    "moyal multinomial multivariate_hypergeom multivariate_normal multivariate_t nakagami nbinom ncf "
    "nct ncx2 nhypergeom norm normal_inverse_gamma norminvgauss ortho_group pareto pearson3 planck "
    "poisson poisson_binom powerlaw powerlognorm powernorm randint rayleigh rdist recipinvgauss "
    "reciprocal rel_breitwigner rice semicircular skellam skewcauchy skewnorm special_ortho_group t "
    "trapezoid triang truncexpon truncnorm truncpareto truncweibull_min tukeylambda uniform "
    "uniform_direction unitary_group vonmises vonmises_fisher vonmises_line wald weibull_max "
    "weibull_min wishart wrapcauchy yulesimon zipf zipfian "
)

HOMES = {
    "distributions": tuple(_DISTRIBUTIONS.split()),
    "concordance": ("kendalltau",),
    "correlation": ("pearsonr",),
    "ranks": ("rankdata",),
    "rebound": (
        "anderson",
        "anderson_ksamp",
        "boxcox_normplot",
        "energy_distance",
        "page_trend_test",
        "percentileofscore",
        "ppcc_max",
        "ppcc_plot",
        "probplot",
        "scoreatpercentile",
        "trim1",
        "trimboth",
        "tukey_hsd",
        "wasserstein_distance",
        "yeojohnson",
        "yeojohnson_normmax",
        "yeojohnson_normplot",
    ),
    "transforms": ("boxcox", "boxcox_normmax", "tiecorrect"),
    "variables_on_device": ("order_statistic", "truncate"),
    "binned": ("binned_statistic", "binned_statistic_2d", "binned_statistic_dd"),
}
# Methods of SciPy's classes, and our functions for device arrays.
METHODS = {
    **{f"rv_continuous.{name}": f"continuous.{name}" for name in _CONTINUOUS},
    **{f"rv_discrete.{name}": f"discrete.{name}" for name in _DISCRETE},
    **{f"rv_continuous.{name}": f"summaries.{name}" for name in _SUMMARIES},
    "rv_continuous.rvs": "draws.rvs",
    "rv_histogram.__init__": "continuous.create_from_histogram",
    **{f"rv_histogram.{name}": f"continuous.{name}" for name in _CONTINUOUS},
    **{
        f"{of}.{name}": f"random_variables.{name}"
        for of in ("Logistic", "Mixture", "Normal", "Uniform")
        for name in _VARIABLES
    },
    **{f"{of}.sample": "random_variables.sample" for of in ("Mixture", "Normal")},
    **{f"Mixture.{name}": f"random_variables.{name}" for name in ("logpmf", "pmf")},
    "Mixture.__init__": "random_variables.create_mixture",
    "Binomial.pmf": "random_variables.pmf",
    "Binomial.logpmf": "random_variables.logpmf",
    "Covariance.whiten": "multivariate.whiten",
    "Covariance.colorize": "multivariate.colorize",
    "gaussian_kde.__init__": "densities.create",
    "gaussian_kde.evaluate": "densities.evaluate",
    "gaussian_kde.logpdf": "densities.logpdf",
}
# Classes whose random vectors can be made on a device. Other frozen distributions call these.
_RANDOM_VECTORS = (
    "dirichlet_gen invwishart_frozen invwishart_gen matrix_normal_gen matrix_t_gen multinomial_gen "
    "multivariate_hypergeom_gen multivariate_normal_gen multivariate_t_gen normal_inverse_gamma_gen "
    "ortho_group_gen special_ortho_group_gen uniform_direction_gen unitary_group_gen vonmises_fisher_frozen "
    "vonmises_fisher_gen wishart_frozen wishart_gen"
)
RANDOM_VECTORS = tuple(_RANDOM_VECTORS.split())
# What has to see every call: a generator of the device and censored data are no arrays.
OF_OBJECTS = (
    "_distn_infrastructure.rv_generic.rvs",
    "_distribution_infrastructure.Mixture.sample",
    "_distribution_infrastructure.UnivariateDistribution.sample",
    "_survival._ecdf_right_censored",
    *(f"_multivariate.{name}.rvs" for name in RANDOM_VECTORS),
)
_DENSITIES = (
    "dirichlet invwishart matrix_normal matrix_t multivariate_normal multivariate_t normal_inverse_gamma "
    "vonmises_fisher wishart"
)
_MASSES = ("dirichlet_multinomial", "multinomial", "multivariate_hypergeom")
_MULTIVARIATE = "scipy.stats._multivariate"
# Functions of SciPy that its own code calls, and methods of classes without a public name.
HELPERS = {
    **{
        f"{_MULTIVARIATE}:{name}_{kind}.{method}": f"multivariate.{method}"
        for names, methods in ((_DENSITIES.split(), ("pdf", "logpdf")), (_MASSES, ("pmf", "logpmf")))
        for name in names
        for kind in ("gen", "frozen")
        for method in methods
    },
    **{
        f"{_MULTIVARIATE}:multivariate_{name}.{method}": f"multivariate.{method}"
        for name, methods in (
            ("normal_gen", ("cdf", "fit", "logcdf")),
            ("normal_frozen", ("cdf", "logcdf")),
            ("t_gen", ("cdf",)),
            ("t_frozen", ("cdf",)),
        )
        for method in methods
    },
    f"{_MULTIVARIATE}:vonmises_fisher_gen.fit": "multivariate.fit",
    "scipy.stats._distn_infrastructure:rv_frozen.__init__": "summaries.freeze",
    "scipy.stats._distribution_infrastructure:UnivariateDistribution.__init__": "random_variables.create",
    "scipy._external.array_api_extra:apply_where": "selection.apply_where",
    "scipy._lib.array_api_extra:apply_where": "selection.apply_where",
    "scipy._external.array_api_extra:lazy_apply": "selection.lazy_apply",
    "scipy._lib.array_api_extra:lazy_apply": "selection.lazy_apply",
    "scipy._lib._util:_lazyselect": "selection.lazyselect",
    "scipy.stats._stats_py:_rankdata": "ranks.rank_slices",
    "scipy.stats._wilcoxon:_wilcoxon_nd": "rebound.wilcoxon_nd",
    "scipy.stats._stats_py:_mode_result": "missing_values.mode_result",
    # What the functions of these names call for each sample.
    "scipy.stats._stats_py:ks_2samp.__wrapped__": "rebound.ks_2samp",
    "scipy.stats._stats_py:ranksums.__wrapped__": "rebound.ranksums",
    "scipy.stats._hypotests:cramervonmises.__wrapped__": "goodness_of_fit.cramervonmises",
    "scipy.stats._hypotests:cramervonmises_2samp.__wrapped__": "goodness_of_fit.cramervonmises_2samp",
    "scipy.stats._censored_data:_validate_interval": "censored.validate_interval",
    "scipy.stats._censored_data:_validate_x_censored": "censored.validate_x_censored",
    "scipy.stats._survival:_ecdf_right_censored": "censored.ecdf_right_censored",
}


def handlers():
    """Yield functions of SciPy and what calls of them with device arrays run, besides `HELPERS`."""
    topic = importlib.import_module("gpunp_scipy.stats.host_methods")
    yield from topic.host_methods()
    topic = importlib.import_module("gpunp_scipy.stats.missing_values")
    for module in ("scipy.stats", "scipy.stats._morestats"):
        # Some public functions call one without a public name that is decorated.
        yield from topic.policies(vars(sys.modules[module]).values())


__all__, __getattr__, __dir__ = attach(__name__, HOMES)
