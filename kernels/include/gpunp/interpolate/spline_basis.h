// The B-splines that are not zero in an interval of knots, by the recurrence of de Boor and Cox.
#pragma once
#include "gpunp/config.h"

// Unrolls loops over splines of low degrees; those of any degree keep their values in local memory.
#if GPUNP_ON_DEVICE
#define GPUNP_UNROLL_LOW _Pragma("unroll (MOST > 5 ? 1 : MOST + 1)")
#else
#define GPUNP_UNROLL_LOW
#endif

namespace gpunp {
namespace interpolate {

// Derivatives of order `derivative` at x of the degree + 1 splines that are not zero between knots[0] and
// knots[1]. A quotient with two equal knots is zero.
template <int MOST>
GPUNP_HD void spline_basis(const double* knots, int degree, double x, int derivative, double (&h)[MOST + 1]) {
    h[0] = 1;
    GPUNP_UNROLL_LOW
    for (int a = 1; a <= MOST; a++) h[a] = 0;
    if (derivative > degree) {
        h[0] = 0;
        return;
    }
    GPUNP_UNROLL_LOW
    for (int d = 1; d <= MOST; d++) {
        if (d > degree) break;
        const bool raises = d <= degree - derivative;
        double carried = 0;
        GPUNP_UNROLL_LOW
        for (int a = 0; a < d; a++) {
            // The support of spline a of degree d - 1, cut off at this interval.
            const double left = knots[a + 1 - d], right = knots[a + 1];
            const double width = right - left, quotient = width == 0 ? 0 : h[a] / width;
            if (raises) {
                h[a] = carried + (right - x) * quotient;
                carried = (x - left) * quotient;
            } else {
                h[a] = carried - d * quotient;
                carried = d * quotient;
            }
        }
        h[d] = carried;
    }
}

}  // namespace interpolate
}  // namespace gpunp
