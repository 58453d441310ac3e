// Lambert's W, the solution of w e^w = z, and Wright's omega, the solution of w + log(w) = z.
#pragma once
#include "gpunp/math/special_operators.h"

namespace gpunp {
namespace math {
namespace special {

constexpr double INVERSE_E = 0.36787944117144232;
constexpr double INVERSE_E_LOW = -1.2428753672788363e-17;  // 1 / e - INVERSE_E

// One step of Halley's method for w e^w = z, in a form without overflow for Re w >= 0.
GPUNP_HD Complex lambert_step(Complex w, Complex z) {
    if (w.re >= 0) {
        Complex rest = w - z * exp(-w);
        return w - rest / (w + 1. - (w + 2.) * rest / (2. * w + 2.));
    }
    Complex e = exp(w), rest = w * e - z;
    return w - rest / (e * (w + 1.) - (w + 2.) * rest / (2. * w + 2.));
}

GPUNP_HD_CALLED Complex lambert_start(Complex z, double branch) {
    Complex shifted = {(z.re + INVERSE_E) + INVERSE_E_LOW, z.im};
    bool other = branch == (signbit(z.im) ? 1 : -1);
    if (modulus(shifted) < (branch == 0 ? 0.4 : 0.3) && (branch == 0 || (other && z.re < 0))) {
        // The series about the branch point -1 / e.
        Complex p = sqrt(2 * 2.7182818284590452 * shifted);
        if (other) p = -p;
        return -1. + p * (1. + p * (-1. / 3 + p * (11. / 72 - 43. / 540 * p)));
    }
    if (branch == 0 && z.re > -1 && z.re < 1.5 && ::fabs(z.im) < 1 && z.re > -2.5 * ::fabs(z.im) - 0.2) {
        // Pade's approximant at zero.
        return z * (1. + 4. / 3 * z) / (1. + z * (7. / 3 + 5. / 6 * z));
    }
    if (branch == -1 && z.im == 0 && z.re < 0 && z.re > -INVERSE_E) {
        double logarithm = ::log(-z.re);
        return {logarithm - ::log(-logarithm), 0};
    }
    Complex logarithm = log(z);
    logarithm.im += 2 * constant::PI * branch;
    return logarithm - log(logarithm);
}

}  // namespace special

GPUNP_HD_CALLED complex<double> lambertw(complex<double> z, int64_t branch, double goal) {
    using namespace special;
    const double infinity = libm<double>::infinity(), k = (double)branch;
    if (is_nan(z)) return z;
    if (z.re == infinity) return {infinity, z.im + 2 * constant::PI * k};
    if (z.re == -infinity) return {infinity, -z.im + (2 * k + 1) * constant::PI};
    if (is_infinite(z.im)) return not_a_number<Complex>();
    if (z.re == 0 && z.im == 0) return branch == 0 ? z : Complex{-infinity, 0};
    if (z.re == 1 && z.im == 0 && branch == 0) return {0.56714329040978387, 0};
    Complex w = lambert_start(z, k);
    for (int n = 0; n < 100; ++n) {
        Complex next = lambert_step(w, z);
        double change = modulus(next - w);
        if (is_nan(next)) break;
        w = next;
        if (change <= goal * modulus(next)) break;
    }
    return w;
}

GPUNP_HD_CALLED double wrightomega(double x) {
    if (x != x) return x;
    if (is_infinite(x)) return x > 0 ? x : 0;
    if (x < -50) return ::exp(x);
    if (x > 1e20) return x;
    double w = x < -2 ? ::exp(x) : x < 1 ? ::exp(2 * (x - 1) / 3) : x - ::log(x) + ::log(x) / x;
    // The error is raised to the fourth power by each step (Fritsch, Shafer and Crowley 1973).
    for (int n = 0; n < 3; ++n) {
        double rest = (x - w) - ::log(w), wp1 = w + 1, q = 2 * wp1 * (wp1 + 2 * rest / 3);
        double step = rest / wp1 * (q - rest) / (q - 2 * rest);
        w *= 1 + step;
        if (::fabs(step) < 1e-5) break;
    }
    return w;
}

GPUNP_HD_CALLED complex<double> wrightomega(complex<double> z) {
    using namespace special;
    const double pi = constant::PI, x = z.re, y = z.im;
    if (is_nan(z)) return not_a_number<Complex>();
    if (is_infinite(x) || is_infinite(y)) {
        if (x < 0 && is_infinite(x) && y > -pi && y <= pi) {
            double re = ::fabs(y) <= pi / 2 ? 0. : -0., im = y >= 0 ? 0. : -0.;
            return {re, im};
        }
        return z;
    }
    if (y == 0 && x > -1e300) return {wrightomega(x), 0};
    if (x < -50 && y > -pi && y < pi) return exp(z);
    if (modulus(z) > 1e20) return z;
    // Close to the cuts from -1 +- pi i to -infinity, w is minus the solution of log(v) - v = z -+ pi i.
    double side = y >= 0 ? 1 : -1, sign = 1;
    Complex w, beside = {x, (y - side * pi) - side * 1.2246467991473532e-16};
    if (x > -2 && x <= 1 && ::fabs(y) > 1 && ::fabs(y) < 2 * pi) {
        // The series about the branch point; conjugation selects the side of its cut.
        Complex q = 2. * Complex{beside.re + 1, side * beside.im}, p = conjugate(sqrt(conjugate(q)));
        w = -1. + p * (Complex{0, 1} + p * (1. / 3 + p * Complex{0, -1. / 36}));
        w.im *= side;
    } else if (x > -2 && x <= 1 && ::fabs(y) <= 1) {
        Complex t = z - 1.;
        w = 1. + t * (0.5 + t * (1. / 16 - t / 192.));
    } else if (x <= -2 && y > -pi && y <= pi) {
        Complex e = exp(z);
        w = e * (1. - e);
    } else if (x <= -2 && ::fabs(y) - pi <= -0.75 * (x + 1)) {
        w = beside - log(-beside);
    } else {
        Complex logarithm = log(z);
        w = z - logarithm + logarithm / z;
    }
    Complex goal = z;
    if (x <= -0.99 && ::fabs(beside.im) <= 1e-2) {
        sign = -1;
        goal = beside;
        w = -w;
    }
    for (int n = 0; n < 4; ++n) {
        Complex rest = goal - sign * w - log(w), after = sign * w + 1.;
        Complex q = 2. * after * (after + rest * (2. / 3));
        Complex step = rest / after * (q - rest) / (q - 2. * rest);
        if (is_nan(step)) break;
        w = w * (1. + step);
        if (modulus(step) < 1e-5) break;
    }
    return sign * w;
}

}  // namespace math
}  // namespace gpunp
