// Selection in rows that are shared by several blocks.
//
// A level finds one digit of every rank. The histogram kernel counts the digit in the segments that hold
// the ranks; the last block to finish a segment finds the digits of the ranks in it, which define the
// segments of the next level. The split kernel moves these, which are much smaller, into one of two scratch
// copies: only the first level reads the whole row twice. A segment in which all elements share the digit
// stays in place.
//
// A partition has one rank: the split also writes the smaller and the greater elements to the result.
#pragma once
#include "gpunp/common/block.h"
#include "gpunp/common/last_block.h"
#include "gpunp/sorting/selection_state.h"

namespace gpunp {

// By a whole block: writes the exclusive sums of the bins to shared memory and returns their total.
__device__ __forceinline__ uint64_t sum_bins(const uint64_t* bins, int count, uint64_t* sums) {
    constexpr int EACH = SELECTION_BINS / SELECTION_BLOCK;
    __shared__ uint64_t of_warps[SELECTION_BLOCK / 32];
    const int tid = threadIdx.x;
    uint64_t mine[EACH], total = 0;
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        const int bin = tid * EACH + i;
        // Read from the L2 cache, where the atomics of the other blocks were performed.
        mine[i] = bin < count ? __ldcg((const unsigned long long*)bins + bin) : 0;
        total += mine[i];
    }
    uint64_t all;
    uint64_t sum = block::exclusive_sum<SELECTION_BLOCK>(total, of_warps, all);
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        sums[tid * EACH + i] = sum;
        sum += mine[i];
    }
    __syncthreads();
    return all;
}

// The digit of the element with rank `rest` in the segment.
__device__ __forceinline__ int find_digit(const uint64_t* sums, int count, uint64_t rest) {
    int low = 0, high = count;  // sums[low] <= rest < sums[high]
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (sums[middle] <= rest)
            low = middle;
        else
            high = middle;
    }
    return low;
}

// By the last block of a segment: the next digit of its ranks, and the segments of the next level.
template <class U>
__device__ void find_ranks(const SelectionParams& p, int64_t row, int slot, const SelectionSegment& segment,
                           uint64_t* sums) {
    __shared__ int digits[SELECTION_RANKS];
    const SelectionDigits digits_here = digits_of(segment);
    const int count = 1 << digits_here.bits, j = threadIdx.x;
    const uint64_t all = sum_bins(bins_of(p, row, slot), count, sums);
    SelectionRank rank;
    bool mine = false;
    if (j < p.num_ranks) {
        rank = rank_at(p, p.level, row, j);
        mine = rank.segment == slot;
        if (mine) {
            rank.digit = find_digit(sums, count, (uint64_t)rank.rest);
            rank.rest -= (int64_t)sums[rank.digit];
            rank.less += (int64_t)sums[rank.digit];
        }
        digits[j] = mine ? rank.digit : -1;
    }
    __syncthreads();
    if (mine) {
        // Ranks with the same digit share a segment, in the slot of the first of them.
        rank.segment = j;
        for (int i = j - 1; i >= 0; i--)
            if (digits[i] == rank.digit) rank.segment = i;
        p.found[(p.level + 1) * p.rows * p.num_ranks + row * p.num_ranks + j] = rank;
        if (p.last && !p.partition) {
            U key = (U)(segment.base + ((uint64_t)rank.digit << digits_here.shift));
            if (p.nan_wins && __ldcg(p.nan_flags + row)) key = greatest_key<U>();
            reinterpret_cast<U*>(p.out)[j * p.out_stride + row] = selection_bits(key, p.kind);
        }
    }
    if (threadIdx.x == 0) {
        int64_t offset = segment.offset;
        for (int i = 0; i < p.num_ranks; i++) {
            bool first = digits[i] >= 0;
            for (int k = 0; k < i; k++) first = first && digits[k] != digits[i];
            if (!first) continue;
            const uint64_t end = digits[i] + 1 < count ? sums[digits[i] + 1] : all;
            SelectionSegment next;
            next.count = (int64_t)(end - sums[digits[i]]);
            next.kept = next.count == segment.count;
            next.place = next.kept ? segment.place : segment.place == 1 ? 2 : 1;
            next.offset = offset;
            next.base = segment.base + ((uint64_t)digits[i] << digits_here.shift);
            next.bits = digits_here.shift;
            offset += next.count;
            p.segments[(p.level + 1) * p.rows * p.num_ranks + row * p.num_ranks + i] = next;
        }
    }
}

template <class U>
__device__ void selection_histogram(const SelectionParams& p) {
    __shared__ uint64_t sums[SELECTION_BINS];
    uint32_t* bins = reinterpret_cast<uint32_t*>(sums);
    const SelectionBlock block = block_of(p);
    const SelectionSegment segment = segment_at<U>(p, p.level, block.row, block.slot);
    const int64_t tiles = (segment.count + SELECTION_TILE - 1) / SELECTION_TILE;
    const int64_t shares = (tiles + SELECTION_SHARE - 1) / SELECTION_SHARE;
    // A segment of equal keys (bits == 0) needs no counting: one block suffices.
    const int64_t workers = segment.bits == 0 && tiles > 0 ? 1 : shares < p.blocks ? shares : p.blocks;
    if (block.index >= workers) return;
    const SelectionDigits digit = digits_of(segment);
    const int count = 1 << digit.bits;
    const U base = (U)segment.base;
    for (int i = threadIdx.x; i < count; i += SELECTION_BLOCK) bins[i] = 0;
    __syncthreads();
    const U* source = elements_of<U>(p, block.row, segment);
    bool nan = false;
    constexpr int loads = sizeof(U) == 8 ? SELECTION_ITEMS / 2 : SELECTION_ITEMS;
    for (int64_t tile = block.index; tile < tiles && segment.bits > 0; tile += workers) {
        const int64_t start = tile * SELECTION_TILE + threadIdx.x;
        if ((tile + 1) * SELECTION_TILE <= segment.count) {
            for (int part = 0; part < SELECTION_ITEMS; part += loads) {
                U raw[loads];
#pragma unroll
                for (int i = 0; i < loads; i++) raw[i] = source[start + (part + i) * SELECTION_BLOCK];
#pragma unroll
                for (int i = 0; i < loads; i++) {
                    const U key = selection_key(raw[i], p.kind);
                    nan = nan || key == greatest_key<U>();
                    atomicAdd(&bins[(U)(key - base) >> digit.shift], 1u);
                }
            }
        } else {
            for (int64_t at = start; at < segment.count; at += SELECTION_BLOCK) {
                const U key = selection_key(source[at], p.kind);
                nan = nan || key == greatest_key<U>();
                atomicAdd(&bins[(U)(key - base) >> digit.shift], 1u);
            }
        }
    }
    // This is also the barrier after the counting.
    nan = __syncthreads_or(nan);
    if (threadIdx.x == 0 && nan && p.level == 0 && p.kind == SELECT_FLOAT) p.nan_flags[block.row] = 1;
    unsigned long long* total = reinterpret_cast<unsigned long long*>(bins_of(p, block.row, block.slot));
    for (int i = threadIdx.x; i < count; i += SELECTION_BLOCK)
        if (bins[i]) atomicAdd(&total[i], (unsigned long long)bins[i]);
    if (segment.bits == 0 && threadIdx.x == 0) *total = (unsigned long long)segment.count;
    if (!is_last_block(p.finished + slot_at(p, block.row, block.slot), (uint32_t)workers)) return;
    find_ranks<U>(p, block.row, block.slot, segment, sums);
}

}  // namespace gpunp

#include "gpunp/sorting/selection_split.h"
