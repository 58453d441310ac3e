// Mathieu functions of integer order: characteristic values, periodic and modified functions. DLMF 28.
#pragma once
#include "gpunp/math/special_characteristic.h"
#include "gpunp/math/special_spheroidal_equation.h"

namespace gpunp {
namespace math {
namespace special {

// A function and its derivative.
struct WithDerivative {
    double first, second;
};

GPUNP_HD WithDerivative undefined() {
    return {libm<double>::nan(), libm<double>::nan()};
}

constexpr double TWO_OVER_PI = 0.63661977236758134308;

GPUNP_HD bool is_order(double m, double least) {
    return m >= least && m == ::floor(m) && m < 4503599627370496.0;
}

GPUNP_HD bool is_odd(double m) {
    return ::fmod(m, 2.0) != 0;
}

GPUNP_HD MathieuBand mathieu_band(double m, double q, bool sines) {
    return {q, is_odd(m) ? 1 : sines ? 2 : 0, sines};
}

// a_m or b_m for q > 0.
GPUNP_HD_CALLED double mathieu_value(double m, double q, bool sines) {
    if (m == 0 && q < 0.5) {
        // The continued fraction for a_0 ~ -q^2 / 2 with relative accuracy.
        double value = 0, last = 1;
        for (int step = 0; step < 30 && value != last; step++) {
            double fraction = 0;
            for (int k = 10; k > 0; k--)
                fraction = (k == 1 ? 2 : 1) * q * q / (4. * k * k - value - fraction);
            last = value;
            value = -fraction;
        }
        return value;
    }
    const MathieuBand band = mathieu_band(m, q, sines);
    const double k = (m - band.shift) / 2, value = band.asymptotic(k);
    return (value > 0 ? value : characteristic(band, k).value) - 2 * q;
}

// Sums over the coefficients of the Fourier series, in units of the one in the middle row.
struct FourierSum {
    double value, slope, norm, sign;

    // Adds the term of the angle `multiple` x.
    GPUNP_HD void add(double weight, double multiple, double cosine, double sine, bool sines,
                      double sign_factor) {
        value += weight * (sines ? sine : cosine);
        slope += weight * multiple * (sines ? cosine : -sine);
        norm += weight;
        sign += sign_factor;
    }
    GPUNP_HD void scale(double ratio) {
        value *= ratio;
        slope *= ratio;
        norm *= ratio * ratio;
        sign *= ratio;
    }
};

// Sums the rows from `row` to the middle, whose own term only the sum with `inclusive` has.
GPUNP_HD_CALLED FourierSum fourier_sum(const MathieuBand& band, const Characteristic& at, double row,
                                       int direction, double k, double x) {
    FourierSum sum = {0, 0, 0, 0};
    const bool first = row == 0 && direction > 0;
    double factor = first ? band.first_factor() : 1;
    double weight = band.first_weight();
    const double start = band.multiple(row);
    double cosine = ::cos(start * x), sine = ::sin(start * x);
    const double c2 = ::cos(2 * x), s2 = direction * ::sin(2 * x);
    const bool by_slope = band.shift == 2 || (band.shift == 1 && !band.sines);
    for (double i = row;; i += direction) {
        const double w = i == 0 ? weight : 1;
        const double sign = (is_odd(i + k) ? -1 : 1) * (by_slope ? band.multiple(i) : w);
        if (i != at.middle || direction > 0) sum.add(w, band.multiple(i), cosine, sine, band.sines, sign);
        if (i == at.middle) break;
        const double s = (i == 0 ? weight : 1) * (band.diagonal(i) - at.value) + band.q * factor;
        double pivot = band.q + s;
        if (pivot == 0) pivot = 1e-290;
        factor = s / pivot;
        sum.scale(-band.q / pivot);
        const double turned = cosine * c2 - sine * s2;
        sine = sine * c2 + cosine * s2;
        cosine = turned;
    }
    return sum;
}

// ce_m or se_m for q > 0 at x in radians. The norm is 1 for sqrt(2) cos(m x) or sqrt(2) sin(m x) over a
// period, and the sign of the derivative or value at pi / 2, which has no zero in q > 0, is that for q = 0.
GPUNP_HD_CALLED WithDerivative mathieu_periodic(double m, double q, bool sines, double x) {
    const MathieuBand band = mathieu_band(m, q, sines);
    const double k = (m - band.shift) / 2;
    const Characteristic at = characteristic(band, k);
    if (at.value != at.value) return undefined();
    const FourierSum low = fourier_sum(band, at, at.first, 1, k, x);
    const FourierSum high = fourier_sum(band, at, at.last - 1, -1, k, x);
    double scale = 1 / ::sqrt(low.norm + high.norm);
    if (low.sign + high.sign < 0) scale = -scale;
    // Half of the first coefficient of even cosines is in the series.
    return {scale * (low.value + high.value), scale * (low.slope + high.slope)};
}

// ce_m or se_m for all q, x in degrees; the period is removed without error.
GPUNP_HD_CALLED WithDerivative mathieu_degrees(double m, double q, bool sines, double x) {
    constexpr double DEGREE = 0.017453292519943295769;
    if (!is_order(m, 0) || q != q || is_infinite(q)) return undefined();
    if (sines && m == 0) return {0, 0};
    if (q < 0) {
        // DLMF 28.2.34 to 28.2.37.
        const bool odd = is_odd(m), negative = is_odd(::floor(m / 2)) != (sines && !odd);
        WithDerivative found = mathieu_periodic(m, -q, sines != odd, (90 - ::fmod(x, 360.0)) * DEGREE);
        return negative ? WithDerivative{-found.first, found.second}
                        : WithDerivative{found.first, -found.second};
    }
    return mathieu_periodic(m, q, sines, ::fmod(x, 360.0) * DEGREE);
}

// A modified function of the first or second kind and its derivative for q >= 0: the equation in sinh(x) is
// that of oblate functions of the radius with the order -1/2.
GPUNP_HD_CALLED WithDerivative mathieu_modified(double m, double q, bool sines, int kind, double x) {
    if (!is_order(m, sines) || !(q >= 0) || is_infinite(q) || x != x) return undefined();
    if (q < 1e-200) {
        // The limit for q to 0.
        if (kind == 1) return {m == 0 ? 1. : 0., 0};
        return {-libm<double>::infinity(), m == 0 ? TWO_OVER_PI : libm<double>::infinity()};
    }
    const double y = ::sinh(x), c = 2 * ::sqrt(q);
    if (is_infinite(y)) return {0, libm<double>::nan()};
    const WaveEquation e = {1, -0.5, 2 * q - mathieu_value(m, q, sines), 4 * q};
    const Wave wave = outgoing_wave(e, c, (int)::fmod(2 * m + 1, 8.0), ::fabs(y));
    const double norm = ::sqrt(TWO_OVER_PI / (c * wave.x));
    const Solution start = sines ? Solution{0, 1, 0} : Solution{1, 0, 0};
    Solution found;
    if (::fabs(y) < wave.x) {
        found = kind == 2 ? carry(e, wave.x, y, wave.imag)
                          : real_part_of(
                                wave, carry(e, y < 0 ? 0 : y, wave.x, y < 0 ? start : carry(e, 0, y, start)),
                                carry(e, 0, y, start));
        found = scaled(found, 1, 0);
    } else {
        found = kind == 1 ? wave.real : wave.imag;
        if (y < 0) {
            // The first kind has the parity of the start. Its multiple gives the second kind the values at 0
            // of the mirrored function (DLMF 28.22).
            if (kind == 2) {
                const Wave near = outgoing_wave(e, c, (int)::fmod(2 * m + 1, 8.0), 0);
                const Solution first = real_part_of(near, carry(e, 0, near.x, start), start);
                const Solution second = scaled(carry(e, near.x, 0, near.imag), 1, 0);
                const double factor = 2 * (sines ? second.slope / first.slope : second.u / first.u);
                found.u = factor * wave.real.u - found.u;
                found.slope = factor * wave.real.slope - found.slope;
            }
            if (sines)
                found.u = -found.u;
            else
                found.slope = -found.slope;
        }
    }
    return {norm * found.u, norm * found.slope * ::cosh(x)};
}

}  // namespace special

GPUNP_HD double mathieu_a(double m, double q) {
    if (!special::is_order(m, 0) || q != q || is_infinite(q)) return libm<double>::nan();
    return special::mathieu_value(m, ::fabs(q), q < 0 && special::is_odd(m));
}
GPUNP_HD double mathieu_b(double m, double q) {
    if (!special::is_order(m, 1) || q != q || is_infinite(q)) return libm<double>::nan();
    return special::mathieu_value(m, ::fabs(q), q >= 0 || !special::is_odd(m));
}
GPUNP_HD special::WithDerivative mathieu_cem(double m, double q, double x) {
    return special::mathieu_degrees(m, q, false, x);
}
GPUNP_HD special::WithDerivative mathieu_sem(double m, double q, double x) {
    return special::mathieu_degrees(m, q, true, x);
}
GPUNP_HD special::WithDerivative mathieu_modcem1(double m, double q, double x) {
    return special::mathieu_modified(m, q, false, 1, x);
}
GPUNP_HD special::WithDerivative mathieu_modcem2(double m, double q, double x) {
    return special::mathieu_modified(m, q, false, 2, x);
}
GPUNP_HD special::WithDerivative mathieu_modsem1(double m, double q, double x) {
    return special::mathieu_modified(m, q, true, 1, x);
}
GPUNP_HD special::WithDerivative mathieu_modsem2(double m, double q, double x) {
    return special::mathieu_modified(m, q, true, 2, x);
}

}  // namespace math
}  // namespace gpunp
