// Discrete distributions, and the continuous ones that count first.
#pragma once
#include "gpunp/random/continuous.h"

namespace gpunp {
namespace random {

constexpr double GREATEST_COUNT = 9223372036854774784.0;  // the largest double that is an int64
constexpr double HALF_LOG_2PI = 0.91893853320467274178;

// Hormann's transformed rejection PTRS (1993) from 10 on; below, the product of uniform variates.
GPUNP_HD double poisson(Source& s, double rate) {
    if (rate == 0) return 0;
    if (rate < 10) {
        const double limit = exp(-rate);
        double product = s.open(), count = 0;
        while (product > limit) {
            product *= s.open();
            count += 1;
        }
        return count;
    }
    const double b = 0.931 + 2.53 * sqrt(rate), a = -0.059 + 0.02483 * b;
    const double inverse = 1.1239 + 1.1328 / (b - 3.4), squeeze = 0.9277 - 3.6224 / (b - 2);
    while (s.more()) {
        const double u = s.open() - 0.5, v = s.open(), us = 0.5 - fabs(u);
        const double k = floor((2 * a / us + b) * u + rate + 0.43);
        if (us >= 0.07 && v <= squeeze) return k;
        if (k < 0 || (us < 0.013 && v > us)) continue;
        // log of rate^k e^-rate / k!, without the difference of large numbers.
        const double above = k + 1 - rate;
        const double target =
            above - k * log1p(above / rate) - 0.5 * log(k + 1) - HALF_LOG_2PI - stirling_rest(k);
        if (log(v * inverse / (a / (us * us) + b)) <= target) return k;
    }
    return 0;
}

// p <= 1/2: inversion while the mean is small, else Hormann's BTRS (1993).
GPUNP_HD double binomial_half(Source& s, double n, double p) {
    if (n * p < 10) {
        const double odds = p / (1 - p);
        double rest = s.uniform(), term = exp(n * log1p(-p)), k = 0;
        while (rest >= term && k < n) {
            rest -= term;
            k += 1;
            term *= odds * (n - k + 1) / k;
            // What is left of 1 after rounding.
            if (term < 1e-300) break;
        }
        return k;
    }
    const double deviation = sqrt(n * p * (1 - p)), b = 1.15 + 2.53 * deviation;
    const double a = -0.0873 + 0.0248 * b + 0.01 * p, alpha = (2.83 + 5.1 / b) * deviation;
    const double squeeze = 0.92 - 4.2 / b, odds = p / (1 - p), mode = floor((n + 1) * p);
    while (s.more()) {
        const double v = s.open(), u = s.open() - 0.5, us = 0.5 - fabs(u);
        const double k = floor((2 * a / us + b) * u + n * p + 0.5);
        if (us >= 0.07 && v <= squeeze) return k;
        if (k < 0 || k > n) continue;
        const double target = (mode + 0.5) * log((mode + 1) / (odds * (n - mode + 1))) +
                              (n + 1) * log1p((k - mode) / (n - k + 1)) +
                              (k + 0.5) * log(odds * (n - k + 1) / (k + 1)) + stirling_rest(mode) +
                              stirling_rest(n - mode) - stirling_rest(k) - stirling_rest(n - k);
        if (log(v * alpha / (a / (us * us) + b)) <= target) return k;
    }
    return 0;
}

GPUNP_HD double binomial(Source& s, double n, double p) {
    n = floor(n);
    if (n <= 0 || p <= 0) return 0;
    if (p >= 1) return n;
    return p <= 0.5 ? binomial_half(s, n, p) : n - binomial_half(s, n, 1 - p);
}

// Up to 10 draws one by one; beyond, Stadlober's ratio of uniforms HRUA (1989).
GPUNP_HD double hypergeometric(Source& s, double good, double bad, double sample) {
    const double total = good + bad, less = good < bad ? good : bad, more = total - less;
    const bool inverted = sample > total - sample;
    const double m = inverted ? total - sample : sample;
    double z = 0;
    if (m <= 10) {
        double left = less, of = total;
        for (int i = 0; i < (int)m && left > 0; i++) {
            if ((double)s.below((uint64_t)of) < left) {
                left -= 1;
                z += 1;
            }
            of -= 1;
        }
    } else {
        const double share = less / total, centre = m * share + 0.5;
        const double deviation = sqrt((total - m) * m * share * (1 - share) / (total - 1) + 0.5);
        const double width = 1.7155277699214135 * deviation + 0.8989161620588988;
        const double mode = floor((m + 1) * (less + 1) / (total + 2));
        const double top = log_factorial(mode) + log_factorial(less - mode) + log_factorial(m - mode) +
                           log_factorial(more - m + mode);
        const double most = (m < less ? m : less) + 1, far = floor(centre + 16 * deviation);
        const double end = most < far ? most : far;
        while (s.more()) {
            const double x = s.open(), y = s.open(), w = centre + width * (y - 0.5) / x;
            if (w < 0 || w >= end) continue;
            z = floor(w);
            const double t = top - (log_factorial(z) + log_factorial(less - z) + log_factorial(m - z) +
                                    log_factorial(more - m + z));
            if (x * (4 - x) - 3 <= t) break;
            if (x * (x - t) >= 1) continue;
            if (2 * log(x) <= t) break;
        }
    }
    if (good > bad) z = m - z;
    return inverted ? good - z : z;
}

struct Poisson {
    GPUNP_HD static double sample(Source& s, double rate, double, double) { return poisson(s, rate); }
};
struct Binomial {
    GPUNP_HD static double sample(Source& s, double n, double p, double) { return binomial(s, n, p); }
};
struct NegativeBinomial {
    GPUNP_HD static double sample(Source& s, double n, double p, double) {
        return p >= 1 ? 0 : poisson(s, standard_gamma(s, n) * (1 - p) / p);
    }
};
struct Geometric {
    GPUNP_HD static double sample(Source& s, double p, double, double) {
        const double k = ceil(standard_exponential(s) / -log1p(-p));
        return k < 1 ? 1 : k;
    }
};
struct Hypergeometric {
    GPUNP_HD static double sample(Source& s, double good, double bad, double sample) {
        return hypergeometric(s, floor(good), floor(bad), floor(sample));
    }
};
// Kemp (1981).
struct LogSeries {
    GPUNP_HD static double sample(Source& s, double p, double, double) {
        const double r = log1p(-p);
        while (s.more()) {
            const double v = s.open();
            if (v >= p) return 1;
            const double q = -expm1(r * s.open());
            if (v > q * q) return v >= q ? 1 : 2;
            const double k = floor(1 + log(v) / log(q));
            if (k >= 1) return k;
        }
        return 1;
    }
};
// Devroye (1986, X.6), from a Pareto variate that is no larger than an int64.
struct Zipf {
    GPUNP_HD static double sample(Source& s, double a, double, double) {
        if (a >= 1025) return 1;
        const double power = a - 1, b = exp(power * 0.6931471805599453);
        const double least = exp(-power * 43.66827237527655);
        while (s.more()) {
            const double u = s.open(), v = s.open();
            const double x = floor(pow(u + least * (1 - u), -1 / power));
            if (x < 1 || x > GREATEST_COUNT) continue;
            const double t = pow(1 + 1 / x, power);
            if (v * x * (t - 1) / (b - 1) <= t / b) return x;
        }
        return 1;
    }
};

GPUNP_HD double noncentral_chisquare(Source& s, double df, double shift) {
    if (df > 1) {
        const double x = standard_normal(s) + sqrt(shift);
        return chisquare(s, df - 1) + x * x;
    }
    return chisquare(s, df + 2 * poisson(s, shift / 2));
}

struct NoncentralChisquare {
    GPUNP_HD static double sample(Source& s, double df, double shift, double) {
        return noncentral_chisquare(s, df, shift);
    }
};
struct NoncentralF {
    GPUNP_HD static double sample(Source& s, double numerator, double denominator, double shift) {
        const double x = noncentral_chisquare(s, numerator, shift) * denominator;
        return x / (chisquare(s, denominator) * numerator);
    }
};

}  // namespace random
}  // namespace gpunp
