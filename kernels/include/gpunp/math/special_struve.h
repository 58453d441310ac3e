// Struve functions, ordinary and modified (DLMF 11), and integrals of those of order 0.
#pragma once
#include "gpunp/math/special_cylinder_orders.h"
#include "gpunp/math/special_cylinder_tails.h"
#include "gpunp/math/special_series.h"

namespace gpunp {
namespace math {
namespace special {

// From this argument on, the asymptotic series are used where they converge.
constexpr double STRUVE_FAR = 30;

// H (with `sign` -1) or L by its power series in twofold precision, for x > 0 (DLMF 11.2.1-2).
GPUNP_HD_CALLED double struve_series(double v, double x, double sign) {
    Twofold square = product({0.5 * x, 0}, {sign * 0.5 * x, 0}), term = {1, 0}, sum = term;
    for (int k = 1; k < MOST_TERMS; ++k) {
        term = quotient(product(term, square), product(twofold_sum(v, k + 0.5), {k + 0.5, 0}));
        sum = add(sum, term);
        if (k + v > 0 && ::fabs(term.high) <= 1e-18 * ::fabs(sum.high)) break;
    }
    double exponent = (v + 1) * ::log(0.5 * x), root_pi = 1.7724538509055159;
    if (v > 100 || ::fabs(exponent) > 300) {
        double half = ::exp(0.5 * (exponent - gammaln(v + 1.5)));
        return sign_of_gamma(v + 1.5) * half * (2 / root_pi * sum.high) * half;
    }
    return ::pow(0.5 * x, v + 1) * rgamma(v + 1.5) * (2 / root_pi * sum.high);
}

// The sum of (DLMF 11.6.1), which is H - Y, or with `sign` -1 that of 11.6.2, which is I_-v - L; whether it
// converges.
GPUNP_HD_CALLED bool struve_asymptote(double v, double x, double sign, double* value) {
    double u = sign * 4 / (x * x), term = 1, sum = 1;
    bool converged = false;
    for (int k = 0; k < 200; ++k) {
        double next = term * (k + 0.5) * (v - 0.5 - k) * u;
        if (k > v && ::fabs(next) > ::fabs(term)) break;
        term = next;
        sum += term;
        if (::fabs(term) <= 1e-17 * ::fabs(sum)) {
            converged = is_finite(sum);
            break;
        }
    }
    double exponent = (v - 1) * ::log(0.5 * x), front;
    if (v > 100 || ::fabs(exponent) > 300)
        front = sign_of_gamma(v + 0.5) * ::exp(exponent - gammaln(v + 0.5));
    else
        front = ::pow(0.5 * x, v - 1) * rgamma(v + 0.5);
    *value = front * 0.5641895835477563 * sum;
    return converged;
}

// For x >= 0.
GPUNP_HD_CALLED double struve_of(double v, double x, bool ordinary) {
    if (x == 0) {
        if (v < -1) return gammasgn(v + 1.5) * libm<double>::infinity();
        return v == -1 ? 2 / constant::PI : 0;
    }
    if (is_infinite(x) && !is_infinite(v) && (v > 1 || (v == 1 && !ordinary))) return x;
    if (v != v || x != x || is_infinite(x) || is_infinite(v))
        return v > 0 && is_finite(x) ? 0 : libm<double>::nan();
    double n = -v - 0.5;
    if (n >= 0 && is_whole(n)) {
        if (!ordinary) return unscaled(modified_any(n + 0.5, {x, 0}).i).re;
        double j = unscaled(cylinder(n + 0.5, {x, 0}).j).re;
        return ::fmod(n, 2.) == 0 ? j : -j;
    }
    double rest;
    if (x > STRUVE_FAR && struve_asymptote(v, x, ordinary ? 1 : -1, &rest)) {
        if (ordinary) return unscaled(cylinder(v, {x, 0}).y).re + rest;
        return unscaled(modified_any(-v, {x, 0}).i).re - rest;
    }
    return struve_series(v, x, ordinary ? -1 : 1);
}

GPUNP_HD double struve_function(double v, double x, bool ordinary) {
    if (x < 0 && !is_whole(v)) return libm<double>::nan();
    double value = struve_of(v, ::fabs(x), ordinary);
    return x < 0 && ::fmod(v, 2.) == 0 ? -value : value;
}

// The sum of (sign x^2)^k / ((2 k + 1)!!^2 (2 k + shift)) in twofold precision.
GPUNP_HD_CALLED Twofold struve_integral_series(double x, double sign, double shift) {
    Twofold square = product({x, 0}, {sign * x, 0}), term = {1, 0}, sum = quotient(term, {shift, 0});
    for (int k = 1; k < MOST_TERMS; ++k) {
        double odd = 2. * k + 1;
        term = quotient(product(term, square), {odd * odd, 0});
        Twofold part = quotient(term, {2 * k + shift, 0});
        sum = add(sum, part);
        if (k > 0.5 * x && ::fabs(part.high) <= 1e-20 * ::fabs(sum.high)) break;
    }
    return sum;
}

// The sum over k >= first of (sign)^k (2 k - 1)!!^2 / ((2 k + shift) x^(2 k)).
GPUNP_HD_CALLED double struve_integral_asymptote(double x, double sign, double shift, int first) {
    double u = sign / (x * x), term = 1, sum = first == 0 ? 1 / shift : 0;
    for (int k = 1; k < 60; ++k) {
        double odd = 2. * k - 1, next = term * odd * odd * u;
        if (::fabs(next) > ::fabs(term)) break;
        term = next;
        sum += term / (2 * k + shift);
        if (::fabs(term) < 1e-18) break;
    }
    return sum;
}

}  // namespace special

GPUNP_HD double struve(double v, double x) {
    return special::struve_function(v, x, true);
}
GPUNP_HD double modstruve(double v, double x) {
    return special::struve_function(v, x, false);
}

// The integral of H_0 from 0 to x.
GPUNP_HD_CALLED double itstruve0(double x) {
    using namespace special;
    double a = ::fabs(x);
    if (!is_finite(x)) return libm<double>::nan();
    if (a <= STRUVE_FAR) return 2 / constant::PI * (a * a * struve_integral_series(a, -1, 2).high);
    double rest = (::log(2 * a) + EULER) - struve_integral_asymptote(a, -1, 0, 1);
    return 2 / constant::PI * rest + j0_y0_integrals(a).second;
}

// The integral of H_0(u) / u from x to infinity.
GPUNP_HD_CALLED double it2struve0(double x) {
    using namespace special;
    double a = ::fabs(x), value;
    if (!is_finite(x)) return libm<double>::nan();
    if (a <= STRUVE_FAR) {
        Twofold part = product(struve_integral_series(a, -1, 1), {a, 0});
        value = constant::HALF_PI - 2 / constant::PI * part.high;
    } else {
        value = hankel_tail(a, true).im + 2 / constant::PI / a * struve_integral_asymptote(a, -1, 1, 0);
    }
    return x < 0 ? constant::PI - value : value;
}

// The integral of L_0 from 0 to x.
GPUNP_HD_CALLED double itmodstruve0(double x) {
    using namespace special;
    double a = ::fabs(x);
    if (!is_finite(x)) return libm<double>::nan();
    if (a <= STRUVE_FAR) return 2 / constant::PI * (a * a * struve_integral_series(a, 1, 2).high);
    double rest = (::log(2 * a) + EULER) - struve_integral_asymptote(a, 1, 0, 1);
    return i0_integral(a, false) - 2 / constant::PI * rest;
}

}  // namespace math
}  // namespace gpunp
