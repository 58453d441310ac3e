// What a generated kernel of several operations needs besides their functions: edges between two operations.
//
// The kernels of single operations store a result and load it again, which is opaque to compilers. In one
// kernel they would see both sides, and change the sign or the payload of a NaN: (-a) * b becomes -(a * b),
// a - (-b) becomes a + b, and conversions to a wider type and back are dropped.
#pragma once
#include "gpunp/common/cast.h"
#include "gpunp/custom/elementwise.h"

namespace gpunp {
namespace fusion {

// A value between two operations: compilers of C++ know nothing about it.
template <class T>
GPUNP_HD T edge(T x) {
    return x;
}
#if GPUNP_ON_DEVICE
#define GPUNP_REGISTER(letter) "+" letter
#else
#define GPUNP_REGISTER(letter) "+m"
#endif
template <>
GPUNP_HD float edge(float x) {
    asm("" : GPUNP_REGISTER("f")(x));
    return x;
}
template <>
GPUNP_HD double edge(double x) {
    asm("" : GPUNP_REGISTER("d")(x));
    return x;
}
#undef GPUNP_REGISTER
template <>
GPUNP_HD complex<float> edge(complex<float> x) {
    return {edge(x.re), edge(x.im)};
}
template <>
GPUNP_HD complex<double> edge(complex<double> x) {
    return {edge(x.re), edge(x.im)};
}

// Negative zeros, parameters of the kernel.
struct NegativeZero {
    float single;
    double wide;

    GPUNP_HD float like(float) const { return single; }
    GPUNP_HD double like(double) const { return wide; }
};

// A number whose sign was set, to which a negative zero is added that no compiler knows: the assembler would
// make the sign a part of the next operation. A kernel of one operation sets signs by the same addition.
template <class T>
GPUNP_HD T signed_edge(T x, const NegativeZero& zero) {
#if GPUNP_ON_DEVICE
    return x + zero.like(x);
#else
    // There a sign is a bit, which a subtraction from zero would not change in a NaN.
    return edge(x);
#endif
}
template <class T>
GPUNP_HD complex<T> signed_edge(complex<T> x, const NegativeZero& zero) {
    return {signed_edge(x.re, zero), signed_edge(x.im, zero)};
}
// Of which only the imaginary part was set.
template <class T>
GPUNP_HD complex<T> conjugate_edge(complex<T> x, const NegativeZero& zero) {
    return {edge(x.re), signed_edge(x.im, zero)};
}

}  // namespace fusion
}  // namespace gpunp
