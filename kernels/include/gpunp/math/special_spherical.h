// Spherical Bessel functions of integer order and their derivatives (DLMF 10.47, 10.51), with SciPy's values
// at the ends.
#pragma once
#include "gpunp/math/special_cylinder_orders.h"

namespace gpunp {
namespace math {
namespace special {

// The kinds: of the first and second kind, and modified ones of the first and second kind.
enum Kind { SPHERICAL_J, SPHERICAL_Y, SPHERICAL_I, SPHERICAL_K };

GPUNP_HD Complex root_of_half_pi_over(Complex z) {
    return sqrt(constant::HALF_PI / z);
}

// The function for 0 < |z| < infinity.
template <Kind kind>
GPUNP_HD_CALLED Complex spherical_inside(double n, Complex z) {
    Scaled value;
    if (kind == SPHERICAL_J || kind == SPHERICAL_Y) {
        Cylinder all = cylinder(n + 0.5, with_positive_zero(z));
        value = kind == SPHERICAL_J ? all.j : all.y;
    } else {
        Modified both = modified_any(n + 0.5, with_positive_zero(z));
        value = kind == SPHERICAL_I ? both.i : both.k;
    }
    Complex whole = unscaled(root_of_half_pi_over(with_positive_zero(z)) * value);
    if (z.im == 0) whole.im = 0;
    return whole;
}

template <Kind kind>
GPUNP_HD_CALLED Complex spherical(double n, Complex z) {
    const double infinity = libm<double>::infinity(), nan = libm<double>::nan();
    bool even = ::fmod(n, 2.) == 0;
    if (is_nan(z)) return z;
    if (n < 0) return {nan, 0};
    if (is_origin(z)) {
        if (kind == SPHERICAL_J || kind == SPHERICAL_I) return {n == 0 ? 1. : 0., 0};
        return {nan, 0};
    }
    if (is_infinite(z.re) || is_infinite(z.im)) {
        bool modified_kind = kind == SPHERICAL_I || kind == SPHERICAL_K;
        if (z.im != 0 && modified_kind) return {nan, 0};
        if (z.im != 0) return is_infinite(z.re) ? Complex{infinity, infinity} : not_a_number<Complex>();
        if (kind == SPHERICAL_I) return {z.re > 0 || even ? infinity : -infinity, 0};
        return {kind == SPHERICAL_K && z.re < 0 ? -infinity : 0, 0};
    }
    return spherical_inside<kind>(n, z);
}

// On the real axis; below zero by reflection.
template <Kind kind>
GPUNP_HD_CALLED double spherical(double n, double x) {
    const double infinity = libm<double>::infinity();
    bool even = ::fmod(n, 2.) == 0;
    if (n < 0 || x != x) return libm<double>::nan();
    if (x == 0 && kind == SPHERICAL_Y) return -infinity;
    if (x == 0 && kind == SPHERICAL_K) return infinity;
    bool reflected = x < 0 && kind != SPHERICAL_K;
    double value = spherical<kind>(n, Complex{reflected ? -x : x, 0}).re;
    if (value != value && kind != SPHERICAL_J) value = kind == SPHERICAL_Y ? -infinity : infinity;
    return reflected && even == (kind == SPHERICAL_Y) ? -value : value;
}

template <Kind kind, class T>
GPUNP_HD_CALLED T spherical_slope(double n, T z) {
    if (n == 0) {
        T next = spherical<kind>(1., z);
        return kind == SPHERICAL_I ? next : -next;
    }
    if (is_origin(z) && (kind == SPHERICAL_J || kind == SPHERICAL_I)) return number<T>(n == 1 ? 1. / 3 : 0.);
    T before = spherical<kind>(n - 1, z), here = spherical<kind>(n, z);
    if (is_origin(z)) return kind == SPHERICAL_K ? -here : not_a_number<T>();
    return (kind == SPHERICAL_K ? -before : before) - (n + 1) * here / z;
}

}  // namespace special

#define GPUNP_SPHERICAL(name, kind)                                   \
    template <class T>                                                \
    GPUNP_HD T spherical_##name(int64_t n, T z) {                     \
        return special::spherical<special::kind>((double)n, z);       \
    }                                                                 \
    template <class T>                                                \
    GPUNP_HD T spherical_##name##_d(int64_t n, T z) {                 \
        return special::spherical_slope<special::kind>((double)n, z); \
    }
GPUNP_SPHERICAL(jn, SPHERICAL_J)
GPUNP_SPHERICAL(yn, SPHERICAL_Y)
GPUNP_SPHERICAL(in, SPHERICAL_I)
GPUNP_SPHERICAL(kn, SPHERICAL_K)
#undef GPUNP_SPHERICAL

}  // namespace math
}  // namespace gpunp
