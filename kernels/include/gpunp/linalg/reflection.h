// Householder reflections.
#pragma once
#include "gpunp/linalg/scalar.h"

#if GPUNP_ON_DEVICE
namespace gpunp {
namespace linalg {

// The reflection that maps a column to a multiple of the first axis: alpha is its first element, rest the sum
// of squares of the others. `head` is the reflector's first element if its others are those of the column.
template <class T>
struct Reflection {
    T beta, tau, head, inverse;
};

__device__ inline Reflection<double> reflection(double alpha, double rest) {
    if (!(rest > 0x1p-960)) return {alpha, 0, 0, 0};
    const double norm = sqrt(fma(alpha, alpha, rest)), beta = alpha >= 0 ? -norm : norm;
    return {beta, (beta - alpha) / beta, alpha - beta, 1 / (alpha - beta)};
}

// Approximate instructions and one Newton step: within an ulp or two of the division's result, in a tenth of
// its instructions. The range suffices because elements are scaled to about one.
__device__ inline Reflection<float> reflection(float alpha, float rest) {
    if (!(rest > 0x1p-120f)) return {alpha, 0, 0, 0};
    const float square = fmaf(alpha, alpha, rest);
    float root, inverse;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(square));
    float norm = square * root;
    norm = fmaf(0.5f * root, fmaf(-norm, norm, square), norm);
    root = fmaf(fmaf(-norm, root, 1.0f), root, root);
    const float beta = alpha >= 0 ? -norm : norm, sum = alpha - beta;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(sum));
    inverse = fmaf(fmaf(-sum, inverse, 1.0f), inverse, inverse);
    return {beta, magnitude(sum) * root, sum, inverse};
}

}  // namespace linalg
}  // namespace gpunp
#endif
