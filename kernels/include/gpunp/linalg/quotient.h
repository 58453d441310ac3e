// Quotients of double precision by the quick reciprocal.
#pragma once
#include "gpunp/linalg/scalar.h"

#if GPUNP_ON_DEVICE
namespace gpunp {
namespace linalg {

// a / b within an ulp or two, where 1 / b is a normal number: of the twenty bits that the reciprocal has, a
// step of third order makes sixty.
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
