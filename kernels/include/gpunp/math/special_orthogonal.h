// Orthogonal polynomials by their recurrences, and the functions of real order by hypergeometric series.
#pragma once
#include "gpunp/math/special_gauss.h"
#include "gpunp/math/special_hypergeometric.h"

namespace gpunp {
namespace math {
namespace special {

// Whether the order is an integer for which the recurrence is short enough.
GPUNP_HD bool has_short_recurrence(double n) {
    return n == ::rint(n) && ::fabs(n) < 1e6;
}

// SciPy's series, by which it evaluates polynomials of complex numbers, have no value unless these are
// finite.
GPUNP_HD bool is_beyond_series(double) {
    return false;
}
GPUNP_HD bool is_beyond_series(Complex z) {
    return !(is_finite(z.re) && is_finite(z.im));
}

GPUNP_HD bool is_real_infinity(double x) {
    return is_infinite(x);
}
GPUNP_HD bool is_real_infinity(Complex) {
    return false;
}

// At infinity: a polynomial of degree n whose first coefficient is positive; SciPy's value for other orders.
GPUNP_HD double polynomial_limit(double n, double x) {
    if (n == 0) return 1;
    if (n != ::rint(n)) return x < 0 ? -x : libm<double>::nan();
    return x < 0 && ::fmod(n, 2.) == 0 ? -x : x;
}
GPUNP_HD Complex polynomial_limit(double, Complex) {
    return not_a_number<Complex>();
}

// T_n(x), or U_n(x) for n >= 0.
template <class T>
GPUNP_HD T chebyshev_recurrence(double n, T x, bool second) {
    T before = number<T>(1), value = second ? 2. * x : x;
    if (n == 0) return before;
    for (double k = 1; k < n; ++k) {
        T next = 2. * x * value - before;
        before = value;
        value = next;
    }
    return value;
}

// Whether an argument is off the cut from -1 to minus infinity, and for polynomials of the second kind not
// next to the ends of [-1, 1], so that the closed form of real orders is accurate.
GPUNP_HD bool has_closed_form(double x, bool second) {
    return x > 1.001 || (x > -1 && x <= 1 && !(second && ::fabs(x) > 0.999));
}
GPUNP_HD bool has_closed_form(Complex x, bool) {
    return modulus(x - 1.) > 1e-3 && modulus(x + 1.) > 1e-3 && !(x.im == 0 && x.re < -1);
}

// The cosine of n acos(x), or the sine divided by that of acos(x).
GPUNP_HD_CALLED double chebyshev_closed(double n, double x, bool second) {
    double angle = x > 1 ? ::acosh(x) : ::acos(x);
    if (second) return x > 1 ? ::sinh(n * angle) / ::sinh(angle) : ::sin(n * angle) / ::sin(angle);
    return x > 1 ? ::cosh(n * angle) : ::cos(n * angle);
}
GPUNP_HD_CALLED Complex chebyshev_closed(double n, Complex x, bool second) {
    Complex root = sqrt(x - 1.) * sqrt(x + 1.), angle = log(x + root), up = exp(n * angle),
            down = exp(-n * angle);
    return second ? 0.5 * (up - down) / root : 0.5 * (up + down);
}

// Series of polynomials of real order cancel beyond this order.
constexpr double LARGE_ORDER = 12;

template <class T>
GPUNP_HD_CALLED T chebyshev_t(double n, T x) {
    if (is_beyond_series(x)) return not_a_number<T>();
    if (n == 0) return number<T>(1);
    if (is_real_infinity(x) && ::fabs(n) < 1e6) return polynomial_limit(::fabs(n), x);
    if (n != n || is_nan(x) || modulus(x) > libm<double>::max) return not_a_number<T>();
    if (has_short_recurrence(n)) return chebyshev_recurrence(::fabs(n), x, false);
    if (::fabs(n) > LARGE_ORDER && has_closed_form(x, false)) return chebyshev_closed(n, x, false);
    return gauss(-n, n, 0.5, 0.5 * (1. - x));
}

template <class T>
GPUNP_HD_CALLED T chebyshev_u(double n, T x) {
    if (is_beyond_series(x)) return not_a_number<T>();
    // Constants, of NaN too.
    if (n == 0 || n == -1 || n == -2) return number<T>(n + 1);
    if (is_real_infinity(x) && ::fabs(n) < 1e6) {
        return n < -1 && n == ::rint(n) ? -polynomial_limit(-n - 2, x) : polynomial_limit(n, x);
    }
    if (n != n || is_nan(x) || modulus(x) > libm<double>::max) return not_a_number<T>();
    if (has_short_recurrence(n)) {
        if (n < -1) return -chebyshev_recurrence(-n - 2, x, true);
        return chebyshev_recurrence(n, x, true);
    }
    if (::fabs(n) > LARGE_ORDER && has_closed_form(x, true)) return chebyshev_closed(n + 1, x, true);
    return (n + 1) * gauss(-n, n + 2, 1.5, 0.5 * (1. - x));
}

GPUNP_HD bool on_legendre_cut(double x) {
    return x <= -1;
}
GPUNP_HD bool on_legendre_cut(Complex x) {
    return x.im == 0 && x.re <= -1;
}

// Legendre functions of a real order > 1 by the recurrence from the orders between 0 and 2.
template <class T>
GPUNP_HD_CALLED T legendre_real_order(double n, T x) {
    double first = n - ::floor(n), steps = ::floor(n);
    T z = 0.5 * (1. - x), before = gauss(-first, first + 1, 1, z), value = gauss(-first - 1, first + 2, 1, z),
      difference = value - before;
    for (double j = 1; j < steps; ++j) {
        double k = first + j;
        difference = (2 * k + 1) / (k + 1) * ((x - 1.) * value) + k / (k + 1) * difference;
        value = value + difference;
    }
    return value;
}

// A polynomial of degree n by its powers, for n |x| below 1, where odd ones are near their root.
template <class T>
GPUNP_HD_CALLED T legendre_near_zero(double n, T x) {
    double half = ::floor(0.5 * n);
    bool odd = ::fmod(n, 2.) != 0;
    // The binomial coefficient of 2 m and m, divided by 4^m.
    double first = gamma_quotient(half + 0.5, 1, half + 1, 0.5);
    T term = odd ? (n * first) * x : number<T>(first), sum = number<T>(0), square = x * x;
    if (::fmod(half, 2.) != 0) term = -term;
    for (double k = odd ? 1 : 0; k <= n; k += 2) {
        sum = sum + term;
        if (modulus(term) <= 1e-17 * modulus(sum)) break;
        term = (-(n - k) * (n + k + 1) / ((k + 1) * (k + 2))) * term * square;
    }
    return sum;
}

// The differences of neighbors lose less than the values do near x = 1.
template <class T>
GPUNP_HD_CALLED T legendre(double n, T x) {
    if (is_beyond_series(x)) return not_a_number<T>();
    if (n != n) return not_a_number<T>();
    if (n < 0 && n == ::rint(n)) n = -n - 1;
    if (is_real_infinity(x) && ::fabs(n) < 1e6) return polynomial_limit(n, x);
    if (!has_short_recurrence(n)) {
        double positive = n < -0.5 ? -n - 1 : n;
        if (positive > LARGE_ORDER && positive < 1e5 && !on_legendre_cut(x) &&
            modulus(x) <= libm<double>::max)
            return legendre_real_order(positive, x);
        return gauss(-n, n + 1, 1, 0.5 * (1. - x));
    }
    if (n == 0) return number<T>(1);
    if (n == 1) return x;
    if (is_nan(x)) return not_a_number<T>();
    if (n * modulus(x) < 0.5) return legendre_near_zero(n, x);
    // Left of zero by symmetry, from the other end.
    double sign = real_part(x) < 0 && ::fmod(n, 2.) != 0 ? -1 : 1;
    if (real_part(x) < 0) x = -x;
    T below = x - 1., difference = below, value = x;
    for (double k = 1; k < n; ++k) {
        difference = (2 * k + 1) / (k + 1) * (below * value) + k / (k + 1) * difference;
        value = value + difference;
    }
    return sign * value;
}

// The binomial coefficient of real numbers.
GPUNP_HD_CALLED double binomial(double n, double k) {
    if (has_short_recurrence(k) && k >= 0 && k < 40) {
        double value = 1;
        for (double i = 0; i < k; ++i) value = value * (n - i) / (i + 1);
        return value;
    }
    return gamma_quotient(n + 1, 1, k + 1, n - k + 1);
}

template <class T>
GPUNP_HD_CALLED T gegenbauer(double n, double a, T x) {
    if (n != n || a != a || is_nan(x) || is_beyond_series(x)) return not_a_number<T>();
    // As SciPy, of order 0, too, where the limit is 1.
    if (a == 0) return number<T>(0);
    if (!has_short_recurrence(n) || n < 0) {
        double scale = gamma_quotient(n + 2 * a, 1, 1 + n, 2 * a);
        return scale * gauss(-n, n + 2 * a, a + 0.5, 0.5 * (1. - x));
    }
    T before = number<T>(1), value = 2 * a * x;
    if (n == 0) return before;
    if (is_real_infinity(x) && a > 0) return polynomial_limit(n, x);
    for (double k = 2; k <= n; ++k) {
        // Sums that are exact for small a.
        T next = (2 * ((k - 1) + a) / k) * (x * value) - (((k - 2) + 2 * a) / k) * before;
        before = value;
        value = next;
    }
    return value;
}

template <class T>
GPUNP_HD_CALLED T laguerre(double n, double a, T x) {
    if (n != n || a != a || is_nan(x) || is_beyond_series(x)) return not_a_number<T>();
    if (a <= -1) return not_a_number<T>();
    // SciPy's binomial coefficient is zero there, except at its poles.
    if (n < 0 && n == ::rint(n))
        return (is_pole(n + a) && n + a != 0) || is_infinite(n) || !(modulus(x) <= libm<double>::max)
                   ? not_a_number<T>()
                   : number<T>(0);
    if (!has_short_recurrence(n)) return binomial(n + a, n) * kummer(-n, a + 1, x);
    if (n == 0) return number<T>(1);
    T difference = -x / (a + 1), value = difference + 1.;
    for (double k = 1; k < n; ++k) {
        difference = -x / (k + a + 1) * value + k / (k + a + 1) * difference;
        value = value + difference;
    }
    return binomial(n + a, n) * value;
}

GPUNP_HD_CALLED double hermite(double n, double x, bool normalized) {
    if (x != x) return x;
    if (n < 0) return libm<double>::nan();
    double before = 1, value = normalized ? x : 2 * x, factor = normalized ? 1 : 2;
    if (n == 0) return before;
    for (double k = 1; k < n; ++k) {
        double next = factor * (x * value - k * before);
        before = value;
        value = next;
    }
    return value;
}

// The polynomial by its recurrence, for a that is no integer from -n to -1.
template <class T>
GPUNP_HD_CALLED T jacobi_recurrence(double n, double a, double b, T x) {
    if (n == 0) return number<T>(1);
    T below = x - 1.;
    double sum = a + b;
    // There the recurrence divides by zero. The series does not, from one of the ends.
    if (sum == ::rint(sum) && sum <= -2 && sum >= 2 - 2 * n) {
        if (!is_pole(a + 1)) return binomial(n + a, n) * gauss(-n, n + sum + 1, a + 1, 0.5 * (1. - x));
        double sign = ::fmod(n, 2.) == 0 ? 1 : -1;
        return sign * binomial(n + b, n) * gauss(-n, n + sum + 1, b + 1, 0.5 * (1. + x));
    }
    T difference = (a + b + 2) / (2 * (a + 1)) * below, value = difference + 1.;
    for (double k = 1; k < n; ++k) {
        double t = 2 * k + a + b, scale = 1 / (2 * (k + a + 1) * (k + a + b + 1) * t);
        difference =
            scale * (t * (t + 1) * (t + 2) * (below * value) + 2 * k * (k + b) * (t + 2) * difference);
        value = value + difference;
    }
    return binomial(n + a, n) * value;
}

GPUNP_HD bool is_root_order(double n, double a) {
    return a <= -1 && -a <= n && a == ::rint(a);
}

// The factor by which the polynomial with a = -m, for m up to n, is the one of degree n - m with a = m
// (Szego, Orthogonal Polynomials, 4.22.2).
template <class T>
GPUNP_HD T jacobi_root_factor(double n, double m, double b, T x) {
    T half = 0.5 * (x - 1.), power = number<T>(1);
    for (double k = 0; k < m; ++k) power = power * half;
    return binomial(n + b, m) / binomial(n, m) * power;
}

template <class T>
GPUNP_HD_CALLED T jacobi(double n, double a, double b, T x) {
    if (n != n || a != a || is_beyond_series(x)) return not_a_number<T>();
    if (n == 0) return number<T>(1);
    if (b != b || is_nan(x)) return not_a_number<T>();
    if (!has_short_recurrence(n) || n < 0)
        return binomial(n + a, n) * gauss(-n, n + a + b + 1, a + 1, 0.5 * (1. - x));
    if (n == 1) return 0.5 * (2 * (a + 1) + (a + b + 2) * (x - 1.));
    T factor = number<T>(1);
    for (int end = 0; end < 2; ++end) {
        if (is_root_order(n, a)) {
            factor = factor * jacobi_root_factor(n, -a, b, x);
            n += a;
            a = -a;
        }
        if (end == 1 || !is_root_order(n, b)) break;
        // The other end of the interval becomes this one.
        if (::fmod(n, 2.) != 0) factor = -factor;
        double t = a;
        a = b;
        b = t;
        x = -x;
    }
    return factor * jacobi_recurrence(n, a, b, x);
}

}  // namespace special

template <class T>
GPUNP_HD T eval_chebyt(double n, T x) {
    return special::chebyshev_t(n, x);
}
template <class T>
GPUNP_HD T eval_chebyu(double n, T x) {
    return special::chebyshev_u(n, x);
}
template <class T>
GPUNP_HD T eval_chebyc(double n, T x) {
    using namespace special;
    return 2. * chebyshev_t(n, 0.5 * x);
}
template <class T>
GPUNP_HD T eval_chebys(double n, T x) {
    using namespace special;
    return chebyshev_u(n, 0.5 * x);
}
template <class T>
GPUNP_HD T eval_sh_chebyt(double n, T x) {
    using namespace special;
    return chebyshev_t(n, 2. * x - 1.);
}
template <class T>
GPUNP_HD T eval_sh_chebyu(double n, T x) {
    using namespace special;
    return chebyshev_u(n, 2. * x - 1.);
}
template <class T>
GPUNP_HD T eval_legendre(double n, T x) {
    return special::legendre(n, x);
}
template <class T>
GPUNP_HD T eval_sh_legendre(double n, T x) {
    using namespace special;
    return legendre(n, 2. * x - 1.);
}
template <class T>
GPUNP_HD T eval_gegenbauer(double n, double a, T x) {
    return special::gegenbauer(n, a, x);
}
// Integers as orders: polynomials of negative order are zero.
GPUNP_HD double eval_genlaguerre(int64_t n, double a, double x) {
    return n < 0 && a > -1 && x == x ? 0 : special::laguerre((double)n, a, x);
}
GPUNP_HD double eval_laguerre(int64_t n, double x) {
    return n < 0 && x == x ? 0 : special::laguerre((double)n, 0, x);
}
GPUNP_HD double eval_gegenbauer(int64_t n, double a, double x) {
    return n < 0 && a == a && x == x ? 0 : special::gegenbauer((double)n, a, x);
}
template <class T>
GPUNP_HD T eval_genlaguerre(double n, double a, T x) {
    return special::laguerre(n, a, x);
}
template <class T>
GPUNP_HD T eval_laguerre(double n, T x) {
    return special::laguerre(n, 0, x);
}
template <class T>
GPUNP_HD T eval_jacobi(double n, double a, double b, T x) {
    return special::jacobi(n, a, b, x);
}
template <class T>
GPUNP_HD T eval_sh_jacobi(double n, double p, double q, T x) {
    using namespace special;
    return jacobi(n, p - q, q - 1, 2. * x - 1.) / binomial(2 * n + p - 1, n);
}
GPUNP_HD double eval_hermite(double n, double x) {
    return special::hermite(n, x, false);
}
GPUNP_HD double eval_hermitenorm(double n, double x) {
    return special::hermite(n, x, true);
}

}  // namespace math
}  // namespace gpunp
