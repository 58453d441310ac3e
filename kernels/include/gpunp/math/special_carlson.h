// Carlson's symmetric elliptic integrals by duplication (Carlson 1995).
#pragma once
#include "gpunp/math/special_operators.h"

namespace gpunp {
namespace math {
namespace special {

GPUNP_HD double root(double x) {
    return ::sqrt(x);
}
GPUNP_HD Complex root(Complex z) {
    return sqrt(z);
}
GPUNP_HD double largest(double a, double b, double c) {
    return larger(a, larger(b, c));
}

// RF(x, y, z).
template <class T>
GPUNP_HD_CALLED T carlson_rf(T x, T y, T z) {
    T mean = (x + y + z) / 3.;
    double bound = 120 * largest(modulus(mean - x), modulus(mean - y), modulus(mean - z)), scale = 1;
    T first = mean - x, second = mean - y;
    for (int n = 0; n < 600 && scale * bound > modulus(mean); ++n) {
        T a = root(x), b = root(y), c = root(z), lambda = a * b + a * c + b * c;
        x = (x + lambda) * 0.25;
        y = (y + lambda) * 0.25;
        z = (z + lambda) * 0.25;
        mean = (mean + lambda) * 0.25;
        scale *= 0.25;
    }
    T u = first * scale / mean, v = second * scale / mean, w = -(u + v);
    T e2 = u * v - w * w, e3 = u * v * w;
    T sum = e2 * (-0.1 * number<T>(1) + e2 / 24. - 3. / 44 * e3 - 5. / 208 * e2 * e2 + e2 * e3 / 16.) +
            e3 * (number<T>(1. / 14) + 3. / 104 * e3);
    return (sum + 1.) / root(mean);
}

// RC(x, y) for y off the negative axis.
template <class T>
GPUNP_HD_CALLED T carlson_rc(T x, T y) {
    T mean = (x + 2. * y) / 3., first = y - mean;
    double bound = 120 * modulus(mean - x), scale = 1;
    for (int n = 0; n < 600 && scale * bound > modulus(mean); ++n) {
        T lambda = 2. * (root(x) * root(y)) + y;
        x = (x + lambda) * 0.25;
        y = (y + lambda) * 0.25;
        mean = (mean + lambda) * 0.25;
        scale *= 0.25;
    }
    T s = first * scale / mean;
    T tail = s * (s * (s * (s * (9. / 8) + 159. / 208) + 9. / 22) + 3. / 8) + 1. / 7;
    return (s * s * (s * tail + 0.3) + 1.) / root(mean);
}

// The series of RD and RJ in the symmetric functions of their relative differences (DLMF 19.36.2).
template <class T>
GPUNP_HD T carlson_tail(T e2, T e3, T e4, T e5) {
    return 1. - 3. / 14 * e2 + e3 / 6. + 9. / 88 * (e2 * e2) - 3. / 22 * e4 - 9. / 52 * (e2 * e3) +
           3. / 26 * e5 - 1. / 16 * (e2 * e2 * e2) + 3. / 40 * (e3 * e3) + 3. / 20 * (e2 * e4) +
           45. / 272 * (e2 * e2 * e3) - 9. / 68 * (e3 * e4 + e2 * e5);
}

// RD(x, y, z).
template <class T>
GPUNP_HD_CALLED T carlson_rd(T x, T y, T z) {
    T mean = (x + y + 3. * z) / 5., sum = number<T>(0);
    double bound = 160 * largest(modulus(mean - x), modulus(mean - y), modulus(mean - z)), scale = 1;
    T first = mean - x, second = mean - y;
    for (int n = 0; n < 600 && scale * bound > modulus(mean); ++n) {
        T a = root(x), b = root(y), c = root(z), lambda = a * b + a * c + b * c;
        sum = sum + scale / (c * (z + lambda));
        x = (x + lambda) * 0.25;
        y = (y + lambda) * 0.25;
        z = (z + lambda) * 0.25;
        mean = (mean + lambda) * 0.25;
        scale *= 0.25;
    }
    T u = first * scale / mean, v = second * scale / mean, w = -(u + v) / 3., p = u * v, q = w * w;
    T tail = carlson_tail(p - 6. * q, (3. * p - 8. * q) * w, 3. * (p - q) * q, p * q * w);
    return scale * tail / (mean * root(mean)) + 3. * sum;
}

// RJ(x, y, z, p) for p off the negative axis.
template <class T>
GPUNP_HD_CALLED T carlson_rj(T x, T y, T z, T p) {
    T mean = (x + y + z + 2. * p) / 5., sum = number<T>(0);
    double largest_difference =
        larger(largest(modulus(mean - x), modulus(mean - y), modulus(mean - z)), modulus(mean - p));
    double bound = 160 * largest_difference, scale = 1;
    T first = mean - x, second = mean - y, third = mean - z;
    for (int n = 0; n < 600 && scale * bound > modulus(mean); ++n) {
        T a = root(x), b = root(y), c = root(z), r = root(p), lambda = a * b + a * c + b * c;
        T d = (r + b) * (r + c);
        // Carlson's 1 + e without cancellation where p is small, and without cubes, which may overflow.
        T e_1 = 2. * r / (r + a) * ((p + lambda) / d);
        sum = sum + scale / (r + a) / d * carlson_rc(number<T>(1), e_1);
        x = (x + lambda) * 0.25;
        y = (y + lambda) * 0.25;
        z = (z + lambda) * 0.25;
        p = (p + lambda) * 0.25;
        mean = (mean + lambda) * 0.25;
        scale *= 0.25;
    }
    T u = first * scale / mean, v = second * scale / mean, w = third * scale / mean, q = -(u + v + w) * 0.5;
    T e2 = u * v + u * w + v * w - 3. * (q * q), uvw = u * v * w;
    T e3 = uvw + 2. * (e2 * q) + 4. * (q * q * q);
    T tail = carlson_tail(e2, e3, (2. * uvw + e2 * q + 3. * (q * q * q)) * q, uvw * (q * q));
    return scale * tail / (mean * root(mean)) + 6. * sum;
}

GPUNP_HD bool is_zero(double x) {
    return x == 0;
}
GPUNP_HD bool is_zero(Complex z) {
    return z.re == 0 && z.im == 0;
}
GPUNP_HD bool is_infinite_number(double x) {
    return is_infinite(x);
}
GPUNP_HD bool is_infinite_number(Complex z) {
    return is_infinite(z.re) || is_infinite(z.im);
}
// Whether the number is on the open negative axis, or an infinite one at its end or without a direction.
GPUNP_HD bool is_negative(double x) {
    return x < 0;
}
GPUNP_HD bool is_negative(Complex z) {
    return (z.im == 0 && z.re < 0) || (is_infinite(z.re) && (z.re < 0 || is_infinite(z.im)));
}
template <class T>
GPUNP_HD T infinite() {
    return number<T>(libm<double>::infinity());
}

template <class T>
GPUNP_HD T rc_of(T x, T y) {
    if (is_zero(y) || is_nan(x) || (is_infinite_number(x) && is_negative(y))) return not_a_number<T>();
    if (is_negative(x)) return is_infinite_number(y) && is_negative(y) ? number<T>(0) : not_a_number<T>();
    if (is_infinite_number(x) || is_infinite_number(y)) return number<T>(0);
    if (is_nan(y)) return not_a_number<T>();
    if (is_negative(y)) return root(x / (x - y)) * carlson_rc(x - y, -y);
    return carlson_rc(x, y);
}

// The exponent of a power of 4 by which real numbers become normal ones whose sum does not overflow.
GPUNP_HD int exponent_into_range(double x, double y, double z) {
    double top = largest(x, y, z);
    return top > 1e300 ? -10 : top < 1e-290 ? 300 : 0;
}
GPUNP_HD int exponent_into_range(Complex, Complex, Complex) {
    return 0;
}

template <class T>
GPUNP_HD T rf_of(T x, T y, T z) {
    if (is_nan(x) || is_nan(y) || is_nan(z) || is_negative(x) || is_negative(y) || is_negative(z))
        return not_a_number<T>();
    if (is_infinite_number(x) || is_infinite_number(y) || is_infinite_number(z)) return number<T>(0);
    if (is_zero(x) + is_zero(y) + is_zero(z) > 1) return infinite<T>();
    int four = exponent_into_range(x, y, z);
    double scale = ::ldexp(1., 2 * four);
    return ::ldexp(1., four) * carlson_rf(scale * x, scale * y, scale * z);
}

template <class T>
struct is_plane {
    static constexpr bool value = false;
};
template <>
struct is_plane<Complex> {
    static constexpr bool value = true;
};

// The power of 4 next to the largest of the numbers, by which those of the plane are divided: their products
// would overflow. Its inverse is finite.
GPUNP_HD int exponent_of_four(Complex x, Complex y, Complex z) {
    double top = largest(larger(::fabs(x.re), ::fabs(x.im)), larger(::fabs(y.re), ::fabs(y.im)),
                         larger(::fabs(z.re), ::fabs(z.im)));
    int exponent;
    ::frexp(top, &exponent);
    return exponent < -1000 ? -500 : exponent / 2;
}
GPUNP_HD int exponent_of_four(double x, double y, double z) {
    int exponent;
    ::frexp(largest(x, y, z), &exponent);
    return exponent < -1000 ? -500 : exponent / 2;
}

template <class T>
GPUNP_HD T rd_of(T x, T y, T z) {
    if (is_nan(x) || is_nan(y) || is_nan(z) || is_negative(x) || is_negative(y) || is_negative(z))
        return not_a_number<T>();
    if (is_zero(z)) return infinite<T>();
    if (is_infinite_number(x) || is_infinite_number(y) || is_infinite_number(z)) return number<T>(0);
    if (is_zero(x) && is_zero(y)) return infinite<T>();
    int four = is_plane<T>::value ? exponent_of_four(x, y, z) : 0;
    if (four < 100) return carlson_rd(x, y, z);
    double down = ::ldexp(1., -2 * four), root_down = ::ldexp(1., -four);
    return carlson_rd(x * down, y * down, z * down) * root_down * root_down * root_down;
}

// RG is continued to negative numbers only as a complex function, and in SciPy only beside a zero.
GPUNP_HD bool outside_of_domain(double x, double y, double z) {
    return x < 0 || y < 0 || z < 0;
}
GPUNP_HD bool outside_of_domain(Complex x, Complex y, Complex z) {
    return (is_negative(x) || is_negative(y) || is_negative(z)) && !(is_zero(x) || is_zero(y) || is_zero(z));
}

// RG(x, y, z) of complex numbers by terms that do not cancel where one of them is small (DLMF 19.21.11).
GPUNP_HD_CALLED Complex rg_of_plane(Complex x, Complex y, Complex z) {
    Complex sum = is_zero(x) ? x : x * (y + z) * carlson_rd(y, z, x);
    if (!is_zero(y)) sum = sum + y * (z + x) * carlson_rd(z, x, y);
    if (!is_zero(z)) sum = sum + z * (x + y) * carlson_rd(x, y, z);
    return sum / 6.;
}
GPUNP_HD double rg_of_plane(double, double, double) {
    return 0;
}

// RG(x, y, z) = (z RF - (x - z) (y - z) RD / 3 + sqrt(x y / z)) / 2 of real numbers, with z between the
// others.
GPUNP_HD double rg_of_line(double x, double y, double z) {
    double least = ::fmin(::fmin(x, y), z), top = largest(x, y, z);
    double middle = larger(::fmin(x, y), ::fmin(larger(x, y), z));
    // The integral is continuous where two numbers vanish; RD is not.
    if (middle <= 1e-290 * top) return 0.5 * ::sqrt(top);
    if (least < 1e-290 * top) least = 0;
    // The last term vanishes for a zero, and any of the other two may be z.
    double rest = least == 0 ? 0 : ::sqrt(least) * ::sqrt(top) / ::sqrt(middle);
    return 0.5 * (middle * carlson_rf(least, top, middle) -
                  (least - middle) * (top - middle) * carlson_rd(least, top, middle) / 3. + rest);
}
GPUNP_HD Complex rg_of_line(Complex x, Complex y, Complex z) {
    return 0.5 * root(x + y + z);
}

template <class T>
GPUNP_HD T rg_of(T x, T y, T z) {
    if (is_nan(x) || is_nan(y) || is_nan(z) || outside_of_domain(x, y, z)) return not_a_number<T>();
    if (is_infinite_number(x) || is_infinite_number(y) || is_infinite_number(z)) return infinite<T>();
    int four = exponent_of_four(x, y, z);
    double down = ::ldexp(1., -2 * four);
    x = x * down;
    y = y * down;
    z = z * down;
    bool in_plane = is_plane<T>::value && is_zero(x) + is_zero(y) + is_zero(z) < 2;
    return ::ldexp(1., four) * (in_plane ? rg_of_plane(x, y, z) : rg_of_line(x, y, z));
}

GPUNP_HD bool on_right(double x) {
    return x >= 0;
}
GPUNP_HD bool on_right(Complex z) {
    return z.re >= 0;
}
// Whether the algorithm for RJ is proved for the arguments (Carlson 1995): all in the right half plane, or
// the first three positive, or one of them positive and the others conjugates.
GPUNP_HD bool in_domain_of_rj(double, double, double, double) {
    return true;
}
GPUNP_HD bool are_conjugates(Complex x, Complex y, Complex z) {
    return x.im == 0 && x.re >= 0 && y.re == z.re && y.im == -z.im && !is_negative(y);
}
GPUNP_HD bool in_domain_of_rj(Complex x, Complex y, Complex z, Complex p) {
    if (x.im == 0 && y.im == 0 && z.im == 0) return true;
    if (on_right(x) && on_right(y) && on_right(z) && p.re > 0) return true;
    bool conjugate = are_conjugates(x, y, z) || are_conjugates(y, z, x) || are_conjugates(z, x, y);
    return conjugate && !is_negative(p);
}

// Cauchy's principal value at negative p follows from RJ at a positive one (DLMF 19.20.14).
template <class T>
GPUNP_HD_CALLED T rj_of(T x, T y, T z, T p) {
    if (is_nan(x) || is_nan(y) || is_nan(z) || is_negative(x) || is_negative(y) || is_negative(z))
        return not_a_number<T>();
    int zeros = is_zero(x) + is_zero(y) + is_zero(z);
    if (zeros > 1 && !is_zero(p)) return infinite<T>();
    if (is_infinite_number(x) || is_infinite_number(y) || is_infinite_number(z)) return number<T>(0);
    if (is_nan(p) || is_zero(p)) return not_a_number<T>();
    if (is_infinite_number(p)) return number<T>(0);
    if (!in_domain_of_rj(x, y, z, p)) return not_a_number<T>();
    if (!is_negative(p)) return carlson_rj(x, y, z, p);
    T t;
    if (real_part(x) > real_part(y)) {
        t = x;
        x = y;
        y = t;
    }
    if (real_part(y) > real_part(z)) {
        t = y;
        y = z;
        z = t;
    }
    if (real_part(x) > real_part(y)) {
        t = x;
        x = y;
        y = t;
    }
    T q = -p, other = y + (z - y) * (y - x) / (y + q), both = other * q;
    T sum = (other - y) * carlson_rj(x, y, z, other) - 3. * carlson_rf(x, y, z);
    sum = sum + 3. * root(x * y * z / (x * z + both)) * carlson_rc(x * z + both, both);
    return sum / (y + q);
}

}  // namespace special
}  // namespace math
}  // namespace gpunp
