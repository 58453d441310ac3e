// The regularized incomplete gamma and beta functions, and distribution functions based on them.
#pragma once
#include "gpunp/math/special_entropy_polynomials.h"
#include "gpunp/math/special_error.h"
#include "gpunp/math/special_gamma.h"
#include "gpunp/math/special_incomplete_polynomials.h"
#include "gpunp/math/special_incomplete_single.h"

namespace gpunp {
namespace math {
namespace special {

// Convergence goals: for terms of a series, and for factors of a fraction, which round to 1 +- epsilon.
constexpr double INCOMPLETE_GOAL = 1e-17, FRACTION_GOAL = 2.5e-16;
// Beyond these parameters quotients and sums may overflow.
constexpr double TINY_PARAMETER = 1e-290, HUGE_PARAMETER = 1e290;
// A power of two between tiny parameters, of which small tails are multiples, and larger ones.
constexpr int TINY_BITS = 600;
// Loops end long before this limit: their number of steps grows as the root of the parameters.
constexpr int INCOMPLETE_LIMIT = 1000000;

// d - log(1 + d); `sum` is 1 + d, more accurate than from d near -1.
GPUNP_HD double above_log1p(double d, double sum) {
    if (!(d > -0.5 && d < 1)) return is_infinite(d) ? d : d - ::log(sum);
    double u = d / (2 + d), v = u * u;
    return u * (d - 2 * v * arctanh_tail(v));
}

// gamma(a) divided by Stirling's approximation.
GPUNP_HD_CALLED double gamma_star(double a) {
    if (a >= 10) {
        double u = 1 / a;
        return ::exp(u * gammaln_stirling(u * u));
    }
    return gamma(a) * ::exp(a + (0.5 - a) * ::log(a)) / ROOT_TWO_PI;
}

// x^a e^-x / gamma(a).
GPUNP_HD_CALLED double gamma_weight(double a, double x) {
    if (a >= 10) {
        double exponent = -a * above_log1p((x - a) / a, x / a);
        return ::sqrt(a) / ROOT_TWO_PI * ::exp(exponent) / gamma_star(a);
    }
    // In halves, because e^-x alone underflows first.
    double half = x < 1000 ? ::exp(-0.5 * x) : 0;
    return half == 0 ? 0 : ::pow(x, a) * half / gamma(a) * half;
}

// P(a, x) by its power series, for x below a or 1.
GPUNP_HD_CALLED double gamma_series(double a, double x) {
    double term = 1, sum = 1;
    for (int n = 1; term > sum * INCOMPLETE_GOAL && n < INCOMPLETE_LIMIT; ++n) {
        term *= x / (a + n);
        sum += term;
    }
    return gamma_weight(a, x) / a * sum;
}

// Q(a, x) by Legendre's continued fraction (Lentz's algorithm), for x above a and 1.
GPUNP_HD_CALLED double gamma_fraction(double a, double x) {
    double b = x + 1 - a, c = 1e300, d = 1 / b, value = d, factor = 0;
    for (int n = 1; ::fabs(factor - 1) > FRACTION_GOAL && n < INCOMPLETE_LIMIT; ++n) {
        double numerator = n * (a - n);
        b += 2;
        d = 1 / (b + numerator * d);
        c = b + numerator / c;
        factor = c * d;
        value *= factor;
    }
    return gamma_weight(a, x) * value;
}

// Q(a, x) for small a and x, where 1 - P would cancel.
GPUNP_HD_CALLED double gamma_complement_series(double a, double x) {
    double term = 1, sum = 0;
    for (int n = 1; n < 30; ++n) {
        term *= -x / n;
        sum += term / (a + n);
    }
    double log_gamma = a < 0.5 ? a * gammaln_near_2(a) - ::log1p(a) : gammaln(1 + a);
    double exponent = a * ::log(x) - log_gamma;
    return -::expm1(exponent) - ::exp(exponent) * a * sum;
}

// Temme's uniform expansion for large a and x near a: the smaller of P and Q, which is Q for x >= a.
GPUNP_HD_CALLED double gamma_uniform(double a, double x) {
    constexpr double table[][INCOMPLETE_COLUMNS] = GPUNP_INCOMPLETE_UNIFORM;
    double d = (x - a) / a, half_square = above_log1p(d, x / a);
    double eta = ::copysign(::sqrt(2 * half_square), d), u = 1 / a, sum = 0;
    for (int k = INCOMPLETE_ROWS - 1; k >= 0; --k) sum = multiply_add(sum, u, horner(eta, table[k]));
    double correction = (d < 0 ? -sum : sum) / (ROOT_TWO_PI * ::sqrt(a));
    return ::exp(-a * half_square) * (0.5 * erfcx(::sqrt(a * half_square)) + correction);
}

// P(a, x), or Q(a, x), inside the domain.
GPUNP_HD double gamma_ratio(double a, double x, bool complement) {
    bool below;
    double value;
    if (a >= 100 && ::fabs(x - a) <= 0.3 * a) {
        below = x < a;
        value = gamma_uniform(a, x);
    } else if (x > 1) {
        below = x < a;
        value = below ? gamma_series(a, x) : gamma_fraction(a, x);
    } else {
        // P is less than about 1/2 for a above this bound.
        below = x <= 0.5 ? a * -::log(x) > 0.5 : a > x;
        value = below || !complement ? gamma_series(a, x) : gamma_complement_series(a, x);
        below = below || !complement;
    }
    return below == complement ? 1 - value : value;
}

GPUNP_HD_CALLED double gamma_incomplete(double a, double x, bool complement) {
    if (a != a || x != x || a < 0 || x < 0) return libm<double>::nan();
    bool far_a = is_infinite(a), far_x = is_infinite(x);
    if (a == 0 ? x == 0 : far_a && far_x) return libm<double>::nan();
    if (a == 0 || far_x) return complement ? 0 : 1;
    if (x == 0 || far_a) return complement ? 1 : 0;
    if (a < TINY_PARAMETER)
        return complement ? ::ldexp(gamma_ratio(::ldexp(a, TINY_BITS), x, true), -TINY_BITS) : 1;
    return gamma_ratio(a, x, complement);
}

// P(a, x), or Q(a, x), in single precision where series or fraction are short.
GPUNP_HD float gamma_incomplete(float a, float x, bool complement) {
    bool below = x > 1 || !complement ? x < a || x <= 1 : x <= 0.5f ? a * -::logf(x) > 0.5f : a > x;
    if (!(a > 1e-3f && a < 100 && x > 1e-6f && x < 200) || (x <= 1 && !below))
        return (float)gamma_incomplete((double)a, (double)x, complement);
    float value = below ? gamma_series_over_weight(a, x) : gamma_fraction_over_weight(a, x);
    value *= gamma_weight(a, x);
    return below == complement ? 1 - value : value;
}

// x (a + b) - a for x + y = 1, from the smaller of x and y, so without the rounding error of the larger.
GPUNP_HD double beta_excess(double a, double b, double x, double y) {
    return x <= 0.5 ? ::fma(x, a + b, -a) : ::fma(-y, a + b, b);
}

// x^a y^b / beta(a, b).
GPUNP_HD_CALLED double beta_weight(double a, double b, double x, double y) {
    double s = a + b, excess = beta_excess(a, b, x, y);
    double p = above_log1p(excess / a, x * (s / a)), q = above_log1p(-excess / b, y * (s / b));
    double stirling = gamma_star(s) / gamma_star(a) / gamma_star(b);
    return ::sqrt(a / s * b) / ROOT_TWO_PI * ::exp(-(a * p + b * q)) * stirling;
}

// I_x(a, b) by the continued fraction of DiDonato and Morris 1992.
GPUNP_HD_CALLED double beta_fraction(double a, double b, double x, double y) {
    double s = a + b, start = 1 - beta_excess(a, b, x, y), inverse = 1 / (a + 1), value = a * start * inverse;
    double c = value, d = 0, factor = 0;
    for (int n = 1; ::fabs(factor - 1) > FRACTION_GOAL && n < INCOMPLETE_LIMIT; ++n) {
        double part = n * (b - n) * x * inverse;
        double numerator = (a + (n - 1)) * inverse * (s + (n - 1)) * x * part;  // exact for small a
        inverse = 1 / (a + 2 * n + 1);
        double denominator = n + part + (a + n) * inverse * (start + n * (2 - x));
        d = 1 / (denominator + numerator * d);
        c = denominator + numerator / c;
        factor = c * d;
        value *= factor;
    }
    return beta_weight(a, b, x, y) / value;
}

// I_x(a, b) by a power series of positive terms, for b <= 1.
GPUNP_HD_CALLED double beta_series(double a, double b, double x, double y) {
    double term = 1, sum = 1 / a;
    for (int n = 1; term > (a + n) * sum * INCOMPLETE_GOAL && n < INCOMPLETE_LIMIT; ++n) {
        term *= (n - b) / n * x;
        sum += term / (a + n);
    }
    return beta_weight(a, b, x, y) * ::pow(y, -b) * sum;
}

// log(gamma(a + b) / gamma(a)) for a > 0 and 0 < b <= 0.3, with an error relative to b.
GPUNP_HD_CALLED double log_gamma_step(double a, double b) {
    double sum = 0;
    for (; a < 10; a += 1) sum -= ::log1p(b / a);
    double middle = a + 0.5 * b, u = 1 / middle, v = u * u;
    if (b > 1e-3) {
        double after = 1 / (a + b), before = 1 / a;
        double rest = after * gammaln_stirling(after * after) - before * gammaln_stirling(before * before);
        return sum + (a - 0.5) * ::log1p(b / a) + b * (::log(a + b) - 1) + rest;
    }
    // The derivative in the middle, and the third one, which is -(1 / x^2 + 1 / x^3 + 1 / (2 x^4) - ...).
    double third = -v * (1 + u * (1 + u * (0.5 - v / 6)));
    return sum + b * (digamma_upper(middle) + b * b / 24 * third);
}

// I_x(a, b) for small b and y, where 1 - I_y(b, a) would cancel: 1 minus the power series of I_y(b, a), whose
// first term is near 1.
GPUNP_HD_CALLED double beta_complement_series(double a, double b, double y) {
    double term = 1, sum = 0;
    for (int n = 1; ::fabs(term) > INCOMPLETE_GOAL * ::fabs(sum) && n < 100; ++n) {
        term *= (n - a) / n * y;
        sum += term / (b + n);
    }
    double log_beta = b * gammaln_near_2(b) - ::log1p(b) - log_gamma_step(a, b);
    double exponent = b * ::log(y) - log_beta;
    return -::expm1(exponent) - ::exp(exponent) * b * sum;
}

// I_x(a, b) for huge a and b by the first terms of the uniform expansion (DLMF 8.18.9): the fraction would
// take too many steps.
GPUNP_HD_CALLED double beta_normal(double a, double b, double x, double y) {
    double s = a + b, excess = beta_excess(a, b, x, y);
    double p = above_log1p(excess / a, x * (s / a)), q = above_log1p(-excess / b, y * (s / b));
    double exponent = a * p + b * q, root = ::sqrt(exponent), skew = (b / s - a / s) / 3;
    double correction = ::exp(-exponent) / ROOT_TWO_PI * (skew / (::sqrt(a / s) * ::sqrt(b)));
    return 0.5 * ::erfc(excess < 0 ? root : -root) + correction;
}

// I_x(a, b) for 0 < x < 1 and parameters of usual size.
GPUNP_HD_CALLED double beta_inside(double a, double b, double x, double y) {
    if (b <= 1 && x <= 0.9) return beta_series(a, b, x, y);
    if (a > 1e13 && b > 1e13) return beta_normal(a, b, x, y);
    // Whether x is below (a + 1) / (a + b + 2).
    if (beta_excess(a + 1, b + 1, x, y) < 0) {
        double value = beta_fraction(a, b, x, y);
        return value > 1 ? 1 : value;
    }
    if (b <= 0.3) return beta_complement_series(a, b, y);
    // Rounding errors may exceed what is left.
    double rest = a <= 1 && y <= 0.9 ? beta_series(b, a, y, x) : beta_fraction(b, a, y, x);
    return rest < 1 ? 1 - rest : rest == rest ? 0 : rest;
}

// I_x(a, b) for 0 < x < 1, where a parameter is tiny or huge.
GPUNP_HD_CALLED double beta_limit(double a, double b, double x, double y) {
    // The distribution has the weight b / (a + b) at 0, and the rest at 1.
    if (larger(a, b) < 1e-20) return b / (a + b);
    if (larger(a, b) > HUGE_PARAMETER) {
        // The smaller parameter is that of a gamma distribution, unless both are huge: then there is one
        // step.
        bool upper = a > b;
        double least = upper ? b : a;
        if (least < 1e30) return gamma_incomplete(least, upper ? a * y : b * x, upper);
        double excess = beta_excess(::ldexp(a, -20), ::ldexp(b, -20), x, y);
        return excess == 0 ? 0.5 : excess > 0 ? 1 : 0;
    }
    if (a < TINY_PARAMETER) return 1;
    return ::ldexp(beta_inside(a, ::ldexp(b, TINY_BITS), x, y), -TINY_BITS);
}

// I_x(a, b) for x + y = 1, with both x and y accurate.
GPUNP_HD_CALLED double beta_incomplete(double a, double b, double x, double y) {
    if (a != a || b != b || x != x || a < 0 || b < 0 || x < 0 || y < 0) return libm<double>::nan();
    bool far_a = is_infinite(a), far_b = is_infinite(b);
    if ((a == 0 && b == 0) || (far_a && far_b)) return libm<double>::nan();
    if (x == 0 || y == 0) return y == 0 ? 1 : 0;
    if (a == 0 || far_b) return 1;
    if (b == 0 || far_a) return 0;
    bool usual = ::fmin(a, b) >= TINY_PARAMETER && larger(a, b) <= HUGE_PARAMETER;
    return usual ? beta_inside(a, b, x, y) : beta_limit(a, b, x, y);
}

}  // namespace special

GPUNP_HD double gammainc(double a, double x) {
    return special::gamma_incomplete(a, x, false);
}
GPUNP_HD double gammaincc(double a, double x) {
    return special::gamma_incomplete(a, x, true);
}
GPUNP_HD double betainc(double a, double b, double x) {
    return special::beta_incomplete(a, b, x, 1 - x);
}
GPUNP_HD double betaincc(double a, double b, double x) {
    return special::beta_incomplete(b, a, 1 - x, x);
}

// Distribution functions: chi-square, F and Student's t.
GPUNP_HD double chdtr(double df, double x) {
    return gammainc(0.5 * df, 0.5 * x);
}
GPUNP_HD double chdtrc(double df, double x) {
    return gammaincc(0.5 * df, 0.5 * x);
}
GPUNP_HD_CALLED double fdtrc(double a, double b, double x) {
    if (!(a > 0 && b > 0 && x >= 0)) return libm<double>::nan();
    if (is_infinite(x)) return 0;
    if (is_infinite(a)) return libm<double>::nan();
    double scaled = a * x, sum = b + scaled;
    bool far = is_infinite(scaled);
    return special::beta_incomplete(0.5 * b, 0.5 * a, far ? b / a / x : b / sum, far ? 1 : scaled / sum);
}
GPUNP_HD_CALLED double fdtr(double a, double b, double x) {
    if (!(a > 0 && b > 0 && x >= 0)) return libm<double>::nan();
    if (is_infinite(x)) return 1;
    if (is_infinite(a) || is_infinite(b)) return libm<double>::nan();
    double scaled = a * x, sum = b + scaled;
    bool far = is_infinite(scaled);
    return special::beta_incomplete(0.5 * a, 0.5 * b, far ? 1 : scaled / sum, far ? b / a / x : b / sum);
}
GPUNP_HD_CALLED double stdtr(double df, double t) {
    if (!(df > 0) || t != t) return libm<double>::nan();
    // Limits whose next terms are below rounding.
    if (df > 1e17 * ::fmax(t * t, 1.)) return ndtr(t);
    if (df < 1e-300) return is_infinite(t) ? (t > 0 ? 1 : 0) : 0.5;
    double square = t * t, sum = df + square;
    bool far = is_infinite(square);
    double tail = 0.5 * special::beta_incomplete(0.5 * df, 0.5, far ? 0 : df / sum, far ? 1 : square / sum);
    return t < 0 ? tail : 1 - tail;
}

#define GPUNP_INCOMPLETE_2(name)                  \
    GPUNP_HD float name(float a, float b) {       \
        return (float)name((double)a, (double)b); \
    }
#define GPUNP_INCOMPLETE_3(name)                             \
    GPUNP_HD float name(float a, float b, float c) {         \
        return (float)name((double)a, (double)b, (double)c); \
    }
GPUNP_HD float gammainc(float a, float x) {
    return special::gamma_incomplete(a, x, false);
}
GPUNP_HD float gammaincc(float a, float x) {
    return special::gamma_incomplete(a, x, true);
}
GPUNP_HD float chdtr(float df, float x) {
    // Halves of subnormal numbers are not exact.
    bool exact = df > 1e-37f && x > 1e-37f;
    return exact ? gammainc(0.5f * df, 0.5f * x) : (float)chdtr((double)df, (double)x);
}
GPUNP_HD float chdtrc(float df, float x) {
    // Halves of subnormal numbers are not exact.
    bool exact = df > 1e-37f && x > 1e-37f;
    return exact ? gammaincc(0.5f * df, 0.5f * x) : (float)chdtrc((double)df, (double)x);
}
GPUNP_INCOMPLETE_2(stdtr)
GPUNP_INCOMPLETE_3(betainc)
GPUNP_INCOMPLETE_3(betaincc)
GPUNP_INCOMPLETE_3(fdtr)
GPUNP_INCOMPLETE_3(fdtrc)
#undef GPUNP_INCOMPLETE_2
#undef GPUNP_INCOMPLETE_3

}  // namespace math
}  // namespace gpunp
