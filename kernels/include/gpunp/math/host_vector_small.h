// exp2, expm1 and log1p of the host for blocks of elements; see host_vector.h.
#pragma once
#include "gpunp/math/host_vector_angles.h"

namespace gpunp {
namespace math {
namespace lanes {

// 2 ** x = 2 ** whole * exp(f * ln(2)): the product in two parts.
template <class T>
GPUNP_LANE T exp2(T x) {
    using F = format<T>;
    constexpr bool single = sizeof(T) == 4;
    const T limited = clamped(x, single ? (T)-151 : (T)-1076, single ? (T)129 : (T)1025);
    const T shifted = limited + F::shift, whole = shifted - F::shift, f = limited - whole;
    const T leading = leading_bits(f);
    const T main = leading * (single ? (T)LN2_LEADING_F4 : (T)LN2_LEADING);
    const T low = (f - leading) * (T)LN2 + leading * (single ? (T)LN2_REST_F4 : (T)LN2_REST);
    const T r = main + low, r_low = low - (r - main);
    const T q = r + (r * r * Exponential<T>::polynomial(r) + r_low);
    const auto k = shifted_integer(shifted), half = k >> 1;
    return ((T)1 + q) * power_of_two<T>(half) * power_of_two<T>(k - half);
}

// 2 ** k - 1 + 2 ** k * r is added without a rounding error.
template <class T>
GPUNP_LANE T expm1(T x) {
    constexpr bool single = sizeof(T) == 4;
    const T limited = clamped(x, single ? (T)-20 : (T)-40, single ? (T)88 : (T)709);
    const Exponential<T> e(limited, (T)LOG2_E, single ? (T)LN2_HIGH_F4 : (T)LN2_HIGH_F8,
                           single ? (T)LN2_LOW_F4 : (T)LN2_LOW_F8);
    const T scale = power_of_two<T>(e.k), whole = scale - (T)1, part = scale * e.r, sum = whole + part;
    return copysign(sum + ((part - (sum - whole)) + scale * e.rest), x);
}
template <class T>
GPUNP_LANE bool beyond_expm1(T x) {
    return !(x <= (sizeof(T) == 4 ? (T)88 : (T)709));
}

// The logarithm of u = 1 + x, and what was rounded.
template <class T>
GPUNP_LANE T log1p(T x) {
    constexpr bool single = sizeof(T) == 4;
    const T u = (T)1 + x;
    const Split<T> parts(u);
    const T k = parts.k;
    const T rounded = x > (T)1 ? (T)1 - (u - x) : x - (u - (T)1);
    const T correction = k == (T)0 ? (T)0 : rounded / u;
    const Logarithm<T> a(k, k == (T)0 ? x : parts.m - (T)1);
    const T low = a.rest + (k * (single ? (T)LN2_LOW_F4 : (T)LN2_LOW_F8) + correction);
    const T y = k * (single ? (T)LN2_HIGH_F4 : (T)LN2_HIGH_F8) - ((a.half - low) - a.f);
    return fabs(x) < (T)1e-20 ? x : with_log_limits(u, y);
}

template <class T>
inline T one_exp2(T x) {
    return exp2(x);
}
template <class T>
inline T one_expm1(T x) {
    return beyond_expm1(x) ? ::expm1(x) : expm1(x);
}
template <class T>
inline T one_log1p(T x) {
    return log1p(x);
}

}  // namespace lanes

GPUNP_VECTOR_BLOCK(exp2, lanes::exp2(from[i]), lanes::never, ::exp2)
GPUNP_VECTOR_BLOCK(expm1, lanes::expm1(from[i]), lanes::beyond_expm1, ::expm1)
GPUNP_VECTOR_BLOCK(log1p, lanes::log1p(from[i]), lanes::never, ::log1p)
#undef GPUNP_VECTOR_BLOCK

}  // namespace math
}  // namespace gpunp
