// Evaluation of polynomials, for the special functions.
#pragma once
#include "gpunp/math/complex.h"
#include "gpunp/math/elementary.h"

namespace gpunp {
namespace math {
namespace special {

// Coefficients from the constant one up.
template <class T, int N>
GPUNP_HD T horner(T t, const T (&c)[N]) {
    T sum = c[N - 1];
    GPUNP_UNROLL
    for (int k = N - 2; k >= 0; --k) sum = multiply_add(sum, t, c[k]);
    return sum;
}

template <int N>
GPUNP_HD complex<double> horner(complex<double> t, const double (&c)[N]) {
    complex<double> sum = {c[N - 1], 0};
    GPUNP_UNROLL
    for (int k = N - 2; k >= 0; --k) {
        sum = multiply(sum, t);
        sum.re += c[k];
    }
    return sum;
}

}  // namespace special
}  // namespace math
}  // namespace gpunp
