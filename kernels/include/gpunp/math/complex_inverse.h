// Inverse circular and hyperbolic functions of complex numbers.
#pragma once
#include "gpunp/math/complex_support.h"

namespace gpunp {
namespace math {

// The parts of arcsin or arccos in the first quadrant: `angle` is the real part, and `growth` the imaginary
// part, which is the same for both up to its sign.
struct InverseParts {
    double angle, growth;
};

// For x and y close to 1 or near overflow or underflow, where the squares of the general case are inaccurate.
// Hull, Fairgrieve and Tang 1997, ACM TOMS 23(3), "Implementing the complex arcsine and arccosine".
GPUNP_HD InverseParts inverse_parts_extreme(double x, double y, bool cosine) {
    const double tiny = 5.966672584960166e-154;  // 4 * sqrt(least normal number)
    const double eps = libm<double>::epsilon;
    double sine_angle, growth;
    if (y < eps * ::fabs(x - 1)) {
        if (x < 1) return {cosine ? ::acos(x) : ::asin(x), y / ::sqrt((1 - x) * (1 + x))};
        bool huge = x > 1e153;
        sine_angle = constant::HALF_PI;
        growth = huge ? constant::LN2 + ::log(x) : ::log1p((x - 1) + ::sqrt((x - 1) * (x + 1)));
        if (!cosine) return {sine_angle, growth};
        return {huge ? y / x : y / ::sqrt((x - 1) * (x + 1)), growth};
    }
    if (y < tiny) {  // so x is 1
        double root = ::sqrt(y);
        return {cosine ? root : constant::HALF_PI - root, root};
    }
    if (eps * y - 1 >= x) {
        return {cosine ? constant::HALF_PI - x / y : x / y, constant::LN2 + ::log(y)};
    }
    if (x > 1) {
        double ratio = x / y;
        return {cosine ? ::atan(1 / ratio) : ::atan(ratio),
                constant::LN2 + ::log(y) + 0.5 * ::log1p(ratio * ratio)};
    }
    double a = ::sqrt(1 + y * y);
    return {cosine ? constant::HALF_PI - x / a : x / a, 0.5 * ::log1p(2 * y * (y + a))};
}

// arcsin or arccos of x + iy for finite x, y >= 0, by Hull, Fairgrieve and Tang 1997.
GPUNP_HD InverseParts inverse_parts(double x, double y, bool cosine) {
    const double large = 1e153, tiny = 5.966672584960166e-154;
    if (!(x < large && y < large && y > tiny)) return inverse_parts_extreme(x, y, cosine);
    double right = x + 1, left = x - 1;
    double r = hypot(right, y), s = hypot(left, y);
    double a = (r + s) / 2, b = x / a, yy = y * y;
    InverseParts parts;
    if (b <= 0.6417) {
        parts.angle = cosine ? ::acos(b) : ::asin(b);
    } else {
        double other = x <= 1 ? ::sqrt((a + x) / 2 * (yy / (r + right) + (s - left)))
                              : y * ::sqrt(((a + x) / (r + right) + (a + x) / (s + left)) / 2);
        parts.angle = cosine ? ::atan2(other, x) : ::atan2(x, other);
    }
    if (a <= 1.5) {
        double excess = (yy / (r + right) + (x < 1 ? yy / (s - left) : s + left)) / 2;  // a - 1
        parts.growth = ::log1p(excess + ::sqrt(excess * (a + 1)));
    } else {
        parts.growth = ::log(a + ::sqrt(a * a - 1));
    }
    return parts;
}

GPUNP_HD complex<double> arcsin(complex<double> z) {
    double x = ::fabs(z.re), y = ::fabs(z.im);
    InverseParts parts;
    if (is_infinite(x)) {
        double angle = is_infinite(y) ? constant::HALF_PI / 2 : is_finite(y) ? constant::HALF_PI : y;
        parts = {angle, libm<double>::infinity()};
    } else if (is_infinite(y)) {
        parts = {x == x ? 0. : x, y};
    } else if (x != x || y != y) {
        parts = {x == 0 ? x : libm<double>::nan(), libm<double>::nan()};
    } else {
        parts = inverse_parts(x, y, false);
    }
    return {::copysign(parts.angle, z.re), ::copysign(parts.growth, z.im)};
}

GPUNP_HD complex<double> arccos(complex<double> z) {
    double x = ::fabs(z.re), y = ::fabs(z.im);
    InverseParts parts;
    if (is_infinite(x)) {
        double angle = is_infinite(y) ? constant::HALF_PI / 2 : is_finite(y) ? 0. : y;
        parts = {angle, libm<double>::infinity()};
    } else if (is_infinite(y)) {
        parts = {x == x ? constant::HALF_PI : x, y};
    } else if (x != x || y != y) {
        parts = {x == 0 ? constant::HALF_PI : libm<double>::nan(), libm<double>::nan()};
    } else {
        parts = inverse_parts(x, y, true);
    }
    double angle = z.re < 0 ? constant::PI - parts.angle : parts.angle;
    return {angle, ::copysign(parts.growth, -z.im)};
}

// arcsinh z = -i arcsin iz.
GPUNP_HD complex<double> arcsinh(complex<double> z) {
    complex<double> w = arcsin(complex<double>{-z.im, z.re});
    return {w.im, -w.re};
}

// arccosh z = +-i arccos z, with nonnegative real part.
GPUNP_HD complex<double> arccosh(complex<double> z) {
    complex<double> w = arccos(z);
    return {::fabs(w.im), ::copysign(w.re, z.im)};
}

// Kahan 1987, CATANH, with log1p of the quotient of the distances to 1 and to -1.
GPUNP_HD complex<double> arctanh(complex<double> z) {
    const double large = 1e153, tiny = 1e-153;
    double x = ::fabs(z.re), y = ::fabs(z.im), re, im;
    if (is_infinite(x) || is_infinite(y)) {
        re = 0;
        im = y == y ? constant::HALF_PI : y;
    } else if (x != x || y != y) {
        re = x == 0 ? x : libm<double>::nan();
        im = libm<double>::nan();
    } else if (x >= large || y >= large) {  // x / |z|^2, by Smith's quotient
        double ratio = x >= y ? y / x : x / y;
        re = (x >= y ? 0.5 : 0.5 * ratio) / (larger(x, y) / 2 + (x >= y ? y : x) / 2 * ratio);
        im = constant::HALF_PI;
    } else if (x == 1 && y < tiny) {
        re = y == 0 ? libm<double>::infinity() : (constant::LN2 - ::log(y)) / 2;
        im = y == 0 ? 0. : constant::HALF_PI / 2;
    } else {
        re = ::log1p(4 * x / ((1 - x) * (1 - x) + y * y)) / 4;
        im = ::atan2(2 * y, (1 - x) * (1 + x) - y * y) / 2;
    }
    return {::copysign(re, z.re), ::copysign(im, z.im)};
}

// arctan z = -i arctanh iz.
GPUNP_HD complex<double> arctan(complex<double> z) {
    complex<double> w = arctanh(complex<double>{-z.im, z.re});
    return {w.im, -w.re};
}

GPUNP_HD complex<float> arcsin(complex<float> z) {
    return narrow(arcsin(widen(z)));
}
GPUNP_HD complex<float> arccos(complex<float> z) {
    return narrow(arccos(widen(z)));
}
GPUNP_HD complex<float> arctan(complex<float> z) {
    return narrow(arctan(widen(z)));
}
GPUNP_HD complex<float> arcsinh(complex<float> z) {
    return narrow(arcsinh(widen(z)));
}
GPUNP_HD complex<float> arccosh(complex<float> z) {
    return narrow(arccosh(widen(z)));
}
GPUNP_HD complex<float> arctanh(complex<float> z) {
    return narrow(arctanh(widen(z)));
}

}  // namespace math
}  // namespace gpunp
