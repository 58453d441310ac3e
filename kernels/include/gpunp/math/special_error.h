// The error function, its complement and inverse, and the normal distribution built on them.
#pragma once
#include "gpunp/math/special_error_polynomials.h"
#if !GPUNP_ON_DEVICE
#include "gpunp/math/host_vector_error.h"
#endif

namespace gpunp {
namespace math {

// On the host, one element of what blocks of elements are computed by.
#if GPUNP_ON_DEVICE
GPUNP_HD float erf(float x) {
    return ::erff(x);
}
GPUNP_HD double erf(double x) {
    return ::erf(x);
}
GPUNP_HD float erfc(float x) {
    return ::erfcf(x);
}
GPUNP_HD double erfc(double x) {
    return ::erfc(x);
}
#else
template <class T>
GPUNP_HD if_floating<T> erf(T x) {
    return lanes::erf(x);
}
template <class T>
GPUNP_HD if_floating<T> erfc(T x) {
    return lanes::erfc(x);
}
template <class T>
GPUNP_HD if_floating<T> ndtr(T x) {
    return lanes::ndtr(x);
}
#endif

namespace special {

constexpr double ROOT_HALF = 0.70710678118654752;
constexpr double ROOT_HALF_LOW = -4.8336466567264567e-17;  // sqrt(1/2) - ROOT_HALF

// exp(x^2) erfc(x) for x >= 0 (Shepherd and Laframboise 1981).
GPUNP_HD double erfcx(double x) {
    if (x > 1e8) return 0.56418958354775629 / x;
    return erfcx_mapped((x - 4) / (x + 4)) / (1 + 2 * x);
}

// erfinv(y) / y from w = -log(1 - y^2) (Giles 2012); only ndtri needs w > 37.
GPUNP_HD double erfinv_over_argument(double w) {
    if (w <= 5) return erfinv_center(w);
    double s = ::sqrt(w);
    return s <= 4 ? erfinv_middle(s) : s <= 6.5 ? erfinv_tail(s) : erfinv_far(s);
}

GPUNP_HD float erfinv_over_argument(float w) {
    return w <= 5 ? erfinv_center(w) : erfinv_tail(::sqrtf(w));
}

}  // namespace special

template <class T>
GPUNP_HD if_floating<T> erfinv(T x) {
    T rest = (1 - x) * (1 + x);
    // Adding zero makes the result at -0 positive, as in SciPy.
    if (rest > 0) return x * special::erfinv_over_argument(-log(rest)) + 0;
    return x == 1 || x == -1 ? x * libm<T>::infinity() : libm<T>::nan();
}

// sqrt(2) erfinv(2 p - 1), with 1 - (2 p - 1)^2 = 4 p (1 - p) free of cancellation in the tails.
template <class T>
GPUNP_HD if_floating<T> ndtri(T p) {
    if (p > 0 && p < 1) {
        T w = -log(4 * p * (1 - p));
        return (T)1.4142135623730950 * ((2 * p - 1) * special::erfinv_over_argument(w));
    }
    return p == 0 ? -libm<T>::infinity() : p == 1 ? libm<T>::infinity() : libm<T>::nan();
}

// The inverse of erfc: erfinv(1 - y), accurate for small y.
GPUNP_HD double erfcinv(double y) {
    if (y > 0 && y < 2) return (1 - y) * special::erfinv_over_argument(-::log(y * (2 - y)));
    return y == 0 ? libm<double>::infinity() : y == 2 ? -libm<double>::infinity() : libm<double>::nan();
}
GPUNP_HD float erfcinv(float y) {
    return (float)erfcinv((double)y);
}

#if GPUNP_ON_DEVICE
GPUNP_HD double ndtr(double x) {
    double z = -x * special::ROOT_HALF, tail = 0.5 * ::erfc(z);
    if (z > 1 && z < 28) {
        // erfc magnifies the rounding error of z by 2 z^2; the slope of its logarithm is about -2 z - 1 / z.
        double lost = ::fma(-x, special::ROOT_HALF, -z) - x * special::ROOT_HALF_LOW;
        tail -= tail * (lost * (2 * z + 1 / z));
    }
    return tail;
}

GPUNP_HD float ndtr(float x) {
    constexpr float root = (float)special::ROOT_HALF, low = (float)(special::ROOT_HALF - root);
    float z = -x * root, tail = 0.5f * ::erfcf(z);
    if (z > 1) {
        // As for double. Beyond 9, tails are subnormal numbers, which must be rounded once.
        if (z > 9) return (float)ndtr((double)x);
        float lost = ::fmaf(-x, root, -z) - x * low;
        tail -= tail * (lost * (2 * z + 1 / z));
    }
    return tail;
}
#endif

GPUNP_HD double log_ndtr(double x) {
    if (x < -1) return ::log(0.5 * special::erfcx(-x * special::ROOT_HALF)) - 0.5 * x * x;
    return ::log1p(-ndtr(-x));
}

GPUNP_HD float log_ndtr(float x) {
    return (float)log_ndtr((double)x);
}

// The inverse of log_ndtr.
GPUNP_HD_CALLED double ndtri_exp(double y) {
    if (!(y < -700)) return y > -0.69 ? -ndtri(-::expm1(y)) : ndtri(::exp(y));
    if (is_infinite(y) || y < -1e306) return y < -1.7976931348623157e308 ? y : -::sqrt(-y) * ::sqrt(2.);
    double square = -2 * y, x = -::sqrt(square - ::log(2 * constant::PI * square));
    // Newton's method; the derivative of log_ndtr is sqrt(2 / pi) / erfcx(-x / sqrt(2)).
    for (int n = 0; n < 2; ++n) {
        x -= (log_ndtr(x) - y) * special::erfcx(-x * special::ROOT_HALF) * 1.2533141373155003;
    }
    return x;
}
GPUNP_HD float ndtri_exp(float y) {
    return (float)ndtri_exp((double)y);
}

}  // namespace math
}  // namespace gpunp
