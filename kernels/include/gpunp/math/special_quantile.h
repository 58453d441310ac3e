// Quantiles: the inverses of the incomplete gamma and beta functions, and of distribution functions based on
// them. Both are found by Halley's method on the logarithm of the smaller tail, as a function of log(x) or of
// log(x / (1 - x)). The densities of these variables are logarithmically concave, and so are the tails; hence
// the steps converge from any start.
#pragma once
#include "gpunp/math/special_incomplete.h"

namespace gpunp {
namespace math {
namespace special {

// Steps end long before this limit.
constexpr int QUANTILE_LIMIT = 60;

// The normal quantile of p = 1 - q from the smaller of both.
GPUNP_HD double normal_quantile(double p, double q) {
    return p <= q ? ndtri(p) : -ndtri(q);
}

// Halley's step for log(tail / goal). `slope` is the derivative of the tail's logarithm, and `growth` the
// logarithmic derivative of the density.
GPUNP_HD double quantile_step(double tail, double goal, double slope, double growth) {
    double newton = ::log(tail / goal) / slope, damping = 1 - 0.5 * newton * (growth - slope);
    return -newton / (damping > 0.5 ? damping : 0.5);
}

GPUNP_HD_CALLED double gamma_quantile_start(double a, double p, double q) {
    double z = normal_quantile(p, q);
    // Wilson and Hilferty 1931.
    double root = 1 - 1 / (9 * a) + z / (3 * ::sqrt(a));
    if (a >= 0.5 && root > 0.3) return a * root * root * root;
    if (q < 0.5) {
        double y = -::log(q) - gammaln(a);
        if (y > 1.5) return larger(y + (a - 1) * ::log(y), 0.5 * y);
    }
    // The first term of the power series.
    return ::exp((::log(p) + gammaln(a + 1)) / a);
}

// x with P(a, x) = p and Q(a, x) = q for p + q = 1, of which the smaller is accurate, and 0 < p < 1.
GPUNP_HD_CALLED double gamma_quantile(double a, double p, double q) {
    bool upper = q < p;
    double goal = upper ? q : p, x = gamma_quantile_start(a, p, q), scale = ::sqrt(a + 1);
    if (x < 1e-305) return x;
    for (int n = 0; n < QUANTILE_LIMIT; ++n) {
        double tail = gamma_ratio(a, x, upper), weight = gamma_weight(a, x);
        if (!(tail > 0 && weight > 0)) {
            x = 0.5 * (x + a);
            continue;
        }
        double slope = (upper ? -weight : weight) / tail, step = quantile_step(tail, goal, slope, a - x);
        x = ::fmin(x * ::exp(step), 2 * a + 1000);
        if (::fabs(step) * scale < 1e-6 || x < 1e-305) break;
    }
    return x;
}

struct Fraction {
    double x, y;  // x + y = 1, both accurate
};

// The numbers x and y = 1 - x with log(x / y) = v.
GPUNP_HD Fraction fraction_of_logit(double v) {
    double e = ::exp(-::fabs(v)), great = 1 / (1 + e), little = e / (1 + e);
    return v < 0 ? Fraction{little, great} : Fraction{great, little};
}

GPUNP_HD_CALLED Fraction beta_quantile_start(double a, double b, double p, double q) {
    if (a >= 1 && b >= 1) {
        // Abramowitz and Stegun 26.5.22.
        double z = -normal_quantile(p, q), c = (z * z - 3) / 6, u = 1 / (2 * a - 1), v = 1 / (2 * b - 1);
        double h = 2 / (u + v), w = z * ::sqrt(larger(h + c, 0.)) / h - (v - u) * (c + 5. / 6 - 2 / (3 * h));
        Fraction at = fraction_of_logit(::log(a / b) - 2 * w);
        double sum = a + b;
        if (at.x > 1e-30 * (a / sum) && at.y > 1e-30 * (b / sum)) return at;
        // Far in a tail, the first term of a power series is closer.
        double little = ::fmin(a, b), great = ::fmax(a, b), x = at.x, y = at.y;
        // Logarithms of gamma functions of huge numbers would cancel.
        double log_beta = gammaln(little) +
                          (great > 1e10 * little ? -little * ::log(great) : gammaln(great) - gammaln(sum));
        if (at.x < at.y)
            x = ::exp((::log(a * p) + log_beta) / a), y = 1 - x;
        else
            y = ::exp((::log(b * q) + log_beta) / b), x = 1 - y;
        return x > 0 && y > 0 ? Fraction{x, y} : at;
    }
    // One of the first terms of the power series at both ends.
    double lower = ::exp(a * ::log(a / (a + b))) / a, upper = ::exp(b * ::log(b / (a + b))) / b,
           sum = lower + upper;
    if (p < lower / sum) {
        double x = ::exp(::log(a * sum * p) / a);
        return {x, 1 - x};
    }
    double exponent = ::log(b * sum * q) / b;
    // Where neither end is near.
    if (exponent >= 0) return {0.5, 0.5};
    return {-::expm1(exponent), ::exp(exponent)};
}

// x with I_x(a, b) = p for p + q = 1, of which the smaller is accurate, and 0 < p < 1.
GPUNP_HD_CALLED Fraction beta_quantile(double a, double b, double p, double q) {
    bool upper = q < p;
    Fraction at = beta_quantile_start(a, b, p, q);
    double goal = upper ? q : p, scale = ::sqrt(1 + a * (b / (a + b)));
    for (int n = 0; n < QUANTILE_LIMIT; ++n) {
        if (at.x < 1e-305 || at.y < 1e-305) break;
        double tail = upper ? beta_incomplete(b, a, at.y, at.x) : beta_incomplete(a, b, at.x, at.y);
        double weight = beta_weight(a, b, at.x, at.y);
        if (!(tail > 0 && weight > 0)) {
            at = fraction_of_logit(0.5 * (::log(at.x / at.y) + ::log(a / b)));
            continue;
        }
        double slope = (upper ? -weight : weight) / tail, growth = -beta_excess(a, b, at.x, at.y);
        double step = quantile_step(tail, goal, slope, growth), e = ::exp(step), sum = at.x * e + at.y;
        at = {at.x * e / sum, at.y / sum};
        if (::fabs(step) * scale < 1e-6) break;
    }
    return at;
}

// The quantile for parameters that are finite and positive, or at the ends.
GPUNP_HD Fraction beta_quantile_or_end(double a, double b, double p, double q) {
    if (p == 0 || q == 0) return {q == 0 ? 1. : 0., p == 0 ? 1. : 0.};
    if (is_infinite(a) && b == 1) return {1, 0};
    if (a == 1 && is_infinite(b)) return {0, 1};
    if (is_infinite(a) || is_infinite(b)) return {libm<double>::nan(), libm<double>::nan()};
    return beta_quantile(a, b, p, q);
}

GPUNP_HD double gamma_quantile_or_end(double a, double p, double q) {
    if (a != a || p != p || !(a >= 0) || !(p >= 0 && q >= 0)) return libm<double>::nan();
    if (p == 0) return 0;
    if (q == 0) return libm<double>::infinity();
    return a == 0 || is_infinite(a) ? libm<double>::nan() : gamma_quantile(a, p, q);
}

}  // namespace special

GPUNP_HD double gammaincinv(double a, double p) {
    return special::gamma_quantile_or_end(a, p, 1 - p);
}
GPUNP_HD double gammainccinv(double a, double q) {
    return special::gamma_quantile_or_end(a, 1 - q, q);
}
GPUNP_HD_CALLED double betaincinv(double a, double b, double p) {
    if (!(a > 0 && b > 0 && p >= 0 && p <= 1)) return libm<double>::nan();
    return special::beta_quantile_or_end(a, b, p, 1 - p).x;
}
GPUNP_HD_CALLED double betainccinv(double a, double b, double q) {
    if (!(a > 0 && b > 0 && q >= 0 && q <= 1)) return libm<double>::nan();
    return special::beta_quantile_or_end(a, b, 1 - q, q).x;
}

// Inverses of distribution functions: chi-square, F, Student's t, gamma, binomial, negative binomial,
// Poisson.
GPUNP_HD double chdtri(double df, double q) {
    return 2 * gammainccinv(0.5 * df, q);
}
GPUNP_HD_CALLED double fdtri(double a, double b, double p) {
    if (!(a > 0 && b > 0 && p >= 0 && p <= 1) || is_infinite(a) || is_infinite(b)) return libm<double>::nan();
    special::Fraction at = special::beta_quantile_or_end(0.5 * a, 0.5 * b, p, 1 - p);
    return at.x / at.y * (b / a);
}
GPUNP_HD_CALLED double stdtrit(double df, double p) {
    if (!(df > 0 && p >= 0 && p <= 1)) return libm<double>::nan();
    if (is_infinite(df)) return ndtri(p);
    double tail = p < 0.5 ? p : 1 - p;
    special::Fraction at = special::beta_quantile_or_end(0.5 * df, 0.5, 2 * tail, 2 * (0.5 - tail));
    double size = ::sqrt(df * at.y / at.x);
    if (at.x < 1e-290) {
        // The first term of the series, in the power that does not underflow.
        double a = 0.5 * df, log_beta = gammaln(a) + gammaln(0.5) - gammaln(a + 0.5);
        size = ::sqrt(df) * ::exp(-(::log(2 * tail) + ::log(a) + log_beta) / df);
    }
    return p < 0.5 ? -size : size;
}
GPUNP_HD double gdtrix(double a, double b, double p) {
    if (a >= 0 && (is_infinite(a) || is_infinite(b) || (a == 0 && b == 0))) return libm<double>::nan();
    return gammaincinv(b, p) / a;
}
GPUNP_HD double gdtria(double p, double b, double x) {
    return x == 0 ? libm<double>::nan() : gammaincinv(b, p) / x;
}
GPUNP_HD_CALLED double bdtri(double k, double n, double y) {
    k = ::floor(k);
    n = ::trunc(n);
    if (!(y >= 0 && y <= 1 && k >= 0 && n > k) || is_infinite(n)) return libm<double>::nan();
    return special::beta_quantile_or_end(n - k, k + 1, y, 1 - y).y;
}
GPUNP_HD_CALLED double nbdtri(double k, double n, double y) {
    k = ::trunc(k);
    n = ::trunc(n);
    if (!(y >= 0 && y <= 1 && k >= 0) || is_infinite(k) || n != n) return libm<double>::nan();
    if (y == 0 || y == 1) return y;
    if (!(n > 0)) return libm<double>::nan();
    return special::beta_quantile_or_end(n, k + 1, y, 1 - y).x;
}
GPUNP_HD double pdtri(double k, double y) {
    k = ::trunc(k);
    return k >= 0 && y < 1 && !is_infinite(k) ? gammainccinv(k + 1, y) : libm<double>::nan();
}

}  // namespace math
}  // namespace gpunp
