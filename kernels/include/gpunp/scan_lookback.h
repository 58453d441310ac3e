// How the tiles of a scan learn what comes before them.
//
// The prefix of a tile is G + (the aggregates before it in its group), summed in a fixed order, where
// G, the prefix of the group, is published by the last tile of the group before. So no sum depends on
// which tile finishes first, and the serial chain has a link a group, not a tile.
#pragma once
#include "gpunp/scan_params.h"
#include "gpunp/scan_shuffle.h"

namespace gpunp {

// Publication between blocks: the value, a fence, then the flag.
__device__ __forceinline__ void raise_flag(uint32_t* flag) {
    *(volatile uint32_t*)flag = 1;
}
__device__ __forceinline__ bool flag_raised(const uint32_t* flag) {
    return *(const volatile uint32_t*)flag != 0;
}
// Reads through the second-level cache, where other blocks' values are.
template <class A>
__device__ __forceinline__ A load_published(const A* p) {
    A value;
    if constexpr (sizeof(A) == 4) {
        uint32_t w = __ldcg((const uint32_t*)p);
        __builtin_memcpy(&value, &w, 4);
    } else if constexpr (sizeof(A) == 8) {
        uint2 w = __ldcg((const uint2*)p);
        __builtin_memcpy(&value, &w, 8);
    } else {
        uint4 w = __ldcg((const uint4*)p);
        __builtin_memcpy(&value, &w, 16);
    }
    return value;
}
template <class A>
__device__ __forceinline__ ScanVector<A> load_published(const ScanVector<A>* p) {
    ScanVector<A> value;
    VectorAccess<A>::unpack(__ldcg((const typename VectorAccess<A>::type*)p), value);
    return value;
}

// By one warp: the prefix of tile `k` of a row, whose aggregate this is. Tile 0 has none.
template <class F>
__device__ __forceinline__ typename F::A look_back_rows(const ScanParams& p, int64_t row, int64_t k,
                                                        typename F::A aggregate, int lane) {
    using A = typename F::A;
    constexpr int EACH = SCAN_GROUP_ROWS / 32;
    const int64_t group = k / SCAN_GROUP_ROWS;
    const int place = (int)(k % SCAN_GROUP_ROWS);
    const int64_t groups = (p.tiles + SCAN_GROUP_ROWS - 1) / SCAN_GROUP_ROWS;
    uint32_t* flags = p.flags + row * p.tiles;
    uint32_t* group_flags = p.group_flags + row * groups;
    A* aggregates = (A*)p.aggregates + row * p.tiles;
    A* group_prefixes = (A*)p.groups + row * groups;
    const bool last = k + 1 == p.tiles;
    if (lane == 0 && !last) {
        aggregates[k] = aggregate;
        __threadfence();
        raise_flag(&flags[k]);
    }
    A prefix{};
    if (place > 0) {
        const int64_t first = group * SCAN_GROUP_ROWS + lane * EACH;
        bool ready;
        do {
            ready = true;
#pragma unroll
            for (int i = 0; i < EACH; i++)
                if (lane * EACH + i < place) ready &= flag_raised(&flags[first + i]);
        } while (!__all_sync(~0u, ready));
        __threadfence();
        A sum{};
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            if (lane * EACH + i < place) {
                A next = load_published(&aggregates[first + i]);
                sum = i == 0 ? next : F::apply(sum, next, p.op);
            }
        }
#pragma unroll
        for (int d = 1; d < 32; d *= 2) {
            A before = shuffle_up(sum, d);
            if (lane >= d) sum = F::apply(before, sum, p.op);
        }
        prefix = shuffle_from(sum, (place - 1) / EACH);
    }
    if (group > 0) {
        while (!flag_raised(&group_flags[group])) {
        }
        __threadfence();
        A before = load_published(&group_prefixes[group]);
        prefix = place > 0 ? F::apply(before, prefix, p.op) : before;
    }
    if (lane == 0 && place == SCAN_GROUP_ROWS - 1 && !last) {
        group_prefixes[group + 1] = F::apply(prefix, aggregate, p.op);
        __threadfence();
        raise_flag(&group_flags[group + 1]);
    }
    return prefix;
}

}  // namespace gpunp
