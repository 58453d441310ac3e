// Evaluation of polynomials in real numbers.
#pragma once
#include "gpunp/math/real.h"

namespace gpunp {
namespace math {

// The coefficients c ascend from the constant one.
template <class T, int N>
GPUNP_HD T horner(T x, const T (&c)[N]) {
    T sum = c[N - 1];
    GPUNP_UNROLL
    for (int k = N - 2; k >= 0; --k) sum = multiply_add(sum, x, c[k]);
    return sum;
}

}  // namespace math
}  // namespace gpunp
