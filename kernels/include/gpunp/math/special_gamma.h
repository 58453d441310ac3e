// The gamma function, the logarithm of its absolute value, and the derivative of that logarithm (digamma).
#pragma once
#include "gpunp/math/special_gamma_polynomials.h"

namespace gpunp {
namespace math {
namespace special {

// sin(pi x), with exact argument reduction.
GPUNP_HD double sin_pi(double x) {
    double whole = ::rint(x), s = ::sin(constant::PI * (x - whole));
    return ::fmod(whole, 2.) == 0 ? s : -s;
}

constexpr double ROOT_TWO_PI = 2.5066282746310005;
constexpr double HALF_LOG_TWO_PI = 0.91893853320467274;

// gamma(x) for |x| < 10 except at poles, by the recurrence from [2, 3).
GPUNP_HD double gamma_by_recurrence(double x) {
    double product = 1;
    if (x >= 3) {
        do {
            x -= 1;
            product *= x;
        } while (x >= 3);
        return product * gamma_2_to_3(x);
    }
    for (; x < 2; x += 1) product *= x;
    return gamma_2_to_3(x) / product;
}

// log(gamma(x)) for x >= 10.
GPUNP_HD double gammaln_large(double x) {
    double u = 1 / x;
    return (x - 0.5) * (::log(x) - 1) + ((HALF_LOG_TWO_PI - 0.5) + u * gammaln_stirling(u * u));
}

// log|gamma(x)| for -1/2 <= x < 10.
GPUNP_HD double gammaln_by_recurrence(double x) {
    if (x < 0.5) return x * gammaln_near_2(x) - ::log(::fabs(x)) - ::log1p(x);
    if (x < 1.5) {
        double t = x - 1;
        return t * gammaln_near_2(t) - ::log1p(t);
    }
    double product = 1;
    while (x >= 2.5) {
        x -= 1;
        product *= x;
    }
    double t = x - 2;
    return ::log(product) + t * gammaln_near_2(t);
}

// x minus a root of digamma on either side of zero, each root in two parts for more than double precision.
GPUNP_HD double from_positive_root(double x) {
    return (x - DIGAMMA_POSITIVE_ROOT) - DIGAMMA_POSITIVE_ROOT_LOW;
}
GPUNP_HD double from_negative_root(double x) {
    return (x - DIGAMMA_NEGATIVE_ROOT) - DIGAMMA_NEGATIVE_ROOT_LOW;
}

// digamma(x) for x > 0, and down to -0.4 without cancellation.
GPUNP_HD double digamma_upper(double x) {
    if (x >= 10) {
        double u = 1 / x, v = u * u;
        return ::log(x) - (0.5 * u + v * digamma_stirling(v));
    }
    // The recurrence to [1, 2] adds several terms 1/x, collected in one fraction to need only one division.
    double numerator = 0, denominator = 1;
    for (; x < 1; x += 1) {
        numerator = numerator * x - denominator;
        denominator *= x;
    }
    while (x > 2) {
        x -= 1;
        numerator = numerator * x + denominator;
        denominator *= x;
    }
    return from_positive_root(x) * digamma_1_to_2(x) + numerator / denominator;
}

}  // namespace special

GPUNP_HD_CALLED double gamma(double x) {
    if (x == 0) return ::copysign(libm<double>::infinity(), x);
    if (x < 0 && x == ::floor(x)) return libm<double>::nan();
    double size = ::fabs(x);
    if (size < 10) return special::gamma_by_recurrence(x);
    if (x > 172) return libm<double>::infinity();
    // Stirling's formula; the power is split in halves because it overflows before the product does.
    if (size > 200) size = 200;
    double power = ::pow(size, 0.5 * size - 0.25);
    double rest = ::exp(-size) * special::ROOT_TWO_PI * special::gamma_stirling(1 / size);
    if (x > 0) return power * rest * power;
    return -constant::PI / (size * special::sin_pi(-x)) / (power * rest) / power;
}

GPUNP_HD_CALLED double gammaln(double x) {
    if (is_infinite(x)) return x;
    if (x <= 0 && x == ::floor(x)) return libm<double>::infinity();
    if (x >= 10) return special::gammaln_large(x);
    if (x >= -0.5) return special::gammaln_by_recurrence(x);
    if (x > -10) return ::log(::fabs(special::gamma_by_recurrence(x)));
    return ::log(constant::PI / (-x * ::fabs(special::sin_pi(x)))) - special::gammaln_large(-x);
}

GPUNP_HD_CALLED double digamma(double x) {
    if (x == 0) return ::copysign(libm<double>::infinity(), -x);
    if (!(x < -0.4)) return special::digamma_upper(x);
    if (x == ::floor(x)) return libm<double>::nan();
    if (x >= -0.6) return special::from_negative_root(x) * special::digamma_near_negative_root(x);
    double fraction = constant::PI * (x - ::rint(x));
    return special::digamma_upper(-x) - 1 / x - constant::PI / ::tan(fraction);
}

// The sign of gamma(x); NaN at poles.
template <class T>
GPUNP_HD if_floating<T> gammasgn(T x) {
    if (x == 0) return ::copysign((T)1, x);
    if (!(x < 0)) return x == x ? 1 : x;
    T below = ::floor(x);
    if (x == below) return libm<T>::nan();
    return ::fmod(below, (T)2) == 0 ? 1 : -1;
}

// log(gamma(x)) on the principal branch: real for positive numbers only.
GPUNP_HD double loggamma(double x) {
    return x < 0 ? libm<double>::nan() : gammaln(x);
}

// 1 / gamma(x).
GPUNP_HD_CALLED double rgamma(double x) {
    // The next term is 0.58 x^2.
    if (::fabs(x) < 1e-290) return x;
    double value = gamma(x);
    if (x < 0 && x == ::floor(x)) return 0;
    if (x != x || (!is_infinite(value) && ::fabs(value) > 2.3e-308)) return 1 / value;
    // The reciprocal of a gamma function that overflows or underflows, in halves.
    if (x > 0) {
        double half = ::exp(-0.5 * special::gammaln_large(x));
        return half * half;
    }
    double half = ::exp(0.5 * special::gammaln_large(-x));
    return half * (-x * special::sin_pi(x) / constant::PI) * half;
}

GPUNP_HD float gamma(float x) {
    return (float)gamma((double)x);
}
GPUNP_HD float loggamma(float x) {
    return (float)loggamma((double)x);
}
GPUNP_HD float rgamma(float x) {
    return (float)rgamma((double)x);
}

namespace special {

// gammaln of float32 in parts without branches, which the elements of a thread take at the same time.

// log(gamma(x)) for 1/2 <= x < 3.5, and log(gamma(x + 1)) for 0 < x < 1/2.
GPUNP_HD float gammaln_between(float x) {
    // (z - 1) (z - 2) (1 - euler + (z - 2) p(z) / q(z)), where all coefficients of p are negative and all of
    // q are positive, so that nothing cancels.
    constexpr float p[] = {-5.84263764e-1f, -3.70893614f, -3.26253574f, -3.97625158e-1f};
    constexpr float q[] = {6.94031202e-1f, 1.14885610e1f, 2.61629487e1f, 1.21554144e1f, 1.f};
    const float from_1 = x < 0.5f ? x : x - 1, z = from_1 + 1, from_2 = from_1 - 1;
    const float ratio = horner(z, p) * quick_reciprocal(horner(z, q));
    return from_1 * from_2 * multiply_add(from_2, ratio, 4.22784335e-1f);
}

// log(x) of a normal number within an ulp of the greater of |log(x)| and log(2).
GPUNP_HD float log_from_2(float x) {
    constexpr float c[] = {-4.99999361e-1f, 3.33331981e-1f, -2.50078192e-1f, 2.00111691e-1f,
                           -1.64159556e-1f, 1.39957989e-1f, -1.5388562e-1f,  1.4026399e-1f};
    // x = 2^exponent (1 + t) with -1/3 <= t < 1/3; the exponent stays in its place, 23 bits up.
    const uint32_t exponent = (bits_of(x) - 0x3f2aaaabu) & 0xff800000u;
    const float t = from_bits(bits_of(x) - exponent) - 1;
    const float rest = multiply_add(t * t, horner(t, c), t);
    return multiply_add((float)(int32_t)exponent, 8.26295832e-8f, rest);
}

// log(gamma(x)) for a normal x < 1/2, from log(gamma(x + 1)), or for x >= 3.5.
GPUNP_HD float gammaln_beyond(float x, float between) {
    // Stirling's formula, with a polynomial in 1 / x for its rest.
    constexpr float c[] = {8.33380568e-2f, -6.16137409e-5f, -2.55905363e-3f};
    const float u = quick_reciprocal(x);
    const float stirling = multiply_add(u, horner(u, c), (float)(HALF_LOG_TWO_PI - 0.5));
    const bool small = x < 0.5f;
    const float factor = small ? -1.f : x - 0.5f, less = small ? 0.f : 1.f;
    return multiply_add(factor, log_from_2(x) - less, small ? between : stirling);
}

constexpr float LEAST_NORMAL = 0x1p-126f;

}  // namespace special

GPUNP_HD float gammaln(float x) {
    if (!(x >= special::LEAST_NORMAL)) return (float)gammaln((double)x);
    const float between = x < 3.5f ? special::gammaln_between(x) : 0.f;
    return x >= 0.5f && x < 3.5f ? between : special::gammaln_beyond(x, between);
}

// The same of N elements.
template <int N>
GPUNP_HD void gammaln(const float (&x)[N], float (&y)[N]) {
    bool all_between = true, all_normal = true;
    GPUNP_UNROLL
    for (int i = 0; i < N; i++) {
        y[i] = special::gammaln_between(x[i]);
        all_between = all_between & (x[i] >= 0.5f) & (x[i] < 3.5f);
    }
    if (all_between) return;
    GPUNP_UNROLL
    for (int i = 0; i < N; i++) {
        const float beyond = special::gammaln_beyond(x[i], y[i]);
        y[i] = (x[i] >= 0.5f) & (x[i] < 3.5f) ? y[i] : beyond;
        all_normal = all_normal & (x[i] >= special::LEAST_NORMAL);
    }
    if (all_normal) return;
    GPUNP_UNROLL
    for (int i = 0; i < N; i++)
        if (!(x[i] >= special::LEAST_NORMAL)) y[i] = (float)gammaln((double)x[i]);
}
GPUNP_HD float digamma(float x) {
    return (float)digamma((double)x);
}

}  // namespace math
}  // namespace gpunp
