// Arithmetic, rounding and representation of floating-point numbers.
#pragma once
#include "gpunp/math/planar.h"
#include "gpunp/math/real.h"

namespace gpunp {
namespace math {

// Overloads for float and double that call the C library's functions.
#define GPUNP_UNARY(name, f32, f64)  \
    GPUNP_HD float name(float a) {   \
        return f32(a);               \
    }                                \
    GPUNP_HD double name(double a) { \
        return f64(a);               \
    }
#define GPUNP_BINARY(name, f32, f64)           \
    GPUNP_HD float name(float a, float b) {    \
        return f32(a, b);                      \
    }                                          \
    GPUNP_HD double name(double a, double b) { \
        return f64(a, b);                      \
    }

template <class T>
GPUNP_HD if_floating<T> add(T a, T b) {
    return a + b;
}

template <class T>
GPUNP_HD if_floating<T> subtract(T a, T b) {
    return a - b;
}

template <class T>
GPUNP_HD if_floating<T> multiply(T a, T b) {
    return a * b;
}

template <class T>
GPUNP_HD if_floating<T> divide(T a, T b) {
    return a / b;
}

template <class T>
GPUNP_HD if_floating<T> negative(T a) {
    return -a;
}

template <class T>
GPUNP_HD if_floating<T> square(T a) {
    return a * a;
}

template <class T>
GPUNP_HD if_floating<T> reciprocal(T a) {
    return (T)1 / a;
}

template <class T>
GPUNP_HD if_floating<T> sign(T a) {
    return a > 0 ? (T)1 : a < 0 ? (T)-1 : a == 0 ? (T)0 : a;
}

template <class T>
GPUNP_HD if_real<T> conjugate(T a) {
    return a;
}

GPUNP_UNARY(absolute, ::fabsf, ::fabs)
GPUNP_UNARY(fabs, ::fabsf, ::fabs)
GPUNP_UNARY(sqrt, ::sqrtf, ::sqrt)
GPUNP_UNARY(cbrt, ::cbrtf, ::cbrt)
GPUNP_UNARY(rint, ::rintf, ::rint)
GPUNP_UNARY(floor, ::floorf, ::floor)
GPUNP_UNARY(ceil, ::ceilf, ::ceil)
GPUNP_UNARY(trunc, ::truncf, ::trunc)
GPUNP_BINARY(fmod, ::fmodf, ::fmod)
GPUNP_BINARY(copysign, ::copysignf, ::copysign)

GPUNP_HD bool signbit(float a) {
    return bits_of(a) >> 31;
}
GPUNP_HD bool signbit(double a) {
    return bits_of(a) >> 63;
}

// The neighbor of a toward b; b itself if they are equal, which may be zeros of different signs.
template <class T>
GPUNP_HD if_floating<T> nextafter(T a, T b) {
    if (a != a || b != b) return a + b;
    if (a == b) return b;
    auto bits = bits_of(a);
    if (a == 0) return copysign(from_bits((decltype(bits))1), b);
    return from_bits((b > a) == (a > 0) ? bits + 1 : bits - 1);
}

// As NumPy's floor division: quotient and remainder from one fmod, the quotient snapped to an integer.
template <class T>
GPUNP_HD if_floating<T, pair<T, T>> divmod(T a, T b) {
    T rest = fmod(a, b);
    if (b == 0) return {a / b, rest};
    T quotient = (a - rest) / b;
    if (rest != 0) {  // true for NaN
        if ((b < 0) != (rest < 0)) {
            rest += b;
            quotient -= (T)1;
        }
    } else {
        rest = copysign((T)0, b);
    }
    T whole;
    if (quotient != 0) {
        whole = floor(quotient);
        if (quotient - whole > (T)0.5) whole += (T)1;
    } else {
        whole = copysign((T)0, a / b);
    }
    return {whole, rest};
}

template <class T>
GPUNP_HD if_floating<T> floor_divide(T a, T b) {
    return divmod(a, b).first;
}

template <class T>
GPUNP_HD if_floating<T> remainder(T a, T b) {
    return divmod(a, b).second;
}

template <class T>
GPUNP_HD if_floating<T> heaviside(T a, T at_zero) {
    return a != a ? a : a == 0 ? at_zero : a < 0 ? (T)0 : (T)1;
}

// Fraction and whole part, both with the sign of a.
template <class T>
GPUNP_HD if_floating<T, pair<T, T>> modf(T a) {
    T whole = trunc(a);
    return {whole == a ? copysign((T)0, a) : copysign(a - whole, a), whole};
}

// Mantissa in [0.5, 1) and exponent; zeros, infinities and NaN are returned with exponent 0.
GPUNP_HD pair<float, i4> frexp(float a) {
    if (a == 0 || !(a - a == 0)) return {a, 0};
    int exponent;
    float mantissa = ::frexpf(a, &exponent);
    return {mantissa, exponent};
}

GPUNP_HD pair<double, i4> frexp(double a) {
    if (a == 0 || !(a - a == 0)) return {a, 0};
    int exponent;
    double mantissa = ::frexp(a, &exponent);
    return {mantissa, exponent};
}

GPUNP_HD float ldexp(float a, i4 exponent) {
    return ::ldexpf(a, exponent);
}
GPUNP_HD double ldexp(double a, i4 exponent) {
    return ::ldexp(a, exponent);
}

// Beyond these exponents every result is zero or infinity.
template <class N>
GPUNP_HD i4 clamp_exponent(N exponent) {
    return (i4)(exponent > (N)100000 ? (N)100000 : exponent < (N)-100000 ? (N)-100000 : exponent);
}
GPUNP_HD float ldexp(float a, i8 exponent) {
    return ::ldexpf(a, clamp_exponent(exponent));
}
GPUNP_HD double ldexp(double a, i8 exponent) {
    return ::ldexp(a, clamp_exponent(exponent));
}

// Distance to the next number away from zero, with the sign of a.
template <class T>
GPUNP_HD if_floating<T> spacing(T a) {
    if (!(a - a == 0)) return a - a;
    auto bits = bits_of(a);
    // For either zero NumPy returns the least positive number.
    if (a == 0) return from_bits((decltype(bits))1);
    return from_bits(bits + 1) - a;
}

GPUNP_HD half absolute(half a) {
#if GPUNP_ON_DEVICE
    // ptxas of CUDA 13.0 drops `& 0x7fff` for the first of two numbers that were rounded from float32 and are
    // stored together; it keeps an insertion of zeros.
    uint32_t word;
    asm("bfi.b32 %0, 0, %1, 15, 17;" : "=r"(word) : "r"((uint32_t)a.bits));
    return {(uint16_t)word};
#else
    return {(uint16_t)(a.bits & 0x7fffu)};
#endif
}
GPUNP_HD half fabs(half a) {
    return absolute(a);
}
GPUNP_HD half negative(half a) {
    return {(uint16_t)(a.bits ^ 0x8000u)};
}
GPUNP_HD bool signbit(half a) {
    return (a.bits & 0x8000u) != 0;
}
GPUNP_HD bool isnan(half a) {
    return (a.bits & 0x7fffu) > 0x7c00u;
}
GPUNP_HD half copysign(half a, half b) {
    return {(uint16_t)((a.bits & 0x7fffu) | (b.bits & 0x8000u))};
}

GPUNP_HD half nextafter(half a, half b) {
    if (isnan(a)) return a;
    if (isnan(b)) return b;
    float x = to_float(a), y = to_float(b);
    if (x == y) return b;
    if (x == 0) return {(uint16_t)((b.bits & 0x8000u) | 1u)};
    bool grow = (y > x) == (x > 0);
    return {(uint16_t)(grow ? a.bits + 1 : a.bits - 1)};
}

// Distance to the next greater half, always positive.
GPUNP_HD half spacing(half a) {
    if ((a.bits & 0x7c00u) == 0x7c00u) return {(uint16_t)0x7e00u};
    if (a.bits == 0x7bffu) return {(uint16_t)0x7c00u};
    int exponent = a.bits >> 10 & 31;
    // For a negative power of two, the next greater number lies in the binade below.
    if ((a.bits & 0x8000u) && !(a.bits & 0x3ffu)) --exponent;
    if (exponent > 10) return {(uint16_t)((exponent - 10) << 10)};
    return {(uint16_t)(exponent > 1 ? 1u << (exponent - 1) : 1u)};
}

}  // namespace math
}  // namespace gpunp
