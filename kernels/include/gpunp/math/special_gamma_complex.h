// The gamma function of complex numbers, its logarithm, its reciprocal and its logarithmic derivative.
#pragma once
#include "gpunp/math/special_gamma.h"

namespace gpunp {
namespace math {
namespace special {

// log(gamma(z)) by Stirling's formula, for |z| >= 10 away from the negative axis.
GPUNP_HD complex<double> gammaln_stirling(complex<double> z) {
    static constexpr double series[] = GPUNP_GAMMALN_STIRLING_SERIES;
    complex<double> u = reciprocal(z), rest = multiply(u, horner(multiply(u, u), series));
    complex<double> l = log(z);
    l = multiply(complex<double>{z.re - 0.5, z.im}, complex<double>{l.re - 1, l.im});
    return {l.re + ((HALF_LOG_TWO_PI - 0.5) + rest.re), l.im + rest.im};
}

// sin(pi z) for |Im z| < 10.
GPUNP_HD complex<double> sin_pi(complex<double> z) {
    double whole = ::rint(z.re), sine, cosine, b = constant::PI * z.im;
    libm<double>::sincos(constant::PI * (z.re - whole), &sine, &cosine);
    double sign = ::fmod(whole, 2.) == 0 ? 1 : -1;
    return {sign * sine * ::cosh(b), sign * cosine * ::sinh(b)};
}

// pi cot(pi z) for |Im z| < 10.
GPUNP_HD complex<double> pi_cot_pi(complex<double> z) {
    double sine, cosine, b = constant::PI * z.im, sinh = ::sinh(b);
    libm<double>::sincos(constant::PI * (z.re - ::rint(z.re)), &sine, &cosine);
    // Two divisions, as the square of a tiny number underflows.
    double size = larger(::fabs(sine), ::fabs(sinh)), across = sine / size, up = sinh / size;
    double scale = constant::PI / (across * across + up * up) / size;
    return {scale * across * cosine, -scale * up * ::cosh(b)};
}

}  // namespace special

GPUNP_HD_CALLED complex<double> gamma(complex<double> z) {
    const double nan = libm<double>::nan();
    if (!is_finite(z.re) || !is_finite(z.im)) return {nan, nan};
    if (z.im == 0) {
        if (z.re <= 0 && z.re == ::floor(z.re)) return {nan, nan};
        return {gamma(z.re), 0};
    }
    bool near_axis = ::fabs(z.im) < 10, reflect = z.re < 0 && near_axis;
    complex<double> w = reflect ? complex<double>{-z.re, -z.im} : z, product = {1, 0};
    for (; w.re < 10 && near_axis; w.re += 1) product = multiply(product, w);
    complex<double> l = special::gammaln_stirling(w);
    if (z.re >= 10 || !near_axis) return exp(l);
    if (!reflect) return divide(exp(l), product);
    // gamma(z) gamma(-z) = -pi / (z sin(pi z))
    complex<double> numerator = multiply(exp(complex<double>{-l.re, -l.im}), product);
    complex<double> denominator = multiply(z, special::sin_pi(z));
    return divide({-constant::PI * numerator.re, -constant::PI * numerator.im}, denominator);
}

GPUNP_HD_CALLED complex<double> digamma(complex<double> z) {
    using namespace special;
    const double nan = libm<double>::nan();
    if (z.im == 0 && z.re <= 0 && z.re == ::floor(z.re)) return {nan, nan};
    if (z.im == 0 && z.re == z.re) return {digamma(z.re), 0};
    bool near_axis = ::fabs(z.im) < 10;
    complex<double> at_root = {from_positive_root(z.re), z.im};
    if (absolute(at_root) < 0.25) {
        static constexpr double taylor[] = GPUNP_DIGAMMA_POSITIVE_TAYLOR;
        return horner(at_root, taylor);
    }
    at_root = {from_negative_root(z.re), z.im};
    if (absolute(at_root) < 0.1) {
        static constexpr double taylor[] = GPUNP_DIGAMMA_NEGATIVE_TAYLOR;
        return horner(at_root, taylor);
    }
    complex<double> result = {0, 0};
    if (z.re < 0 && near_axis) {
        // digamma(z) = digamma(-z) - 1 / z - pi cot(pi z)
        complex<double> cotangent = pi_cot_pi(z), u = reciprocal(z);
        result = {-cotangent.re - u.re, -cotangent.im - u.im};
        z = {-z.re, -z.im};
    }
    for (; z.re < 10 && near_axis; z.re += 1) {
        complex<double> u = reciprocal(z);
        result = {result.re - u.re, result.im - u.im};
    }
    complex<double> l = log(z);
    if (::fabs(z.re) < 1e17 && ::fabs(z.im) < 1e17) {
        static constexpr double series[] = GPUNP_DIGAMMA_STIRLING_SERIES;
        complex<double> u = reciprocal(z), v = multiply(u, u), rest = multiply(v, horner(v, series));
        l = {l.re - (0.5 * u.re + rest.re), l.im - (0.5 * u.im + rest.im)};
    }
    return {result.re + l.re, result.im + l.im};
}

namespace special {

// log(gamma(2 + t)) for |t| <= 1 / 2.
GPUNP_HD complex<double> loggamma_near_2(complex<double> t) {
    static constexpr double taylor[] = GPUNP_LOGGAMMA_TAYLOR;
    return multiply(t, horner(t, taylor));
}

// loggamma right of the origin, or far from the real axis.
GPUNP_HD_CALLED complex<double> loggamma_upper(complex<double> z) {
    if (absolute(complex<double>{z.re - 2, z.im}) < 0.5) return loggamma_near_2({z.re - 2, z.im});
    complex<double> t = {z.re - 1, z.im};
    if (absolute(t) < 0.5) {
        complex<double> near = loggamma_near_2(t), rest = log1p(t);
        return {near.re - rest.re, near.im - rest.im};
    }
    if (z.re >= 10 || ::fabs(z.im) >= 10) return gammaln_stirling(z);
    // The recurrence; the angle of the product passes pi each time that its imaginary part becomes negative.
    complex<double> product = z;
    int turns = 0;
    bool negative = false;
    for (z.re += 1; z.re < 10; z.re += 1) {
        product = multiply(product, z);
        bool now = z.im < 0 ? product.im > 0 : product.im < 0;
        turns += now && !negative;
        negative = now;
    }
    complex<double> l = gammaln_stirling(z), rest = log(product);
    return {l.re - rest.re, l.im - (rest.im + ::copysign(2 * constant::PI, z.im) * turns)};
}

}  // namespace special

GPUNP_HD_CALLED complex<double> loggamma(complex<double> z) {
    const double nan = libm<double>::nan();
    if (!is_finite(z.re) || !is_finite(z.im)) {
        return {is_infinite(z.im) && z.re < 0.5 ? -libm<double>::infinity() : nan, nan};
    }
    if (z.im == 0 && z.re <= 0 && z.re == ::floor(z.re)) return {nan, nan};
    if (z.re >= 0.1 || ::fabs(z.im) >= 10) return special::loggamma_upper(z);
    // The reflection formula, on the sheet of the principal branch.
    complex<double> sine = log(special::sin_pi(z)), other = special::loggamma_upper({1 - z.re, -z.im});
    double sheet = ::copysign(2 * constant::PI, z.im) * ::floor(0.5 * z.re + 0.25);
    return {1.1447298858494002 - sine.re - other.re, sheet - sine.im - other.im};
}

GPUNP_HD_CALLED complex<double> rgamma(complex<double> z) {
    if (!is_finite(z.re) || !is_finite(z.im)) return {libm<double>::nan(), libm<double>::nan()};
    if (z.im == 0 && z.re <= 0 && z.re == ::floor(z.re)) return {0, 0};
    if (z.im == 0) return {rgamma(z.re), 0};
    if (::fabs(z.re) < 140 && ::fabs(z.im) < 140) return reciprocal(gamma(z));
    complex<double> l = loggamma(z);
    return exp(complex<double>{-l.re, -l.im});
}

GPUNP_HD complex<float> loggamma(complex<float> z) {
    return narrow(loggamma(widen(z)));
}
GPUNP_HD complex<float> rgamma(complex<float> z) {
    return narrow(rgamma(widen(z)));
}
GPUNP_HD complex<float> gamma(complex<float> z) {
    return narrow(gamma(widen(z)));
}
GPUNP_HD complex<float> digamma(complex<float> z) {
    return narrow(digamma(widen(z)));
}

}  // namespace math
}  // namespace gpunp
