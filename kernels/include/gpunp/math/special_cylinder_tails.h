// Integrals of Bessel functions of order 0 and of Airy functions from 0 to x, or from x to infinity.
#pragma once
#include "gpunp/math/special_cylinder_core.h"
#include "gpunp/math/special_integral.h"

namespace gpunp {
namespace math {
namespace special {

// Terms of the series and the asymptotic series below.
constexpr int INTEGRAL_TERMS = 400;
// Where the series of the integrals of I, which do not cancel, give way to asymptotic ones.
constexpr double FAR = 40;

struct TwoIntegrals {
    double first, second;
};

// e^z times the integral of K_nu(u), or of K_0(u) / u, from z to infinity, for |z| >= 1.8 and Re z >= 0.
//
// K_nu(u) is the integral of exp(-u cosh t) cosh(nu t) (DLMF 10.32.9). With y^2 = z (cosh t - 1) the
// integrand falls like exp(-y^2); the trapezoidal rule's error falls exponentially with the distance of the
// pole y^2 = -z.
GPUNP_HD_CALLED Complex k_tail(double nu, Complex z, bool over_u) {
    Complex root = sqrt(2. * z);
    double step = ::fmin(0.5, 4.44 * root.re / (38 + z.re));
    Complex sum = {0, 0};
    for (int k = 0; k < 200; ++k) {
        double y = k * step, fall = ::exp(-y * y);
        Complex w = y / root, square = w * w, slope = sqrt(1. + square), factor = {fall, 0};
        if (nu != 0) {
            Complex power = exp(2 * nu * log(w + slope));
            factor = 0.5 * fall * (power + 1. / power);
        }
        Complex part = factor / slope;
        if (over_u)
            part = part * exponential_fraction(1, z + y * y);
        else
            part = part / (1. + 2. * square);
        sum = sum + (k == 0 ? 0.5 : 1) * part;
        if (fall < 1e-17) break;
    }
    return 2 * step * sum / root;
}

// The sum of (-1)^k b_k / x^k for the integral of I_nu, or of I_0(u) / u: e^x / sqrt(2 pi x) [/ x] times the
// sum is the integral to x, for large x.
GPUNP_HD_CALLED double i_integral_sum(double nu, double x, bool over_u) {
    double a = 1, b = 1, sum = 1, sign = 1, square = 4 * nu * nu;
    for (int k = 1; k < 60; ++k) {
        double odd = 2. * k - 1;
        a *= (square - odd * odd) / (8. * k * x);
        b = a - (k - (over_u ? -0.5 : 0.5)) / x * b;
        sign = -sign;
        sum += sign * b;
        if (::fabs(b) < 1e-17) break;
    }
    return sum;
}

// The integral of I_0 to x > 0, and that of (I_0(u) - 1) / u.
GPUNP_HD_CALLED double i0_integral(double x, bool over_u) {
    if (x > FAR) {
        double half = ::exp(0.5 * x), front = 0.3989422804014327 / ::sqrt(x);
        if (over_u) return half * (front / x * i_integral_sum(0, x, true)) * half - (::log(0.5 * x) + EULER);
        return half * (front * i_integral_sum(0, x, false)) * half;
    }
    double t = 0.25 * x * x, term = 1, sum = over_u ? 0 : 1;
    for (int k = 1; k < INTEGRAL_TERMS; ++k) {
        term *= t / ((double)k * k);
        double part = term / (over_u ? 2. * k : 2. * k + 1);
        sum += part;
        if (part <= 1e-18 * sum) break;
    }
    return over_u ? sum : x * sum;
}

// Series for small x of the integrals of J_0 and pi / 2 Y_0 (with `sign` -1), or of I_0 and -K_0, from 0 to
// x.
GPUNP_HD_CALLED TwoIntegrals small_integrals(double x, double sign) {
    double t = sign * 0.25 * x * x, term = 1, harmonic = 0, logarithm = ::log(0.5 * x) + EULER;
    TwoIntegrals found = {1, logarithm - 1};
    for (int k = 1; k < 30; ++k) {
        term *= t / ((double)k * k);
        harmonic += 1. / k;
        double odd = 2. * k + 1;
        found.first += term / odd;
        found.second += term / odd * (logarithm - 1 / odd - harmonic);
        if (::fabs(term) < 1e-19) break;
    }
    return {x * found.first, x * found.second};
}

// Series for small x: the sum over k > 0 of (sign x^2 / 4)^k / (2 k k!^2), and that with the factors H_k + 1
// / (2 k) - log(x / 2) - gamma (DLMF 10.43.2, and 6.2.13 for the logarithms).
GPUNP_HD_CALLED TwoIntegrals small_integrals_over_u(double x, double sign) {
    double t = sign * 0.25 * x * x, term = 1, harmonic = 0, logarithm = ::log(0.5 * x) + EULER;
    TwoIntegrals found = {0, 0};
    for (int k = 1; k < 30; ++k) {
        term *= t / ((double)k * k);
        harmonic += 1. / k;
        found.first += term / (2. * k);
        found.second += term / (2. * k) * (harmonic + 1 / (2. * k) - logarithm);
        if (::fabs(term) < 1e-19) break;
    }
    return found;
}

// The integrals of J_0 and Y_0 from x to infinity, or of J_0(u) / u and Y_0(u) / u, for x >= 2, in one
// complex number: K_0 at -i u is pi i / 2 times the first Hankel function.
GPUNP_HD_CALLED Complex hankel_tail(double x, bool over_u) {
    Complex tail = with_angle(x) * k_tail(0, {0, -x}, over_u);
    return 2 / constant::PI * (over_u ? over_i(tail) : tail);
}

// The integrals of J_0 and Y_0 to x.
GPUNP_HD_CALLED TwoIntegrals j0_y0_integrals(double x) {
    if (x < 2) {
        TwoIntegrals found = small_integrals(x, -1);
        return {found.first, 2 / constant::PI * found.second};
    }
    Complex tail = hankel_tail(x, false);
    return {1 - tail.re, -tail.im};
}

// The integral of (1 - J_0(u)) / u to x, and that of Y_0(u) / u from x to infinity.
GPUNP_HD_CALLED TwoIntegrals j0_y0_integrals_over_u(double x) {
    double logarithm = ::log(0.5 * x) + EULER;
    if (x < 2) {
        TwoIntegrals found = small_integrals_over_u(x, -1);
        double second = logarithm * logarithm - constant::PI * constant::PI / 6 - 2 * found.second;
        return {-found.first, -second / constant::PI};
    }
    Complex tail = hankel_tail(x, true);
    return {logarithm + tail.re, tail.im};
}

// The integral of Ai from z to infinity, for |arg z| <= pi / 3 and |xi| >= 1.8, where xi = 2 / 3 z^(3 / 2).
GPUNP_HD Complex airy_tail(Complex xi) {
    constexpr double inverse_pi_root_3 = 0.18377629847393068;
    return inverse_pi_root_3 * ::exp(-xi.re) * (with_angle(-xi.im) * k_tail(1. / 3, xi, false));
}

// The Maclaurin series of the integrals to x of the two solutions of Airy's equation (DLMF 9.4.1-4, times x).
GPUNP_HD_CALLED TwoIntegrals airy_integral_series(double x) {
    double cube = x * x * x, f = x, g = 0.5 * x * x;
    TwoIntegrals sums = {f, g};
    double term = x, other = x * x;
    for (int k = 1; k < INTEGRAL_TERMS; ++k) {
        double n = 3. * k;
        term *= cube / (n * (n - 1));
        other *= cube / (n * (n + 1));
        f = term / (n + 1);
        g = other / (n + 2);
        sums.first += f;
        sums.second += g;
        if (::fabs(f) <= 1e-18 * ::fabs(sums.first) && ::fabs(g) <= 1e-18 * ::fabs(sums.second)) break;
    }
    return sums;
}

// The integrals of Ai(u), Bi(u), Ai(-u) and Bi(-u) to x.
struct AiryIntegrals {
    double first, second, third, fourth;
};
GPUNP_HD_CALLED AiryIntegrals airy_integrals(double x) {
    constexpr double ai = 0.35502805388781724, slope = 0.2588194037928068, root_3 = 1.7320508075688772;
    AiryIntegrals found;
    double xi = 2. / 3 * x * ::sqrt(x);
    TwoIntegrals sums = airy_integral_series(x < 14 ? x : 1);
    found.second = root_3 * (ai * sums.first + slope * sums.second);
    if (x >= 14) {
        double half = ::exp(0.5 * xi), front = 0.4606588659617807 / ::sqrt(xi);  // 2 / sqrt(6 pi)
        found.second = half * (front * i_integral_sum(1. / 3, xi, false)) * half;
    }
    if (x < 2) {
        TwoIntegrals left = airy_integral_series(-x);
        found.first = ai * sums.first - slope * sums.second;
        found.third = -(ai * left.first - slope * left.second);
        found.fourth = -root_3 * (ai * left.first + slope * left.second);
        return found;
    }
    // On the negative axis, by the turned functions (DLMF 9.2.10, 9.2.12).
    Complex turned = airy_tail({0, xi});
    found.first = 1. / 3 - airy_tail({xi, 0}).re;
    found.third = 2. / 3 - 2 * turned.re;
    found.fourth = -2 * turned.im;
    return found;
}

}  // namespace special
}  // namespace math
}  // namespace gpunp
