// Selection works on unsigned integers in the order of NumPy's sort, of 1, 2, 4 or 8 bytes.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

// What the bits of an element mean.
enum SelectionKind : int { SELECT_UNSIGNED, SELECT_SIGNED, SELECT_FLOAT };

// The bits of infinity: above them, without the sign, lie the NaNs.
template <class U>
GPUNP_HD constexpr U infinity_bits() {
    return sizeof(U) == 8   ? (U)0x7ff0000000000000ull
           : sizeof(U) == 4 ? (U)0x7f800000u
           : sizeof(U) == 2 ? (U)0x7c00u
                            : (U)0xffu;
}

template <class U>
GPUNP_HD constexpr U top_bit() {
    return (U)((U)1 << (8 * sizeof(U) - 1));
}

template <class U>
GPUNP_HD constexpr U greatest_key() {
    return (U)(0 - (U)1);
}

// Every NaN has the greatest key; -0 comes before 0.
template <class U>
GPUNP_HD U selection_key(U bits, int kind) {
    constexpr U top = top_bit<U>();
    if (kind == SELECT_UNSIGNED) return bits;
    if (kind == SELECT_SIGNED) return (U)(bits ^ top);
    if ((U)(bits & (U)(top - 1)) > infinity_bits<U>()) return greatest_key<U>();
    return bits & top ? (U)(bits ^ greatest_key<U>()) : (U)(bits ^ top);
}

// The element of a key; the greatest key of floats gives a quiet NaN.
template <class U>
GPUNP_HD U selection_bits(U key, int kind) {
    constexpr U top = top_bit<U>();
    if (kind == SELECT_UNSIGNED) return key;
    if (kind == SELECT_SIGNED) return (U)(key ^ top);
    if (key == greatest_key<U>()) return (U)(infinity_bits<U>() | (infinity_bits<U>() >> 1));
    return key & top ? (U)(key ^ top) : (U)(key ^ greatest_key<U>());
}

}  // namespace gpunp
