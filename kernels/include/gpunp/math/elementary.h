// Exponentials, logarithms, powers, trigonometric and hyperbolic functions of floating-point numbers.
#pragma once
#include "gpunp/math/floating.h"
#if !GPUNP_ON_DEVICE
#include "gpunp/math/host_vector_power.h"
#include "gpunp/math/host_vector_small.h"
#endif

namespace gpunp {
namespace math {

// On the host, one element of what blocks of elements are computed by.
#if GPUNP_ON_DEVICE
#define GPUNP_IN_BLOCKS(name) GPUNP_UNARY(name, ::name##f, ::name)
#define GPUNP_POWER(function) ::function
#else
#define GPUNP_IN_BLOCKS(name) GPUNP_UNARY(name, lanes::one_##name, lanes::one_##name)
#define GPUNP_POWER(function) lanes::one_power
#endif

GPUNP_IN_BLOCKS(exp)
GPUNP_IN_BLOCKS(exp2)
GPUNP_IN_BLOCKS(expm1)
GPUNP_IN_BLOCKS(log)
GPUNP_IN_BLOCKS(log2)
GPUNP_IN_BLOCKS(log10)
GPUNP_IN_BLOCKS(log1p)
GPUNP_BINARY(library_power, GPUNP_POWER(powf), GPUNP_POWER(pow))

GPUNP_IN_BLOCKS(sin)
GPUNP_IN_BLOCKS(cos)
GPUNP_UNARY(tan, ::tanf, ::tan)
GPUNP_UNARY(arcsin, ::asinf, ::asin)
GPUNP_UNARY(arccos, ::acosf, ::acos)
GPUNP_UNARY(arctan, ::atanf, ::atan)
GPUNP_UNARY(sinh, ::sinhf, ::sinh)
GPUNP_UNARY(cosh, ::coshf, ::cosh)
GPUNP_IN_BLOCKS(tanh)
GPUNP_UNARY(arcsinh, ::asinhf, ::asinh)
GPUNP_UNARY(arccosh, ::acoshf, ::acosh)
GPUNP_UNARY(arctanh, ::atanhf, ::atanh)
#undef GPUNP_IN_BLOCKS
#undef GPUNP_POWER
#undef GPUNP_UNARY
#undef GPUNP_BINARY

// CUDA's pow errs by up to 2 ulp; integer powers of integers are expected to be exact.
template <class T>
GPUNP_HD if_floating<T> power(T a, T b) {
    T p = library_power(a, b);
#if defined(__CUDA_ARCH__)
    const T exact = sizeof(T) == 4 ? (T)16777216 : (T)9007199254740992.0;
    if (b >= 0 && (T)::rint((double)b) == b && (T)::rint((double)a) == a && p < exact && -p < exact)
        p = (T)::rint((double)p);
#endif
    return p;
}

// NumPy's loops for a scalar exponent use these roots and products instead; sqrt(-infinity) is NaN, whereas
// the power is infinite, and sqrt(-0) is -0.
template <class T>
GPUNP_HD if_floating<T> power_by_scalar(T a, T b) {
    if (b == (T)0.5) return sqrt(a);
    if (b == (T)2) return a * a;
    if (b == (T)-1) return (T)1 / a;
    return power(a, b);
}

template <class T>
GPUNP_HD if_floating<T> float_power(T a, T b) {
    return power(a, b);
}

// The factor is rounded to T, as in NumPy.
template <class T>
GPUNP_HD if_floating<T> degrees(T a) {
    return a * ((T)180 / (T)3.141592653589793238462643383279502884);
}

template <class T>
GPUNP_HD if_floating<T> radians(T a) {
    return a * ((T)3.141592653589793238462643383279502884 / (T)180);
}

// log(exp(a) + exp(b)) without overflow; the first branch also handles equal infinities.
template <class T>
GPUNP_HD if_floating<T> logaddexp(T a, T b) {
    if (a == b) return a + (T)0.693147180559945309417232121458176568;
    T difference = a - b;
    if (difference > 0) return a + log1p(exp(-difference));
    if (difference <= 0) return b + log1p(exp(difference));
    return difference;
}

template <class T>
GPUNP_HD if_floating<T> logaddexp2(T a, T b) {
    const T log2_e = (T)1.442695040888963407359924681001892137;
    if (a == b) return a + (T)1;
    T difference = a - b;
    if (difference > 0) return a + log2_e * log1p(exp2(-difference));
    if (difference <= 0) return b + log2_e * log1p(exp2(difference));
    return difference;
}

}  // namespace math
}  // namespace gpunp
