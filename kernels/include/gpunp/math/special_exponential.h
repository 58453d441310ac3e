// The logistic function and its relatives, and powers of ten.
#pragma once
#include "gpunp/math/special_evaluate.h"

namespace gpunp {
namespace math {

template <class T>
GPUNP_HD if_floating<T> expit(T x) {
    T e = exp(-fabs(x)), r = 1 / (1 + e);
    return x < 0 ? e * r : r;
}

template <class T>
GPUNP_HD if_floating<T> logit(T p) {
    // Near the root at 1/2 the argument of arctanh is exact.
    if (p >= (T)0.25 && p <= (T)0.75) return 2 * arctanh(2 * p - 1);
    return log(p / (1 - p));
}

template <class T>
GPUNP_HD if_floating<T> log_expit(T x) {
    T l = log1p(exp(-fabs(x)));
    return x < 0 ? x - l : -l;
}

// e^z - 1, with the limits of e^z - 1 at infinity, as in SciPy; those of numpy.expm1 are others.
template <class T>
GPUNP_HD complex<T> expm1_or_limit(complex<T> z) {
    if (is_finite(z.re) && is_finite(z.im)) return expm1(z);
    complex<T> power = exp(z);
    return {power.re - 1, power.im};
}

GPUNP_HD float exp10(float x) {
    return ::exp10f(x);
}
GPUNP_HD double exp10(double x) {
    return ::exp10(x);
}

}  // namespace math
}  // namespace gpunp
