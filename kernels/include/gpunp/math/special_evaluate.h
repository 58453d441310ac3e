// Evaluation of polynomials in complex numbers, for the special functions.
#pragma once
#include "gpunp/math/complex.h"
#include "gpunp/math/elementary.h"
#include "gpunp/math/horner.h"

namespace gpunp {
namespace math {
namespace special {

using math::horner;

// 1 / x within an ulp; 0 where the reciprocal is subnormal.
GPUNP_HD float quick_reciprocal(float x) {
#if defined(__CUDA_ARCH__)
    float inverse;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(x));
    return inverse;
#else
    return 1 / x;
#endif
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
