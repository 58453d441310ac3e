// x[mask] = value for a single value; the array and the mask are contiguous.
#pragma once
#include "gpunp/common/host_pool.h"
#include "gpunp/indexing/mask_params.h"
#include "gpunp/kernel.h"

#if !GPUNP_ON_DEVICE
#include <string.h>
#endif

namespace gpunp {

#if GPUNP_ON_DEVICE

// The value's bytes, repeated to 16.
template <int SIZE>
__device__ __forceinline__ uint4 fill_value(const MaskFillParams& p) {
    if (!p.source) return *reinterpret_cast<const uint4*>(p.value);
    if constexpr (SIZE == 16) {
        return *reinterpret_cast<const uint4*>(p.source);
    } else if constexpr (SIZE == 8) {
        const uint2 x = *reinterpret_cast<const uint2*>(p.source);
        return {x.x, x.y, x.x, x.y};
    } else {
        uint32_t x;
        if constexpr (SIZE == 4)
            x = *reinterpret_cast<const uint32_t*>(p.source);
        else if constexpr (SIZE == 2)
            x = *reinterpret_cast<const uint16_t*>(p.source) * 0x10001u;
        else
            x = *reinterpret_cast<const uint8_t*>(p.source) * 0x1010101u;
        return {x, x, x, x};
    }
}

// The mask of one vector of 16 bytes: one byte per element, four per word.
template <int COUNT>
struct FillFlags {
    static constexpr int WORDS = (COUNT + 3) / 4;
    static constexpr uint32_t ALL = COUNT >= 4 ? 0x1010101u : COUNT == 2 ? 0x101u : 1u;
    uint32_t word[WORDS];

    __device__ __forceinline__ void load(const char* from) {
        if constexpr (COUNT == 16) {
            const uint4 v = __ldg(reinterpret_cast<const uint4*>(from));
            word[0] = v.x, word[1] = v.y, word[2] = v.z, word[3] = v.w;
        } else if constexpr (COUNT == 8) {
            const uint2 v = __ldg(reinterpret_cast<const uint2*>(from));
            word[0] = v.x, word[1] = v.y;
        } else if constexpr (COUNT == 4) {
            word[0] = __ldg(reinterpret_cast<const uint32_t*>(from));
        } else if constexpr (COUNT == 2) {
            word[0] = __ldg(reinterpret_cast<const uint16_t*>(from));
        } else {
            word[0] = __ldg(reinterpret_cast<const uint8_t*>(from));
        }
    }
    __device__ __forceinline__ bool any() const {
        uint32_t bits = 0;
#pragma unroll
        for (int k = 0; k < WORDS; k++) bits |= word[k];
        return bits != 0;
    }
    __device__ __forceinline__ bool all() const {
        bool whole = true;
#pragma unroll
        for (int k = 0; k < WORDS; k++) whole &= word[k] == ALL;
        return whole;
    }
};

// Selects the bytes of a flag word, which are all ones where an element is set, that cover word `j` of a
// vector.
GPUNP_HD constexpr uint32_t fill_selector(int size, int j) {
    uint32_t selector = 0;
    for (int b = 0; b < 4; b++) selector |= (uint32_t)((4 * j + b) / size % 4) << (4 * b);
    return selector;
}
template <int SIZE, int J, int COUNT>
__device__ __forceinline__ uint32_t blend(uint32_t old, uint32_t value, const FillFlags<COUNT>& flags) {
    constexpr uint32_t selector = fill_selector(SIZE, J);
    const uint32_t set = __byte_perm(__vcmpne4(flags.word[4 * J / SIZE / 4], 0), 0, selector);
    return (old & ~set) | (value & set);
}

// Volatile, so that the load is not moved to the use of its value, after the store of another vector.
__device__ __forceinline__ uint4 load_early(const uint4* from) {
    uint4 v;
    asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(from)
                 : "memory");
    return v;
}

// Vectors without a set element are not accessed, and vectors with all elements set are not read.
template <int SIZE>
__device__ __forceinline__ void mask_fill(const MaskFillParams& p) {
    constexpr int COUNT = 16 / SIZE;
    const int64_t vectors = p.size / COUNT;
    const int64_t first = (int64_t)blockIdx.x * (FILL_BLOCK * FILL_UNROLL) + threadIdx.x;
    uint4* target = reinterpret_cast<uint4*>(p.target);
    const uint4 value = fill_value<SIZE>(p);
    FillFlags<COUNT> flags[FILL_UNROLL];
    uint4 old[FILL_UNROLL];
#pragma unroll
    for (int u = 0; u < FILL_UNROLL; u++) {
        const int64_t i = first + u * FILL_BLOCK;
        flags[u] = {};
        if (i < vectors) flags[u].load(p.mask + i * COUNT);
    }
#pragma unroll
    for (int u = 0; u < FILL_UNROLL; u++)
        if (flags[u].any() && !flags[u].all()) old[u] = load_early(target + first + u * FILL_BLOCK);
#pragma unroll
    for (int u = 0; u < FILL_UNROLL; u++) {
        if (!flags[u].any()) continue;
        target[first + u * FILL_BLOCK] = {
            blend<SIZE, 0>(old[u].x, value.x, flags[u]), blend<SIZE, 1>(old[u].y, value.y, flags[u]),
            blend<SIZE, 2>(old[u].z, value.z, flags[u]), blend<SIZE, 3>(old[u].w, value.w, flags[u])};
    }
    // The incomplete vector at the end: one byte per thread.
    const int64_t element = vectors * COUNT + threadIdx.x / SIZE;
    if (blockIdx.x == 0 && element < p.size && p.mask[element]) {
        const char* from = p.source ? p.source : reinterpret_cast<const char*>(p.value);
        p.target[vectors * 16 + threadIdx.x] = from[threadIdx.x % SIZE];
    }
}

#define GPUNP_MASK_FILL(bytes)                                                \
    extern "C" __global__ void __launch_bounds__(::gpunp::FILL_BLOCK)         \
        mask_fill_##bytes(const __grid_constant__::gpunp::MaskFillParams p) { \
        ::gpunp::mask_fill<bytes>(p);                                         \
    }

#else

template <int SIZE>
void mask_fill(const void* params) {
    const MaskFillParams& p = *static_cast<const MaskFillParams*>(params);
    const void* from = p.source ? static_cast<const void*>(p.source) : p.value;
    struct alignas(SIZE) Element {
        unsigned char bytes[SIZE];
    } value;
    memcpy(&value, from, SIZE);
    Element* target = reinterpret_cast<Element*>(p.target);
    parallel_for(p.size, POOL_GRAIN, [&, value](int64_t begin, int64_t end) {
        int64_t i = begin;
        // By the set bytes of eight, as branches on each would be mispredicted.
        for (; i + 8 <= end; i += 8) {
            uint64_t chosen;
            memcpy(&chosen, p.mask + i, 8);
            for (; chosen; chosen &= chosen - 1)
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
                target[i + __builtin_ctzll(chosen) / 8] = value;
#else
                target[i + 7 - __builtin_ctzll(chosen) / 8] = value;
#endif
        }
        for (; i < end; i++)
            if (p.mask[i]) target[i] = value;
    });
}
#define GPUNP_MASK_FILL(bytes) GPUNP_HOST_KERNEL(mask_fill_##bytes, ::gpunp::mask_fill<bytes>);

#endif

}  // namespace gpunp
