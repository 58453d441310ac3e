// Operators for complex numbers, so that a template serves the real and the complex form of a special
// function.
#pragma once
#include "gpunp/math/complex.h"
#include "gpunp/math/elementary.h"

namespace gpunp {
namespace math {
namespace special {

using Complex = complex<double>;

GPUNP_HD Complex operator+(Complex a, Complex b) {
    return {a.re + b.re, a.im + b.im};
}
GPUNP_HD Complex operator-(Complex a, Complex b) {
    return {a.re - b.re, a.im - b.im};
}
GPUNP_HD Complex operator-(Complex a) {
    return {-a.re, -a.im};
}
GPUNP_HD Complex operator*(Complex a, Complex b) {
    return multiply(a, b);
}
GPUNP_HD Complex operator/(Complex a, Complex b) {
    return divide(a, b);
}
GPUNP_HD Complex operator+(Complex a, double b) {
    return {a.re + b, a.im};
}
GPUNP_HD Complex operator+(double a, Complex b) {
    return {a + b.re, b.im};
}
GPUNP_HD Complex operator-(Complex a, double b) {
    return {a.re - b, a.im};
}
GPUNP_HD Complex operator-(double a, Complex b) {
    return {a - b.re, -b.im};
}
GPUNP_HD Complex operator*(Complex a, double b) {
    return {a.re * b, a.im * b};
}
GPUNP_HD Complex operator*(double a, Complex b) {
    return {a * b.re, a * b.im};
}
GPUNP_HD Complex operator/(Complex a, double b) {
    return {a.re / b, a.im / b};
}
GPUNP_HD Complex operator/(double a, Complex b) {
    return divide(Complex{a, 0}, b);
}

GPUNP_HD double modulus(double x) {
    return ::fabs(x);
}
GPUNP_HD double modulus(Complex z) {
    return hypot(z.re, z.im);
}
GPUNP_HD double real_part(double x) {
    return x;
}
GPUNP_HD double real_part(Complex z) {
    return z.re;
}
GPUNP_HD bool is_nan(double x) {
    return x != x;
}
GPUNP_HD bool is_nan(Complex z) {
    return z.re != z.re || z.im != z.im;
}

template <class T>
struct constant_of;
template <>
struct constant_of<double> {
    static GPUNP_HD double make(double x) { return x; }
};
template <>
struct constant_of<Complex> {
    static GPUNP_HD Complex make(double x) { return {x, 0}; }
};

// A real number as a T.
template <class T>
GPUNP_HD T number(double x) {
    return constant_of<T>::make(x);
}

// NaN, in both parts of a complex number.
template <class T>
GPUNP_HD T not_a_number() {
    return number<T>(libm<double>::nan()) * number<T>(1);
}

// i z and -i z.
GPUNP_HD Complex times_i(Complex z) {
    return {-z.im, z.re};
}
GPUNP_HD Complex over_i(Complex z) {
    return {z.im, -z.re};
}

}  // namespace special
}  // namespace math
}  // namespace gpunp
