// Loading of elements as keys, and the digits of keys; device only.
#pragma once
#include "gpunp/sorting/sort_keys.h"

namespace gpunp {

template <class W>
struct SortDigit {
    ZeroRule<W> rule;
    int shift;
    __device__ __forceinline__ uint32_t Digit(W key) const {
        return (uint32_t)(rule(key) >> shift) & (SORT_DIGITS - 1);
    }
};

// Loads the bits at base, base + STEP, ...; past the end, the greatest key.
template <class T, int STEP, class W, int ITEMS>
__device__ __forceinline__ void load_bits(const void* from, int64_t first, int base, int valid,
                                          W (&keys)[ITEMS]) {
    const T* row = static_cast<const T*>(from) + first;
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        const int at = base + STEP * i;
        keys[i] = at < valid ? (W)row[at] : (W) ~(W)0;
    }
}
// The same by the size of the elements; converts them to keys if they are `elements`.
template <int STEP, class W, int ITEMS>
__device__ __forceinline__ void load_keys(const SortParams& p, const void* from, int64_t first, int base,
                                          int valid, bool elements, W (&keys)[ITEMS]) {
    if constexpr (sizeof(W) == 8)
        load_bits<uint64_t, STEP>(from, first, base, valid, keys);
    else if (p.itemsize == 4)
        load_bits<uint32_t, STEP>(from, first, base, valid, keys);
    else if (p.itemsize == 2)
        load_bits<uint16_t, STEP>(from, first, base, valid, keys);
    else
        load_bits<uint8_t, STEP>(from, first, base, valid, keys);
    if (!elements || (p.kind == SORT_INTEGER && p.flip == 0)) return;
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        if (base + STEP * i < valid) keys[i] = to_key(p, keys[i]);
}

}  // namespace gpunp
