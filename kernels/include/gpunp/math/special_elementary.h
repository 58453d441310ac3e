// Short functions of scipy.special: powers of Box and Cox, loss functions of Huber, angles in degrees.
#pragma once
#include "gpunp/math/special_evaluate.h"

namespace gpunp {
namespace math {

// (e^(lambda y) - 1) / lambda for the logarithm y of the transformed number.
GPUNP_HD double box_cox_of_log(double y, double lambda) {
    double product = lambda * y;
    if (product < 709.78) return ::expm1(product) / lambda;
    // e^product alone would overflow first.
    return ::copysign(1., lambda) * ::exp(product - ::log(::fabs(lambda))) - 1 / lambda;
}

GPUNP_HD_CALLED double boxcox(double x, double lambda) {
    double y = ::log(x);
    return ::fabs(lambda) < 1e-19 ? y : box_cox_of_log(y, lambda);
}
GPUNP_HD_CALLED double boxcox1p(double x, double lambda) {
    double y = ::log1p(x);
    bool tiny = ::fabs(lambda) < 1e-19 || (::fabs(y) < 1e-289 && ::fabs(lambda) < 1e273);
    return tiny ? y : box_cox_of_log(y, lambda);
}

GPUNP_HD_CALLED double inv_boxcox(double x, double lambda) {
    if (lambda == 0) return ::exp(x);
    double product = lambda * x;
    if (product < 1.79e308) return ::exp(::log1p(product) / lambda);
    return ::exp((::log(::copysign(1., lambda) * (x + 1 / lambda)) + ::log(::fabs(lambda))) / lambda);
}
GPUNP_HD_CALLED double inv_boxcox1p(double x, double lambda) {
    if (lambda == 0) return ::expm1(x);
    double product = lambda * x;
    if (::fabs(product) < 1e-154) return x;
    if (product < 1.79e308) return ::expm1(::log1p(product) / lambda);
    return ::expm1((::log(::copysign(1., lambda) * (x + 1 / lambda)) + ::log(::fabs(lambda))) / lambda);
}

// sin(pi x / 180 + quarter pi / 2), exact at multiples of 90 degrees; zero beyond 1e14, as in SciPy.
GPUNP_HD_CALLED double sine_of_degrees(double x, int quarter) {
    if (!(::fabs(x) <= 1e14)) return x - x == 0 || is_infinite(x) ? 0 : x;
    double turns = ::rint(x / 90), rest = (x - 90 * turns) * (constant::PI / 180);
    int place = ((int)::fmod(turns, 4.) + quarter) & 3;
    double value = place & 1 ? ::cos(rest) : ::sin(rest);
    return place & 2 ? -value : value;
}
GPUNP_HD double sindg(double x) {
    return sine_of_degrees(x, 0);
}
GPUNP_HD double cosdg(double x) {
    return sine_of_degrees(x, 1);
}

// The tangent of x degrees, or the cotangent.
GPUNP_HD_CALLED double tangent_of_degrees(double x, bool inverse) {
    if (!(::fabs(x) <= 1e14)) return x - x == 0 || is_infinite(x) ? 0 : x;
    double turns = ::rint(x / 90), rest = x - 90 * turns, size = ::fabs(rest);
    bool odd = ::fmod(turns, 2.) != 0;
    if (rest == 0) return odd == inverse ? 0 : libm<double>::infinity();
    double value = size == 45 ? 1 : ::tan(size * (constant::PI / 180));
    if (odd != inverse) value = 1 / value;
    return (rest < 0) == odd ? value : -value;
}
GPUNP_HD double tandg(double x) {
    return tangent_of_degrees(x, false);
}
GPUNP_HD double cotdg(double x) {
    return tangent_of_degrees(x, true);
}

GPUNP_HD double radian(double degrees, double minutes, double seconds) {
    return ((seconds / 60 + minutes) / 60 + degrees) * (constant::PI / 180);
}

GPUNP_HD double cosm1(double x) {
    if (is_infinite(x)) return libm<double>::nan();
    double s = ::sin(x / 2);
    return 0. - 2 * s * s;  // zero is positive
}

GPUNP_HD double exprel(double x) {
    if (::fabs(x) < 1e-16) return 1;
    if (x > 717) return libm<double>::infinity();
    // In halves beyond the largest argument of exp.
    if (x > 709) {
        double half = ::exp(x / 2);
        return half / x * half;
    }
    return ::expm1(x) / x;
}

GPUNP_HD double huber(double delta, double r) {
    if (delta < 0) return libm<double>::infinity();
    if (::fabs(r) <= delta) return 0.5 * r * r;
    return delta * (::fabs(r) - 0.5 * delta);
}

GPUNP_HD double pseudo_huber(double delta, double r) {
    if (delta < 0) return libm<double>::infinity();
    if (delta == 0 || r == 0) return 0;
    if (is_infinite(delta)) return libm<double>::nan();
    double ratio = r / delta;
    // sqrt(1 + ratio^2) - 1 without cancellation.
    if (::fabs(ratio) < 1e8) return r * (r / (1 + ::sqrt(1 + ratio * ratio)));
    return delta * (::fabs(r) - delta);
}

// x^y - 1.
GPUNP_HD_CALLED double powm1(double x, double y) {
    if (x == 1 || y == 0) return 0;
    if (x < 0 && (is_infinite(y) || y != ::rint(y))) return libm<double>::nan();
    if (x > 0) {
        double exponent = y * ::log(x);
        if (::fabs(exponent) < 0.5) {
            // log(x) from x - 1, which is exact, where the logarithm is small.
            return ::expm1(x > 0.5 && x < 2 ? y * ::log1p(x - 1) : exponent);
        }
    }
    return ::pow(x == 0 ? 0 : x, y) - 1;
}

}  // namespace math
}  // namespace gpunp
