// Comparison, truth, choice and classification of reals.
#pragma once
#include "gpunp/math/real.h"

namespace gpunp {
namespace math {

#define GPUNP_COMPARISON(name, op)             \
    template <class T>                         \
    GPUNP_HD if_real<T, bool> name(T a, T b) { \
        return a op b;                         \
    }                                          \
    GPUNP_HD bool name(i8 a, u8 b) {           \
        return order_mixed(a, b) op 0;         \
    }                                          \
    GPUNP_HD bool name(u8 a, i8 b) {           \
        return 0 op order_mixed(b, a);         \
    }

// The sign of a - b, exactly: neither type can represent all values of the other.
GPUNP_HD int order_mixed(i8 a, u8 b) {
    if (a < 0 || (u8)a < b) return -1;
    return (u8)a > b;
}

GPUNP_COMPARISON(equal, ==)
GPUNP_COMPARISON(not_equal, !=)
GPUNP_COMPARISON(less, <)
GPUNP_COMPARISON(less_equal, <=)
GPUNP_COMPARISON(greater, >)
GPUNP_COMPARISON(greater_equal, >=)
#undef GPUNP_COMPARISON

// NaN is true.
template <class T>
GPUNP_HD if_real<T, bool> truth(T a) {
    return a != (T)0;
}

template <class T>
GPUNP_HD if_real<T, bool> logical_and(T a, T b) {
    return truth(a) & truth(b);
}

template <class T>
GPUNP_HD if_real<T, bool> logical_or(T a, T b) {
    return truth(a) | truth(b);
}

template <class T>
GPUNP_HD if_real<T, bool> logical_xor(T a, T b) {
    return truth(a) != truth(b);
}

template <class T>
GPUNP_HD if_real<T, bool> logical_not(T a) {
    return !truth(a);
}

template <class T>
GPUNP_HD if_real<T, bool> isnan(T a) {
    if constexpr (is_floating<T>) return a != a;
    return false;
}

template <class T>
GPUNP_HD if_real<T, bool> isfinite(T a) {
    if constexpr (is_floating<T>) return a - a == 0;
    return true;
}

template <class T>
GPUNP_HD if_real<T, bool> isinf(T a) {
    if constexpr (is_floating<T>) return a == a && !(a - a == 0);
    return false;
}

// maximum and minimum propagate a NaN, the first of two; fmax and fmin ignore it. Of equal zeros, the second
// operand is returned, as in NumPy on x86-64; for halves the first.
template <class T>
GPUNP_HD if_real<T> maximum(T a, T b) {
    return a > b || isnan(a) ? a : b;
}

template <class T>
GPUNP_HD if_real<T> minimum(T a, T b) {
    return a < b || isnan(a) ? a : b;
}

template <class T>
GPUNP_HD if_real<T> fmax(T a, T b) {
    return a > b || isnan(b) ? a : b;
}

template <class T>
GPUNP_HD if_real<T> fmin(T a, T b) {
    return a < b || isnan(b) ? a : b;
}

GPUNP_HD half maximum(half a, half b) {
    float x = to_float(a), y = to_float(b);
    return x >= y || isnan(x) ? a : b;
}

GPUNP_HD half minimum(half a, half b) {
    float x = to_float(a), y = to_float(b);
    return x <= y || isnan(x) ? a : b;
}

GPUNP_HD half fmax(half a, half b) {
    float x = to_float(a), y = to_float(b);
    return x >= y || isnan(y) ? a : b;
}

GPUNP_HD half fmin(half a, half b) {
    float x = to_float(a), y = to_float(b);
    return x <= y || isnan(y) ? a : b;
}

// Propagates a NaN of any operand; for low > high the result is high.
template <class T>
GPUNP_HD if_real<T> clip(T a, T low, T high) {
    return minimum(maximum(a, low), high);
}
// The same for scalar bounds, as in NumPy's loop for these: of equal zeros, a is returned.
template <class T>
GPUNP_HD if_floating<T> clip_by_scalars(T a, T low, T high) {
    T raised = a < low || (isnan(low) && !isnan(a)) ? low : a;
    return !isnan(raised) && (raised > high || isnan(high)) ? high : raised;
}

GPUNP_HD half clip(half a, half low, half high) {
    return minimum(maximum(a, low), high);
}

}  // namespace math
}  // namespace gpunp
