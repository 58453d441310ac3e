// Arithmetic of real and complex numbers under common names.
#pragma once
#include "gpunp/math/complex_arithmetic.h"

namespace gpunp {
namespace sparse {

template <class T>
struct Values {
    using R = T;
    GPUNP_HD static T plus(T a, T b) { return a + b; }
    GPUNP_HD static T minus(T a, T b) { return a - b; }
    GPUNP_HD static T product(T a, T b) { return a * b; }
    GPUNP_HD static T quotient(T a, T b) { return a / b; }
    GPUNP_HD static T conjugate(T a) { return a; }
    GPUNP_HD static R real(T a) { return a; }
    GPUNP_HD static T from(R re, R) { return re; }
    GPUNP_HD static bool is_zero(T a) { return a == 0; }
};
template <class Part>
struct Values<complex<Part>> {
    using R = Part;
    using T = complex<Part>;
    GPUNP_HD static T plus(T a, T b) { return math::add(a, b); }
    GPUNP_HD static T minus(T a, T b) { return math::subtract(a, b); }
    GPUNP_HD static T product(T a, T b) { return math::multiply(a, b); }
    GPUNP_HD static T quotient(T a, T b) { return math::divide(a, b); }
    GPUNP_HD static T conjugate(T a) { return math::conjugate(a); }
    GPUNP_HD static R real(T a) { return a.re; }
    GPUNP_HD static T from(R re, R im) { return {re, im}; }
    GPUNP_HD static bool is_zero(T a) { return a.re == 0 && a.im == 0; }
};

}  // namespace sparse
}  // namespace gpunp
