// The length and the angle of a point in the plane.
//
// Our own, because libraries differ: CUDA's hypot overflows near the greatest double, and its functions of
// floats err by up to 3 ulp. These err by little more than half an ulp, on the host by up to 0.9 ulp, where
// they are the functions that compute blocks of elements.
#pragma once
#include "gpunp/math/real.h"
#if GPUNP_ON_DEVICE
#include "gpunp/math/arctangent_polynomials.h"
#else
#include "gpunp/math/host_vector_plane.h"
#endif

namespace gpunp {
namespace math {

#if GPUNP_ON_DEVICE
GPUNP_HD double hypot(double a, double b) {
    const double infinity = from_bits((uint64_t)0x7ff0000000000000ull);
    double x = ::fabs(a), y = ::fabs(b);
    if (x == infinity || y == infinity) return infinity;  // the other may be NaN
    if (x < y) {
        double less = x;
        x = y;
        y = less;
    }
    if (x == 0 || x != x || y != y) return x + y;
    // Scaling by powers of two keeps the squares and their rounding errors in range.
    double scale = 1, back = 1;
    if (x > 3.273390607896142e+150) {    // 2^500
        scale = 2.409919865102884e-181;  // 2^-600
        back = 4.149515568880993e+180;
    } else if (x < 3.8725919148493183e-121) {  // 2^-400
        scale = 4.149515568880993e+180;
        back = 2.409919865102884e-181;
    }
    x *= scale;
    y *= scale;
    double xx = x * x, h = ::sqrt(xx + y * y), hh = h * h;
    // One step of Newton's method from x^2 + y^2 - h^2, nearly exact (Borges 2020, ACM TOMS 47(1), 9).
    double rest = ::fma(y, y, xx - hh) + (::fma(x, x, -xx) - ::fma(h, h, -hh));
    return (h + rest / (2 * h)) * back;
}

// In double, squares of floats are exact and do not overflow.
GPUNP_HD float hypot(float a, float b) {
    const float infinity = from_bits((uint32_t)0x7f800000u);
    double x = a, y = b, h = ::sqrt(x * x + y * y);
    return ::fabsf(a) == infinity || ::fabsf(b) == infinity ? infinity : (float)h;
}

GPUNP_HD double arctan2(double y, double x) {
    return ::atan2(y, x);
}

// Computed in double.
GPUNP_HD float arctan2(float y, float x) {
    const double pi = 3.141592653589793238462643383279502884;
    double a = ::fabs((double)x), b = ::fabs((double)y);
    bool steep = b > a;
    double great = steep ? b : a, little = steep ? a : b;
    // Equal operands may be zeros or infinities, whose quotient is NaN.
    double ratio = great == little ? (great != 0 ? 1. : 0.) : little / great;
    double angle = ratio * arctangent_ratio(ratio * ratio);
    if (steep) angle = pi / 2 - angle;
    if (bits_of(x) >> 31) angle = pi - angle;
    return ::copysignf((float)angle, y);
}
#else
inline double hypot(double a, double b) {
    return lanes::one_hypot(a, b);
}
inline float hypot(float a, float b) {
    return lanes::one_hypot(a, b);
}
inline double arctan2(double y, double x) {
    return lanes::one_angle(y, x);
}
inline float arctan2(float y, float x) {
    return lanes::one_angle(y, x);
}
#endif

// The absolute value of a complex number.
template <class T>
GPUNP_HD T modulus(T a, T b) {
#if GPUNP_ON_DEVICE
    return hypot(a, b);
#else
    return lanes::one_length(a, b);
#endif
}

}  // namespace math
}  // namespace gpunp
