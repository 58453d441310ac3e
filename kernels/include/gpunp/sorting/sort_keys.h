// Sort keys: elements as unsigned integers of the same order, for radix sorts and comparisons.
#pragma once
#include "gpunp/common/keys.h"
#include "gpunp/sorting/sort_params.h"
#include "gpunp/types.h"

namespace gpunp {

// Conversion of the bits of complex numbers to keys, and back.
template <class W>
GPUNP_HD void complex_to_key(W re, W im, W sign, W infinity, W* high, W* low) {
    order_complex(floating_to_key(re, sign, infinity), floating_to_key(im, sign, infinity),
                  (W)(sign | (W)(sign - 1)), high, low);
}
template <class W>
GPUNP_HD void key_to_complex(W high, W low, W sign, W* re, W* im) {
    const W all = (W)(sign | (W)(sign - 1));
    if (high == (W)(all - 2)) {
        high = low;
        low = all;
    } else if (high == (W)(all - 1)) {
        high = all;
    }
    *re = key_to_floating(high, sign);
    *im = key_to_floating(low, sign);
}

template <class W>
GPUNP_HD W real_to_key(const SortParams& p, W bits) {
    if (p.kind == SORT_INTEGER) return bits;
    return floating_to_key<W>(bits, (W)p.sign, (W)p.infinity);
}
template <class W>
GPUNP_HD W key_to_real(const SortParams& p, W key) {
    return p.kind == SORT_INTEGER ? key : key_to_floating<W>(key, (W)p.sign);
}

GPUNP_HD uint32_t to_key(const SortParams& p, uint32_t bits) {
    return real_to_key(p, bits ^ (uint32_t)p.flip);
}
GPUNP_HD uint64_t to_key(const SortParams& p, uint64_t bits) {
    bits ^= p.flip;
    if (p.kind != SORT_COMPLEX) return real_to_key(p, bits);
    uint32_t high, low;
    complex_to_key((uint32_t)bits, (uint32_t)(bits >> 32), (uint32_t)p.sign, (uint32_t)p.infinity, &high,
                   &low);
    return (uint64_t)high << 32 | low;
}
GPUNP_HD WideKey to_wide_key(WideKey bits, uint64_t flip) {
    WideKey key;
    complex_to_key(bits.high ^ flip, bits.low ^ flip, top_bit<uint64_t>(), infinity_bits<uint64_t>(),
                   &key.high, &key.low);
    return key;
}
GPUNP_HD WideKey to_key(const SortParams& p, WideKey bits) {
    return to_wide_key(bits, p.flip);
}

GPUNP_HD uint32_t from_key(const SortParams& p, uint32_t key) {
    return key_to_real(p, key) ^ (uint32_t)p.flip;
}
GPUNP_HD uint64_t from_key(const SortParams& p, uint64_t key) {
    if (p.kind != SORT_COMPLEX) return key_to_real(p, key) ^ p.flip;
    uint32_t re, im;
    key_to_complex((uint32_t)(key >> 32), (uint32_t)key, (uint32_t)p.sign, &re, &im);
    return ((uint64_t)im << 32 | re) ^ p.flip;
}
GPUNP_HD WideKey from_key(const SortParams& p, WideKey key) {
    WideKey bits;
    key_to_complex(key.high, key.low, p.sign, &bits.high, &bits.low);
    return {bits.high ^ p.flip, bits.low ^ p.flip};
}

// -0.0 equals 0.0: for comparisons, the key of -0.0 is replaced by that of 0.0.
template <class W>
struct ZeroRule {
    W mask, minus_zero, step;
    GPUNP_HD W operator()(W key) const {
        // Only 8-byte keys may hold two floats, hence two zeros.
        const W zero = sizeof(W) == 8 ? (W)(key & mask) : key;
        return zero == minus_zero ? (W)(key + step) : key;
    }
};

// The rule for the digit at bit `shift`; a key of two floats needs one rule for either half.
template <class W>
GPUNP_HD ZeroRule<W> zero_rule(const SortParams& p, int shift) {
    const W minus_zero = (W)(p.sign - 1);
    if (p.kind == SORT_FLOATING) return {(W) ~(W)0, minus_zero, 1};
    if (p.kind == SORT_COMPLEX) {
        const int up = sizeof(W) == 8 && shift >= 32 ? 32 : 0;
        return {(W)((uint64_t)0xffffffffu << up), (W)((uint64_t)minus_zero << up), (W)((uint64_t)1 << up)};
    }
    return {0, 0, 0};  // changes nothing
}

// A key with equal bits for equal elements.
GPUNP_HD uint32_t comparable(const SortParams& p, uint32_t key) {
    return zero_rule<uint32_t>(p, 0)(key);
}
GPUNP_HD uint64_t comparable(const SortParams& p, uint64_t key) {
    return zero_rule<uint64_t>(p, 32)(zero_rule<uint64_t>(p, 0)(key));
}
GPUNP_HD WideKey comparable_wide(WideKey key) {
    const ZeroRule<uint64_t> rule{~(uint64_t)0, ((uint64_t)1 << 63) - 1, 1};
    return {rule(key.high), rule(key.low)};
}
GPUNP_HD WideKey comparable(const SortParams&, WideKey key) {
    return comparable_wide(key);
}

// Loads and stores elements as words W; elements of 1, 2 and 4 bytes use words of 4 bytes.
template <class W>
struct SortAccess;
template <>
struct SortAccess<uint32_t> {
    static GPUNP_HD uint32_t load_key(const SortParams& p, const void* row, int64_t i) {
        if (p.itemsize == 4) return to_key(p, static_cast<const uint32_t*>(row)[i]);
        if (p.itemsize == 2) return to_key(p, (uint32_t)static_cast<const uint16_t*>(row)[i]);
        return to_key(p, (uint32_t)static_cast<const uint8_t*>(row)[i]);
    }
    static GPUNP_HD void store(const SortParams& p, void* row, int64_t i, uint32_t bits) {
        if (p.itemsize == 4)
            static_cast<uint32_t*>(row)[i] = bits;
        else if (p.itemsize == 2)
            static_cast<uint16_t*>(row)[i] = (uint16_t)bits;
        else
            static_cast<uint8_t*>(row)[i] = (uint8_t)bits;
    }
};
template <>
struct SortAccess<uint64_t> {
    static GPUNP_HD uint64_t load_key(const SortParams& p, const void* row, int64_t i) {
        return to_key(p, static_cast<const uint64_t*>(row)[i]);
    }
    static GPUNP_HD void store(const SortParams&, void* row, int64_t i, uint64_t bits) {
        static_cast<uint64_t*>(row)[i] = bits;
    }
};
template <>
struct SortAccess<WideKey> {
    static GPUNP_HD WideKey load_key(const SortParams& p, const void* row, int64_t i) {
        return to_key(p, static_cast<const WideKey*>(row)[i]);
    }
    static GPUNP_HD void store(const SortParams&, void* row, int64_t i, WideKey bits) {
        static_cast<WideKey*>(row)[i] = bits;
    }
};

GPUNP_HD const char* sort_row(const void* base, const SortParams& p, int64_t row) {
    return static_cast<const char*>(base) + row * p.length * p.itemsize;
}
GPUNP_HD char* sort_row(void* base, const SortParams& p, int64_t row) {
    return static_cast<char*>(base) + row * p.length * p.itemsize;
}

}  // namespace gpunp
