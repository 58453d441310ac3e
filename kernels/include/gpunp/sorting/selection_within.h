// One pass over a long row: keeps the elements within the windows of its ranks and counts those below each.
#pragma once
#include "gpunp/common/warp.h"
#include "gpunp/sorting/selection_windows.h"

namespace gpunp {

// Returns key - low modulo 2^bits; increments `under` if key < low.
template <class U>
__device__ __forceinline__ U distance_above(U key, U low, uint32_t& under) {
#if defined(__CUDA_ARCH__)
    if constexpr (sizeof(U) == 4) {
        // The borrow is the count: half the instructions of a comparison.
        uint32_t distance, negative = 0 - under;
        asm("sub.cc.u32 %0, %2, %3;\n\tsubc.u32 %1, %1, 0;"
            : "=r"(distance), "+r"(negative)
            : "r"(key), "r"(low));
        under = 0 - negative;
        return distance;
    }
#endif
    under += key < low;
    return (U)(key - low);
}

// By one warp: moves its staged keys to the scratch rooms of their windows, in any order.
template <class U>
__device__ __forceinline__ void flush_within(const SelectionParams& p, SelectionWindows* all, U* scratch,
                                             const U* lows, const U* widths, const U* stage, int held) {
    const int lane = threadIdx.x & 31;
    const unsigned before = warp::lanes_before(lane);
    for (int w = 0; w < all->count; w++) {
        const U low = lows[w], width = widths[w];
        int found = 0;
        for (int k = lane; k < held; k += 32) found += (U)(stage[k] - low) <= width;
        found = (int)warp::sum_of_words((unsigned)found);
        if (found == 0) continue;
        unsigned long long start = 0;
        if (lane == 0) start = atomicAdd((unsigned long long*)all->within + w, (unsigned long long)found);
        int64_t at = (int64_t)warp::shuffle(start, 0);
        const int64_t room = all->room[w];
        U* target = scratch + all->offset[w];
        for (int first = 0; first < held; first += 32) {
            const U key = first + lane < held ? stage[first + lane] : (U)0;
            const bool mine = first + lane < held && (U)(key - low) <= width;
            const unsigned with = warp::ballot(mine);
            const int64_t to = at + __popc(with & before);
            // Elements past the room are not written: finish_windows detects them by the count.
            if (mine && to < room) target[to] = selection_bits(key, p.kind);
            at += __popc(with);
        }
    }
}

// Loads a warp's chunk as bits, padded with the greatest key past the row; returns the mask of valid items.
template <class U, int ITEMS>
__device__ __forceinline__ uint32_t load_chunk(const SelectionParams& p, const U* source, int64_t chunk,
                                               U (&keys)[ITEMS]) {
    constexpr int CHUNK = 32 * ITEMS;
    const int64_t start = chunk * CHUNK + (threadIdx.x & 31);
    uint32_t valid = (1u << ITEMS) - 1;
    if ((chunk + 1) * CHUNK <= p.length) {
#pragma unroll
        for (int i = 0; i < ITEMS; i++) keys[i] = source[start + i * 32];
    } else {
        valid = 0;
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            const bool there = start + i * 32 < p.length;
            // The greatest key is below no window, so padding is not counted.
            keys[i] = there ? source[start + i * 32] : selection_bits(greatest_key<U>(), p.kind);
            valid |= (uint32_t)there << i;
        }
    }
    return valid;
}

// Each warp goes through the chunks of the row independently.
template <class U>
__device__ void selection_within(const SelectionParams& p) {
    constexpr int ITEMS = WINDOW_ITEMS<U>, CHUNK = 32 * ITEMS, ROOM = 2 * CHUNK;
    extern __shared__ __align__(16) unsigned char row_bytes[];
    __shared__ U lows[SELECTION_RANKS], widths[SELECTION_RANKS];
    __shared__ unsigned long long smaller[SELECTION_RANKS];
    const SelectionBlock block = block_of(p);
    SelectionWindows* all = p.windows + block.row;
    const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5, count = all->count;
    if (count == 0) {
        if (block.index == 0) finish_windows<U>(p, block.row);
        return;
    }
    if (tid < count) {
        lows[tid] = (U)all->low[tid];
        widths[tid] = (U)(all->high[tid] - all->low[tid]);
        smaller[tid] = 0;
    }
    __syncthreads();
    const U* source = reinterpret_cast<const U*>(p.data) + block.row * p.length;
    U* scratch = scratch_of<U>(p, block.row, 1);
    U* stage = reinterpret_cast<U*>(row_bytes) + warp * ROOM;
    const QuickKey<U> quick(p.kind);
    const int64_t chunks = (p.length + CHUNK - 1) / CHUNK;
    unsigned long long below = 0;  // lane w counts for window w
    bool nan = false;
    int held = 0;
    for (int64_t chunk = (int64_t)block.index * SELECTION_WARPS + warp; chunk < chunks;
         chunk += (int64_t)p.blocks * SELECTION_WARPS) {
        U keys[ITEMS];
        const uint32_t valid = load_chunk(p, source, chunk, keys);
        U farthest = 0;
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            keys[i] = quick(keys[i]);
            const U distance = (U)(keys[i] - quick.least);
            farthest = distance > farthest ? distance : farthest;
        }
        if (warp::any(farthest > quick.range)) {
#pragma unroll
            for (int i = 0; i < ITEMS; i++) {
                if (!quick.is_nan(keys[i])) continue;
                keys[i] = greatest_key<U>();
                nan = nan || (valid >> i & 1);
            }
        }
        uint32_t inside = 0;
        for (int w = 0; w < count; w++) {
            const U low = lows[w], width = widths[w];
            uint32_t under = 0;
#pragma unroll
            for (int i = 0; i < ITEMS; i++) {
                if (distance_above(keys[i], low, under) <= width) inside |= 1u << i;
            }
            under = warp::sum_of_words(under);
            if (lane == w) below += under;
        }
        inside &= valid;
        const int mine = __popc(inside);
        if (!warp::any(mine)) continue;
        int sum = warp::inclusive_sum(mine, lane);
        U* to = stage + (held + sum - mine);
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            if (inside >> i & 1) *to++ = keys[i];
        held += warp::shuffle(sum, 31);
        if (held <= CHUNK) continue;
        __syncwarp();
        flush_within(p, all, scratch, lows, widths, stage, held);
        __syncwarp();
        held = 0;
    }
    __syncwarp();
    flush_within(p, all, scratch, lows, widths, stage, held);
    if (lane < count && below) atomicAdd(&smaller[lane], below);
    nan = __syncthreads_or(nan);
    if (tid < count && smaller[tid]) atomicAdd((unsigned long long*)all->less + tid, smaller[tid]);
    if (tid == 0 && nan && p.kind == SELECT_FLOAT) p.nan_flags[block.row] = 1;
    if (is_last_block(&all->finished, (uint32_t)p.blocks)) finish_windows<U>(p, block.row);
}

}  // namespace gpunp
