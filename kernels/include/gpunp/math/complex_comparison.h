// Comparison, choice, truth and classification of complex numbers. The order is lexicographic.
#pragma once
#include "gpunp/types.h"

namespace gpunp {
namespace math {

template <class T>
GPUNP_HD bool isnan(complex<T> a) {
    return a.re != a.re || a.im != a.im;
}

template <class T>
GPUNP_HD bool isfinite(complex<T> a) {
    return a.re - a.re == 0 && a.im - a.im == 0;
}

template <class T>
GPUNP_HD bool isinf(complex<T> a) {
    return (a.re == a.re && a.re - a.re != 0) || (a.im == a.im && a.im - a.im != 0);
}

template <class T>
GPUNP_HD bool equal(complex<T> a, complex<T> b) {
    return a.re == b.re && a.im == b.im;
}

template <class T>
GPUNP_HD bool not_equal(complex<T> a, complex<T> b) {
    return a.re != b.re || a.im != b.im;
}

// The real parts decide only if neither imaginary part is NaN, so that comparisons with any NaN are false.
template <class T>
GPUNP_HD bool less(complex<T> a, complex<T> b) {
    return (a.re < b.re && a.im == a.im && b.im == b.im) || (a.re == b.re && a.im < b.im);
}

template <class T>
GPUNP_HD bool less_equal(complex<T> a, complex<T> b) {
    return (a.re < b.re && a.im == a.im && b.im == b.im) || (a.re == b.re && a.im <= b.im);
}

template <class T>
GPUNP_HD bool greater(complex<T> a, complex<T> b) {
    return less(b, a);
}

template <class T>
GPUNP_HD bool greater_equal(complex<T> a, complex<T> b) {
    return less_equal(b, a);
}

// maximum and minimum propagate a NaN, the first of two; fmax and fmin ignore it. Of equal operands, the
// first is returned.
template <class T>
GPUNP_HD complex<T> maximum(complex<T> a, complex<T> b) {
    return isnan(a) || greater_equal(a, b) ? a : b;
}

template <class T>
GPUNP_HD complex<T> minimum(complex<T> a, complex<T> b) {
    return isnan(a) || less_equal(a, b) ? a : b;
}

template <class T>
GPUNP_HD complex<T> fmax(complex<T> a, complex<T> b) {
    return isnan(b) || greater_equal(a, b) ? a : b;
}

template <class T>
GPUNP_HD complex<T> fmin(complex<T> a, complex<T> b) {
    return isnan(b) || less_equal(a, b) ? a : b;
}

// NumPy's clip compares the imaginary parts only if the real parts are equal, regardless of NaN.
template <class T>
GPUNP_HD bool less_in_clip(complex<T> a, complex<T> b) {
    return a.re == b.re ? a.im < b.im : a.re < b.re;
}

// Equal operands give the bound; for low > high the result is high.
template <class T>
GPUNP_HD complex<T> clip(complex<T> a, complex<T> low, complex<T> high) {
    complex<T> raised = isnan(a) || less_in_clip(low, a) ? a : low;
    return isnan(raised) || less_in_clip(raised, high) ? raised : high;
}

// NaN is true.
template <class T>
GPUNP_HD bool truth(complex<T> a) {
    return a.re != 0 || a.im != 0;
}

template <class T>
GPUNP_HD bool logical_and(complex<T> a, complex<T> b) {
    return truth(a) && truth(b);
}

template <class T>
GPUNP_HD bool logical_or(complex<T> a, complex<T> b) {
    return truth(a) || truth(b);
}

template <class T>
GPUNP_HD bool logical_xor(complex<T> a, complex<T> b) {
    return truth(a) != truth(b);
}

template <class T>
GPUNP_HD bool logical_not(complex<T> a) {
    return !truth(a);
}

}  // namespace math
}  // namespace gpunp
