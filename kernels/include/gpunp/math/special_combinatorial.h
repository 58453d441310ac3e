// Beta functions, binomial coefficients, rising factorials and Stirling numbers of real numbers.
#pragma once
#include "gpunp/math/special_incomplete.h"

namespace gpunp {
namespace math {
namespace special {

GPUNP_HD bool is_gamma_pole(double x) {
    return x <= 0 && x == ::floor(x);
}

// gamma(x + d) / gamma(x) for x >= 10 and x + d >= 10, by Stirling's formula. The power is split in halves,
// as it overflows before the product does.
GPUNP_HD_CALLED double rising_large(double x, double d) {
    double s = x + d, part = s - x, lost = (x - (s - part)) + (d - part), u = 1 / x, v = 1 / s;
    double power = ::pow(s, 0.5 * d), correction = v * gammaln_stirling(v * v) - u * gammaln_stirling(u * u);
    if (power == 0 || is_infinite(power)) return power;
    double exponent = d * lost * v - x * above_log1p(d * u, s * u) - 0.5 * ::log1p(d * u);
    return power * ::exp(exponent + correction) * power;
}

// log(beta(a, b)) for a, b >= 10, with log1p because the quotients are small or the logarithms cancel.
GPUNP_HD double log_beta_large(double a, double b) {
    double s = a + b, u = 1 / a, v = 1 / b, w = 1 / s;
    double correction =
        u * gammaln_stirling(u * u) + v * gammaln_stirling(v * v) - w * gammaln_stirling(w * w);
    double powers = a * ::log1p(b / a) + b * ::log1p(a / b);
    return HALF_LOG_TWO_PI + 0.5 * ::log(s / a / b) - powers + correction;
}

// sin(pi (x - y)); reduced before the subtraction, which is exact then.
GPUNP_HD double sin_pi_difference(double x, double y) {
    double p = ::rint(x), q = ::rint(y), s = sin_pi((x - p) - (y - q));
    return (::fmod(p, 2.) == 0) == (::fmod(q, 2.) == 0) ? s : -s;
}

// log(|beta(a, b)|) for a and b that are not at poles of gamma, by the logarithms of gamma functions. Where
// one of them is huge, its logarithm would cancel.
GPUNP_HD_CALLED double log_beta_far(double a, double b) {
    double great = ::fabs(a) < ::fabs(b) ? b : a, little = ::fabs(a) < ::fabs(b) ? a : b, sines = 0;
    if (great < 0) {
        // beta(a, b) = sin(pi (a + b)) / sin(pi a) beta(1 - a - b, b).
        sines = ::log(::fabs(sin_pi_difference(great, -little) / sin_pi(great)));
        great = 1 - (great + little);
        if (great < ::fabs(little)) {
            double t = great;
            great = little;
            little = t;
        }
    }
    if (great >= 10 && little >= 10) return sines + log_beta_large(great, little);
    double s = great + little;
    if (great < 10 || s < 10) return sines + gammaln(great) + gammaln(little) - gammaln(s);
    double u = 1 / great, v = 1 / s, correction = v * gammaln_stirling(v * v) - u * gammaln_stirling(u * u);
    double exponent = (great - 0.5) * ::log1p(little / great) + little * (::log(s) - 1);
    return sines + (gammaln(little) - (exponent + correction));
}

// beta(a, b) for |a| >= |b|, neither at a pole of gamma.
GPUNP_HD_CALLED double beta_ordered(double a, double b) {
    double s = a + b;
    if (is_infinite(a))
        return is_infinite(b) ? libm<double>::nan() : b > 0 ? 0 : gammasgn(b) * libm<double>::infinity();
    if (is_gamma_pole(s)) return 0;
    if (a >= 10 && b >= 10) return ::exp(log_beta_large(a, b));
    if (a >= 10 && s >= 10 && b > -100) return gamma(b) / rising_large(a, b);
    if (a < 0 && s <= -9 && ::fabs(b) < 100) {
        // gamma(a) / gamma(s) by reflection.
        return sin_pi(s) / sin_pi(a) * gamma(b) / rising_large(1 - s, b);
    }
    if (::fabs(a) < 170 && s > -170) return gamma(a) / gamma(s) * gamma(b);
    return gammasgn(a) * gammasgn(b) * gammasgn(s) * ::exp(log_beta_far(a, b));
}

// Whether beta(a, b) for a nonpositive integer a is finite; then it is (-1)^b beta(1 - a - b, b).
GPUNP_HD bool beta_has_limit(double a, double b) {
    return b == ::floor(b) && 1 - a - b > 0 && !is_infinite(a) && !is_infinite(b);
}

// binom(n, k) for k - n >= 10 by the reflection formula, with the sine of pi (k - n).
GPUNP_HD_CALLED double binom_beyond(double n, double k, double sine) {
    if (sine == 0) return 0;
    // In halves, because the quotient of gamma functions may overflow.
    double half = 0.5 * (n + 1), first = rising_large(k - n, half), second = rising_large(k - n + half, half);
    return gamma(n + 1) / constant::PI * sine / first / second;
}

}  // namespace special

GPUNP_HD_CALLED double beta(double a, double b) {
    using namespace special;
    if (is_gamma_pole(b) && !is_gamma_pole(a)) {
        double t = a;
        a = b;
        b = t;
    }
    double sign = 1;
    if (is_gamma_pole(a)) {
        if (!beta_has_limit(a, b)) return libm<double>::infinity();
        sign = ::fmod(b, 2.) == 0 ? 1 : -1;
        a = 1 - a - b;
        if (is_gamma_pole(b)) return sign * libm<double>::infinity();
    }
    return sign * (::fabs(a) < ::fabs(b) ? beta_ordered(b, a) : beta_ordered(a, b));
}

GPUNP_HD_CALLED double betaln(double a, double b) {
    using namespace special;
    double value = ::fabs(beta(a, b));
    if (!(value < 1e-200 || value > 1e200) || is_infinite(a) || is_infinite(b)) return ::log(value);
    if (is_gamma_pole(a) || is_gamma_pole(b)) {
        double integer = is_gamma_pole(a) ? a : b, other = is_gamma_pole(a) ? b : a;
        if (!beta_has_limit(integer, other)) return libm<double>::infinity();
        a = 1 - integer - other;
        b = other;
    }
    return is_gamma_pole(a + b) ? -libm<double>::infinity() : log_beta_far(a, b);
}

// n (n - 1) ... (n - k + 1) / k! for real n and k.
GPUNP_HD_CALLED double binom(double n, double k) {
    using namespace special;
    if (n != n || k != k || k == libm<double>::infinity() || (n < 0 && n == ::floor(n)))
        return libm<double>::nan();
    bool whole = k == ::floor(k);
    if (is_infinite(k)) return 0;
    if (whole) {
        double least = n == ::floor(n) && n > 0 && k > 0.5 * n ? n - k : k;
        if (least < 0 && n == ::floor(n)) return 0;
        if (least >= 0 && least < 20) {
            double above = 1, below = 1;
            for (int i = 1; i <= (int)least; ++i) {
                above *= n - (least - i);
                below *= i;
                if (::fabs(above) > 1e50) {
                    above /= below;
                    below = 1;
                }
            }
            return above / below;
        }
    }
    if (::fabs(n) < 150) {
        if (k - n >= 10 && k >= 10) return binom_beyond(n, k, sin_pi_difference(k, n));
        if (k <= -10 && n - k >= 10) return whole ? 0 : binom_beyond(n, n - k, sin_pi(-k));
    }
    double lower = n + 1 - k, inverse = beta(lower, 1 + k);
    if (::fabs(inverse) > 1e-290 || !(n >= 150 && lower >= 10 && k > -100)) return 1 / (n + 1) / inverse;
    // A power of a huge n, next to which the function beta underflows.
    double power = rising_large(lower, k);
    if (!is_infinite(power)) return power * rgamma(k + 1);
    return gammasgn(k + 1) * ::exp(-log_beta_far(lower, k + 1) - ::log(n + 1));
}

// The rising factorial gamma(a + m) / gamma(a).
GPUNP_HD_CALLED double poch(double a, double m) {
    using namespace special;
    double s = a + m, sign = 1;
    if (m == 0) return 1;
    if (a == -libm<double>::infinity()) return libm<double>::nan();
    if (is_gamma_pole(a)) {
        if (m == -libm<double>::infinity()) return 0;
        if (!is_gamma_pole(s)) return 0;
        // The limit, by reflection.
        sign = ::fmod(m, 2.) == 0 ? 1 : -1;
        a = 1 - s;
        s = a + m;
    } else if (is_infinite(m)) {
        return m > 0 && !is_infinite(a) ? gammasgn(a) * m : libm<double>::nan();
    } else if (is_infinite(a)) {
        return m > 0 ? a : 0;
    } else if (is_gamma_pole(s) && !(::fabs(a) < 1e-15 && m < 0)) {
        return libm<double>::infinity();
    }
    if (::fabs(a) < 1e-15 && m < 0 && m == ::floor(m)) {
        // a + m is rounded to the pole m there.
        return (::fmod(m, 2.) == 0 ? 1 : -1) * rgamma(1 - m);
    }
    if (m > 0 && m <= 20 && m == ::floor(m)) {
        double product = sign;
        for (int k = 0; k < (int)m; ++k) product *= a + k;
        return product;
    }
    if (a >= 10 && s >= 10) return sign * rising_large(a, m);
    if (::fabs(a) < 170 && ::fabs(s) < 170) {
        // The rounding error of s counts far from zero and near poles.
        double part = s - a, lost = (a - (s - part)) + (m - part), value = sign * gamma(s) * rgamma(a);
        double slope = s > 1 ? ::log(s) : s > 0 ? 0 : -constant::PI / ::tan(constant::PI * (s - ::rint(s)));
        return value * (1 + lost * slope);
    }
    return sign * gammasgn(s) * gammasgn(a) * ::exp(gammaln(s) - gammaln(a));
}

namespace special {

// Stirling numbers of the second kind for n <= 50 by their recurrence along the shorter side of the triangle.
GPUNP_HD_CALLED double stirling_by_recurrence(int n, int k) {
    double row[26];
    int others = n - k + 1, count = k < others ? k : others, steps = k < others ? others : k;
    for (int i = 0; i < count; ++i) row[i] = 1;
    for (int i = 1; i < steps; ++i) {
        for (int j = 1; j < count; ++j) {
            row[j] = k < others ? (j + 1) * row[j] + row[j - 1] : (i + 1) * row[j - 1] + row[j];
        }
    }
    return row[count - 1];
}

// For 1 < k < n by Cauchy's formula for n! / k! times the coefficient n of (e^z - 1)^k, on the circle through
// the saddle point. The coefficients there are those of a sum of k Poisson variables that are not zero, of
// mean n, so the trapezoidal rule is exact if its points cover that distribution.
GPUNP_HD_CALLED double stirling_by_circle(double n, double k) {
    double mean = n / k, r = mean > 1.5 ? mean : 2 * (mean - 1);
    for (int i = 0; i < 30; ++i) {
        // r / (1 - e^-r) = mean.
        double rest = -::expm1(-r), value = r / rest - mean, slope = (1 - r * (1 - rest) / rest) / rest,
               step = value / slope;
        r -= step;
        if (::fabs(step) < 1e-15 * r) break;
    }
    double deviation = ::sqrt(n * (1 + r - mean)), top = ::expm1(r), sum = 0.5;
    double half = ::ceil(9 * deviation + 30);
    for (double j = 1; j <= half; j += 1) {
        double angle = constant::PI * j / half, sine, cosine, s, c;
        libm<double>::sincos(angle, &sine, &cosine);
        libm<double>::sincos(r * sine, &s, &c);
        double size = ::exp(r * (cosine - 1)) * (top + 1), real = size * c - 1, imaginary = size * s;
        double modulus = hypot(real, imaginary) / top, term = ::pow(modulus, k);
        sum += (j == half ? 0.5 : 1) * term * ::cos(k * ::atan2(imaginary, real) - n * angle);
        if (term < 1e-18) break;
    }
    // sum / half times n! / k! (e^r - 1)^k / r^n.
    double exponent =
        gammaln(n + 1) - gammaln(k + 1) + k * (r > 30 ? r + ::log1p(-::exp(-r)) : ::log(top)) - n * ::log(r);
    return ::exp(exponent) * (sum / half);
}

}  // namespace special

// Stirling numbers of the second kind.
GPUNP_HD_CALLED double stirling2_inexact(double n, double k) {
    if (n != n || k != k) return libm<double>::nan();
    n = ::trunc(n);
    k = ::trunc(k);
    if (n == k && n >= 0) return 1;
    if (k <= 0 || k > n || n < 0) return 0;
    if (k == 1) return 1;
    if (n <= 50) return special::stirling_by_recurrence((int)n, (int)k);
    // Beyond this quotient the results overflow.
    return n > 700 * k ? libm<double>::infinity() : special::stirling_by_circle(n, k);
}

}  // namespace math
}  // namespace gpunp
