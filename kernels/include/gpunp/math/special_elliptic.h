// Elliptic integrals: Carlson's symmetric ones by duplication (Carlson 1995) and Legendre's in terms of them;
// the arithmetic-geometric mean and Jacobi's functions by Landen's transformation.
#pragma once
#include "gpunp/math/special_operators.h"

namespace gpunp {
namespace math {
namespace special {

// For positive a and b.
GPUNP_HD_CALLED double mean_of_means(double a, double b) {
    for (int n = 0; n < 60 && ::fabs(a - b) > 4e-16 * a; ++n) {
        double mean = 0.5 * a + 0.5 * b;
        b = ::sqrt(a) * ::sqrt(b);
        a = mean;
    }
    return 0.5 * a + 0.5 * b;
}

// K(1 - p) for 0 < p.
GPUNP_HD double complete_first(double p) {
    return constant::HALF_PI / mean_of_means(1, ::sqrt(p));
}

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
    T mean = (x + y + z + 2. * p) / 5., sum = number<T>(0), delta = (p - x) * (p - y) * (p - z);
    double largest_difference =
        larger(largest(modulus(mean - x), modulus(mean - y), modulus(mean - z)), modulus(mean - p));
    double bound = 160 * largest_difference, scale = 1;
    T first = mean - x, second = mean - y, third = mean - z;
    for (int n = 0; n < 600 && scale * bound > modulus(mean); ++n) {
        T a = root(x), b = root(y), c = root(z), r = root(p), lambda = a * b + a * c + b * c;
        T d = (r + a) * (r + b) * (r + c);
        T e = delta * (scale * scale * scale) / d / d;
        sum = sum + scale / d * carlson_rc(number<T>(1), e + 1.);
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
// Whether the number is on the open negative axis.
GPUNP_HD bool is_negative(double x) {
    return x < 0;
}
GPUNP_HD bool is_negative(Complex z) {
    return z.im == 0 && z.re < 0;
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

template <class T>
GPUNP_HD T rf_of(T x, T y, T z) {
    if (is_nan(x) || is_nan(y) || is_nan(z) || is_negative(x) || is_negative(y) || is_negative(z))
        return not_a_number<T>();
    if (is_infinite_number(x) || is_infinite_number(y) || is_infinite_number(z)) return number<T>(0);
    if (is_zero(x) + is_zero(y) + is_zero(z) > 1) return infinite<T>();
    return carlson_rf(x, y, z);
}

template <class T>
GPUNP_HD T rd_of(T x, T y, T z) {
    if (is_nan(x) || is_nan(y) || is_nan(z) || is_negative(x) || is_negative(y) || is_negative(z))
        return not_a_number<T>();
    if (is_zero(z)) return infinite<T>();
    if (is_infinite_number(x) || is_infinite_number(y) || is_infinite_number(z)) return number<T>(0);
    if (is_zero(x) && is_zero(y)) return infinite<T>();
    return carlson_rd(x, y, z);
}

// RG is continued to negative numbers only as a complex function, and in SciPy only beside a zero.
GPUNP_HD bool outside_of_domain(double x, double y, double z) {
    return x < 0 || y < 0 || z < 0;
}
GPUNP_HD bool outside_of_domain(Complex x, Complex y, Complex z) {
    return (is_negative(x) || is_negative(y) || is_negative(z)) && !(is_zero(x) || is_zero(y) || is_zero(z));
}

// RG(x, y, z) = (z RF - (x - z) (y - z) RD / 3 + sqrt(x y / z)) / 2 with z between the others.
template <class T>
GPUNP_HD T rg_of(T x, T y, T z) {
    if (is_nan(x) || is_nan(y) || is_nan(z) || outside_of_domain(x, y, z)) return not_a_number<T>();
    if (is_infinite_number(x) || is_infinite_number(y) || is_infinite_number(z)) return infinite<T>();
    double a = real_part(x), b = real_part(y), c = real_part(z);
    T t = z;
    if ((a <= c && c <= b) || (b <= c && c <= a)) {
    } else if ((a <= b && b <= c) || (c <= b && b <= a)) {
        z = y;
        y = t;
    } else {
        z = x;
        x = t;
    }
    if (is_zero(x) + is_zero(y) + is_zero(z) > 1) return 0.5 * root(x + y + z);
    if (is_zero(z)) {
        z = y;
        y = number<T>(0);
    }
    return 0.5 * (z * carlson_rf(x, y, z) - (x - z) * (y - z) * carlson_rd(x, y, z) / 3. +
                  root(x) * root(y) / root(z));
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

// The Legendre integrals of the first and second kind for |phi| <= pi / 2, and m <= 1.
GPUNP_HD_CALLED pair<double, double> incomplete_elliptic(double phi, double m) {
    double sine, cosine;
    libm<double>::sincos(phi, &sine, &cosine);
    double s = sine * sine, c = cosine * cosine, rest = m > 0.5 ? c + (1 - m) * s : 1 - m * s;
    double first = carlson_rf(c, rest, 1.);
    if (m <= 0) return {sine * first, sine * (first - m * s * carlson_rd(c, rest, 1.) / 3)};
    // The form of DLMF 19.25.10, whose terms are positive.
    double second = (1 - m) * (first + m * s * carlson_rd(c, 1., rest) / 3);
    return {sine * first, sine * (second + m * ::fabs(cosine) / ::sqrt(rest))};
}

}  // namespace special

GPUNP_HD_CALLED double agm(double a, double b) {
    if (a != a || b != b || (a < 0 && b > 0) || (a > 0 && b < 0)) return libm<double>::nan();
    if ((is_infinite(a) && b == 0) || (a == 0 && is_infinite(b))) return libm<double>::nan();
    if (a == 0 || b == 0) return 0;
    if (a == b) return a;
    double mean = special::mean_of_means(::fabs(a), ::fabs(b));
    return a < 0 ? -mean : mean;
}

GPUNP_HD_CALLED double ellipkm1(double p) {
    if (!(p >= 0)) return libm<double>::nan();
    if (p == 0) return libm<double>::infinity();
    return is_infinite(p) ? 0 : special::complete_first(p);
}
GPUNP_HD double ellipk(double m) {
    return ellipkm1(1 - m);
}

GPUNP_HD_CALLED double ellipe(double m) {
    if (!(m <= 1)) return libm<double>::nan();
    if (m == 1) return 1;
    if (is_infinite(m)) return libm<double>::infinity();
    double p = 1 - m;
    if (p > 1e200) return ::sqrt(p);
    return p / 3 * (special::carlson_rd(0., p, 1.) + special::carlson_rd(0., 1., p));
}

GPUNP_HD_CALLED double ellipkinc(double phi, double m) {
    if (phi != phi || m != m || m > 1) return libm<double>::nan();
    if (is_infinite(phi) && is_infinite(m)) return libm<double>::nan();
    if (is_infinite(m)) return 0;
    if (is_infinite(phi)) return phi;
    if (m == 0) return phi;
    double half_turns = ::rint(phi / constant::PI);
    if (m == 1) {
        if (::fabs(phi) >= constant::HALF_PI) return libm<double>::infinity();
        return ::asinh(::tan(phi));
    }
    double rest = (phi - half_turns * constant::PI) - half_turns * 1.2246467991473532e-16;
    double value = special::incomplete_elliptic(rest, m).first;
    return half_turns == 0 ? value : value + 2 * half_turns * ellipkm1(1 - m);
}

GPUNP_HD_CALLED double ellipeinc(double phi, double m) {
    if (phi != phi || m != m || m > 1) return libm<double>::nan();
    if (is_infinite(phi)) return phi;
    if (is_infinite(m)) return -m;
    if (m == 0) return phi;
    double half_turns = ::rint(phi / constant::PI);
    double rest = (phi - half_turns * constant::PI) - half_turns * 1.2246467991473532e-16;
    double value = special::incomplete_elliptic(rest, m).second;
    if (m == 1) value = ::sin(rest);
    return half_turns == 0 ? value : value + 2 * half_turns * ellipe(m);
}

struct Jacobi {
    double first, second, third, fourth;
};

// Jacobi's functions sn, cn and dn of u, and the amplitude, by descending Landen transformations
// (DLMF 22.20).
GPUNP_HD_CALLED Jacobi ellipj(double u, double m) {
    const double nan = libm<double>::nan();
    if (!(m >= 0 && m <= 1) || u != u) return {nan, nan, nan, nan};
    if (m == 1) {
        double sech = 1 / ::cosh(u);
        return {::tanh(u), sech, sech, 2 * ::atan(::tanh(0.5 * u))};
    }
    double ratios[10], a = 1, b = ::sqrt(1 - m), c = ::sqrt(m), scale = 1;
    int n = 0;
    while (n < 9 && ::fabs(c) > 1e-16 * a) {
        double mean = 0.5 * (a + b);
        c = 0.5 * (a - b);
        b = ::sqrt(a * b);
        a = mean;
        scale *= 2;
        ratios[n++] = c / a;
    }
    double phi = scale * a * u;
    while (n > 0) phi = 0.5 * (phi + ::asin(ratios[--n] * ::sin(phi)));
    double sine, cosine;
    libm<double>::sincos(phi, &sine, &cosine);
    return {sine, cosine, ::sqrt(cosine * cosine + (1 - m) * (sine * sine)), phi};
}

GPUNP_HD double elliprc(double x, double y) {
    return special::rc_of(x, y);
}
GPUNP_HD double elliprd(double x, double y, double z) {
    return special::rd_of(x, y, z);
}
GPUNP_HD double elliprf(double x, double y, double z) {
    return special::rf_of(x, y, z);
}
GPUNP_HD double elliprg(double x, double y, double z) {
    return special::rg_of(x, y, z);
}
GPUNP_HD double elliprj(double x, double y, double z, double p) {
    return special::rj_of(x, y, z, p);
}
GPUNP_HD complex<double> elliprc(complex<double> x, complex<double> y) {
    return special::rc_of(x, y);
}
GPUNP_HD complex<double> elliprd(complex<double> x, complex<double> y, complex<double> z) {
    return special::rd_of(x, y, z);
}
GPUNP_HD complex<double> elliprf(complex<double> x, complex<double> y, complex<double> z) {
    return special::rf_of(x, y, z);
}
GPUNP_HD complex<double> elliprg(complex<double> x, complex<double> y, complex<double> z) {
    return special::rg_of(x, y, z);
}
GPUNP_HD complex<double> elliprj(complex<double> x, complex<double> y, complex<double> z, complex<double> p) {
    return special::rj_of(x, y, z, p);
}

}  // namespace math
}  // namespace gpunp
