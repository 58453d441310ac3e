// Exponentials, logarithms and powers of complex numbers.
#pragma once
#include "gpunp/math/complex_arithmetic.h"

namespace gpunp {
namespace math {

// e^z for infinite or NaN Im z.
template <class T>
GPUNP_HD complex<T> exp_at_infinity(complex<T> z) {
    if (!is_infinite(z.re)) return {libm<T>::nan(), libm<T>::nan()};
    if (z.re > 0) return {z.re, libm<T>::nan()};
    return {0, libm<T>::copysign(0, z.im)};
}

template <class T>
GPUNP_HD complex<T> exp(complex<T> z) {
    if (z.im == 0) return {libm<T>::exp(z.re), z.im};
    if (!is_finite(z.im)) return exp_at_infinity(z);
    T sine, cosine;
    libm<T>::sincos(z.im, &sine, &cosine);
    return scale_by_exp(z.re, cosine, sine);
}

GPUNP_HD complex<double> exp2(complex<double> z) {
    if (z.im == 0) return {::exp2(z.re), z.im};
    if (!is_finite(z.im)) return exp_at_infinity(z);
    // The angle in two parts: a single rounding would cost |Im z| ulps of the result.
    double angle = z.im * constant::LN2, sine, cosine;
    double rest = ::fma(z.im, constant::LN2, -angle) + z.im * constant::LN2_LOW;
    if (!(::fabs(rest) < 1e-6)) rest = 0;
    libm<double>::sincos(angle, &sine, &cosine);
    complex<double> turned = {cosine - rest * sine, sine + rest * cosine};
    const double bound = 1000., power = 1.0715086071862673e+301;  // 2^1000
    double x = z.re;
    for (int i = 0; i < 2 && x > bound; ++i) {
        x -= bound;
        turned = {turned.re * power, turned.im * power};
    }
    double e = ::exp2(x);
    return {e * turned.re, e * turned.im};
}

GPUNP_HD complex<float> exp2(complex<float> z) {
    return narrow(exp2(widen(z)));
}

GPUNP_HD complex<double> expm1(complex<double> z) {
    double sine, cosine;
    libm<double>::sincos(z.im, &sine, &cosine);
    if (z.re > libm<double>::exp_bound && sine != 0 && is_finite(z.im))
        return scale_by_exp(z.re, cosine, sine);
    double half = ::sin(z.im / 2);
    return {::expm1(z.re) * cosine - 2 * half * half, ::exp(z.re) * sine};
}

GPUNP_HD complex<float> expm1(complex<float> z) {
    return narrow(expm1(widen(z)));
}

// log |x + iy|; near the unit circle, where the logarithm suffers cancellation, by log1p(|z|^2 - 1) / 2.
GPUNP_HD double log_absolute(double x, double y) {
    double h = hypot(x, y);
    if (h > 0.5 && h < 2) return 0.5 * ::log1p(add_squares(-1, x, y));
    if (h < libm<double>::small && h > 0) {
        const double up = libm<double>::shift_up;
        return ::log(hypot(x * up, y * up)) - 54 * constant::LN2;
    }
    if (is_infinite(h) && is_finite(x) && is_finite(y)) return ::log(hypot(x / 2, y / 2)) + constant::LN2;
    return ::log(h);
}

// The same for floats, whose squares are exact in double.
GPUNP_HD double log_absolute(float x_, float y_) {
    double x = ::fabs((double)x_), y = ::fabs((double)y_);
    double norm = x * x + y * y;
    if (norm > 0.25 && norm < 4) {
        double great = larger(x, y), little = x > y ? y : x;
        return 0.5 * ::log1p((great - 1) * (great + 1) + little * little);
    }
    if (norm != norm && (is_infinite(x) || is_infinite(y))) return libm<double>::infinity();
    return 0.5 * ::log(norm);
}

template <class T>
GPUNP_HD complex<T> log(complex<T> z) {
    return {(T)log_absolute(z.re, z.im), arctan2(z.im, z.re)};
}

template <class T>
GPUNP_HD complex<T> log2(complex<T> z) {
    return {(T)(log_absolute(z.re, z.im) * constant::LOG2_E), (T)(arctan2(z.im, z.re) * constant::LOG2_E)};
}

template <class T>
GPUNP_HD complex<T> log10(complex<T> z) {
    return {(T)(log_absolute(z.re, z.im) * constant::LOG10_E), (T)(arctan2(z.im, z.re) * constant::LOG10_E)};
}

GPUNP_HD complex<double> log1p(complex<double> z) {
    double x = z.re + 1, h = hypot(x, z.im), angle = ::atan2(z.im, x);
    // |1 + z|^2 - 1 = 2x + x^2 + y^2; adding zero makes the logarithm of 1 a positive zero.
    if (h > 0.5 && h < 2) return {0.5 * ::log1p(add_squares(2 * z.re, z.re, z.im)) + 0., angle};
    return {log_absolute(x, z.im), angle};
}

GPUNP_HD complex<float> log1p(complex<float> z) {
    return narrow(log1p(widen(z)));
}

// The product, with infinities recovered if both parts are NaN (C99 Annex G.5.1).
GPUNP_HD complex<double> multiply_recovering(complex<double> a, complex<double> b) {
    complex<double> product = multiply(a, b);
    if (product.re == product.re || product.im == product.im) return product;
    bool overflow = is_infinite(a.re * b.re) || is_infinite(a.im * b.im) || is_infinite(a.re * b.im) ||
                    is_infinite(a.im * b.re);
    bool a_infinite = is_infinite(a.re) || is_infinite(a.im),
         b_infinite = is_infinite(b.re) || is_infinite(b.im);
    if (!(overflow || a_infinite || b_infinite)) return product;
    double parts[4] = {a.re, a.im, b.re, b.im};
    for (int i = 0; i < 4; ++i) {
        bool box = i < 2 ? a_infinite : b_infinite;
        double p = parts[i];
        if (p != p)
            parts[i] = ::copysign(0., p);
        else if (box)
            parts[i] = ::copysign(is_infinite(p) ? 1. : 0., p);
    }
    const double infinity = libm<double>::infinity();
    return {infinity * (parts[0] * parts[2] - parts[1] * parts[3]),
            infinity * (parts[0] * parts[3] + parts[1] * parts[2])};
}

// a^n by repeated squaring, for 0 < |n| < 100.
template <class T>
GPUNP_HD complex<T> integer_power(complex<T> a, int n) {
    if (n == 1) return a;
    if (n == 2) return multiply(a, a);
    if (n == 3) return multiply(a, multiply(a, a));
    unsigned int rest = n < 0 ? -n : n;
    complex<T> result = {1, 0};
    for (;;) {
        if (rest & 1) result = multiply(result, a);
        rest >>= 1;
        if (rest == 0) break;
        a = multiply(a, a);
    }
    return n < 0 ? divide(complex<T>{1, 0}, result) : result;
}

GPUNP_HD complex<double> general_power(complex<double> a, complex<double> b) {
    return exp(multiply_recovering(b, log(a)));
}

GPUNP_HD complex<float> general_power(complex<float> a, complex<float> b) {
    complex<double> wide = {log_absolute(a.re, a.im), ::atan2((double)a.im, (double)a.re)};
    return narrow(exp(multiply_recovering(widen(b), wide)));
}

// As in NumPy: z^0 = 1; 0^b is 0 for Re b > 0, otherwise NaN; small integer powers by multiplication.
template <class T>
GPUNP_HD complex<T> power(complex<T> a, complex<T> b) {
    if (b.re == 0 && b.im == 0) return {1, 0};
    if (a.re == 0 && a.im == 0) {
        if (b.re > 0) return {0, 0};
        return {libm<T>::nan(), libm<T>::nan()};
    }
    if (b.im == 0 && b.re > -100 && b.re < 100 && libm<T>::rint(b.re) == b.re) {
        return integer_power(a, (int)b.re);
    }
    return general_power(a, b);
}

template <class T>
GPUNP_HD complex<T> float_power(complex<T> a, complex<T> b) {
    return power(a, b);
}

}  // namespace math
}  // namespace gpunp
