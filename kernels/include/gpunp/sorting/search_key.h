// Keys: unsigned numbers in the order in which NumPy sorts the elements they stand for.
//
// Equal elements have equal keys, -0 and 0 too. Every NaN of a real type has the greatest key. One
// kernel a key type so serves many dtypes, which only the run knows.
#pragma once
#include "gpunp/types.h"

namespace gpunp {
namespace searching {

// A complex number: by which parts are NaN, then by the real part, then by the imaginary one. Integers of
// 64 bits, signed and unsigned, are comparable in it: first by whether they are negative.
struct WideKey {
    uint64_t re, im;
    uint32_t rank;
};

GPUNP_HD bool operator<(const WideKey& a, const WideKey& b) {
    if (a.rank != b.rank) return a.rank < b.rank;
    return a.re != b.re ? a.re < b.re : a.im < b.im;
}
GPUNP_HD bool operator==(const WideKey& a, const WideKey& b) {
    return a.rank == b.rank && a.re == b.re && a.im == b.im;
}

template <class K>
struct key_traits {
    static GPUNP_HD K greatest() { return ~(K)0; }
    static GPUNP_HD bool is_nan(K key, int dtype) { return dtype >= F2 && key == ~(K)0; }
};
template <>
struct key_traits<WideKey> {
    static GPUNP_HD WideKey greatest() { return {~(uint64_t)0, ~(uint64_t)0, ~0u}; }
    static GPUNP_HD bool is_nan(const WideKey& key, int dtype) { return dtype >= F2 && key.rank != 0; }
};

// From the bits of a floating point number without its sign, and the bits of infinity.
template <class K>
GPUNP_HD K float_key(K magnitude, bool negative, K infinity) {
    constexpr K zero = (K)1 << (8 * sizeof(K) - 1);
    if (magnitude > infinity) return ~(K)0;
    return negative ? zero - magnitude : zero + magnitude;
}

GPUNP_HD uint32_t half_key(uint16_t bits) {
    return float_key<uint32_t>(bits & 0x7fffu, bits >> 15, 0x7c00u);
}
GPUNP_HD uint32_t float_key(uint32_t bits) {
    return float_key<uint32_t>(bits & 0x7fffffffu, bits >> 31, 0x7f800000u);
}
GPUNP_HD uint64_t float_key(uint64_t bits) {
    return float_key<uint64_t>(bits & 0x7fffffffffffffffull, bits >> 63, 0x7ff0000000000000ull);
}

GPUNP_HD WideKey complex_key(uint64_t re, bool re_nan, uint64_t im, bool im_nan) {
    return {re, im, (re_nan ? 2u : 0u) + (im_nan ? 1u : 0u)};
}

GPUNP_HD uint32_t load_key(const char* p, int dtype, tag<uint32_t>) {
    constexpr uint32_t sign = 0x80000000u;
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
            return half_key(*(const u2*)p);
        default:
            return float_key(*(const u4*)p);
    }
}

GPUNP_HD uint64_t load_key(const char* p, int dtype, tag<uint64_t>) {
    const u8 bits = *(const u8*)p;
    if (dtype == I8) return bits ^ 0x8000000000000000ull;
    return dtype == U8 ? bits : float_key(bits);
}

GPUNP_HD WideKey load_key(const char* p, int dtype, tag<WideKey>) {
    if (dtype == C8) {
        const u4 re = float_key(((const u4*)p)[0]), im = float_key(((const u4*)p)[1]);
        return complex_key(re, re == ~0u, im, im == ~0u);
    }
    const u8 bits = *(const u8*)p;
    if (dtype == I8) return {bits, 0, (bits >> 63) ? 0u : 1u};
    if (dtype == U8) return {bits, 0, 1};
    const u8 re = float_key(bits), im = float_key(((const u8*)p)[1]);
    return complex_key(re, re == ~0ull, im, im == ~0ull);
}

template <class K>
GPUNP_HD K load_key(const char* p, int dtype) {
    return load_key(p, dtype, tag<K>());
}

}  // namespace searching
}  // namespace gpunp
