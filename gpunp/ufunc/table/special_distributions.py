"""Long ufuncs of scipy.special: probability distributions, their inverses and parameters."""

from .long_rows import row, same

# Two or three real operands; the number of trials, or that of events, may be an integer.
_TRIALS = ("fff->f", "dqd->d", "ddd->d")
_EVENTS_AND_TRIALS = ("qqd->d", "fff->f", "ddd->d")
_EVENTS = ("qd->d", "ff->f", "dd->d")
# The ufuncs behind scipy.stats.
_PRIVATE = "scipy.special._ufuncs"


def _private(topic, nin, *names):
    """Return rows of ufuncs behind scipy.stats, whose operands all have one dtype."""
    signatures = tuple(f"{c * nin}->{c}" for c in "fd")
    return tuple(row(f"_{name}", topic, *signatures, namespace=_PRIVATE) for name in names)


# The functions of a distribution by what follows its name.
_CONTINUOUS = ("pdf", "sf", "isf")
_DISCRETE = ("pmf", "cdf", "sf", "ppf", "isf")
_MOMENTS = ("mean", "variance", "skewness", "kurtosis_excess")


def _family(topic, nin, distribution, kinds):
    return _private(topic, nin, *(f"{distribution}_{kind}" for kind in kinds))


ROWS = (
    *(same(name, "combinatorial", nin=2) for name in ("beta", "betaln", "binom", "poch")),
    *_private("combinatorial", 2, "stirling2_inexact"),
    *(row(name, "distribution", *_TRIALS) for name in ("bdtr", "bdtrc")),
    *(row(name, "distribution", *_EVENTS_AND_TRIALS) for name in ("nbdtr", "nbdtrc")),
    *(same(name, "distribution", nin=2) for name in ("pdtr", "pdtrc", "owens_t", "tklmbda")),
    *(same(name, "distribution", nin=3) for name in ("gdtr", "gdtrc", "nrdtrimn", "nrdtrisd")),
    *(same(name, "quantile", nin=2) for name in ("gammaincinv", "gammainccinv", "chdtri", "stdtrit")),
    *(same(name, "quantile", nin=3) for name in ("betaincinv", "betainccinv", "fdtri", "gdtria", "gdtrix")),
    row("bdtri", "quantile", *_TRIALS),
    row("nbdtri", "quantile", *_EVENTS_AND_TRIALS),
    row("pdtri", "quantile", *_EVENTS),
    *(same(name, "parameter", nin=2) for name in ("chdtriv", "pdtrik", "stdtridf")),
    *(
        same(name, "parameter", nin=3)
        for name in ("bdtrik", "bdtrin", "btdtria", "btdtrib", "fdtridfd", "gdtrib", "nbdtrik", "nbdtrin")
    ),
    *(same(name, "noncentral", nin=3) for name in ("chndtr", "chndtridf", "chndtrinc", "chndtrix")),
    *(
        same(name, "noncentral", nin=4)
        for name in ("ncfdtr", "ncfdtri", "ncfdtridfd", "ncfdtridfn", "ncfdtrinc")
    ),
    *(same(name, "noncentral_t", nin=3) for name in ("nctdtr", "nctdtridf", "nctdtrinc", "nctdtrit")),
    *(same(name, "kolmogorov") for name in ("kolmogorov", "kolmogi")),
    *_private("kolmogorov", 1, "kolmogc", "kolmogci", "kolmogp"),
    *(row(name, "kolmogorov", *_EVENTS) for name in ("smirnov", "smirnovi")),
    *(
        row(name, "kolmogorov", *_EVENTS, namespace=_PRIVATE)
        for name in ("_smirnovc", "_smirnovci", "_smirnovp")
    ),
    *_family("noncentral_moments", 3, "ncx2", _CONTINUOUS),
    *_family("noncentral_moments", 4, "ncf", _CONTINUOUS),
    *_family("noncentral_moments", 3, "ncf", _MOMENTS),
    *_family("noncentral_moments", 3, "nct", _CONTINUOUS),
    *_family("noncentral_moments", 2, "nct", _MOMENTS),
    *_private("statistics", 3, "beta_pdf", "beta_ppf", "cauchy_ppf", "cauchy_isf"),
    *_family("statistics", 3, "binom", _DISCRETE),
    *_family("statistics", 3, "nbinom", _DISCRETE),
    *_family("statistics", 2, "nbinom", _MOMENTS),
    *_family("statistics", 4, "hypergeom", ("pmf", "cdf", "sf")),
    *_family("statistics", 3, "hypergeom", _MOMENTS[:3]),
    *_private("statistics", 1, "cosine_cdf", "cosine_invcdf", "log1mexp", "scaled_exp1"),
    *_private("statistics", 3, "invgauss_ppf", "invgauss_isf"),
    *_family("landau", 3, "landau", ("pdf", "cdf", "sf", "ppf", "isf")),
    *_family("statistics", 4, "skewnorm", ("cdf", "ppf", "isf")),
    row("_gen_harmonic", "statistics", "qd->d", "dd->d", namespace=_PRIVATE),
    row("_normalized_gen_harmonic", "statistics", "qqqd->d", "dddd->d", namespace=_PRIVATE),
)
