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
namespace special {

// 1 / x of a normal number to an ulp: a third-order step makes 60 bits of the hardware's 20.
GPUNP_HD double quick_reciprocal(double x) {
#if defined(__CUDA_ARCH__)
    double inverse;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(inverse) : "d"(x));
    double error = ::fma(-x, inverse, 1.0);
    return ::fma(inverse, ::fma(error, error, error), inverse);
#else
    return 1 / x;
#endif
}

}  // namespace special

// exp(-y^2 / 2) P(u) / (y + 5.5) for y = |x|, where u = (5.5 - 1.28125 y) / (y + 5.5): in 55 operations, half
// of those of erfc with a correction for the rounded factor of its argument. Errors are below 4 ulp.
GPUNP_HD double ndtr(double x) {
    const double y = ::fabs(x);
    if (!(y < 39)) return x != x ? x : x > 0 ? 1.0 : 0.0;
    // exp(-y^2 / 2) is 2^(even / 2) 2^(t / 2): twice the exponent is rounded by the sum with 1.5 * 2^53, to
    // an even number, and `rest` is what y^2 loses by rounding.
    constexpr double log2e = 1.4426950408889634, log2e_low = 2.0355273740931033e-17, shift = 0x1.8p53;
    const double square = y * y, rest = ::fma(y, y, -square);
    const double shifted = ::fma(square, -log2e, shift), even = shifted - shift;
    const double t = ::fma(rest, -log2e, ::fma(square, -log2e_low, ::fma(square, -log2e, -even)));
    const double sum = y + 5.5, inverse = special::quick_reciprocal(sum), above = ::fma(y, -1.28125, 5.5);
    double u = above * inverse;
    u = ::fma(::fma(-u, y, ::fma(-u, 5.5, above)), inverse, u);
    const double value = special::power_of_root(t) * (inverse * special::ndtr_mapped(u));
    const uint64_t exponent = bits_of(shifted) - bits_of(shift);
    // Results that may be subnormal are rounded by a product.
    const double tail = (int64_t)exponent > -1000
                            ? from_bits(bits_of(value) + (exponent << 52))
                            : from_bits(bits_of(value) + ((exponent + 128) << 52)) * 0x1p-128;
    return signbit(x) ? tail : 1 - tail;
}

// The same in single precision, with y + 4 and u = (4 - 1.5625 y) / (y + 4), and without branches, so that
// the elements of a thread are computed at the same time.
GPUNP_HD float ndtr(float x) {
    constexpr float half_log2e = 0.72134752f, shift = 12582912.f;
    // Times 2^((half_log2e - log2(e) / 2) y^2): what the rounded factor of the exponent lacks.
    constexpr float c[] = {9.09496809e-1f, 6.30207666e-1f, 3.21692133e-1f,  1.15210759e-1f, 2.43354867e-2f,
                           4.21443114e-4f, -1.258092e-3f,  -1.80878039e-4f, 6.05098144e-5f, 1.41806305e-5f};
#if defined(__CUDA_ARCH__)
    float y;
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(::fabsf(x)), "f"(14.2f));
#else
    const float y = x != x ? x : ::fminf(::fabsf(x), 14.2f);
#endif
    const float square = y * y, rest = ::fmaf(y, y, -square);
    const float shifted = ::fmaf(square, -half_log2e, shift);
    const float t = ::fmaf(rest, -half_log2e, ::fmaf(square, -half_log2e, shift - shifted));
    const float above = ::fmaf(y, -1.5625f, 4.f), inverse = special::quick_reciprocal(y + 4);
#if defined(__CUDA_ARCH__)
    float power;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(t));
#else
    const float power = ::exp2f(t);
#endif
    float u = above * inverse;
    u = ::fmaf(::fmaf(-u, y, ::fmaf(-u, 4.f, above)), inverse, u);
    const float value = power * (inverse * horner(u, c));
    // Of two powers of two the last product rounds results that may be subnormal.
    const uint32_t exponent = bits_of(shifted) - bits_of(shift);
    const float tail = value * from_bits((exponent + 191) << 23) * 0x1p-64f;
    return x < 0 ? tail : 1 - tail;
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
