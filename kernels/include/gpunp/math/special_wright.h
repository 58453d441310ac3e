// Wright's generalized Bessel function and its logarithm.
#pragma once
#include "gpunp/math/special_series.h"

namespace gpunp {
namespace math {
namespace special {

// The logarithm of a term of the series, x^k / (k! Gamma(a k + b)), with k as a real number.
GPUNP_HD double wright_term(double a, double b, double log_x, double k) {
    return k * log_x - gammaln(k + 1) - gammaln(a * k + b);
}

// The index of the largest term, as a real number: log x = psi(k + 1) + a psi(a k + b), by Newton's method in
// log(k).
GPUNP_HD_CALLED double wright_peak(double a, double b, double x) {
    double log_x = ::log(x), s = larger(0., (log_x - a * ::log(larger(a, 1e-3))) / (1 + a));
    for (int n = 0; n < 30; ++n) {
        double k = ::exp(s), p = a * k + b;
        double rest = log_x - digamma(k + 1) - a * digamma(p);
        double slope = k / (k + 0.5) + a * a * k / (p > 0.5 ? p - 0.4 : 0.1 + p);
        double step = rest / slope;
        s += step > 2 ? 2 : step < -2 ? -2 : step;
        if (s < 0) return 0;
        if (::fabs(step) < 1e-3) break;
    }
    return ::exp(s);
}

// The logarithm of the largest term, and the sum of the series divided by that term. Where the terms vary
// slowly, a few of them suffice: the trapezoidal rule for a smooth bell converges exponentially.
GPUNP_HD_CALLED pair<double, double> wright_sum(double a, double b, double x) {
    double log_x = ::log(x), peak = ::rint(wright_peak(a, b, x)), step = 1;
    double width = ::sqrt(peak / (1 + a));
    if (peak > 400 && peak > 12 * width) step = larger(1., ::floor(0.4 * width));
    double top = wright_term(a, b, log_x, peak), sum = 1;
    if (!is_finite(top)) {
        peak += 1;
        top = wright_term(a, b, log_x, peak);
    }
    // The rounding errors of greater exponents exceed the terms' differences; their sum is that of the bell.
    if (::fabs(top) > 1e12) return {top, 2.5066282746310005 * width};
    for (int side = -1; side <= 1; side += 2) {
        for (int n = 1; n < 4000; ++n) {
            double k = peak + side * n * step;
            if (k < 0) break;
            double part = ::exp(wright_term(a, b, log_x, k) - top);
            sum += part;
            if (part < 1e-17 * sum) break;
        }
    }
    return {top, sum * step};
}

// The series from its start, if the gamma function and the sum do not overflow, else NaN.
GPUNP_HD_CALLED double wright_series(double a, double b, double x) {
    double power = 1, sum = 0;
    for (double k = 0; k < 500; ++k) {
        double at = a * k + b;
        if (at > 165) break;
        double part = power * reciprocal_gamma(at);
        sum += part;
        if (k > 0 && part <= 1e-17 * sum) return sum;
        power *= x / (k + 1);
    }
    return libm<double>::nan();
}

GPUNP_HD bool outside_of_wright(double a, double b, double x) {
    return !(a >= 0 && b >= 0 && x >= 0) || is_infinite(a) || is_infinite(b);
}

}  // namespace special

GPUNP_HD_CALLED double wright_bessel(double a, double b, double x) {
    using namespace special;
    if (outside_of_wright(a, b, x)) return libm<double>::nan();
    if (x == 0) return reciprocal_gamma(b);
    if (is_infinite(x)) return x;
    if (a == 0) return ::exp(x) * reciprocal_gamma(b);
    double value = wright_series(a, b, x);
    if (value == value && value < 1e300) return value;
    auto found = wright_sum(a, b, x);
    return ::exp(found.first + ::log(found.second));
}

GPUNP_HD_CALLED double log_wright_bessel(double a, double b, double x) {
    using namespace special;
    if (outside_of_wright(a, b, x)) return libm<double>::nan();
    if (is_infinite(x)) return x;
    if (x == 0 || a == 0) return x - gammaln(b);
    double value = wright_series(a, b, x);
    if (value > 1e-300 && value < 1e300) return ::log(value);
    auto found = wright_sum(a, b, x);
    return found.first + ::log(found.second);
}

}  // namespace math
}  // namespace gpunp
