// Bessel functions of the first and second kind and modified ones of the first kind, orders 0 and 1.
#pragma once
#include "gpunp/math/special_bessel_polynomials.h"

namespace gpunp {
namespace math {
namespace special {

// Whether e^x is close to overflow.
GPUNP_HD bool near_overflow(float x) {
    return x > 85;
}
GPUNP_HD bool near_overflow(double x) {
    return x > 700;
}

// e^x * scaled, in two halves where e^x alone overflows; NaN at infinity, as in SciPy.
template <class T>
GPUNP_HD T times_exp(T x, T scaled) {
    if (!near_overflow(x)) return exp(x) * scaled;
    T e = exp(x / 2);
    return e * scaled * e;
}

// J or, for the second kind, Y, by Hankel's expansion for x >= 8, A&S 9.2.5-10.
template <int order>
GPUNP_HD double bessel_large(double x, bool second_kind) {
    double u = 8 / x, v = u * u, p, q, sine, cosine;
    libm<double>::sincos(x, &sine, &cosine);
    if (order == 0) {
        p = hankel_p0(v);
        q = u * hankel_q0(v);
    } else {
        p = hankel_p1(v);
        q = u * hankel_q1(v);
    }
    // sqrt(2) times the cosine and sine of x - pi / 4 or x - 3 pi / 4.
    double c = order == 0 ? cosine + sine : sine - cosine;
    double s = order == 0 ? sine - cosine : -(sine + cosine);
    double scale = 0.56418958354775629 / ::sqrt(x);
    return scale * (second_kind ? p * s + q * c : p * c - q * s);
}

// x - root, with the root in two parts.
GPUNP_HD double from_root(double x, double root, double low) {
    return (x - root) - low;
}

// The same in single precision, for a root with more digits.
GPUNP_HD float from_root(float x, double root) {
    const float high = (float)root;
    return (x - high) - (float)(root - high);
}

// log(x / root), accurate at the root.
GPUNP_HD double log_over_root(double x, double root, double low) {
    double difference = from_root(x, root, low);
    return ::fabs(difference) < 0.5 * root ? ::log1p(difference / root) : ::log(x) - ::log(root);
}

GPUNP_HD double j0_to_4(double x) {
    return from_root(x, J0_ROOT_1, J0_ROOT_1_LOW) * (x + J0_ROOT_1) * j0_small(x * x);
}

GPUNP_HD double j1_to_4(double x) {
    return x * (from_root(x, J1_ROOT_1, J1_ROOT_1_LOW) * (x + J1_ROOT_1) * j1_small(x * x));
}

}  // namespace special

template <class T>
GPUNP_HD if_floating<T> i0(T x) {
    T a = fabs(x);
    if (a <= 8) return special::i0_series(a * a * (T)0.25);
    return special::times_exp(a, special::i0_large(1 / a) / sqrt(a));
}

template <class T>
GPUNP_HD if_floating<T> i0e(T x) {
    T a = fabs(x);
    if (a <= 8) return exp(-a) * special::i0_series(a * a * (T)0.25);
    return special::i0_large(1 / a) / sqrt(a);
}

template <class T>
GPUNP_HD if_floating<T> i1(T x) {
    T a = fabs(x), r;
    if (a <= 8)
        r = (T)0.5 * a * special::i1_series(a * a * (T)0.25);
    else
        r = special::times_exp(a, special::i1_large(1 / a) / sqrt(a));
    return x < 0 ? -r : r;
}

template <class T>
GPUNP_HD if_floating<T> i1e(T x) {
    T a = fabs(x), r;
    if (a <= 8)
        r = exp(-a) * ((T)0.5 * a * special::i1_series(a * a * (T)0.25));
    else
        r = special::i1_large(1 / a) / sqrt(a);
    return x < 0 ? -r : r;
}

GPUNP_HD_CALLED double j0(double x) {
    double a = ::fabs(x);
    // The product of the roots is rounded; the value at zero is exact.
    if (a <= 4) return a < 1e-8 ? 1 : special::j0_to_4(a);
    if (a <= 8)
        return special::from_root(a, special::J0_ROOT_2, special::J0_ROOT_2_LOW) * special::j0_middle(a);
    return special::bessel_large<0>(a, false);
}

GPUNP_HD_CALLED double j1(double x) {
    double a = ::fabs(x), r;
    if (a <= 4)
        r = special::j1_to_4(a);
    else if (a <= 8)
        r = special::from_root(a, special::J1_ROOT_2, special::J1_ROOT_2_LOW) * special::j1_middle(a);
    else
        r = special::bessel_large<1>(a, false);
    return signbit(x) ? -r : r;
}

GPUNP_HD_CALLED double y0(double x) {
    using namespace special;
    if (!(x > 0)) return x == 0 ? -libm<double>::infinity() : libm<double>::nan();
    if (x <= 3) {
        double square_part = from_root(x, Y0_ROOT_1, Y0_ROOT_1_LOW) * (x + Y0_ROOT_1) * y0_small(x * x);
        return 2 / constant::PI * log_over_root(x, Y0_ROOT_1, Y0_ROOT_1_LOW) * j0_to_4(x) + square_part;
    }
    if (x <= 5.5) return from_root(x, Y0_ROOT_2, Y0_ROOT_2_LOW) * y0_middle(x);
    if (x <= 8) return from_root(x, Y0_ROOT_3, Y0_ROOT_3_LOW) * y0_upper(x);
    return bessel_large<0>(x, true);
}

GPUNP_HD_CALLED double y1(double x) {
    using namespace special;
    if (!(x > 0)) return x == 0 ? -libm<double>::infinity() : libm<double>::nan();
    if (x <= 3) {
        double square_part = from_root(x, Y1_ROOT_1, Y1_ROOT_1_LOW) * (x + Y1_ROOT_1) * y1_small(x * x);
        return 2 / constant::PI * log_over_root(x, Y1_ROOT_1, Y1_ROOT_1_LOW) * j1_to_4(x) + square_part / x;
    }
    if (x <= 8) {
        double at_root = from_root(x, Y1_ROOT_2, Y1_ROOT_2_LOW);
        return at_root * (x <= 5.5 ? y1_middle(x) : y1_upper(x));
    }
    return bessel_large<1>(x, true);
}

// Hankel's expansion needs the sine of large angles in double precision.
GPUNP_HD float j0(float x) {
    using namespace special;
    float a = ::fabsf(x);
    if (a <= 4) return a < 1e-4f ? 1 : from_root(a, J0_ROOT_1) * (a + (float)J0_ROOT_1) * j0_small(a * a);
    return a <= 8 ? from_root(a, J0_ROOT_2) * j0_middle(a) : (float)j0((double)x);
}
GPUNP_HD float j1(float x) {
    using namespace special;
    float a = ::fabsf(x);
    if (a <= 4) return x * (from_root(a, J1_ROOT_1) * (a + (float)J1_ROOT_1) * j1_small(a * a));
    // From 4 to 4.6, near the first root, j1_middle loses digits.
    if (!(a >= 4.6f && a <= 8)) return (float)j1((double)x);
    float value = from_root(a, J1_ROOT_2) * j1_middle(a);
    return x < 0 ? -value : value;
}
GPUNP_HD float y0(float x) {
    return (float)y0((double)x);
}
GPUNP_HD float y1(float x) {
    return (float)y1((double)x);
}

}  // namespace math
}  // namespace gpunp
