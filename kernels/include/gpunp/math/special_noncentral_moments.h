// Densities, upper tails, their inverses and moments of noncentral distributions, for scipy.stats.
#pragma once
#include "gpunp/math/special_noncentral.h"
#include "gpunp/math/special_noncentral_t.h"

namespace gpunp {
namespace math {
namespace special {

// x times the density at x of a Poisson mixture with the mean l: each term is s times the difference of the
// central tails at s and s + 1.
template <class Terms>
GPUNP_HD_CALLED double mixture_density(Terms terms, double a, double l) {
    double mode = l > 0 ? ::floor(terms.mode(a, l)) : 0, first = terms.difference(a + mode) * (a + mode);
    if (l == 0) return first;
    first *= poisson_weight(mode, l);
    double sum = first;
    for (int side = 0; side < 2; ++side) {
        double term = first, j = mode;
        for (int n = 0; n < MIXTURE_LIMIT && (side || j > 0) && term > 1e-17 * sum; ++n) {
            // The difference times s grows by the quotient of differences times (s + 1) / s.
            double s = side ? a + j : a + j - 1, step = terms.ratio(s) * (s + 1) / s;
            term *= side ? step * l / (j + 1) : j / (step * l);
            sum += term;
            j += side ? 1 : -1;
        }
    }
    return sum;
}

GPUNP_HD Goal goal_of_upper(double p) {
    return {p < 0.5 ? p : 1 - p, p < 0.5};
}

GPUNP_HD bool is_noncentral(double df, double nc) {
    return df > 0 && nc >= 0 && !is_infinite(df) && !is_infinite(nc);
}

// The moments of a noncentral F distribution about zero, divided by those of the factor (dfd / dfn)^k.
GPUNP_HD double fisher_moment(double dfn, double nc, int k) {
    double a = dfn, b = nc;
    double second = (a + b) * (a + b) + 2 * a + 4 * b;
    if (k == 1) return a + b;
    if (k == 2) return second;
    double third = (a + b) * (a + b) * (a + b) + 6 * (a + b) * (a + 2 * b) + 8 * a + 24 * b;
    if (k == 3) return third;
    double c = a + 2 * b, d = 8 * (a + 3 * b), s = a + b;
    // From the cumulants s, 2 c, d and 48 (a + 4 b).
    return s * s * s * s + 6 * s * s * 2 * c + 3 * 4 * c * c + 4 * s * d + 48 * (a + 4 * b);
}

// The mean of (dfd / chi-square)^k / dfn^k.
GPUNP_HD double fisher_scale(double dfn, double dfd, int k) {
    double scale = 1;
    for (int i = 1; i <= k; ++i) scale *= dfd / dfn / (dfd - 2 * i);
    return scale;
}

struct Moments {
    double mean, variance, third, fourth;  // central from the second on
};

GPUNP_HD Moments central_moments(double first, double second, double third, double fourth) {
    double square = first * first, variance = second - square;
    return {first, variance, third - first * (3 * second - 2 * square),
            fourth - 4 * first * third + 6 * square * second - 3 * square * square};
}

GPUNP_HD_CALLED Moments fisher_moments(double dfn, double dfd, double nc) {
    return central_moments(fisher_scale(dfn, dfd, 1) * fisher_moment(dfn, nc, 1),
                           fisher_scale(dfn, dfd, 2) * fisher_moment(dfn, nc, 2),
                           fisher_scale(dfn, dfd, 3) * fisher_moment(dfn, nc, 3),
                           fisher_scale(dfn, dfd, 4) * fisher_moment(dfn, nc, 4));
}

// The moments of noncentral t: those of a shifted normal variable times the mean of S^-k.
GPUNP_HD_CALLED Moments student_moments(double df, double nc) {
    double half = 0.5 * df, square = nc * nc;
    // sqrt(df / 2) gamma((df - 1) / 2) / gamma(df / 2)
    double inverse = half < 80 ? ::sqrt(half) * gamma(half - 0.5) / gamma(half)
                               : ::exp(0.5 * ::log(half) + gammaln(half - 0.5) - gammaln(half));
    double second = df / (df - 2), third = inverse * df / (df - 3), fourth = second * df / (df - 4);
    return central_moments(nc * inverse, (1 + square) * second, nc * (3 + square) * third,
                           (3 + square * (6 + square)) * fourth);
}

}  // namespace special

GPUNP_HD_CALLED double ncx2_pdf(double x, double df, double nc) {
    if (!(x >= 0 && special::is_noncentral(df, nc)) || is_infinite(x)) return libm<double>::nan();
    if (x == 0) return df > 2 ? 0 : df < 2 ? libm<double>::infinity() : 0.5 * ::exp(-0.5 * nc);
    return special::mixture_density(special::GammaTerms{0.5 * x}, 0.5 * df, 0.5 * nc) / x;
}
GPUNP_HD_CALLED double ncx2_sf(double x, double df, double nc) {
    if (!(x >= 0 && special::is_noncentral(df, nc))) return libm<double>::nan();
    if (x == 0 || is_infinite(x)) return x == 0 ? 1 : 0;
    bool upper = x > df + nc;
    double tail = special::noncentral_chi_tail(x, df, nc, upper);
    return upper ? tail : 1 - tail;
}
GPUNP_HD_CALLED double ncx2_isf(double p, double df, double nc) {
    using namespace special;
    if (!(p >= 0 && p <= 1 && is_noncentral(df, nc))) return libm<double>::nan();
    if (p == 0 || p == 1) return p == 1 ? 0 : libm<double>::infinity();
    Patnaik near = patnaik(df, nc);
    double start = 2 * near.factor * gamma_quantile_start(0.5 * near.degrees, 1 - p, p);
    return root_of_increasing(ChiQuantile{df, nc, goal_of_upper(p)}, ::fmax(start, 1e-280), 0, 1e300);
}

GPUNP_HD_CALLED double ncf_pdf(double f, double dfn, double dfd, double nc) {
    if (!(f >= 0 && dfd > 0 && special::is_noncentral(dfn, nc)) || is_infinite(f) || is_infinite(dfd)) {
        return libm<double>::nan();
    }
    if (f == 0) return dfn > 2 ? 0 : dfn < 2 ? libm<double>::infinity() : ::exp(-0.5 * nc);
    double scaled = dfn * f, sum = dfd + scaled;
    special::BetaTerms terms = {0.5 * dfd, scaled / sum, dfd / sum};
    return special::mixture_density(terms, 0.5 * dfn, 0.5 * nc) / f;
}
GPUNP_HD_CALLED double ncf_sf(double f, double dfn, double dfd, double nc) {
    if (!(f >= 0 && dfd > 0 && special::is_noncentral(dfn, nc)) || is_infinite(dfd))
        return libm<double>::nan();
    if (f == 0 || is_infinite(f)) return f == 0 ? 1 : 0;
    bool upper = f * dfn > dfn + nc;
    double tail = special::noncentral_fisher_tail(f, dfn, dfd, nc, upper);
    return upper ? tail : 1 - tail;
}
GPUNP_HD_CALLED double ncf_isf(double p, double dfn, double dfd, double nc) {
    using namespace special;
    if (!(p >= 0 && p <= 1 && dfd > 0 && is_noncentral(dfn, nc)) || is_infinite(dfd))
        return libm<double>::nan();
    if (p == 0 || p == 1) return p == 1 ? 0 : libm<double>::infinity();
    double degrees = patnaik(dfn, nc).degrees;
    Fraction at = beta_quantile_start(0.5 * degrees, 0.5 * dfd, 1 - p, p);
    double start = at.x / at.y * (dfd / degrees) * ((dfn + nc) / dfn);
    start = ::fmin(::fmax(start, 1e-280), 1e280);
    return root_of_increasing(FisherQuantile{dfn, dfd, nc, goal_of_upper(p)}, start, 0, 1e300);
}
GPUNP_HD double ncf_mean(double dfn, double dfd, double nc) {
    return dfd > 2 ? special::fisher_moments(dfn, dfd, nc).mean : libm<double>::nan();
}
GPUNP_HD_CALLED double ncf_variance(double dfn, double dfd, double nc) {
    if (!(dfd > 4)) return libm<double>::nan();
    double s = dfn + nc, scale = dfd / dfn / (dfd - 2);
    return 2 * scale * scale * (s * s + (dfn + 2 * nc) * (dfd - 2)) / (dfd - 4);
}
GPUNP_HD_CALLED double ncf_skewness(double dfn, double dfd, double nc) {
    if (!(dfd > 6)) return libm<double>::nan();
    special::Moments m = special::fisher_moments(dfn, dfd, nc);
    return m.third / (m.variance * ::sqrt(m.variance));
}
GPUNP_HD_CALLED double ncf_kurtosis_excess(double dfn, double dfd, double nc) {
    if (!(dfd > 8)) return libm<double>::nan();
    // In spite of the name, SciPy's is not the excess.
    special::Moments m = special::fisher_moments(dfn, dfd, nc);
    return m.fourth / (m.variance * m.variance);
}

GPUNP_HD_CALLED double nct_pdf(double t, double df, double nc) {
    if (!(df > 0) || !is_finite(nc) || !is_finite(t)) return libm<double>::nan();
    if (is_infinite(df)) return ::exp(-0.5 * (t - nc) * (t - nc)) / special::ROOT_TWO_PI;
    return special::student_integral<true>(df, nc, t) / special::ROOT_TWO_PI;
}
GPUNP_HD_CALLED double nct_sf(double t, double df, double nc) {
    if (!(df > 0) || !is_finite(nc) || t != t) return libm<double>::nan();
    if (is_infinite(t)) return t < 0 ? 1 : 0;
    if (is_infinite(df)) return ndtr(nc - t);
    bool upper = t > nc;
    double tail = special::student_tail(df, nc, t, upper);
    return upper ? tail : 1 - tail;
}
GPUNP_HD double nct_isf(double p, double df, double nc) {
    // By reflection.
    return -nctdtrit(df, -nc, p);
}
GPUNP_HD double nct_mean(double df, double nc) {
    return df > 1 ? special::student_moments(df, nc).mean : libm<double>::nan();
}
GPUNP_HD double nct_variance(double df, double nc) {
    return df > 2 ? special::student_moments(df, nc).variance : libm<double>::nan();
}
GPUNP_HD_CALLED double nct_skewness(double df, double nc) {
    if (!(df > 3)) return libm<double>::nan();
    special::Moments m = special::student_moments(df, nc);
    return m.third / (m.variance * ::sqrt(m.variance));
}
GPUNP_HD_CALLED double nct_kurtosis_excess(double df, double nc) {
    if (!(df > 4)) return libm<double>::nan();
    special::Moments m = special::student_moments(df, nc);
    return m.fourth / (m.variance * m.variance) - 3;
}

}  // namespace math
}  // namespace gpunp
