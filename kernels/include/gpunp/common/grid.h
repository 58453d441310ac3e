// Exchange through global memory between the blocks of a launch, all of which must be resident at once.
#pragma once
#include "gpunp/config.h"

#if GPUNP_ON_DEVICE
namespace gpunp {
namespace grid {

// The initial fill: all bits set, a NaN that no arithmetic produces; and its replacement in published values.
enum : unsigned { NOTHING = ~0u, ONLY_A_NAN = 0x7fffffffu };

// Publishes a pair by one 8-byte store: readers see both values or neither.
__device__ inline void tell(unsigned long long* place, float first, float second) {
    unsigned low = __float_as_uint(first), high = __float_as_uint(second);
    if (low == NOTHING) low = ONLY_A_NAN;
    if (high == NOTHING) high = ONLY_A_NAN;
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(place), "l"((unsigned long long)high << 32 | low)
                 : "memory");
}

// Waits for the pairs [begin, end) of four; the outputs of the others are left unchanged.
__device__ inline void hear(const unsigned long long* place, int begin, int end, float (&first)[4],
                            float (&second)[4]) {
    unsigned long long bits[4];
    bool whole;
    // Trap after 2^26 polls instead of hanging.
    for (int turns = 0; turns < 1 << 26; turns++) {
        GPUNP_UNROLL
        for (int i = 0; i < 4; i += 2)
            asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
                         : "=l"(bits[i]), "=l"(bits[i + 1])
                         : "l"(place + i)
                         : "memory");
        whole = true;
        GPUNP_UNROLL
        for (int i = 0; i < 4; i++) whole &= i < begin || i >= end || bits[i] != ~0ull;
        if (whole) break;
    }
    if (!whole) __trap();
    GPUNP_UNROLL
    for (int i = 0; i < 4; i++) {
        if (i < begin || i >= end) continue;
        first[i] = __uint_as_float((unsigned)bits[i]);
        second[i] = __uint_as_float((unsigned)(bits[i] >> 32));
    }
}

}  // namespace grid
}  // namespace gpunp
#endif
