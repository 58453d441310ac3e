// Sine and cosine of the host for blocks of elements; see host_vector.h.
#pragma once
#include "gpunp/math/host_vector.h"

namespace gpunp {
namespace math {
namespace lanes {

// x = n * pi / 2 + high + low, for magnitudes below TRIGONOMETRIC_LIMIT.
template <class T>
struct Angle {
    T high, low;
    typename format<T>::integer n;
};
GPUNP_LANE Angle<double> reduced(double x) {
    const double shifted = x * TWO_OVER_PI + format<double>::shift;
    const double whole = shifted - format<double>::shift;
    const double a = x - whole * HALF_PI_1, b = whole * HALF_PI_2;
    // a - b = c + error, exactly.
    const double c = a - b, of_b = a - c, error = (a - (c + of_b)) + (of_b - b);
    const double tail = whole * HALF_PI_3 - error;
    const double high = c - tail;
    return {high, (c - high) - tail, shifted_integer(shifted)};
}
GPUNP_LANE Angle<float> reduced(float x) {
    const double shifted = (double)x * TWO_OVER_PI + format<double>::shift;
    const double whole = shifted - format<double>::shift;
    const double r = ((double)x - whole * HALF_PI_1) - whole * (HALF_PI_2 + HALF_PI_3);
    const float high = (float)r;
    return {high, (float)(r - (double)high), (int32_t)bits_of(shifted)};
}
// a - b * c, where the product is exact: a fused operation gives the same bits.
GPUNP_LANE float less_product(float a, float b, float c) {
#if defined(__AVX512F__) || defined(__FP_FAST_FMAF)
    return __builtin_fmaf(-b, c, a);
#else
    return a - b * c;
#endif
}
// Magnitudes up to NEAR_ANGLES, without float64.
GPUNP_LANE Angle<float> reduced_near(float x) {
    const float shifted = x * (float)TWO_OVER_PI + format<float>::shift,
                whole = shifted - format<float>::shift;
    // a - b = high + error, exactly.
    const float a = less_product(x, whole, HALF_PI_1_F4), b = whole * HALF_PI_2_F4;
    const float high = less_product(a, whole, HALF_PI_2_F4), error = (a - high) - b;
    return {high, error - whole * HALF_PI_3_F4, (int32_t)bits_of(shifted)};
}
GPUNP_LANE float sine_polynomial(float z) {
    return horner(z, sin_f4);
}
GPUNP_LANE double sine_polynomial(double z) {
    return horner(z, sin_f8);
}
GPUNP_LANE float cosine_polynomial(float z) {
    return horner(z, cos_f4);
}
GPUNP_LANE double cosine_polynomial(double z) {
    return horner(z, cos_f8);
}

// The sine of an angle plus quarter * pi / 2.
template <class T>
GPUNP_LANE T sine(const Angle<T>& a, int quarter) {
    using B = typename format<T>::bits;
    const T z = a.high * a.high, v = z * a.high;
    const T sine = a.high + (a.low * ((T)1 - (T)0.5 * z) + v * sine_polynomial(z));
    const T half = (T)0.5 * z, w = (T)1 - half;
    const T cosine = w + ((((T)1 - w) - half) + (z * z * cosine_polynomial(z) - a.high * a.low));
    const B n = (B)a.n + (B)quarter;
    const T y = n & 1 ? cosine : sine;
    return from_bits((B)(bits_of(y) ^ (n & 2) << (8 * sizeof(T) - 2)));
}
// Sums of products lose the sign of zero: the sine of a tiny number is its argument.
template <class T>
GPUNP_LANE T or_tiny(T x, T sine, int quarter) {
    return quarter == 0 && fabs(x) < (T)1e-9 ? x : sine;
}
template <int QUARTER>
GPUNP_LANE double sine(double x) {
    return or_tiny(x, sine(reduced(x), QUARTER), QUARTER);
}
template <int QUARTER>
GPUNP_LANE float near_sine(float x) {
    return or_tiny(x, sine(reduced_near(x), QUARTER), QUARTER);
}
template <int QUARTER>
GPUNP_LANE float sine(float x) {
    const float near = near_sine<QUARTER>(x), far = sine(reduced(x), QUARTER);
    return fabs(x) <= NEAR_ANGLES ? near : far;
}

template <class T>
GPUNP_LANE bool beyond_angles(T x) {
    return !(fabs(x) <= (T)TRIGONOMETRIC_LIMIT);
}
// Single elements, with the same results as in blocks.
template <class T>
inline T one_sin(T x) {
    return beyond_angles(x) ? ::sin(x) : sine<0>(x);
}
template <class T>
inline T one_cos(T x) {
    return beyond_angles(x) ? ::cos(x) : sine<1>(x);
}

}  // namespace lanes

GPUNP_VECTOR_BLOCK(sin, lanes::sine<0>(from[i]), lanes::beyond_angles, ::sin)
GPUNP_VECTOR_BLOCK(cos, lanes::sine<1>(from[i]), lanes::beyond_angles, ::cos)

// Of float32: pieces without far angles need no float64.
#define GPUNP_ANGLE_BLOCK(name, QUARTER)                                                   \
    inline void name##_block(const float* x, float* out, int64_t count) {                  \
        constexpr int64_t PIECE = 512;                                                     \
        for (int64_t start = 0; start < count; start += PIECE) {                           \
            const int64_t n = count - start < PIECE ? count - start : PIECE;               \
            const float* from = x + start;                                                 \
            float* to = out + start;                                                       \
            int far = 0;                                                                   \
            for (int64_t i = 0; i < n; i++) far |= !(fabs(from[i]) <= lanes::NEAR_ANGLES); \
            if (far)                                                                       \
                name##_block<float>(from, to, n);                                          \
            else                                                                           \
                _Pragma("GCC ivdep") for (int64_t i = 0; i < n; i++) to[i] =               \
                    lanes::near_sine<QUARTER>(from[i]);                                    \
        }                                                                                  \
    }
GPUNP_ANGLE_BLOCK(sin, 0)
GPUNP_ANGLE_BLOCK(cos, 1)
#undef GPUNP_ANGLE_BLOCK

}  // namespace math
}  // namespace gpunp
