// Bessel, Hankel and modified Bessel functions of any real order; SciPy's values at the origin and at
// infinity.
//
// Scaled ones, whose names end with e: jve and yve are times exp(-|Im z|), ive times exp(-|Re z|), kve times
// exp(z), hankel1e times exp(-i z), and hankel2e times exp(i z).
#pragma once
#include "gpunp/math/special_cylinder_orders.h"

namespace gpunp {
namespace math {

GPUNP_HD_CALLED double jv(double v, double x) {
    using namespace special;
    if (is_infinite(v) && ::fabs(x) < libm<double>::infinity()) return x < 0 ? libm<double>::nan() : 0;
    if (is_outside(v, {x, 0})) return libm<double>::nan();
    if (v == 0) return j0(x);
    if (v == 1) return j1(x);
    // Squares of such orders overflow.
    if (v > 1e150 && ::fabs(x) < 0.5 * v) return x < 0 && !is_whole(v) ? libm<double>::nan() : 0;
    if (x == 0) return first_kind_at_origin(v, true);
    if (x < 0 && !is_whole(v)) return libm<double>::nan();
    double sign = x < 0 && ::fmod(v, 2.) != 0 ? -1 : 1;
    double value = unscaled(cylinder(v, {::fabs(x), 0}).j).re;
    // Next to the origin, the function of the other kind overflows.
    if (value != value && v < 0 && ::fabs(x) < 1e-100) value = first_kind_at_origin(v, true);
    return sign * value;
}
GPUNP_HD_CALLED double jve(double v, double x) {
    if (is_infinite(v) || (x == 0 && v < 0 && !special::is_whole(v))) return libm<double>::nan();
    return jv(v, x);
}
GPUNP_HD_CALLED complex<double> jv(double v, complex<double> z) {
    using namespace special;
    if (is_origin(z)) return complex_at_origin(v);
    if (is_outside(v, z)) return not_a_number<Complex>();
    return unscaled(cylinder(v, with_positive_zero(z)).j);
}
GPUNP_HD_CALLED complex<double> jve(double v, complex<double> z) {
    using namespace special;
    if (is_origin(z)) return complex_at_origin(v);
    if (is_outside(v, z)) return not_a_number<Complex>();
    return unscaled(times_exp(cylinder(v, with_positive_zero(z)).j, -::fabs(z.im)));
}

GPUNP_HD_CALLED double yv(double v, double x) {
    using namespace special;
    if (x == 0) return y_at_origin(v);
    if (is_outside(v, {x, 0}) || x < 0) return libm<double>::nan();
    if (v == 0) return y0(x);
    if (v == 1) return y1(x);
    double value = unscaled(cylinder(v, {x, 0}).y).re;
    return value == value ? value : y_at_origin(v);
}
GPUNP_HD_CALLED double yve(double v, double x) {
    return x == 0 ? libm<double>::nan() : yv(v, x);
}
GPUNP_HD_CALLED complex<double> yv(double v, complex<double> z) {
    using namespace special;
    if (is_origin(z) && v == v)
        return {v < 0 && !is_infinite(v) && is_whole(v + 0.5) ? libm<double>::nan() : y_at_origin(v), 0};
    if (is_outside(v, z)) return not_a_number<Complex>();
    return whole_nan(unscaled(cylinder(v, with_positive_zero(z)).y));
}
GPUNP_HD_CALLED complex<double> yve(double v, complex<double> z) {
    using namespace special;
    if (is_outside(v, z) || is_origin(z)) return not_a_number<Complex>();
    return whole_nan(unscaled(times_exp(cylinder(v, with_positive_zero(z)).y, -::fabs(z.im))));
}

GPUNP_HD_CALLED complex<double> hankel1(double v, complex<double> z) {
    using namespace special;
    if (is_outside(v, z) || is_origin(z)) return not_a_number<Complex>();
    return whole_nan(unscaled(cylinder(v, with_positive_zero(z)).h1));
}
GPUNP_HD_CALLED complex<double> hankel1e(double v, complex<double> z) {
    using namespace special;
    if (is_outside(v, z) || is_origin(z)) return not_a_number<Complex>();
    Complex phase = with_angle(-z.re);
    return whole_nan(unscaled(times_exp(phase * cylinder(v, with_positive_zero(z)).h1, z.im)));
}
GPUNP_HD_CALLED complex<double> hankel2(double v, complex<double> z) {
    using namespace special;
    if (is_origin(z) && v == 0) return {libm<double>::nan(), libm<double>::infinity()};
    if (is_outside(v, z) || is_origin(z)) return not_a_number<Complex>();
    return whole_nan(unscaled(cylinder(v, with_positive_zero(z)).h2));
}
GPUNP_HD_CALLED complex<double> hankel2e(double v, complex<double> z) {
    using namespace special;
    if (is_outside(v, z) || is_origin(z)) return not_a_number<Complex>();
    Complex phase = with_angle(z.re);
    return whole_nan(unscaled(times_exp(phase * cylinder(v, with_positive_zero(z)).h2, -z.im)));
}

namespace special {

// I for x != 0, times an exponential.
GPUNP_HD_CALLED double i_real(double v, double x, double exponent) {
    if (is_outside(v, {x, 0}) || (x < 0 && !is_whole(v))) return libm<double>::nan();
    double sign = x < 0 && ::fmod(v, 2.) != 0 ? -1 : 1;
    return sign * unscaled(times_exp(modified_any(v, {::fabs(x), 0}).i, exponent)).re;
}

}  // namespace special

GPUNP_HD_CALLED double iv(double v, double x) {
    using namespace special;
    if (is_infinite(v) && ::fabs(x) < libm<double>::infinity()) return 0;
    if (x == 0) return first_kind_at_origin(v, false);
    if (v > 1e150 && x > 0 && x < 0.5 * v) return 0;
    return i_real(v, x, 0);
}
GPUNP_HD_CALLED double ive(double v, double x) {
    using namespace special;
    if (is_infinite(v) || (x == 0 && v < 0 && !is_whole(v))) return libm<double>::nan();
    if (x == 0) return first_kind_at_origin(v, false);
    return i_real(v, x, -::fabs(x));
}
GPUNP_HD_CALLED complex<double> iv(double v, complex<double> z) {
    using namespace special;
    if (is_origin(z)) return complex_at_origin(v);
    if (is_outside(v, z)) return not_a_number<Complex>();
    return unscaled(modified_any(v, with_positive_zero(z)).i);
}
GPUNP_HD_CALLED complex<double> ive(double v, complex<double> z) {
    using namespace special;
    if (is_origin(z)) return complex_at_origin(v);
    if (is_outside(v, z)) return not_a_number<Complex>();
    return unscaled(times_exp(modified_any(v, with_positive_zero(z)).i, -::fabs(z.re)));
}

GPUNP_HD_CALLED double kv(double v, double x) {
    using namespace special;
    if (x == 0) return libm<double>::infinity();
    if (v != v || is_infinite(v) || !(x > 0)) return libm<double>::nan();
    if (is_infinite(x)) return 0;
    return or_infinity(unscaled(modified(::fabs(v), {x, 0}).k).re, 1);
}
GPUNP_HD_CALLED double kve(double v, double x) {
    using namespace special;
    if (x == 0) return libm<double>::infinity();
    if (is_outside(v, {x, 0}) || x < 0) return libm<double>::nan();
    return or_infinity(unscaled(times_exp(modified(::fabs(v), {x, 0}).k, x)).re, 1);
}
GPUNP_HD_CALLED complex<double> kv(double v, complex<double> z) {
    using namespace special;
    if (is_outside(v, z) || is_origin(z)) return not_a_number<Complex>();
    return whole_nan(unscaled(modified_any(::fabs(v), with_positive_zero(z)).k));
}
GPUNP_HD_CALLED complex<double> kve(double v, complex<double> z) {
    using namespace special;
    if (is_outside(v, z) || is_origin(z)) return not_a_number<Complex>();
    return whole_nan(
        unscaled(times_exp(with_angle(z.im) * modified_any(::fabs(v), with_positive_zero(z)).k, z.re)));
}

// Orders are integers; those given as floating-point numbers are cut.
GPUNP_HD double yn(int64_t n, double x) {
    return yv((double)n, x);
}
GPUNP_HD double yn(double n, double x) {
    return yv(::trunc(n), x);
}
GPUNP_HD double kn(int64_t n, double x) {
    return kv((double)n, x);
}
GPUNP_HD double kn(double n, double x) {
    if (n != n) return n;
    return is_infinite(x) && x > 0 ? 0 : kv(::trunc(n), x);
}
GPUNP_HD double k0(double x) {
    return kv(0, x);
}
GPUNP_HD double k1(double x) {
    return kv(1, x);
}
GPUNP_HD double k0e(double x) {
    return is_infinite(x) && x > 0 ? 0 : kve(0, x);
}
GPUNP_HD double k1e(double x) {
    return is_infinite(x) && x > 0 ? 0 : kve(1, x);
}

}  // namespace math
}  // namespace gpunp
