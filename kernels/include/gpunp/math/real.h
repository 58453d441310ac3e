// Shared by the real scalar functions: kinds of types, types for wraparound arithmetic, access to bits.
#pragma once
#include "gpunp/types.h"

namespace gpunp {
namespace math {

// A type's kind keeps templates for reals from competing with the overloads for complex.
enum Kind { OTHER, BOOLEAN, SIGNED, UNSIGNED, FLOATING };

template <class T>
struct traits {
    static constexpr Kind kind = OTHER;
};

// `wide` is the unsigned type in which T's arithmetic wraps without undefined behavior.
#define GPUNP_TRAITS(T, K, W)           \
    template <>                         \
    struct traits<T> {                  \
        static constexpr Kind kind = K; \
        using wide = W;                 \
    }
GPUNP_TRAITS(bool, BOOLEAN, uint32_t);
GPUNP_TRAITS(i1, SIGNED, uint32_t);
GPUNP_TRAITS(u1, UNSIGNED, uint32_t);
GPUNP_TRAITS(i2, SIGNED, uint32_t);
GPUNP_TRAITS(u2, UNSIGNED, uint32_t);
GPUNP_TRAITS(i4, SIGNED, uint32_t);
GPUNP_TRAITS(u4, UNSIGNED, uint32_t);
GPUNP_TRAITS(i8, SIGNED, uint64_t);
GPUNP_TRAITS(u8, UNSIGNED, uint64_t);
GPUNP_TRAITS(float, FLOATING, float);
GPUNP_TRAITS(double, FLOATING, double);
#undef GPUNP_TRAITS

template <class T>
using wide_t = typename traits<T>::wide;

template <class T>
constexpr bool is_real = traits<T>::kind != OTHER;
template <class T>
constexpr bool is_signed = traits<T>::kind == SIGNED;
template <class T>
constexpr bool is_integer = traits<T>::kind == SIGNED || traits<T>::kind == UNSIGNED;
template <class T>
constexpr bool is_floating = traits<T>::kind == FLOATING;

template <bool condition, class R>
struct enable {};
template <class R>
struct enable<true, R> {
    using type = R;
};

// Return types that exist only for the named kind of T (SFINAE).
template <class T, class R = T>
using if_real = typename enable<is_real<T>, R>::type;
template <class T, class R = T>
using if_integer = typename enable<is_integer<T>, R>::type;
template <class T, class R = T>
using if_signed = typename enable<is_signed<T>, R>::type;
template <class T, class R = T>
using if_unsigned = typename enable<traits<T>::kind == UNSIGNED, R>::type;
template <class T, class R = T>
using if_floating = typename enable<is_floating<T>, R>::type;
// Bool and integers.
template <class T, class R = T>
using if_exact = typename enable<is_real<T> && !is_floating<T>, R>::type;

// The least value of a signed type.
template <class T>
GPUNP_HD constexpr T least() {
    return (T)(wide_t<T>(1) << (8 * sizeof(T) - 1));
}

// Two results of one function.
template <class A, class B>
struct pair {
    A first;
    B second;
};

GPUNP_HD uint32_t bits_of(float x) {
#if defined(__CUDA_ARCH__)
    return __float_as_uint(x);
#else
    uint32_t u;
    __builtin_memcpy(&u, &x, 4);
    return u;
#endif
}

GPUNP_HD uint64_t bits_of(double x) {
#if defined(__CUDA_ARCH__)
    return (uint64_t)__double_as_longlong(x);
#else
    uint64_t u;
    __builtin_memcpy(&u, &x, 8);
    return u;
#endif
}

GPUNP_HD float from_bits(uint32_t u) {
#if defined(__CUDA_ARCH__)
    return __uint_as_float(u);
#else
    float x;
    __builtin_memcpy(&x, &u, 4);
    return x;
#endif
}

GPUNP_HD double from_bits(uint64_t u) {
#if defined(__CUDA_ARCH__)
    return __longlong_as_double((long long)u);
#else
    double x;
    __builtin_memcpy(&x, &u, 8);
    return x;
#endif
}

// Fused on the device only; the host's baseline instruction set has no fused multiply-add.
template <class T>
GPUNP_HD T multiply_add(T a, T b, T c) {
#if defined(__CUDA_ARCH__)
    return ::fma(a, b, c);
#else
    return a * b + c;
#endif
}

// Sets bits of the status word, which a later call on the device turns into an exception.
GPUNP_HD void report(uint32_t* status, uint32_t bits) {
#if defined(__CUDA_ARCH__)
    atomicOr((unsigned int*)status, bits);
#else
    *status |= bits;
#endif
}

}  // namespace math
}  // namespace gpunp
