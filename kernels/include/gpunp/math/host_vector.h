// Elementary functions of the host for blocks of elements, written without branches so that compilers
// vectorize them. They round every product that is not exact, so that every level of vector instructions
// gives the same bits. Errors are below 1.1 ulp, 2.2 ulp for tanh; elements outside the stated ranges go to
// the C library.
#pragma once
#include "gpunp/math/floating.h"
#include "gpunp/math/host_vector_coefficients.h"

namespace gpunp {
namespace math {
namespace lanes {

// What depends on the precision. `shift` moves the integer part of a small number into its lowest bits.
template <class T>
struct format;
template <>
struct format<float> {
    using bits = uint32_t;
    using integer = int32_t;
    static constexpr int mantissa = 23, bias = 127;
    static constexpr uint32_t one = 0x3f800000u;
    static constexpr float shift = 12582912.0f, subnormals = 33554432.0f;
    static constexpr int subnormal_exponent = 25;
    static constexpr uint32_t half_root = 0x3f3504f3u, high_part = 0xfffff000u;
};
template <>
struct format<double> {
    using bits = uint64_t;
    using integer = int64_t;
    static constexpr int mantissa = 52, bias = 1023;
    static constexpr uint64_t one = 0x3ff0000000000000ull;
    static constexpr double shift = 6755399441055744.0, subnormals = 18014398509481984.0;
    static constexpr int subnormal_exponent = 54;
    static constexpr uint64_t half_root = 0x3fe6a09e667f3bcdull, high_part = 0xffffffff00000000ull;
};

template <class T>
GPUNP_LANE T clamped(T x, T least, T greatest) {
    x = x < least ? least : x;
    return x > greatest ? greatest : x;
}

// 2 ** k for a normal result.
template <class T>
GPUNP_LANE T power_of_two(typename format<T>::integer k) {
    return from_bits((typename format<T>::bits)(k + format<T>::bias) << format<T>::mantissa);
}

// The integer that was rounded by adding `shift`.
template <class T>
GPUNP_LANE typename format<T>::integer shifted_integer(T shifted) {
    return (typename format<T>::integer)(bits_of(shifted) - bits_of(format<T>::shift));
}

// The leading bits, at most half of them: products of two such numbers are exact.
template <class T>
GPUNP_LANE T leading_bits(T x) {
    return from_bits((typename format<T>::bits)(bits_of(x) & format<T>::high_part));
}

// x = 2 ** k * m, with m between the roots of 1/2 and 2. For positive normal x.
template <class T>
struct Split {
    T m, k;

    GPUNP_LANE explicit Split(T x) {
        using F = format<T>;
        const auto exponent = (typename F::integer)(bits_of(x) - F::half_root) >> F::mantissa;
        m = from_bits((typename F::bits)(bits_of(x) - ((typename F::bits)exponent << F::mantissa)));
        k = from_bits((typename F::bits)(bits_of(F::shift) + (typename F::bits)exponent)) - F::shift;
    }
};

// exp(x - less) = 2 ** k * (1 + r + rest) with a small r and a smaller rest. k * ln2_high is exact.
template <class T>
struct Exponential {
    typename format<T>::integer k;
    T r, rest;

    GPUNP_LANE Exponential(T x, T per_log, T high, T low, T less = 0) {
        const T shifted = x * per_log + format<T>::shift;
        const T whole = shifted - format<T>::shift;
        k = shifted_integer(shifted);
        const T a = (x - whole * high) - less, b = whole * low;
        r = a - b;
        rest = r * r * polynomial(r) + ((a - r) - b);
    }
    GPUNP_LANE T q() const { return r + rest; }
    static GPUNP_LANE float polynomial(float r) { return horner(r, exp_f4); }
    static GPUNP_LANE double polynomial(double r) { return horner(r, exp_f8); }
    // In two steps, of which only the second one rounds.
    GPUNP_LANE T value() const {
        const auto half = k >> 1;
        return (T(1) + q()) * power_of_two<T>(half) * power_of_two<T>(k - half);
    }
};

// exp(x) = 2 ** (steps / COUNT) * exp(r), with the nearest whole number of steps: adding `shift` rounds to
// its multiples, and leaves it in the last bits.
template <class T>
struct Steps;
template <>
struct Steps<float> {
    static constexpr int BITS = 3, COUNT = 8;
    static constexpr float shift = 1572864.0f, least = -105, greatest = 89, ln2 = LN2_LEADING_F4,
                           ln2_rest = LN2_REST_F4;
    static constexpr auto& near = exp_near_f4;
    static GPUNP_LANE float power(int32_t j) { return exp_step_f4[j]; }
    static GPUNP_LANE float power_rest(int32_t j) { return exp_step_rest_f4[j]; }
};
template <>
struct Steps<double> {
    static constexpr int BITS = 4, COUNT = 16;
    static constexpr double shift = 422212465065984.0, least = -746, greatest = 710, ln2 = LN2_LEADING,
                            ln2_rest = LN2_REST;
    static constexpr auto& near = exp_near_f8;
    static GPUNP_LANE double power(int64_t j) { return exp_step_f8[j][0]; }
    static GPUNP_LANE double power_rest(int64_t j) { return exp_step_f8[j][1]; }
};

// From `least` to `greatest`, beyond which the result is zero or infinite.
template <class T>
GPUNP_LANE T exp_limited(T x) {
    using F = format<T>;
    using B = typename F::bits;
    using S = Steps<T>;
    const T shifted = x * (T)LOG2_E + S::shift, whole = shifted - S::shift;
    const T r = (x - whole * S::ln2) - whole * S::ln2_rest, q = r + r * r * horner(r, S::near);
    const B steps = bits_of(shifted), k = steps >> S::BITS, half = k >> 1;
    const auto j = (typename F::integer)(steps & (S::COUNT - 1));
    const T y = S::power(j) + (S::power_rest(j) + S::power(j) * q);
    // In two factors, of which only the second one rounds.
    return y * from_bits((B)((half << F::mantissa) + F::one)) *
           from_bits((B)(((k - half) << F::mantissa) + F::one));
}
template <class T>
GPUNP_LANE T exp(T x) {
    return exp_limited(clamped(x, Steps<T>::least, Steps<T>::greatest));
}

template <class T>
GPUNP_LANE T expm1_limited(T x) {
    constexpr bool single = sizeof(T) == 4;
    const Exponential<T> e(x, (T)LOG2_E, single ? (T)LN2_HIGH_F4 : (T)LN2_HIGH_F8,
                           single ? (T)LN2_LOW_F4 : (T)LN2_LOW_F8);
    const T scale = power_of_two<T>(e.k);
    return scale * e.q() + (scale - (T)1);
}

// From expm1(2 |x|), whose greatest argument here is beyond what differs from 1.
template <class T>
GPUNP_LANE T tanh(T x) {
    const T magnitude = fabs(x), limit = sizeof(T) == 4 ? (T)20 : (T)44;
    const T doubled = clamped((T)2 * magnitude, (T)0, limit);
    const T t = expm1_limited(doubled);
    const T y = t / (t + (T)2);
    return copysign(magnitude < (T)1e-9 ? magnitude : y, x);
}

// log(x) = k * ln(2) + log(1 + f), where log(1 + f) = f - (half - rest).
template <class T>
struct Logarithm {
    T k, f, half, rest;

    GPUNP_LANE explicit Logarithm(T x) {
        using F = format<T>;
        const bool small = x < power_of_two<T>(1 - F::bias);
        const Split<T> parts(small ? x * F::subnormals : x);
        k = small ? parts.k - (T)F::subnormal_exponent : parts.k;
        f = parts.m - (T)1;
        finish();
    }
    // Of the parts.
    GPUNP_LANE Logarithm(T exponent, T fraction) : k(exponent), f(fraction) { finish(); }
    GPUNP_LANE void finish() {
        const T s = f / ((T)2 + f), z = s * s;
        half = (T)0.5 * f * f;
        rest = s * (half + z * polynomial(z));
    }
    static GPUNP_LANE float polynomial(float z) { return horner(z, log_f4); }
    static GPUNP_LANE double polynomial(double z) { return horner(z, log_f8); }
    // In another base: k * (unit_high + unit_low) + log(1 + f) * (base_high + base_low).
    GPUNP_LANE T scaled(T unit_high, T unit_low, T base_high, T base_low) const {
        const T high = leading_bits(f - half);
        const T low = ((f - high) - half) + rest;
        const T whole = k * unit_high, main = high * base_high, sum = whole + main;
        const T small = k * unit_low + (low + high) * base_low + low * base_high;
        return (small + ((whole - sum) + main)) + sum;
    }
};

// Logarithms of zero, negative numbers, infinity and NaN.
template <class T>
GPUNP_LANE T with_log_limits(T x, T y) {
    const T infinity = from_bits((typename format<T>::bits)(2 * format<T>::bias + 1) << format<T>::mantissa);
    y = x == (T)0 ? -infinity : y;
    y = x < (T)0 ? from_bits((typename format<T>::bits)(bits_of(infinity) | bits_of(infinity) >> 1)) : y;
    return x < infinity ? y : x;
}

GPUNP_LANE float log(float x) {
    const Logarithm<float> a(x);
    const float low = a.rest + a.k * (float)LN2_LOW_F4;
    return with_log_limits(x, a.k * (float)LN2_HIGH_F4 - ((a.half - low) - a.f));
}
// x = 2 ** k * m: log(x) = k * ln(2) - log(c) + log(1 + r), where r = m * c - 1 and a table has a c of 7 bits
// near 1 / m. Adding LOG_ROUNDING to the bits of m rounds it to a step of the table: c = 1 from 1 - 7 / 512
// to 1 + 9 / 256. Next to that, r is short, or small beside the result, so that its error is, too. The other
// constants take apart the packed second column of the table.
constexpr uint64_t LOG_ROUNDING = 7ull << 44, LOG_REST_BITS = ~0ull << 18;
constexpr int LOG_FACTOR_SHIFT = 46;
GPUNP_LANE double log(double x) {
    using F = format<double>;
    const bool small = x < 0x1p-1022;
    const uint64_t bits = bits_of(small ? x * F::subnormals : x), rounded = bits + LOG_ROUNDING;
    const double biased = from_bits((uint64_t)((rounded >> F::mantissa) + bits_of(F::shift)));
    const double k = biased - (F::shift + (small ? F::bias + F::subnormal_exponent : F::bias));
    const double m = from_bits((uint64_t)(bits - (rounded & 0xfff0000000000000ull) + F::one));
    const auto j = (int64_t)(rounded >> 48 & 15);
    const uint64_t packed = bits_of(log_step_f8[j][1]);
    const double c = from_bits((uint64_t)(packed << LOG_FACTOR_SHIFT));
    const double step_rest = from_bits((uint64_t)(packed & LOG_REST_BITS));
    // Rounded once, as both products are exact.
    const double high = from_bits((uint64_t)(bits_of(m) & ~0ull << 26));
    const double r = (high * c - 1.0) + (m - high) * c;
    const double rest = (k * LN2_LOW_F8 + step_rest) + r * r * horner(r, log_near_f8);
    const double main = k * LN2_HIGH_F8 + log_step_f8[j][0], sum = main + r;
    return with_log_limits(x, sum + (((main - sum) + r) + rest));
}

template <class T>
GPUNP_LANE T log2(T x) {
    constexpr bool single = sizeof(T) == 4;
    return with_log_limits(x,
                           Logarithm<T>(x).scaled((T)1, (T)0, single ? (T)LOG2_E_HIGH_F4 : (T)LOG2_E_HIGH_F8,
                                                  single ? (T)LOG2_E_LOW_F4 : (T)LOG2_E_LOW_F8));
}

template <class T>
GPUNP_LANE T log10(T x) {
    constexpr bool single = sizeof(T) == 4;
    return with_log_limits(x, Logarithm<T>(x).scaled(single ? (T)LOG10_2_HIGH_F4 : (T)LOG10_2_HIGH_F8,
                                                     single ? (T)LOG10_2_LOW_F4 : (T)LOG10_2_LOW_F8,
                                                     single ? (T)LOG10_E_HIGH_F4 : (T)LOG10_E_HIGH_F8,
                                                     single ? (T)LOG10_E_LOW_F4 : (T)LOG10_E_LOW_F8));
}

template <class T>
GPUNP_LANE bool never(T) {
    return false;
}

// Single elements, with the same results as in blocks.
template <class T>
inline T one_exp(T x) {
    return exp(x);
}
template <class T>
inline T one_log(T x) {
    return log(x);
}
template <class T>
inline T one_log2(T x) {
    return log2(x);
}
template <class T>
inline T one_log10(T x) {
    return log10(x);
}
template <class T>
inline T one_tanh(T x) {
    return tanh(x);
}
}  // namespace lanes

// A block of a function of one argument: VECTOR for all elements, LIBRARY again for those that are RARE.
// `out` may be `x`, so that rare ones are read from a copy.
#define GPUNP_VECTOR_BLOCK(name, VECTOR, RARE, LIBRARY)                          \
    template <class T>                                                           \
    void name##_block(const T* x, T* out, int64_t count) {                       \
        constexpr int64_t PIECE = 512;                                           \
        T copy[PIECE];                                                           \
        for (int64_t start = 0; start < count; start += PIECE) {                 \
            const int64_t n = count - start < PIECE ? count - start : PIECE;     \
            const T* from = x + start;                                           \
            T* to = out + start;                                                 \
            int rare = 0;                                                        \
            for (int64_t i = 0; i < n; i++) rare |= RARE(from[i]);               \
            if (rare) {                                                          \
                for (int64_t i = 0; i < n; i++) copy[i] = from[i];               \
                from = copy;                                                     \
            }                                                                    \
            _Pragma("GCC ivdep") for (int64_t i = 0; i < n; i++) to[i] = VECTOR; \
            if (rare)                                                            \
                for (int64_t i = 0; i < n; i++)                                  \
                    if (RARE(from[i])) to[i] = LIBRARY(from[i]);                 \
        }                                                                        \
    }
GPUNP_VECTOR_BLOCK(log, lanes::log(from[i]), lanes::never, ::log)
GPUNP_VECTOR_BLOCK(log2, lanes::log2(from[i]), lanes::never, ::log2)
GPUNP_VECTOR_BLOCK(log10, lanes::log10(from[i]), lanes::never, ::log10)
GPUNP_VECTOR_BLOCK(tanh, lanes::tanh(from[i]), lanes::never, ::tanh)

// Clamped in a loop of its own: in one loop, GCC makes branches of the table's values at the limits, which it
// cannot vectorize.
template <class T>
void exp_block(const T* x, T* out, int64_t count) {
    using S = lanes::Steps<T>;
    constexpr int64_t PIECE = 512;
    T limited[PIECE];
    for (int64_t start = 0; start < count; start += PIECE) {
        const int64_t n = count - start < PIECE ? count - start : PIECE;
        for (int64_t i = 0; i < n; i++) limited[i] = lanes::clamped(x[start + i], S::least, S::greatest);
        for (int64_t i = 0; i < n; i++) out[start + i] = lanes::exp_limited(limited[i]);
    }
}

}  // namespace math
}  // namespace gpunp
#if __AVX2__
#include "gpunp/math/host_vector_tables.h"
#endif
