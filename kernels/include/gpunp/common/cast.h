// Conversion between element types with the results of NumPy's astype on x86-64, on every device.
#pragma once
#include "gpunp/math/real.h"

namespace gpunp {

// Truncation of x86-64: NaN and values out of range become the least integer.
template <class F>
GPUNP_HD i4 truncate_to_i4(F x) {
    return x >= (F)-2147483648.0 && x < (F)2147483648.0 ? (i4)x : math::least<i4>();
}

template <class F>
GPUNP_HD i8 truncate_to_i8(F x) {
    const F limit = (F)9223372036854775808.0;
    return x >= -limit && x < limit ? (i8)x : math::least<i8>();
}

// Truncation of floating-point numbers to each integer type; narrow types are the low bits of an int32.
template <class To>
struct truncation {
    template <class F>
    static GPUNP_HD To of(F x) {
        return (To)truncate_to_i4(x);
    }
};
template <>
struct truncation<u4> {
    template <class F>
    static GPUNP_HD u4 of(F x) {
        return (u4)truncate_to_i8(x);
    }
};
template <>
struct truncation<i8> {
    template <class F>
    static GPUNP_HD i8 of(F x) {
        return truncate_to_i8(x);
    }
};
template <>
struct truncation<u8> {
    template <class F>
    static GPUNP_HD u8 of(F x) {
        const F limit = (F)9223372036854775808.0;
        if (x >= limit) return (u8)truncate_to_i8(x - limit) ^ 0x8000000000000000ull;
        return (u8)truncate_to_i8(x);
    }
};

template <class To>
struct conversion {
    template <class From>
    static GPUNP_HD To of(From x) {
        if constexpr (math::is_floating<From> && math::is_integer<To>) {
            return truncation<To>::of(x);
        } else {
            return (To)x;
        }
    }
    static GPUNP_HD To of(half x) { return of(to_float(x)); }
    template <class S>
    static GPUNP_HD To of(complex<S> x) {
        return of(x.re);
    }
};

template <>
struct conversion<bool> {
    template <class From>
    static GPUNP_HD bool of(From x) {
        return x != (From)0;
    }
    static GPUNP_HD bool of(half x) { return (x.bits & 0x7fffu) != 0; }
    template <class S>
    static GPUNP_HD bool of(complex<S> x) {
        return x.re != 0 || x.im != 0;
    }
};

template <>
struct conversion<half> {
    // No double rounding: integers that are inexact in float are beyond half's range.
    template <class From>
    static GPUNP_HD half of(From x) {
        return to_half((float)x);
    }
    static GPUNP_HD half of(double x) { return to_half(x); }
    static GPUNP_HD half of(half x) { return x; }
    template <class S>
    static GPUNP_HD half of(complex<S> x) {
        return of(x.re);
    }
};

template <class T>
struct conversion<complex<T>> {
    template <class From>
    static GPUNP_HD complex<T> of(From x) {
        return {conversion<T>::of(x), (T)0};
    }
    template <class S>
    static GPUNP_HD complex<T> of(complex<S> x) {
        return {(T)x.re, (T)x.im};
    }
};

template <class To, class From>
GPUNP_HD To convert(From x) {
    return conversion<To>::of(x);
}

// clang-format off
#define GPUNP_EACH_DTYPE(APPLY)                               \
    APPLY(BOOL, bool) APPLY(I1, i1) APPLY(U1, u1)             \
    APPLY(I2, i2) APPLY(U2, u2) APPLY(I4, i4) APPLY(U4, u4)   \
    APPLY(I8, i8) APPLY(U8, u8) APPLY(F2, f2) APPLY(F4, f4)   \
    APPLY(F8, f8) APPLY(C8, c8) APPLY(C16, c16)
// clang-format on

// Reads an element whose dtype is known only at run time.
template <class C>
GPUNP_HD C load_as(const char* p, int dtype) {
    switch (dtype) {
#define GPUNP_LOAD(code, type) \
    case code:                 \
        return convert<C>(*(const type*)p);
        GPUNP_EACH_DTYPE(GPUNP_LOAD)
#undef GPUNP_LOAD
        default:
            return C{};
    }
}

// Writes an element whose dtype is known only at run time.
template <class C>
GPUNP_HD void store_as(char* p, int dtype, C value) {
    switch (dtype) {
#define GPUNP_STORE(code, type)           \
    case code:                            \
        *(type*)p = convert<type>(value); \
        break;
        GPUNP_EACH_DTYPE(GPUNP_STORE)
#undef GPUNP_STORE
        default:
            break;
    }
}

}  // namespace gpunp
