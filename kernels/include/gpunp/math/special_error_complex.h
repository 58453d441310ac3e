// The error function and the normal distribution of complex numbers.
//
// Faddeeva's w(z) = exp(-z^2) erfc(-iz) is computed by the trapezoidal or midpoint rule for its integral and
// a correction for the pole (Al Azah and Chandler-Wilde 2021): twelve terms give full double precision.
#pragma once
#include "gpunp/math/special_error.h"

namespace gpunp {
namespace math {
namespace special {

constexpr double FADDEEVA_STEP = 0.51166335397324425;  // h, h^2 = pi / 12
constexpr double FADDEEVA_RATE = 6.1399602476789310;   // pi / h
constexpr double ROOT_PI_INVERSE = 0.56418958354775629;

// Whether the nodes of the midpoint rule are too close to x + iy, so that the trapezoidal rule is needed.
GPUNP_HD bool faddeeva_wants_trapezoid(double x, double y) {
    double steps = x * (1 / FADDEEVA_STEP), fraction = steps - ::floor(steps);
    return y < x && fraction >= 0.25 && fraction <= 0.75;
}

// The rule's sum at x + iy, x >= 0, y >= 0, with terms arranged to avoid cancellation near the axes.
GPUNP_HD_CALLED complex<double> faddeeva_sum(double x, double y, bool trapezoid) {
    if (!(x < 1e7 && y < 1e7)) {  // one term of the expansion at infinity, i / (sqrt(pi) z)
        double size = larger(x, y), a = x / size, b = y / size,
               scale = ROOT_PI_INVERSE / (a * a + b * b) / size;
        return {b * scale, a * scale};
    }
    static constexpr double midpoint[] = GPUNP_FADDEEVA_MIDPOINT;
    static constexpr double trapezoidal[] = GPUNP_FADDEEVA_TRAPEZOID;
    double norm = x * x + y * y, re = 0, im = 0;
    if (trapezoid) {
        re = 0.5 / norm;
        im = re;
    }
    GPUNP_UNROLL
    for (int k = 0; k < 12; ++k) {
        double t = FADDEEVA_STEP * (trapezoid ? k + 1 : k + 0.5), square = t * t;
        double left = (x - t) * (x - t) + y * y, right = (x + t) * (x + t) + y * y;
        double weight = (trapezoid ? trapezoidal[k] : midpoint[k]) / (left * right);
        re += weight * (norm + square);
        im += weight * (norm - square);
    }
    const double factor = 2 * FADDEEVA_STEP / constant::PI;
    return {factor * y * re, factor * x * im};
}

// exp(y^2 - x^2 + 2 i x y) as the log of its modulus (returned) and a unit number, both from exact products.
GPUNP_HD double gaussian_parts(double x, double y, complex<double>* unit) {
    double p = x * y, p_low = 2 * ::fma(x, y, -p), low;
    if (is_infinite(2 * p) && x - y > y) {
        // Zero, whatever the angle.
        *unit = {1, 0};
        return -libm<double>::infinity();
    }
    libm<double>::sincos(2 * p, &unit->im, &unit->re);
    if (::fabs(p_low) < 1e-9) {
        *unit = {unit->re - p_low * unit->im, unit->im + p_low * unit->re};
    } else if (is_finite(p_low)) {
        complex<double> turn;
        libm<double>::sincos(p_low, &turn.im, &turn.re);
        *unit = multiply(*unit, turn);
    }
    double xx = x * x, yy = y * y, exponent = two_sum(yy, -xx, &low);
    low += ::fma(y, y, -yy) - ::fma(x, x, -xx);
    if (!is_finite(low)) return (y - x) * (y + x);
    if (::fabs(exponent) > 1e5) return exponent;  // zero or infinity in any case
    exponent = two_sum(exponent, low, &low);
    *unit = {unit->re * (1 + low), unit->im * (1 + low)};
    return exponent;
}

// tanh(a + ib) = (sinh 2a, sin 2b) / (cosh 2a + cos 2b); the hyperbolic cotangent for sign = -1.
GPUNP_HD complex<double> tanh_or_coth(double a, double b, double sign) {
    double sine, cosine, growth = ::exp(2 * a), decay = 1 / growth;
    libm<double>::sincos(2 * b, &sine, &cosine);
    double sinh = a < 0.1 ? ::sinh(2 * a) : 0.5 * (growth - decay);
    double denominator = 0.5 * (growth + decay) + sign * cosine;
    return {sinh / denominator, sign * sine / denominator};
}

// The part of exp(-z^2) w(iz) from the rule's sum, for z = x - iy, x >= 0, y >= 0.
GPUNP_HD_CALLED complex<double> erfc_sum(double x, double y, bool trapezoid) {
    complex<double> unit, sum = faddeeva_sum(y, x, trapezoid);
    double exponent = gaussian_parts(x, y, &unit);
    complex<double> turned = multiply(unit, sum);
    return scale_by_exp(exponent, turned.re, turned.im);
}

// erfc(z) for finite z = x - iy, x >= 0, y >= 0.
GPUNP_HD_CALLED complex<double> erfc_right(double x, double y) {
    bool trapezoid = faddeeva_wants_trapezoid(y, x);
    complex<double> result = erfc_sum(x, y, trapezoid);
    if (x >= FADDEEVA_RATE) return result;
    // 2 / (1 +- exp(2 pi z / h)), the correction for the pole.
    double sign = trapezoid ? -1 : 1, growth = ::exp(2 * FADDEEVA_RATE * x), sine, cosine;
    libm<double>::sincos(2 * FADDEEVA_RATE * y, &sine, &cosine);
    double re = 1 + sign * growth * cosine, im = sign * growth * sine, scale = 2 / (re * re + im * im);
    return {result.re + scale * re, result.im + scale * im};
}

// log(erfc(z) / 2) for Re z >= 0, from exp(-z^2) w(iz) / 2.
GPUNP_HD_CALLED complex<double> log_half_erfc(complex<double> z) {
    double x = z.re, y = ::fabs(z.im);
    bool trapezoid = faddeeva_wants_trapezoid(y, x);
    complex<double> unit, w = faddeeva_sum(y, x, trapezoid);
    double exponent = gaussian_parts(x, y, &unit);
    if (x < FADDEEVA_RATE) {
        complex<double> right = erfc_right(x, y);
        if (exponent > -600 && exponent < 600) {
            double im = ::atan2(right.im, right.re);
            return {log_absolute(right.re / 2, right.im / 2), z.im > 0 ? -im : im};
        }
    }
    complex<double> turned = multiply(unit, w);
    double im = ::atan2(turned.im, turned.re);
    return {exponent + log_absolute(w.re, w.im) - constant::LN2, z.im > 0 ? -im : im};
}

}  // namespace special

GPUNP_HD_CALLED complex<double> erf(complex<double> z) {
    using namespace special;
    if (z.im == 0) return {::erf(z.re), z.im};
    double x = ::fabs(z.re), y = ::fabs(z.im);
    if (x == 0 && !is_finite(y)) return z;
    if (is_infinite(x) && is_finite(y)) return {::copysign(1., z.re), 0};
    if (!(is_finite(x) && is_finite(y))) return {libm<double>::nan(), libm<double>::nan()};
    // 1 - erfc(z), with the correction for the pole combined with the 1.
    bool trapezoid = faddeeva_wants_trapezoid(y, x);
    complex<double> result = {1, 0}, sum = erfc_sum(x, y, trapezoid);
    if (x < FADDEEVA_RATE) result = tanh_or_coth(FADDEEVA_RATE * x, -FADDEEVA_RATE * y, trapezoid ? -1 : 1);
    result = {result.re - sum.re, result.im - sum.im};
    if (x == 0) result.re = 0;
    return {signbit(z.re) ? -result.re : result.re, z.im < 0 ? result.im : -result.im};
}

GPUNP_HD_CALLED complex<double> erfc(complex<double> z) {
    using namespace special;
    if (z.im == 0 && z.re != 0) return {::erfc(z.re), 0};
    double x = ::fabs(z.re), y = ::fabs(z.im);
    if (x == 0) return {1, -erf(complex<double>{0, z.im}).im};
    if (is_infinite(x) && is_finite(y)) return {z.re > 0 ? 0. : 2., 0};
    if (!(is_finite(x) && is_finite(y))) return {libm<double>::nan(), libm<double>::nan()};
    complex<double> result;
    if (z.re < 0 || x < 0.5) {
        result = erf(z);
        return {1 - result.re, -result.im};
    }
    result = erfc_right(x, y);
    return {result.re, z.im > 0 ? -result.im : result.im};
}

GPUNP_HD complex<double> ndtr(complex<double> z) {
    complex<double> twice = erfc(complex<double>{-z.re * special::ROOT_HALF, -z.im * special::ROOT_HALF});
    return {0.5 * twice.re, 0.5 * twice.im};
}

// The principal branch of log(ndtr(z)).
GPUNP_HD_CALLED complex<double> log_ndtr(complex<double> z) {
    using namespace special;
    const double nan = libm<double>::nan();
    if (!is_finite(z.im) || z.re != z.re) return {nan, nan};
    if (is_infinite(z.re)) return z.re > 0 ? complex<double>{-0., -0.} : complex<double>{z.re, nan};
    if (z.im == 0) return {log_ndtr(z.re), z.im};
    if (z.re <= 0) return log_half_erfc({-z.re * ROOT_HALF, -z.im * ROOT_HALF});
    // log(1 - q) for q = ndtr(-z), which may overflow although its logarithm does not.
    complex<double> log_q = log_half_erfc({z.re * ROOT_HALF, z.im * ROOT_HALF});
    if (log_q.re < 40) {
        complex<double> q = exp(log_q);
        return log1p(complex<double>{-q.re, -q.im});
    }
    return {log_q.re, log_q.im > 0 ? log_q.im - constant::PI : log_q.im + constant::PI};
}

GPUNP_HD complex<float> erf(complex<float> z) {
    return narrow(erf(widen(z)));
}
GPUNP_HD complex<float> erfc(complex<float> z) {
    return narrow(erfc(widen(z)));
}
GPUNP_HD complex<float> ndtr(complex<float> z) {
    return narrow(ndtr(widen(z)));
}
GPUNP_HD complex<float> log_ndtr(complex<float> z) {
    return narrow(log_ndtr(widen(z)));
}

}  // namespace math
}  // namespace gpunp
