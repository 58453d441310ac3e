// Distribution functions: binomial, negative binomial, Poisson, gamma, Tukey's lambda, Owen's T; parameters
// of the normal distribution.
#pragma once
#include "gpunp/math/special_incomplete.h"

namespace gpunp {
namespace math {
namespace special {

// I_x(a, b), or its complement, for x = p.
GPUNP_HD double beta_tail(double a, double b, double p, bool complement) {
    return complement ? beta_incomplete(b, a, 1 - p, p) : beta_incomplete(a, b, p, 1 - p);
}

}  // namespace special

// The sum of binomial terms up to k, and beyond k.
GPUNP_HD_CALLED double bdtr(double k, double n, double p) {
    k = ::floor(k);
    n = ::trunc(n);
    if (!(p >= 0 && p <= 1 && k >= 0 && n >= k) || is_infinite(n)) return libm<double>::nan();
    if (k == n) return 1;
    return k == 0 ? ::exp(n * ::log1p(-p)) : special::beta_tail(k + 1, n - k, p, true);
}
GPUNP_HD_CALLED double bdtrc(double k, double n, double p) {
    k = ::floor(k);
    n = ::trunc(n);
    if (!(p >= 0 && p <= 1 && n >= k) || k != k || is_infinite(n)) return libm<double>::nan();
    if (k < 0 || k == n) return k < 0 ? 1 : 0;
    return k == 0 ? -::expm1(n * ::log1p(-p)) : special::beta_tail(k + 1, n - k, p, false);
}

GPUNP_HD_CALLED double nbdtr(double k, double n, double p) {
    k = ::trunc(k);
    n = ::trunc(n);
    if (!(p >= 0 && p <= 1 && k >= 0 && n >= 1) || is_infinite(k) || is_infinite(n))
        return libm<double>::nan();
    return special::beta_tail(n, k + 1, p, false);
}
GPUNP_HD_CALLED double nbdtrc(double k, double n, double p) {
    k = ::trunc(k);
    n = ::trunc(n);
    if (!(p >= 0 && p <= 1 && k >= 0 && n >= 1) || is_infinite(k) || is_infinite(n))
        return libm<double>::nan();
    return special::beta_tail(n, k + 1, p, true);
}

GPUNP_HD_CALLED double pdtr(double k, double mean) {
    if (k < 0 || !(mean >= 0)) return libm<double>::nan();
    return mean == 0 ? 1 : gammaincc(::floor(k) + 1, mean);
}
GPUNP_HD_CALLED double pdtrc(double k, double mean) {
    if (k < 0 || !(mean >= 0)) return libm<double>::nan();
    return mean == 0 ? 0 : gammainc(::floor(k) + 1, mean);
}

GPUNP_HD double gdtr(double a, double b, double x) {
    return x < 0 ? libm<double>::nan() : gammainc(b, a * x);
}
GPUNP_HD double gdtrc(double a, double b, double x) {
    return x < 0 ? libm<double>::nan() : gammaincc(b, a * x);
}

// The mean, and the standard deviation, of a normal distribution with the probability p below x.
GPUNP_HD double nrdtrimn(double p, double deviation, double x) {
    if (!(p > 0 && p < 1 && deviation > 0)) return libm<double>::nan();
    return x - deviation * ndtri(p);
}
GPUNP_HD double nrdtrisd(double mean, double p, double x) {
    return p > 0 && p < 1 ? (x - mean) / ndtri(p) : libm<double>::nan();
}

namespace special {

// The nodes and weights of Gauss and Legendre's rule of 24 points on [0, 1].
#define GPUNP_OWEN_NODES                                                                         \
    {2.4063900014893199e-3, 1.2635722014345251e-2, 3.0862723998633621e-2, 5.6792236497799483e-2, \
     8.9999007013048539e-2, 1.2993790421072282e-1, 1.7595317403151222e-1, 2.2728926430558023e-1, \
     2.8310324618697743e-1, 3.4247866015191831e-1, 4.0444056626319185e-1, 4.6797155356869719e-1, \
     5.3202844643130281e-1, 5.9555943373680815e-1, 6.5752133984808169e-1, 7.1689675381302257e-1, \
     7.7271073569441977e-1, 8.2404682596848778e-1, 8.7006209578927718e-1, 9.1000099298695146e-1, \
     9.4320776350220052e-1, 9.6913727600136638e-1, 9.8736427798565475e-1, 9.9759360999851068e-1}
#define GPUNP_OWEN_WEIGHTS                                                                       \
    {6.1706148999935998e-3, 1.4265694314466832e-2, 2.2138719408709903e-2, 2.9649292457718390e-2, \
     3.6673240705540153e-2, 4.3095080765976638e-2, 4.8809326052056944e-2, 5.3722135057982817e-2, \
     5.7752834026862801e-2, 6.0835236463901696e-2, 6.2918728173414148e-2, 6.3969097673376078e-2, \
     6.3969097673376078e-2, 6.2918728173414148e-2, 6.0835236463901696e-2, 5.7752834026862801e-2, \
     5.3722135057982817e-2, 4.8809326052056944e-2, 4.3095080765976638e-2, 3.6673240705540153e-2, \
     2.9649292457718390e-2, 2.2138719408709903e-2, 1.4265694314466832e-2, 6.1706148999935998e-3}
constexpr int OWEN_NODES = 24;

// Owen's T by its integral over [0, a], for 0 <= a <= 1. The rule of 24 nodes covers what is above 1e-16 of
// the integrand's maximum.
GPUNP_HD_CALLED double owens_integral(double h, double a) {
    static constexpr double nodes[] = GPUNP_OWEN_NODES, weights[] = GPUNP_OWEN_WEIGHTS;
    // Below the least number; the square of h may overflow.
    if (h > 40) return 0;
    double width = a * h > 8.6 ? 8.6 / h : a, half_square = 0.5 * h * h, sum = 0;
    for (int k = 0; k < OWEN_NODES; ++k) {
        double square = width * nodes[k] * (width * nodes[k]);
        sum += weights[k] * ::exp(-half_square * square) / (1 + square);
    }
    return width * sum * ::exp(-half_square) * (0.5 / constant::PI);
}

// (p^lambda - q^lambda) / lambda for the logarithms of p and q = 1 - p.
GPUNP_HD double tukey_quantile(double log_p, double log_q, double lambda) {
    if (lambda == 0) return log_p - log_q;
    // The powers are small for a great lambda.
    if (lambda > 0) return ::exp(lambda * log_q) * ::expm1(lambda * (log_p - log_q)) / lambda;
    return (::expm1(lambda * log_p) - ::expm1(lambda * log_q)) / lambda;
}

}  // namespace special

GPUNP_HD_CALLED double owens_t(double h, double a) {
    if (h != h || a != a) return libm<double>::nan();
    double size = ::fabs(a), value;
    h = ::fabs(h);
    if (is_infinite(h)) return 0;
    if (is_infinite(a)) {
        value = 0.5 * ndtr(-h);
    } else if (size <= 1) {
        value = special::owens_integral(h, size);
    } else {
        // T(h, a) + T(a h, 1 / a) in terms of tails of the normal distribution.
        double p = ndtr(-h), q = ndtr(-size * h);
        value = 0.5 * (p + q) - p * q - special::owens_integral(size * h, 1 / size);
    }
    return a < 0 ? -value : value;
}

// Tukey's lambda distribution, whose quantiles are (p^lambda - (1 - p)^lambda) / lambda: Newton's method for
// log(p / (1 - p)) between bounds, for the smaller tail.
GPUNP_HD_CALLED double tklmbda(double x, double lambda) {
    if (x != x || lambda != lambda) return libm<double>::nan();
    if (lambda > 0 && ::fabs(x) * lambda >= 1) return x < 0 ? 0 : 1;
    // SciPy's values; the distribution is in no point then.
    if (is_infinite(lambda)) return lambda < 0 ? 1 : 0;
    if (x == 0) return 0.5;
    double goal = -::fabs(x), low = -745, high = 0;
    if (is_infinite(x)) return x < 0 ? 0 : 1;
    // Exact for small p.
    double u = lambda == 0 ? goal : ::log1p(lambda * goal) / lambda;
    if (!(u > low && u < -0.7)) u = u >= -0.7 ? 0.25 * u : low;
    for (int n = 0; n < 200; ++n) {
        double log_q = -::log1p(::exp(u)), log_p = u + log_q,
               rest = special::tukey_quantile(log_p, log_q, lambda) - goal;
        (rest < 0 ? low : high) = u;
        double slope = ::exp(lambda * log_p + log_q) + ::exp(lambda * log_q + log_p), next = u - rest / slope;
        if (!(next >= low && next <= high)) next = 0.5 * (low + high);
        double change = ::fabs(next - u);
        u = next;
        if (change <= 2e-16 * ::fabs(u)) break;
    }
    double tail = 1 / (1 + ::exp(-u));
    return x < 0 ? tail : 1 - tail;
}

}  // namespace math
}  // namespace gpunp
