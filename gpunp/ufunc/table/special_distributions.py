"""Long ufuncs of scipy.special: probability distributions, their inverses and parameters."""

from .long_rows import row, same

# Two or three real operands; the number of trials, or that of events, may be an integer.
_TRIALS = ("fff->f", "dqd->d", "ddd->d")
_EVENTS_AND_TRIALS = ("qqd->d", "fff->f", "ddd->d")
_EVENTS = ("qd->d", "ff->f", "dd->d")
# The ufuncs behind scipy.stats.
_PRIVATE = "scipy.special._ufuncs"

ROWS = (
    *(same(name, "combinatorial", nin=2) for name in ("beta", "betaln", "binom", "poch")),
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
    *(
        row(name, "kolmogorov", "f->f", "d->d", namespace=_PRIVATE)
        for name in ("_kolmogc", "_kolmogci", "_kolmogp")
    ),
    *(row(name, "kolmogorov", *_EVENTS) for name in ("smirnov", "smirnovi")),
    *(
        row(name, "kolmogorov", *_EVENTS, namespace=_PRIVATE)
        for name in ("_smirnovc", "_smirnovci", "_smirnovp")
    ),
)
