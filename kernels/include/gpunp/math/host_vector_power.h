// Powers of the host for blocks of elements; see host_vector.h.
#pragma once
#include "gpunp/math/host_vector.h"

namespace gpunp {
namespace math {
namespace lanes {

// The leading 21 bits: products of two such numbers are exact.
GPUNP_LANE double leading_bits(double x) {
    return from_bits(bits_of(x) & format<double>::high_part);
}

// x ** y = 2 ** (y * log2(x)), with 20 more bits in the logarithm than a double has. For positive normal x.
GPUNP_LANE double power(double x, double y) {
    using F = format<double>;
    const uint64_t bits = bits_of(x);
    const int64_t exponent = (int64_t)(bits - F::half_root) >> F::mantissa;
    const double m = from_bits(bits - ((uint64_t)exponent << F::mantissa));
    const double k = from_bits(bits_of(F::shift) + (uint64_t)exponent) - F::shift;
    // log(m) = 2 / 3 * s * (3 + s ** 2 + r) of s = f / (2 + f), in pairs of a leading part and a rest.
    const double f = m - 1.0, d = 2.0 + f, inverse = 1.0 / d, s = f * inverse;
    const double s_high = leading_bits(s), d_high = leading_bits(d), d_low = f - (d_high - 2.0);
    const double s_low = inverse * ((f - s_high * d_high) - s_high * d_low);
    const double z = s * s, r = z * z * horner_in_halves(z, power_f8) + s_low * (s_high + s);
    const double square = s_high * s_high, t_high = leading_bits(3.0 + square + r);
    const double t_low = r - ((t_high - 3.0) - square);
    const double u = s_high * t_high, v = s_low * t_high + t_low * s;
    const double log_high = leading_bits(u + v), log_low = v - (log_high - u);
    const double base_high = POWER_BASE_HIGH * log_high;
    const double base_low = POWER_BASE_LOW * log_high + log_low * POWER_BASE;
    const double log2_high = leading_bits((base_high + base_low) + k);
    const double log2_low = base_low - ((log2_high - k) - base_high);
    const double y_high = leading_bits(y);
    double low = (y - y_high) * log2_high + y * log2_low, high = y_high * log2_high;
    const double both = low + high, limited = clamped(both, -1080.0, 1026.0);
    low = both == limited ? low : 0.0;
    high = both == limited ? high : limited;
    const double shifted = (low + high) + F::shift, whole = shifted - F::shift;
    const double rest = high - whole, w_high = leading_bits(low + rest);
    const double e = w_high * LN2_LEADING;
    const double e_low = (low - (w_high - rest)) * LN2 + w_high * LN2_REST;
    const double q = e + e_low, q_low = e_low - (q - e);
    const double result = 1.0 + (q + (q * q * horner_in_halves(q, exp_f8) + (q_low + q_low * q)));
    const int64_t n = shifted_integer(shifted), half = n >> 1;
    return result * power_of_two<double>(half) * power_of_two<double>(n - half);
}
template <class T>
GPUNP_LANE bool beyond_powers(T x, T y) {
    const T least = power_of_two<T>(1 - format<T>::bias), infinity = power_of_two<T>(format<T>::bias + 1);
    return !((x >= least) & (x < infinity) & (fabs(y) < (T)1e9));
}

inline double one_power(double x, double y) {
    return beyond_powers(x, y) ? ::pow(x, y) : power(x, y);
}

}  // namespace lanes

template <class T>
void power_block(const T* x, const T* y, T* out, int64_t count) {
    constexpr int64_t PIECE = 512;
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
#pragma GCC ivdep
        for (int64_t i = 0; i < n; i++) to[i] = lanes::power(from[i], by[i]);
        if (rare)
            for (int64_t i = 0; i < n; i++)
                if (lanes::beyond_powers(from[i], by[i])) to[i] = ::pow(from[i], by[i]);
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
