// Gauss's hypergeometric function 2F1, and power series in twofold precision.
#pragma once
#include "gpunp/math/special_gamma.h"
#include "gpunp/math/special_gamma_complex.h"
#include "gpunp/math/special_operators.h"

namespace gpunp {
namespace math {
namespace special {

GPUNP_HD bool is_pole(double x) {
    return x <= 0 && x == ::floor(x);
}

// 1 / gamma(x), zero at the poles.
GPUNP_HD double reciprocal_gamma(double x) {
    if (is_pole(x)) return 0;
    return 1 / gamma(x);
}

// The sign of gamma(x).
GPUNP_HD double sign_of_gamma(double x) {
    return x > 0 || ::fmod(::floor(x), 2.) == 0 ? 1 : -1;
}

// gamma(a) gamma(b) / (gamma(c) gamma(d)), without overflow of the parts.
GPUNP_HD_CALLED double gamma_quotient(double a, double b, double c, double d) {
    if (is_pole(c) || is_pole(d)) return 0;
    if (::fabs(a) < 25 && ::fabs(b) < 25 && ::fabs(c) < 25 && ::fabs(d) < 25) {
        return gamma(a) / gamma(c) * gamma(b) / gamma(d);
    }
    double sign = sign_of_gamma(a) * sign_of_gamma(b) * sign_of_gamma(c) * sign_of_gamma(d);
    return sign * ::exp((gammaln(a) - gammaln(c)) + (gammaln(b) - gammaln(d)));
}

// x^p for a real exponent.
GPUNP_HD double to_power(double x, double p) {
    return ::pow(x, p);
}
GPUNP_HD Complex to_power(Complex z, double p) {
    if (z.im == 0 && z.re > 0) return {::pow(z.re, p), 0};
    return exp(p * log(z));
}
GPUNP_HD double logarithm(double x) {
    return ::log(x);
}
GPUNP_HD Complex logarithm(Complex z) {
    return log(z);
}
GPUNP_HD double exponential(double x) {
    return ::exp(x);
}
GPUNP_HD Complex exponential(Complex z) {
    return exp(z);
}

// An unevaluated sum of two doubles: about 32 digits.
struct Twofold {
    double high, low;
};

GPUNP_HD Twofold twofold_sum(double a, double b) {
    Twofold sum;
    sum.high = two_sum(a, b, &sum.low);
    return sum;
}
GPUNP_HD Twofold add(Twofold a, Twofold b) {
    Twofold sum = twofold_sum(a.high, b.high);
    double low = sum.low + (a.low + b.low);
    return twofold_sum(sum.high, low);
}
GPUNP_HD Twofold product(Twofold a, Twofold b) {
    double high = a.high * b.high;
    return twofold_sum(high, ::fma(a.high, b.high, -high) + (a.high * b.low + a.low * b.high));
}
GPUNP_HD Twofold quotient(Twofold a, Twofold b) {
    double high = a.high / b.high;
    double rest = ::fma(-high, b.high, a.high) + (a.low - high * b.low);
    return twofold_sum(high, rest / b.high);
}

// The series of 2F1(a, b; c; z), or of 1F1(a; c; z), in twofold precision; `lost` is the factor of
// cancellation.
GPUNP_HD_CALLED double twofold_series(Twofold a, Twofold b, bool has_b, double c, double z, double* lost) {
    Twofold term = {1, 0}, sum = {1, 0};
    double largest = 1;
    for (int k = 0; k < 5000; ++k) {
        Twofold top = add(a, {(double)k, 0});
        if (has_b) top = product(top, add(b, {(double)k, 0}));
        if (top.high == 0) break;
        Twofold bottom = product(twofold_sum(c, k), {k + 1., 0});
        term = quotient(product(term, product(top, {z, 0})), bottom);
        sum = add(sum, term);
        double size = ::fabs(term.high);
        largest = larger(largest, size);
        if (c + k > 0 && size <= 1e-18 * ::fabs(sum.high)) break;
    }
    *lost = largest / ::fabs(sum.high);
    return sum.high;
}

// The series of 2F1, or without b of 1F1.
template <class T>
GPUNP_HD_CALLED T power_series(double a, double b, bool has_b, double c, T z, double* lost) {
    T term = number<T>(1), sum = term;
    double largest = 1;
    for (int k = 0; k < 5000; ++k) {
        double top = (a + k) * (has_b ? b + k : 1);
        if (top == 0) break;
        double ratio = top / ((c + k) * (k + 1.));
        term = term * ratio * z;
        sum = sum + term;
        double size = modulus(term);
        largest = larger(largest, size);
        // For negative c, terms grow again as c + k crosses zero.
        if (c + k > 0 && size <= 1e-17 * modulus(sum)) break;
    }
    *lost = largest / modulus(sum);
    return sum;
}

constexpr double MOST_LOST = 30;

// 2F1 by its power series, or by that of Euler's transformation, whichever cancels less.
GPUNP_HD_CALLED double gauss_series(double a, double b, double c, double z) {
    double lost, other, value = power_series(a, b, true, c, z, &lost);
    if (lost < MOST_LOST) return value;
    if (z < 0.9 && !is_pole(a) && !is_pole(b)) {
        double euler = power_series(c - a, c - b, true, c, z, &other);
        if (other < MOST_LOST) return ::pow(1 - z, c - a - b) * euler;
    }
    return twofold_series({a, 0}, {b, 0}, true, c, z, &other);
}
GPUNP_HD Complex gauss_series(double a, double b, double c, Complex z) {
    double lost;
    return power_series(a, b, true, c, z, &lost);
}

// 2F1 for z near 1 with c - a - b = m, an integer at least 0 (DLMF 15.8.10): w = 1 - z.
template <class T>
GPUNP_HD_CALLED T gauss_logarithmic(double a, double b, int m, T w) {
    T sum = number<T>(0), term;
    double c = a + b + m;
    if (m > 0) {
        T finite = number<T>(1);
        term = finite;
        for (int k = 0; k + 1 < m; ++k) {
            term = term * w * ((a + k) * (b + k) / ((k + 1.) * (k + 1. - m)));
            finite = finite + term;
        }
        sum = finite * gamma_quotient(m, c, a + m, b + m);
    }
    double front = gamma_quotient(c, 1, a, b);
    if (front == 0) return sum;
    // The coefficient (a)_m... enters through gamma(a) and gamma(b) of the front.
    double digammas = digamma(a + m) + digamma(b + m) - digamma(1.) - digamma(1. + m), factorial = 1;
    for (int k = 2; k <= m; ++k) factorial *= k;
    T log_w = logarithm(w), power = number<T>(1), rest = number<T>(0);
    for (int k = 0; k < m; ++k) power = power * w;
    term = power / factorial;
    for (int k = 0; k < 2000; ++k) {
        T part = term * (log_w + digammas);
        rest = rest + part;
        if (k > 3 && modulus(part) <= 1e-17 * modulus(rest)) break;
        digammas += 1 / (a + m + k) + 1 / (b + m + k) - 1. / (k + 1) - 1. / (m + k + 1);
        term = term * w * ((a + m + k) * (b + m + k) / ((k + 1.) * (m + k + 1.)));
    }
    return sum - rest * (m & 1 ? -front : front);
}

// 2F1 for z near 1.
template <class T>
GPUNP_HD_CALLED T gauss_near_one(double a, double b, double c, T z) {
    double s = c - a - b, whole = ::rint(s);
    T w = 1. - z;
    if (::fabs(s - whole) < 1e-13 * larger(1., ::fabs(s))) {
        if (whole >= 0) return gauss_logarithmic(a, b, (int)whole, w);
        // Euler's transformation makes the difference positive.
        return to_power(w, s) * gauss_logarithmic(c - a, c - b, (int)-whole, w);
    }
    T first = gauss_series(a, b, 1 - s, w) * gamma_quotient(c, s, c - a, c - b);
    T second = gauss_series(c - a, c - b, 1 + s, w) * gamma_quotient(c, -s, a, b);
    return first + second * to_power(w, s);
}

// 2F1 for large |z|, by the series in 1 / z for both exponents; a - b must not be an integer.
template <class T>
GPUNP_HD_CALLED T gauss_at_infinity(double a, double b, double c, T z) {
    T u = number<T>(1) / z;
    T first =
        to_power(-z, -a) * gauss_series(a, a - c + 1, a - b + 1, u) * gamma_quotient(c, b - a, b, c - a);
    T second =
        to_power(-z, -b) * gauss_series(b, b - c + 1, b - a + 1, u) * gamma_quotient(c, a - b, a, c - b);
    return first + second;
}

// 2F1 by Taylor steps of its differential equation from a point inside the circle of the series.
template <class T>
GPUNP_HD_CALLED T gauss_by_steps(double a, double b, double c, T z) {
    T at = z * (0.5 / modulus(z));
    T value = gauss_series(a, b, c, at), slope = a * b / c * gauss_series(a + 1, b + 1, c + 1, at);
    for (int step = 0; step < 60; ++step) {
        T rest = z - at;
        double reach = 0.5 * ::fmin(modulus(at), modulus(1. - at));
        bool last = modulus(rest) <= reach;
        T h = last ? rest : rest * (reach / modulus(rest));
        // Scaled coefficients of the powers of h.
        T p = at * (1. - at), q = c - (a + b + 1) * at, before = value, term = slope * h, sum = value + term;
        T sum_of_slopes = term;
        for (int k = 0; k < 200; ++k) {
            T next =
                ((k + a) * (k + b) * (before * h * h) - (k + 1.) * (k * (1. - 2. * at) + q) * (term * h)) /
                ((k + 1.) * (k + 2.) * p);
            before = term;
            term = next;
            sum = sum + term;
            sum_of_slopes = sum_of_slopes + (k + 2.) * term;
            if (k > 3 && modulus(term) + modulus(before) < 1e-17 * modulus(sum)) break;
        }
        value = sum;
        if (last) return value;
        slope = sum_of_slopes / h;
        at = at + h;
    }
    return value;
}

// 2F1 off the cut from 1 to infinity, for c not at a pole.
template <class T>
GPUNP_HD_CALLED T gauss_continued(double a, double b, double c, T z) {
    double size = modulus(z), beside = modulus(1. - z);
    if (size < 0.75) return gauss_series(a, b, c, z);
    if (size < 0.75 * beside) return to_power(1. - z, -a) * gauss_series(a, c - b, c, z / (z - 1.));
    if (beside < 0.75) return gauss_near_one(a, b, c, z);
    double difference = a - b;
    if (size > 1.5 && ::fabs(difference - ::rint(difference)) > 1e-10) return gauss_at_infinity(a, b, c, z);
    return gauss_by_steps(a, b, c, z);
}

GPUNP_HD bool on_cut(double z) {
    return z > 1;
}
GPUNP_HD bool on_cut(Complex z) {
    return z.im == 0 && z.re > 1;
}
GPUNP_HD bool is_one(double z) {
    return z == 1;
}
GPUNP_HD bool is_one(Complex z) {
    return z.re == 1 && z.im == 0;
}
GPUNP_HD bool is_origin(double z) {
    return z == 0;
}
GPUNP_HD bool is_origin(Complex z) {
    return z.re == 0 && z.im == 0;
}

// 2F1(a, b; c; z).
template <class T>
GPUNP_HD_CALLED T gauss(double a, double b, double c, T z) {
    if (a != a || b != b || c != c || is_nan(z)) return not_a_number<T>();
    if (is_origin(z) || a == 0 || b == 0) return number<T>(1);
    bool finite = is_pole(a) || is_pole(b);
    if (is_pole(c)) {
        bool ends = (is_pole(a) && a > c) || (is_pole(b) && b > c);
        if (!ends) return number<T>(libm<double>::infinity());
    }
    if (is_one(z) && !finite && c - a - b <= 0) return number<T>(libm<double>::infinity());
    if (finite && ::fmax(is_pole(a) ? a : -1e300, is_pole(b) ? b : -1e300) > -1000)
        return gauss_series(a, b, c, z);
    if (on_cut(z)) return number<T>(libm<double>::infinity());
    if (b == c) return to_power(1. - z, -a);
    if (a == c) return to_power(1. - z, -b);
    double s = c - a - b;
    if (is_one(z)) return number<T>(s > 0 ? gamma_quotient(c, s, c - a, c - b) : libm<double>::infinity());
    if (is_pole(c - a) || is_pole(c - b)) return to_power(1. - z, s) * gauss_series(c - a, c - b, c, z);
    return gauss_continued(a, b, c, z);
}

}  // namespace special

GPUNP_HD double hyp2f1(double a, double b, double c, double z) {
    return special::gauss(a, b, c, z);
}
GPUNP_HD complex<double> hyp2f1(double a, double b, double c, complex<double> z) {
    return special::gauss(a, b, c, z);
}

}  // namespace math
}  // namespace gpunp
