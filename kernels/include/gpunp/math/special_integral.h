// Exponential, sine and cosine integrals, ordinary and hyperbolic, and Spence's function (the dilogarithm).
#pragma once
#include "gpunp/math/special_gamma.h"
#include "gpunp/math/special_operators.h"

namespace gpunp {
namespace math {
namespace special {

constexpr double EULER = 0.57721566490153286;
// Terms smaller than this relative to their sum end a series or a fraction.
constexpr double INTEGRAL_GOAL = 1e-17;

// The sum of z^k / (k k!).
template <class T>
GPUNP_HD_CALLED T entire_integral(T z) {
    T term = z, sum = z;
    for (int k = 2; k < 500; ++k) {
        term = term * z / (double)k;
        T part = term / (double)k;
        sum = sum + part;
        if (modulus(part) <= INTEGRAL_GOAL * modulus(sum)) break;
    }
    return sum;
}

// e^z E_n(z) by the continued fraction (Lentz's algorithm), away from the negative axis.
template <class T>
GPUNP_HD_CALLED T exponential_fraction(double n, T z) {
    T b = z + n, d = number<T>(1) / b, c = number<T>(1e300), value = d;
    for (int k = 1; k < 500; ++k) {
        double numerator = -k * (n - 1 + k);
        b = b + 2.;
        d = number<T>(1) / (numerator * d + b);
        c = numerator / c + b;
        T factor = c * d;
        value = value * factor;
        if (modulus(factor - 1.) < 2.5e-16) break;
    }
    return value;
}

// x e^-x Ei(x) for x > 40 by the asymptotic series.
GPUNP_HD double exponential_asymptote(double x) {
    double term = 1, sum = 1;
    for (int k = 1; k < 60; ++k) {
        double next = term * k / x;
        if (next >= term || next < INTEGRAL_GOAL * sum) break;
        term = next;
        sum += term;
    }
    return sum;
}

}  // namespace special

GPUNP_HD_CALLED double exp1(double x) {
    if (x == 0) return libm<double>::infinity();
    if (!(x > 0)) return libm<double>::nan();
    if (x <= 1.5) return -(special::EULER + ::log(x)) - special::entire_integral(-x);
    double e = ::exp(-x);
    return e == 0 ? 0 : e * special::exponential_fraction(1, x);
}

GPUNP_HD_CALLED double expi(double x) {
    if (x == 0) return -libm<double>::infinity();
    if (x < 0) return -exp1(-x);
    if (x <= 40) return (special::EULER + ::log(x)) + special::entire_integral(x);
    if (is_infinite(x)) return x;
    double half = ::exp(x / 2);
    return half / x * special::exponential_asymptote(x) * half;
}

namespace special {

// E1(z) for |z| > 0; on the negative axis the imaginary part is -pi times the sign of Im z.
GPUNP_HD_CALLED Complex exponential_integral(Complex z) {
    double size = modulus(z), x = z.re, y = ::fabs(z.im);
    // The fraction converges slowly near the negative axis, where no terms of the series cancel.
    if (size < (x > 0 ? 2.5 : 5) || (x < -2 * y && size < 40)) {
        Complex sum = entire_integral(-z), logarithm = log(z);
        return -(sum + logarithm + EULER);
    }
    Complex e = exp(-z);
    Complex value;
    if (x < -2 * y || x < -700) {
        // Asymptotic series, with the jump across the negative axis.
        Complex term = {1, 0}, sum = {1, 0};
        for (int k = 1; k < 60; ++k) {
            Complex next = term * (double)-k / z;
            if (modulus(next) >= modulus(term) || modulus(next) < INTEGRAL_GOAL) break;
            term = next;
            sum = sum + term;
        }
        value = e / z * sum;
        if (y == 0) value.im = -::copysign(constant::PI, z.im);
        return value;
    }
    return e * exponential_fraction(1, z);
}

// Ei(z), continuous on both half planes.
GPUNP_HD_CALLED Complex exponential_integral_ei(Complex z) {
    Complex value = -exponential_integral(-z);
    double turn = z.im > 0 ? constant::PI : z.im < 0 ? -constant::PI : 0;
    if (z.im == 0 && z.re > 0) return {value.re, ::copysign(constant::PI, z.im) + value.im};
    return {value.re, value.im + turn};
}

}  // namespace special

GPUNP_HD_CALLED complex<double> exp1(complex<double> z) {
    using namespace special;
    if (z.re == 0 && z.im == 0) return {libm<double>::infinity(), -z.im};
    if (is_nan(z)) return not_a_number<Complex>();
    if (is_infinite(z.re) || is_infinite(z.im)) return not_a_number<Complex>();
    return exponential_integral(z);
}

GPUNP_HD_CALLED complex<double> expi(complex<double> z) {
    using namespace special;
    if (z.re == 0 && z.im == 0) return {-libm<double>::infinity(), z.im};
    if (z.re == libm<double>::infinity() && z.im == 0) return not_a_number<Complex>();
    return exponential_integral_ei(z);
}

GPUNP_HD_CALLED double expn(double order, double x) {
    using namespace special;
    const double infinity = libm<double>::infinity();
    if (!is_finite(order) || x != x || x < 0) return libm<double>::nan();
    double n = order < 0 ? -::floor(-order) : ::floor(order);
    if (n < 0) return libm<double>::nan();
    if (x > 709.78271289338397) return 0;
    if (x == 0) return n < 2 ? infinity : 1 / (n - 1);
    if (n == 0) return ::exp(-x) / x;
    if (n > 5000) {
        // The uniform expansion of DLMF 8.20(ii).
        double sum = x + n, ratio = n / (sum * sum);
        double y = x / n, value = (y * (6 * y - 8) + 1) * ratio;
        value = ((1 - 2 * y) + value) * ratio;
        return ((value + 1) * ratio + 1) * ::exp(-x) / sum;
    }
    if (x > 1) return ::exp(-x) * exponential_fraction(n, x);
    // The series of DLMF 8.19.8.
    double factor = 1, harmonic = 0, sum = n == 1 ? 0 : -1 / (1 - n), logarithmic = n == 1 ? 1 : 0;
    for (int k = 1; k < 10000; ++k) {
        factor *= -x / k;
        if (k < n) harmonic += 1. / k;
        if (k == n - 1) {
            logarithmic = factor;
            continue;
        }
        double part = factor / (k + 1 - n);
        sum -= part;
        if (k >= n && ::fabs(part) < INTEGRAL_GOAL * ::fabs(sum)) break;
        if (k < n && ::fabs(factor) < 1e-40) break;
    }
    return logarithmic == 0 ? sum : logarithmic * (harmonic - EULER - ::log(x)) + sum;
}

namespace special {

// The sums of z^(2k+1) / ((2k+1) (2k+1)!) and z^2k / (2k (2k)!) with the sign of each power of z^2.
template <class T>
GPUNP_HD_CALLED pair<T, T> odd_and_even(T z, double sign) {
    T term = z, odd = z, even = number<T>(0);
    for (int k = 2; k < 300; k += 2) {
        term = term * z * (sign / k);
        even = even + term / (double)k;
        term = term * z / (double)(k + 1);
        T part = term / (double)(k + 1);
        odd = odd + part;
        if (modulus(part) <= INTEGRAL_GOAL * modulus(odd)) break;
    }
    return {odd, even};
}

}  // namespace special

GPUNP_HD_CALLED pair<double, double> shichi(double x) {
    using namespace special;
    double size = ::fabs(x);
    if (x == 0) return {0, -libm<double>::infinity()};
    pair<double, double> found;
    if (size <= 40) {
        found = odd_and_even(size, 1);
        found.second += EULER + ::log(size);
    } else {
        double half = 0.5 * ::exp(size / 2), rest = ::exp(size / 2);
        double value = is_infinite(size) ? size : half / size * exponential_asymptote(size) * rest;
        found = {value, value};
    }
    return {x < 0 ? -found.first : found.first, found.second};
}

GPUNP_HD_CALLED pair<double, double> sici(double x) {
    using namespace special;
    double size = ::fabs(x);
    if (x == 0) return {0, -libm<double>::infinity()};
    if (is_infinite(x)) return {::copysign(constant::HALF_PI, x), x > 0 ? 0 : libm<double>::nan()};
    pair<double, double> found;
    if (size <= 4) {
        found = odd_and_even(size, -1);
        found.second += EULER + ::log(size);
    } else if (size < 1e9) {
        // E1(ix) = -Ci(x) + i (Si(x) - pi / 2).
        Complex turn;
        libm<double>::sincos(size, &turn.im, &turn.re);
        Complex value = conjugate(turn) * exponential_fraction(1, Complex{0, size});
        found = {value.im + constant::HALF_PI, -value.re};
    } else {
        found = {constant::HALF_PI - ::cos(size) / size, ::sin(size) / size};
    }
    return {x < 0 ? -found.first : found.first, found.second};
}

GPUNP_HD_CALLED pair<complex<double>, complex<double>> shichi(complex<double> z) {
    using namespace special;
    const double infinity = libm<double>::infinity(), half_pi = constant::HALF_PI;
    if (z.re == infinity && z.im == 0) return {{infinity, 0}, {infinity, 0}};
    if (z.re == -infinity && z.im == 0) return {{-infinity, 0}, {infinity, 0}};
    if (modulus(z) >= 0.8) z.im += 0;  // no negative zero, as in SciPy
    if (is_nan(z)) return {not_a_number<Complex>(), not_a_number<Complex>()};
    if (modulus(z) < 2) {
        if (z.re == 0 && z.im == 0) return {{0, 0}, {-infinity, libm<double>::nan()}};
        pair<Complex, Complex> found = odd_and_even(z, 1);
        return {found.first, found.second + log(z) + EULER};
    }
    Complex up = exponential_integral_ei(z), down = exponential_integral_ei(-z);
    if (z.im == 0) up.im = down.im = 0;
    Complex odd = 0.5 * (up - down), even = 0.5 * (up + down);
    if (z.im > 0) {
        odd.im -= half_pi;
        even.im += half_pi;
    } else if (z.im < 0) {
        odd.im += half_pi;
        even.im -= half_pi;
    } else if (z.re < 0) {
        even.im += constant::PI;
    }
    return {odd, even};
}

GPUNP_HD_CALLED pair<complex<double>, complex<double>> sici(complex<double> z) {
    using namespace special;
    const double infinity = libm<double>::infinity(), half_pi = constant::HALF_PI;
    if (z.re == infinity && z.im == 0) return {{half_pi, 0}, {0, 0}};
    if (z.re == -infinity && z.im == 0) return {{-half_pi, 0}, {0, constant::PI}};
    if (modulus(z) >= 0.8) z.im += 0;  // no negative zero, as in SciPy
    if (is_nan(z)) return {not_a_number<Complex>(), not_a_number<Complex>()};
    if (modulus(z) < 2) {
        if (z.re == 0 && z.im == 0) return {{0, 0}, {-infinity, libm<double>::nan()}};
        pair<Complex, Complex> found = odd_and_even(z, -1);
        return {found.first, found.second + log(z) + EULER};
    }
    Complex up = exponential_integral_ei(times_i(z)), down = exponential_integral_ei(over_i(z));
    Complex sine = over_i(0.5 * (up - down)), cosine = 0.5 * (up + down);
    if (z.re == 0) {
        cosine.im += z.im > 0 ? half_pi : -half_pi;
    } else if (z.re > 0) {
        sine.re -= half_pi;
    } else {
        sine.re += half_pi;
        cosine.im += z.im >= 0 ? constant::PI : -constant::PI;
    }
    return {sine, cosine};
}

namespace special {

// Li2(1 - e^-u) for small |u|: u - u^2 / 4 + the sum of B(2k) u^(2k+1) / (2k+1)!.
template <class T>
GPUNP_HD_CALLED T dilogarithm_series(T u) {
    constexpr double c[] = {1. / 36,
                            -1. / 3600,
                            1. / 211680,
                            -1. / 10886400,
                            1. / 526901760,
                            -4.0647616451442255e-11,
                            8.9216910204564526e-13,
                            -1.9939295860721076e-14,
                            4.5189800296199182e-16,
                            -1.0356517612181247e-17,
                            2.3952186210261867e-19,
                            -5.5817858743250093e-21};
    T square = u * u, sum = number<T>(c[11]);
    for (int k = 10; k >= 0; --k) sum = sum * square + c[k];
    return u * (sum * square + 1.) - 0.25 * square;
}

}  // namespace special

GPUNP_HD_CALLED double spence(double x) {
    using namespace special;
    const double zeta_2 = 1.6449340668482264;
    if (x < 0 || is_infinite(x)) return libm<double>::nan();
    if (x == 1) return 0;
    if (x == 0) return zeta_2;
    double logarithm = ::log(x);
    if (x > 2) return -dilogarithm_series(-::log1p(1 / (x - 1))) - zeta_2 - 0.5 * ::log(x - 1) * ::log(x - 1);
    if (x < 0.5) return zeta_2 - logarithm * ::log1p(-x) - dilogarithm_series(-::log1p(-x));
    return dilogarithm_series(-::log1p(x - 1));
}

GPUNP_HD_CALLED complex<double> spence(complex<double> z) {
    using namespace special;
    const double zeta_2 = 1.6449340668482264;
    if (z.re == 1 && z.im == 0) return {0, 0};
    if (!(is_finite(z.re) && is_finite(z.im))) return not_a_number<Complex>();
    if (z.re == 0 && z.im == 0) return {zeta_2, 0};
    Complex w = 1. - z;
    if (modulus(w) > 1) {
        // Inversion. The logarithm of -w = z - 1.
        Complex logarithm = log(z - 1.), inverse = Complex{1, 0} / w;
        Complex rest = zeta_2 + 0.5 * (logarithm * logarithm);
        if (inverse.re > 0.5) {
            Complex flipped = zeta_2 - log(inverse) * log1p(-inverse) - dilogarithm_series(-log(inverse));
            return -(rest + flipped);
        }
        return -(rest + dilogarithm_series(-log1p(-inverse)));
    }
    if (w.re > 0.5) return zeta_2 - log1p(-z) * log(z) - dilogarithm_series(-log1p(-z));
    return dilogarithm_series(-log1p(-w));
}

}  // namespace math
}  // namespace gpunp
