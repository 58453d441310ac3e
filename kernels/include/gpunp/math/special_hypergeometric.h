// Hypergeometric functions: 0F1, Kummer's 1F1 and Tricomi's U.
#pragma once
#include "gpunp/math/special_gauss.h"

namespace gpunp {
namespace math {
namespace special {

// The asymptotic series in 1 / z, sum of (a)_k (b)_k / k! z^-k; whether it converged goes to the last
// argument.
template <class T>
GPUNP_HD_CALLED T asymptotic_series(double a, double b, T z, bool* converged) {
    T term = number<T>(1), sum = term;
    double size = 1;
    *converged = false;
    for (int k = 0; k < 200; ++k) {
        term = term * ((a + k) * (b + k) / (k + 1.)) / z;
        double next = modulus(term);
        if (k > ::fabs(a) + ::fabs(b) && next > size) break;
        size = next;
        sum = sum + term;
        if (size <= 1e-16 * modulus(sum)) {
            *converged = true;
            break;
        }
    }
    return sum;
}

// 1F1 for large z (DLMF 13.7.2).
GPUNP_HD_CALLED double kummer_asymptote(double a, double b, double z, bool* converged) {
    if (z > 0) {
        double sum = asymptotic_series(b - a, 1 - a, z, converged);
        double exponent = 0.5 * (z + (a - b) * ::log(z)), half = ::exp(exponent);
        return half * (gamma_quotient(b, 1, a, 1) * sum) * half;
    }
    double sum = asymptotic_series(a, a - b + 1, -z, converged);
    return ::pow(-z, -a) * gamma_quotient(b, 1, b - a, 1) * sum;
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
GPUNP_HD_CALLED double kummer_series(double a, double b, double z) {
    double lost, other, value = power_series(a, 1, false, b, z, &lost);
    if (lost < MOST_LOST) return value;
    if (is_pole(a)) return twofold_series({a, 0}, {1, 0}, false, b, z, &other);
    value = power_series(b - a, 1, false, b, -z, &other);
    if (other < MOST_LOST) return ::exp(z) * value;
    if (lost <= other) return twofold_series({a, 0}, {1, 0}, false, b, z, &other);
    return ::exp(z) * twofold_series(twofold_sum(b, -a), {1, 0}, false, b, -z, &lost);
}
GPUNP_HD_CALLED Complex kummer_series(double a, double b, Complex z) {
    double lost;
    if (z.re < 0 && !is_pole(a)) return exp(z) * power_series(b - a, 1, false, b, -z, &lost);
    return power_series(a, 1, false, b, z, &lost);
}

template <class T>
GPUNP_HD_CALLED T kummer(double a, double b, T z) {
    if (a != a || b != b || is_nan(z)) return not_a_number<T>();
    if (is_pole(b) && !(is_pole(a) && a >= b && a != 0)) return number<T>(libm<double>::infinity());
    if (a == 0 || is_origin(z)) return number<T>(1);
    if (is_pole(a)) return kummer_series(a, b, z);
    if (a == b) return exponential(z);
    T sum;
    bool converged = false;
    if (!is_pole(a) && !is_pole(b - a) && modulus(z) > 30) {
        sum = kummer_asymptote(a, b, z, &converged);
        if (converged) return sum;
    }
    return kummer_series(a, b, z);
}

// 0F1(; b; z).
template <class T>
GPUNP_HD_CALLED T limit_series(double b, T z) {
    T term = number<T>(1), sum = term;
    for (int k = 0; k < 5000; ++k) {
        term = term * z / ((b + k) * (k + 1.));
        sum = sum + term;
        if (b + k > 0 && modulus(term) <= 1e-17 * modulus(sum)) break;
    }
    return sum;
}

GPUNP_HD_CALLED double limit_function(double b, double z) {
    if (z == 0 && !is_pole(b)) return 1;
    if (b != b || !is_finite(z) || is_pole(b)) return libm<double>::nan();
    if (z >= 0 || b > 2 * -z) return limit_series(b, z);
    double x = 2 * ::sqrt(-z);
    if (x > 30 && x > b * b) {
        // Hankel's expansion of the Bessel function of order b - 1.
        double mu = 4 * (b - 1) * (b - 1), term = 1, p = 1, q = 0;
        for (int k = 1; k < 60; ++k) {
            double next = term * (mu - (2. * k - 1) * (2. * k - 1)) / (8 * x * k);
            if (::fabs(next) > ::fabs(term) && k > b) break;
            term = next;
            (k & 1 ? q : p) += k & 2 ? -term : term;
            if (::fabs(term) < 1e-17) break;
        }
        double angle = x - (b - 0.5) * constant::HALF_PI;
        double wave = p * ::cos(angle) - q * ::sin(angle);
        return gamma(b) * ::pow(0.5 * x, 1 - b) * ::sqrt(2 / (constant::PI * x)) * wave;
    }
    // In twofold precision, because the terms grow to e^x.
    Twofold term = {1, 0}, sum = {1, 0};
    for (int k = 0; k < 5000; ++k) {
        term = quotient(product(term, {z, 0}), product(twofold_sum(b, k), {k + 1., 0}));
        sum = add(sum, term);
        if (b + k > 0 && ::fabs(term.high) <= 1e-18 * ::fabs(sum.high)) break;
    }
    return sum.high;
}

// The integral of DLMF 13.4.4 for U(a, b, x), a >= 1 / 4, x > 0, by the trapezoidal rule in log(t).
GPUNP_HD_CALLED double tricomi_integral(double a, double b, double x) {
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
    return ::exp(highest - gammaln(a)) * step * sum;
}

// U(a, b, x) for x > 0.
GPUNP_HD_CALLED double tricomi_positive(double a, double b, double x) {
    double factor = 1;
    if (!is_pole(a) && a < 1 && a - b + 1 > a) {
        // Kummer's transformation.
        factor = ::pow(x, 1 - b);
        a = a - b + 1;
        b = 2 - b;
    }
    if (a >= 0.25) return factor * tricomi_integral(a, b, x);
    // The recurrence in a is stable downwards.
    bool polynomial = is_pole(a);
    double up = polynomial ? -a : ::ceil(1 - a), at = a + up;
    double above = polynomial ? 0 : tricomi_integral(at + 1, b, x),
           value = polynomial ? 1 : tricomi_integral(at, b, x);
    if (is_infinite(above) || is_infinite(value)) return sign_of_gamma(a) * libm<double>::infinity();
    for (double k = 0; k < up; ++k) {
        double below = (2 * at - b + x) * value - at * (at - b + 1) * above;
        above = value;
        value = below;
        at = a + (up - k - 1);
    }
    return factor * value;
}

}  // namespace special

GPUNP_HD double hyp0f1(double b, double z) {
    return special::limit_function(b, z);
}
GPUNP_HD_CALLED complex<double> hyp0f1(double b, complex<double> z) {
    using namespace special;
    if (b != b || is_nan(z) || is_pole(b)) return not_a_number<Complex>();
    return limit_series(b, z);
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
    if (x == 0) {
        if (b > 1 || (b == 1 && !is_pole(a))) return libm<double>::infinity();
        if (b == 1) return ::fmod(a, 2.) == 0 ? gamma(1 - a) : -gamma(1 - a);
        return gamma_quotient(1 - b, 1, a - b + 1, 1);
    }
    return tricomi_positive(a, b, x);
}

}  // namespace math
}  // namespace gpunp
