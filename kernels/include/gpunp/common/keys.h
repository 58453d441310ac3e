// Keys: unsigned integers that compare as NumPy sorts the elements that they stand for.
//
// Signed integers become keys by inverting the sign bit, floating-point numbers by their bits:
// `floating_to_key` orders -0 before 0 and has an inverse, which sorts and selections need; `comparable_key`
// gives both zeros the same key, which searches need. Every NaN has the greatest key.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

template <class U>
GPUNP_HD constexpr U top_bit() {
    return (U)((U)1 << (8 * sizeof(U) - 1));
}
template <class U>
GPUNP_HD constexpr U greatest_key() {
    return (U)(0 - (U)1);
}
// The bits of infinity; magnitudes above it are NaN.
template <class U>
GPUNP_HD constexpr U infinity_bits() {
    return sizeof(U) == 8   ? (U)0x7ff0000000000000ull
           : sizeof(U) == 4 ? (U)0x7f800000u
           : sizeof(U) == 2 ? (U)0x7c00u
                            : (U)0xffu;
}

// Negative numbers come first, with inverted bits. The format may be narrower than W; `sign` is its sign bit.
template <class W>
GPUNP_HD W floating_to_key(W bits, W sign, W infinity) {
    const W all = (W)(sign | (W)(sign - 1));
    if ((W)(bits & (W)(sign - 1)) > infinity) return all;
    return bits & sign ? (W)(~bits & all) : (W)(bits | sign);
}
template <class W>
GPUNP_HD W key_to_floating(W key, W sign) {
    const W all = (W)(sign | (W)(sign - 1));
    return key & sign ? (W)(key ^ sign) : (W)(~key & all);
}

// From the bits of a floating-point number's magnitude, its sign, and the bits of infinity.
template <class K>
GPUNP_HD K comparable_key(K magnitude, bool negative, K infinity) {
    if (magnitude > infinity) return greatest_key<K>();
    return negative ? top_bit<K>() - magnitude : top_bit<K>() + magnitude;
}
template <class K>
GPUNP_HD K comparable_key(K bits) {
    return comparable_key<K>(bits & ~top_bit<K>(), bits & top_bit<K>(), infinity_bits<K>());
}

// A key for complex numbers of 16 bytes, which do not fit in 8; the high part is compared first.
struct alignas(16) WideKey {
    uint64_t high, low;
};
GPUNP_HD bool operator<(WideKey a, WideKey b) {
    return a.high < b.high || (a.high == b.high && a.low < b.low);
}
GPUNP_HD bool operator==(WideKey a, WideKey b) {
    return a.high == b.high && a.low == b.low;
}

// NumPy's order of complex numbers, from the keys of their parts: numbers, then those with only a NaN
// imaginary part by their real part, then those with only a NaN real part by their imaginary part, then those
// with both. `all` is the key of NaN; the unused keys just below it mark the first two of these groups.
template <class W>
GPUNP_HD void order_complex(W real, W imaginary, W all, W* high, W* low) {
    *high = real;
    *low = imaginary;
    if (imaginary == all && real != all) {
        *high = (W)(all - 2);
        *low = real;
    } else if (real == all && imaginary != all) {
        *high = (W)(all - 1);
    }
}
// The least high part of a complex number with a NaN.
template <class W>
GPUNP_HD constexpr W least_complex_nan(W all) {
    return (W)(all - 2);
}

}  // namespace gpunp
