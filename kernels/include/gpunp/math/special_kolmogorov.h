// Distributions of Kolmogorov and Smirnov: of the limit of sqrt(n) D for the two-sided statistic D, and of
// the one-sided statistic of n observations. After van Mulbregt 2018 (arXiv:1802.06966 and 1803.00426).
#pragma once
#include "gpunp/math/special_incomplete.h"

namespace gpunp {
namespace math {
namespace special {

// A distribution at one point: both tails, and the density.
struct Distribution {
    double upper, lower, density;
};

GPUNP_HD_CALLED Distribution kolmogorov_distribution(double x) {
    if (x <= 0.02 || x > 40) return {x > 1 ? 0. : 1., x > 1 ? 1. : 0., 0};
    double sum = 0, slope = 0;
    if (x <= 0.82) {
        // The transformed theta series, for the lower tail.
        double unit = constant::PI * constant::PI / (8 * x * x), scale = ROOT_TWO_PI / x;
        for (int k = 1; k < 6; k += 2) {
            double exponent = k * k * unit, term = ::exp(-exponent);
            sum += term;
            slope += term * (2 * exponent - 1);
        }
        return {1 - scale * sum, scale * sum, scale / x * slope};
    }
    for (int k = 5; k > 0; --k) {
        double term = ::exp(-2 * k * k * x * x);
        sum = term - sum;
        slope = k * k * term - slope;
    }
    return {2 * sum, 1 - 2 * sum, 8 * x * slope};
}

// log(gamma(j)) less Stirling's approximation, for j >= 1.
GPUNP_HD double stirling_rest(double j) {
    double u = 1 / j;
    return j >= 10 ? u * gammaln_stirling(u * u) : ::log(gamma_star(j));
}

// The number of observations beyond which an expansion in 1 / sqrt(n) replaces the sum of n terms.
constexpr double SMIRNOV_MOST = 1e6;

// The term j of Birnbaum and Tingey's sum and its derivative. It is a binomial probability times x / u, for
// u = x + j / n; both parts of its exponent are positive.
GPUNP_HD_CALLED void add_smirnov_term(double n, double x, double j, double rest, double* sum, double* slope) {
    double nx = n * x, others = n - j, left = ::fma(-n, x, others);
    if (j == 0) {
        double term = ::exp(n * ::log1p(-x));
        *sum += term;
        *slope -= n / (1 - x) * term;
        return;
    }
    if (left <= 0) return;
    double exponent = j * above_log1p(nx / j, 1 + nx / j) + others * above_log1p(-nx / others, left / others);
    exponent += stirling_rest(j) + stirling_rest(others) - rest;
    double u = nx + j, term = nx / u * ::sqrt(n / j / others) * ::exp(-exponent) / ROOT_TWO_PI;
    *sum += term;
    *slope += term * (j / (u * x) - n * nx / u * (n / left));
}

// 1 minus the sum, as the sum of the terms with j > n (1 - x): few terms of alternating sign.
GPUNP_HD_CALLED Distribution smirnov_lower(double n, double x) {
    double lower = 0, slope = 0, choose = 1;
    for (double k = 0; k < n * x; k += 1) {
        // The binomial coefficient times (k / n - x)^k.
        if (k > 0) choose *= (n - k + 1) / k;
        double base = k / n - x, u = 1 - base, power = k == 0 ? 1 : ::pow(base, k);
        double term = choose * power * ::exp((n - k - 1) * ::log1p(-base));
        lower += term;
        slope += term * (1 + x * ((n - k - 1) / u - (k > 0 ? k / base : 0)));
    }
    return {1 - x * lower, x * lower, slope};
}

// The one-sided distribution for 0 < x < 1 and an integer n.
GPUNP_HD_CALLED Distribution smirnov_distribution(double n, double x) {
    if (n == 1) return {1 - x, x, 1};
    // Few terms of similar size.
    if (n * x <= 1 || (n >= 10 && n * x <= 3 && x * x * n <= 0.25)) return smirnov_lower(n, x);
    if (n > SMIRNOV_MOST) {
        double z = ::sqrt(n) * x, w = z * z, r = 1 / ::sqrt(n);
        double factor =
            1 + r * (-2. / 3 * z + r * (2. / 3 * w * (1 - 2. / 3 * w) +
                                        r * (4. / 9 * z * (0.2 - 19. / 15 * w + 2. / 3 * w * w))));
        double upper = ::exp(-2 * w) * factor;
        return {upper, n * x * x < 1e-3 ? 2 * w : 1 - upper, 4 * n * x * upper};
    }
    // From about the largest term to both sides.
    double last = ::floor(n - n * x), start = ::floor(::fmin(n * x * (n * x) / 3, 0.5 * last)),
           rest = stirling_rest(n);
    double sum = 0, slope = 0;
    for (int side = 0; side < 2; ++side) {
        double before = -1;
        for (double j = start + side; j >= 0 && j <= last; j += side ? 1 : -1) {
            double old = sum;
            add_smirnov_term(n, x, j, rest, &sum, &slope);
            double term = sum - old;
            if (sum > 0 && term <= 1e-18 * sum && term <= before) break;
            before = term;
        }
    }
    return {sum, 1 - sum, -slope};
}

// x in (low, high) with an upper tail p and a lower tail q = 1 - p, of which the smaller is accurate:
// Newton's method on the logarithm of the smaller tail, between bounds.
template <class F>
GPUNP_HD_CALLED double inverse_of_tail(F f, double p, double q, double start, double high) {
    double low = 0, x = start, end = high;
    bool upper = p <= q;
    for (int n = 0; n < 100; ++n) {
        Distribution at = f(x);
        double tail = upper ? at.upper : at.lower, rest = ::log(tail / (upper ? p : q));
        (upper == (rest > 0) ? low : high) = x;
        double step = rest * tail / at.density, next = upper ? x + step : x - step;
        // The convergence is quadratic.
        if (::fabs(step) <= 1e-9 * ::fmin(x, end - x) || high - low <= 2e-16 * x) return next;
        x = next > low && next < high ? next : is_infinite(high) ? 2 * x : 0.5 * (low + high);
    }
    return x;
}

struct KolmogorovAt {
    GPUNP_HD Distribution operator()(double x) const { return kolmogorov_distribution(x); }
};
struct SmirnovAt {
    double n;
    GPUNP_HD Distribution operator()(double x) const { return smirnov_distribution(n, x); }
};

// The inverses for p + q = 1.
GPUNP_HD_CALLED double kolmogorov_quantile(double p, double q) {
    if (!(p >= 0 && p <= 1 && q >= 0)) return libm<double>::nan();
    if (p == 0 || q == 0) return p == 0 ? libm<double>::infinity() : 0;
    double x = ::sqrt(0.5 * (constant::LN2 - ::log(p)));
    if (q < 0.5) {
        x = 0.8;
        for (int n = 0; n < 3; ++n) x = constant::PI / ::sqrt(-8 * ::log(q * x / ROOT_TWO_PI));
    }
    return inverse_of_tail(KolmogorovAt{}, p, q, x, libm<double>::infinity());
}

GPUNP_HD_CALLED double smirnov_quantile(double n, double p, double q) {
    if (!(n > 0 && p >= 0 && p <= 1 && q >= 0) || is_infinite(n)) return libm<double>::nan();
    n = ::trunc(n);
    if (p == 0 || q == 0 || n <= 1) return n == 0 ? libm<double>::nan() : p == 0 ? 1 : q;
    // Where the last of n observations decides.
    double x = -::expm1(::log(p) / n);
    if (x > 1 - 1 / n) return x;
    x = (::sqrt(-18 * n * ::log(p)) - 1) / (6 * n);
    if (!(x > 0 && n * x > 1)) x = ::fmin(q, 1 / n);
    return inverse_of_tail(SmirnovAt{n}, p, q, ::fmin(x, 1 - 0.5 / n), 1);
}

// The tails and the density with their limits and NaNs. n is truncated, as in SciPy.
GPUNP_HD_CALLED Distribution smirnov_anywhere(double n, double x) {
    const double nan = libm<double>::nan();
    if (!(n > 0 && x >= 0 && x <= 1) || is_infinite(n)) return {nan, nan, nan};
    n = ::trunc(n);
    if (n == 0) return {nan, nan, nan};
    if (x == 0) return {1, 0, 1};
    if (x == 1) return {0, 1, n == 1 ? 1. : 0.};
    return smirnov_distribution(n, x);
}

}  // namespace special

GPUNP_HD double kolmogorov(double x) {
    return x != x ? x : special::kolmogorov_distribution(x).upper;
}
GPUNP_HD double kolmogc(double x) {
    return x != x ? x : special::kolmogorov_distribution(x).lower;
}
GPUNP_HD double kolmogp(double x) {
    return x != x ? x : -special::kolmogorov_distribution(x).density;
}
GPUNP_HD double kolmogi(double p) {
    return special::kolmogorov_quantile(p, 1 - p);
}
GPUNP_HD double kolmogci(double q) {
    return special::kolmogorov_quantile(1 - q, q);
}

GPUNP_HD double smirnov(double n, double x) {
    return special::smirnov_anywhere(n, x).upper;
}
GPUNP_HD double smirnovc(double n, double x) {
    return special::smirnov_anywhere(n, x).lower;
}
GPUNP_HD double smirnovp(double n, double x) {
    return -special::smirnov_anywhere(n, x).density;
}
GPUNP_HD double smirnovi(double n, double p) {
    return special::smirnov_quantile(n, p, 1 - p);
}
GPUNP_HD double smirnovci(double n, double q) {
    return special::smirnov_quantile(n, 1 - q, q);
}

}  // namespace math
}  // namespace gpunp
