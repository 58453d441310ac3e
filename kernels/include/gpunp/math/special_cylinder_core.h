// The modified Bessel functions I and K of real order >= 0 for complex numbers with Re z >= 0, and Airy's
// function.
#pragma once
#include "gpunp/math/special_cylinder_expansions.h"

namespace gpunp {
namespace math {
namespace special {

struct Modified {
    Scaled i, k;
};

GPUNP_HD Scaled conjugate(Scaled a) {
    return {math::conjugate(a.value), a.exponent};
}
GPUNP_HD_CALLED Complex unscaled(Scaled a) {
    if (a.exponent == 0) return a.value;
    // In halves, because the exponential may overflow where the product does not.
    double half = ::exp(0.5 * a.exponent);
    return {a.value.re * half * half, a.value.im * half * half};
}

// For orders below 100 or far from nu i, and Im z >= 0.
GPUNP_HD_CALLED Modified modified_moderate(double nu, Complex z) {
    double size = modulus(z);
    bool small = size <= 2 || size * size <= 4 * (nu + 1);
    if (!small && size > 18) {
        Asymptotes found = hankel_asymptotes(nu, z);
        if (found.converged) return {found.i, found.k};
    }
    // The exponents of Debye's expansions cost digits, which the series for small arguments keep.
    if ((nu > 60 && size > 1e-100) || (!small && (nu > 12 || size > 18))) {
        Asymptotes found = debye_asymptotes(nu, z);
        if (found.converged) return {found.i, found.k};
    }
    ScaledPair pair = k_by_recurrence(nu, z);
    Complex phase = with_angle(z.im);
    Modified both;
    both.k = {pair.first * math::conjugate(phase), -z.re};
    if (small)
        both.i = i_origin(nu, z);
    else
        both.i = {phase / (z * (pair.second + i_ratio(nu, z) * pair.first)), z.re};
    return both;
}

// Ai and its derivative.
struct Airy {
    Complex value, slope;
    double exponent;
};

// By the Maclaurin series (DLMF 9.4.1-2), for |z| < 1.
GPUNP_HD_CALLED Airy airy_origin(Complex z) {
    constexpr double at_0 = 0.35502805388781724, slope_at_0 = -0.2588194037928068;
    Complex cube = z * z * z, f = {1, 0}, g = {1, 0}, df = {0, 0}, dg = {1, 0}, term = {1, 0}, other = {1, 0};
    for (int k = 1; k < 12; ++k) {
        double n = 3. * k;
        // The derivatives' terms are those of the functions times their exponents, over z.
        df = df + term * cube / (n - 1);
        term = term * cube / (n * (n - 1));
        other = other * cube / (n * (n + 1));
        f = f + term;
        g = g + other;
        dg = dg + other * (n + 1);
    }
    // df is z times the derivative of f.
    Complex slope = at_0 * (z.re == 0 && z.im == 0 ? Complex{0, 0} : df / z) + slope_at_0 * dg;
    return {at_0 * f + slope_at_0 * (z * g), slope, 0};
}

GPUNP_HD_CALLED Airy airy_function(Complex z) {
    constexpr double inverse_pi_root_3 = 0.18377629847393068;  // 1 / (pi sqrt(3))
    if (modulus(z) < 1) return airy_origin(z);
    bool below = z.im < 0;
    if (below) z = math::conjugate(z);
    Complex root = sqrt(z), xi = 2. / 3 * (z * root), third, two_thirds;
    double exponent;
    if (z.re > 0 && z.im <= 1.7320508075688773 * z.re) {
        if (xi.re < 0) xi.re = 0;
        Scaled first = modified_moderate(1. / 3, xi).k, second = modified_moderate(2. / 3, xi).k;
        third = first.value;
        two_thirds = second.value;
        exponent = first.exponent;
    } else {
        // K(-t) in terms of K(t) and I(t) (DLMF 10.34.2), where Re t >= 0.
        Complex t = -xi;
        if (t.re < 0) t.re = 0;
        bool conjugated = t.im < 0;
        if (conjugated) t = math::conjugate(t);
        Modified first = modified_moderate(1. / 3, t), second = modified_moderate(2. / 3, t);
        if (conjugated) {
            first = {conjugate(first.i), conjugate(first.k)};
            second = {conjugate(second.i), conjugate(second.k)};
        }
        exponent = t.re;
        double fall = ::exp(-2 * exponent);
        // For small arguments, I is not scaled.
        double scale_1 = ::exp(first.i.exponent - exponent), scale_2 = ::exp(second.i.exponent - exponent);
        third = fall * turn_by_pi(-1. / 3) * first.k.value - constant::PI * scale_1 * times_i(first.i.value);
        two_thirds =
            fall * turn_by_pi(-2. / 3) * second.k.value - constant::PI * scale_2 * times_i(second.i.value);
    }
    Airy found = {inverse_pi_root_3 * (root * third), -inverse_pi_root_3 * (z * two_thirds), exponent};
    if (below) return {math::conjugate(found.value), math::conjugate(found.slope), exponent};
    return found;
}

// Olver's expansion, uniform at the turning point z = i nu (DLMF 10.20.4-6), for large nu and Im z >= 0.
GPUNP_HD_CALLED Modified modified_olver(double nu, Complex z) {
    static constexpr double a[] = GPUNP_OLVER_A, b[] = GPUNP_OLVER_B;
    Complex w = z / nu, s = debye_square(nu, z), sixth = exp(log(1.5 * debye_gap(s, -(w * w))) / 6.);
    Complex square = sixth * sixth, zeta = s * (square * square);
    double third = ::cbrt(nu), inverse = 1 / (nu * nu), scale = 1;
    Complex sum_a = {1, 0}, sum_b = {0, 0};
    for (int k = 0; k < 4; ++k) {
        Complex p = {0, 0}, q = p;
        for (int j = OLVER_TERMS - 1; j >= 0; --j) {
            if (k > 0) p = p * zeta + a[(k - 1) * OLVER_TERMS + j];
            q = q * zeta + b[k * OLVER_TERMS + j];
        }
        sum_a = sum_a + scale * p;
        sum_b = sum_b + scale * q;
        scale *= inverse;
    }
    sum_a = sum_a * (1.4142135623730951 / third * sixth);
    sum_b = sum_b * (1.4142135623730951 / (nu * third * third) * sixth);
    Complex quarter = turn_by_pi(0.5 * nu), turn = {-0.5, -0.8660254037844386}, at = third * third * zeta;
    Airy first = airy_function(at), second = airy_function(turn * at);
    Complex k = sum_a * second.value + turn * (sum_b * second.slope);
    Modified both;
    both.i = {quarter * (sum_a * first.value + sum_b * first.slope), first.exponent};
    // -pi i e^(i pi / 3)
    Complex factor = {2.7206990463513265, -1.5707963267948966};
    both.k = {factor * math::conjugate(quarter) * k, second.exponent};
    return both;
}

// I and K for any order nu >= 0, and Re z >= 0.
GPUNP_HD_CALLED Modified modified(double nu, Complex z) {
    bool below = z.im < 0;
    if (below) z.im = -z.im;
    Modified both;
    bool done = false;
    if (nu >= 60) {
        Complex s = debye_square(nu, z);
        if (modulus(s) < 0.9 && modulus(s) < 12 * ::pow(nu, -2. / 3)) {
            both = modified_olver(nu, z);
            done = true;
        }
    }
    if (!done) both = modified_moderate(nu, z);
    if (below) both = {conjugate(both.i), conjugate(both.k)};
    return both;
}

}  // namespace special
}  // namespace math
}  // namespace gpunp
