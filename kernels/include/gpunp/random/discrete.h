// Discrete distributions, and continuous ones that are based on counts.
//
// Sources: Hormann, Insurance: Mathematics and Economics 12 (1993) 39 (PTRS) and J. Stat. Comput. Simul. 46
// (1993) 101 (BTRS); Stadlober, J. Comput. Appl. Math. 31 (1990) 181 (ratio of uniforms); Kemp, Applied
// Statistics 30 (1981) 249; Devroye, Non-Uniform Random Variate Generation (1986).
#pragma once
#include "gpunp/random/continuous.h"

namespace gpunp {
namespace random {

constexpr double GREATEST_COUNT = 9223372036854774784.0;  // the largest double that is an int64
constexpr double HALF_LOG_2PI = 0.91893853320467274178;

// Hormann's transformed rejection PTRS for rates of at least 10; otherwise counts arrivals in unit time.
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
        // log(rate^k e^-rate / k!), without cancellation of large terms.
        const double above = k + 1 - rate;
        const double target =
            above - k * log1p(above / rate) - 0.5 * log(k + 1) - HALF_LOG_2PI - stirling_rest(k);
        if (log(v * inverse / (a / (us * us) + b)) <= target) return k;
    }
    return 0;
}

// For p <= 1/2: inversion if the mean is small, otherwise Hormann's BTRS.
GPUNP_HD double binomial_half(Source& s, double n, double p) {
    if (n * p < 10) {
        const double odds = p / (1 - p);
        double rest = s.uniform(), term = exp(n * log1p(-p)), k = 0;
        while (rest >= term && k < n) {
            rest -= term;
            k += 1;
            term *= odds * (n - k + 1) / k;
            // `rest` is then only the rounding error of the sum of the terms.
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

// The number of marked items among `drawn` of `total`, drawn one by one.
GPUNP_HD double hypergeometric_draws(Source& s, double total, double marked, double drawn) {
    double found = 0;
    for (double i = 0; i < drawn && found < marked; i += 1) {
        if ((double)s.below((uint64_t)(total - i)) < marked - found) found += 1;
    }
    return found;
}

// The probabilities f(k) of k marked items among those drawn. f(k) is proportional to
// 1 / (k! (marked - k)! (drawn - k)! (outside + k)!). By Stirling's formula log(k!) is
// (k + 1/2) log(k + 1) - k + rest(k) + constant; the four factorials are compared with those of the mode one
// by one, so that no large terms cancel.
struct HypergeometricLaw {
    double mode, marked, drawn,
        outside;  // outside: total - marked - drawn >= 0
    double slope, rest;

    GPUNP_HD HypergeometricLaw(double total, double marked, double drawn)
        : mode(floor((drawn + 1) * (marked + 1) / (total + 2))),
          marked(marked),
          drawn(drawn),
          outside(total - marked - drawn) {
        slope = log((mode + 1) * (outside + mode + 1) / ((marked - mode + 1) * (drawn - mode + 1)));
        rest = rests(mode);
    }
    GPUNP_HD double rests(double k) const {
        return stirling_rest(k) + stirling_rest(outside + k) + stirling_rest(marked - k) +
               stirling_rest(drawn - k);
    }
    // (k + 1/2) log((k + 1) / (m + 1)) for k = m + step.
    GPUNP_HD static double cell(double m, double step) { return (m + step + 0.5) * log1p(step / (m + 1)); }
    // log(f(k) / f(mode)).
    GPUNP_HD double log_ratio(double k) const {
        const double step = k - mode;
        return rest - rests(k) - step * slope - cell(mode, step) - cell(outside + mode, step) -
               cell(marked - mode, -step) - cell(drawn - mode, -step);
    }
};

// Ratio of uniforms (Kinderman and Monahan 1977): if (u, u x) is uniform where u^2 <= g(x), x has a density
// proportional to g; here g(x) = f(floor(centre + x)) / f(mode). Stadlober bounds g by the table mountain
// min(1, (reach / x)^2). For a normal law the reach is the greatest |x| exp(-x^2 / 4 variance), which is
// sqrt(2 / e) deviations; the other terms make up for the steps of g.
GPUNP_HD double hypergeometric_ratio(Source& s, double total, double marked, double drawn) {
    constexpr double ROOT_2_OVER_E = 0.85776388496070680, STEP = 0.44945808102944939;  // 3/2 - sqrt(3 / e)
    const HypergeometricLaw law(total, marked, drawn);
    const double share = marked / total, mean = drawn * share;
    const double variance = mean * (1 - share) * ((total - drawn) / (total - 1));
    const double centre = mean + 0.5, reach = ROOT_2_OVER_E * sqrt(variance + 0.5) + STEP;
    while (s.more()) {
        const double u = s.open(), k = floor(centre + reach * (2 * s.open() - 1) / u);
        if (k >= 0 && k <= marked && k <= drawn && 2 * log(u) <= law.log_ratio(k)) return k;
    }
    return 0;
}

GPUNP_HD double hypergeometric(Source& s, double good, double bad, double sample) {
    const double total = good + bad;
    // By symmetry (items left in the urn are a sample too; items not good are bad), it suffices to draw at
    // most half of the items, of which at most half are marked.
    const bool remaining = sample > total - sample, others = good > bad;
    const double drawn = remaining ? total - sample : sample, marked = others ? bad : good;
    double found = drawn <= 10 ? hypergeometric_draws(s, total, marked, drawn)
                               : hypergeometric_ratio(s, total, marked, drawn);
    if (others) found = drawn - found;
    return remaining ? good - found : found;
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
// Kemp's mixture: the variate is geometric, greater than k with probability q^k for q = 1 - (1 - p)^U <= p.
struct LogSeries {
    GPUNP_HD static double sample(Source& s, double p, double, double) {
        const double log_failure = log1p(-p);
        while (s.more()) {
            const double v = s.open();
            if (v >= p) return 1;
            const double q = -expm1(log_failure * s.open());
            if (v >= q) return 1;
            if (v >= q * q) return 2;
            // q may be rounded to 1.
            if (q < 1) return 1 + floor(log(v) / log(q));
        }
        return 1;
    }
};
// Devroye (X.6): x is the floor of a Pareto variate, which is at least x with probability x^-(a - 1), and is
// accepted with probability proportional to x^-a over the probability of x. This ratio decreases with x, so 1
// is always accepted. The Pareto variate is drawn below 2^63.
struct Zipf {
    GPUNP_HD static double sample(Source& s, double a, double, double) {
        constexpr double LN2 = 0.6931471805599453;
        const double power = a - 1, beyond = exp(-power * (63 * LN2)), first = -expm1(-power * LN2);
        while (s.more()) {
            const double u = s.open(), v = s.open();
            const double x = floor(pow(u + beyond * (1 - u), -1 / power));
            if (x <= 1) return 1;
            if (x > GREATEST_COUNT) continue;
            // The probability that the floor is x, given that it is at least x; it is at most power / x.
            const double share = v * power <= first ? 0 : -expm1(-power * log1p(1 / x));
            if (v * x * share <= first) return x;
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
