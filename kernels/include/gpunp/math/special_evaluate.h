// Evaluation of polynomials in complex numbers, for the special functions.
#pragma once
#include "gpunp/math/complex.h"
#include "gpunp/math/elementary.h"
#include "gpunp/math/horner.h"

namespace gpunp {
namespace math {
namespace special {

using math::horner;

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
