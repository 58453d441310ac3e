// Arithmetic of bool and integers: overflow wraps, division by zero gives 0, any shift count is defined.
#pragma once
#include "gpunp/math/real.h"
#include "gpunp/status.h"

namespace gpunp {
namespace math {

// As in NumPy, bools add by `or` and multiply by `and`.
GPUNP_HD bool add(bool a, bool b) {
    return a | b;
}
GPUNP_HD bool multiply(bool a, bool b) {
    return a & b;
}

template <class T>
GPUNP_HD if_integer<T> add(T a, T b) {
    return (T)((wide_t<T>)a + (wide_t<T>)b);
}

template <class T>
GPUNP_HD if_integer<T> subtract(T a, T b) {
    return (T)((wide_t<T>)a - (wide_t<T>)b);
}

template <class T>
GPUNP_HD if_integer<T> multiply(T a, T b) {
    return (T)((wide_t<T>)a * (wide_t<T>)b);
}

template <class T>
GPUNP_HD if_integer<T> negative(T a) {
    return (T)(wide_t<T>(0) - (wide_t<T>)a);
}

template <class T>
GPUNP_HD if_exact<T> absolute(T a) {
    if constexpr (is_signed<T>) return a < 0 ? negative(a) : a;
    return a;
}

template <class T>
GPUNP_HD if_integer<T> sign(T a) {
    return (T)((a > 0) - (is_signed<T> && a < 0));
}

template <class T>
GPUNP_HD if_integer<T> square(T a) {
    return multiply(a, a);
}

// 1 / a truncated; for 0 the result of converting infinity on x86-64.
template <class T>
GPUNP_HD if_integer<T> reciprocal(T a) {
    if (a == 0) return is_signed<T> && sizeof(T) >= 4 ? least<T>() : (T)0;
    return a == 1 || (is_signed<T> && a == (T)-1) ? a : (T)0;
}

#if defined(__CUDA_ARCH__)
// The quotient of integers below 2^17, rounded toward minus infinity; b > 0. Adding a half keeps the quotient
// far enough from integers for an approximate division.
__device__ __forceinline__ int divide_small(int a, int b) {
    return __float2int_rd(__fdividef((float)a + 0.5f, (float)b));
}
#endif

// Quotient rounded toward minus infinity, and remainder with the sign of b.
template <class T>
GPUNP_HD if_integer<T, pair<T, T>> divmod(T a, T b) {
    if (b == 0) return {(T)0, (T)0};
#if defined(__CUDA_ARCH__)
    if constexpr (sizeof(T) <= 2) {
        const int quotient = divide_small(b < 0 ? -(int)a : (int)a, b < 0 ? -(int)b : (int)b);
        return {(T)quotient, (T)(a - quotient * b)};
    }
#endif
    if constexpr (is_signed<T>) {
        if (b == (T)-1) return {negative(a), (T)0};
        T quotient = (T)(a / b), remainder = (T)(a % b);
        bool adjust = remainder != 0 && ((remainder < 0) != (b < 0));
        return {(T)(quotient - adjust), adjust ? (T)(remainder + b) : remainder};
    } else {
        return {(T)(a / b), (T)(a % b)};
    }
}

template <class T>
GPUNP_HD if_integer<T> floor_divide(T a, T b) {
    return divmod(a, b).first;
}

template <class T>
GPUNP_HD if_integer<T> remainder(T a, T b) {
    return divmod(a, b).second;
}

// Remainder with the sign of a.
template <class T>
GPUNP_HD if_integer<T> fmod(T a, T b) {
    if (b == 0 || (is_signed<T> && b == (T)-1)) return 0;
#if defined(__CUDA_ARCH__)
    if constexpr (sizeof(T) <= 2) {
        const int dividend = a, divisor = ::abs((int)b), size = ::abs(dividend);
        const int rest = size - divide_small(size, divisor) * divisor;
        return (T)(dividend < 0 ? -rest : rest);
    }
#endif
    return (T)(a % b);
}

template <class T>
GPUNP_HD if_integer<T> power_by_squaring(T a, T b) {
    wide_t<T> base = (wide_t<T>)a, result = 1, exponent = (wide_t<T>)b;
    while (exponent) {
        if (exponent & 1) result *= base;
        base *= base;
        exponent >>= 1;
    }
    return (T)result;
}

template <class T>
GPUNP_HD if_unsigned<T> power(T a, T b) {
    return power_by_squaring(a, b);
}

template <class T>
GPUNP_HD if_signed<T> power(T a, T b, uint32_t* status) {
    if (b < 0) {
        report(status, GPUNP_STATUS_NEGATIVE_POWER);
        return 0;
    }
    return power_by_squaring(a, b);
}

// The absolute value as an unsigned number: correct also for the least value.
template <class T>
GPUNP_HD if_integer<T, wide_t<T>> magnitude(T a) {
    if (is_signed<T> && a < 0) return wide_t<T>(0) - (wide_t<T>)a;
    return (wide_t<T>)a;
}

template <class W>
GPUNP_HD W greatest_common_divisor(W a, W b) {
    while (b) {
        W rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

template <class T>
GPUNP_HD if_integer<T> gcd(T a, T b) {
    return (T)greatest_common_divisor(magnitude(a), magnitude(b));
}

template <class T>
GPUNP_HD if_integer<T> lcm(T a, T b) {
    wide_t<T> x = magnitude(a), y = magnitude(b), divisor = greatest_common_divisor(x, y);
    return divisor ? (T)(x / divisor * y) : (T)0;
}

template <class T>
GPUNP_HD if_exact<T> bitwise_and(T a, T b) {
    return (T)(a & b);
}

template <class T>
GPUNP_HD if_exact<T> bitwise_or(T a, T b) {
    return (T)(a | b);
}

template <class T>
GPUNP_HD if_exact<T> bitwise_xor(T a, T b) {
    return (T)(a ^ b);
}

GPUNP_HD bool invert(bool a) {
    return !a;
}
template <class T>
GPUNP_HD if_integer<T> invert(T a) {
    return (T)~a;
}

// A count outside [0, width), including a negative one, shifts out every bit.
template <class T>
GPUNP_HD if_integer<T> left_shift(T a, T count) {
    wide_t<T> n = (wide_t<T>)count;
    return n < 8 * sizeof(T) ? (T)((wide_t<T>)a << n) : (T)0;
}

template <class T>
GPUNP_HD if_integer<T> right_shift(T a, T count) {
    wide_t<T> n = (wide_t<T>)count;
    if (n < 8 * sizeof(T)) return (T)(a >> n);
    return is_signed<T> && a < 0 ? (T)-1 : (T)0;
}

// Bits set in the absolute value.
template <class T>
GPUNP_HD if_integer<T, u1> bitwise_count(T a) {
    wide_t<T> m = magnitude(a);
#if defined(__CUDA_ARCH__)
    return (u1)(sizeof(m) == 8 ? __popcll(m) : __popc((uint32_t)m));
#else
    return (u1)(sizeof(m) == 8 ? __builtin_popcountll(m) : __builtin_popcount((uint32_t)m));
#endif
}

}  // namespace math
}  // namespace gpunp
