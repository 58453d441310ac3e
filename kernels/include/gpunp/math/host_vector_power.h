// Powers of the host for blocks of elements; see host_vector.h.
#pragma once
#include "gpunp/math/host_vector.h"

namespace gpunp {
namespace math {
namespace lanes {

// x ** y = 2 ** (y * log2(x)), with 20 more bits in the logarithm than a double has. For positive normal x.
// In stages: a processor overlaps the elements of a short loop, but hardly those of one long chain.

// Fused operations only give what the rounding of a product has lost. That is exact, so that processors
// without them compute the same bits, from halves.
#if defined(__FMA__) || defined(__AVX512F__) || defined(__FP_FAST_FMA) || defined(__ARM_FEATURE_FMA)
#define GPUNP_FUSED true
#define GPUNP_IN_FUSED true
#define GPUNP_FUSED_LOOP
#elif defined(__AVX2__)
// Processors with AVX2 have them too; the compiler may use them in these loops.
#define GPUNP_FUSED false
#define GPUNP_IN_FUSED true
#define GPUNP_FUSED_LOOP __attribute__((target("fma")))
#else
#define GPUNP_FUSED false
#define GPUNP_IN_FUSED false
#define GPUNP_FUSED_LOOP
#endif

// A number as the sum of two with 26 bits each.
struct Halves {
    double high, low;
    GPUNP_LANE explicit Halves(double x) {
        const double t = x * 134217729.0;
        high = t - (t - x);
        low = x - high;
    }
};
// a * b - product, for the rounded product.
template <bool FUSED>
GPUNP_LANE double product_rest(double a, double b, double product) {
    if constexpr (FUSED) return __builtin_fma(a, b, -product);
    const Halves x(a), y(b);
    return ((x.high * y.high - product) + x.high * y.low + x.low * y.high) + x.low * y.low;
}

// x = 2 ** k * (1 + f), and f / (2 + f) as s and half of `rest`. Of log(1 + f) = 2 / 3 * s * (3 + z +
// series), z is the square of s.
struct PowerFraction {
    double s, rest, k, z, series;
};
template <bool FUSED>
GPUNP_LANE PowerFraction power_fraction(double x) {
    const Split<double> parts(x);
    const double f = parts.m - 1.0, d = 2.0 + f, d_low = f - (d - 2.0), s = f / d, product = s * d;
    const double left = (f - product) - product_rest<FUSED>(s, d, product);
    const double z = s * s;
    return {s, (left - s * d_low) * (1.0 - s), parts.k, z,
            z * z * horner_in_halves(z, power_f8) + product_rest<FUSED>(s, s, z)};
}
// log2(x) in two parts.
struct PowerLogarithm {
    double high, low;
};
template <bool FUSED>
GPUNP_LANE PowerLogarithm power_logarithm(const PowerFraction& x) {
    const double t = 3.0 + (x.z + x.series), t_low = x.series - ((t - 3.0) - x.z);
    const double u = x.s * t;
    const double u_low = product_rest<FUSED>(x.s, t, u) + (x.s * t_low + x.rest * (1.5 + 1.5 * x.z));
    const double v = u * POWER_BASE;
    const double v_low = product_rest<FUSED>(u, POWER_BASE, v) + (u_low * POWER_BASE + u * POWER_BASE_REST);
    const double high = x.k + v;
    return {high, (v - (high - x.k)) + v_low};
}
// The product with y, also in two parts.
template <bool FUSED>
GPUNP_LANE PowerLogarithm power_product(const PowerLogarithm& log2, double y) {
    const double high = y * log2.high;
    const double rest = product_rest<FUSED>(y, log2.high, high);
    // Halves of huge exponents are infinite; unless x is 1, the power is, too.
    return {high, (FUSED || high != 0.0 ? rest : 0.0) + y * log2.low};
}
// 2 to that power: exp(q + q_low) times a power of two, the integer part of `shifted`.
template <bool FUSED>
GPUNP_LANE double power_result(const PowerLogarithm& product) {
    const double shifted = product.high + format<double>::shift;
    const double part = product.high - (shifted - format<double>::shift), f = part + product.low;
    const double q = f * LN2, q_low = product_rest<FUSED>(f, LN2, q) + (product.low - (f - part)) * LN2;
    const double result = 1.0 + (q + (q * q * horner_in_halves(q, exp_f8) + q_low));
    return from_bits(bits_of(result) + (bits_of(shifted) << format<double>::mantissa));
}

// Magnitudes as integers, whose order is that of the numbers; NaN is beyond all.
GPUNP_LANE int64_t magnitude_bits(double x) {
    return (int64_t)(bits_of(x) << 1 >> 1);
}
constexpr int64_t LEAST_POWER_BASE = 0x0010000000000000, POWER_BASES_END = 0x7ff0000000000000;
// 1021: greater powers may be infinite or subnormal.
constexpr int64_t POWER_PRODUCTS_END = 0x408fe80000000000;
GPUNP_LANE bool beyond_powers(double x, double product) {
    const int64_t bits = (int64_t)bits_of(x);
    return (bits < LEAST_POWER_BASE) | (bits >= POWER_BASES_END) |
           (magnitude_bits(product) >= POWER_PRODUCTS_END);
}

// Powers of float32 in float64, in which neither the logarithm nor the product needs a rest.
GPUNP_LANE double single_logarithm(double x) {
    const Split<double> parts(x);
    const double s = (parts.m - 1.0) / (parts.m + 1.0);
    return parts.k + s * horner_in_halves(s * s, log2_single);
}
GPUNP_LANE double single_result(double log2, double y) {
    const double limited = clamped(log2 * y, -160.0, 130.0);
    const double shifted = limited + format<double>::shift, f = limited - (shifted - format<double>::shift);
    return (1.0 + f * horner_in_halves(f, exp2_single)) * power_of_two<double>(shifted_integer(shifted));
}
GPUNP_LANE float power(float x, float y) {
    return (float)single_result(single_logarithm((double)x), (double)y);
}
GPUNP_LANE bool beyond_powers(float x, float y) {
    const float infinity = power_of_two<float>(format<float>::bias + 1);
    return !((x > 0.0f) & (x < infinity) & (fabs(y) < infinity));
}

inline double one_power(double x, double y) {
    constexpr bool FUSED = GPUNP_FUSED;
    const PowerLogarithm product = power_product<FUSED>(power_logarithm<FUSED>(power_fraction<FUSED>(x)), y);
    return beyond_powers(x, product.high) ? ::pow(x, y) : power_result<FUSED>(product);
}
inline float one_power(float x, float y) {
    return beyond_powers(x, y) ? ::powf(x, y) : power(x, y);
}

constexpr int64_t POWER_PIECE = 256;

// Up to POWER_PIECE powers, stage by stage. `out` may be an argument, so that rare ones are computed before.
GPUNP_FUSED_LOOP inline void power_piece(const double* x, const double* y, double* out, int64_t n) {
    constexpr bool FUSED = GPUNP_IN_FUSED;
    double s[POWER_PIECE], rest[POWER_PIECE], k[POWER_PIECE], z[POWER_PIECE], series[POWER_PIECE];
    int64_t least = INT64_MAX, greatest = 0, farthest = 0;
#pragma GCC ivdep
    for (int64_t i = 0; i < n; i++) {
        const PowerFraction a = power_fraction<FUSED>(x[i]);
        s[i] = a.s, rest[i] = a.rest, k[i] = a.k, z[i] = a.z, series[i] = a.series;
        const int64_t bits = (int64_t)bits_of(x[i]);
        least = bits < least ? bits : least;
        greatest = bits > greatest ? bits : greatest;
    }
#pragma GCC ivdep
    for (int64_t i = 0; i < n; i++) {
        const PowerLogarithm a = power_logarithm<FUSED>({s[i], rest[i], k[i], z[i], series[i]});
        const PowerLogarithm product = power_product<FUSED>(a, y[i]);
        s[i] = product.high, rest[i] = product.low;
        const int64_t bits = magnitude_bits(product.high);
        farthest = bits > farthest ? bits : farthest;
    }
    const bool rare =
        (least < LEAST_POWER_BASE) | (greatest >= POWER_BASES_END) | (farthest >= POWER_PRODUCTS_END);
    if (rare)
        for (int64_t i = 0; i < n; i++) {
            k[i] = beyond_powers(x[i], s[i]);
            if (k[i] != 0.0) z[i] = ::pow(x[i], y[i]);
        }
#pragma GCC ivdep
    for (int64_t i = 0; i < n; i++) out[i] = power_result<FUSED>({s[i], rest[i]});
    if (rare)
        for (int64_t i = 0; i < n; i++)
            if (k[i] != 0.0) out[i] = z[i];
}
// Conversions in loops of their own are not unrolled with the rest.
inline void power_piece(const float* x, const float* y, float* out, int64_t n) {
    double a[POWER_PIECE], b[POWER_PIECE];
    float library[POWER_PIECE];
    bool beyond[POWER_PIECE];
    int rare = 0;
    for (int64_t i = 0; i < n; i++) rare |= beyond_powers(x[i], y[i]);
    if (rare)
        for (int64_t i = 0; i < n; i++) {
            beyond[i] = beyond_powers(x[i], y[i]);
            if (beyond[i]) library[i] = ::powf(x[i], y[i]);
        }
    for (int64_t i = 0; i < n; i++) a[i] = (double)x[i];
    for (int64_t i = 0; i < n; i++) b[i] = (double)y[i];
#pragma GCC ivdep
    for (int64_t i = 0; i < n; i++) a[i] = single_logarithm(a[i]);
#pragma GCC ivdep
    for (int64_t i = 0; i < n; i++) a[i] = single_result(a[i], b[i]);
    for (int64_t i = 0; i < n; i++) out[i] = (float)a[i];
    if (rare)
        for (int64_t i = 0; i < n; i++)
            if (beyond[i]) out[i] = library[i];
}

}  // namespace lanes

// The arguments of a piece are fetched while the one before is computed: its stages read memory in bursts, in
// which a processor cannot hide the latency. 2^23 powers of float64 took 5.6 ns each without, 3.6 with it.
template <class T>
void power_block(const T* x, const T* y, T* out, int64_t count) {
    constexpr int64_t PIECE = lanes::POWER_PIECE, LINE = 64 / sizeof(T);
    for (int64_t start = 0; start < count; start += PIECE) {
        const int64_t rest = count - start;
        for (int64_t i = PIECE; i < (rest < 2 * PIECE ? rest : 2 * PIECE); i += LINE) {
            __builtin_prefetch(x + start + i);
            __builtin_prefetch(y + start + i);
        }
        lanes::power_piece(x + start, y + start, out + start, rest < PIECE ? rest : PIECE);
    }
}

// With the roots and products of NumPy's loops for a scalar exponent; one that is not the same for all
// elements goes through the elementwise function.
template <class T>
void power_by_scalar_block(const T* x, const T* y, T* out, int64_t count) {
    const T exponent = y[0];
    int special = 0, different = 0;
    for (int64_t i = 0; i < count; i++) {
        special |= (y[i] == (T)0.5) | (y[i] == (T)2) | (y[i] == (T)-1);
        different |= y[i] != exponent;
    }
    if (!special) return power_block(x, y, out, count);
    if (different) {
        for (int64_t i = 0; i < count; i++) power_by_scalar_block(x + i, y + i, out + i, 1);
    } else if (exponent == (T)2) {
#pragma GCC ivdep
        for (int64_t i = 0; i < count; i++) out[i] = x[i] * x[i];
    } else if (exponent == (T)0.5) {
#pragma GCC ivdep
        for (int64_t i = 0; i < count; i++) out[i] = sqrt(x[i]);
    } else {
#pragma GCC ivdep
        for (int64_t i = 0; i < count; i++) out[i] = (T)1 / x[i];
    }
}

}  // namespace math
}  // namespace gpunp
#undef GPUNP_FUSED
#undef GPUNP_IN_FUSED
#undef GPUNP_FUSED_LOOP
