// The noncentral t distribution: its distribution function, quantiles and parameters.
#pragma once
#include "gpunp/math/special_incomplete.h"
#include "gpunp/math/special_root.h"

namespace gpunp {
namespace math {
namespace special {

// For S = sqrt(chi-square / df), the density of log(S) at u, relative to that at zero.
GPUNP_HD double log_chi_density(double df, double u) {
    double w = ::expm1(2 * u);
    return ::exp(-0.5 * df * (::fabs(u) < 0.3 ? above_log1p(w, 1 + w) : w - 2 * u));
}

// Where the integrand of student_integral is about largest, as a value of S: exact for t S far below nc.
GPUNP_HD double student_peak(double df, double nc, double t) {
    // In units that avoid overflow for large t: the positive root of (1 + q) x^2 - c x - p.
    double size = ::fabs(t), unit = ::fmax(size, 1.), ratio = ::sqrt(df) / unit,
           c = (t < 0 ? -nc : nc) * (size / unit);
    double square = ratio * ratio + (size / unit) * (size / unit), root = ::sqrt(c * c + 4 * df * square);
    double s = (c > 0 ? (c + root) / (2 * square) : 2 * df / (root - c)) / unit;
    return t * s > nc ? 1 : s;
}

// P(T <= t) = E(normal probability of t S - nc), or with the density in its place, E(S phi(t S - nc)), for
// T = (Z + nc) / S: the trapezoidal rule for v with u = log(S) = v - e^-v, or u = v for many degrees of
// freedom. All terms are positive, hence small probabilities are accurate. It converges exponentially as the
// step shrinks below the widths of both factors.
template <bool DENSITY>
GPUNP_HD_CALLED double student_integral(double df, double nc, double t) {
    bool stretched = df < 4;
    double s = student_peak(df, nc, t), u = ::log(s), v = u;
    if (stretched) {
        // Newton's method for v - e^-v = u.
        v = u > 0 ? u + 0.5 : -::log(0.6 - u);
        for (int n = 0; n < 4; ++n) v -= (v - ::exp(-v) - u) / (1 + ::exp(-v));
    }
    double steep = ::fmin(1.5 * ::fabs(t) * s, ::fabs(nc) + 6), most = ::fmax(s, 1.);
    double step = 1 / ::sqrt(70 + 5 * df * most * most + 2.5 * steep * steep), start = v, sum = 0;
    if (stretched) step /= 1 + 0.5 * ::exp(-v);
    for (int side = 0; side < 2; ++side) {
        double last = 0;
        for (int n = side; n < 100000; ++n) {
            v = start + (side ? -n : n) * step;
            double e = stretched ? ::exp(-v) : 0, x = v - e, scale = ::exp(x), z = t * scale - nc;
            double value = DENSITY ? scale * ::exp(-0.5 * z * z) : 0.5 * ::erfc(-z * ROOT_HALF);
            value *= log_chi_density(df, x) * (1 + e);
            sum += value;
            if (value <= 1e-17 * sum && value <= last) break;
            last = value;
        }
    }
    return sum * step * ::sqrt(df / constant::PI) / gamma_star(0.5 * df);
}

// Tails at t.
GPUNP_HD double student_tail(double df, double nc, double t, bool upper) {
    if (t == 0) return ndtr(upper ? nc : -nc);
    return ::fmin(upper ? student_integral<false>(df, -nc, -t) : student_integral<false>(df, nc, t), 1.);
}

// The distribution function less its goal, as a function of one argument times a sign.
struct StudentGoal {
    double df, nc, t, goal, sign;
    bool upper;
    GPUNP_HD double excess(double tail) const { return sign * tail_excess(tail, goal, upper); }
};
struct StudentQuantile : StudentGoal {
    // t has the sign.
    GPUNP_HD double operator()(double x) const { return excess(student_tail(df, nc, sign * x, upper)); }
};
struct StudentDegreesOfFreedom : StudentGoal {
    GPUNP_HD double operator()(double x) const { return excess(student_tail(x, nc, t, upper)); }
};
struct StudentNoncentrality : StudentGoal {
    // The noncentrality has the opposite sign.
    GPUNP_HD double operator()(double x) const { return excess(student_tail(df, -sign * x, t, upper)); }
};

GPUNP_HD StudentGoal student_goal(double df, double nc, double t, double p, double sign) {
    return {df, nc, t, p > 0.5 ? 1 - p : p, sign, p > 0.5};
}

constexpr double MOST_STUDENT_NONCENTRALITY = 1e6, LEAST_STUDENT_DEGREES = 1e-10, MOST_STUDENT_DEGREES = 1e10;

}  // namespace special

GPUNP_HD_CALLED double nctdtr(double df, double nc, double t) {
    if (!(df > 0) || nc != nc || t != t) return libm<double>::nan();
    if (is_infinite(t)) return t < 0 ? 0 : 1;
    if (is_infinite(df) || is_infinite(nc)) return is_infinite(nc) ? libm<double>::nan() : ndtr(t - nc);
    // Limits whose next terms are below rounding, where the integrand is too narrow or too wide.
    if (df > 1e17 * ::fmax(t * t, 1.)) return ndtr(t - nc);
    if (df < 1e-30 && ::fabs(nc) < 6) return ndtr(-nc);
    bool upper = t > nc;
    double tail = special::student_tail(df, nc, t, upper);
    return upper ? 1 - tail : tail;
}

GPUNP_HD_CALLED double nctdtrit(double df, double nc, double p) {
    using namespace special;
    if (!(df > 0 && p >= 0 && p <= 1) || is_infinite(df) || !is_finite(nc)) return libm<double>::nan();
    const double infinity = libm<double>::infinity(), at_zero = ndtr(-nc);
    if (p == 0 || p == 1) return p == 0 ? -infinity : infinity;
    if (p == at_zero) return 0;
    double sign = p < at_zero ? -1 : 1, near = nc + ndtri(p);
    StudentQuantile excess = {student_goal(df, nc, 0, p, sign)};
    return sign * root_of_increasing(excess, ::fmax(sign * near, 0.1), 0, 1e300);
}

GPUNP_HD_CALLED double nctdtridf(double p, double nc, double t) {
    using namespace special;
    if (!(p > 0 && p < 1) || !is_finite(nc) || !is_finite(t)) return libm<double>::nan();
    StudentDegreesOfFreedom excess = {student_goal(0, nc, t, p, 1)};
    return root_of_monotone(excess, 5, LEAST_STUDENT_DEGREES, MOST_STUDENT_DEGREES);
}

GPUNP_HD_CALLED double nctdtrinc(double df, double p, double t) {
    using namespace special;
    if (!(df > 0 && p > 0 && p < 1) || is_infinite(df) || !is_finite(t)) return libm<double>::nan();
    double at_zero = stdtr(df, t), sign = p < at_zero ? -1 : 1;
    StudentNoncentrality excess = {student_goal(df, 0, t, p, sign)};
    double near = sign * (ndtri(p) - t);
    return -sign * root_of_increasing(excess, ::fmax(near, 0.1), 0, MOST_STUDENT_NONCENTRALITY);
}

}  // namespace math
}  // namespace gpunp
