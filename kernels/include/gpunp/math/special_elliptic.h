// Legendre's elliptic integrals in terms of Carlson's; the arithmetic-geometric mean and Jacobi's functions
// by Landen's transformation.
#pragma once
#include "gpunp/math/special_carlson.h"

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
    if (m == 0 || m == 1) return m == 0 ? constant::HALF_PI : 1;
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
