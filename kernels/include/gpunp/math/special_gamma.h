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
// One logarithm serves all branches that need it, as threads of a warp take several of them.
GPUNP_HD float gammaln(float x) {
    if (!(x > 0)) return (float)gammaln((double)x);
    float argument = x, factor = 1, less = 0, rest;
    if (x < 1.5f) {
        float t = x < 0.5f ? x : x - 1;
        rest = t * special::gammaln_near_1(t);
        if (x >= 0.5f) return rest;
        factor = -1;
    } else if (x < 3.5f) {
        float t = x < 2.5f ? x - 2 : x - 3;
        rest = t * special::gammaln_near_2(t);
        if (x < 2.5f) return rest;
        argument = x - 1;
    } else {
        // Stirling's formula, with a polynomial in 1 / x for its rest.
        constexpr float c[] = {8.32234558e-2f, -2.17355734e-4f, -1.04007955e-4f,
                               4.41620846e-6f, 8.10887613e-7f,  -1.35394795e-7f};
        float u = 1 / x;
        rest = (float)(special::HALF_LOG_TWO_PI - 0.5) + u * horner(multiply_add(u, 5.f, -1.f), c);
        factor = x - 0.5f;
        less = 1;
    }
    return multiply_add(factor, ::logf(argument) - less, rest);
}
GPUNP_HD float digamma(float x) {
    return (float)digamma((double)x);
}

}  // namespace math
}  // namespace gpunp
