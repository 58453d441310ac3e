// Bessel functions of complex numbers and any real order, with the reflections of SciPy.
#pragma once
#include "gpunp/math/special_bessel.h"
#include "gpunp/math/special_cylinder_core.h"
#include "gpunp/math/special_series.h"

namespace gpunp {
namespace math {
namespace special {

GPUNP_HD Scaled operator*(Complex a, Scaled b) {
    return {a * b.value, b.exponent};
}
GPUNP_HD Scaled operator*(double a, Scaled b) {
    return {a * b.value, b.exponent};
}
GPUNP_HD Scaled operator+(Scaled a, Scaled b) {
    double exponent = larger(a.exponent, b.exponent);
    return {a.value * ::exp(a.exponent - exponent) + b.value * ::exp(b.exponent - exponent), exponent};
}
GPUNP_HD Scaled times_exp(Scaled a, double exponent) {
    return {a.value, a.exponent + exponent};
}

GPUNP_HD bool is_whole(double x) {
    return x == ::floor(x);
}

// cos(pi x) and sin(pi x).
struct Turn {
    double cosine, sine;
};
GPUNP_HD Turn turn_of(double x) {
    Complex turn = turn_by_pi(x);
    return {turn.re, turn.im};
}

// a * x + b * y, where factors of zero drop a term that may be infinite.
GPUNP_HD_CALLED Scaled combination(double a, Scaled x, double b, Scaled y) {
    if (a == 0) return b * y;
    if (b == 0) return a * x;
    return a * x + b * y;
}

// J, Y and both Hankel functions of order >= 0.
struct Cylinder {
    Scaled j, y, h1, h2;
};

// For Im z >= 0: J and the first Hankel function are I and K of -i z (DLMF 10.27.6-8); the second one is 2 J
// - H1.
GPUNP_HD_CALLED Cylinder cylinder_above(double nu, Complex z) {
    Modified both = modified(nu, over_i(z));
    Complex quarter = turn_by_pi(0.5 * nu);
    Cylinder found;
    found.j = quarter * both.i;
    found.h1 = (2 / constant::PI * over_i(math::conjugate(quarter))) * both.k;
    found.h2 = 2. * found.j + -1. * found.h1;
    found.y = Complex{0, -1} * (found.h1 + -1. * found.j);
    return found;
}

GPUNP_HD_CALLED Cylinder cylinder_of(double nu, Complex z) {
    if (z.im >= 0) return cylinder_above(nu, z);
    Cylinder other = cylinder_above(nu, math::conjugate(z));
    return {conjugate(other.j), conjugate(other.y), conjugate(other.h2), conjugate(other.h1)};
}

// The same for any order (DLMF 10.2.3, 10.4.6-8).
GPUNP_HD_CALLED Cylinder cylinder(double v, Complex z) {
    if (v >= 0) return cylinder_of(v, z);
    Cylinder found = cylinder_of(-v, z);
    Turn turn = turn_of(-v);
    Complex phase = {turn.cosine, turn.sine};
    return {combination(turn.cosine, found.j, -turn.sine, found.y),
            combination(turn.sine, found.j, turn.cosine, found.y), phase * found.h1,
            math::conjugate(phase) * found.h2};
}

// I and K of order >= 0 in the whole plane; the side above the negative axis belongs to it.
GPUNP_HD_CALLED Modified modified_of(double nu, Complex z) {
    if (z.re >= 0) return modified(nu, z);
    bool below = z.im < 0;
    Modified other = modified(nu, -(below ? math::conjugate(z) : z));
    Complex turn = turn_by_pi(nu);
    Scaled i = turn * other.i, k = math::conjugate(turn) * other.k + Complex{0, -constant::PI} * other.i;
    if (below) return {conjugate(i), conjugate(k)};
    return {i, k};
}

GPUNP_HD_CALLED Modified modified_any(double v, Complex z) {
    if (v >= 0) return modified_of(v, z);
    Modified both = modified_of(-v, z);
    Turn turn = turn_of(-v);
    both.i = combination(1, both.i, 2 / constant::PI * turn.sine, both.k);
    return both;
}

// Whether a function is NaN for these operands.
GPUNP_HD bool is_outside(double v, Complex z) {
    return v != v || is_infinite(v) || !is_finite(z.re) || !is_finite(z.im);
}
// NaN where both parts are not numbers, as a complex product with an infinity may have a part that is.
GPUNP_HD Complex whole_nan(Complex z) {
    return is_nan(z) ? not_a_number<Complex>() : z;
}

// J and I at the origin.
GPUNP_HD double first_kind_at_origin(double v, bool signed_infinity) {
    if (v != v) return v;
    if (v == 0) return 1;
    if (v > 0 || is_whole(v)) return 0;
    // The sign of 1 / gamma(v + 1).
    return signed_infinity && ::fmod(::floor(v), 2.) == 0 ? -libm<double>::infinity()
                                                          : libm<double>::infinity();
}

GPUNP_HD Complex complex_at_origin(double v) {
    if (v != v || is_infinite(v) || (v < 0 && !is_whole(v))) return not_a_number<Complex>();
    return {first_kind_at_origin(v, true), 0};
}

GPUNP_HD double y_at_origin(double v) {
    if (v != v) return v;
    bool negative = v < 0 && !is_infinite(v) && ::cos(constant::PI * ::fmod(v, 2.)) < 0;
    return negative ? libm<double>::infinity() : -libm<double>::infinity();
}

GPUNP_HD double or_infinity(double x, double sign) {
    return x == x ? x : sign * libm<double>::infinity();
}

}  // namespace special
}  // namespace math
}  // namespace gpunp
