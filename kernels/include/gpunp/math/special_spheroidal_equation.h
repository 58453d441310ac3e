// Solutions of the spheroidal wave equation, also for the order -1/2 of modified Mathieu functions.
//
// Without the factor |1 + p x^2|^(m/2), angular and radial functions u satisfy
//   (1 + p x^2) u'' + 2 (m + 1) p x u' + (constant + square x^2) u = 0,
// p = -1 for prolate functions, of the angle (|x| < 1) or the radius (x > 1), and for oblate ones of the
// angle; p = 1 for oblate functions of the radius. The solutions are carried along x by Taylor series, whose
// coefficients follow from the equation: from 0, where the parity gives a solution, from the singularity 1,
// where the bounded solution is a series, and from large x, where the asymptotic series gives the outgoing
// wave. Each is carried in the direction in which it grows, so that rounding errors do not.
#pragma once
#include "gpunp/math/special_operators.h"

namespace gpunp {
namespace math {
namespace special {

struct WaveEquation {
    double p, m, constant, square;

    GPUNP_HD double leading(double x) const { return p < 0 ? (1 - x) * (1 + x) : 1 + x * x; }
    GPUNP_HD double last(double x) const { return constant + square * x * x; }
};

// A solution and its derivative at x, in units of 2^exponent.
struct Solution {
    double u, slope;
    int exponent;
};

GPUNP_HD Solution scaled(Solution found, double factor, int exponent) {
    const int whole = found.exponent + exponent;
    return {::ldexp(factor * found.u, whole), ::ldexp(factor * found.slope, whole), 0};
}

constexpr int TAYLOR_TERMS = 100;

// The bounded solution with the value 1 at the singularity x = 1 (p = -1), at 1 + s. Frobenius' series.
GPUNP_HD_CALLED Solution from_singularity(const WaveEquation& e, double s) {
    double before = 0, second = 0, term = 1;
    Solution sum = {1, 0, 0};
    const double last = e.constant + e.square;
    double scaled_slope = 0;
    for (int k = 0; k < TAYLOR_TERMS; k++) {
        const double next =
            s *
            ((last - k * (k + 2 * e.m + 1)) * term + s * (2 * e.square * second + s * e.square * before)) /
            (2 * (k + 1) * (k + 1 + e.m));
        before = second;
        second = term;
        term = next;
        sum.u += term;
        scaled_slope += (k + 1) * term;
        if (::fabs(term) + ::fabs(second) + ::fabs(before) < 1e-18 * ::fabs(sum.u)) break;
    }
    sum.slope = s == 0 ? last / (2 * (1 + e.m)) : scaled_slope / s;
    return sum;
}

// Greatest |s| for which the series at the singularity cancels little.
GPUNP_HD double singular_reach(const WaveEquation& e) {
    double reach = 0.5;
    const double first = 2 * (e.m + 1) / ::fabs(e.constant + e.square), third = 1 / ::sqrt(::fabs(e.square));
    if (first < reach) reach = first;
    return third < reach ? third : reach;
}

// One Taylor series about x, evaluated at x + h.
GPUNP_HD_CALLED Solution taylor_step(const WaveEquation& e, double x, double h, Solution from) {
    const double scale = 1 / e.leading(x), b = 2 * (e.m + 1) * e.p;
    const double f1 = -x * h * scale, f2 = -h * h * scale, f3 = 2 * e.square * x * h * f2,
                 f4 = e.square * h * h * f2, last = e.last(x);
    // Terms k - 2 to k + 1 of the sum, of which a step makes k + 2.
    double first = 0, second = 0, third = from.u, fourth = h * from.slope;
    double u = third + fourth, slope = fourth;
    for (int k = 0; k < TAYLOR_TERMS; k++) {
        const double next = (f1 * (k + 1) * (2 * e.p * k + b) * fourth +
                             f2 * (k * (e.p * (k - 1) + b) + last) * third + f3 * second + f4 * first) /
                            ((k + 1) * (k + 2));
        first = second;
        second = third;
        third = fourth;
        fourth = next;
        u += next;
        slope += (k + 2) * next;
        if ((k + 2) * (::fabs(first) + ::fabs(second) + ::fabs(third) + ::fabs(fourth)) <
            1e-17 * (::fabs(u) + ::fabs(slope)))
            break;
    }
    return {u, slope / h, from.exponent};
}

// The greatest step at x in which a Taylor series converges quickly and cancels little.
GPUNP_HD double taylor_reach(const WaveEquation& e, double x) {
    const double leading = ::fabs(e.leading(x));
    double h = 0.4 * (e.p < 0 ? ::fabs(1 - ::fabs(x)) : ::sqrt(leading));
    const double rate = (e.m + 1) * ::fabs(x) / leading;
    double wave = ::sqrt(::fabs(e.last(x)) / leading) + rate;
    if (wave * h > 2) h = 2 / wave;
    wave = ::sqrt((::fabs(e.last(x)) + ::fabs(e.square) * h * (2 * ::fabs(x) + h)) / leading) + rate;
    return wave * h > 2.5 ? 2.5 / wave : h;
}

// More steps are not taken: the solution is NaN. They suffice for oblate functions with c up to 1e5, and
// prolate ones with c up to 1e3, whose asymptotic series begins at c / 4.
constexpr int SPHEROIDAL_STEPS = 200000;

// Carries a solution from x to `to`.
GPUNP_HD_CALLED Solution carry(const WaveEquation& e, double x, double to, Solution at) {
    for (int step = 0; x != to; step++) {
        const double h = taylor_reach(e, x);
        const double end = ::fabs(to - x) <= h ? to : to > x ? x + h : x - h;
        if (!(step < SPHEROIDAL_STEPS && h > 0 && at.u == at.u) || end == x)
            return {libm<double>::nan(), libm<double>::nan(), 0};
        at = taylor_step(e, x, end - x, at);
        if (::fabs(at.u) + ::fabs(at.slope) > 1e100)
            at = {::ldexp(at.u, -300), ::ldexp(at.slope, -300), at.exponent + 300};
        x = end;
    }
    return at;
}

// The bounded solution at x, which has the value 1 at the singularity 1.
GPUNP_HD Solution bounded(const WaveEquation& e, double x) {
    const double reach = singular_reach(e);
    if (::fabs(x - 1) <= reach) return from_singularity(e, x - 1);
    const double start = x > 1 ? 1 + reach : 1 - reach;
    return carry(e, start, x, from_singularity(e, start - 1));
}

// The outgoing wave u ~ exp(i (c y - eighths pi / 4)) (x / y)^(m + 1), y to infinity, at x.
struct Wave {
    double x;
    Solution real, imag;
};

// Tries the asymptotic series at x.
GPUNP_HD_CALLED bool asymptotic_wave(const WaveEquation& e, double c, int eighths, double x, Wave* wave) {
    const double base = e.p * e.constant - e.square;
    Complex third = {0, 0}, second = {0, 0}, term = {1, 0}, sum = {1, 0}, slope = {-(e.m + 1), 0};
    int small = 0;
    for (int k = 1; small < 3; k++) {
        if (k > 80) return false;
        const double s1 = e.m + k, s2 = s1 - 1, s3 = s1 - 2;
        const Complex next =
            ((s1 * (s1 + 1 - 2 * (e.m + 1)) + base) / x * term -
             Complex{0, 2 * c * e.p * s2 / x / x} * second + e.p * s3 * (s3 + 1) / x / x / x * third) *
            Complex{0, -1 / (2 * c * k)};
        third = second;
        second = term;
        term = next;
        const double size = ::fabs(term.re) + ::fabs(term.im);
        if (!(size < 2)) return false;
        sum = sum + term;
        slope = slope - (s1 + 1) * term;
        small = size * (s1 + 1) < 1e-18 * (1 + c * x) ? small + 1 : 0;
    }
    // The phase c x with its rounding error.
    const double phase = c * x, rest = ::fma(c, x, -phase);
    double sine = ::sin(phase), cosine = ::cos(phase);
    Complex turn = {cosine - rest * sine, sine + rest * cosine};
    constexpr double HALF_ROOT = 0.70710678118654752440;
    const Complex turns[8] = {{1, 0},  {HALF_ROOT, -HALF_ROOT}, {0, -1}, {-HALF_ROOT, -HALF_ROOT},
                              {-1, 0}, {-HALF_ROOT, HALF_ROOT}, {0, 1},  {HALF_ROOT, HALF_ROOT}};
    turn = turn * turns[eighths & 7];
    const Complex value = turn * sum, change = turn * (slope / x + Complex{0, c} * sum);
    *wave = {x, {value.re, change.re, 0}, {value.im, change.im, 0}};
    return true;
}

// The outgoing wave at x, or at the nearest of some points beyond it where its series converges.
GPUNP_HD Wave outgoing_wave(const WaveEquation& e, double c, int eighths, double x) {
    const double nan = libm<double>::nan();
    Wave wave = {x, {nan, nan, 0}, {nan, nan, 0}};
    double start = 20 / c > 1.5 ? 20 / c : 1.5;
    if (x > start) start = x;
    for (int k = 0; k < 400 && !asymptotic_wave(e, c, eighths, start, &wave); k++) start *= 1.3;
    return wave;
}

// Returns the multiple of `found`, a solution that is `far` at the place of the wave, that is the wave's real
// part there.
GPUNP_HD Solution real_part_of(const Wave& wave, Solution far, Solution found) {
    const double whole = wave.real.u * wave.imag.slope - wave.real.slope * wave.imag.u;
    return scaled(found, whole / (far.u * wave.imag.slope - far.slope * wave.imag.u), -far.exponent);
}

}  // namespace special
}  // namespace math
}  // namespace gpunp
