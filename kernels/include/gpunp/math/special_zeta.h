// The Hurwitz and Riemann zeta functions.
#pragma once
#include "gpunp/math/special_gamma_complex.h"
#include "gpunp/math/special_operators.h"
#include "gpunp/math/special_zeta_polynomials.h"

namespace gpunp {
namespace math {
namespace special {

// The sum of the terms from q^-s on, by the Euler-Maclaurin formula.
GPUNP_HD_CALLED double zeta_tail(double s, double q) {
    constexpr double c[] = GPUNP_ZETA_EULER_MACLAURIN;
    double u = 1 / q, v = u * u, rising = s * u, sum = 0.5;
    for (int k = 0; k < 12; ++k) {
        double term = c[k] * rising;
        sum += term;
        if (::fabs(term) < 1e-18) break;
        rising *= (s + 2 * k + 1) * (s + 2 * k + 2) * v;
    }
    return ::pow(q, -s) * (q / (s - 1) + sum);
}

// For s > 1 and q > 0, or for q = 1 and any s above -1.
GPUNP_HD_CALLED double zeta_upper(double s, double q) {
    double sum = 0;
    while (q < 10 + s) {
        double term = ::pow(q, -s);
        sum += term;
        if (term <= sum * 1e-18 || is_infinite(sum)) return sum;
        q += 1;
    }
    return sum + zeta_tail(s, q);
}

}  // namespace special

GPUNP_HD_CALLED double hurwitz_zeta(double s, double q) {
    if (s != s || q != q) return libm<double>::nan();
    if (s == 1) return libm<double>::infinity();
    if (s < 1) return libm<double>::nan();
    if (q > 0) return is_infinite(q) ? 0 : special::zeta_upper(s, q);
    if (q == ::floor(q)) return libm<double>::infinity();
    if (s != ::floor(s)) return libm<double>::nan();
    // The terms with negative base are a difference of two other zeta functions.
    double least = -q - ::floor(-q), sign = ::fmod(s, 2.) == 0 ? 1 : -1;
    double below = special::zeta_upper(s, least) - special::zeta_upper(s, 1 - q);
    return sign * below + special::zeta_upper(s, 1 - least);
}

GPUNP_HD_CALLED double riemann_zeta(double s) {
    if (s != s || s == -libm<double>::infinity()) return libm<double>::nan();
    if (s == 1) return libm<double>::infinity();
    if (is_infinite(s)) return 1;
    // Close below 0, the 1 - s of the reflection formula is close to the pole and loses the digits of s.
    if (s > -0.05) return special::zeta_upper(s, 1);
    if (::fmod(s, 2.) == 0) return 0;
    // Reflection formula. The power of 2 pi is split in halves, because gamma(t) alone would overflow first.
    double t = 1 - s, half = ::pow(2 * constant::PI, -0.5 * t), sine = special::sin_pi(0.5 * s);
    if (t < 170) return 2 * (half * gamma(t) * half) * sine * special::zeta_upper(t, 1);
    double quarter = ::pow(t / (2 * constant::PI * 2.7182818284590452), 0.5 * t);
    double stirling = special::ROOT_TWO_PI * ::exp(special::gammaln_stirling(1 / (t * t)) / t);
    return 2 * (quarter * (stirling / ::sqrt(t)) * quarter) * sine;
}

// The zeta function minus one.
GPUNP_HD_CALLED double zetac(double s) {
    return s > 1 && !is_infinite(s) ? special::zeta_upper(s, 2) : riemann_zeta(s) - 1;
}

namespace special {

// The terms before q and the tail from q on, for Re s > -1.
GPUNP_HD_CALLED complex<double> zeta_upper(complex<double> s) {
    constexpr double c[] = GPUNP_ZETA_EULER_MACLAURIN;
    double count = ::floor(10 + 0.9 * (::fabs(s.re) + ::fabs(s.im)));
    Complex sum = {0, 0};
    for (double n = 1; n < count; ++n) {
        double size = ::pow(n, -s.re), sine, cosine;
        libm<double>::sincos(s.im * ::log(n), &sine, &cosine);
        sum = sum + Complex{size * cosine, -size * sine};
        if (size < 1e-18) return sum;
    }
    double u = 1 / count, size = ::pow(count, -s.re), sine, cosine;
    libm<double>::sincos(s.im * ::log(count), &sine, &cosine);
    Complex rising = u * s, rest = count / (s - 1.) + 0.5;
    for (int k = 0; k < 12; ++k) {
        Complex term = c[k] * rising;
        rest = rest + term;
        if (::fabs(term.re) + ::fabs(term.im) < 1e-18) break;
        rising = rising * (u * (s + (2. * k + 1))) * (u * (s + (2. * k + 2)));
    }
    return sum + Complex{size * cosine, -size * sine} * rest;
}

// log(sin(pi s / 2)), up to turns, for Im s >= 0.
GPUNP_HD Complex log_sine(Complex s) {
    if (s.im < 10) return log(sin_pi(0.5 * s));
    // sin(w) = i / 2 e^(-i w) (1 - e^(2 i w)), whose last factor rounds to 1.
    return {0.5 * constant::PI * s.im - constant::LN2, 0.5 * constant::PI * (1 - ::fmod(s.re, 4.))};
}

}  // namespace special

GPUNP_HD_CALLED complex<double> riemann_zeta(complex<double> s) {
    using namespace special;
    if (s.im == 0) return {riemann_zeta(s.re), 0};
    if (s.re == libm<double>::infinity() && is_finite(s.im)) return {1, 0};
    // Beyond the bound, too many terms.
    if (!is_finite(s.re) || !(::fabs(s.im) < 1e9)) return {libm<double>::nan(), libm<double>::nan()};
    if (s.re > -0.05) return zeta_upper(s);
    bool below = s.im < 0;
    if (below) s.im = -s.im;
    // Reflection formula.
    Complex t = 1. - s, l = loggamma(t);
    Complex exponent = log_sine(s) + l + constant::LN2 + (s - 1.) * 1.8378770664093455;
    Complex value = exp(exponent) * zeta_upper(t);
    return below ? conjugate(value) : value;
}

// SciPy has values for real numbers only.
GPUNP_HD complex<double> hurwitz_zeta(complex<double> s, double q) {
    if (s.im != 0) return {libm<double>::nan(), libm<double>::nan()};
    return {hurwitz_zeta(s.re, q), 0};
}
GPUNP_HD complex<float> riemann_zeta(complex<float> s) {
    return narrow(riemann_zeta(widen(s)));
}
GPUNP_HD complex<float> hurwitz_zeta(complex<float> s, float q) {
    return narrow(hurwitz_zeta(widen(s), (double)q));
}

GPUNP_HD float zetac(float s) {
    return (float)zetac((double)s);
}
GPUNP_HD float hurwitz_zeta(float s, float q) {
    return (float)hurwitz_zeta((double)s, (double)q);
}
GPUNP_HD float riemann_zeta(float s) {
    return (float)riemann_zeta((double)s);
}

}  // namespace math
}  // namespace gpunp
