// Power series of hypergeometric functions: in double or twofold precision, or by recurrence where they
// cancel.
#pragma once
#include "gpunp/math/special_gamma.h"
#include "gpunp/math/special_gamma_complex.h"
#include "gpunp/math/special_operators.h"

namespace gpunp {
namespace math {
namespace special {

GPUNP_HD bool is_pole(double x) {
    return x <= 0 && x == ::floor(x);
}

// 1 / gamma(x), zero at the poles.
GPUNP_HD double reciprocal_gamma(double x) {
    if (is_pole(x)) return 0;
    return 1 / gamma(x);
}

// The sign of gamma(x).
GPUNP_HD double sign_of_gamma(double x) {
    return x > 0 || ::fmod(::floor(x), 2.) == 0 ? 1 : -1;
}

// log|gamma(a) / gamma(b)|, where both are large without the rounding errors of the logarithms.
GPUNP_HD_CALLED double gammaln_difference(double a, double b) {
    double difference = a - b;
    if (!(a >= 10 && b >= 10 && ::fabs(difference) < 0.5 * b)) return gammaln(a) - gammaln(b);
    double u = 1 / a, v = 1 / b;
    double rest = u * gammaln_stirling(u * u) - v * gammaln_stirling(v * v);
    return (b - 0.5) * ::log1p(difference / b) + (difference * (::log(a) - 1) + rest);
}

// gamma(a) gamma(b) / (gamma(c) gamma(d)), without overflow of the parts.
GPUNP_HD_CALLED double gamma_quotient(double a, double b, double c, double d) {
    if (is_pole(c) || is_pole(d)) return 0;
    if (::fabs(a) < 25 && ::fabs(b) < 25 && ::fabs(c) < 25 && ::fabs(d) < 25) {
        return gamma(a) / gamma(c) * gamma(b) / gamma(d);
    }
    double sign = sign_of_gamma(a) * sign_of_gamma(b) * sign_of_gamma(c) * sign_of_gamma(d);
    if (::fabs(a - d) + ::fabs(b - c) < ::fabs(a - c) + ::fabs(b - d)) {
        double t = c;
        c = d;
        d = t;
    }
    return sign * ::exp(gammaln_difference(a, c) + gammaln_difference(b, d));
}

GPUNP_HD bool is_one(double z) {
    return z == 1;
}
GPUNP_HD bool is_one(Complex z) {
    return z.re == 1 && z.im == 0;
}
GPUNP_HD bool is_origin(double z) {
    return z == 0;
}
GPUNP_HD bool is_origin(Complex z) {
    return z.re == 0 && z.im == 0;
}

// x^p for a real exponent.
GPUNP_HD double to_power(double x, double p) {
    return ::pow(x, p);
}
GPUNP_HD Complex to_power(Complex z, double p) {
    if (z.im == 0 && z.re > 0) return {::pow(z.re, p), 0};
    return exp(p * log(z));
}
GPUNP_HD double logarithm(double x) {
    return ::log(x);
}
GPUNP_HD Complex logarithm(Complex z) {
    return log(z);
}
GPUNP_HD double exponential(double x) {
    return ::exp(x);
}
GPUNP_HD Complex exponential(Complex z) {
    return exp(z);
}

// Sums beyond this are divided by it, so that no product with parameters overflows.
constexpr int RANGE_BITS = 600;
constexpr double RANGE = 0x1p600;

// An unevaluated sum of two doubles: about 32 digits.
struct Twofold {
    double high, low;
};

GPUNP_HD Twofold twofold_sum(double a, double b) {
    Twofold sum;
    sum.high = two_sum(a, b, &sum.low);
    return sum;
}
GPUNP_HD Twofold add(Twofold a, Twofold b) {
    Twofold sum = twofold_sum(a.high, b.high);
    double low = sum.low + (a.low + b.low);
    return twofold_sum(sum.high, low);
}
GPUNP_HD Twofold product(Twofold a, Twofold b) {
    double high = a.high * b.high;
    return twofold_sum(high, ::fma(a.high, b.high, -high) + (a.high * b.low + a.low * b.high));
}
GPUNP_HD Twofold quotient(Twofold a, Twofold b) {
    double high = a.high / b.high;
    double rest = ::fma(-high, b.high, a.high) + (a.low - high * b.low);
    return twofold_sum(high, rest / b.high);
}

// A number in twofold precision, real or complex.
GPUNP_HD Twofold divided_by_range(Twofold value) {
    return {value.high / RANGE, value.low / RANGE};
}
GPUNP_HD Twofold scaled(Twofold value, Twofold factor, double z) {
    return product(product(value, factor), {z, 0});
}
GPUNP_HD double rounded(Twofold value) {
    return value.high;
}
struct TwofoldComplex {
    Twofold re, im;
};
GPUNP_HD TwofoldComplex add(TwofoldComplex a, TwofoldComplex b) {
    return {add(a.re, b.re), add(a.im, b.im)};
}
GPUNP_HD TwofoldComplex divided_by_range(TwofoldComplex value) {
    return {divided_by_range(value.re), divided_by_range(value.im)};
}
GPUNP_HD TwofoldComplex scaled(TwofoldComplex value, Twofold factor, Complex z) {
    Twofold x = product(factor, value.re), y = product(factor, value.im);
    return {add(product(x, {z.re, 0}), product(y, {-z.im, 0})),
            add(product(x, {z.im, 0}), product(y, {z.re, 0}))};
}
GPUNP_HD Complex rounded(TwofoldComplex value) {
    return {value.re.high, value.im.high};
}
template <class T>
struct twofold_of {
    using type = Twofold;
    static GPUNP_HD Twofold one() { return {1, 0}; }
};
template <>
struct twofold_of<Complex> {
    using type = TwofoldComplex;
    static GPUNP_HD TwofoldComplex one() { return {{1, 0}, {0, 0}}; }
};

constexpr int MOST_TERMS = 20000;
// Recurrences with more steps are not begun: they would not end within minutes.
constexpr double MOST_STEPS = 1e6;
// A sum, value 2^exponent, and the factor by which its largest term is above it.
template <class T>
struct Series {
    T value;
    int exponent;
    double lost;
};

GPUNP_HD double times_power_of_two(double x, int exponent) {
    return exponent == 0 ? x : ::ldexp(x, exponent);
}
GPUNP_HD Complex times_power_of_two(Complex z, int exponent) {
    return {times_power_of_two(z.re, exponent), times_power_of_two(z.im, exponent)};
}

// Divide two values of a recurrence by 2^RANGE_BITS, or multiply them by it, where they leave the range.
template <class T>
GPUNP_HD void keep_in_range(T* first, T* second, int* exponent) {
    double size = larger(modulus(*first), modulus(*second));
    bool above = size > RANGE;
    if (!above && !(size < 1 / RANGE && size > 0)) return;
    double factor = above ? 1 / RANGE : RANGE;
    *first = factor * *first;
    *second = factor * *second;
    *exponent += above ? RANGE_BITS : -RANGE_BITS;
}

template <class T>
GPUNP_HD T in_full(Series<T> sum) {
    return times_power_of_two(sum.value, sum.exponent);
}
// exp(power) and base^power times a sum, where only the product may be in range.
template <class T>
GPUNP_HD T times_exponential(T power, Series<T> sum) {
    return exponential(power + sum.exponent * constant::LN2) * sum.value;
}
template <class T>
GPUNP_HD T times_power(T base, double power, Series<T> sum) {
    T factor = to_power(base, power);
    double size = modulus(factor);
    if (sum.exponent == 0 && size > 1 / RANGE && size < RANGE) return factor * sum.value;
    return times_exponential(power * logarithm(base), sum);
}

// The power series of 2F1(a, b; c; z), or with fewer numerator parameters (`tops`) of 1F1(a; c; z) and of
// 0F1(; c; z), in twofold precision.
template <class T>
GPUNP_HD_CALLED Series<T> twofold_series(Twofold a, Twofold b, int tops, double c, T z) {
    typename twofold_of<T>::type term = twofold_of<T>::one(), sum = term;
    double largest = 1, size = 1, whole = 1;
    int exponent = 0;
    for (int k = 0; k < MOST_TERMS; ++k) {
        Twofold ratio = {1, 0};
        if (tops > 0) ratio = add(a, {(double)k, 0});
        if (tops > 1) ratio = product(ratio, add(b, {(double)k, 0}));
        if (ratio.high == 0) return {rounded(sum), exponent, largest / whole};
        ratio = quotient(ratio, product(twofold_sum(c, k), {k + 1., 0}));
        term = scaled(term, ratio, z);
        sum = add(sum, term);
        double before = size;
        size = modulus(rounded(term));
        whole = modulus(rounded(sum));
        largest = larger(largest, size);
        if (c + k > 0 && size <= before && size <= 1e-18 * whole)
            return {rounded(sum), exponent, largest / whole};
        if (size > RANGE) {
            term = divided_by_range(term);
            sum = divided_by_range(sum);
            size /= RANGE;
            whole /= RANGE;
            largest /= RANGE;
            exponent += RANGE_BITS;
        }
    }
    return {rounded(sum), exponent, size <= 1e-18 * whole ? largest / whole : libm<double>::infinity()};
}

// The same in double precision.
template <class T>
GPUNP_HD_CALLED Series<T> power_series(double a, double b, int tops, double c, T z) {
    T term = number<T>(1), sum = term;
    double largest = 1, size = 1, whole = 1;
    int exponent = 0;
    for (int k = 0; k < MOST_TERMS; ++k) {
        double ratio = 1;
        if (tops > 0) ratio = a + k;
        if (tops > 1) ratio *= b + k;
        if (ratio == 0) return {sum, exponent, largest / whole};
        term = term * (ratio / ((c + k) * (k + 1.))) * z;
        sum = sum + term;
        double before = size;
        size = modulus(term);
        whole = modulus(sum);
        largest = larger(largest, size);
        // For negative c, terms grow again as c + k crosses zero.
        if (c + k > 0 && size <= before && size <= 1e-17 * whole) return {sum, exponent, largest / whole};
        if (size > RANGE) {
            term = term / RANGE;
            sum = sum / RANGE;
            size /= RANGE;
            whole /= RANGE;
            largest /= RANGE;
            exponent += RANGE_BITS;
        }
    }
    return {sum, exponent, size <= 1e-17 * whole ? largest / whole : libm<double>::infinity()};
}

// The factors of cancellation that sums in double and in twofold precision may have.
constexpr double MOST_LOST = 30, MOST_LOST_IN_TWOFOLD = 1e14;

// The function of a series at c from those at c + 1 and c + 2 (DLMF 15.5.18 and its limits).
template <class T>
GPUNP_HD T lower_neighbor(double a, double b, int tops, double c, T z, T at_one, T at_two) {
    double c1 = c + 1;
    if (tops == 0) return at_one + z / (c1 * c) * at_two;
    if (tops == 1) return ((c + z) * at_one - z * ((c1 - a) / c1) * at_two) / c;
    T first = (c - (2 * c1 - a - b - 1) * z) * at_one, second = ((c1 - a) * ((c1 - b) / c1)) * z * at_two;
    return (first + second) / (c * (1. - z));
}

// The function of a series that cancels too much: at c + n the series does not, and as the function is the
// minimal solution of the recurrence in c (for 2F1 if Re z < 1 / 2), the recurrence to smaller c is stable.
template <class T>
GPUNP_HD_CALLED Series<T> series_by_recurrence(double a, double b, int tops, double c, T z) {
    double goal = modulus(z) / 20;
    if (tops > 0) goal *= larger(::fabs(a), 20.);
    if (tops > 1) goal = larger(goal * ::fabs(b), 2 * larger(::fabs(a), ::fabs(b)));
    double steps = larger(0., ::ceil(larger(goal, 2.) - c));
    if (!(steps < MOST_STEPS)) return {not_a_number<T>(), 0, 1};
    Series<T> two = twofold_series({a, 0}, {b, 0}, tops, c + steps + 1, z),
              one = twofold_series({a, 0}, {b, 0}, tops, c + steps, z);
    int exponent = one.exponent;
    T at_two = times_power_of_two(two.value, two.exponent - exponent), at_one = one.value;
    for (double k = steps - 1; k >= 0; --k) {
        T value = lower_neighbor(a, b, tops, c + k, z, at_one, at_two);
        at_two = at_one;
        at_one = value;
        keep_in_range(&at_one, &at_two, &exponent);
    }
    return {at_one, exponent, 1};
}

}  // namespace special
}  // namespace math
}  // namespace gpunp
