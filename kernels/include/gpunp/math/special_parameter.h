// Parameters of distributions with a given probability: of the chi-square, F, t, gamma, beta, binomial,
// negative binomial and Poisson distributions. They are roots of the distribution function, for the smaller
// tail.
#pragma once
#include "gpunp/math/special_incomplete.h"
#include "gpunp/math/special_root.h"

namespace gpunp {
namespace math {
namespace special {

struct GammaShape {
    double x, goal;
    bool upper;
    GPUNP_HD double operator()(double a) const { return -tail_excess(gamma_ratio(a, x, upper), goal, upper); }
};

// a with P(a, x) = p and Q(a, x) = q, for x > 0.
GPUNP_HD_CALLED double gamma_shape(double p, double q, double x) {
    // From x = a + z sqrt(a) for the normal quantile z.
    double half = 0.5 * (p <= q ? ndtri(p) : -ndtri(q)), root = ::sqrt(x + half * half);
    double start = half > 0 ? x / (root + half) : root - half;
    bool upper = q < p;
    start *= start;
    // P(a, x) is about x^a.
    if (x < 1e-10) start = (upper ? ::log1p(-q) : ::log(p)) / ::log(x);
    return root_of_increasing(GammaShape{x, upper ? q : p, upper}, start, 0, 1e300);
}

struct BetaShape {
    double b, x, y, goal;
    bool upper;
    GPUNP_HD double operator()(double a) const {
        double tail = upper ? beta_incomplete(b, a, y, x) : beta_incomplete(a, b, x, y);
        return -tail_excess(tail, goal, upper);
    }
};

// a with I_x(a, b) = p, for p + q = 1 and x + y = 1, all positive.
GPUNP_HD_CALLED double beta_shape(double p, double q, double b, double x, double y) {
    bool upper = q < p;
    double start = ::fmin(::fmax(b * (x / y), 1e-3), 1e6);
    return root_of_increasing(BetaShape{b, x, y, upper ? q : p, upper}, start, 0, 1e300);
}

struct BinomialCount {
    double n, p, goal;
    bool upper;
    GPUNP_HD double operator()(double k) const {
        double tail =
            upper ? beta_incomplete(k + 1, n - k, p, 1 - p) : beta_incomplete(n - k, k + 1, 1 - p, p);
        return tail_excess(tail, goal, upper);
    }
};

struct FisherDegrees {
    double a, x, goal;
    bool upper;
    GPUNP_HD double operator()(double b) const {
        // The limit is a gamma distribution.
        if (b > 1e15 * ::fmax(a, 1.))
            return tail_excess(gamma_ratio(0.5 * a, 0.5 * a * x, upper), goal, upper);
        double scaled = a * x, sum = b + scaled;
        double tail = upper ? beta_incomplete(0.5 * b, 0.5 * a, b / sum, scaled / sum)
                            : beta_incomplete(0.5 * a, 0.5 * b, scaled / sum, b / sum);
        return tail_excess(tail, goal, upper);
    }
};

// For the lower tail of t < 0, which shrinks as the degrees of freedom grow.
struct StudentDegrees {
    double t, goal;
    GPUNP_HD double operator()(double df) const { return -tail_excess(stdtr(df, t), goal, false); }
};

GPUNP_HD bool is_inside(double p) {
    return p > 0 && p < 1;
}

}  // namespace special

// Where the probability is 0 or 1, the results are the limits of the parameter, as in SciPy.

GPUNP_HD_CALLED double chdtriv(double p, double x) {
    if (!(p >= 0 && p <= 1 && x > 0)) return libm<double>::nan();
    if (p == 0 || p == 1) return p == 0 ? libm<double>::infinity() : 0;
    return is_infinite(x) ? libm<double>::nan() : 2 * special::gamma_shape(p, 1 - p, 0.5 * x);
}
GPUNP_HD_CALLED double gdtrib(double a, double p, double x) {
    double y = a * x;
    if (!(p >= 0 && p <= 1 && a >= 0 && y >= 0) || is_infinite(y)) return libm<double>::nan();
    if (p == 1 || y == 0) return p > 0 && a > 0 ? 0 : libm<double>::nan();
    return p == 0 ? libm<double>::infinity() : special::gamma_shape(p, 1 - p, y);
}
GPUNP_HD_CALLED double pdtrik(double p, double mean) {
    if (!(p >= 0 && p < 1 && mean >= 0)) return libm<double>::nan();
    if (p == 0 || mean == 0) return 0;
    return is_infinite(mean) ? libm<double>::nan() : ::fmax(special::gamma_shape(1 - p, p, mean) - 1, 0.);
}

GPUNP_HD_CALLED double btdtria(double p, double b, double x) {
    if (!(p >= 0 && p <= 1 && x > 0 && b > 0)) return libm<double>::nan();
    if (p == 0 || p == 1) return p == 0 ? libm<double>::infinity() : 0;
    return x < 1 && !is_infinite(b) ? special::beta_shape(p, 1 - p, b, x, 1 - x) : libm<double>::nan();
}
GPUNP_HD_CALLED double btdtrib(double a, double p, double x) {
    if (!(p >= 0 && p <= 1 && x > 0 && a > 0)) return libm<double>::nan();
    if (p == 0 || p == 1) return p == 1 ? libm<double>::infinity() : 0;
    return x < 1 && !is_infinite(a) ? special::beta_shape(1 - p, p, a, 1 - x, x) : libm<double>::nan();
}

GPUNP_HD_CALLED double bdtrik(double y, double n, double p) {
    if (!(y >= 0 && y <= 1 && p >= 0 && p <= 1 && n >= 0) || is_infinite(n)) return libm<double>::nan();
    if (y == 0 || (p == 0 && y < 1)) return 0;
    if (y == 1 || p == 1) return n;
    bool upper = y > 0.5;
    special::BinomialCount excess = {n, p, upper ? 1 - y : y, upper};
    if (n == 0 || excess(0) >= 0) return 0;
    return special::root_of_increasing(excess, n * p, 0, n);
}
GPUNP_HD_CALLED double bdtrin(double k, double y, double p) {
    if (!(y >= 0 && y <= 1 && p >= 0 && p <= 1 && k >= 0) || is_infinite(k)) return libm<double>::nan();
    if (y == 0 || y == 1) return y == 0 ? libm<double>::infinity() : k;
    return special::is_inside(p) ? k + special::beta_shape(y, 1 - y, k + 1, 1 - p, p) : libm<double>::nan();
}
GPUNP_HD_CALLED double nbdtrik(double y, double n, double p) {
    if (!(y >= 0 && y <= 1 && p >= 0 && p <= 1 && n > 0) || is_infinite(n)) return libm<double>::nan();
    if (y == 0 || (p == 1 && y < 1)) return 0;
    if (y == 1 || p == 0) return libm<double>::infinity();
    return ::fmax(special::beta_shape(1 - y, y, n, 1 - p, p) - 1, 0.);
}
GPUNP_HD_CALLED double nbdtrin(double k, double y, double p) {
    if (!(special::is_inside(y) && special::is_inside(p) && k >= 0) || is_infinite(k))
        return libm<double>::nan();
    return special::beta_shape(y, 1 - y, k + 1, p, 1 - p);
}

GPUNP_HD_CALLED double fdtridfd(double dfn, double p, double x) {
    using namespace special;
    if (!(p >= 0 && p < 1 && x >= 0 && dfn > 0)) return libm<double>::nan();
    if (x == 0) return p == 0 ? DEGREES_START : LEAST_DEGREES;
    if (is_infinite(x) || is_infinite(dfn)) return MOST_FISHER_DEGREES;
    if (p == 0) return LEAST_DEGREES;
    bool upper = p > 0.5;
    FisherDegrees excess = {dfn, x, upper ? 1 - p : p, upper};
    return root_of_increasing(excess, DEGREES_START, LEAST_DEGREES, MOST_FISHER_DEGREES);
}
GPUNP_HD_CALLED double stdtridf(double p, double t) {
    using namespace special;
    if (!(p >= 0 && p <= 1) || t != t) return libm<double>::nan();
    StudentDegrees excess = {-::fabs(t), p <= 0.5 ? p : 1 - p};
    return root_of_increasing(excess, DEGREES_START, LEAST_DEGREES, MOST_DEGREES);
}

}  // namespace math
}  // namespace gpunp
