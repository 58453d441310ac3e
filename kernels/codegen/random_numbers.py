"""Units of random numbers: fills by dtype, distributions, rows, permutations, words of other generators."""

FILLS = {
    "uniform": {"f4": "UniformSingle", "f8": "UniformDouble"},
    "normal": {"f4": "NormalSingle", "standard_f4": "StandardNormalSingle", "f8": "NormalDouble"},
    "integers": {f"u{n}": f"Integers<uint{8 * n}_t>" for n in (1, 2, 4, 8)},
}
# Functors of random/continuous.h and random/discrete.h; COUNTED and CONTINUOUS return reals.
CONTINUOUS = ("Exponential", "Gamma", "Beta", "F", "StudentT", "Normal", "LogNormal", "Uniform", "Laplace")
CONTINUOUS += ("Gumbel", "Logistic", "Pareto", "Power", "Weibull", "Rayleigh", "Cauchy", "Triangular")
CONTINUOUS += ("Wald", "VonMises")
COUNTED = ("NoncentralChisquare", "NoncentralF")
DISCRETE = ("Poisson", "Binomial", "NegativeBinomial", "Geometric", "Hypergeometric", "LogSeries", "Zipf")
ROWS = ("multinomial", "multivariate_hypergeometric", "dirichlet")


def _samples(functors, kind):
    return "".join(f"GPUNP_RANDOM_SAMPLE(random_{f.lower()}, {f}, {kind})\n" for f in functors)


def units():
    """Map unit names to sources."""
    made = {
        f"random_{family}": '#include "gpunp/random/fill.h"\n\n'
        + "".join(
            f"GPUNP_RANDOM_FILL{'_FUSED' * functor.endswith('NormalSingle')}({family}_{dtype}, {functor})\n"
            for dtype, functor in fills.items()
        )
        for family, fills in FILLS.items()
    }
    sample = '#include "gpunp/random/sample.h"\n\n'
    made["random_continuous"] = sample + _samples(CONTINUOUS, "Real")
    made["random_discrete"] = (
        sample
        + _samples(DISCRETE, "Whole")
        + _samples(COUNTED, "Real")
        + "GPUNP_RANDOM_EACH(random_integers, RandomIntegersParams, size, integer_element)\n"
    )
    made["random_rows"] = '#include "gpunp/random/rows.h"\n\n' + "".join(
        f"GPUNP_RANDOM_EACH(random_{name}, RandomRowsParams, rows, {name}_row)\n" for name in ROWS
    )
    made["random_rows"] += (
        "GPUNP_RANDOM_EACH(random_ties, RandomTiesParams, rows * p.length, shuffle_run)\n"
        "GPUNP_RANDOM_EACH(random_places, RandomPlacesParams, size, place)\n"
    )
    made["random_recurrences"] = '#include "gpunp/random/recurrences.h"\n\n' + "".join(
        f"GPUNP_RANDOM_EACH({name}_words, RandomWordsParams, blocks / ::gpunp::RANDOM_PART + 1, "
        f"words_part<{functor}>)\n"
        for name, functor in (("xorwow", "Xorwow"), ("mrg32k3a", "Mrg"))
    )
    return made
