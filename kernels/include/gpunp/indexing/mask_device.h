// Device selection by bits. Each warp owns 64 words of a tile, and each lane holds two of them.
#pragma once
#include "gpunp/common/block.h"
#include "gpunp/common/warp.h"

namespace gpunp {

constexpr int MASK_EACH = 8;  // elements per lane in flight at a time

// Bit i is set if byte i is nonzero.
__device__ __forceinline__ uint32_t bits_of_bytes(uint4 v) {
    uint32_t bits = 0;
    const uint32_t part[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (int k = 0; k < 4; k++)
        bits |= (((__vcmpne4(part[k], 0) & 0x01010101u) * 0x10204080u) >> 28) << (4 * k);
    return bits;
}

// The 32 words from element `first` on, one per lane, of contiguous bytes.
__device__ __forceinline__ uint32_t words_of_bytes(const char* first, int lane) {
    const uint32_t a = bits_of_bytes(__ldcs((const uint4*)first + lane));
    const uint32_t b = bits_of_bytes(__ldcs((const uint4*)first + 32 + lane));
    const int from = (2 * lane) & 31;
    const uint32_t low = warp::shuffle(a, from) | warp::shuffle(a, from + 1) << 16;
    const uint32_t high = warp::shuffle(b, from) | warp::shuffle(b, from + 1) << 16;
    return lane < 16 ? low : high;
}

// The 32 words from element `first` on, one per lane.
template <class T>
__device__ __forceinline__ uint32_t words_of(const BitsParams& p, int64_t first, int lane) {
    if (sizeof(T) == 1 && p.contiguous && first + 1024 <= p.size)
        return words_of_bytes(p.condition + first, lane);
    uint32_t mine = 0;
    if (p.ndim > 1) {
        for (int j = 0; j < 32; j++) {
            const int64_t i = first + j * 32 + lane;
            const bool set = i < p.size && convert<bool>(*(const T*)(p.condition + element_offset(p, i)));
            const uint32_t word = warp::ballot(set);
            if (lane == j) mine = word;
        }
        return mine;
    }
#pragma unroll 1
    for (int j = 0; j < 32; j += MASK_EACH) {
        T value[MASK_EACH];
#pragma unroll
        for (int e = 0; e < MASK_EACH; e++) {
            const int64_t i = first + (j + e) * 32 + lane;
            value[e] = i < p.size ? *(const T*)(p.condition + i * p.strides[0]) : T{};
        }
#pragma unroll
        for (int e = 0; e < MASK_EACH; e++) {
            const uint32_t word = warp::ballot(convert<bool>(value[e]));
            if (lane == j + e) mine = word;
        }
    }
    return mine;
}

// Stores the bits of one tile and their count; a single tile also gets its offset and the total.
template <class T>
__device__ __forceinline__ void mask_bits(const BitsParams& p) {
    __shared__ uint32_t counts[MASK_WARPS];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int64_t first = (int64_t)blockIdx.x * MASK_TILE + warp * (MASK_WARP_WORDS * 32);
    uint32_t count = 0;
#pragma unroll 1
    for (int half = 0; half < 2; half++) {
        const int64_t start = first + half * 1024;
        const uint32_t word = start < p.size ? words_of<T>(p, start, lane) : 0;
        p.words[start / 32 + lane] = word;
        count += __popc(word);
    }
    count = warp::sum(count);
    if (lane == 0) counts[warp] = count;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < MASK_WARPS; w++) count += counts[w];
        p.counts[blockIdx.x] = count;
        if (p.tiles == 1) {
            p.offsets[0] = 0;
            *p.total = count;
        }
    }
}

// One block sums the set bits before each tile, from the counts of the tiles.
__device__ __forceinline__ void mask_offsets(const BitsParams& p) {
    __shared__ int64_t of_warps[MASK_OFFSETS_BLOCK / 32];
    int64_t before = 0;
    for (int64_t start = 0; start < p.tiles; start += MASK_OFFSETS_BLOCK) {
        const int64_t tile = start + threadIdx.x;
        const int64_t count = tile < p.tiles ? p.counts[tile] : 0;
        int64_t all;
        const int64_t earlier = block::exclusive_sum<MASK_OFFSETS_BLOCK>(count, of_warps, all);
        if (tile < p.tiles) p.offsets[tile] = before + earlier;
        before += all;
        __syncthreads();
    }
    if (threadIdx.x == 0) *p.total = before;
}

// The words of a warp, two per lane, one of each half, and the rank of the warp's first set bit.
struct WarpBits {
    int64_t first, rank;
    uint32_t words[2];
};

template <class Params>
__device__ __forceinline__ WarpBits warp_bits(const Params& p, int lane) {
    __shared__ uint32_t counts[MASK_WARPS];
    const int warp = threadIdx.x / 32;
    WarpBits bits;
    bits.first = (int64_t)blockIdx.x * MASK_TILE + warp * (MASK_WARP_WORDS * 32);
    bits.words[0] = p.words[bits.first / 32 + lane];
    bits.words[1] = p.words[bits.first / 32 + 32 + lane];
    const uint32_t count = warp::sum<32, uint32_t>(__popc(bits.words[0]) + __popc(bits.words[1]));
    if (lane == 0) counts[warp] = count;
    __syncthreads();
    bits.rank = p.offsets[blockIdx.x];
    for (int w = 0; w < warp; w++) bits.rank += counts[w];
    return bits;
}

// For each set bit of this block's tile: value = load(i, rank), then store(i, rank, value). All loads of a
// batch are in flight before the first store; neighboring lanes have neighboring i and ranks.
template <class T, int EACH, class Params, class Load, class Store>
__device__ __forceinline__ void for_each_set(const Params& p, Load load, Store store) {
    const int lane = threadIdx.x % 32;
    WarpBits bits = warp_bits(p, lane);
    const uint32_t below = warp::lanes_before(lane);
#pragma unroll 1
    for (int half = 0; half < 2; half++) {
        const uint32_t mine = half ? bits.words[1] : bits.words[0];
        const uint32_t prefix = warp::exclusive_sum<uint32_t>(__popc(mine), lane);
#pragma unroll 1
        for (int j = 0; j < 32; j += EACH) {
            const int64_t first = bits.first + half * 1024 + j * 32 + lane;
            T value[EACH];
            int rank[EACH];  // relative to bits.rank; -1 if the bit is not set
#pragma unroll
            for (int e = 0; e < EACH; e++) {
                const uint32_t word = warp::shuffle(mine, j + e);
                const uint32_t earlier = warp::shuffle(prefix, j + e);
                rank[e] = word >> lane & 1 ? (int)(earlier + __popc(word & below)) : -1;
                if (rank[e] >= 0) value[e] = load(first + e * 32, bits.rank + rank[e]);
            }
#pragma unroll
            for (int e = 0; e < EACH; e++)
                if (rank[e] >= 0) store(first + e * 32, bits.rank + rank[e], value[e]);
        }
        bits.rank += warp::sum<32, uint32_t>(__popc(mine));
    }
}

template <class U>
__device__ __forceinline__ void mask_select(const SelectParams& p) {
    auto store = [&](int64_t, int64_t rank, U value) { ((U*)p.packed)[rank] = value; };
    if (p.ndim == 1)
        for_each_set<U, sizeof(U) <= 4 ? 2 * MASK_EACH : MASK_EACH>(
            p, [&](int64_t i, int64_t) { return *(const U*)(p.array + i * p.strides[0]); }, store);
    else
        for_each_set<U, 1>(
            p, [&](int64_t i, int64_t) { return *(const U*)(p.array + element_offset(p, i)); }, store);
}

template <class U>
__device__ __forceinline__ void mask_expand(const SelectParams& p) {
    if (!values_fit(p)) {
        if (threadIdx.x == 0) atomicOr(p.status, GPUNP_STATUS_MASK_COUNT);
        return;
    }
    auto value = [&](int64_t number) { return *(const U*)(p.packed + number * p.packed_stride); };
    if (p.ndim == 1 && p.mode == EXPAND_EXACT)
        for_each_set<U, MASK_EACH>(
            p, [&](int64_t, int64_t rank) { return value(rank); },
            [&](int64_t i, int64_t, U x) { *(U*)(p.array + i * p.strides[0]) = x; });
    else
        for_each_set<U, 1>(
            p, [&](int64_t i, int64_t rank) { return value(value_of(p, i, rank)); },
            [&](int64_t i, int64_t, U x) { *(U*)(p.array + element_offset(p, i)) = x; });
}

__device__ __forceinline__ void mask_positions(const PositionsParams& p) {
    auto nothing = [](int64_t, int64_t) { return 0; };
    if (p.ndim == 1)
        for_each_set<int, MASK_EACH>(
            p, nothing, [&](int64_t i, int64_t rank, int) { p.positions[rank * p.item_stride] = i; });
    else
        for_each_set<int, 1>(p, nothing, [&](int64_t i, int64_t rank, int) { write_position(p, i, rank); });
}

}  // namespace gpunp

#define GPUNP_MASK_KERNEL(symbol, Params, block, call)                                             \
    extern "C" __global__ void __launch_bounds__(block) symbol(const __grid_constant__ Params p) { \
        call;                                                                                      \
    }
#define GPUNP_MASK_BITS(name, T) \
    GPUNP_MASK_KERNEL(mask_bits_##name, ::gpunp::BitsParams, ::gpunp::MASK_BLOCK, (::gpunp::mask_bits<T>(p)))
#define GPUNP_MASK_SELECT(bytes, U)                                                    \
    GPUNP_MASK_KERNEL(mask_select_##bytes, ::gpunp::SelectParams, ::gpunp::MASK_BLOCK, \
                      (::gpunp::mask_select<U>(p)))                                    \
    GPUNP_MASK_KERNEL(mask_expand_##bytes, ::gpunp::SelectParams, ::gpunp::MASK_BLOCK, \
                      (::gpunp::mask_expand<U>(p)))
#define GPUNP_MASK                                                                    \
    GPUNP_MASK_KERNEL(mask_offsets, ::gpunp::BitsParams, ::gpunp::MASK_OFFSETS_BLOCK, \
                      ::gpunp::mask_offsets(p))                                       \
    GPUNP_MASK_KERNEL(mask_positions, ::gpunp::PositionsParams, ::gpunp::MASK_BLOCK,  \
                      ::gpunp::mask_positions(p))
