"""Continuous distributions of one variable."""

from dataclasses import replace

import numpy

from gpunp.array.ndarray import ndarray
from gpunp.random.describe import describe
from gpunp.random.engine import Sampler, float_code
from gpunp.random.parameters import (
    ANY,
    INTERVAL,
    NOT_NEGATIVE,
    POSITIVE,
    RANGE,
    TRIANGLE,
    Distribution,
    check,
    negative,
    on_host,
    resolve,
)
from gpunp.random.places import beside_operands

_UNIT = "random_continuous"


def _with_scale(kernel, mean="loc", scale="scale"):
    return Distribution(_UNIT, f"random_{kernel}", ((mean, ANY), (scale, NOT_NEGATIVE)))


def _one(kernel, name, check):
    return Distribution(_UNIT, f"random_{kernel}", ((name, check),))


_BETA = Distribution(_UNIT, "random_beta", (("a", POSITIVE), ("b", POSITIVE)))
_CAUCHY = Distribution(_UNIT, "random_cauchy", ())
_EXPONENTIAL = _one("exponential", "scale", NOT_NEGATIVE)
_F = Distribution(_UNIT, "random_f", (("dfnum", POSITIVE), ("dfden", POSITIVE)))
_GAMMA = Distribution(_UNIT, "random_gamma", (("shape", NOT_NEGATIVE), ("scale", NOT_NEGATIVE)))
# A chi-square variate is a gamma variate of shape df / 2 and scale 2; df is checked before it is halved.
_DEGREES = Distribution(_UNIT, "random_gamma", (("df", POSITIVE),))
_CHISQUARE = Distribution(_UNIT, "random_gamma", (("df", POSITIVE), ("scale", ANY)))
_GUMBEL = _with_scale("gumbel")
_LAPLACE = _with_scale("laplace")
_LOGISTIC = _with_scale("logistic")
_LOGNORMAL = _with_scale("lognormal", "mean", "sigma")
_NONCENTRAL_CHISQUARE = Distribution(
    "random_discrete", "random_noncentralchisquare", (("df", POSITIVE), ("nonc", NOT_NEGATIVE))
)
_NONCENTRAL_F = Distribution(
    "random_discrete",
    "random_noncentralf",
    (("dfnum", POSITIVE), ("dfden", POSITIVE), ("nonc", NOT_NEGATIVE)),
)
_NORMAL = _with_scale("normal")
_PARETO = _one("pareto", "a", POSITIVE)
_POWER = _one("power", "a", POSITIVE)
_RAYLEIGH = _one("rayleigh", "scale", NOT_NEGATIVE)
_STUDENT = _one("studentt", "df", POSITIVE)
_TRIANGULAR = Distribution(
    _UNIT, "random_triangular", (("left", ANY), ("mode", ANY), ("right", ANY)), TRIANGLE
)
_UNIFORM = Distribution(_UNIT, "random_uniform", (("low", ANY), ("high", ANY)), INTERVAL)
# NumPy's older interface takes the ends of the interval in any order.
LEGACY_UNIFORM = replace(_UNIFORM, relation=RANGE)
_VONMISES = Distribution(_UNIT, "random_vonmises", (("mu", ANY), ("kappa", NOT_NEGATIVE)))
_WALD = Distribution(_UNIT, "random_wald", (("mean", POSITIVE), ("scale", POSITIVE)))
_WEIBULL = _one("weibull", "a", NOT_NEGATIVE)

_F8 = numpy.float64


@describe
class ContinuousDraws(Sampler):
    """Distributions of floats.

    Parameters are numbers or arrays, which are broadcast together. Besides NumPy's arguments, most methods
    take ``dtype`` (float64 or float32) and ``out`` (a contiguous array to fill).
    """

    _uniform = _UNIFORM

    @beside_operands
    def _real(self, distribution, values, size, dtype=_F8, out=None, name="this distribution"):
        code = float_code(dtype, name)
        if out is not None:
            if not isinstance(out, ndarray):
                raise TypeError(f"out must be a gpunp.ndarray, not {type(out).__name__}")
            size = out.shape if size is None else size
        parameters, shape = resolve(distribution, values, size, self.device if out is None else out.device)
        return self.sample(
            name, distribution.unit, distribution.kernel, parameters, distribution.relation, code, shape, out
        )

    def uniform(self, low=0.0, high=1.0, size=None, dtype=_F8, out=None):
        """Uniform floats in [low, high); see `numpy.random.Generator.uniform`."""
        low, high = on_host(low), on_host(high)
        if type(low) is float and type(high) is float:
            span = high - low
            if not abs(span) < float("inf"):
                raise OverflowError("high - low range exceeds valid bounds")
            if span < 0 and self._uniform.relation == INTERVAL:
                raise ValueError("high - low < 0")
            return self._fill_uniform(low, span, size, dtype, out, "uniform")
        return self._real(self._uniform, (low, high), size, dtype, out, "uniform")

    def normal(self, loc=0.0, scale=1.0, size=None, dtype=_F8, out=None):
        """Normal variates; see `numpy.random.Generator.normal`."""
        loc, scale = on_host(loc), on_host(scale)
        if type(loc) is float and type(scale) is float:
            if negative(scale):
                raise ValueError("scale < 0")
            return self._fill_normal(loc, scale, size, dtype, out, "normal")
        return self._real(_NORMAL, (loc, scale), size, dtype, out, "normal")

    def standard_exponential(self, size=None, dtype=_F8, method="zig", out=None):
        """Exponential variates of mean 1; see `numpy.random.Generator.standard_exponential`.

        Both methods, "zig" and "inv", invert the distribution function at a 64-bit uniform variate.
        """
        if method not in ("zig", "inv"):
            raise ValueError(f"method must be 'zig' or 'inv', not {method!r}")
        return self._real(_EXPONENTIAL, (1.0,), size, dtype, out, "standard_exponential")

    def exponential(self, scale=1.0, size=None, dtype=_F8, out=None):
        """Exponential variates; see `numpy.random.Generator.exponential`."""
        return self._real(_EXPONENTIAL, (scale,), size, dtype, out, "exponential")

    def standard_gamma(self, shape, size=None, dtype=_F8, out=None):
        """Gamma variates of scale 1; see `numpy.random.Generator.standard_gamma`."""
        return self._real(_GAMMA, (shape, 1.0), size, dtype, out, "standard_gamma")

    def gamma(self, shape, scale=1.0, size=None, dtype=_F8, out=None):
        """Gamma variates; see `numpy.random.Generator.gamma`."""
        return self._real(_GAMMA, (shape, scale), size, dtype, out, "gamma")

    def beta(self, a, b, size=None, dtype=_F8, out=None):
        """Beta variates; see `numpy.random.Generator.beta`."""
        return self._real(_BETA, (a, b), size, dtype, out, "beta")

    def chisquare(self, df, size=None, dtype=_F8, out=None):
        """Chi-square variates; see `numpy.random.Generator.chisquare`."""
        df = on_host(df)
        if not isinstance(df, ndarray):
            check(_DEGREES, (df,))
        return self._real(_CHISQUARE, (df / 2, 2.0), size, dtype, out, "chisquare")

    def noncentral_chisquare(self, df, nonc, size=None, dtype=_F8, out=None):
        """Noncentral chi-square variates; see `numpy.random.Generator.noncentral_chisquare`."""
        return self._real(_NONCENTRAL_CHISQUARE, (df, nonc), size, dtype, out, "noncentral_chisquare")

    def f(self, dfnum, dfden, size=None, dtype=_F8, out=None):
        """Variates of Fisher's F distribution; see `numpy.random.Generator.f`."""
        return self._real(_F, (dfnum, dfden), size, dtype, out, "f")

    def noncentral_f(self, dfnum, dfden, nonc, size=None, dtype=_F8, out=None):
        """Variates of the noncentral F distribution; see `numpy.random.Generator.noncentral_f`."""
        return self._real(_NONCENTRAL_F, (dfnum, dfden, nonc), size, dtype, out, "noncentral_f")

    def standard_t(self, df, size=None, dtype=_F8, out=None):
        """Variates of Student's t distribution; see `numpy.random.Generator.standard_t`."""
        return self._real(_STUDENT, (df,), size, dtype, out, "standard_t")

    def standard_cauchy(self, size=None, dtype=_F8, out=None):
        """Cauchy variates; see `numpy.random.Generator.standard_cauchy`."""
        return self._real(_CAUCHY, (), size, dtype, out, "standard_cauchy")

    def laplace(self, loc=0.0, scale=1.0, size=None, dtype=_F8, out=None):
        """Laplace variates; see `numpy.random.Generator.laplace`."""
        return self._real(_LAPLACE, (loc, scale), size, dtype, out, "laplace")

    def logistic(self, loc=0.0, scale=1.0, size=None, dtype=_F8, out=None):
        """Logistic variates; see `numpy.random.Generator.logistic`."""
        return self._real(_LOGISTIC, (loc, scale), size, dtype, out, "logistic")

    def gumbel(self, loc=0.0, scale=1.0, size=None, dtype=_F8, out=None):
        """Gumbel variates; see `numpy.random.Generator.gumbel`."""
        return self._real(_GUMBEL, (loc, scale), size, dtype, out, "gumbel")

    def lognormal(self, mean=0.0, sigma=1.0, size=None, dtype=_F8, out=None):
        """Log-normal variates; see `numpy.random.Generator.lognormal`."""
        return self._real(_LOGNORMAL, (mean, sigma), size, dtype, out, "lognormal")

    def pareto(self, a, size=None, dtype=_F8, out=None):
        """Pareto II (Lomax) variates; see `numpy.random.Generator.pareto`."""
        return self._real(_PARETO, (a,), size, dtype, out, "pareto")

    def power(self, a, size=None, dtype=_F8, out=None):
        """Variates in [0, 1] with density a x^(a - 1); see `numpy.random.Generator.power`."""
        return self._real(_POWER, (a,), size, dtype, out, "power")

    def rayleigh(self, scale=1.0, size=None, dtype=_F8, out=None):
        """Rayleigh variates; see `numpy.random.Generator.rayleigh`."""
        return self._real(_RAYLEIGH, (scale,), size, dtype, out, "rayleigh")

    def weibull(self, a, size=None, dtype=_F8, out=None):
        """Weibull variates of scale 1; see `numpy.random.Generator.weibull`."""
        return self._real(_WEIBULL, (a,), size, dtype, out, "weibull")

    def triangular(self, left, mode, right, size=None, dtype=_F8, out=None):
        """Triangular variates; see `numpy.random.Generator.triangular`."""
        return self._real(_TRIANGULAR, (left, mode, right), size, dtype, out, "triangular")

    def wald(self, mean, scale, size=None, dtype=_F8, out=None):
        """Wald (inverse Gaussian) variates; see `numpy.random.Generator.wald`."""
        return self._real(_WALD, (mean, scale), size, dtype, out, "wald")

    def vonmises(self, mu, kappa, size=None, dtype=_F8, out=None):
        """Angles in [-pi, pi] of the von Mises distribution; see `numpy.random.Generator.vonmises`."""
        return self._real(_VONMISES, (mu, kappa), size, dtype, out, "vonmises")
