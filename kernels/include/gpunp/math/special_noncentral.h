// Noncentral chi-square and F distributions: distribution functions, quantiles and parameters. They are
// Poisson mixtures of central ones. As Benton and Krishnamoorthy (2003) do, the sums start at the mode of the
// terms; and they go in the direction in which the recurrence of the central tail adds, so that small tails
// are accurate as well.
#pragma once
#include "gpunp/math/special_quantile.h"
#include "gpunp/math/special_root.h"

namespace gpunp {
namespace math {
namespace special {

constexpr int MIXTURE_LIMIT = 10000000;
// Mixtures whose terms are greatest beyond this number would take millions of terms. Central distributions
// with the same moments have errors of the order of its reciprocal there.
constexpr double MIXTURE_MODE = 1e10;

// The incomplete gamma function P(s, y) as a function of s.
struct GammaTerms {
    double y;
    GPUNP_HD double tail(double s, bool upper) const { return gamma_incomplete(s, y, upper); }
    // P(s, y) - P(s + 1, y), and the quotient of the next difference and this one.
    GPUNP_HD double difference(double s) const { return gamma_weight(s, y) / s; }
    GPUNP_HD double ratio(double s) const { return y / (s + 1); }
    // The mode of l^j / j! times the difference at a + j, for real j.
    GPUNP_HD double mode(double a, double l) const { return 2 * l * y / (a + ::sqrt(a * a + 4 * l * y)); }
};

// The incomplete beta function I_x(s, b) as a function of s.
struct BetaTerms {
    double b, x, y;
    GPUNP_HD double tail(double s, bool upper) const {
        return upper ? beta_incomplete(b, s, y, x) : beta_incomplete(s, b, x, y);
    }
    GPUNP_HD double difference(double s) const { return beta_weight(s, b, x, y) / s; }
    GPUNP_HD double ratio(double s) const { return x * ((s + b) / (s + 1)); }
    GPUNP_HD double mode(double a, double l) const {
        double linear = a - l * x, product = l * x * (a + b), root = ::sqrt(linear * linear + 4 * product);
        return linear > 0 ? 2 * product / (linear + root) : 0.5 * (root - linear);
    }
};

// The probability of j events for the mean l > 0.
GPUNP_HD double poisson_weight(double j, double l) {
    return gamma_weight(j + 1, l) / l;
}

// The mean of the central tail at a + j for Poisson's j with the mean l > 0.
template <class Terms>
GPUNP_HD_CALLED double poisson_mixture(Terms terms, double a, double l, bool upper) {
    double middle = terms.mode(a, l), mode = ::floor(upper ? ::fmax(l, middle) : ::fmin(l, middle)), j = mode,
           s = a + j;
    // The weight and the difference are most accurate at the mode. From there to the first term that counts:
    double weight = poisson_weight(j, l), difference = terms.difference(s), product = 1;
    double first = upper ? j - 9 * ::sqrt(j) - 30 : j + 9 * ::sqrt(j) + 30;
    while (upper ? j > first && j > 0 : j < first && product > 1e-20) {
        double step;
        if (upper) {
            j -= 1;
            s -= 1;
            step = 1 / terms.ratio(s);
            weight *= (j + 1) / l;
        } else {
            step = terms.ratio(s);
            j += 1;
            s += 1;
            weight *= l / j;
            // Bounds the terms, because the central tail shrinks, where it is about as large as its first
            // difference by the step.
            product *= (step < 0.5 ? step : 1) * l / j;
        }
        difference *= step;
    }
    double tail = terms.tail(s, upper), sum = 0;
    for (int n = 0; n < MIXTURE_LIMIT; ++n) {
        double term = weight * tail;
        sum += term;
        if (!(j > 0 || upper) || (!(term > 1e-17 * sum) && (upper ? j > mode : j < mode))) break;
        if (upper) {
            tail += difference;
            difference *= terms.ratio(s);
            weight *= l / (j + 1);
            j += 1;
            s += 1;
        } else {
            difference /= terms.ratio(s - 1);
            tail += difference;
            weight *= j / l;
            j -= 1;
            s -= 1;
        }
    }
    return ::fmin(sum, 1.);
}

// Tails at x of the noncentral chi-square distribution.
GPUNP_HD_CALLED double noncentral_chi_tail(double x, double df, double nc, bool upper) {
    // Halves of the least number are zero.
    GammaTerms terms = {::fmax(0.5 * x, 5e-324)};
    // The next term is smaller by a factor of nc, for the upper tail of nc (1 + x / df) or less.
    bool central = nc == 0 || (df > 0 && nc * (upper ? 1 + x / df : 1) < 1e-17);
    if (central) return terms.tail(0.5 * df, upper);
    // Only the first term of the mixture counts; the others may underflow.
    double shape = ::fmax(0.5 * df, 1e-300);
    if (!upper && nc * terms.y < 1e-17 * (shape + 1)) return ::exp(-0.5 * nc) * terms.tail(shape, upper);
    if (!(::fmax(0.5 * nc, terms.mode(0.5 * df, 0.5 * nc)) < MIXTURE_MODE)) {
        // Three moments (Pearson 1959).
        double share = nc / (df + nc), two = 1 + share, three = 1 + 2 * share;
        double degrees = (df + nc) * two / three * two / three * two, scale = three / two;
        double moved = x + nc * (share / three);
        return gamma_incomplete(0.5 * degrees, 0.5 * moved / scale, upper);
    }
    return poisson_mixture(terms, shape, 0.5 * nc, upper);
}

// Tails at f of the noncentral F distribution.
GPUNP_HD_CALLED double noncentral_fisher_tail(double f, double dfn, double dfd, double nc, bool upper) {
    // The limits for many degrees of freedom.
    if (dfd > 1e13 * ::fmax(dfn + nc, 1.)) return noncentral_chi_tail(dfn * f, dfn, nc, upper);
    if (dfn > 1e13 * ::fmax(dfd + nc, 1.)) return gamma_incomplete(0.5 * dfd, 0.5 * dfd / f, !upper);
    double scaled = dfn * f, sum = dfd + scaled;
    bool far = is_infinite(sum);
    BetaTerms terms = {0.5 * dfd, far ? 1 : scaled / sum, far ? 0 : dfd / sum};
    if (nc == 0) return terms.tail(0.5 * dfn, upper);
    if (!upper && nc * terms.x * ((0.5 * dfn + terms.b) / (0.5 * dfn + 1)) < 1e-17)
        return ::exp(-0.5 * nc) * terms.tail(0.5 * dfn, upper);
    if (!(::fmax(0.5 * nc, terms.mode(0.5 * dfn, 0.5 * nc)) < MIXTURE_MODE)) {
        // Two moments of the numerator (Patnaik 1949).
        double share = nc / (dfn + nc), degrees = (dfn + nc) / (1 + share);
        double part = scaled / (1 + share), total = dfd + part;
        terms.x = is_infinite(total) ? 1 : part / total;
        terms.y = is_infinite(total) ? 0 : dfd / total;
        return terms.tail(0.5 * degrees, upper);
    }
    return poisson_mixture(terms, 0.5 * dfn, 0.5 * nc, upper);
}

// The probability of a root search, by its smaller part.
struct Goal {
    double value;
    bool upper;
    GPUNP_HD double excess(double tail) const { return tail_excess(tail, value, upper); }
};

GPUNP_HD Goal goal_of(double p) {
    return {p > 0.5 ? 1 - p : p, p > 0.5};
}

// The distribution functions less their goals, as functions of one argument or minus one parameter.
struct ChiQuantile {
    double df, nc;
    Goal goal;
    GPUNP_HD double operator()(double x) const {
        return goal.excess(noncentral_chi_tail(x, df, nc, goal.upper));
    }
};
struct ChiDegrees {
    double x, nc;
    Goal goal;
    GPUNP_HD double operator()(double df) const {
        return -goal.excess(noncentral_chi_tail(x, df, nc, goal.upper));
    }
};
struct ChiNoncentrality {
    double x, df;
    Goal goal;
    GPUNP_HD double operator()(double nc) const {
        return -goal.excess(noncentral_chi_tail(x, df, nc, goal.upper));
    }
};
struct FisherQuantile {
    double dfn, dfd, nc;
    Goal goal;
    GPUNP_HD double operator()(double f) const {
        return goal.excess(noncentral_fisher_tail(f, dfn, dfd, nc, goal.upper));
    }
};
struct FisherNumerator {
    double f, dfd, nc, sign;
    Goal goal;
    GPUNP_HD double operator()(double dfn) const {
        return sign * goal.excess(noncentral_fisher_tail(f, dfn, dfd, nc, goal.upper));
    }
};
struct FisherDenominator {
    double f, dfn, nc, sign;
    Goal goal;
    GPUNP_HD double operator()(double dfd) const {
        return sign * goal.excess(noncentral_fisher_tail(f, dfn, dfd, nc, goal.upper));
    }
};
struct FisherNoncentrality {
    double f, dfn, dfd;
    Goal goal;
    GPUNP_HD double operator()(double nc) const {
        return -goal.excess(noncentral_fisher_tail(f, dfn, dfd, nc, goal.upper));
    }
};

// Patnaik's central distribution (1949) with the same mean and variance: `degrees` and a factor.
struct Patnaik {
    double degrees, factor;
};
GPUNP_HD Patnaik patnaik(double df, double nc) {
    double sum = df + nc;
    return {sum / (df + 2 * nc) * sum, (df + 2 * nc) / sum};
}

// The bound of the noncentrality of an F distribution.
constexpr double MOST_NONCENTRALITY = 1e10;

}  // namespace special

GPUNP_HD_CALLED double chndtr(double x, double df, double nc) {
    if (!(df >= 0 && x >= 0 && nc >= 0)) return libm<double>::nan();
    if (nc == 0 && (df == 0 || is_infinite(x))) return 1;
    if (nc == 0 && is_infinite(df)) return 0;
    if (df == 0 || (is_infinite(df) && !is_infinite(nc))) return libm<double>::nan();
    if (is_infinite(nc)) return is_infinite(x) ? libm<double>::nan() : 0;
    if (is_infinite(x)) return 1;
    if (x == 0) return 0;
    bool upper = x > df + nc;
    double tail = special::noncentral_chi_tail(x, df, nc, upper);
    if (upper && tail > 0.5) return special::noncentral_chi_tail(x, df, nc, false);
    return upper ? 1 - tail : tail;
}

GPUNP_HD_CALLED double chndtrix(double p, double df, double nc) {
    using namespace special;
    if (!(p >= 0 && p <= 1 && df > 0 && nc >= 0) || is_infinite(df) || is_infinite(nc))
        return libm<double>::nan();
    if (p == 0 || p == 1) return p == 0 ? 0 : libm<double>::infinity();
    Patnaik near = patnaik(df, nc);
    double start = 2 * near.factor * gamma_quantile_start(0.5 * near.degrees, p, 1 - p);
    return root_of_increasing(ChiQuantile{df, nc, goal_of(p)}, ::fmax(start, 1e-280), 0, 1e300);
}

GPUNP_HD_CALLED double chndtridf(double x, double p, double nc) {
    using namespace special;
    if (!(p > 0 && p < 1 && x > 0 && nc >= 0) || is_infinite(x) || is_infinite(nc))
        return libm<double>::nan();
    double df = root_of_increasing(ChiDegrees{x, nc, goal_of(p)}, ::fmax(x - nc, 1.), 1e-290, 1e300);
    return df > 1e-290 ? df : 0;
}

GPUNP_HD_CALLED double chndtrinc(double x, double df, double p) {
    using namespace special;
    if (!(p > 0 && p < 1 && x > 0 && df > 0) || is_infinite(x) || is_infinite(df)) return libm<double>::nan();
    ChiNoncentrality excess = {x, df, goal_of(p)};
    if (excess(0) >= 0) return 0;
    return root_of_increasing(excess, ::fmax(x - df, 1.), 0, 1e300);
}

GPUNP_HD_CALLED double ncfdtr(double dfn, double dfd, double nc, double f) {
    if (!(dfn > 0 && dfd > 0 && nc >= 0 && f >= 0)) return libm<double>::nan();
    if (is_infinite(f)) return 1;
    if (is_infinite(dfn) || is_infinite(dfd) || is_infinite(nc)) return libm<double>::nan();
    if (f == 0) return 0;
    bool upper = f * dfn > dfn + nc;
    double tail = special::noncentral_fisher_tail(f, dfn, dfd, nc, upper);
    // Of few degrees of freedom, most may be above the mean.
    if (upper && tail > 0.5) return special::noncentral_fisher_tail(f, dfn, dfd, nc, false);
    return upper ? 1 - tail : tail;
}

GPUNP_HD_CALLED double ncfdtri(double dfn, double dfd, double nc, double p) {
    using namespace special;
    if (!(dfn > 0 && dfd > 0 && nc >= 0 && p >= 0 && p <= 1)) return libm<double>::nan();
    if (is_infinite(dfn) || is_infinite(dfd) || is_infinite(nc)) return libm<double>::nan();
    if (p == 0 || p == 1) return p == 0 ? 0 : libm<double>::infinity();
    double degrees = patnaik(dfn, nc).degrees;
    Fraction at = beta_quantile_start(0.5 * degrees, 0.5 * dfd, p, 1 - p);
    double start = at.x / at.y * (dfd / degrees) * ((dfn + nc) / dfn);
    start = ::fmin(::fmax(start, 1e-280), 1e280);
    return root_of_increasing(FisherQuantile{dfn, dfd, nc, goal_of(p)}, start, 0, 1e300);
}

GPUNP_HD_CALLED double ncfdtridfd(double dfn, double p, double nc, double f) {
    using namespace special;
    if (!(dfn > 0 && p >= 0 && p < 1 && nc >= 0 && f >= 0) || is_infinite(nc)) return libm<double>::nan();
    if (f == 0) return p == 0 ? DEGREES_START : LEAST_DEGREES;
    if (is_infinite(f) || is_infinite(dfn)) return MOST_FISHER_DEGREES;
    return root_of_monotone(FisherDenominator{f, dfn, nc, 1, goal_of(p)}, DEGREES_START, LEAST_DEGREES,
                            MOST_FISHER_DEGREES);
}

GPUNP_HD_CALLED double ncfdtridfn(double p, double dfd, double nc, double f) {
    using namespace special;
    if (!(dfd > 0 && p >= 0 && p < 1 && nc >= 0 && f >= 0) || is_infinite(nc)) return libm<double>::nan();
    if (f == 0) return p == 0 ? DEGREES_START : LEAST_DEGREES;
    if (is_infinite(f) || is_infinite(dfd)) return MOST_FISHER_DEGREES;
    return root_of_monotone(FisherNumerator{f, dfd, nc, 1, goal_of(p)}, DEGREES_START, LEAST_DEGREES,
                            MOST_FISHER_DEGREES);
}

GPUNP_HD_CALLED double ncfdtrinc(double dfn, double dfd, double p, double f) {
    using namespace special;
    if (!(dfn > 0 && dfd > 0 && p > 0 && p < 1 && f >= 0)) return libm<double>::nan();
    if (is_infinite(dfn) || is_infinite(dfd)) return libm<double>::nan();
    if (f == 0 || is_infinite(f)) return f == 0 ? 0 : MOST_NONCENTRALITY;
    FisherNoncentrality excess = {f, dfn, dfd, goal_of(p)};
    if (excess(0) >= 0) return 0;
    return root_of_increasing(excess, ::fmax(dfn * (f - 1), 1.), 0, MOST_NONCENTRALITY);
}

}  // namespace math
}  // namespace gpunp
