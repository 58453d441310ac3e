// float16 of kernels written by users, in the global namespace: IEEE binary16 in two bytes, which converts to
// float in every expression, so that an expression is rounded once, when its value is stored.
#pragma once
#include "gpunp/custom/prelude.h"
#include "gpunp/types.h"

struct __half;  // CUDA's type, if a kernel includes cuda_fp16.h

namespace gpunp {
namespace custom {

template <class H>
constexpr bool is_cuda_half = false;
template <>
inline constexpr bool is_cuda_half<__half> = true;
template <class H, class R>
using if_cuda_half = typename enable<is_cuda_half<H>, R>::type;

// The bits of the nearest half. On a device they come in a register of 32 bits: where a half is stored byte
// by byte, ptxas 13.0 takes the low byte of a 16-bit register that holds a half for a conversion of the
// number to an integer.
GPUNP_HD uint16_t half_bits(float x) {
#if defined(__CUDA_ARCH__)
    uint32_t word;
    asm("{\n.reg .b16 low, high;\ncvt.rn.f16.f32 low, %1;\nmov.b16 high, 0;\nmov.b32 %0, {low, high};\n}"
        : "=r"(word)
        : "f"(x));
    return (uint16_t)word;
#else
    return to_half(x).bits;
#endif
}
GPUNP_HD uint16_t half_bits(double x) {
#if defined(__CUDA_ARCH__)
    uint32_t word;
    asm("{\n.reg .b16 low, high;\ncvt.rn.f16.f64 low, %1;\nmov.b16 high, 0;\nmov.b32 %0, {low, high};\n}"
        : "=r"(word)
        : "d"(x));
    return (uint16_t)word;
#else
    return to_half(x).bits;
#endif
}

struct float16 {
    uint16_t bits;

    // Left uninitialized, so that arrays in shared memory may have this type.
    float16() = default;
    GPUNP_HD float16(float x) : bits(half_bits(x)) {}
    GPUNP_HD float16(double x) : bits(half_bits(x)) {}
    // Integers that float cannot hold are beyond the range of half.
    template <class I, class = if_integer<I>>
    GPUNP_HD float16(I x) : bits(half_bits((float)x)) {}
    template <class H, class = if_cuda_half<H, void>, class = void>
    GPUNP_HD float16(const H& h) {
        static_assert(sizeof(h) == 2, "a half");
        __builtin_memcpy(&bits, &h, 2);
    }
    GPUNP_HD constexpr float16(gpunp::half h) : bits(h.bits) {}
    GPUNP_HD constexpr operator gpunp::half() const { return {bits}; }
    GPUNP_HD operator float() const { return to_float(gpunp::half{bits}); }

#define GPUNP_ASSIGNMENT(op)                         \
    template <class V>                               \
    GPUNP_HD float16& operator op## = (const V& v) { \
        return *this = float16((float)*this op v);   \
    }
    GPUNP_ASSIGNMENT(+)
    GPUNP_ASSIGNMENT(-)
    GPUNP_ASSIGNMENT(*)
    GPUNP_ASSIGNMENT(/)
#undef GPUNP_ASSIGNMENT
    GPUNP_HD float16& operator++() { return *this += 1; }
    GPUNP_HD float16& operator--() { return *this -= 1; }
    GPUNP_HD float16 operator++(int) {
        float16 before = *this;
        ++*this;
        return before;
    }
    GPUNP_HD float16 operator--(int) {
        float16 before = *this;
        --*this;
        return before;
    }
};

template <>
inline constexpr bool is_scalar<float16> = true;

// Exact, and a float16, so that `x > 0 ? x : -x` has operands of one type.
GPUNP_HD float16 operator-(float16 x) {
    return gpunp::half{(uint16_t)(x.bits ^ 0x8000u)};
}
GPUNP_HD float16 operator+(float16 x) {
    return x;
}
// As CUDA's min and max: of a number and a NaN, the number.
GPUNP_HD float16 min(float16 a, float16 b) {
    return a < b || (float)b != (float)b ? a : b;
}
GPUNP_HD float16 max(float16 a, float16 b) {
    return a > b || (float)b != (float)b ? a : b;
}
// math::nextafter of halves, without the headers that it needs. Bits of positive numbers count up.
GPUNP_HD float16 nextafter(float16 x, float16 to) {
    const float from = x, target = to;
    if (from != from) return x;
    if (!(from < target || from > target)) return to;
    if (from == 0) return gpunp::half{(uint16_t)((to.bits & 0x8000u) | 1u)};
    return gpunp::half{(uint16_t)(x.bits + ((target > from) == (from > 0) ? 1 : -1))};
}

// Functions of one float16 are those of float, by conversion. Of two operands, where conversions would be
// ambiguous:
template <class A, class B>
constexpr bool has_float16 = false;
template <class A>
inline constexpr bool has_float16<A, float16> = kind<A> != Kind::OTHER;
template <class B>
inline constexpr bool has_float16<float16, B> = kind<B> != Kind::OTHER;
template <>
inline constexpr bool has_float16<float16, float16> = true;

template <class T>
GPUNP_HD T widen(T x) {
    return x;
}
GPUNP_HD float widen(float16 x) {
    return x;
}
template <class A, class B>
using widened_t =
    typename enable<has_float16<A, B>,
                    floating<decltype(widen(value_of<A>())), decltype(widen(value_of<B>()))>>::type::type;

#define GPUNP_OF_TWO(name)                       \
    template <class A, class B>                  \
    GPUNP_HD widened_t<A, B> name(A a, B b) {    \
        using R = widened_t<A, B>;               \
        return ::name((R)widen(a), (R)widen(b)); \
    }
GPUNP_OF_TWO(pow)
GPUNP_OF_TWO(fmod)
GPUNP_OF_TWO(atan2)
GPUNP_OF_TWO(hypot)
GPUNP_OF_TWO(copysign)
GPUNP_OF_TWO(fmin)
GPUNP_OF_TWO(fmax)
GPUNP_OF_TWO(min)
GPUNP_OF_TWO(max)
#undef GPUNP_OF_TWO

// With CUDA's __half, which converts to every arithmetic type: computed in float.
template <class A, class B>
constexpr bool has_both_halves = false;
template <>
inline constexpr bool has_both_halves<float16, __half> = true;
template <>
inline constexpr bool has_both_halves<__half, float16> = true;
#define GPUNP_WITH_HALF(R, op)                                                                     \
    template <class A, class B>                                                                    \
    GPUNP_HD typename enable<has_both_halves<A, B>, R>::type operator op(const A& a, const B& b) { \
        return (float)float16(a) op(float) float16(b);                                             \
    }
GPUNP_WITH_HALF(float, +)
GPUNP_WITH_HALF(float, -)
GPUNP_WITH_HALF(float, *)
GPUNP_WITH_HALF(float, /)
GPUNP_WITH_HALF(bool, ==)
GPUNP_WITH_HALF(bool, !=)
GPUNP_WITH_HALF(bool, <)
GPUNP_WITH_HALF(bool, <=)
GPUNP_WITH_HALF(bool, >)
GPUNP_WITH_HALF(bool, >=)
#undef GPUNP_WITH_HALF

}  // namespace custom
}  // namespace gpunp

using gpunp::custom::float16;
