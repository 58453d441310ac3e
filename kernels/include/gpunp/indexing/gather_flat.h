// Moves elements by one index array of one dimension.
#pragma once
#include "gpunp/common/warp.h"
#include "gpunp/indexing/gather.h"

#if GPUNP_ON_DEVICE

namespace gpunp {

// Loads the indices of a thread, all before the first is used; -1 where there is no index or it is out of
// bounds.
template <class I>
__device__ __forceinline__ void load_places(const GatherParams& p, int64_t first,
                                            int64_t (&at)[GATHER_EACH]) {
    const int64_t step = p.index_strides[0][0];
#pragma unroll
    for (int j = 0; j < GATHER_EACH; j++) {
        const int64_t i = first + j * GATHER_BLOCK;
        at[j] = i < p.size ? (int64_t)__ldcs((const I*)(p.index[0] + i * step)) : 0;
    }
    bool outside = false;
#pragma unroll
    for (int j = 0; j < GATHER_EACH; j++) {
        const bool asked = first + j * GATHER_BLOCK < p.size;
        at[j] = asked ? normal_index(at[j], p.extent[0], p.mode) : -1;
        outside = outside || (asked && at[j] < 0);
    }
    if (outside) report_index(p);
}

__device__ __forceinline__ void load_places(const GatherParams& p, int64_t first,
                                            int64_t (&at)[GATHER_EACH]) {
    p.index_bytes[0] == 8 ? load_places<long long>(p, first, at) : load_places<int32_t>(p, first, at);
}

// The first position of this thread in a block's tile.
__device__ __forceinline__ int64_t first_place(int64_t block) {
    return block * (GATHER_BLOCK * GATHER_EACH) + threadIdx.x;
}

__device__ __forceinline__ int64_t raw_place(const GatherParams& p, int64_t i) {
    const char* at = p.index[0] + i * p.index_strides[0][0];
    return p.index_bytes[0] == 8 ? __ldcs((const long long*)at) : (int64_t)__ldcs((const int32_t*)at);
}

// Whether at least three quarters of the sampled indices, EACH per thread, are in those most frequent parts
// of the array that together fit in the L2 cache.
template <int EACH>
__device__ __forceinline__ bool few_places(const GatherParams& p, const int64_t (&raw)[EACH]) {
    constexpr int PARTS = 256;
    __shared__ uint32_t counts[PARTS], held;
    const int part = threadIdx.x;
    if (part < PARTS) counts[part] = 0;
    if (part == 0) held = 0;
    __syncthreads();
    const uint64_t extent = p.extent[0];
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        const uint64_t at = (uint64_t)(raw[j] + (raw[j] < 0 ? p.extent[0] : 0));
        if (at < extent) atomicAdd(&counts[(uint32_t)(at * PARTS / extent)], 1u);
    }
    __syncthreads();
    if (part < PARTS) {
        const uint32_t own = counts[part];
        int64_t before = 0;
        for (int k = 0; k < PARTS; k++) before += counts[k] > own || (counts[k] == own && k < part);
        const int64_t apart = p.multiplier[0] < 0 ? -p.multiplier[0] : p.multiplier[0];
        if (before * (int64_t)(extent * apart) < p.held_bytes * PARTS) atomicAdd(&held, own);
    }
    __syncthreads();
    return held * 4 >= 3u * PROBE_BLOCK * EACH;
}

// One block classifies the places by a sample: they are near each other if most stretches of 32 indices span
// less than 1 MiB.
__device__ __forceinline__ uint32_t probe_places(const GatherParams& p) {
    constexpr int EACH = 8, STRETCHES = PROBE_BLOCK / 32 * EACH;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int64_t apart = p.multiplier[0] < 0 ? -p.multiplier[0] : p.multiplier[0] + !p.multiplier[0];
    const int64_t step = p.size / STRETCHES, limit = (1 << 20) / apart;
    int64_t at[EACH];
#pragma unroll
    for (int j = 0; j < EACH; j++) at[j] = raw_place(p, (warp * EACH + j) * step + lane);
    int near = 0;
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        // Distances from the first place, clamped to 2^29 so that their differences fit in 32 bits.
        const uint64_t first = (uint64_t)warp::shuffle(at[j], 0);
        const int64_t from = (int64_t)((uint64_t)at[j] - first), most = 1 << 29;
        const int distance = (int)(from < -most ? -most : from > most ? most : from);
        near += warp::greatest_word(distance) - warp::least_word(distance) < limit;
    }
    if (2 * __syncthreads_count(lane < near) > STRETCHES) return PLACES_NEAR;
    const int64_t some[2] = {at[0], at[EACH / 2]};
    return few_places(p, some) ? PLACES_FEW : PLACES_APART;
}

template <class U>
__device__ __forceinline__ void gather_flat(const GatherParams& p) {
    const int64_t first = first_place(blockIdx.x);
    int64_t at[GATHER_EACH];
    load_places(p, first, at);
    U value[GATHER_EACH];
#pragma unroll
    for (int j = 0; j < GATHER_EACH; j++)
        value[j] = at[j] < 0 ? U{} : *(const U*)(p.indexed + at[j] * p.multiplier[0]);
#pragma unroll
    for (int j = 0; j < GATHER_EACH; j++) {
        const int64_t i = first + j * GATHER_BLOCK;
        if (i < p.size) *(U*)(p.dense + i * p.dense_strides[0]) = value[j];
    }
}

template <class U>
__device__ __forceinline__ bool same_bits(const U& a, const U& b) {
    return a == b;
}
__device__ __forceinline__ bool same_bits(const Bytes16& a, const Bytes16& b) {
    return a.low == b.low && a.high == b.high;
}

// Writes each element to its place. If places repeat often, most already have the scalar, and a read is
// cheaper than a write.
template <class U>
__device__ __forceinline__ void scatter_flat(const GatherParams& p, int64_t block) {
    const int64_t first = first_place(block), step = p.multiplier[0];
    const bool scalar = !p.dense, look = scalar && p.crowded;
    int64_t at[GATHER_EACH];
    load_places(p, first, at);
    U value[GATHER_EACH];
#pragma unroll
    for (int j = 0; j < GATHER_EACH; j++) {
        const int64_t i = first + j * GATHER_BLOCK;
        value[j] = scalar ? scalar_of<U>(p) : at[j] < 0 ? U{} : *(const U*)(p.dense + i * p.dense_strides[0]);
    }
    if (look) {
        U before[GATHER_EACH];
#pragma unroll
        for (int j = 0; j < GATHER_EACH; j++)
            before[j] = at[j] < 0 ? value[j] : *(const U*)(p.indexed + at[j] * step);
#pragma unroll
        for (int j = 0; j < GATHER_EACH; j++)
            if (same_bits(before[j], value[j])) at[j] = -1;
    }
#pragma unroll
    for (int j = 0; j < GATHER_EACH; j++)
        if (at[j] >= 0) *(U*)(p.indexed + at[j] * step) = value[j];
}

// Checks the indices and records each target's last position. The last positions are claimed first: most of
// the others then find a later claim, and a read is cheaper than an atomic.
__device__ __forceinline__ void claim_flat(const GatherParams& p, int64_t block) {
    const int64_t first = first_place(block);
    uint32_t* claims = (uint32_t*)p.claims;
    int64_t at[GATHER_EACH];
    load_places(p, first, at);
    // Of neighboring lanes with the same place, only the last one claims it.
#pragma unroll
    for (int j = 0; j < GATHER_EACH; j++) {
        const int64_t next = warp::shuffle_down(at[j], 1);
        if ((threadIdx.x & 31) < 31 && next == at[j]) at[j] = -1;
    }
    if (p.crowded) {
        uint32_t claimed[GATHER_EACH];
#pragma unroll
        for (int j = 0; j < GATHER_EACH; j++) claimed[j] = at[j] < 0 ? ~0u : __ldcg(claims + at[j]);
#pragma unroll
        for (int j = 0; j < GATHER_EACH; j++)
            if (claimed[j] > (uint32_t)(first + j * GATHER_BLOCK)) at[j] = -1;
    }
#pragma unroll
    for (int j = GATHER_EACH - 1; j >= 0; j--)
        if (at[j] >= 0) atomicMax(claims + at[j], (uint32_t)(first + j * GATHER_BLOCK) + 1);
}

// Writes the values after all targets of one index array have been claimed, in the order of the targets.
template <class U>
__device__ __forceinline__ void settle_claims(const GatherParams& p, int64_t block) {
    const int64_t first = first_place(block);
    const uint32_t* claims = (const uint32_t*)p.claims;
    uint32_t claim[GATHER_EACH];
    U value[GATHER_EACH];
#pragma unroll
    for (int j = 0; j < GATHER_EACH; j++) {
        const int64_t i = first + j * GATHER_BLOCK;
        claim[j] = i < p.extent[0] ? __ldcs(claims + i) : 0;
    }
#pragma unroll
    for (int j = 0; j < GATHER_EACH; j++)
        if (claim[j]) value[j] = *(const U*)(p.dense + (int64_t)(claim[j] - 1) * p.dense_strides[0]);
#pragma unroll
    for (int j = 0; j < GATHER_EACH; j++)
        if (claim[j]) *(U*)(p.indexed + (first + j * GATHER_BLOCK) * p.multiplier[0]) = value[j];
}

}  // namespace gpunp

#define GPUNP_FLAT(bytes, U)                                                           \
    GPUNP_GATHER_KERNEL(gather_flat_##bytes, ::gpunp::gather_flat<U>(p))               \
    GPUNP_GATHER_KERNEL(scatter_flat_##bytes, ::gpunp::scatter_flat<U>(p, blockIdx.x)) \
    GPUNP_GATHER_KERNEL(scatter_claimed_##bytes, ::gpunp::settle_claims<U>(p, blockIdx.x))
#define GPUNP_FLAT_CLAIM GPUNP_GATHER_KERNEL(claim_flat, ::gpunp::claim_flat(p, gridDim.x - 1 - blockIdx.x))
#else
// The host moves all elements by the general kernel.
#define GPUNP_FLAT(bytes, U)
#define GPUNP_FLAT_CLAIM
#endif
