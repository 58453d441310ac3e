// Counts of integers in many bins, without one atomic operation in global memory per value.
//
// The pass that finds the extents also counts the values by slot, a range of neighboring values. Then the
// values are scattered to buckets of several slots each, as 16-bit offsets in the bucket, and each bucket is
// counted in shared memory.
#pragma once
#include "gpunp/common/block.h"
#include "gpunp/common/vector.h"
#include "gpunp/common/warp.h"
#include "gpunp/statistics/histogram.h"

#if GPUNP_ON_DEVICE
namespace gpunp {
namespace histogram {

constexpr int BUCKET_COUNT = (BUCKET_SLOTS << BUCKET_SLOT_BITS) >> BUCKET_BITS;

template <class T>
__device__ __forceinline__ void extent_slots(const BucketParams& p) {
    __shared__ uint32_t slots[BUCKET_SLOTS];
    using C = compute_t<T>;
    clear_shared(slots, BUCKET_SLOTS);
    const T* x = static_cast<const T*>(p.extent.values);
    const C first = x[0];
    Extent<C> e{first, first, false};
    unsigned int near = 0;
    T before_this = first;
    each_element<T, false>(x, p.extent.size, [&](T v) {
        widen(e, v, v);
        near += (uint32_t)v - (uint32_t)before_this + BUCKET_NEAR <= 2u * BUCKET_NEAR;
        before_this = v;
        const uint64_t slot = (uint64_t)(int64_t)v >> BUCKET_SLOT_BITS;
        // Slot 0 is the remainder: its atomics are saved, which are many where most values are small.
        if (slot) atomicAdd(&slots[slot < BUCKET_SLOTS ? slot : BUCKET_SLOTS - 1], 1u);
    });
    flush_shared(slots, BUCKET_SLOTS, p.starts);
    near = warp::sum_of_words(near);
    if ((threadIdx.x & 31) == 0 && near) atomicAdd((unsigned long long*)p.near, (unsigned long long)near);
    // Only the last block continues: it sees the slot counts of all blocks.
    if (!fold_extents<T>(p.extent, e)) return;
    constexpr int EACH = BUCKET_SLOTS / 512;
    __shared__ uint64_t of_warps[16];
    uint64_t own[EACH], sum = 0;
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        own[i] = __ldcg((const unsigned long long*)p.starts + threadIdx.x * EACH + i);
        sum += own[i];
    }
    uint64_t all;
    uint64_t before = block::exclusive_sum<512>(sum, of_warps, all);
    before += (uint64_t)p.extent.size - all;  // in the first slot
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        const uint64_t start = threadIdx.x + i == 0 ? 0 : before;
        p.starts[threadIdx.x * EACH + i] = start;
        p.cursors[threadIdx.x * EACH + i] = start;
        before += own[i];
    }
    if (threadIdx.x == 511) p.starts[BUCKET_SLOTS] = before;
    if (threadIdx.x == 0) {
        const T* ends = static_cast<const T*>(p.extent.out);
        p.found[0] = (int64_t)ends[0];
        p.found[1] = (int64_t)ends[1];
        p.found[2] = (int64_t)__ldcg((const unsigned long long*)p.near);
    }
}

// Turns the tile's counts by bucket into start positions in the tile, and reserves room in each bucket.
// targets[bucket] is what to add to a position in the tile to get the position in `places`.
__device__ __forceinline__ void place_buckets(const BucketParams& p, uint32_t* starts, int64_t* targets) {
    static_assert(BUCKET_COUNT <= 256 && BUCKET_BLOCK >= 256, "one thread per bucket");
    __shared__ uint32_t of_warps[8];
    const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
    uint32_t own = 0, start = 0;
    if (tid < 256) {
        own = tid < BUCKET_COUNT ? starts[tid] : 0;
        start = warp::inclusive_sum(own, lane);
        if (lane == 31) of_warps[warp] = start;
    }
    __syncthreads();
    if (tid < BUCKET_COUNT) {
        start -= own;
        // A loop to save registers: unrolled, one block less is resident per multiprocessor.
        for (int w = 0; w < warp; w++) start += of_warps[w];
        starts[tid] = start;
        if (own) {
            unsigned long long* cursor =
                (unsigned long long*)p.cursors + (tid << (BUCKET_BITS - BUCKET_SLOT_BITS));
            targets[tid] = (int64_t)atomicAdd(cursor, (unsigned long long)own) - start;
        }
    }
    __syncthreads();
}

// Orders a tile of values by bucket in shared memory, then writes them to their buckets.
template <class T>
__device__ __forceinline__ void bucket_split(const BucketParams& p) {
    constexpr int TILE = BUCKET_BLOCK * BUCKET_ITEMS, BITS = BUCKET_BITS;
    __shared__ uint32_t stage[TILE];
    __shared__ uint32_t starts[BUCKET_COUNT];
    __shared__ int64_t targets[BUCKET_COUNT];
    const int tid = threadIdx.x;
    if (tid < BUCKET_COUNT) starts[tid] = 0;
    const int64_t first = (int64_t)blockIdx.x * TILE;
    const int held = (int)min((int64_t)TILE, p.extent.size - first);
    const T* source = static_cast<const T*>(p.extent.values) + first;
    uint32_t values[BUCKET_ITEMS], ranks[BUCKET_ITEMS];
    if (held == TILE) {
#pragma unroll
        for (int i = 0; i < BUCKET_ITEMS; i++) values[i] = (uint32_t)source[tid + BUCKET_BLOCK * i];
    } else {
#pragma unroll
        for (int i = 0; i < BUCKET_ITEMS; i++)
            values[i] = tid + BUCKET_BLOCK * i < held ? (uint32_t)source[tid + BUCKET_BLOCK * i] : 0;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < BUCKET_ITEMS; i++)
        if (tid + BUCKET_BLOCK * i < held) ranks[i] = atomicAdd(&starts[values[i] >> BITS], 1u);
    __syncthreads();
    place_buckets(p, starts, targets);
#pragma unroll
    for (int i = 0; i < BUCKET_ITEMS; i++)
        if (tid + BUCKET_BLOCK * i < held) stage[starts[values[i] >> BITS] + ranks[i]] = values[i];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < BUCKET_ITEMS; i++) {
        const int at = tid + BUCKET_BLOCK * i;
        if (at >= held) break;
        const uint32_t value = stage[at];
        p.places[targets[value >> BITS] + at] = (uint16_t)(value & ((1u << BITS) - 1));
    }
}

// Blocks take equal parts of `places`, which may begin and end within a bucket.
__device__ __forceinline__ void bucket_count(const BucketParams& p) {
    constexpr int BITS = BUCKET_BITS, SIZE = 1 << BITS, STEP = 1 << (BITS - BUCKET_SLOT_BITS);
    extern __shared__ uint32_t local[];
    using Places = Vector<uint16_t>;
    const int64_t end = p.extent.size * (blockIdx.x + 1) / gridDim.x;
    int64_t from = p.extent.size * blockIdx.x / gridDim.x;
    if (from >= end) return;
    int low = 0, high = BUCKET_COUNT;  // starts[low] <= from < starts[high]
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if ((int64_t)p.starts[middle * STEP] <= from)
            low = middle;
        else
            high = middle;
    }
    for (int bucket = low; from < end; bucket++) {
        const int64_t bucket_end = (int64_t)p.starts[(bucket + 1) * STEP];
        const int64_t to = bucket_end < end ? bucket_end : end;
        if (to <= from) continue;
        for (int i = threadIdx.x; i < SIZE; i += blockDim.x) local[i] = 0;
        __syncthreads();
        const int64_t vectors = (from + 7) / 8, vectors_end = to / 8;
        const Places* places = reinterpret_cast<const Places*>(p.places);
#pragma unroll 2
        for (int64_t i = vectors + threadIdx.x; i < vectors_end; i += blockDim.x) {
            const Places v = places[i];
#pragma unroll
            for (int k = 0; k < 8; k++) atomicAdd(&local[v.at[k]], 1u);
        }
        const int64_t head = vectors * 8 < to ? vectors * 8 : to;
        if (from + threadIdx.x < head) atomicAdd(&local[p.places[from + threadIdx.x]], 1u);
        const int64_t tail = vectors_end * 8 > head ? vectors_end * 8 : head;
        if (tail + threadIdx.x < to) atomicAdd(&local[p.places[tail + threadIdx.x]], 1u);
        __syncthreads();
        const int64_t base = (int64_t)bucket << BITS;
        for (int i = threadIdx.x; i < SIZE; i += blockDim.x)
            if (local[i]) atomicAdd((unsigned long long*)p.counts + base + i, (unsigned long long)local[i]);
        __syncthreads();
        from = to;
    }
}

}  // namespace histogram
}  // namespace gpunp

#define GPUNP_BUCKETS(name, T)                                                    \
    GPUNP_HISTOGRAM_KERNEL(extent_slots_##name, BucketParams, extent_slots<T>(p)) \
    GPUNP_HISTOGRAM_KERNEL(bucket_split_##name, BucketParams, bucket_split<T>(p))
#define GPUNP_BUCKET_COUNT                                                    \
    extern "C" __global__ void __launch_bounds__(::gpunp::BUCKET_COUNT_BLOCK) \
        bucket_count(const __grid_constant__::gpunp::BucketParams p) {        \
        ::gpunp::histogram::bucket_count(p);                                  \
    }
#else
// On the host, counting is one pass anyway.
#define GPUNP_BUCKETS(name, T)
#define GPUNP_BUCKET_COUNT
#endif
