// exp and log of host_vector.h for blocks on x86-64 with AVX2 or AVX-512, where compilers would look up the
// tables element by element. With AVX-512 a table is in registers. Operations are fused where the product is
// exact, so that the bits are those of the other levels.
#pragma once
#include <immintrin.h>

#include "gpunp/math/host_vector.h"

namespace gpunp {
namespace math {
namespace wide {

#if __AVX512F__ && __AVX512DQ__
#define GPUNP_512 1
#else
#define GPUNP_512 0
#endif
#if GPUNP_512
constexpr int BYTES = 64;
#else
constexpr int BYTES = 32;
#endif
template <class T>
using vector __attribute__((vector_size(BYTES))) = T;
using doubles = vector<double>;
using floats = vector<float>;
using words = vector<uint64_t>;
using half_words = vector<uint32_t>;
constexpr int LANES_F4 = BYTES / 4, LANES_F8 = BYTES / 8;

struct Pair {
    doubles first, second;
};

struct LogStep {
    doubles logarithm, rest, factor;
};
GPUNP_LANE doubles log_rest(doubles packed) {
    return (doubles)((words)packed & lanes::LOG_REST_BITS);
}
GPUNP_LANE doubles log_factor(doubles packed) {
    return (doubles)((words)packed << lanes::LOG_FACTOR_SHIFT);
}

#if GPUNP_512
// The columns of a table, eight rows each.
struct Columns {
    __m512d first[2], second[2];

    GPUNP_LANE explicit Columns(const double (&table)[16][2]) {
        const __m512i even = _mm512_set_epi64(14, 12, 10, 8, 6, 4, 2, 0),
                      odd = _mm512_set_epi64(15, 13, 11, 9, 7, 5, 3, 1);
        for (int half = 0; half < 2; half++) {
            const __m512d a = _mm512_loadu_pd(table[8 * half]), b = _mm512_loadu_pd(table[8 * half + 4]);
            first[half] = _mm512_permutex2var_pd(a, even, b);
            second[half] = _mm512_permutex2var_pd(a, odd, b);
        }
    }
};
GPUNP_LANE doubles looked_up(doubles low, doubles high, words at) {
    return _mm512_permutex2var_pd(low, (__m512i)at, high);
}
GPUNP_LANE Pair looked_up(const double (&table)[16][2], words at) {
    const Columns c(table);
    return {looked_up(c.first[0], c.first[1], at), looked_up(c.second[0], c.second[1], at)};
}
GPUNP_LANE LogStep log_step(words at) {
    const Columns c(lanes::log_step_f8);
    return {looked_up(c.first[0], c.first[1], at),
            looked_up(log_rest(c.second[0]), log_rest(c.second[1]), at),
            looked_up(log_factor(c.second[0]), log_factor(c.second[1]), at)};
}
// k as a number.
GPUNP_LANE doubles exponent(words rounded) {
    return _mm512_cvtepi64_pd(_mm512_srai_epi64((__m512i)rounded, 52));
}
GPUNP_LANE floats looked_up(const float (&table)[8], half_words at) {
    return _mm512_permutexvar_ps((__m512i)at, (__m512)_mm512_broadcast_f32x8(_mm256_loadu_ps(table)));
}
// These instructions return their second operand if one is NaN.
GPUNP_LANE doubles limited(doubles x, doubles least, doubles greatest) {
    return _mm512_min_pd(greatest, _mm512_max_pd(least, x));
}
GPUNP_LANE floats limited(floats x, floats least, floats greatest) {
    return _mm512_min_ps(greatest, _mm512_max_ps(least, x));
}
// y times 2 to the integer part of `whole`.
GPUNP_LANE doubles scaled(doubles y, doubles whole, words) {
    return _mm512_scalef_pd(y, whole);
}
GPUNP_LANE floats scaled(floats y, floats whole, half_words) {
    return _mm512_scalef_ps(y, whole);
}
// a - b * c and a * b - 1, rounded once: the products are exact, or their parts.
GPUNP_LANE doubles less_product(doubles a, doubles b, doubles c) {
    return _mm512_fnmadd_pd(b, c, a);
}
GPUNP_LANE floats less_product(floats a, floats b, floats c) {
    return _mm512_fnmadd_ps(b, c, a);
}
GPUNP_LANE doubles product_less_one(doubles a, doubles b) {
    return _mm512_fmsub_pd(a, b, _mm512_set1_pd(1));
}
GPUNP_LANE bool all_positive_normal(doubles x) {
    return _mm512_fpclass_pd_mask(x, 0xff) == 0;
}
#else
GPUNP_LANE Pair looked_up(const double (&table)[16][2], words at) {
    at &= 15;
    const __m128d a = _mm_loadu_pd(table[at[0]]), b = _mm_loadu_pd(table[at[1]]),
                  c = _mm_loadu_pd(table[at[2]]), d = _mm_loadu_pd(table[at[3]]);
    const __m256d ac = _mm256_insertf128_pd(_mm256_castpd128_pd256(a), c, 1),
                  bd = _mm256_insertf128_pd(_mm256_castpd128_pd256(b), d, 1);
    return {_mm256_unpacklo_pd(ac, bd), _mm256_unpackhi_pd(ac, bd)};
}
GPUNP_LANE LogStep log_step(words at) {
    const Pair pair = looked_up(lanes::log_step_f8, at);
    return {pair.first, log_rest(pair.second), log_factor(pair.second)};
}
GPUNP_LANE doubles exponent(words rounded) {
    using F = lanes::format<double>;
    const words shifted = ((rounded + F::one) >> F::mantissa) + 0x4338000000000000ull;
    return (doubles)shifted - (F::shift + F::bias);
}
GPUNP_LANE floats looked_up(const float (&table)[8], half_words at) {
    return _mm256_permutevar8x32_ps(_mm256_loadu_ps(table), (__m256i)at);
}
GPUNP_LANE doubles limited(doubles x, doubles least, doubles greatest) {
    return _mm256_min_pd(greatest, _mm256_max_pd(least, x));
}
GPUNP_LANE floats limited(floats x, floats least, floats greatest) {
    return _mm256_min_ps(greatest, _mm256_max_ps(least, x));
}
template <class T, class B>
GPUNP_LANE vector<T> scaled(vector<T> y, vector<T>, vector<B> steps) {
    using F = lanes::format<T>;
    const vector<B> k = steps >> lanes::Steps<T>::BITS, half = k >> 1;
    return y * (vector<T>)((half << F::mantissa) + F::one) *
           (vector<T>)(((k - half) << F::mantissa) + F::one);
}
GPUNP_LANE doubles scaled(doubles y, doubles whole, words steps) {
    return scaled<double, uint64_t>(y, whole, steps);
}
GPUNP_LANE floats scaled(floats y, floats whole, half_words steps) {
    return scaled<float, uint32_t>(y, whole, steps);
}
template <class V>
GPUNP_LANE V less_product(V a, V b, V c) {
    return a - b * c;
}
GPUNP_LANE doubles product_less_one(doubles a, doubles b) {
    const doubles high = (doubles)((words)a & (~0ull << 26));
    return (high * b - 1.0) + (a - high) * b;
}
GPUNP_LANE bool all_positive_normal(doubles x) {
    const auto normal = (x >= 0x1p-1022) & (x < __builtin_inf());
    return _mm256_movemask_pd((__m256d)normal) == 15;
}
#endif

template <int FIRST = 0, class V, class T, int N>
GPUNP_LANE V horner(V x, const T (&c)[N]) {
    if constexpr (FIRST + 1 == N)
        return c[FIRST] - V{};
    else
        return horner<FIRST + 1>(x, c) * x + c[FIRST];
}

GPUNP_LANE doubles exp(doubles x) {
    using S = lanes::Steps<double>;
    x = limited(x, S::least - doubles{}, S::greatest - doubles{});
    const doubles shifted = x * lanes::LOG2_E + S::shift, whole = shifted - S::shift;
    const doubles r = less_product(x, whole, S::ln2 - doubles{}) - whole * S::ln2_rest;
    const doubles q = r + r * r * horner(r, S::near);
    const Pair power = looked_up(lanes::exp_step_f8, (words)shifted);
    return scaled(power.first + (power.second + power.first * q), whole, (words)shifted);
}
GPUNP_LANE floats exp(floats x) {
    using S = lanes::Steps<float>;
    x = limited(x, S::least - floats{}, S::greatest - floats{});
    const floats shifted = x * (float)lanes::LOG2_E + S::shift, whole = shifted - S::shift;
    const floats r = less_product(x, whole, S::ln2 - floats{}) - whole * S::ln2_rest;
    const floats q = r + r * r * horner(r, S::near);
    const floats power = looked_up(lanes::exp_step_f4, (half_words)shifted);
    const floats rest = looked_up(lanes::exp_step_rest_f4, (half_words)shifted);
    return scaled(power + (rest + power * q), whole, (half_words)shifted);
}

// For positive normal numbers.
GPUNP_LANE doubles positive_log(doubles x) {
    // The exponent's bits are those of k here, without the bias.
    const words rounded = (words)x + (lanes::LOG_ROUNDING - lanes::format<double>::one);
    const doubles m = (doubles)((words)x - (rounded & 0xfff0000000000000ull)), k = exponent(rounded);
    const LogStep step = log_step(rounded >> 48);
    const doubles r = product_less_one(m, step.factor);
    const doubles rest = (k * lanes::LN2_LOW_F8 + step.rest) + r * r * horner(r, lanes::log_near_f8);
    const doubles main = less_product(step.logarithm, -k, lanes::LN2_HIGH_F8 - doubles{}), sum = main + r;
    return sum + (((main - sum) + r) + rest);
}
__attribute__((noinline)) inline void any_log(double* values) {
    for (int i = 0; i < LANES_F8; i++) values[i] = lanes::log(values[i]);
}
GPUNP_LANE doubles log(doubles x) {
    if (__builtin_expect(all_positive_normal(x), 1)) return positive_log(x);
    double values[LANES_F8];
    __builtin_memcpy(values, &x, sizeof x);
    any_log(values);
    __builtin_memcpy(&x, values, sizeof x);
    return x;
}

// The last elements of a block are computed in a vector that is filled up with ones.
#define GPUNP_TABLE_BLOCK(name, T, N)                             \
    inline void name##_block(const T* x, T* out, int64_t count) { \
        wide::vector<T> v;                                        \
        int64_t i = 0;                                            \
        for (; i + N <= count; i += N) {                          \
            __builtin_memcpy(&v, x + i, sizeof v);                \
            v = wide::name(v);                                    \
            __builtin_memcpy(out + i, &v, sizeof v);              \
        }                                                         \
        if (i == count) return;                                   \
        T last[N];                                                \
        for (T& value : last) value = 1;                          \
        __builtin_memcpy(last, x + i, (count - i) * sizeof(T));   \
        __builtin_memcpy(&v, last, sizeof v);                     \
        v = wide::name(v);                                        \
        __builtin_memcpy(last, &v, sizeof v);                     \
        __builtin_memcpy(out + i, last, (count - i) * sizeof(T)); \
    }

}  // namespace wide

GPUNP_TABLE_BLOCK(exp, float, wide::LANES_F4)
GPUNP_TABLE_BLOCK(exp, double, wide::LANES_F8)
GPUNP_TABLE_BLOCK(log, double, wide::LANES_F8)
#undef GPUNP_TABLE_BLOCK
#undef GPUNP_512

}  // namespace math
}  // namespace gpunp
