// Transformations of uniform bits by IEEE operations only, so that every device returns the same bits.
#pragma once
#include "gpunp/random/philox.h"
#include "gpunp/random/polynomials.h"

namespace gpunp {
namespace random {

constexpr double PI = 3.14159265358979323846;
constexpr double LN2_HIGH = 0x1.62e42fefa38p-1, LN2_LOW = 0x1.ef35793c7673p-45;

GPUNP_HD int leading_zeros(uint32_t x) {
#if defined(__CUDA_ARCH__)
    return __clz((int)x);
#else
    return x ? __builtin_clz(x) : 32;
#endif
}
GPUNP_HD int leading_zeros(uint64_t x) {
#if defined(__CUDA_ARCH__)
    return __clzll((long long)x);
#else
    return x ? __builtin_clzll(x) : 64;
#endif
}

GPUNP_HD double bits_to_double(uint64_t bits) {
#if defined(__CUDA_ARCH__)
    return __longlong_as_double((long long)bits);
#else
    double x;
    __builtin_memcpy(&x, &bits, 8);
    return x;
#endif
}
GPUNP_HD uint64_t double_to_bits(double x) {
#if defined(__CUDA_ARCH__)
    return (uint64_t)__double_as_longlong(x);
#else
    uint64_t bits;
    __builtin_memcpy(&bits, &x, 8);
    return bits;
#endif
}

// log((1 + t) * 2^exponent) for 1 + t in [sqrt(1/2), sqrt(2)], by the series of 2 atanh(t / (2 + t)).
GPUNP_HD double log_reduced(double t, int exponent) {
    const double s = t / (2.0 + t), z = s * s;
    const double p = log_rest(z);
    // 2 s = t - s t exactly; the large term comes last.
    return exponent * LN2_HIGH + (t - (s * (t - z * p) - exponent * LN2_LOW));
}

// The natural logarithm of a positive number; -infinity for 0, NaN below.
GPUNP_HD_CALLED double log(double x) {
    if (!(x > 0)) return x == 0 ? -INFINITY : NAN;
    if (x == INFINITY) return x;
    int exponent = 0;
    if (x < 0x1p-1022) {
        x *= 0x1p54;
        exponent = -54;
    }
    uint64_t bits = double_to_bits(x);
    exponent += (int)(bits >> 52) - 1023;
    bits = (bits & 0xfffffffffffffull) | 0x3ff0000000000000ull;
    double m = bits_to_double(bits);
    if (m > 1.4142135623730951) {
        m *= 0.5;
        exponent++;
    }
    return log_reduced(m - 1.0, exponent);
}

// -log of a uniform variate in (0, 1), accurate at both ends; at most about 44.
GPUNP_HD double exponential(uint64_t word) {
    const int zeros = leading_zeros(word | 1);
    const uint64_t m = zeros ? (word << 1 | 1) << (zeros - 1) : word;
    // 0xB504F333F9DE6484 is 2^64 sqrt(1/2). As a signed integer, m already has 2^64 subtracted.
    if (m > 0xB504F333F9DE6484ull) return -log_reduced((double)(int64_t)m * 0x1p-64, -zeros);
    return -log_reduced((double)(m << 1) * 0x1p-64, -zeros - 1);
}

GPUNP_HD_CALLED double exp(double x) {
    if (x != x) return x;
    if (x > 709.782712893384) return INFINITY;
    if (x < -745.1332191019412) return 0;
    const double k = floor(x * 1.4426950408889634 + 0.5);
    const double r = (x - k * LN2_HIGH) - k * LN2_LOW;
    const double p = 1.0 + (r + r * r * exp_rest(r));
    // Scaled in two steps, because the result may be subnormal or near overflow.
    const int n = (int)k, half = n / 2;
    return p * bits_to_double((uint64_t)(1023 + half) << 52) *
           bits_to_double((uint64_t)(1023 + n - half) << 52);
}

GPUNP_HD double log1p(double x) {
    const double u = 1.0 + x;
    return u == 1.0 ? x : (u == INFINITY || !(u > 0)) ? log(u) : log(u) * (x / (u - 1.0));
}
GPUNP_HD double expm1(double x) {
    const double u = exp(x);
    if (u == 1.0) return x;
    const double v = u - 1.0;
    return v == -1.0 || u == INFINITY ? v : v * (x / log(u));
}
// x^y for x >= 0.
GPUNP_HD double pow(double x, double y) {
    return y == 0 ? 1.0 : exp(y * log(x));
}

struct SineCosine {
    double sine, cosine;
};

// Sine and cosine of the word as an angle: its whole range is a full turn.
GPUNP_HD SineCosine sine_cosine(uint64_t word) {
    // The two high bits select an axis, the others the angle from it, within an eighth of a turn.
    const double x = (double)(int64_t)(word << 2 | 2) * (PI / 4 * 0x1p-63), z = x * x;
    const double s = x + x * z * sine_rest(z);
    double c = 1.0 - (0.5 * z - z * z * cosine_rest(z));
    if (word >> 62 & 1) c = -c;
    return word >> 63 ? SineCosine{c, s} : SineCosine{s, c};
}

// The radius of a pair of normal variates (Box-Muller method), at most about 9.4.
GPUNP_HD double normal_radius(uint64_t word) {
    return sqrt(2.0 * exponential(word));
}

GPUNP_HD_CALLED double normal(uint64_t radius, uint64_t angle) {
    return normal_radius(radius) * sine_cosine(angle).cosine;
}

// The angle in [0, pi/2] of a point in the first quadrant.
GPUNP_HD double angle(double y, double x) {
    const bool steep = y > x;
    double t = steep ? x / y : y / x;
    // Halving the angle twice makes the series short.
    t = t / (1.0 + sqrt(1.0 + t * t));
    t = t / (1.0 + sqrt(1.0 + t * t));
    const double z = t * t;
    double p = 0;
    for (int k = 23; k >= 1; k -= 2) p = 1.0 / k - z * p;
    p = 4.0 * t * p;
    return steep ? PI / 2 - p : p;
}

// log(k!) minus Stirling's approximation (k + 1/2) log(k + 1) - (k + 1) + log(2 pi) / 2.
GPUNP_HD_CALLED double stirling_rest(double k) {
    if (k >= 0 && k < 10) return stirling_rest_of_few((int)k);
    const double r = 1.0 / (k + 1), z = r * r;
    return r * (1.0 / 12 - z * (1.0 / 360 - z * (1.0 / 1260 - z * (1.0 / 1680 - z * (1.0 / 1188)))));
}

}  // namespace random
}  // namespace gpunp
