// The element types of arrays.
#pragma once
#include "gpunp/config.h"
#include "gpunp/dtype_codes.h"

namespace gpunp {

// IEEE binary16 as stored; arithmetic happens in float.
struct half {
    uint16_t bits;
};

template <class T>
struct alignas(2 * sizeof(T)) complex {
    using value_type = T;
    T re, im;
};

using bool_ = bool;
using i1 = int8_t;
using u1 = uint8_t;
using i2 = int16_t;
using u2 = uint16_t;
using i4 = int32_t;
using u4 = uint32_t;
using i8 = int64_t;
using u8 = uint64_t;
using f2 = half;
using f4 = float;
using f8 = double;
using c8 = complex<float>;
using c16 = complex<double>;

// The dtype code of an element type.
template <class T>
struct dtype_of;
#define GPUNP_DTYPE_OF(type, code)         \
    template <>                            \
    struct dtype_of<type> {                \
        static constexpr int value = code; \
    };
GPUNP_DTYPE_OF(bool_, BOOL)
GPUNP_DTYPE_OF(i1, I1)
GPUNP_DTYPE_OF(u1, U1)
GPUNP_DTYPE_OF(i2, I2)
GPUNP_DTYPE_OF(u2, U2)
GPUNP_DTYPE_OF(i4, I4)
GPUNP_DTYPE_OF(u4, U4)
GPUNP_DTYPE_OF(i8, I8)
GPUNP_DTYPE_OF(u8, U8)
GPUNP_DTYPE_OF(f2, F2)
GPUNP_DTYPE_OF(f4, F4)
GPUNP_DTYPE_OF(f8, F8)
GPUNP_DTYPE_OF(c8, C8)
GPUNP_DTYPE_OF(c16, C16)
#undef GPUNP_DTYPE_OF

GPUNP_HD float to_float(half h) {
#if defined(__CUDA_ARCH__)
    float f;
    asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h.bits));
    return f;
#else
    uint32_t sign = (uint32_t)(h.bits & 0x8000u) << 16, rest = h.bits & 0x7fffu, out;
    if (rest >= 0x7c00u) {
        out = sign | 0x7f800000u | ((rest & 0x3ffu) << 13);
    } else if (rest >= 0x0400u) {
        out = sign | ((rest << 13) + 0x38000000u);
    } else {  // subnormal or zero: the integer is exact in float
        float f = (float)rest * 5.9604644775390625e-8f;
        __builtin_memcpy(&out, &f, 4);
        out |= sign;
    }
    float f;
    __builtin_memcpy(&f, &out, 4);
    return f;
#endif
}

// Round to nearest even, from double directly: going through float would round twice.
GPUNP_HD half to_half(double x) {
    half h;
#if defined(__CUDA_ARCH__)
    asm("cvt.rn.f16.f64 %0, %1;" : "=h"(h.bits) : "d"(x));
#else
    uint64_t d;
    __builtin_memcpy(&d, &x, 8);
    uint32_t sign = (uint32_t)(d >> 48) & 0x8000u;
    uint64_t mag = d & 0x7fffffffffffffffull;
    uint32_t out;
    if (mag > 0x7ff0000000000000ull) {
        out = 0x7c00u | 0x200u | (uint32_t)((mag >> 42) & 0x3ffu);
    } else if (mag >= 0x40effe0000000000ull) {  // 65520 and up round to infinity
        out = 0x7c00u;
    } else if (mag < 0x3e60000000000001ull) {  // at most half of the least subnormal
        out = 0;
    } else {
        int exponent = (int)(mag >> 52) - 1023;
        uint64_t mantissa = (mag & 0xfffffffffffffull) | 0x10000000000000ull;
        int shift = exponent < -14 ? 42 + (-14 - exponent) : 42;
        uint64_t kept = mantissa >> shift, low = mantissa & ((1ull << shift) - 1), tie = 1ull << (shift - 1);
        kept += low > tie || (low == tie && (kept & 1));
        out = exponent < -14 ? (uint32_t)kept : (uint32_t)(kept + ((uint64_t)(exponent + 14) << 10));
    }
    h.bits = (uint16_t)(sign | out);
#endif
    return h;
}

GPUNP_HD half to_half(float x) {
#if defined(__CUDA_ARCH__)
    half h;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h.bits) : "f"(x));
    return h;
#else
    return to_half((double)x);
#endif
}

// The type in which arithmetic on a stored type is done.
template <class T>
struct compute_type {
    using type = T;
};
template <>
struct compute_type<half> {
    using type = float;
};
template <class T>
using compute_t = typename compute_type<T>::type;

template <class T>
GPUNP_HD compute_t<T> load_value(T x) {
    return x;
}
GPUNP_HD float load_value(half x) {
    return to_float(x);
}

template <class T>
struct tag {};
template <class T, class C>
GPUNP_HD T store_value(tag<T>, C x) {
    return (T)x;
}
template <class C>
GPUNP_HD half store_value(tag<half>, C x) {
    return to_half(x);
}
template <class T>
GPUNP_HD complex<T> store_value(tag<complex<T>>, complex<T> x) {
    return x;
}
GPUNP_HD half store_value(tag<half>, half x) {
    return x;
}

}  // namespace gpunp
