// Circular and hyperbolic functions of complex numbers. The circular ones are hyperbolic functions of iz.
#pragma once
#include "gpunp/math/complex_support.h"

namespace gpunp {
namespace math {

// Where sinh x and cosh x overflow, both are e^|x| / 2, applied without intermediate overflow.
GPUNP_HD complex<double> sinh(complex<double> z) {
    double x = z.re, y = z.im;
    if (y == 0) return {::sinh(x), y};
    if (!is_finite(y)) {
        return {x == 0 ? x : is_infinite(x) ? ::fabs(x) : libm<double>::nan(), libm<double>::nan()};
    }
    double sine, cosine;
    libm<double>::sincos(y, &sine, &cosine);
    if (::fabs(x) > libm<double>::exp_bound) {
        return scale_by_exp(::fabs(x), ::copysign(1., x) * cosine, sine, 0.5);
    }
    return {::sinh(x) * cosine, ::cosh(x) * sine};
}

GPUNP_HD complex<double> cosh(complex<double> z) {
    double x = z.re, y = z.im;
    if (y == 0) return {::cosh(x), x == x ? ::copysign(1., x) * y : y};
    if (!is_finite(y)) {
        if (is_infinite(x)) return {::fabs(x), libm<double>::nan()};
        return {libm<double>::nan(), x == 0 ? 0. : libm<double>::nan()};
    }
    double sine, cosine;
    libm<double>::sincos(y, &sine, &cosine);
    if (x == 0) return {cosine, x * sine};
    if (::fabs(x) > libm<double>::exp_bound) {
        return scale_by_exp(::fabs(x), cosine, ::copysign(1., x) * sine, 0.5);
    }
    return {::cosh(x) * cosine, ::sinh(x) * sine};
}

// Kahan 1987: without cancellation, and correct at the poles.
GPUNP_HD complex<double> tanh(complex<double> z) {
    double x = z.re, y = z.im;
    if (y == 0) return {::tanh(x), y};
    if (!is_finite(y)) {
        if (is_infinite(x)) return {::copysign(1., x), ::copysign(0., y)};
        return {x == 0 ? x : libm<double>::nan(), libm<double>::nan()};
    }
    if (::fabs(x) > 22) {  // tanh x is 1; the rest decays as 4 sin y cos y e^(-2|x|)
        double sine, cosine, e = ::exp(-::fabs(x));
        libm<double>::sincos(y, &sine, &cosine);
        return {::copysign(1., x), 4 * sine * cosine * e * e};
    }
    double t = ::tan(y), s = ::sinh(x), slope = 1 + t * t;
    double denominator = 1 + slope * s * s;
    return {slope * ::sqrt(1 + s * s) * s / denominator, t / denominator};
}

GPUNP_HD complex<double> sin(complex<double> z) {
    if (is_infinite(z.im) && !is_finite(z.re)) return {libm<double>::nan(), ::fabs(z.im)};
    complex<double> w = sinh(complex<double>{-z.im, z.re});
    return {w.im, -w.re};
}

GPUNP_HD complex<double> cos(complex<double> z) {
    return cosh(complex<double>{-z.im, z.re});
}

GPUNP_HD complex<double> tan(complex<double> z) {
    complex<double> w = tanh(complex<double>{-z.im, z.re});
    return {w.im, -w.re};
}

GPUNP_HD complex<float> sinh(complex<float> z) {
    return narrow(sinh(widen(z)));
}
GPUNP_HD complex<float> cosh(complex<float> z) {
    return narrow(cosh(widen(z)));
}
GPUNP_HD complex<float> tanh(complex<float> z) {
    return narrow(tanh(widen(z)));
}
GPUNP_HD complex<float> sin(complex<float> z) {
    return narrow(sin(widen(z)));
}
GPUNP_HD complex<float> cos(complex<float> z) {
    return narrow(cos(widen(z)));
}
GPUNP_HD complex<float> tan(complex<float> z) {
    return narrow(tan(widen(z)));
}

}  // namespace math
}  // namespace gpunp
