// Airy functions, by Bessel functions of the orders 1/3 and 2/3; Kelvin's functions, by those of orders 0 and
// 1 on the diagonal of the plane.
#pragma once
#include "gpunp/math/special_cylinder_core.h"

namespace gpunp {
namespace math {
namespace special {

template <class T>
struct FourValues {
    T first, second, third, fourth;
};

GPUNP_HD FourValues<Complex> four_nan() {
    Complex nan = not_a_number<Complex>();
    return {nan, nan, nan, nan};
}

// Ai, Ai', Bi and Bi'; where `scaled`, the first two times exp(xi) and the others times exp(-|Re xi|), with
// xi = 2 / 3 z^(3 / 2).
GPUNP_HD_CALLED FourValues<Complex> airy_all(Complex z, bool scaled) {
    if (!is_finite(z.re) || !is_finite(z.im)) return four_nan();
    // The functions do not tell zeros of either sign apart, but the factor of scaled ones does.
    bool other_side = z.im == 0 && signbit(z.im) && z.re < 0;
    z = with_positive_zero(z);
    bool below = z.im < 0;
    if (below) z = math::conjugate(z);
    // Bi by Ai of z and of z turned by -120 degrees (DLMF 9.2.11); far in the sector around the positive axis
    // by I and K (DLMF 9.6.4-5), because the rounding error of a turned z would count there.
    const Complex turn = {-0.5, -0.8660254037844386}, sixth = {0.5, 0.8660254037844386};
    Airy here = airy_function(z), turned = airy_function(turn * z);
    Complex xi = 2. / 3 * (z * sqrt(z));
    double lift = scaled ? ::fabs(xi.re) : 0, highest = larger(here.exponent, turned.exponent);
    double own = ::exp(here.exponent - highest), other = ::exp(turned.exponent - highest);
    Complex b = over_i(2. * other * sixth * turned.value - own * here.value);
    Complex slope = over_i(2. * other * math::conjugate(sixth) * turned.slope - own * here.slope);
    if (z.re > 10 && z.im <= 1.7 * z.re) {
        Modified third = modified_moderate(1. / 3, xi), two_thirds = modified_moderate(2. / 3, xi);
        highest = third.i.exponent;
        // 2 / pi times the sine of pi / 3.
        double part = 0.5513288954217921 * ::exp(third.k.exponent - highest), root_third = 0.5773502691896258;
        b = root_third * (sqrt(z) * (2. * third.i.value + part * third.k.value));
        slope = root_third * (z * (2. * two_thirds.i.value + part * two_thirds.k.value));
    }
    // Two factors, because the exponential alone may overflow.
    double half = ::exp(0.5 * (highest - lift));
    FourValues<Complex> all;
    Complex phase = scaled ? with_angle(other_side ? -xi.im : xi.im) : Complex{1, 0};
    double down = ::exp(0.5 * (here.exponent + (scaled ? xi.re : 0)));
    all.first = phase * here.value * down * down;
    all.second = phase * here.slope * down * down;
    all.third = b * half * half;
    all.fourth = slope * half * half;
    if (below) {
        all = {math::conjugate(all.first), math::conjugate(all.second), math::conjugate(all.third),
               math::conjugate(all.fourth)};
    }
    return all;
}

// Below this number the asymptotic expansion has double precision.
constexpr double AIRY_FAR = -100;
// Angles above this have lost their digits in twofold precision.
constexpr double LARGEST_ANGLE = 1e30;

// The same for real x below AIRY_FAR (DLMF 9.7.9-12). The angle zeta = 2 / 3 |x|^(3 / 2) is large, and its
// rounding error is an error of the functions: it has two parts.
GPUNP_HD_CALLED FourValues<double> airy_far(double x) {
    double size = -x, root = ::sqrt(size), root_low = ::fma(-root, root, size) / (2 * root);
    double cube = size * root, cube_low = ::fma(size, root, -cube) + size * root_low;
    double zeta = cube * 2 / 3, zeta_low = (::fma(-3., zeta, 2 * cube) + 2 * cube_low) / 3;
    if (!(zeta < LARGEST_ANGLE)) {
        const double nan = libm<double>::nan();
        return {nan, nan, nan, nan};
    }
    double even = 1, odd = 0, even_slope = 1, odd_slope = 0, term = 1;
    for (int k = 1; k < 12; ++k) {
        // u_k / zeta^k, with the signs of both series, and v_k / zeta^k (DLMF 9.7.2).
        term *= (6. * k - 5) * (6. * k - 3) * (6. * k - 1) / (216. * k * (2. * k - 1) * zeta);
        double part = k & 2 ? -term : term, slope = part * (6. * k + 1) / (1 - 6. * k);
        if (k & 1) {
            odd += part;
            odd_slope += slope;
        } else {
            even += part;
            even_slope += slope;
        }
    }
    double sine, cosine, sine_low, cosine_low;
    libm<double>::sincos(zeta, &sine, &cosine);
    libm<double>::sincos(zeta_low - 0.25 * constant::PI, &sine_low, &cosine_low);
    double s = sine * cosine_low + cosine * sine_low, c = cosine * cosine_low - sine * sine_low;
    double fourth_root = ::sqrt(root), up = fourth_root / ::sqrt(constant::PI),
           down = 1 / (fourth_root * ::sqrt(constant::PI));
    return {down * (c * even + s * odd), up * (s * even_slope - c * odd_slope), down * (c * odd - s * even),
            up * (c * even_slope + s * odd_slope)};
}

GPUNP_HD FourValues<double> real_parts(FourValues<Complex> all) {
    return {all.first.re, all.second.re, all.third.re, all.fourth.re};
}

// The point x exp(i pi / 4), and that factor.
GPUNP_HD Complex diagonal(double x) {
    constexpr double half_root = 0.7071067811865476;
    return {x * half_root, x * half_root};
}

// The same for 0 < x <= 2 by their series (DLMF 10.65), of which each part is accurate.
GPUNP_HD_CALLED FourValues<Complex> kelvin_series(double x) {
    double q = 0.25 * x * x, harmonic = 0;
    Complex term = {1, 0}, sum = term, slope = {0, 0}, other = slope, other_slope = slope;
    for (int k = 1; k < 25; ++k) {
        // k times the term, without the factor q, which is too small for tiny x.
        Complex change = times_i(term) / (double)k;
        term = change * (q / k);
        harmonic += 1. / k;
        sum = sum + term;
        slope = slope + change;
        other = other + harmonic * term;
        other_slope = other_slope + harmonic * change;
    }
    slope = 0.5 * x * slope;
    Complex logarithm = {::log(0.5 * x) + 0.57721566490153286, 0.25 * constant::PI};
    return {sum, other - logarithm * sum, slope, 0.5 * x * other_slope - sum / x - logarithm * slope};
}

// Kelvin's functions (DLMF 10.61.1-2): ber + i bei, ker + i kei, and their derivatives, for x >= 0.
GPUNP_HD_CALLED FourValues<Complex> kelvin_all(double x) {
    const double infinity = libm<double>::infinity(), quarter = 0.25 * constant::PI;
    if (!is_finite(x)) return four_nan();
    if (x == 0) return {{1, 0}, {infinity, -quarter}, {0, 0}, {-infinity, 0}};
    if (x <= 2) return kelvin_series(x);
    // All are zero or infinite long before the squares of the bound overflow.
    Complex z = diagonal(::fmin(x, 1e150)), turn = diagonal(1);
    Modified zero = modified_moderate(0, z), one = modified_moderate(1, z);
    // The turn comes first, as it is a difference of infinities after an overflow.
    one.i.value = turn * one.i.value;
    one.k.value = turn * one.k.value;
    return {unscaled(zero.i), unscaled(zero.k), unscaled(one.i), -unscaled(one.k)};
}

}  // namespace special

GPUNP_HD special::FourValues<complex<double>> airy(complex<double> z) {
    using namespace special;
    if (!(z.im == 0 && z.re < AIRY_FAR && is_finite(z.re))) return airy_all(z, false);
    FourValues<double> all = airy_far(z.re);
    return {{all.first, 0}, {all.second, 0}, {all.third, 0}, {all.fourth, 0}};
}
GPUNP_HD special::FourValues<complex<double>> airye(complex<double> z) {
    return special::airy_all(z, true);
}
GPUNP_HD special::FourValues<double> airy(double x) {
    if (x < special::AIRY_FAR) return special::airy_far(x);
    return special::real_parts(special::airy_all({x, 0}, false));
}
GPUNP_HD special::FourValues<double> airye(double x) {
    bool far = x < special::AIRY_FAR;
    special::FourValues<double> all =
        far ? special::airy_far(x) : special::real_parts(special::airy_all({x, 0}, true));
    if (x < 0) all.first = all.second = libm<double>::nan();
    return all;
}

GPUNP_HD_CALLED special::FourValues<complex<double>> kelvin(double x) {
    special::FourValues<complex<double>> all = special::kelvin_all(::fabs(x));
    if (x < 0) {
        all.third = {-all.third.re, -all.third.im};
        all.second = all.fourth = {libm<double>::nan(), libm<double>::nan()};
    }
    return all;
}
GPUNP_HD double ber(double x) {
    return kelvin(x).first.re;
}
GPUNP_HD double bei(double x) {
    return kelvin(x).first.im;
}
GPUNP_HD double ker(double x) {
    return kelvin(x).second.re;
}
GPUNP_HD double kei(double x) {
    return kelvin(x).second.im;
}
GPUNP_HD double berp(double x) {
    return kelvin(x).third.re;
}
GPUNP_HD double beip(double x) {
    return kelvin(x).third.im;
}
GPUNP_HD double kerp(double x) {
    return kelvin(x).fourth.re;
}
GPUNP_HD double keip(double x) {
    return kelvin(x).fourth.im;
}

}  // namespace math
}  // namespace gpunp
