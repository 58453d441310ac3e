// Powers of the host for blocks of elements; see host_vector.h.
#pragma once
#include "gpunp/math/host_vector.h"

namespace gpunp {
namespace math {
namespace lanes {

// x ** y = 2 ** (y * log2(x)), with 20 more bits in the logarithm than a double has. For positive normal x.
// In stages: a processor overlaps the elements of a short loop, but hardly those of one long chain.

// x = 2 ** k * (1 + f), and s = f / (2 + f) as a number and its rest.
struct PowerFraction {
    double s, s_low, k;
};
GPUNP_LANE PowerFraction power_fraction(double x) {
    const Split<double> parts(x);
    const double f = parts.m - 1.0, d = 2.0 + f, inverse = 1.0 / d, s = f * inverse;
    const double s_high = leading_bits(s), d_high = leading_bits(d), d_low = f - (d_high - 2.0);
    return {s, inverse * ((f - s_high * d_high) - s_high * d_low), parts.k};
}
GPUNP_LANE double power_series(double s) {
    const double z = s * s;
    return z * z * horner_in_halves(z, power_f8);
}
// log2(x) in two parts. log(m) = 2 / 3 * s * (3 + s ** 2 + r), in pairs of a leading part and a rest.
struct PowerLogarithm {
    double high, low;
};
GPUNP_LANE PowerLogarithm power_logarithm(const PowerFraction& x, double series) {
    const double s_high = leading_bits(x.s), r = series + x.s_low * (s_high + x.s);
    const double square = s_high * s_high, t_high = leading_bits(3.0 + square + r);
    const double t_low = r - ((t_high - 3.0) - square);
    const double u = s_high * t_high, v = x.s_low * t_high + t_low * x.s;
    const double log_high = leading_bits(u + v), log_low = v - (log_high - u);
    const double base_high = POWER_BASE_HIGH * log_high;
    const double base_low = POWER_BASE_LOW * log_high + log_low * POWER_BASE;
    const double high = leading_bits((base_high + base_low) + x.k);
    return {high, base_low - ((high - x.k) - base_high)};
}
// The product with y: exp(q + q_low) times a power of two, the integer part of `shifted`.
struct PowerExponent {
    double q, q_low, shifted;
};
GPUNP_LANE PowerExponent power_exponent(const PowerLogarithm& log2, double y) {
    const double y_high = leading_bits(y);
    double low = (y - y_high) * log2.high + y * log2.low, high = y_high * log2.high;
    const double both = low + high, limited = clamped(both, -1080.0, 1026.0);
    low = both == limited ? low : 0.0;
    high = both == limited ? high : limited;
    const double shifted = (low + high) + format<double>::shift, whole = shifted - format<double>::shift;
    const double rest = high - whole, w_high = leading_bits(low + rest);
    const double e = w_high * LN2_LEADING;
    const double e_low = (low - (w_high - rest)) * LN2 + w_high * LN2_REST, q = e + e_low;
    return {q, e_low - (q - e), shifted};
}
GPUNP_LANE double power_result(const PowerExponent& e) {
    const double q = e.q;
    const double result = 1.0 + (q + (q * q * horner_in_halves(q, exp_f8) + (e.q_low + e.q_low * q)));
    const int64_t n = shifted_integer(e.shifted), half = n >> 1;
    return result * power_of_two<double>(half) * power_of_two<double>(n - half);
}
GPUNP_LANE double power(double x, double y) {
    const PowerFraction fraction = power_fraction(x);
    return power_result(power_exponent(power_logarithm(fraction, power_series(fraction.s)), y));
}
GPUNP_LANE bool beyond_powers(double x, double y) {
    const double least = power_of_two<double>(1 - format<double>::bias),
                 infinity = power_of_two<double>(format<double>::bias + 1);
    return !((x >= least) & (x < infinity) & (fabs(y) < 1e9));
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

inline double library_power(double x, double y) {
    return ::pow(x, y);
}
inline float library_power(float x, float y) {
    return ::powf(x, y);
}
template <class T>
inline T one_power(T x, T y) {
    return beyond_powers(x, y) ? library_power(x, y) : power(x, y);
}

constexpr int64_t POWER_PIECE = 256;

// Up to POWER_PIECE powers, stage by stage.
inline void power_piece(const double* x, const double* y, double* out, int64_t n) {
    double s[POWER_PIECE], rest[POWER_PIECE], k[POWER_PIECE], series[POWER_PIECE];
#pragma GCC ivdep
    for (int64_t i = 0; i < n; i++) {
        const PowerFraction a = power_fraction(x[i]);
        s[i] = a.s, rest[i] = a.s_low, k[i] = a.k;
    }
#pragma GCC ivdep
    for (int64_t i = 0; i < n; i++) series[i] = power_series(s[i]);
#pragma GCC ivdep
    for (int64_t i = 0; i < n; i++) {
        const PowerLogarithm a = power_logarithm({s[i], rest[i], k[i]}, series[i]);
        s[i] = a.high, rest[i] = a.low;
    }
#pragma GCC ivdep
    for (int64_t i = 0; i < n; i++) {
        const PowerExponent a = power_exponent({s[i], rest[i]}, y[i]);
        s[i] = a.q, rest[i] = a.q_low, k[i] = a.shifted;
    }
#pragma GCC ivdep
    for (int64_t i = 0; i < n; i++) out[i] = power_result({s[i], rest[i], k[i]});
}
// Conversions in loops of their own are not unrolled with the rest.
inline void power_piece(const float* x, const float* y, float* out, int64_t n) {
    double a[POWER_PIECE], b[POWER_PIECE];
    for (int64_t i = 0; i < n; i++) a[i] = (double)x[i];
    for (int64_t i = 0; i < n; i++) b[i] = (double)y[i];
#pragma GCC ivdep
    for (int64_t i = 0; i < n; i++) a[i] = single_logarithm(a[i]);
#pragma GCC ivdep
    for (int64_t i = 0; i < n; i++) a[i] = single_result(a[i], b[i]);
    for (int64_t i = 0; i < n; i++) out[i] = (float)a[i];
}

}  // namespace lanes

template <class T>
void power_block(const T* x, const T* y, T* out, int64_t count) {
    constexpr int64_t PIECE = lanes::POWER_PIECE;
    T bases[PIECE], exponents[PIECE];
    for (int64_t start = 0; start < count; start += PIECE) {
        const int64_t n = count - start < PIECE ? count - start : PIECE;
        const T *from = x + start, *by = y + start;
        T* to = out + start;
        int rare = 0;
        for (int64_t i = 0; i < n; i++) rare |= lanes::beyond_powers(from[i], by[i]);
        if (rare) {
            for (int64_t i = 0; i < n; i++) bases[i] = from[i];
            for (int64_t i = 0; i < n; i++) exponents[i] = by[i];
            from = bases;
            by = exponents;
        }
        lanes::power_piece(from, by, to, n);
        if (rare)
            for (int64_t i = 0; i < n; i++)
                if (lanes::beyond_powers(from[i], by[i])) to[i] = lanes::library_power(from[i], by[i]);
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
