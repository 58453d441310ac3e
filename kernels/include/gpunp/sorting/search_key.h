// Keys of elements whose dtype is known only at run time: one kernel per key type serves many dtypes.
//
// Equal elements have equal keys, including -0 and 0.
#pragma once
#include "gpunp/common/keys.h"
#include "gpunp/types.h"

namespace gpunp {
namespace searching {

template <class K>
struct key_traits {
    static GPUNP_HD K greatest() { return greatest_key<K>(); }
    static GPUNP_HD bool is_nan(K key, int dtype) { return dtype >= F2 && key == greatest_key<K>(); }
};
template <>
struct key_traits<WideKey> {
    static GPUNP_HD WideKey greatest() { return {greatest_key<uint64_t>(), greatest_key<uint64_t>()}; }
    static GPUNP_HD bool is_nan(WideKey key, int dtype) {
        return dtype >= F2 && key.high >= least_complex_nan(greatest_key<uint64_t>());
    }
};

GPUNP_HD uint32_t load_key(const char* p, int dtype, tag<uint32_t>) {
    constexpr uint32_t sign = top_bit<uint32_t>();
    switch (dtype) {
        case BOOL:
        case U1:
            return *(const u1*)p;
        case U2:
            return *(const u2*)p;
        case U4:
            return *(const u4*)p;
        case I1:
            return (u4)(i4) * (const i1*)p ^ sign;
        case I2:
            return (u4)(i4) * (const i2*)p ^ sign;
        case I4:
            return *(const u4*)p ^ sign;
        case F2:
            return comparable_key<u4>(*(const u2*)p & 0x7fffu, *(const u2*)p >> 15, infinity_bits<u2>());
        default:
            return comparable_key(*(const u4*)p);
    }
}

GPUNP_HD uint64_t load_key(const char* p, int dtype, tag<uint64_t>) {
    const u8 bits = *(const u8*)p;
    if (dtype == I8) return bits ^ top_bit<u8>();
    return dtype == U8 ? bits : comparable_key(bits);
}

// Keys of complex numbers, and of 64-bit integers when signed and unsigned ones are compared: their high
// word is 0 for negative values and 1 otherwise.
GPUNP_HD WideKey load_key(const char* p, int dtype, tag<WideKey>) {
    constexpr u8 nan = greatest_key<u8>();
    u8 re, im;
    if (dtype == C8) {
        const u4 real = comparable_key(((const u4*)p)[0]), imaginary = comparable_key(((const u4*)p)[1]);
        re = real == greatest_key<u4>() ? nan : real;
        im = imaginary == greatest_key<u4>() ? nan : imaginary;
    } else {
        const u8 bits = *(const u8*)p;
        if (dtype == I8) return {(bits >> 63) ? 0u : 1u, bits};
        if (dtype == U8) return {1, bits};
        re = comparable_key(bits);
        im = comparable_key(((const u8*)p)[1]);
    }
    WideKey key;
    order_complex(re, im, nan, &key.high, &key.low);
    return key;
}

template <class K>
GPUNP_HD K load_key(const char* p, int dtype) {
    return load_key(p, dtype, tag<K>());
}

}  // namespace searching
}  // namespace gpunp
