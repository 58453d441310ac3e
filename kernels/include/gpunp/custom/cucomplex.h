// The names of CUDA's cuComplex.h over complex<T>, so that they mix with its operators and functions.
#pragma once
#define CU_COMPLEX_H_  // CUDA's own header, included after this one, has nothing to add
#include "gpunp/custom/complex.h"

using cuFloatComplex = complex<float>;
using cuDoubleComplex = complex<double>;
using cuComplex = cuFloatComplex;

// Each function for floats, whose name ends in f, and for doubles.
#define GPUNP_CUCOMPLEX(T, f)                                                           \
    GPUNP_HD T cuCreal##f(complex<T> z) {                                               \
        return z.x;                                                                     \
    }                                                                                   \
    GPUNP_HD T cuCimag##f(complex<T> z) {                                               \
        return z.y;                                                                     \
    }                                                                                   \
    GPUNP_HD T cuCabs##f(complex<T> z) {                                                \
        return abs(z);                                                                  \
    }                                                                                   \
    GPUNP_HD complex<T> cuConj##f(complex<T> z) {                                       \
        return conj(z);                                                                 \
    }                                                                                   \
    GPUNP_HD complex<T> cuCadd##f(complex<T> a, complex<T> b) {                         \
        return a + b;                                                                   \
    }                                                                                   \
    GPUNP_HD complex<T> cuCsub##f(complex<T> a, complex<T> b) {                         \
        return a - b;                                                                   \
    }                                                                                   \
    GPUNP_HD complex<T> cuCmul##f(complex<T> a, complex<T> b) {                         \
        return a * b;                                                                   \
    }                                                                                   \
    GPUNP_HD complex<T> cuCdiv##f(complex<T> a, complex<T> b) {                         \
        return a / b;                                                                   \
    }                                                                                   \
    GPUNP_HD complex<T> cuCfma##f(complex<T> a, complex<T> b, complex<T> c) {           \
        return {fma(-a.y, b.y, fma(a.x, b.x, c.x)), fma(a.y, b.x, fma(a.x, b.y, c.y))}; \
    }
GPUNP_CUCOMPLEX(float, f)
GPUNP_CUCOMPLEX(double, )
#undef GPUNP_CUCOMPLEX

GPUNP_HD cuFloatComplex make_cuFloatComplex(float re, float im) {
    return {re, im};
}
GPUNP_HD cuDoubleComplex make_cuDoubleComplex(double re, double im) {
    return {re, im};
}
GPUNP_HD cuComplex make_cuComplex(float re, float im) {
    return {re, im};
}
GPUNP_HD cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) {
    return z;
}
GPUNP_HD cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) {
    return z;
}
