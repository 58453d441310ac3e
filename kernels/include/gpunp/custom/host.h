// CUDA C++'s qualifiers and functions for kernels that the host's compiler builds for the CPU device.
// Functions that are fast and inexact on the device are the exact ones here.
#pragma once
#include "gpunp/custom/kinds.h"
#include "gpunp/math/elementary.h"
#include "gpunp/math/special_error.h"

#define __device__
#define __host__
#define __global__
#define __constant__ static const
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __restrict__ __restrict
#define __launch_bounds__(...)

#define GPUNP_OF_FLOAT(name, expression) \
    inline float name(float x) {         \
        return (float)(expression);      \
    }
#define GPUNP_OF_DOUBLE(name, expression) \
    inline double name(double x) {        \
        return expression;                \
    }
// name(double), name(float), namef(float), and integers as doubles.
#define GPUNP_OF_BOTH(name, expression)                     \
    GPUNP_OF_FLOAT(name, expression)                        \
    GPUNP_OF_FLOAT(name##f, expression)                     \
    GPUNP_OF_DOUBLE(name, expression)                       \
    template <class T>                                      \
    inline gpunp::custom::if_integer<T, double> name(T x) { \
        return name((double)x);                             \
    }

namespace gpunp {
namespace custom {

// sin(pi x), or cos(pi x), exact for multiples of a half.
inline double sine_of_half_turns(double x, bool cosine) {
    const double pi = 3.141592653589793238462643383279502884;
    double r = x - 2 * ::nearbyint(x / 2);  // -1 to 1
    if (cosine) return ::sin(pi * (0.5 - ::fabs(r)));
    if (r > 0.5) r = 1 - r;
    if (r < -0.5) r = -1 - r;
    return ::sin(pi * r);
}

inline double erfcx_of(double x) {
    return x >= 0 ? math::special::erfcx(x) : 2 * ::exp(x * x) - math::special::erfcx(-x);
}

template <class To, class From>
inline To same_bits(From x) {
    static_assert(sizeof(To) == sizeof(From), "types of one size");
    To y;
    __builtin_memcpy(&y, &x, sizeof y);
    return y;
}

}  // namespace custom
}  // namespace gpunp

GPUNP_OF_BOTH(rsqrt, 1 / ::sqrt((double)x))
GPUNP_OF_BOTH(rcbrt, 1 / ::cbrt((double)x))
GPUNP_OF_BOTH(normcdf, gpunp::math::ndtr((double)x))
GPUNP_OF_BOTH(normcdfinv, gpunp::math::ndtri((double)x))
GPUNP_OF_BOTH(erfinv, gpunp::math::erfinv((double)x))
GPUNP_OF_BOTH(erfcinv, gpunp::math::ndtri((double)x / 2) * -0.70710678118654752440)
GPUNP_OF_BOTH(erfcx, gpunp::custom::erfcx_of(x))
GPUNP_OF_BOTH(sinpi, gpunp::custom::sine_of_half_turns(x, false))
GPUNP_OF_BOTH(cospi, gpunp::custom::sine_of_half_turns(x, true))
GPUNP_OF_FLOAT(exp10, ::exp10f(x))

GPUNP_OF_FLOAT(__expf, ::expf(x))
GPUNP_OF_FLOAT(__exp10f, ::exp10f(x))
GPUNP_OF_FLOAT(__logf, ::logf(x))
GPUNP_OF_FLOAT(__log2f, ::log2f(x))
GPUNP_OF_FLOAT(__log10f, ::log10f(x))
GPUNP_OF_FLOAT(__sinf, ::sinf(x))
GPUNP_OF_FLOAT(__cosf, ::cosf(x))
GPUNP_OF_FLOAT(__tanf, ::tanf(x))
GPUNP_OF_FLOAT(__saturatef, x > 0 ? (x < 1 ? x : 1) : 0)
GPUNP_OF_FLOAT(__frcp_rn, 1 / x)
GPUNP_OF_FLOAT(__fsqrt_rn, ::sqrtf(x))
GPUNP_OF_FLOAT(__frsqrt_rn, 1 / ::sqrt((double)x))
GPUNP_OF_DOUBLE(__drcp_rn, 1 / x)
GPUNP_OF_DOUBLE(__dsqrt_rn, ::sqrt(x))
#undef GPUNP_OF_FLOAT
#undef GPUNP_OF_DOUBLE
#undef GPUNP_OF_BOTH

#define GPUNP_OF_TWO(T, name, expression) \
    inline T name(T x, T y) {             \
        return expression;                \
    }
GPUNP_OF_TWO(float, __powf, ::powf(x, y))
GPUNP_OF_TWO(float, __fdividef, x / y)
GPUNP_OF_TWO(float, fdividef, x / y)
GPUNP_OF_TWO(float, __fadd_rn, x + y)
GPUNP_OF_TWO(float, __fsub_rn, x - y)
GPUNP_OF_TWO(float, __fmul_rn, x* y)
GPUNP_OF_TWO(float, __fdiv_rn, x / y)
GPUNP_OF_TWO(double, __dadd_rn, x + y)
GPUNP_OF_TWO(double, __dsub_rn, x - y)
GPUNP_OF_TWO(double, __dmul_rn, x* y)
GPUNP_OF_TWO(double, __ddiv_rn, x / y)
GPUNP_OF_TWO(int, __mulhi, (int)((long long)x * y >> 32))
GPUNP_OF_TWO(unsigned int, __umulhi, (unsigned int)((unsigned long long)x * y >> 32))
GPUNP_OF_TWO(long long, __mul64hi, (long long)((__int128)x * y >> 64))
GPUNP_OF_TWO(unsigned long long, __umul64hi, (unsigned long long)((unsigned __int128)x * y >> 64))
GPUNP_OF_TWO(double, rhypot, 1 / gpunp::math::hypot(x, y))
#undef GPUNP_OF_TWO
inline float __fmaf_rn(float x, float y, float z) {
    return ::fmaf(x, y, z);
}
inline double __fma_rn(double x, double y, double z) {
    return ::fma(x, y, z);
}
inline void sincospi(double x, double* sine, double* cosine) {
    *sine = sinpi(x);
    *cosine = cospi(x);
}
inline void sincospif(float x, float* sine, float* cosine) {
    *sine = sinpif(x);
    *cosine = cospif(x);
}
inline void __sincosf(float x, float* sine, float* cosine) {
    *sine = ::sinf(x);
    *cosine = ::cosf(x);
}

// Bits.
#define GPUNP_OF_WORD(R, name, T, expression) \
    inline R name(T x) {                      \
        return expression;                    \
    }
GPUNP_OF_WORD(int, __float_as_int, float, gpunp::custom::same_bits<int>(x))
GPUNP_OF_WORD(unsigned int, __float_as_uint, float, gpunp::custom::same_bits<unsigned int>(x))
GPUNP_OF_WORD(float, __int_as_float, int, gpunp::custom::same_bits<float>(x))
GPUNP_OF_WORD(float, __uint_as_float, unsigned int, gpunp::custom::same_bits<float>(x))
GPUNP_OF_WORD(long long, __double_as_longlong, double, gpunp::custom::same_bits<long long>(x))
GPUNP_OF_WORD(double, __longlong_as_double, long long, gpunp::custom::same_bits<double>(x))
GPUNP_OF_WORD(int, __popc, unsigned int, __builtin_popcount(x))
GPUNP_OF_WORD(int, __popcll, unsigned long long, __builtin_popcountll(x))
GPUNP_OF_WORD(int, __clz, int, x ? __builtin_clz((unsigned int)x) : 32)
GPUNP_OF_WORD(int, __clzll, long long, x ? __builtin_clzll((unsigned long long)x) : 64)
GPUNP_OF_WORD(int, __ffs, int, __builtin_ffs(x))
GPUNP_OF_WORD(int, __ffsll, long long, __builtin_ffsll(x))
GPUNP_OF_WORD(int, __float2int_rn, float, (int)::rintf(x))
GPUNP_OF_WORD(int, __float2int_rz, float, (int)x)
GPUNP_OF_WORD(int, __float2int_rd, float, (int)::floorf(x))
GPUNP_OF_WORD(int, __float2int_ru, float, (int)::ceilf(x))
GPUNP_OF_WORD(int, __double2int_rn, double, (int)::rint(x))
GPUNP_OF_WORD(int, __double2int_rz, double, (int)x)
GPUNP_OF_WORD(int, __double2int_rd, double, (int)::floor(x))
GPUNP_OF_WORD(int, __double2int_ru, double, (int)::ceil(x))
#undef GPUNP_OF_WORD
inline unsigned int __brev(unsigned int x) {
    unsigned int reversed = 0;
    for (int i = 0; i < 32; i++) reversed = reversed << 1 | (x >> i & 1);
    return reversed;
}
inline unsigned long long __brevll(unsigned long long x) {
    return (unsigned long long)__brev((unsigned int)x) << 32 | __brev((unsigned int)(x >> 32));
}
template <class T>
inline T __ldg(const T* p) {
    return *p;
}
