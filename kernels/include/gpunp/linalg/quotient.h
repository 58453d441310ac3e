// Double-precision quotients from the hardware's approximate reciprocal.
#pragma once
#include "gpunp/linalg/scalar.h"

#if GPUNP_ON_DEVICE
namespace gpunp {
namespace linalg {

// a / b to an ulp or two, if 1 / b is a normal number: the reciprocal has 20 bits, and a third-order step
// makes them 60.
__device__ inline double quick_quotient(double a, double b) {
    double inverse;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(inverse) : "d"(b));
    double error = fma(-b, inverse, 1.0);
    error = fma(error, error, error);
    inverse = fma(inverse, error, inverse);
    return a * inverse;
}

}  // namespace linalg
}  // namespace gpunp
#endif
