// x log(y) with 0 log(0) = 0, and the terms of entropies.
#pragma once
#include "gpunp/math/special_entropy_polynomials.h"

namespace gpunp {
namespace math {

template <class T>
GPUNP_HD if_floating<T> xlogy(T x, T y) {
    return x == 0 && y == y ? (T)0 : x * log(y);
}

template <class T>
GPUNP_HD if_floating<T> xlog1py(T x, T y) {
    return x == 0 && y == y ? (T)0 : x * log1p(y);
}

namespace special {

// SciPy's complex products recover infinities, as in C99.
GPUNP_HD complex<double> times(complex<double> a, complex<double> b) {
    return multiply_recovering(a, b);
}
GPUNP_HD complex<float> times(complex<float> a, complex<float> b) {
    return narrow(multiply_recovering(widen(a), widen(b)));
}

}  // namespace special

template <class T>
GPUNP_HD complex<T> xlogy(complex<T> x, complex<T> y) {
    if (x.re == 0 && x.im == 0 && !isnan(y)) return {0, 0};
    return special::times(x, log(y));
}

template <class T>
GPUNP_HD complex<T> xlog1py(complex<T> x, complex<T> y) {
    if (x.re == 0 && x.im == 0 && !isnan(y)) return {0, 0};
    return special::times(x, log1p(y));
}

template <class T>
GPUNP_HD if_floating<T> entr(T x) {
    if (x > 0) return -x * log(x);
    return x == 0 ? (T)0 : x < 0 ? -libm<T>::infinity() : x;
}

template <class T>
GPUNP_HD if_floating<T> rel_entr(T x, T y) {
    if (x != x || y != y) return libm<T>::nan();
    if (x > 0 && y > 0) {
        T ratio = x / y;
        if (ratio > (T)0.5 && ratio < 2) return x * log1p((x - y) / y);
        // A ratio outside the normal range has lost some or all of its digits.
        if (ratio > libm<T>::small && ratio < libm<T>::max) return x * log(ratio);
        return x * (log(x) - log(y));
    }
    return x == 0 && y >= 0 ? (T)0 : libm<T>::infinity();
}

template <class T>
GPUNP_HD if_floating<T> kl_div(T x, T y) {
    if (x != x || y != y) return libm<T>::nan();
    if (x > 0 && y > 0) {
        T d = y - x, ratio = x / y;
        if (ratio > (T)0.5 && ratio < 2) {
            // x (d - log(1 + d)) with log(1 + d) = 2 arctanh(u); the canceling terms are omitted.
            d /= x;
            T u = d / (2 + d), v = u * u;
            return x * (u * (d - 2 * v * special::arctanh_tail(v)));
        }
        return rel_entr(x, y) - x + y;
    }
    return x == 0 && y >= 0 ? y : libm<T>::infinity();
}

}  // namespace math
}  // namespace gpunp
