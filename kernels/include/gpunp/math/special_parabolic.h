// Parabolic cylinder functions and their derivatives.
#pragma once
#include "gpunp/math/special_hypergeometric.h"

namespace gpunp {
namespace math {
namespace special {

// scale e^(-x^2 / 4) value, where e^(-x^2 / 4) alone may underflow.
GPUNP_HD double with_gaussian(double x, double value) {
    double half = ::exp(-0.125 * x * x);
    return half * value * half;
}

// D_v(x).
GPUNP_HD_CALLED double parabolic_d(double v, double x) {
    const double root_pi = 1.7724538509055160, root_two_pi = ROOT_TWO_PI;
    double square = 0.5 * x * x, power = ::exp2(0.5 * v);
    if (x > 1) return with_gaussian(x, power * tricomi_positive(-0.5 * v, 0.5, square));
    // By the even and the odd solution (DLMF 12.4.1).
    double even = root_pi * reciprocal_gamma(0.5 - 0.5 * v),
           odd = root_two_pi * x * reciprocal_gamma(-0.5 * v);
    double first = even == 0 ? 0 : even * kummer(-0.5 * v, 0.5, square);
    double second = odd == 0 ? 0 : odd * kummer(0.5 - 0.5 * v, 1.5, square);
    return with_gaussian(x, power * (first - second));
}

// sin(pi x) / gamma(x) * 2^power
GPUNP_HD double sine_over_gamma(double x) {
    return sin_pi(x) * reciprocal_gamma(x);
}

// V(-v - 1 / 2, x).
GPUNP_HD_CALLED double parabolic_v(double v, double x) {
    double cosine = sin_pi(v + 0.5);
    if (x < -1 && ::fabs(cosine) < 0.1) {
        return gamma(-v) / constant::PI * (parabolic_d(v, -x) - cosine * parabolic_d(v, x));
    }
    // DLMF 12.4.2, with the values at zero of 12.2.8 and 12.2.9.
    double square = 0.5 * x * x, power = ::exp2(-0.5 * v);
    double even = sine_over_gamma(1 + 0.5 * v), odd = x * sine_over_gamma(0.5 + 0.5 * v) * 1.4142135623730951;
    double first = even == 0 ? 0 : even * kummer(-0.5 * v, 0.5, square);
    double second = odd == 0 ? 0 : odd * kummer(0.5 - 0.5 * v, 1.5, square);
    return with_gaussian(x, power * (first + second));
}

// An even or odd solution of w'' = (a - x^2 / 4) w by its Taylor series.
GPUNP_HD pair<double, double> weber_series(double a, double x, bool odd) {
    double before = 0, coefficient = 1, k = odd ? 1 : 0, power = odd ? x : 1, slope_power = odd ? 1 : 0;
    double value = power, slope = slope_power, square = x * x;
    for (int n = 0; n < 200; ++n) {
        double next = (a * coefficient - 0.25 * before) / ((k + 1) * (k + 2));
        before = coefficient;
        coefficient = next;
        slope_power = power * x;
        power *= square;
        k += 2;
        value += coefficient * power;
        slope += k * coefficient * slope_power;
        if (n > 4 && ::fabs(coefficient * power) + ::fabs(before * power) < 1e-18 * ::fabs(value)) break;
    }
    return {value, slope};
}

}  // namespace special

GPUNP_HD_CALLED pair<double, double> pbdv(double v, double x) {
    using namespace special;
    const double nan = libm<double>::nan();
    if (!is_finite(v) || !is_finite(x)) return {nan, nan};
    double value = parabolic_d(v, x);
    // DLMF 12.8.2 and 12.8.3
    if (x > 0) return {value, (v == 0 ? 0 : v * parabolic_d(v - 1, x)) - 0.5 * x * value};
    return {value, 0.5 * x * value - parabolic_d(v + 1, x)};
}

GPUNP_HD_CALLED pair<double, double> pbvv(double v, double x) {
    using namespace special;
    const double nan = libm<double>::nan();
    if (!is_finite(v) || !is_finite(x)) return {nan, nan};
    double value = parabolic_v(v, x);
    return {value, 0.5 * x * value - (v == -1 ? 0 : (v + 1) * parabolic_v(v + 1, x))};
}

// W(a, x) for |a| <= 5 and |x| <= 5, as in SciPy.
GPUNP_HD_CALLED pair<double, double> pbwa(double a, double x) {
    using namespace special;
    const double nan = libm<double>::nan();
    if (!(::fabs(a) <= 5 && ::fabs(x) <= 5)) return {nan, nan};
    double first = modulus(gamma(Complex{0.25, 0.5 * a})), second = modulus(gamma(Complex{0.75, 0.5 * a}));
    double quarter = ::sqrt(first / second);
    auto even = weber_series(a, x, false), odd = weber_series(a, x, true);
    // DLMF 12.14.2 and 12.14.3
    double at_zero = 0.59460355750136053 * quarter, slope = -0.84089641525371454 / quarter;
    return {at_zero * even.first + slope * odd.first, at_zero * even.second + slope * odd.second};
}

}  // namespace math
}  // namespace gpunp
