// Faddeeva's function w(z) = exp(-z^2) erfc(-iz) and its relatives: Dawson's and Fresnel's integrals, Voigt's
// profile.
#pragma once
#include "gpunp/math/special_error_complex.h"
#include "gpunp/math/special_operators.h"

namespace gpunp {
namespace math {
namespace special {

constexpr double HALF_ROOT_PI = 0.88622692545275801;

// exp(x^2) with the rounding error of the square.
GPUNP_HD double exp_of_square(double x) {
    double square = x * x;
    if (square > 710) return libm<double>::infinity();
    return ::exp(square) * (1 + ::fma(x, x, -square));
}
GPUNP_HD double exp_of_minus_square(double x) {
    double square = x * x;
    if (square > 750) return 0;
    return ::exp(-square) * (1 - ::fma(x, x, -square));
}

// exp(-z^2).
GPUNP_HD_CALLED Complex gaussian(Complex z) {
    Complex unit;
    double exponent = gaussian_parts(z.re, z.im, &unit);
    return scale_by_exp(exponent, unit.re, -unit.im);
}

// w(x + iy) for x >= 0, y >= 0, by the rule and the correction for its pole.
GPUNP_HD_CALLED Complex faddeeva_quadrant(double x, double y) {
    bool trapezoid = faddeeva_wants_trapezoid(x, y);
    Complex sum = faddeeva_sum(x, y, trapezoid);
    if (y >= FADDEEVA_RATE || x > 30) {
        if (y == 0) sum.re = exp_of_minus_square(x);
        return sum;
    }
    double sign = trapezoid ? -1 : 1, growth = ::exp(2 * FADDEEVA_RATE * y), sine, cosine;
    libm<double>::sincos(2 * FADDEEVA_RATE * x, &sine, &cosine);
    double re = 1 + sign * growth * cosine, im = sign * growth * sine, scale = 2 / (re * re + im * im);
    return sum + gaussian({x, y}) * Complex{scale * re, scale * im};
}

GPUNP_HD_CALLED double dawson(double x) {
    double size = ::fabs(x);
    if (size < 1) {
        // exp(-x^2) times a series of positive terms.
        double square = x * x, term = x, sum = x;
        for (int n = 1; n < 20; ++n) {
            term *= square / n;
            sum += term / (2 * n + 1);
        }
        return exp_of_minus_square(x) * sum;
    }
    if (is_infinite(x)) return 1 / x;
    return ::copysign(HALF_ROOT_PI * faddeeva_quadrant(size, 0).im, x);
}

}  // namespace special

GPUNP_HD_CALLED complex<double> wofz(complex<double> z) {
    using namespace special;
    const double nan = libm<double>::nan();
    double x = ::fabs(z.re), y = ::fabs(z.im);
    if (z.re == 0) {
        // Real on the imaginary axis.
        if (z.im >= 0) return {erfcx(z.im), 0};
        return {2 * exp_of_square(z.im) - erfcx(y), 0};
    }
    if (is_nan(z)) return {z.im == 0 ? exp_of_minus_square(z.re) : nan, nan};
    if (z.im == 0 && is_finite(x)) return {exp_of_minus_square(x), dawson(z.re) / HALF_ROOT_PI};
    if (z.im >= 0) {
        if (is_infinite(x) || is_infinite(y)) return {0, 0};
        Complex w = faddeeva_quadrant(x, y);
        return {w.re, z.re < 0 ? -w.im : w.im};
    }
    if (is_infinite(y)) return {nan, nan};
    if (is_infinite(x)) return {0, 0};
    // 2 exp(-z^2) - w(-z), by the symmetry w(-conj(z)) = conj(w(z)) for x > 0.
    Complex w = faddeeva_quadrant(x, y), twice = gaussian({x, -y}) * 2;
    Complex result = {twice.re - w.re, twice.im + w.im};
    return {result.re, z.re < 0 ? -result.im : result.im};
}

GPUNP_HD_CALLED double erfcx(double x) {
    if (x >= 0) return special::erfcx(x);
    double twice = 2 * special::exp_of_square(x);
    return x < -26.7 ? (x == x ? libm<double>::infinity() : x) : twice - special::erfcx(-x);
}
GPUNP_HD complex<double> erfcx(complex<double> z) {
    return wofz(complex<double>{-z.im, z.re});
}

GPUNP_HD_CALLED double erfi(double x) {
    if (x * x > 720) return ::copysign(libm<double>::infinity(), x);
    double square = x * x, half = ::exp(0.5 * square), d = special::dawson(x) / special::HALF_ROOT_PI;
    if (::fabs(x) < 1) return special::exp_of_square(x) * d;
    return half * (1 + ::fma(x, x, -square)) * d * half;
}
GPUNP_HD complex<double> erfi(complex<double> z) {
    complex<double> turned = erf(complex<double>{-z.im, z.re});
    return {turned.im, -turned.re};
}

GPUNP_HD double dawsn(double x) {
    return special::dawson(x);
}
GPUNP_HD_CALLED complex<double> dawsn(complex<double> z) {
    using namespace special;
    if (z.im == 0) return {dawson(z.re), is_finite(z.re) ? z.im : 0 * z.im};
    double x = ::fabs(z.re), y = ::fabs(z.im);
    Complex d;
    if (x < 4 && y < 4) {
        d = HALF_ROOT_PI * (gaussian({x, y}) * erfi(Complex{x, y}));
    } else if (is_infinite(y) && is_finite(x)) {
        d = {libm<double>::nan(), y};
    } else if (is_infinite(x) && is_finite(y)) {
        d = {0, 0};
    } else {
        // i sqrt(pi) / 2 (exp(-z^2) - w(z)).
        d = times_i(HALF_ROOT_PI * (gaussian({x, y}) - wofz(Complex{x, y})));
    }
    if (z.re == 0) d.re = 0;
    return {z.re < 0 ? -d.re : d.re, z.im < 0 ? -d.im : d.im};
}

// The convolution of a normal and a Cauchy distribution.
GPUNP_HD_CALLED double voigt_profile(double x, double sigma, double gamma) {
    using namespace special;
    if (sigma == 0) {
        if (gamma == 0) return x == 0 ? libm<double>::infinity() : x != x ? x : 0;
        return gamma / constant::PI / (x * x + gamma * gamma);
    }
    const double root_two_pi = 2.5066282746310005;
    if (gamma == 0) return exp_of_minus_square(x / sigma * ROOT_HALF) / sigma / root_two_pi;
    double scale = 1 / sigma * ROOT_HALF;
    return wofz(Complex{x * scale, gamma * scale}).re / sigma / root_two_pi;
}

namespace special {

// The unit number exp(i pi x^2 / 2), with an exactly reduced square.
GPUNP_HD Complex turn_by_square(double x) {
    double square = x * x, low = ::fma(x, x, -square);
    if (is_infinite(square)) return {1, 0};
    double rest = square - 4 * ::rint(square / 4);
    if (::fabs(low) > 1e-6) {
        rest += low - 4 * ::rint(low / 4);
        low = 0;
    }
    Complex unit;
    libm<double>::sincos(constant::HALF_PI * rest, &unit.im, &unit.re);
    double angle = constant::HALF_PI * low;
    return {unit.re - angle * unit.im, unit.im + angle * unit.re};
}

// S and C by power series. The sums alternate; their terms are at most about e^(pi |z|^2 / 2).
template <class T>
GPUNP_HD_CALLED pair<T, T> fresnel_series(T z) {
    T square = z * z, step = square * constant::HALF_PI, term = z, c = z, s = number<T>(0);
    for (int n = 1; n < 60; ++n) {
        term = term * step / (double)n;
        T part = term / (double)(2 * n + 1);
        switch (n & 3) {
            case 0:
                c = c + part;
                break;
            case 1:
                s = s + part;
                break;
            case 2:
                c = c - part;
                break;
            default:
                s = s - part;
        }
        if (modulus(term) < 1e-17 * modulus(s)) break;
    }
    return {s, c};
}

// S and C where one of the exponentials exp(+-i pi z^2 / 2) is huge: the other one and the constants are
// below rounding. It may overflow, but keeps the signs of its parts.
GPUNP_HD_CALLED pair<Complex, Complex> fresnel_growth(Complex z) {
    bool upper = (z.re < 0) == (z.im < 0);
    double side = upper ? 1 : -1, turns = (z.re - z.im) * (z.re + z.im);
    double angle = is_finite(turns) ? side * constant::HALF_PI * ::fmod(turns, 4.) : 0;
    // The integral of exp(-side i pi t^2 / 2) from z on, by its asymptotic series.
    Complex square = times_i(-side * constant::PI * (z * z)), sum = {1, 0}, term = sum;
    for (int n = 1; n < 9 && modulus(square) < 1e9; ++n) {
        term = (2. * n - 1) * term / square;
        sum = sum + term;
    }
    double size = modulus(z);
    Complex unit = side * times_i(Complex{::cos(angle), -::sin(angle)}) * sum * (math::conjugate(z) / size);
    double exponent = constant::PI * ::fabs(z.re) * ::fabs(z.im) - ::log(2 * constant::PI * size);
    Complex c = scale_by_exp(exponent, unit.re, unit.im);
    return {side * times_i(c), c};
}

}  // namespace special

GPUNP_HD_CALLED pair<double, double> fresnel(double x) {
    using namespace special;
    double size = ::fabs(x);
    pair<double, double> found = {0.5, 0.5};
    if (x != x) {
        found = {x, x};
    } else if (size < 1.3) {
        found = fresnel_series(size);
    } else if (size < 1e17) {
        // Beyond, both are 1/2 to rounding. C + iS = (1 + i) / 2 erfc's complement at sqrt(pi) / 2 (1 - i) x.
        Complex w = faddeeva_quadrant(HALF_ROOT_PI * size, HALF_ROOT_PI * size);
        Complex turned = turn_by_square(size) * w;
        found = {0.5 - 0.5 * (turned.re + turned.im), 0.5 - 0.5 * (turned.re - turned.im)};
    }
    return x < 0 ? pair<double, double>{-found.first, -found.second} : found;
}

GPUNP_HD_CALLED pair<complex<double>, complex<double>> fresnel(complex<double> z) {
    using namespace special;
    if (z.im == 0 && is_finite(z.re)) {
        pair<double, double> found = fresnel(z.re);
        return {{found.first, 0}, {found.second, 0}};
    }
    if (modulus(z) < 1.5) return fresnel_series(z);
    if (constant::PI * ::fabs(z.re) * ::fabs(z.im) > 650) return fresnel_growth(z);
    Complex first = erf(Complex{HALF_ROOT_PI * (z.re - z.im), HALF_ROOT_PI * (z.re + z.im)});
    Complex second = erf(Complex{HALF_ROOT_PI * (z.re + z.im), HALF_ROOT_PI * (z.im - z.re)});
    return {Complex{0.25, 0.25} * (first - times_i(second)),
            Complex{0.25, -0.25} * (first + times_i(second))};
}

namespace special {

// F+(x), the integral of exp(i t^2) from x on, and K+(x) = exp(-i (x^2 + pi / 4)) F+(x) / sqrt(pi).
GPUNP_HD_CALLED pair<Complex, Complex> modified_fresnel(double x) {
    const double half_root = 0.70710678118654752;
    double size = ::fabs(x);
    if (!is_finite(x)) return {not_a_number<Complex>(), not_a_number<Complex>()};
    Complex w = faddeeva_quadrant(half_root * size, half_root * size), turn;
    double square = x * x, low = ::fma(x, x, -square);
    libm<double>::sincos(square, &turn.im, &turn.re);
    Complex rest = {1, low};
    if (::fabs(low) > 1e-8) libm<double>::sincos(low, &rest.im, &rest.re);
    // Beyond the square root of the greatest number, f is zero to rounding, or a constant.
    turn = is_infinite(square) ? Complex{1, 0} : turn * rest;
    const double scale = HALF_ROOT_PI * half_root;
    Complex f = Complex{scale, scale} * (turn * w), k = 0.5 * w;
    if (x < 0) {
        f = Complex{2 * scale, 2 * scale} - f;
        k = Complex{turn.re, -turn.im} - k;
    }
    return {f, k};
}

}  // namespace special

GPUNP_HD pair<complex<double>, complex<double>> modfresnelp(double x) {
    return special::modified_fresnel(x);
}
GPUNP_HD pair<complex<double>, complex<double>> modfresnelm(double x) {
    pair<complex<double>, complex<double>> found = special::modified_fresnel(x);
    return {conjugate(found.first), conjugate(found.second)};
}

}  // namespace math
}  // namespace gpunp
