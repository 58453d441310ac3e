// Integrals of Bessel functions of order 0 and of Airy functions, under SciPy's names and with its values at
// the ends.
#pragma once
#include "gpunp/math/special_cylinder_tails.h"
#include "gpunp/math/special_series.h"

namespace gpunp {
namespace math {

GPUNP_HD_CALLED special::AiryIntegrals itairy(double x) {
    using namespace special;
    const double nan = libm<double>::nan(), a = ::fabs(x);
    if (!is_finite(x)) {
        AiryIntegrals none = {nan, nan, nan, nan};
        if (x > 0) none.first = 1. / 3;
        if (x < 0) none.third = -1. / 3;
        return none;
    }
    AiryIntegrals found = airy_integrals(a);
    if (x < 0) return {-found.third, -found.fourth, -found.first, -found.second};
    return found;
}

GPUNP_HD_CALLED special::TwoIntegrals itj0y0(double x) {
    using namespace special;
    const double nan = libm<double>::nan();
    if (!is_finite(x)) return {nan, nan};
    if (x == 0) return {0, 0};
    TwoIntegrals found = j0_y0_integrals(::fabs(x));
    if (x < 0) return {-found.first, nan};
    return found;
}

GPUNP_HD_CALLED special::TwoIntegrals it2j0y0(double x) {
    using namespace special;
    const double nan = libm<double>::nan();
    if (!is_finite(x)) return {nan, nan};
    if (x == 0) return {0, -1e300};
    TwoIntegrals found = j0_y0_integrals_over_u(::fabs(x));
    if (x < 0) found.second = nan;
    return found;
}

GPUNP_HD_CALLED special::TwoIntegrals iti0k0(double x) {
    using namespace special;
    const double nan = libm<double>::nan(), a = ::fabs(x);
    if (!is_finite(x)) return {nan, x > 0 ? constant::HALF_PI : nan};
    if (x == 0) return {0, 0};
    double first = i0_integral(a, false);
    if (x < 0) return {-first, nan};
    if (x < 2) return {first, -small_integrals(x, 1).second};
    return {first, constant::HALF_PI - ::exp(-x) * k_tail(0, {x, 0}, false).re};
}

GPUNP_HD_CALLED special::TwoIntegrals it2i0k0(double x) {
    using namespace special;
    const double nan = libm<double>::nan(), a = ::fabs(x);
    if (!is_finite(x)) return {nan, nan};
    if (x == 0) return {0, 1e300};
    double first = i0_integral(a, true);
    if (x < 0) return {first, nan};
    if (x < 2) {
        double logarithm = ::log(0.5 * x) + EULER;
        double constant_part = 0.5 * logarithm * logarithm + constant::PI * constant::PI / 24;
        return {first, constant_part - small_integrals_over_u(x, 1).second};
    }
    return {first, ::exp(-x) * k_tail(0, {x, 0}, true).re};
}

// The integral from 0 to 1 of x^power J_v(2 a x), by the series of J in twofold precision.
GPUNP_HD_CALLED double besselpoly(double a, double power, double v) {
    using namespace special;
    if (a != a || power != power || v != v || a < 0 || !is_finite(a)) return libm<double>::nan();
    if (a == 0) return v == 0 ? 1 / (power + 1) : 0;
    if ((is_infinite(power) && power > 0) || (is_infinite(v) && v > 0)) return 0;
    double sign = 1;
    if (is_pole(v) && v != 0) {
        if (::fmod(v, 2.) != 0) sign = -1;
        v = -v;
    }
    if (is_pole(v + power + 1) && ::fmod(v + power + 1, 2.) == 0) return libm<double>::infinity();
    Twofold square = product({a, 0}, {-a, 0}), term = {1, 0}, start = add(twofold_sum(v, power), {1, 0});
    Twofold sum = quotient(term, start);
    for (int k = 1; k < MOST_TERMS; ++k) {
        term = quotient(product(term, square), product(twofold_sum(v, k), {(double)k, 0}));
        Twofold part = quotient(term, add(start, {2. * k, 0}));
        sum = add(sum, part);
        if (k > a && ::fabs(part.high) <= 1e-18 * ::fabs(sum.high)) break;
    }
    double front = v > 140 ? ::exp(v * ::log(a) - gammaln(v + 1)) : ::pow(a, v) * rgamma(v + 1);
    return sign * front * sum.high;
}

}  // namespace math
}  // namespace gpunp
