// Keys for selection: unsigned integers of 1, 2, 4 or 8 bytes in the order of NumPy's sort.
#pragma once
#include "gpunp/common/keys.h"
#include "gpunp/sorting/selection_params.h"

namespace gpunp {

// Every NaN has the greatest key; -0 comes before 0.
template <class U>
GPUNP_HD U selection_key(U bits, int kind) {
    if (kind == SELECT_UNSIGNED) return bits;
    if (kind == SELECT_SIGNED) return (U)(bits ^ top_bit<U>());
    return floating_to_key<U>(bits, top_bit<U>(), infinity_bits<U>());
}

template <class U>
struct SignedOf;
template <>
struct SignedOf<uint8_t> {
    using type = int8_t;
};
template <>
struct SignedOf<uint16_t> {
    using type = int16_t;
};
template <>
struct SignedOf<uint32_t> {
    using type = int32_t;
};
template <>
struct SignedOf<uint64_t> {
    using type = int64_t;
};

// The same key by three operations for every kind, except for NaNs: theirs lie outside [-inf, inf].
template <class U>
struct QuickKey {
    U signs, flip, least, range;

    GPUNP_HD explicit QuickKey(int kind) {
        const bool is_float = kind == SELECT_FLOAT;
        constexpr U top = top_bit<U>(), infinity = infinity_bits<U>();
        signs = is_float ? greatest_key<U>() : (U)0;
        flip = kind == SELECT_UNSIGNED ? (U)0 : top;
        least = is_float ? (U) ~(U)(infinity | top) : (U)0;
        range = is_float ? (U)((U)(infinity | top) - least) : greatest_key<U>();
    }
    GPUNP_HD U operator()(U bits) const {
        using S = typename SignedOf<U>::type;
        const U spread = (U)((S)bits >> (8 * (int)sizeof(U) - 1));
        return (U)(bits ^ ((spread & signs) | flip));
    }
    GPUNP_HD bool is_nan(U key) const { return (U)(key - least) > range; }
};

// The element with the given key; the greatest key of floats gives a quiet NaN.
template <class U>
GPUNP_HD U selection_bits(U key, int kind) {
    if (kind == SELECT_UNSIGNED) return key;
    if (kind == SELECT_SIGNED) return (U)(key ^ top_bit<U>());
    return key_to_floating<U>(key, top_bit<U>());
}

}  // namespace gpunp
