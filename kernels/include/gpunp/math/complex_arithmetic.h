// Sums, products, quotients, absolute value, sign, rounding and square root of complex numbers.
#pragma once
#include "gpunp/math/complex_support.h"

namespace gpunp {
namespace math {

template <class T>
GPUNP_HD complex<T> add(complex<T> a, complex<T> b) {
    return {a.re + b.re, a.im + b.im};
}

template <class T>
GPUNP_HD complex<T> subtract(complex<T> a, complex<T> b) {
    return {a.re - b.re, a.im - b.im};
}

// The plain product, as in NumPy, without recovery of infinities from NaN.
template <class T>
GPUNP_HD complex<T> multiply(complex<T> a, complex<T> b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

template <class T>
GPUNP_HD complex<T> square(complex<T> a) {
    return {a.re * a.re - a.im * a.im, a.re * a.im + a.im * a.re};
}

template <class T>
GPUNP_HD complex<T> positive(complex<T> a) {
    return a;
}

template <class T>
GPUNP_HD complex<T> negative(complex<T> a) {
    return {-a.re, -a.im};
}

template <class T>
GPUNP_HD complex<T> conjugate(complex<T> a) {
    return {a.re, -a.im};
}

// (a + b * ratio) / denominator for ratio = minor / major, |ratio| <= 1, without loss by underflow.
template <class T>
GPUNP_HD T smith_term(T a, T b, T major, T minor, T ratio, T denominator) {
    if (libm<T>::fabs(ratio) < libm<T>::least_normal && minor != 0 && libm<T>::fabs(major) >= 1) {
        return (a + minor * (b / major)) / denominator;
    }
    T product = b * ratio;
    if (product == 0 && b != 0 && ratio != 0) return a / denominator + (b / denominator) * ratio;
    return (a + product) / denominator;
}

// Smith 1962 with the scaling of Baudin and Smith 2012; special values follow Smith's method.
template <class T>
GPUNP_HD complex<T> divide(complex<T> a, complex<T> b) {
    const T half_max = libm<T>::max / 2, small = 2 * libm<T>::small;
    const T up = 2 / (libm<T>::epsilon * libm<T>::epsilon), down = 1 / up;
    T c = libm<T>::fabs(b.re), d = libm<T>::fabs(b.im);
    if (c == 0 && d == 0) return {a.re / c, a.im / c};
    T dividend = larger(libm<T>::fabs(a.re), libm<T>::fabs(a.im)), divisor = larger(c, d), scale = 1;
    if (dividend >= half_max) {
        a = {a.re / 2, a.im / 2};
        scale = 2;
    } else if (dividend <= small) {
        a = {a.re * up, a.im * up};
        scale = down;
    }
    if (divisor >= half_max) {
        b = {b.re / 2, b.im / 2};
        scale /= 2;
    } else if (divisor <= small) {
        b = {b.re * up, b.im * up};
        scale *= up;
    }
    complex<T> quotient;
    if (c >= d) {
        T ratio = b.im / b.re, denominator = b.re + b.im * ratio;
        quotient.re = smith_term(a.re, a.im, b.re, b.im, ratio, denominator);
        quotient.im = smith_term(a.im, -a.re, b.re, b.im, ratio, denominator);
    } else {
        T ratio = b.re / b.im, denominator = b.im + b.re * ratio;
        quotient.re = smith_term(a.im, a.re, b.im, b.re, ratio, denominator);
        quotient.im = smith_term(-a.re, a.im, b.im, b.re, ratio, denominator);
    }
    return scale == 1 ? quotient : complex<T>{quotient.re * scale, quotient.im * scale};
}

template <class T>
GPUNP_HD complex<T> reciprocal(complex<T> a) {
    T x = libm<T>::fabs(a.re), y = libm<T>::fabs(a.im);
    T size = larger(x, y), scale = 1;
    if (size >= libm<T>::max / 2) {
        scale = (T)0.5;
    } else if (size < libm<T>::small) {
        scale = libm<T>::shift_up;
    }
    a = {a.re * scale, a.im * scale};
    if (y <= x) {
        T ratio = a.im / a.re, denominator = a.re + a.im * ratio;
        return {1 / denominator * scale, -ratio / denominator * scale};
    }
    T ratio = a.re / a.im, denominator = a.im + a.re * ratio;
    return {ratio / denominator * scale, -1 / denominator * scale};
}

template <class T>
GPUNP_HD T absolute(complex<T> a) {
    return modulus(a.re, a.im);
}

// a / |a|. A single infinite part determines the result; two give NaN.
template <class T>
GPUNP_HD complex<T> sign(complex<T> a) {
    const T nan = libm<T>::nan();
    if (is_infinite(a.re)) {
        return is_infinite(a.im) ? complex<T>{nan, nan} : complex<T>{libm<T>::copysign(1, a.re), 0};
    }
    if (is_infinite(a.im)) return {0, libm<T>::copysign(1, a.im)};
    T size = larger(libm<T>::fabs(a.re), libm<T>::fabs(a.im));
    if (size >= libm<T>::max / 2) {
        a = {a.re / 2, a.im / 2};
    } else if (size < libm<T>::small) {
        a = {a.re * libm<T>::shift_up, a.im * libm<T>::shift_up};
    }
    T h = hypot(a.re, a.im);
    if (h == 0) return {0, 0};
    return h == h ? complex<T>{a.re / h, a.im / h} : complex<T>{nan, nan};
}

template <class T>
GPUNP_HD complex<T> rint(complex<T> a) {
    return {libm<T>::rint(a.re), libm<T>::rint(a.im)};
}

// Computes the part without cancellation first; scales by an even power of two where |a| over- or underflows.
template <class T>
GPUNP_HD complex<T> sqrt(complex<T> a) {
    if (a.re == 0 && a.im == 0) return {0, a.im};
    if (is_infinite(a.im)) return {libm<T>::infinity(), a.im};
    if (is_infinite(a.re)) {
        T other = a.im - a.im;  // 0 or NaN
        if (a.re > 0) return {a.re, libm<T>::copysign(other, a.im)};
        return {libm<T>::fabs(other), libm<T>::copysign(a.re, a.im)};
    }
    T x = libm<T>::fabs(a.re), y = libm<T>::fabs(a.im), scale = 1;
    T size = larger(x, y);
    if (size >= libm<T>::max / 4) {
        x /= 4;
        y /= 4;
        scale = 2;
    } else if (size < libm<T>::small) {
        x *= libm<T>::shift_up;
        y *= libm<T>::shift_up;
        scale = libm<T>::root_shift_down;
    }
    T root = libm<T>::sqrt((x + hypot(x, y)) / 2), other = y / (2 * root);
    root *= scale;
    other *= scale;
    if (a.re < 0) return {other, libm<T>::copysign(root, a.im)};
    return {root, libm<T>::copysign(other, a.im)};
}

}  // namespace math
}  // namespace gpunp
