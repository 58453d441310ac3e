// Prolate and oblate spheroidal wave functions: characteristic values, functions of the angle and of the
// radius. DLMF 30, with the norm of Flammer: the function of the angle is at 0 the Legendre function of
// degree n.
#pragma once
#include "gpunp/math/special_mathieu.h"

namespace gpunp {
namespace math {
namespace special {

GPUNP_HD bool are_orders(double m, double n) {
    return is_order(m, 0) && is_order(n, m);
}

// Functions of a higher degree are NaN.
constexpr double MOST_DEGREE = 1e5;

// lambda_mn: c^2 x^2 is added to Legendre's operator for prolate functions and subtracted for oblate ones.
GPUNP_HD_CALLED double spheroidal_value(double m, double n, double c, bool prolate) {
    // SciPy has no values of higher degree.
    if (!are_orders(m, n) || n - m > 198 || c != c || is_infinite(c)) return libm<double>::nan();
    const SpheroidalBand band = {m, is_odd(n - m) ? 1. : 0., c * c, prolate};
    const double k = (n - m - band.parity) / 2, value = band.asymptotic(k);
    return (value > 0 ? value : characteristic(band, k).value) - (prolate ? 0 : c * c);
}

// The Legendre function of order m and degree n at 0, or if that is zero, its derivative; without the sign
// (-1)^m.
GPUNP_HD double legendre_at_zero(double m, double n) {
    double value = 1;
    for (double k = 1; k <= m; k++) value *= 2 * k - 1;
    const double parity = is_odd(n - m) ? 1 : 0;
    for (double l = m; l < n - parity; l += 2) value *= -(l + m + 1) / (l - m + 2);
    return parity == 0 ? value : (n + m) * value;
}

// The function of the angle for |x| < 1. It comes from 0 up to its largest values and from 1 down to them.
GPUNP_HD_CALLED WithDerivative spheroidal_angle(double m, double n, double c, double value, bool prolate,
                                                double x) {
    if (!are_orders(m, n) || n > MOST_DEGREE || !(x > -1 && x < 1) || c != c || value != value)
        return undefined();
    const double square = c * c, y = ::fabs(x);
    const WaveEquation e = {-1, m, value - m * (m + 1), prolate ? -square : square};
    const bool odd = is_odd(n - m);
    double middle = 0;
    if (!prolate && square > value) middle = ::sqrt((square - value) / (2 * square));
    if (middle > 1 || (middle > 0 && m == 0)) middle = 1;
    const double at_zero = legendre_at_zero(m, n);
    const Solution start = odd ? Solution{0, at_zero, 0} : Solution{at_zero, 0, 0};
    Solution found;
    if (y <= middle) {
        found = carry(e, 0, y, start);
    } else {
        const Solution central = carry(e, 0, middle, start);
        found = bounded(e, y);
        const Solution outer = y - 1 > -singular_reach(e) ? bounded(e, middle) : carry(e, y, middle, found);
        // The unit of squared slopes.
        const double wave = ::fabs(e.last(middle)) / e.leading(middle), unit = wave > 1 ? 1 / wave : 1;
        const double factor = (central.u * outer.u + unit * central.slope * outer.slope) /
                              (outer.u * outer.u + unit * outer.slope * outer.slope);
        found = scaled(found, factor, central.exponent - outer.exponent);
    }
    found = scaled(found, 1, 0);
    const double leading = e.leading(y), weight = m == 0 ? 1 : ::pow(leading, m / 2);
    const double sign = odd && x < 0 ? -1 : 1;
    if (m > 0) found.slope -= m * y * found.u / leading;
    return {sign * weight * found.u, (x < 0 ? -sign : 1) * weight * found.slope};
}

// The function of the radius of the first or second kind: x > 1 for prolate, x >= 0 for oblate functions.
GPUNP_HD_CALLED WithDerivative spheroidal_radius(double m, double n, double c, double value, bool prolate,
                                                 int kind, double x) {
    const bool inside = prolate ? x > 1 : x >= 0;
    if (!are_orders(m, n) || n > MOST_DEGREE || !inside || is_infinite(x) || c != c || is_infinite(c) ||
        value != value)
        return undefined();
    const double size = ::fabs(c), square = c * c;
    if (size < 1e-100) {
        // The limit for c to 0.
        if (kind == 1) return {n == 0 ? 1. : 0., 0};
        return {-libm<double>::infinity(), libm<double>::infinity()};
    }
    const double p = prolate ? -1 : 1, outside = value - m * (m + 1);
    const WaveEquation e = {p, m, -p * outside, p * square};
    const Wave wave = outgoing_wave(e, size, (int)::fmod(2 * (n + 1), 8.0), x);
    const bool odd = is_odd(n - m);
    Solution found;
    if (kind == 2) {
        found = carry(e, wave.x, x, wave.imag);
    } else if (wave.x == x) {
        found = wave.real;
    } else {
        const Solution start = odd ? Solution{0, 1, 0} : Solution{1, 0, 0};
        found = prolate ? bounded(e, x) : carry(e, 0, x, start);
        const Solution far =
            prolate && x - 1 < singular_reach(e) ? bounded(e, wave.x) : carry(e, x, wave.x, found);
        found = real_part_of(wave, far, found);
    }
    // The factor (|1 + p x^2|^(1/2) / wave.x)^m, of which the second part is from the wave.
    const double root = x > 1e8 ? x : ::sqrt(::fabs(e.leading(x)));
    int exponent;
    const double ratio = ::frexp(root / wave.x, &exponent);
    double norm = ::pow(ratio, m) / (size * wave.x);
    // Functions of order n are odd or even in c.
    if (c < 0 && is_odd(n) == (kind == 1)) norm = -norm;
    found.slope += m * (x / root / root) * found.u;
    found = scaled(found, norm, exponent * (int)m);
    return {found.u, found.slope};
}

}  // namespace special

GPUNP_HD double pro_cv(double m, double n, double c) {
    return special::spheroidal_value(m, n, c, true);
}
GPUNP_HD double obl_cv(double m, double n, double c) {
    return special::spheroidal_value(m, n, c, false);
}
GPUNP_HD special::WithDerivative pro_ang1_cv(double m, double n, double c, double cv, double x) {
    return special::spheroidal_angle(m, n, c, cv, true, x);
}
GPUNP_HD special::WithDerivative obl_ang1_cv(double m, double n, double c, double cv, double x) {
    return special::spheroidal_angle(m, n, c, cv, false, x);
}
GPUNP_HD special::WithDerivative pro_rad1_cv(double m, double n, double c, double cv, double x) {
    return special::spheroidal_radius(m, n, c, cv, true, 1, x);
}
GPUNP_HD special::WithDerivative pro_rad2_cv(double m, double n, double c, double cv, double x) {
    return special::spheroidal_radius(m, n, c, cv, true, 2, x);
}
GPUNP_HD special::WithDerivative obl_rad1_cv(double m, double n, double c, double cv, double x) {
    return special::spheroidal_radius(m, n, c, cv, false, 1, x);
}
GPUNP_HD special::WithDerivative obl_rad2_cv(double m, double n, double c, double cv, double x) {
    return special::spheroidal_radius(m, n, c, cv, false, 2, x);
}
GPUNP_HD special::WithDerivative pro_ang1(double m, double n, double c, double x) {
    return pro_ang1_cv(m, n, c, pro_cv(m, n, c), x);
}
GPUNP_HD special::WithDerivative obl_ang1(double m, double n, double c, double x) {
    return obl_ang1_cv(m, n, c, obl_cv(m, n, c), x);
}
GPUNP_HD special::WithDerivative pro_rad1(double m, double n, double c, double x) {
    return pro_rad1_cv(m, n, c, pro_cv(m, n, c), x);
}
GPUNP_HD special::WithDerivative pro_rad2(double m, double n, double c, double x) {
    return pro_rad2_cv(m, n, c, pro_cv(m, n, c), x);
}
GPUNP_HD special::WithDerivative obl_rad1(double m, double n, double c, double x) {
    return obl_rad1_cv(m, n, c, obl_cv(m, n, c), x);
}
GPUNP_HD special::WithDerivative obl_rad2(double m, double n, double c, double x) {
    return obl_rad2_cv(m, n, c, obl_cv(m, n, c), x);
}

}  // namespace math
}  // namespace gpunp
