// Names that kernels written by users have without an include, in the global namespace: integer types of
// known width, constants, and min, max, isnan, ... of any arithmetic types. On the host also the qualifiers
// of CUDA C++.
#pragma once
#include "gpunp/custom/kinds.h"

#if !GPUNP_ON_DEVICE
#include "gpunp/custom/host.h"
#endif

// As CUDA's min and max, which have no overloads for many pairs of types: of a number and a NaN, the number.
template <class A, class B>
GPUNP_HD gpunp::custom::if_arithmetic<A, gpunp::custom::if_arithmetic<B, gpunp::custom::common_t<A, B>>> min(
    A a, B b) {
    using C = gpunp::custom::common_t<A, B>;
    if constexpr (gpunp::custom::kind<C> == gpunp::custom::Kind::FLOATING) return fmin((C)a, (C)b);
    return (C)b < (C)a ? (C)b : (C)a;
}
template <class A, class B>
GPUNP_HD gpunp::custom::if_arithmetic<A, gpunp::custom::if_arithmetic<B, gpunp::custom::common_t<A, B>>> max(
    A a, B b) {
    using C = gpunp::custom::common_t<A, B>;
    if constexpr (gpunp::custom::kind<C> == gpunp::custom::Kind::FLOATING) return fmax((C)a, (C)b);
    return (C)a < (C)b ? (C)b : (C)a;
}

#if GPUNP_ON_DEVICE
// The C++ library has these for integers and for mixed types; CUDA has not.
#define GPUNP_OF_INTEGER(R, name, value)                                   \
    template <class T>                                                     \
    __device__ __forceinline__ gpunp::custom::if_integer<T, R> name(T x) { \
        return value;                                                      \
    }
GPUNP_OF_INTEGER(bool, isnan, false)
GPUNP_OF_INTEGER(bool, isinf, false)
GPUNP_OF_INTEGER(bool, isfinite, true)
GPUNP_OF_INTEGER(bool, signbit, x < 1 && x != 0)
#define GPUNP_IN_DOUBLE(name) GPUNP_OF_INTEGER(double, name, name((double)x))
GPUNP_IN_DOUBLE(sqrt)
GPUNP_IN_DOUBLE(rsqrt)
GPUNP_IN_DOUBLE(cbrt)
GPUNP_IN_DOUBLE(exp)
GPUNP_IN_DOUBLE(exp2)
GPUNP_IN_DOUBLE(expm1)
GPUNP_IN_DOUBLE(log)
GPUNP_IN_DOUBLE(log2)
GPUNP_IN_DOUBLE(log10)
GPUNP_IN_DOUBLE(log1p)
GPUNP_IN_DOUBLE(sin)
GPUNP_IN_DOUBLE(cos)
GPUNP_IN_DOUBLE(tan)
GPUNP_IN_DOUBLE(asin)
GPUNP_IN_DOUBLE(acos)
GPUNP_IN_DOUBLE(atan)
GPUNP_IN_DOUBLE(sinh)
GPUNP_IN_DOUBLE(cosh)
GPUNP_IN_DOUBLE(tanh)
GPUNP_IN_DOUBLE(asinh)
GPUNP_IN_DOUBLE(acosh)
GPUNP_IN_DOUBLE(atanh)
GPUNP_IN_DOUBLE(floor)
GPUNP_IN_DOUBLE(ceil)
GPUNP_IN_DOUBLE(trunc)
GPUNP_IN_DOUBLE(round)
GPUNP_IN_DOUBLE(rint)
GPUNP_IN_DOUBLE(fabs)
GPUNP_IN_DOUBLE(erf)
GPUNP_IN_DOUBLE(erfc)
GPUNP_IN_DOUBLE(tgamma)
GPUNP_IN_DOUBLE(lgamma)
#undef GPUNP_IN_DOUBLE
// Floating-point operands determine the type; two integers give a double.
#define GPUNP_OF_MIXED(name)                                                                 \
    template <class A, class B>                                                              \
    __device__ __forceinline__ gpunp::custom::floating_t<A, B> name(A a, B b) {              \
        return name((gpunp::custom::floating_t<A, B>)a, (gpunp::custom::floating_t<A, B>)b); \
    }
GPUNP_OF_MIXED(pow)
GPUNP_OF_MIXED(fmod)
GPUNP_OF_MIXED(atan2)
GPUNP_OF_MIXED(hypot)
GPUNP_OF_MIXED(copysign)
GPUNP_OF_MIXED(nextafter)
GPUNP_OF_MIXED(fmin)
GPUNP_OF_MIXED(fmax)
#undef GPUNP_OF_MIXED
#undef GPUNP_OF_INTEGER
#endif
