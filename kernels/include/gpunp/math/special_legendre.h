// Associated Legendre functions of real degree.
#pragma once
#include "gpunp/math/special_gauss.h"

namespace gpunp {
namespace math {
namespace special {

// Ferrers' function of order -m divided by ((1 - x) / (1 + x))^(m / 2) / m!, for m >= 0 and x > -1
// (DLMF 14.3.1).
GPUNP_HD double ferrers_factor(double degree, double m, double x) {
    return gauss(-degree, degree + 1, m + 1, 0.5 * (1 - x));
}

// Gamma(degree + m + 1) / Gamma(degree - m + 1).
GPUNP_HD double ratio_of_orders(double degree, double m) {
    double product = 1;
    if (m > 60) return gamma_quotient(degree + m + 1, 1, degree - m + 1, 1);
    for (double k = 1 - m; k <= m; ++k) product *= degree + k;
    return product;
}

// Ferrers' function of order m >= 0 and degree >= -1 / 2 for -1 < x < 1. `up` is the degree's distance to the
// start of the recurrence.
GPUNP_HD_CALLED double ferrers(double degree, double m, double x) {
    bool whole = degree == ::rint(degree);
    if (whole && degree < m) return 0;
    if (!(degree < MOST_STEPS && m < MOST_STEPS)) return libm<double>::nan();
    // Left of zero, the recurrence is stable from where the function oscillates on, except for polynomials.
    double value, before = 0, root = ::sqrt((1 - x) * (1 + x)), low = x < 0 ? larger(m + 1, m / root) : m + 1;
    double up = whole ? degree - m : larger(0., ::floor(degree - low)), start = degree - up;
    if (whole) {
        value = 1;
        for (double k = 0; k < m; ++k) value *= -(2 * k + 1) * root;
    } else {
        double power = ::pow((1 - x) / (1 + x), 0.5 * m), factorial = gamma(m + 1);
        double sign = ::fmod(m, 2.) == 0 ? 1 : -1;
        value = sign * ratio_of_orders(start, m) * power / factorial * ferrers_factor(start, m, x);
        if (up > 0) {
            before =
                sign * ratio_of_orders(start - 1, m) * power / factorial * ferrers_factor(start - 1, m, x);
        }
    }
    for (double k = 0; k < up; ++k) {
        double at = start + k, next = ((2 * at + 1) * x * value - (at + m) * before) / (at - m + 1);
        before = value;
        value = next;
    }
    return value;
}

}  // namespace special

// The associated Legendre function of integer order m and real degree v, for |x| <= 1; of order 0 also
// beyond.
GPUNP_HD_CALLED double lpmv(double m, double v, double x) {
    using namespace special;
    const double nan = libm<double>::nan();
    if (m != ::floor(m) || v != v || x != x || is_infinite(m) || is_infinite(v) || is_infinite(x)) return nan;
    double degree = v < -0.5 ? -v - 1 : v, order = ::fabs(m);
    bool whole = degree == ::rint(degree);
    if ((m < 0 && whole && degree < order) || (::fabs(x) > 1 && (m != 0 || (x < 0 && !whole)))) return nan;
    if (x == 1) return order == 0 ? 1 : 0;
    if (x == -1) {
        double sign = ::fmod(degree, 2.) == 0 ? 1 : -1;
        if (whole) return order == 0 ? sign : 0;
        return order == 0 ? -libm<double>::infinity() : libm<double>::infinity();
    }
    if (x > 1 && !whole) return gauss(-degree, degree + 1, 1, 0.5 * (1 - x));
    double value = ferrers(degree, order, x);
    if (m < 0) value *= (::fmod(order, 2.) == 0 ? 1 : -1) / ratio_of_orders(degree, order);
    return value;
}

namespace special {

// (n + m)! / (n - m)!, without overflow of the parts.
GPUNP_HD double factorial_quotient(double n, double m) {
    double product = 1;
    for (double k = n - m + 1; k <= n + m; ++k) product *= k;
    return product;
}

// w^m times the m-th derivative of the Legendre polynomial of degree n at z, for m >= 0; normalized it is
// multiplied by sqrt((2 n + 1) (n - m)! / (2 (n + m)!)).
template <class T>
GPUNP_HD_CALLED T legendre_recurrence(double n, double m, T z, T w, bool normalized) {
    if (n < m) return number<T>(0);
    T before = number<T>(0), value = number<T>(normalized ? 0.70710678118654752 : 1);
    for (double k = 1; k <= m; ++k) value = (normalized ? ::sqrt(1 + 0.5 / k) : 2 * k - 1) * (w * value);
    for (double k = m + 1; k <= n; ++k) {
        T next;
        if (normalized) {
            double scale = ::sqrt((4 * k * k - 1) / (k * k - m * m));
            double other = ::sqrt(((k - 1) * (k - 1) - m * m) / (4 * (k - 1) * (k - 1) - 1));
            next = scale * (z * value - other * before);
        } else {
            next = ((2 * k - 1) * (z * value) - (k + m - 1) * before) / (k - m);
        }
        before = value;
        value = next;
    }
    return value;
}

// The cut of an associated Legendre function: beyond -1 and 1 (type 2), or between them (type 3). The root w
// of
// +-(1 - z^2), whose m-th power is a factor.
GPUNP_HD double root_beside_cut(double z, bool between) {
    // Left of -1 the function of type 3 is complex for odd orders, and SciPy's NaN for all.
    return between ? ::sqrt(z - 1) * ::sqrt(z + 1) : ::sqrt((1 - z) * (1 + z));
}
GPUNP_HD Complex root_beside_cut(Complex z, bool between) {
    return between ? sqrt(z - 1.) * sqrt(z + 1.) : sqrt(1. - z) * sqrt(1. + z);
}

// The derivatives of w^m times the m-th derivative y of the polynomial at the ends, where w = 0. `sign` is
// that of w^2 = sign (1 - z^2).
GPUNP_HD_CALLED double legendre_at_end(double n, double m, double z, double sign, int derivative) {
    const double infinity = libm<double>::infinity();
    if (n < m || m > 4) return 0;
    // y, y' and y'' at 1; each has the parity of its degree.
    double odd = z < 0 && ::fmod(n - m, 2.) != 0 ? -1 : 1;
    double factorial = 1;
    for (double k = 1; k <= m; ++k) factorial *= 2 * k;
    double y = odd * factorial_quotient(n, m) / factorial;
    double first = z * y * (n - m) * (n + m + 1) / (2 * (m + 1));
    double second = z * first * (n - m - 1) * (n + m + 2) / (2 * (m + 2));
    if (derivative == 0) return m == 0 ? y : 0;
    if (derivative == 1)
        return m == 0 ? first : m == 1 ? -sign * z * y * infinity : m == 2 ? -2 * sign * z * y : 0;
    if (m == 0) return second;
    if (m == 1) return -y * infinity;
    if (m == 2) return -2 * sign * (y + 2 * z * first);
    return m == 3 ? y * infinity : 8 * y;
}
GPUNP_HD double end_of_interval(double z) {
    return z == 1 || z == -1 ? z : 0;
}
GPUNP_HD double end_of_interval(Complex z) {
    return z.im == 0 ? end_of_interval(z.re) : 0;
}

// A derivative (0, 1 or 2) of an associated Legendre function.
template <class T>
GPUNP_HD_CALLED T associated_legendre(double n, double m, T z, bool between, bool normalized,
                                      int derivative) {
    double order = ::fabs(m), scale = 1, sign = between ? -1 : 1;
    if (n < 0 || n < order) return number<T>(0);
    if (is_nan(z)) return not_a_number<T>();
    // The phase of Condon and Shortley; negative orders differ by a factor.
    if (!between && m > 0 && ::fmod(order, 2.) != 0) scale = -1;
    if (m < 0 && !normalized) scale /= factorial_quotient(n, order);
    double end = end_of_interval(z);
    if (end != 0) {
        if (normalized) scale *= ::sqrt((n + 0.5) / factorial_quotient(n, order));
        return number<T>(scale * legendre_at_end(n, order, end, sign, derivative));
    }
    // Functions of order 0 are polynomials, on the cut too.
    bool polynomial = order == 0;
    T square = sign * ((1. - z) * (1. + z)), w = polynomial ? number<T>(1) : root_beside_cut(z, between);
    T value = legendre_recurrence(n, order, z, w, normalized);
    if (derivative == 0) return scale * value;
    double up = normalized ? ::sqrt((n - order) * (n + order + 1)) : 1;
    T raised = up * legendre_recurrence(n, order + 1, z, w, normalized) / w;
    // (w^m y)' = -sign m z w^(m - 2) y + w^m y'
    if (derivative == 1)
        return scale * (raised - (polynomial ? number<T>(0) : sign * order * (z * value / square)));
    // Legendre's differential equation: (1 - z^2) P'' = 2 z P' - (n (n + 1) - m^2 / (1 - z^2)) P
    double twice = normalized ? ::sqrt((n - order - 1) * (n + order + 2)) : 1;
    T again = n > order + 1 ? up * twice * legendre_recurrence(n, order + 2, z, w, normalized) / w / w
                            : number<T>(0);
    if (polynomial) return scale * again;
    T part = order * (order - 2) * (z * z) * value / square / square;
    part = part - sign * order * (value + 2. * (z * raised)) / square;
    return scale * (part + again);
}

// sqrt((n + m) (n - m + 1)), by which the order of a spherical function changes.
GPUNP_HD double ladder(double n, double m) {
    return ::sqrt(larger(0., (n + m) * (n - m + 1)));
}
// The function of order m without the phase of Condon and Shortley.
GPUNP_HD double spherical_of_order(double n, double m, double cosine, double sine) {
    double value = legendre_recurrence(n, ::fabs(m), cosine, sine, true);
    return m < 0 && ::fmod(m, 2.) != 0 ? -value : value;
}

// A derivative with respect to theta of the spherical Legendre function, which is even in theta.
GPUNP_HD_CALLED double spherical_legendre(double n, double m, double theta, int derivative) {
    if (n < 0 || ::fabs(m) > n) return 0;
    double sine, cosine, value;
    libm<double>::sincos(theta, &sine, &cosine);
    if (derivative == 0) {
        value = spherical_of_order(n, m, cosine, sine);
    } else if (derivative == 1) {
        value = 0.5 * (ladder(n, m) * spherical_of_order(n, m - 1, cosine, sine) -
                       ladder(n, m + 1) * spherical_of_order(n, m + 1, cosine, sine));
    } else {
        double below = ladder(n, m), above = ladder(n, m + 1);
        value = 0.25 * (below * ladder(n, m - 1) * spherical_of_order(n, m - 2, cosine, sine) -
                        (below * below + above * above) * spherical_of_order(n, m, cosine, sine) +
                        above * ladder(n, m + 2) * spherical_of_order(n, m + 2, cosine, sine));
    }
    // 1 / sqrt(2 pi)
    value *= 0.39894228040143268;
    return ::fmod(m, 2.) != 0 && sine >= 0 ? -value : value;
}

}  // namespace special

// `options`: the type of the cut (2 or 3), plus 4 for normalized functions, plus 8 times the derivative.
template <class T>
GPUNP_HD T assoc_legendre_p(int64_t n, int64_t m, T z, int64_t options) {
    return special::associated_legendre((double)n, (double)m, z, (options & 3) == 3, (options & 4) != 0,
                                        (int)(options >> 3));
}

GPUNP_HD double sph_legendre_p(int64_t n, int64_t m, double theta, int64_t derivative) {
    return special::spherical_legendre((double)n, (double)m, theta, (int)derivative);
}

// `derivatives`: that with respect to theta, plus 3 times that with respect to phi.
GPUNP_HD_CALLED complex<double> sph_harm_y(int64_t n, int64_t m, double theta, double phi,
                                           int64_t derivatives) {
    using namespace special;
    double value = spherical_legendre((double)n, (double)m, theta, (int)(derivatives % 3)), sine, cosine;
    libm<double>::sincos((double)m * phi, &sine, &cosine);
    Complex turned = Complex{value * cosine, value * sine};
    for (int64_t k = derivatives / 3; k > 0; --k) turned = times_i((double)m * turned);
    return turned;
}

}  // namespace math
}  // namespace gpunp
