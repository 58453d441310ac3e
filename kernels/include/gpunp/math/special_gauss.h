// Gauss's hypergeometric function 2F1.
#pragma once
#include "gpunp/math/special_series.h"

namespace gpunp {
namespace math {
namespace special {

// 2F1 inside the circle of its power series, by the one of the series of the transformations (DLMF 15.8.1)
// that cancels least. Whether the result is accurate goes to `good`.
template <class T>
GPUNP_HD_CALLED T gauss_series(double a, double b, double c, T z, bool* good) {
    *good = true;
    Series<T> sum = power_series(a, b, 2, c, z);
    if (sum.lost < MOST_LOST) return in_full(sum);
    bool ends = is_pole(a) || is_pole(b);
    T beside = 1. - z, w = z / (z - 1.);
    double inside = modulus(w);
    for (int form = 1; form < 4 && !ends; ++form) {
        if (form > 1 && inside > 0.9) break;
        sum = form == 1 ? power_series(c - a, c - b, 2, c, z)
                        : power_series(form == 2 ? a : b, c - (form == 2 ? b : a), 2, c, w);
        double power = form == 1 ? c - a - b : form == 2 ? -a : -b;
        if (sum.lost < MOST_LOST) return times_power(beside, power, sum);
    }
    sum = twofold_series({a, 0}, {b, 0}, 2, c, z);
    if (sum.lost < MOST_LOST_IN_TWOFOLD || is_pole(c)) return in_full(sum);
    if (!ends) {
        sum = twofold_series(twofold_sum(c, -a), twofold_sum(c, -b), 2, c, z);
        if (sum.lost < MOST_LOST_IN_TWOFOLD) return times_power(beside, c - a - b, sum);
    }
    *good = real_part(z) <= 0.5;
    return in_full(series_by_recurrence(a, b, 2, c, z));
}
template <class T>
GPUNP_HD T gauss_series(double a, double b, double c, T z) {
    bool good;
    return gauss_series(a, b, c, z, &good);
}

constexpr double LARGEST_FACTORIAL = 170;

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

// Whether a sum of two parts has lost few digits.
template <class T>
GPUNP_HD bool keeps_digits(T first, T second) {
    return larger(modulus(first), modulus(second)) < 100 * modulus(first + second);
}

// 2F1 for z near 1 (DLMF 15.8.4), and whether the result is accurate.
template <class T>
GPUNP_HD_CALLED T gauss_near_one(double a, double b, double c, T z, bool* good) {
    double s = c - a - b, whole = ::rint(s);
    T w = 1. - z;
    *good = ::fabs(whole) < LARGEST_FACTORIAL;
    if (!*good) return w;
    if (::fabs(s - whole) < 1e-13 * larger(1., ::fabs(s))) {
        if (whole >= 0) return gauss_logarithmic(a, b, (int)whole, w);
        // Euler's transformation makes the difference positive.
        return to_power(w, s) * gauss_logarithmic(c - a, c - b, (int)-whole, w);
    }
    T first = gauss_series(a, b, 1 - s, w) * gamma_quotient(c, s, c - a, c - b);
    T second = gauss_series(c - a, c - b, 1 + s, w) * gamma_quotient(c, -s, a, b) * to_power(w, s);
    *good = keeps_digits(first, second);
    return first + second;
}

// 2F1 for large |z| (DLMF 15.8.2), and whether the result is accurate.
template <class T>
GPUNP_HD_CALLED T gauss_at_infinity(double a, double b, double c, T z, bool* good) {
    double difference = b - a, whole = ::rint(difference);
    *good = true;
    if (::fabs(difference - whole) < 1e-13 * larger(1., ::fabs(difference))) {
        // Pfaff's transformation leads to a neighborhood of 1.
        double low = ::fmin(a, b), high = larger(a, b);
        T beside = 1. - z;
        *good = modulus(beside) > 1.3 && ::fabs(whole) < LARGEST_FACTORIAL;
        if (!*good) return beside;
        return to_power(beside, -low) *
               gauss_logarithmic(low, c - high, (int)::fabs(whole), number<T>(1) / beside);
    }
    T u = number<T>(1) / z;
    T first =
        to_power(-z, -a) * gauss_series(a, a - c + 1, a - b + 1, u) * gamma_quotient(c, b - a, b, c - a);
    T second =
        to_power(-z, -b) * gauss_series(b, b - c + 1, b - a + 1, u) * gamma_quotient(c, a - b, a, c - b);
    *good = keeps_digits(first, second);
    return first + second;
}

// A point in the direction of z, or beside the cut.
GPUNP_HD double gauss_start(double z) {
    return z < 0 ? -0.5 : 0.5;
}
GPUNP_HD Complex gauss_start(Complex z) {
    if (z.re > 0 && ::fabs(z.im) < 0.1 * z.re) return {0.3, ::copysign(0.4, z.im)};
    return z * (0.5 / modulus(z));
}

// 2F1 by Taylor steps of its differential equation from a point inside the circle of the series.
template <class T>
GPUNP_HD_CALLED T gauss_by_steps(double a, double b, double c, T z) {
    T at = gauss_start(z);
    T value = gauss_series(a, b, c, at), slope = a * b / c * gauss_series(a + 1, b + 1, c + 1, at);
    double fraction = 0.5 / (1 + (::fabs(a) + ::fabs(b) + ::fabs(c)) / 20);
    for (int step = 0; step < 1000; ++step) {
        T rest = z - at;
        double reach = fraction * ::fmin(modulus(at), modulus(1. - at));
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
    bool good;
    T value;
    if (size < 0.75) {
        value = gauss_series(a, b, c, z, &good);
        if (good) return value;
    }
    if (size < 0.75 * beside) {
        value = to_power(1. - z, -a) * gauss_series(a, c - b, c, z / (z - 1.), &good);
        if (good) return value;
    }
    if (beside < 0.75) {
        value = gauss_near_one(a, b, c, z, &good);
        if (good) return value;
    } else if (size > 1.5) {
        value = gauss_at_infinity(a, b, c, z, &good);
        if (good) return value;
    }
    if (size >= 0.75 && size < 0.95) {
        value = gauss_series(a, b, c, z, &good);
        if (good) return value;
    }
    return gauss_by_steps(a, b, c, z);
}

// A series of this degree ends.
constexpr double LARGEST_DEGREE = MOST_TERMS;

// Whether a parameter, rounded, makes a polynomial whose terms can be added up.
GPUNP_HD bool is_next_to_degree(double a) {
    return a <= 0 && a > -LARGEST_DEGREE && ::fabs(a - ::rint(a)) < 1e-13;
}

// 2F1 where a is a pole of gamma: a polynomial in z, or in 1 - z (DLMF 15.8.7).
template <class T>
GPUNP_HD_CALLED T gauss_polynomial(double a, double b, double c, T z) {
    bool good;
    T outside = number<T>(1);
    if (is_one(z)) {
        // Vandermonde's sum.
        double product = 1;
        for (double k = 0; k < -a; ++k) product *= (c - b + k) / (c + k);
        return number<T>(product);
    }
    if (is_pole(c - b) && c - b > a && !is_pole(c)) {
        // Euler's transformation leads to a lower degree.
        outside = to_power(1. - z, c - a - b);
        double t = c - b;
        b = c - a;
        a = t;
    }
    T value = outside * gauss_series(a, b, c, z, &good);
    double reflected = b - c + a + 1;
    if (good || is_pole(c) || (is_pole(reflected) && reflected >= a)) return value;
    T other = gauss_series(a, b, reflected, 1. - z, &good);
    if (!good) return value;
    double factor = 1;
    for (double k = 0; k < -a; ++k) factor *= (c - b + k) / (c + k);
    return outside * (factor * other);
}

// The limit of such a polynomial at infinity on the real axis: that of its last term.
GPUNP_HD_CALLED double polynomial_limit(double a, double b, double c, double z) {
    double sign = 1;
    for (double k = 0; k < -a; ++k) {
        if ((z > 0) != ((b + k < 0) != (c + k < 0))) sign = -sign;
    }
    return sign * libm<double>::infinity();
}
GPUNP_HD Complex polynomial_limit(double a, double b, double c, Complex z) {
    return z.im == 0 ? Complex{polynomial_limit(a, b, c, z.re), 0} : not_a_number<Complex>();
}

template <class T>
struct takes_real {
    static constexpr bool value = true;
};
template <>
struct takes_real<Complex> {
    static constexpr bool value = false;
};
// 2F1(a, b; c; z).
template <class T>
GPUNP_HD_CALLED T gauss(double a, double b, double c, T z) {
    const T infinity = number<T>(libm<double>::infinity());
    constexpr bool real = takes_real<T>::value;
    if (is_origin(z) || ((a == 0 || b == 0) && (c != 0 || !real))) return number<T>(1);
    if (a != a || b != b || c != c || is_nan(z)) return not_a_number<T>();
    if (is_infinite(a) || is_infinite(b) || is_infinite(c)) return not_a_number<T>();
    double s = c - a - b;
    bool finite = is_pole(a) || is_pole(b), inside = modulus(z) < 1 || is_one(-z);
    // A pole of c that cancels one of a or b leaves a polynomial, as in SciPy.
    if (is_pole(c) && ((a == c && (a == -1 || !real)) || (b == c && (inside || !real)))) {
        return in_full(power_series(a, b, 2, c, z));
    }
    if (is_one(z) && !finite && s <= 0) return infinity;
    if (inside && (b == c || a == c)) return to_power(1. - z, b == c ? -a : -b);
    if (is_pole(c)) {
        bool ends = (is_pole(a) && a > c) || (is_pole(b) && b > c);
        // The sign is that of Euler's transformation, as in SciPy.
        bool negative = real && !finite && real_part(z) > 1 && s <= -1 && ::fmod(s, 2.) != 0;
        if (!ends) return negative ? -infinity : infinity;
    }
    if (is_pole(b) && (!is_pole(a) || b > a)) {
        double t = a;
        a = b;
        b = t;
    }
    if (is_pole(a) && a > -LARGEST_DEGREE) {
        if (modulus(z) > libm<double>::max) return polynomial_limit(a, b, c, z);
        T value = gauss_polynomial(a, b, c, z);
        // Sums of terms that overflow.
        return is_nan(value) && modulus(z) > 1e10 ? polynomial_limit(a, b, c, z) : value;
    }
    if (modulus(z) > libm<double>::max) {
        // As for every number beyond 1, except where the power below is real.
        if (real && real_part(z) > 0 && !(s <= -1 && s == ::rint(s))) return infinity;
        return a > 0 && b > 0 ? number<T>(0) : not_a_number<T>();
    }
    if (is_one(z)) return number<T>(s > 0 ? gamma_quotient(c, s, c - a, c - b) : libm<double>::infinity());
    double degree =
        -larger(is_pole(c - a) ? c - a : -2 * LARGEST_DEGREE, is_pole(c - b) ? c - b : -2 * LARGEST_DEGREE);
    if (degree < LARGEST_DEGREE) {
        // Beyond 1 the power of a negative number is real for integers.
        if (real && real_part(z) > 1 && !(s <= -1 && s == ::rint(s))) return infinity;
        double other = degree == a - c ? c - b : c - a;
        return to_power(1. - z, s) * gauss_polynomial(-degree, other, c, z);
    }
    if (real && real_part(z) > 1) {
        // As in SciPy, a parameter next to a nonpositive integer is that integer there.
        if (is_next_to_degree(a)) return gauss_polynomial(::rint(a), b, c, z);
        if (is_next_to_degree(b)) return gauss_polynomial(::rint(b), a, c, z);
        return infinity;
    }
    // The series in 1 / c, where gamma functions would overflow.
    if (::fabs(c) > 1e4 * (1 + ::fabs(a)) * (1 + ::fabs(b)) * larger(1., modulus(z)))
        return in_full(power_series(a, b, 2, c, z));
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
