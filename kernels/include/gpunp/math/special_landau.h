// The Landau distribution: density, tails and quantiles.
//
// The distribution function is the mean of exp(-e^-x W(phi)) over angles 0 < phi < pi, with
// W = phi / sin(phi) exp(-phi cot(phi)) (Zolotarev 1986), so that all terms are positive. The variable s with
// log(W) = s^2 / 2 - 1 makes the integrands even and smooth, and the trapezoidal rule converges
// exponentially.
#pragma once
#include "gpunp/math/special_error.h"
#include "gpunp/math/special_root.h"

namespace gpunp {
namespace math {
namespace special {

// log(W) + 1 and its derivative, as functions of pi - phi.
GPUNP_HD void landau_exponent(double rest, double* value, double* slope) {
    double phi = constant::PI - rest, sine, cosine;
    if (phi < 0.02) {
        double w = phi * phi;
        *value = w * (0.5 + w * (1. / 36 + w * (1. / 405)));
        *slope = phi * (1 + w * (1. / 9 + w * (2. / 135)));
        return;
    }
    libm<double>::sincos(rest, &sine, &cosine);
    // sin(phi) = sin(rest) and cos(phi) = -cos(rest).
    double cotangent = -cosine / sine, ratio = phi / sine;
    *value = ::log(ratio) - phi * cotangent + 1;
    *slope = 1 / phi - 2 * cotangent + ratio / sine;
}

struct LandauAngle {
    double rest, slope;  // pi - phi, and the derivative of log(W) by phi
};

// The angle where log(W) + 1 is the goal > 0, by Newton's method.
GPUNP_HD_CALLED LandauAngle landau_angle(double goal) {
    double s = ::sqrt(2 * goal), value, slope;
    if (s < 1e-5) return {constant::PI - s, s};
    double rest = s < 2 ? constant::PI - s * (1 - s * s / 36) : constant::PI / (goal - ::log(goal) + 1);
    if (s < 2 && rest < 1) rest = 1;
    for (int n = 0; n < 30; ++n) {
        landau_exponent(rest, &value, &slope);
        double step = (value - goal) / slope;
        rest = step > 0.5 * (constant::PI - rest) ? 0.5 * (rest + constant::PI)
               : step < -0.5 * rest               ? 0.5 * rest
                                                  : rest + step;
        if (::fabs(step) < 1e-9 * ::fmin(rest, constant::PI - rest)) break;
    }
    landau_exponent(rest, &value, &slope);
    return {rest, slope};
}

// Beyond this number the upper tail has an integral of its own.
constexpr double LANDAU_FAR = 40;

// The density, or the distribution function, for x <= LANDAU_FAR.
GPUNP_HD_CALLED double landau_integral(double x, bool density) {
    double least = -1 - x, scale = ::exp(least), top = least < 5 ? ::sqrt(2 * (5 - least)) : 0;
    if (scale > 745) return 0;
    double step = 0.12 / ::sqrt(1 + scale + top * top), sum = 0.5 * (density ? scale : 1) * ::exp(-scale);
    for (int n = 1; n < 100000; ++n) {
        double s = n * step, goal = 0.5 * s * s, weight = ::exp(least + goal);
        double term = ::exp(-weight) * (density ? weight : 1) * (s / landau_angle(goal).slope);
        sum += term;
        if (weight > 1 && term < 1e-18 * sum) break;
    }
    return sum * step / constant::PI;
}

// The density, or the upper tail, for x > LANDAU_FAR: the mean of d phi / d log(W), or of pi - phi, for
// log(W) = x + g, where e^g has the exponential distribution.
GPUNP_HD_CALLED double landau_far(double x, bool density) {
    constexpr double step = 0.2;
    double sum = 0;
    for (int n = -200; n < 20; ++n) {
        double g = n * step, weight = ::exp(g);
        if (x + 1 + g <= 0) continue;
        LandauAngle angle = landau_angle(x + 1 + g);
        sum += weight * ::exp(-weight) * (density ? 1 / angle.slope : angle.rest);
    }
    return sum * step / constant::PI;
}

GPUNP_HD double landau_density(double x) {
    return x > LANDAU_FAR ? landau_far(x, true) : landau_integral(x, true);
}

GPUNP_HD_CALLED double landau_tail(double x, bool upper) {
    // Where the tail is far from 1 it follows from the other one.
    bool far = x > LANDAU_FAR;
    double tail = far ? landau_far(x, false) : landau_integral(x, false);
    return upper == far ? tail : 1 - tail;
}

constexpr double LANDAU_SHIFT = 10;

// The standard variable of SciPy, whose characteristic function is exp(-|t| - 2i/pi t log|t|), as Landau's,
// and back.
GPUNP_HD double landau_variable(double x) {
    return constant::HALF_PI * x + 0.45158270528945482;
}
GPUNP_HD double from_landau_variable(double x) {
    return (x - 0.45158270528945482) / constant::HALF_PI;
}

// As a function of a positive number: the distribution function vanishes left of -LANDAU_SHIFT.
struct LandauQuantile {
    double goal;
    bool upper;
    GPUNP_HD double operator()(double x) const {
        return tail_excess(landau_tail(x - LANDAU_SHIFT, upper), goal, upper);
    }
};

GPUNP_HD_CALLED double landau_quantile(double p, bool upper) {
    if (!(p >= 0 && p <= 1)) return libm<double>::nan();
    if (p == 0 || p == 1) return (p == 0) == upper ? libm<double>::infinity() : -libm<double>::infinity();
    bool high = upper ? p < 0.5 : p > 0.5;
    LandauQuantile excess = {high == upper ? p : 1 - p, high};
    double start = high ? LANDAU_SHIFT + 1 / excess.goal : LANDAU_SHIFT;
    return from_landau_variable(root_of_increasing(excess, start, 1, 1e300) - LANDAU_SHIFT);
}

}  // namespace special

// x in units of the scale, and back. The scale shifts the location too, as sums of such variables do.
GPUNP_HD double landau_units(double x, double location, double scale) {
    return (x - location) / scale - ::log(scale) / constant::HALF_PI;
}
GPUNP_HD double from_landau_units(double x, double location, double scale) {
    return location + scale * (x + ::log(scale) / constant::HALF_PI);
}

GPUNP_HD_CALLED double landau_pdf(double x, double location, double scale) {
    if (!(scale > 0) || !is_finite(x)) return libm<double>::nan();
    double variable = special::landau_variable(landau_units(x, location, scale));
    return special::landau_density(variable) * constant::HALF_PI / scale;
}
GPUNP_HD double landau_any_tail(double x, double location, double scale, bool upper) {
    if (!(scale > 0) || x != x) return libm<double>::nan();
    if (is_infinite(x)) return (x > 0) == upper ? 0 : 1;
    return special::landau_tail(special::landau_variable(landau_units(x, location, scale)), upper);
}
GPUNP_HD_CALLED double landau_cdf(double x, double location, double scale) {
    return landau_any_tail(x, location, scale, false);
}
GPUNP_HD_CALLED double landau_sf(double x, double location, double scale) {
    return landau_any_tail(x, location, scale, true);
}
GPUNP_HD double landau_ppf(double p, double location, double scale) {
    if (!(scale > 0)) return libm<double>::nan();
    return from_landau_units(special::landau_quantile(p, false), location, scale);
}
GPUNP_HD double landau_isf(double p, double location, double scale) {
    if (!(scale > 0)) return libm<double>::nan();
    return from_landau_units(special::landau_quantile(p, true), location, scale);
}

}  // namespace math
}  // namespace gpunp
