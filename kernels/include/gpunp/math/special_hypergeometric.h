// Hypergeometric functions: 0F1, Kummer's 1F1 and Tricomi's U.
#pragma once
#include "gpunp/math/special_series.h"

namespace gpunp {
namespace math {
namespace special {

// The asymptotic series in 1 / z, the sum of (a)_k (b)_k / k! z^-k. Whether it converged, without much
// cancellation, goes to the last argument.
template <class T>
GPUNP_HD_CALLED T asymptotic_series(double a, double b, T z, bool* converged) {
    T term = number<T>(1), sum = term;
    double size = 1, largest = 1;
    *converged = false;
    for (int k = 0; k < 200; ++k) {
        term = term * ((a + k) * (b + k) / (k + 1.)) / z;
        double next = modulus(term);
        if (k > ::fabs(a) + ::fabs(b) && next > size) break;
        bool shrinks = next <= size;
        size = next;
        largest = larger(largest, size);
        sum = sum + term;
        if (shrinks && size <= 1e-16 * modulus(sum)) {
            *converged = largest < MOST_LOST * modulus(sum) && modulus(sum) < RANGE;
            break;
        }
    }
    return sum;
}

// 1F1 for large z (DLMF 13.7.2). Of real z, the exponentially small part is left out where it is below
// rounding.
GPUNP_HD_CALLED double kummer_asymptote(double a, double b, double z, bool* converged) {
    double size = ::fabs(z), log_size = ::log(size),
           other = gammaln(a) - gammaln(b - a) + (b - 2 * a) * log_size;
    // A series may end before its terms shrink. The other one, of the small part, grows then, too.
    bool short_series = is_pole(1 - a) || is_pole(a - b + 1);
    if ((z > 0 ? other : -other) - size > -40 || (short_series && larger(::fabs(a), ::fabs(a - b)) > size)) {
        *converged = false;
        return 0;
    }
    double sum = z > 0 ? asymptotic_series(b - a, 1 - a, z, converged)
                       : asymptotic_series(a, a - b + 1, -z, converged);
    double over = z > 0 ? a : b - a, exponent = z > 0 ? z + (a - b) * log_size : -a * log_size;
    if (::fabs(exponent) < 600 && ::fabs(b) < 150 && ::fabs(over) < 150) {
        double half = ::exp(0.5 * exponent);
        return half * (gamma_quotient(b, 1, over, 1) * sum) * half;
    }
    double sign = sign_of_gamma(b) * sign_of_gamma(over);
    return sign * ::exp(exponent + (gammaln(b) - gammaln(over))) * sum;
}
GPUNP_HD_CALLED Complex kummer_asymptote(double a, double b, Complex z, bool* converged) {
    bool first, second;
    Complex grown = asymptotic_series(b - a, 1 - a, z, &first),
            other = asymptotic_series(a, a - b + 1, -z, &second);
    *converged = first && second;
    Complex up = exp(z + (a - b) * log(z)) * (gamma_quotient(b, 1, a, 1) * grown);
    Complex turn = exp(Complex{0, (z.im >= 0 ? 1 : -1) * constant::PI * a});
    Complex down = turn * to_power(z, -a) * (gamma_quotient(b, 1, b - a, 1) * other);
    return up + down;
}

// 1F1 by its series, or by that of Kummer's transformation.
template <class T>
GPUNP_HD_CALLED T kummer_series(double a, double b, T z) {
    Series<T> sum = power_series(a, 1, 1, b, z);
    if (sum.lost < MOST_LOST) return in_full(sum);
    bool ends = is_pole(a);
    double lost = sum.lost, other = lost;
    if (!ends) {
        sum = power_series(b - a, 1, 1, b, -z);
        if (sum.lost < MOST_LOST) return times_exponential(z, sum);
        other = sum.lost;
    }
    if (ends || lost <= other) {
        sum = twofold_series({a, 0}, {1, 0}, 1, b, z);
        if (sum.lost < MOST_LOST_IN_TWOFOLD || is_pole(b)) return in_full(sum);
    } else {
        sum = twofold_series(twofold_sum(b, -a), {1, 0}, 1, b, -z);
        if (sum.lost < MOST_LOST_IN_TWOFOLD) return times_exponential(z, sum);
    }
    if (real_part(z) < 0 && !ends) return times_exponential(z, series_by_recurrence(b - a, 1, 1, b, -z));
    return in_full(series_by_recurrence(a, 1, 1, b, z));
}

// At infinite arguments: the limit on the real axis, where there is one.
GPUNP_HD double kummer_limit(double a, double b, double z) {
    if (is_infinite(a) || is_infinite(b)) return libm<double>::nan();
    const double infinity = libm<double>::infinity();
    bool polynomial = is_pole(a);
    if (z > 0 && !polynomial) return sign_of_gamma(a) * sign_of_gamma(b) * infinity;
    if (a > 0 || (!polynomial && is_pole(b - a))) return 0;
    // The limit of gamma(b) / gamma(b - a) (-z)^-a.
    double sign = z > 0 && ::fmod(a, 2.) != 0 ? -1 : 1;
    return sign * sign_of_gamma(b) * sign_of_gamma(b - a) * infinity;
}
GPUNP_HD Complex kummer_limit(double a, double b, Complex z) {
    if (z.im != 0 || !is_infinite(z.re)) return not_a_number<Complex>();
    double limit = kummer_limit(a, b, z.re);
    return limit == limit ? Complex{limit, 0} : not_a_number<Complex>();
}

template <class T>
GPUNP_HD_CALLED T kummer(double a, double b, T z) {
    if (a != a || b != b || is_nan(z)) return not_a_number<T>();
    if (is_pole(b) && !(is_pole(a) && a >= b && a != 0)) return number<T>(libm<double>::infinity());
    if (a == 0 || is_origin(z)) return number<T>(1);
    if (is_infinite(a) || is_infinite(b) || modulus(z) > libm<double>::max) return kummer_limit(a, b, z);
    if (is_pole(a)) return kummer_series(a, b, z);
    if (a == b) return exponential(z);
    if (!is_pole(b - a) && modulus(z) > 30) {
        bool converged;
        T sum = kummer_asymptote(a, b, z, &converged);
        if (converged) return sum;
    }
    return kummer_series(a, b, z);
}

GPUNP_HD double root_of_minus(double z) {
    return ::sqrt(-z);
}
GPUNP_HD Complex root_of_minus(Complex z) {
    return sqrt(-z);
}
GPUNP_HD double cosine_of(double x) {
    return ::cos(x);
}
GPUNP_HD Complex cosine_of(Complex z) {
    return cos(z);
}
GPUNP_HD double sine_of(double x) {
    return ::sin(x);
}
GPUNP_HD Complex sine_of(Complex z) {
    return sin(z);
}

// 0F1 for large z off the positive axis: Hankel's expansion of the Bessel function of order b - 1
// (DLMF 10.17.3).
template <class T>
GPUNP_HD_CALLED T limit_asymptote(double b, T z) {
    T x = 2. * root_of_minus(z), p = number<T>(1), q = number<T>(0), term = p;
    double mu = 4 * (b - 1) * (b - 1);
    for (int k = 1; k < 60; ++k) {
        T next = term * ((mu - (2. * k - 1) * (2. * k - 1)) / (8. * k)) / x;
        if (modulus(next) > modulus(term) && k > ::fabs(b)) break;
        term = next;
        T part = k & 2 ? -term : term;
        if (k & 1) {
            q = q + part;
        } else {
            p = p + part;
        }
        if (modulus(term) < 1e-17) break;
    }
    T angle = x - (b - 0.5) * constant::HALF_PI, wave = p * cosine_of(angle) - q * sine_of(angle);
    double scale = ::sqrt(2 / constant::PI);
    return gamma_quotient(b, 1, 1, 1) * to_power(0.5 * x, 1 - b) * (scale * wave / to_power(x, 0.5));
}

GPUNP_HD double limit_at_infinity(double b, double z) {
    return z > 0 ? sign_of_gamma(b) * libm<double>::infinity() : libm<double>::nan();
}
GPUNP_HD Complex limit_at_infinity(double, Complex) {
    return not_a_number<Complex>();
}

// 0F1(; b; z).
template <class T>
GPUNP_HD_CALLED T limit_function(double b, T z) {
    if (is_nan(z)) return not_a_number<T>();
    if (is_pole(b)) return number<T>(libm<double>::nan());
    if (is_origin(z)) return number<T>(1);
    if (b != b || (is_infinite(b) && b < 0)) return not_a_number<T>();
    bool far = modulus(z) > libm<double>::max;
    if (is_infinite(b)) return far ? not_a_number<T>() : number<T>(1);
    if (far) return limit_at_infinity(b, z);
    double size = 2 * ::sqrt(modulus(z));
    if (size > 30 && size > b * b && real_part(z) < 0) return limit_asymptote(b, z);
    Series<T> sum = power_series(1, 1, 0, b, z);
    if (sum.lost < MOST_LOST) return in_full(sum);
    sum = twofold_series({1, 0}, {1, 0}, 0, b, z);
    if (sum.lost < MOST_LOST_IN_TWOFOLD) return in_full(sum);
    T value = in_full(series_by_recurrence(1, 1, 0, b, z));
    // The sum of terms that overflow.
    return is_nan(value) && size > 800 && size > 4 * ::fabs(b) ? limit_at_infinity(b, z) : value;
}

// x^power U(a, b, x) for a >= 1 / 4 and x > 0: the integral of DLMF 13.4.4 by the trapezoidal rule in log(t).
GPUNP_HD_CALLED double tricomi_integral(double a, double b, double x, double power) {
    double p = b - a - 1, linear = x - b + 1, root = ::sqrt(linear * linear + 4 * a * x);
    double peak = linear > 0 ? 2 * a / (linear + root) : (root - linear) / (2 * x);
    double top = ::log(peak), after = 1 + peak, curvature = x * peak - p * peak / (after * after);
    double step = ::fmin(0.2, 0.6 / ::sqrt(larger(curvature, 1e-3)));
    double highest = -x * peak + a * top + p * ::log1p(peak), sum = 1;
    for (int side = -1; side <= 1; side += 2) {
        for (int k = 1; k < 2000; ++k) {
            double s = top + side * k * step, t = ::exp(s);
            double value = ::exp(-x * t + a * s + p * ::log1p(t) - highest);
            sum += value;
            if (value < 1e-18 * sum) break;
        }
    }
    return ::exp(highest - gammaln(a) + power * ::log(x)) * step * sum;
}

// U(a, b, x) for x > 0.
GPUNP_HD_CALLED double tricomi_positive(double a, double b, double x) {
    double power = 0;
    if (a < 0.25 && b < 1) {
        // Kummer's transformation: U(a, b, x) = x^(1 - b) U(a - b + 1, 2 - b, x).
        power = 1 - b;
        a = a - b + 1;
        b = 2 - b;
    }
    if (a >= 0.25) return tricomi_integral(a, b, x, power);
    // The recurrence in a is stable downwards for b near 1, and that in b upwards. Polynomials need no start.
    bool polynomial = is_pole(a);
    double raise = polynomial ? 0 : ::floor(b - 0.5), near = b - raise;
    double up = polynomial ? -a : ::ceil(1 - a), at = a + up;
    if (!(up < MOST_STEPS && raise < MOST_STEPS)) return libm<double>::nan();
    double above = polynomial ? 0 : tricomi_integral(at + 1, near, x, 0);
    double value = polynomial ? 1 : tricomi_integral(at, near, x, 0);
    int exponent = 0;
    for (double k = 0; k < up; ++k) {
        double below = (2 * at - near + x) * value - at * (at - near + 1) * above;
        above = value;
        value = below;
        at = a + (up - k - 1);
        keep_in_range(&value, &above, &exponent);
    }
    // U(a, near - 1, x), then x^k U(a, near + k, x).
    double before = (value - a * above) / x;
    for (double k = 0; k < raise; ++k) {
        double bk = near + k, next = (bk + x - 1) * value - x * (bk - a - 1) * before;
        before = value;
        value = next;
        keep_in_range(&value, &before, &exponent);
    }
    return times_power(x, power - raise, Series<double>{value, exponent, 1});
}

}  // namespace special

GPUNP_HD double hyp0f1(double b, double z) {
    return special::limit_function(b, z);
}
GPUNP_HD complex<double> hyp0f1(double b, complex<double> z) {
    return special::limit_function(b, z);
}
GPUNP_HD double hyp1f1(double a, double b, double z) {
    return special::kummer(a, b, z);
}
GPUNP_HD complex<double> hyp1f1(double a, double b, complex<double> z) {
    return special::kummer(a, b, z);
}
GPUNP_HD_CALLED double hyperu(double a, double b, double x) {
    using namespace special;
    if (a != a || b != b || x != x || x < 0) return libm<double>::nan();
    if (a == 0 && x > 0) return 1;
    if (is_infinite(a) || is_infinite(b)) return libm<double>::nan();
    if (is_infinite(x)) return a > 0 ? 0 : x;
    if (x == 0) {
        if (b > 1 || (b == 1 && !is_pole(a))) return libm<double>::infinity();
        if (b == 1) return ::fmod(a, 2.) == 0 ? gamma(1 - a) : -gamma(1 - a);
        // (-b)^-a, where a - b is rounded to -b.
        if (-b > 1e17 * (1 + a * a)) return ::pow(-b, -a);
        return gamma_quotient(1 - b, 1, a - b + 1, 1);
    }
    // The first term of the asymptotic series.
    if (x > 1e17 * (1 + ::fabs(a)) * (1 + ::fabs(a - b))) return ::pow(x, -a);
    return tricomi_positive(a, b, x);
}

}  // namespace math
}  // namespace gpunp
