// Expansions of the modified Bessel functions I and K of real order >= 0 in the half plane Re z >= 0. All are
// used for Im z >= 0; the callers conjugate.
//
// Amos (1986), ACM Transactions on Mathematical Software 12, describes how such expansions cover the plane.
// Numbers of the DLMF are given with each.
#pragma once
#include "gpunp/math/special_cylinder_polynomials.h"
#include "gpunp/math/special_evaluate.h"
#include "gpunp/math/special_gamma.h"
#include "gpunp/math/special_operators.h"

namespace gpunp {
namespace math {
namespace special {

// value * e^exponent, for functions that over- or underflow without their exponential factor.
struct Scaled {
    Complex value;
    double exponent;
};

// Two functions, or one of two neighbouring orders.
struct ScaledPair {
    Complex first, second;
    double exponent;
};

// e^(i pi x), with exact argument reduction.
GPUNP_HD_CALLED Complex turn_by_pi(double x) {
    double rest = x - 2 * ::rint(0.5 * x);
    double sine, cosine;
    // Multiples of a half give exact zeros.
    double quarter = ::rint(2 * rest), small = rest - 0.5 * quarter;
    libm<double>::sincos(constant::PI * small, &sine, &cosine);
    int turns = (int)quarter & 3;
    if (turns == 0) return {cosine, sine};
    if (turns == 1) return {-sine, cosine};
    return turns == 2 ? Complex{-cosine, -sine} : Complex{sine, -cosine};
}

GPUNP_HD_CALLED Complex with_angle(double x) {
    double sine, cosine;
    libm<double>::sincos(x, &sine, &cosine);
    return {cosine, sine};
}

// AMOS, which SciPy uses, does not tell zeros of either sign apart.
GPUNP_HD Complex with_positive_zero(Complex z) {
    return {z.re, z.im == 0 ? 0. : z.im};
}

// The series of I about the origin, sum of (z^2 / 4)^k / (k! (nu + 1)_k); times (z / 2)^nu / gamma(nu + 1) it
// is I.
GPUNP_HD_CALLED Complex origin_series(double nu, Complex z) {
    Complex t = 0.25 * (z * z), term = {1, 0}, sum = term;
    for (int k = 1; k < 500; ++k) {
        term = term * t / (k * (nu + k));
        sum = sum + term;
        if (modulus(term) <= 1e-17 * modulus(sum)) break;
    }
    return sum;
}

// I by that series, for nu > -1.
GPUNP_HD_CALLED Scaled i_origin(double nu, Complex z) {
    Complex half = 0.5 * z, sum = origin_series(nu, z);
    if (nu == 0) return {sum, 0};
    double size = modulus(half), angle = ::atan2(half.im, half.re);
    Complex phase = with_angle(nu * angle);
    if (nu < 150 && nu * ::log(size) > -600) return {sum * (::pow(size, nu) * rgamma(nu + 1)) * phase, 0};
    return {sum * phase, nu * ::log(size) - gammaln(nu + 1)};
}

// The sums of Hankel's expansions, of a_k(nu) / z^k and of (-1)^k a_k(nu) / z^k (DLMF 10.40.1-2); whether
// they converge.
GPUNP_HD_CALLED bool hankel_sums(double nu, Complex z, Complex* plain, Complex* alternating) {
    double square = 4 * nu * nu, size = 1;
    Complex u = 1. / (8. * z), term = {1, 0}, even = term, odd = {0, 0};
    for (int k = 1; k < 120; ++k) {
        double odd_number = 2. * k - 1;
        term = term * u * ((square - odd_number * odd_number) / k);
        double next = modulus(term);
        if (next > size && next > 1e-17) return false;
        size = next;
        if (k & 1)
            odd = odd + term;
        else
            even = even + term;
        if (size < 1e-17) {
            *plain = even + odd;
            *alternating = even - odd;
            return true;
        }
    }
    return false;
}

// (atanh(m) - m) / m^3 as a function of m^2 = s and of rest = 1 - s; Im s >= 0.
GPUNP_HD_CALLED Complex debye_gap(Complex s, Complex rest) {
    if (modulus(s) < 0.35) {
        Complex power = {1, 0}, sum = {1. / 3, 0};
        for (int j = 1; j < 60; ++j) {
            power = power * s;
            sum = sum + power / (2. * j + 3);
            if (modulus(power) < 1e-17) break;
        }
        return sum;
    }
    Complex m = sqrt(s);
    // The rest is below its branch cut or on that side of it.
    if (rest.im == 0) rest.im = -0.;
    return (log(1. + m) - 0.5 * log(rest) - m) / (m * s);
}

// m^2 = 1 + (z / nu)^2, without cancellation at z = i nu.
GPUNP_HD Complex debye_square(double nu, Complex z) {
    Complex w = z / nu;
    return (1. + times_i(w)) * (1. - times_i(w));
}

// Debye's expansions (DLMF 10.41.3-4): the sums of U_k(p) / nu^k and (-1)^k U_k(p) / nu^k; whether they
// converge. `mu` is sqrt(nu^2 + z^2), and `q` is nu^2 / mu^2.
GPUNP_HD_CALLED bool debye_sums(Complex mu, Complex q, Complex* plain, Complex* alternating) {
    static constexpr double coefficients[] = GPUNP_DEBYE_COEFFICIENTS;
    Complex u = 1. / mu, power = {1, 0}, even = power, odd = {0, 0};
    int at = 0;
    for (int k = 1; k <= DEBYE_TERMS; ++k) {
        Complex sum = {coefficients[at + k], 0};
        for (int j = k - 1; j >= 0; --j) sum = sum * q + coefficients[at + j];
        at += k + 1;
        power = power * u;
        Complex term = power * sum;
        double size = modulus(term);
        if (k & 1)
            odd = odd + term;
        else
            even = even + term;
        // Single terms may vanish for some q.
        if (size < 2e-17 && modulus(power) < 1e-6) {
            *plain = even + odd;
            *alternating = even - odd;
            return true;
        }
        if (size > 1) return false;
    }
    return false;
}

// I and K by one of these expansions, where the sums converge.
struct Asymptotes {
    Scaled i, k;
    bool converged;
};

GPUNP_HD_CALLED Asymptotes hankel_asymptotes(double nu, Complex z) {
    Asymptotes found;
    Complex plain, alternating;
    found.converged = hankel_sums(nu, z, &plain, &alternating);
    if (!found.converged) return found;
    Complex root = sqrt(z), phase = with_angle(z.im);
    found.k = {1.2533141373155003 * plain * conjugate(phase) / root, -z.re};
    Complex sum = alternating * phase;
    if (z.re < 40) sum = sum + times_i(turn_by_pi(nu)) * ::exp(-2 * z.re) * conjugate(phase) * plain;
    found.i = {0.3989422804014327 * sum / root, z.re};
    return found;
}

GPUNP_HD_CALLED Asymptotes debye_asymptotes(double nu, Complex z) {
    Asymptotes found;
    Complex plain, alternating, s = debye_square(nu, z), m = sqrt(s), mu = nu * m;
    found.converged = debye_sums(mu, 1. / s, &plain, &alternating);
    if (!found.converged) return found;
    // The exponent of I is eta = i pi nu / 2 - xi (DLMF 10.41.7).
    Complex w = z / nu, xi = nu * (m * s) * debye_gap(s, -(w * w)), root = sqrt(mu);
    Complex quarter = turn_by_pi(0.5 * nu), phase = with_angle(xi.im);
    found.k = {1.2533141373155003 * alternating * conjugate(quarter) * phase / root, xi.re};
    Complex sum = plain * conjugate(phase);
    // Beyond a Stokes line, K's exponential is a part of I. On the imaginary axis Re xi is a rounding error.
    if (xi.im < 0 && xi.re > -20 && xi.re < -1e-6 * xi.im)
        sum = sum + times_i(alternating * phase) * ::exp(2 * xi.re);
    found.i = {0.3989422804014327 * sum * quarter / root, -xi.re};
    return found;
}

// Temme's series for K of two orders, nu and nu + 1, for |nu| <= 1 / 2 and |z| <= 2 (Temme 1975); times e^z.
GPUNP_HD_CALLED ScaledPair k_temme(double nu, Complex z) {
    static constexpr double even[] = GPUNP_RECIPROCAL_GAMMA_EVEN, odd[] = GPUNP_RECIPROCAL_GAMMA_ODD;
    double square = nu * nu, gamma2 = math::horner(square, even), gamma1 = -math::horner(square, odd);
    double above = gamma2 - nu * gamma1, below = gamma2 + nu * gamma1;  // 1 / gamma(1 +- nu)
    Complex half = 0.5 * z, logarithm = -log(half), e = nu * logarithm;
    double fact = ::fabs(nu) < 1e-8 ? 1 : constant::PI * nu / ::sin(constant::PI * nu);
    Complex power = exp(e), inverse = 1. / power;
    Complex cosine = 0.5 * (power + inverse), sine = {1, 0};
    if (modulus(e) > 0.5) {
        sine = 0.5 * (power - inverse) / e;
    } else {
        Complex square_e = e * e, term = {1, 0};
        for (int k = 1; k < 8; ++k) {
            term = term * square_e / (2. * k * (2. * k + 1));
            sine = sine + term;
        }
    }
    Complex f = fact * (gamma1 * cosine + gamma2 * sine * logarithm);
    Complex p = 0.5 * power / above, q = 0.5 * inverse / below, c = {1, 0}, d = half * half;
    Complex sum = f, next = p;
    for (int k = 1; k < 60; ++k) {
        f = (k * f + p + q) / (k * k - square);
        c = c * d / (double)k;
        p = p / (k - nu);
        q = q / (k + nu);
        Complex term = c * f;
        sum = sum + term;
        next = next + c * (p - k * f);
        if (modulus(term) <= 1e-17 * modulus(sum)) break;
    }
    Complex scale = exp(z);
    return {sum * scale, next / half * scale, 0};
}

// The same for |z| > 2 by Steed's algorithm for Temme's continued fraction (Thompson and Barnett 1987).
GPUNP_HD_CALLED ScaledPair k_fraction(double nu, Complex z) {
    Complex b = 2. * (1. + z), d = 1. / b, h = d, change = d, before = {0, 0}, now = {1, 0};
    double first = 0.25 - nu * nu, a = -first, c = first;
    Complex q = {first, 0}, s = 1. + q * change;
    for (int k = 2; k < 500; ++k) {
        a -= 2 * (k - 1);
        c = -a * c / k;
        Complex next = (before - b * now) / a;
        before = now;
        now = next;
        q = q + c * next;
        b = b + 2.;
        d = 1. / (b + a * d);
        change = (b * d - 1.) * change;
        h = h + change;
        Complex part = q * change;
        s = s + part;
        if (modulus(part) <= 1e-17 * modulus(s)) break;
    }
    Complex value = sqrt(constant::HALF_PI / z) / s;
    return {value, value * (nu + 0.5 + z - first * h) / z, 0};
}

// A recurrence is followed up to this order: a longer one would not end within minutes.
constexpr double MOST_ORDERS = 1e6;

// K of the orders nu and nu + 1 times e^z, by recurrence from the order between -1 / 2 and 1 / 2; for
// moderate nu.
GPUNP_HD_CALLED ScaledPair k_by_recurrence(double nu, Complex z) {
    double steps = ::rint(nu), order = nu - steps;
    ScaledPair pair;
    Complex plain, first, unused;
    if (modulus(z) <= 2) {
        pair = k_temme(order, z);
    } else if (modulus(z) > 18 && hankel_sums(order, z, &plain, &unused) &&
               hankel_sums(order + 1, z, &first, &unused)) {
        Complex scale = 1.2533141373155003 / sqrt(z);
        pair = {scale * plain, scale * first, 0};
    } else {
        pair = k_fraction(order, z);
    }
    Complex twice = 2. / z;
    for (double k = 1; k <= steps; ++k) {
        Complex next = pair.first + (order + k) * twice * pair.second;
        pair.first = pair.second;
        pair.second = next;
        // Next to the origin it grows beyond all numbers in a few of perhaps 10^18 steps.
        if (!is_finite(next.re) && k + 1 < steps) {
            pair.first = next;
            break;
        }
        if (k >= MOST_ORDERS) return {not_a_number<Complex>(), not_a_number<Complex>(), 0};
    }
    return pair;
}

// I of the order nu + 1 over that of nu, by its continued fraction (DLMF 10.33.1) with Lentz's algorithm.
GPUNP_HD_CALLED Complex i_ratio(double nu, Complex z) {
    const double tiny = 1e-150;
    Complex twice = 2. / z, b = (nu + 1) * twice, f = b, c = b, d = {0, 0};
    if (modulus(b) < tiny) f = c = {tiny, 0};
    for (int k = 2; k < 5000; ++k) {
        b = (nu + k) * twice;
        d = b + d;
        if (modulus(d) < tiny) d = {tiny, 0};
        d = 1. / d;
        c = b + 1. / c;
        if (modulus(c) < tiny) c = {tiny, 0};
        Complex step = c * d;
        f = f * step;
        if (::fabs(step.re - 1) + ::fabs(step.im) < 3e-16) break;
    }
    return 1. / f;
}

}  // namespace special
}  // namespace math
}  // namespace gpunp
