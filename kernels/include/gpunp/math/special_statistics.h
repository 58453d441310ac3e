// The functions behind the distributions of scipy.stats: densities, probabilities, tails and quantiles.
#pragma once
#include "gpunp/math/special_distribution.h"
#include "gpunp/math/special_parameter.h"
#include "gpunp/math/special_quantile.h"
#include "gpunp/math/special_zeta_polynomials.h"

namespace gpunp {
namespace math {
namespace special {

// The probability of k of n events for real k and n, 0 < p < 1, q = 1 - p.
GPUNP_HD double binomial_weight(double k, double n, double p, double q) {
    return beta_weight(k + 1, n - k + 1, p, q) / (p * q) / (n + 1);
}

GPUNP_HD bool is_probability(double p) {
    return p >= 0 && p <= 1;
}

// The least whole number k >= 0 whose distribution function is at least p, or whose upper tail is at most p,
// from an approximation.
template <class F>
GPUNP_HD_CALLED double whole_quantile(F tail, double p, bool upper, double near, double most) {
    double k = ::fmin(::fmax(::ceil(near), 0.), most);
    // Rounding errors of the tail do not count.
    p *= upper ? 1 + 2e-15 : 1 - 2e-15;
    for (int n = 0; n < 100 && k > 0 && (upper ? tail(k - 1) <= p : tail(k - 1) >= p); ++n) k -= 1;
    for (int n = 0; n < 100 && k < most && (upper ? tail(k) > p : tail(k) < p); ++n) k += 1;
    return k;
}

struct BinomialTail {
    double n, p;
    bool upper;
    GPUNP_HD double operator()(double k) const {
        if (k >= n) return upper ? 0 : 1;
        return beta_tail(k + 1, n - k, p, !upper);
    }
};
struct NegativeBinomialTail {
    double n, p;
    bool upper;
    GPUNP_HD double operator()(double k) const { return beta_tail(n, k + 1, p, upper); }
};

GPUNP_HD_CALLED double binomial_quantile(double p, double n, double chance, bool upper) {
    if (!(is_probability(p) && is_probability(chance) && n >= 0) || is_infinite(n))
        return libm<double>::nan();
    if (p == (upper ? 1 : 0) || n == 0) return 0;
    if (p == (upper ? 0 : 1) || chance == 1) return n;
    if (chance == 0) return 0;
    bool high = upper ? p < 0.5 : p > 0.5;
    BinomialCount excess = {n, chance, high == upper ? p : 1 - p, high};
    double near = excess(0) >= 0 ? 0 : root_of_increasing(excess, n * chance, 0, n);
    // The root is within a rounding error of a whole number if p is the probability up to it.
    return whole_quantile(BinomialTail{n, chance, upper}, p, upper, near - 1e-9 * near, n);
}

GPUNP_HD_CALLED double negative_binomial_quantile(double p, double n, double chance, bool upper) {
    if (!(is_probability(p) && is_probability(chance) && n > 0) || is_infinite(n)) return libm<double>::nan();
    if (p == (upper ? 1 : 0) || chance == 1) return 0;
    if (p == (upper ? 0 : 1) || chance == 0) return libm<double>::infinity();
    double near = beta_shape(upper ? p : 1 - p, upper ? 1 - p : p, n, 1 - chance, chance) - 1;
    return whole_quantile(NegativeBinomialTail{n, chance, upper}, p, upper, near - 1e-9 * near, 1e300);
}

// y - sin(y) for y >= 0.
GPUNP_HD double above_sine(double y) {
    if (y > 0.5) return y - ::sin(y);
    double w = y * y;
    return y * w / 6 * (1 - w / 20 * (1 - w / 42 * (1 - w / 72 * (1 - w / 110 * (1 - w / 156)))));
}

// The sum of i^-a for i from first to last.
GPUNP_HD_CALLED double sum_of_powers(double first, double last, double a) {
    double start = ::fmin(::fmax(first, ::ceil(20 + ::fmin(::fabs(a), 1000.))), last + 1), sum = 0;
    if (last - start < 20) start = last + 1;
    for (double i = start - 1; i >= first; i -= 1) sum += ::pow(i, -a);
    if (start > last) return sum;
    // Euler and Maclaurin's formula for the rest.
    constexpr double c[] = GPUNP_ZETA_EULER_MACLAURIN;
    double u = 1 / start, v = 1 / (last + 1), before = a * u, after = a * v, p = 0.5, q = 0.5;
    for (int k = 0; k < 12; ++k) {
        p += c[k] * before;
        q += c[k] * after;
        double rise = (a + 2 * k + 1) * (a + 2 * k + 2);
        before *= rise * u * u;
        after *= rise * v * v;
    }
    double logarithm = ::log((last + 1) * u), exponent = (1 - a) * logarithm, power = ::pow(start, -a);
    double integral = exponent == 0 ? logarithm : ::expm1(exponent) / (1 - a);
    return sum + power * (start * integral + p) - ::pow(last + 1, -a) * q;
}

// Tails of the inverse Gaussian distribution with the mean mu and the shape s.
struct InverseGaussian {
    double mu, s, goal;
    bool upper;
    GPUNP_HD double tail(double x) const {
        double root = ::sqrt(s / x), z = root * (x / mu - 1), other = root * (x / mu + 1);
        double second = 0.5 * ::exp(-0.5 * z * z) * erfcx(other * ROOT_HALF);
        return upper ? ndtr(-z) - second : ndtr(z) + second;
    }
    GPUNP_HD double operator()(double x) const { return tail_excess(tail(x), goal, upper); }
};

GPUNP_HD_CALLED double inverse_gaussian_quantile(double p, double mu, double s, bool upper) {
    if (!(is_probability(p) && mu > 0 && s > 0)) return libm<double>::nan();
    if (p == 0 || p == 1) return (p == 0) == upper ? libm<double>::infinity() : 0;
    bool high = upper ? p < 0.5 : p > 0.5;
    InverseGaussian excess = {mu, s, high == upper ? p : 1 - p, high};
    return root_of_increasing(excess, mu / (1 + mu / s), 0, 1e300);
}

// Hypergeometric probabilities: k of `sample` draws are among `marked` of `all`.
GPUNP_HD_CALLED double hypergeometric_weight(double k, double marked, double sample, double all) {
    double others = all - marked;
    if (k < 0 || k > marked || k > sample || sample - k > others) return 0;
    double p = sample / all, q = (all - sample) / all;
    if (p == 0 || q == 0) return 1;
    // Binomial probabilities are accurate where quotients of binomial coefficients overflow.
    return binomial_weight(k, marked, p, q) *
           (binomial_weight(sample - k, others, p, q) / binomial_weight(sample, all, p, q));
}

GPUNP_HD_CALLED double hypergeometric_tail(double k, double marked, double sample, double all, bool upper) {
    double others = all - marked, lowest = ::fmax(sample - others, 0.), highest = ::fmin(marked, sample);
    if (k < lowest || k >= highest) return (k < lowest) == upper ? 1 : 0;
    bool above = k + 1 > marked * (sample / all);
    double j = above ? k + 1 : k, term = hypergeometric_weight(j, marked, sample, all), sum = 0;
    for (int n = 0; n < 10000000 && term > 1e-17 * sum; ++n) {
        sum += term;
        term *= above ? (sample - j) / (j + 1) * ((marked - j) / (others - sample + j + 1))
                      : j / (sample - j + 1) * ((others - sample + j) / (marked - j + 1));
        j += above ? 1 : -1;
    }
    return above == upper ? sum : 1 - sum;
}

GPUNP_HD bool is_hypergeometric(double marked, double sample, double all) {
    return marked >= 0 && sample >= 0 && marked <= all && sample <= all && !is_infinite(all);
}
GPUNP_HD bool is_drawn(double k, double marked, double sample, double all) {
    return k >= 0 && k <= marked && k <= sample && sample - k <= all - marked;
}

// Tails of the skew normal distribution.
GPUNP_HD double skew_normal_tail(double z, double shape, bool upper) {
    double t = 2 * owens_t(z, shape);
    return upper ? ndtr(-z) + t : ndtr(z) - t;
}
struct SkewNormal {
    double shape, goal, sign;
    bool upper;
    GPUNP_HD double operator()(double x) const {
        return sign * tail_excess(skew_normal_tail(sign * x, shape, upper), goal, upper);
    }
};

GPUNP_HD_CALLED double skew_normal_quantile(double p, double shape, bool upper) {
    if (!is_probability(p) || !is_finite(shape)) return libm<double>::nan();
    if (p == 0 || p == 1) return (p == 0) == upper ? libm<double>::infinity() : -libm<double>::infinity();
    bool high = upper ? p < 0.5 : p > 0.5;
    SkewNormal excess = {shape, high == upper ? p : 1 - p, 1, high};
    excess.sign = excess(0) < 0 ? 1 : -1;
    return excess.sign * root_of_increasing(excess, 1, 0, 1e10);
}

}  // namespace special

GPUNP_HD_CALLED double beta_pdf(double x, double a, double b) {
    if (!is_finite(x) || !(a > 0 && b > 0)) return libm<double>::nan();
    if (x >= 1 && b < 1) return libm<double>::infinity();
    if (x <= 0 && a < 1) return libm<double>::infinity();
    if (x < 0 || x > 1) return libm<double>::nan();
    if (x == 0) return a == 1 ? b : 0;
    if (x == 1) return b == 1 ? a : 0;
    return special::beta_weight(a, b, x, 1 - x) / (x * (1 - x));
}
GPUNP_HD double beta_ppf(double p, double a, double b) {
    return betaincinv(a, b, p);
}

GPUNP_HD_CALLED double binom_pmf(double k, double n, double p) {
    if (!(k >= 0 && k <= n && special::is_probability(p)) || is_infinite(n)) return libm<double>::nan();
    if (p == 0 || p == 1) return k == (p == 0 ? 0 : n) ? 1 : 0;
    return special::binomial_weight(k, n, p, 1 - p);
}
GPUNP_HD double binom_tail(double k, double n, double p, bool upper) {
    if (is_infinite(k) && !upper) return k < 0 ? 0 : 1;
    if (!(k >= 0 && k <= n && special::is_probability(p)) || is_infinite(n)) return libm<double>::nan();
    return special::BinomialTail{n, p, upper}(k);
}
GPUNP_HD_CALLED double binom_cdf(double k, double n, double p) {
    return binom_tail(k, n, p, false);
}
GPUNP_HD_CALLED double binom_sf(double k, double n, double p) {
    return binom_tail(k, n, p, true);
}
GPUNP_HD double binom_ppf(double q, double n, double p) {
    return special::binomial_quantile(q, n, p, false);
}
GPUNP_HD double binom_isf(double q, double n, double p) {
    return special::binomial_quantile(q, n, p, true);
}

GPUNP_HD_CALLED double nbinom_pmf(double k, double n, double p) {
    if (!(k >= 0 && n > 0 && special::is_probability(p)) || is_infinite(k)) return libm<double>::nan();
    if (p == 0 || p == 1) return p == 1 && k == 0 ? 1 : 0;
    return special::beta_weight(n, k + 1, p, 1 - p) / (1 - p) / (n + k);
}
GPUNP_HD double nbinom_tail(double k, double n, double p, bool upper) {
    if (is_infinite(k) && !upper) return k < 0 ? 0 : 1;
    if (is_infinite(k) || is_infinite(n)) return libm<double>::nan();
    if (!(k >= 0 && n > 0 && special::is_probability(p))) return libm<double>::nan();
    return special::NegativeBinomialTail{n, p, upper}(k);
}
GPUNP_HD_CALLED double nbinom_cdf(double k, double n, double p) {
    return nbinom_tail(k, n, p, false);
}
GPUNP_HD_CALLED double nbinom_sf(double k, double n, double p) {
    return nbinom_tail(k, n, p, true);
}
GPUNP_HD double nbinom_ppf(double q, double n, double p) {
    return special::negative_binomial_quantile(q, n, p, false);
}
GPUNP_HD double nbinom_isf(double q, double n, double p) {
    return special::negative_binomial_quantile(q, n, p, true);
}
GPUNP_HD double nbinom_mean(double n, double p) {
    return n * (1 - p) / p;
}
GPUNP_HD double nbinom_variance(double n, double p) {
    return n * (1 - p) / (p * p);
}
GPUNP_HD double nbinom_skewness(double n, double p) {
    return (2 - p) / ::sqrt(n * (1 - p));
}
GPUNP_HD double nbinom_kurtosis_excess(double n, double p) {
    return (6 - p * (6 - p)) / (n * (1 - p));
}

GPUNP_HD_CALLED double hypergeom_pmf(double k, double marked, double sample, double all) {
    if (!special::is_hypergeometric(marked, sample, all) || !special::is_drawn(k, marked, sample, all)) {
        return libm<double>::nan();
    }
    return special::hypergeometric_weight(k, marked, sample, all);
}
GPUNP_HD_CALLED double hypergeom_cdf(double k, double marked, double sample, double all) {
    if (is_infinite(k)) return k < 0 ? 0 : 1;
    if (!special::is_hypergeometric(marked, sample, all) || !special::is_drawn(k, marked, sample, all)) {
        return libm<double>::nan();
    }
    return special::hypergeometric_tail(k, marked, sample, all, false);
}
GPUNP_HD_CALLED double hypergeom_sf(double k, double marked, double sample, double all) {
    if (!special::is_hypergeometric(marked, sample, all) || !special::is_drawn(k, marked, sample, all)) {
        return libm<double>::nan();
    }
    return special::hypergeometric_tail(k, marked, sample, all, true);
}
GPUNP_HD double hypergeom_mean(double marked, double sample, double all) {
    return marked * sample / all;
}
GPUNP_HD double hypergeom_variance(double marked, double sample, double all) {
    return marked * sample / all * ((all - marked) / all) * ((all - sample) / (all - 1));
}
GPUNP_HD double hypergeom_skewness(double r, double n, double all) {
    return (all - 2 * r) * ::sqrt(all - 1) * (all - 2 * n) /
           (::sqrt(n * r * (all - r) * (all - n)) * (all - 2));
}

// cot(pi p) is exact at quarters by the symmetric argument.
GPUNP_HD double cauchy_quantile(double p, double location, double scale, bool upper) {
    if (!(special::is_probability(p) && scale > 0)) return libm<double>::nan();
    double sign = upper ? -1 : 1, tail = p > 0.5 ? p - 1 : p;
    if (p == 0 || p == 1) return sign * (p == 0 ? -libm<double>::infinity() : libm<double>::infinity());
    return p == 0.5 ? location : location - sign * scale / ::tan(constant::PI * tail);
}
GPUNP_HD double cauchy_ppf(double p, double location, double scale) {
    return cauchy_quantile(p, location, scale, false);
}
GPUNP_HD double cauchy_isf(double p, double location, double scale) {
    return cauchy_quantile(p, location, scale, true);
}

GPUNP_HD_CALLED double cosine_cdf(double x) {
    if (x != x || ::fabs(x) >= constant::PI) return x != x ? x : x < 0 ? 0 : 1;
    double tail =
        special::above_sine((constant::PI - ::fabs(x)) + 1.2246467991473532e-16) / (2 * constant::PI);
    return x < 0 ? tail : 1 - tail;
}
GPUNP_HD_CALLED double cosine_invcdf(double p) {
    if (!special::is_probability(p)) return libm<double>::nan();
    double goal = 2 * constant::PI * (p < 0.5 ? p : 1 - p),
           y = ::cbrt(6 * goal) * (1 + 0.1 * goal / constant::PI);
    for (int n = 0; n < 20 && goal > 0; ++n) {
        // y - sin(y) is nearly a cube: Halley's method.
        double half = ::sin(0.5 * y), rest = special::above_sine(y) - goal, slope = 2 * half * half;
        double step = rest / (slope - 0.5 * rest * ::sin(y) / slope);
        y -= step;
        if (::fabs(step) < 1e-8 * y) break;
    }
    double x = constant::PI - y;
    return p < 0.5 ? -x : x;
}

GPUNP_HD_CALLED double gen_harmonic(double n, double a) {
    if (!(n >= 1) || (n > 1 && a != a)) return libm<double>::nan();
    if (n == 1 || a == libm<double>::infinity()) return 1;
    return is_infinite(a) ? -a : a == 0 ? n : special::sum_of_powers(1, n, a);
}
GPUNP_HD_CALLED double normalized_gen_harmonic(double first, double last, double n, double a) {
    if (!(first >= 1 && first <= last && last <= n && is_finite(a))) return libm<double>::nan();
    return special::sum_of_powers(first, last, a) / special::sum_of_powers(1, n, a);
}

GPUNP_HD double invgauss_ppf(double p, double mu, double s) {
    return special::inverse_gaussian_quantile(p, mu, s, false);
}
GPUNP_HD double invgauss_isf(double p, double mu, double s) {
    return special::inverse_gaussian_quantile(p, mu, s, true);
}

GPUNP_HD_CALLED double log1mexp(double x) {
    return x > -0.69314718055994531 ? ::log(-::expm1(x)) : ::log1p(-::exp(x));
}

// x e^x E1(x), by the continued fraction (Lentz's algorithm) or the power series.
GPUNP_HD_CALLED double scaled_exp1(double x) {
    if (!(x > 0)) return x == 0 ? 0 : libm<double>::nan();
    if (x > 1e9) return is_infinite(x) ? 1 : 1 - 1 / x;
    if (x < 1) {
        double term = 1, sum = 0;
        for (int n = 1; n < 30; ++n) {
            term *= -x / n;
            sum -= term / n;
        }
        return x * ::exp(x) * (sum - ::log(x) - 0.57721566490153286);
    }
    double b = x + 1, c = 1e300, d = 1 / b, value = d;
    for (int n = 1; n < 300; ++n) {
        double numerator = -(double)n * n;
        b += 2;
        d = 1 / (b + numerator * d);
        c = b + numerator / c;
        value *= c * d;
        if (::fabs(c * d - 1) < 2.5e-16) break;
    }
    return x * value;
}

GPUNP_HD_CALLED double skewnorm_cdf(double x, double location, double scale, double shape) {
    return scale > 0 ? special::skew_normal_tail((x - location) / scale, shape, false) : libm<double>::nan();
}
GPUNP_HD double skewnorm_ppf(double p, double location, double scale, double shape) {
    return scale > 0 ? location + scale * special::skew_normal_quantile(p, shape, false)
                     : libm<double>::nan();
}
GPUNP_HD double skewnorm_isf(double p, double location, double scale, double shape) {
    return scale > 0 ? location + scale * special::skew_normal_quantile(p, shape, true) : libm<double>::nan();
}

}  // namespace math
}  // namespace gpunp
