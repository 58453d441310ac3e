// Shared by the complex functions: the C library by precision, widening, products without overflow.
#pragma once
#include "gpunp/math/planar.h"
#include "gpunp/types.h"

namespace gpunp {
namespace math {

template <class T>
struct libm;

#define GPUNP_LIBM(T, f)                      \
    static GPUNP_HD T exp(T x) {              \
        return ::exp##f(x);                   \
    }                                         \
    static GPUNP_HD T log(T x) {              \
        return ::log##f(x);                   \
    }                                         \
    static GPUNP_HD T sqrt(T x) {             \
        return ::sqrt##f(x);                  \
    }                                         \
    static GPUNP_HD T rint(T x) {             \
        return ::rint##f(x);                  \
    }                                         \
    static GPUNP_HD T fabs(T x) {             \
        return ::fabs##f(x);                  \
    }                                         \
    static GPUNP_HD T copysign(T x, T sign) { \
        return ::copysign##f(x, sign);        \
    }

template <>
struct libm<float> {
    GPUNP_LIBM(float, f)

    static constexpr float max = 3.402823466e+38f;
    static constexpr float least_normal = 1.175494351e-38f;
    // Below this, a number's rounding error may be subnormal: scale by shift_up first.
    static constexpr float small = 9.860761315e-32f;  // 2^-103
    static constexpr float epsilon = 1.192092896e-07f;
    static constexpr float shift_up = 67108864.f;  // 2^26: its square root is a power of two, too
    static constexpr float root_shift_down = 1.220703125e-04f;
    static constexpr float exp_bound = 88.f;

    static GPUNP_HD float infinity() {
#if defined(__CUDA_ARCH__)
        return __int_as_float(0x7f800000);
#else
        return __builtin_inff();
#endif
    }
    static GPUNP_HD float nan() {
#if defined(__CUDA_ARCH__)
        return __int_as_float(0x7fc00000);
#else
        return __builtin_nanf("");
#endif
    }
    static GPUNP_HD void sincos(float x, float* sine, float* cosine) {
#if defined(__CUDA_ARCH__)
        ::sincosf(x, sine, cosine);
#else
        *sine = ::sinf(x);
        *cosine = ::cosf(x);
#endif
    }
};

template <>
struct libm<double> {
    GPUNP_LIBM(double, )

    static constexpr double max = 1.7976931348623157e+308;
    static constexpr double least_normal = 2.2250738585072014e-308;
    static constexpr double small = 1.0020841800044864e-292;  // 2^-970
    static constexpr double epsilon = 2.220446049250313e-16;
    static constexpr double shift_up = 18014398509481984.;  // 2^54
    static constexpr double root_shift_down = 7.450580596923828e-09;
    static constexpr double exp_bound = 709.;

    static GPUNP_HD double infinity() {
#if defined(__CUDA_ARCH__)
        return __longlong_as_double(0x7ff0000000000000ll);
#else
        return __builtin_inf();
#endif
    }
    static GPUNP_HD double nan() {
#if defined(__CUDA_ARCH__)
        return __longlong_as_double(0x7ff8000000000000ll);
#else
        return __builtin_nan("");
#endif
    }
    static GPUNP_HD void sincos(double x, double* sine, double* cosine) {
#if defined(__CUDA_ARCH__)
        ::sincos(x, sine, cosine);
#else
        *sine = ::sin(x);
        *cosine = ::cos(x);
#endif
    }
};
#undef GPUNP_LIBM

namespace constant {
constexpr double LN2 = 0.693147180559945309417232121458176568;
constexpr double LN2_LOW = 2.3190468138462996e-17;  // log(2) - LN2
constexpr double LOG2_E = 1.442695040888963407359924681001892137;
constexpr double LOG10_E = 0.434294481903251827651128918916605082;
constexpr double PI = 3.141592653589793238462643383279502884;
constexpr double HALF_PI = 1.570796326794896619231321691639751442;
}  // namespace constant

template <class T>
GPUNP_HD bool is_finite(T x) {
    return x - x == 0;
}
template <class T>
GPUNP_HD bool is_infinite(T x) {
    return libm<T>::fabs(x) > libm<T>::max;
}
template <class T>
GPUNP_HD T larger(T x, T y) {
    return x > y ? x : y;
}

GPUNP_HD complex<double> widen(complex<float> z) {
    return {(double)z.re, (double)z.im};
}
GPUNP_HD complex<float> narrow(complex<double> z) {
    return {(float)z.re, (float)z.im};
}

// e^x * factor * (a, b), finite wherever the product is, even if e^x overflows.
template <class T>
GPUNP_HD complex<T> scale_by_exp(T x, T a, T b, T factor = 1) {
    const T bound = libm<T>::exp_bound;
    if (x > bound) {
        T e = libm<T>::exp(bound);
        // Twice, because a sine may be as small as a subnormal; beyond that, the result overflows.
        for (int i = 0; i < 2 && x > bound; ++i) {
            x -= bound;
            a *= e;
            b *= e;
        }
    }
    T e = libm<T>::exp(x) * factor;
    return {a * e, b * e};
}

// The sum and its rounding error (Knuth 1969, TwoSum).
GPUNP_HD double two_sum(double a, double b, double* error) {
    double sum = a + b, part = sum - a;
    *error = (a - (sum - part)) + (b - part);
    return sum;
}

// first + x^2 + y^2 as if in threefold precision (Ogita, Rump and Oishi 2005, Sum3 over exact products).
GPUNP_HD double add_squares(double first, double x, double y) {
    double xx = x * x, yy = y * y;
    double terms[5] = {first, xx, yy, ::fma(x, x, -xx), ::fma(y, y, -yy)};
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 1; i < 5; ++i) terms[i] = two_sum(terms[i], terms[i - 1], &terms[i - 1]);
    }
    return (((terms[0] + terms[1]) + terms[2]) + terms[3]) + terms[4];
}

}  // namespace math
}  // namespace gpunp
