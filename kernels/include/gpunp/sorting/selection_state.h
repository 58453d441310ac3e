// State shared by the blocks of a selection, by level, row and slot.
#pragma once
#include "gpunp/sorting/selection_params.h"

namespace gpunp {

// The part of the work that a block does.
struct SelectionBlock {
    int64_t row;
    int slot, index;
};

__device__ __forceinline__ SelectionBlock block_of(const SelectionParams& p) {
    const unsigned unit = blockIdx.x / (unsigned)p.blocks, slots = (unsigned)p.slots;
    return {unit / slots, (int)(unit % slots), (int)(blockIdx.x - unit * (unsigned)p.blocks)};
}

__device__ __forceinline__ int64_t slot_at(const SelectionParams& p, int64_t row, int slot) {
    return (p.level * p.rows + row) * p.num_ranks + slot;
}

__device__ __forceinline__ uint64_t* bins_of(const SelectionParams& p, int64_t row, int slot) {
    return p.bins + slot_at(p, row, slot) * SELECTION_BINS;
}

// The digit of a level: the topmost bits of the distance from the segment's base.
struct SelectionDigits {
    int bits, shift;
};
GPUNP_HD SelectionDigits digits_of(const SelectionSegment& segment) {
    const int bits = segment.bits < SELECTION_DIGIT ? segment.bits : SELECTION_DIGIT;
    return {bits, segment.bits - bits};
}

template <class U>
__device__ __forceinline__ SelectionSegment whole_row(const SelectionParams& p) {
    return {0, p.length, 0, 8 * (int)sizeof(U), 0, 1};
}

// A level starts from the results of the previous one; the first from the windows or the whole row.
template <class U>
__device__ __forceinline__ SelectionSegment segment_at(const SelectionParams& p, int level, int64_t row,
                                                       int slot) {
    if (level == 0 && !p.windows) return whole_row<U>(p);
    return p.segments[(level * p.rows + row) * p.num_ranks + slot];
}

__device__ __forceinline__ SelectionRank rank_at(const SelectionParams& p, int level, int64_t row, int j) {
    if (level == 0 && !p.windows) return {wanted_rank(p, row, j), 0, 0, 0};
    return p.found[(level * p.rows + row) * p.num_ranks + j];
}

template <class U>
__device__ __forceinline__ U* scratch_of(const SelectionParams& p, int64_t row, int place) {
    return reinterpret_cast<U*>(p.scratch[place - 1]) + row * p.length;
}

template <class U>
__device__ __forceinline__ const U* elements_of(const SelectionParams& p, int64_t row,
                                                const SelectionSegment& segment) {
    const U* from = segment.place == 0 ? reinterpret_cast<const U*>(p.data) + row * p.length
                                       : scratch_of<U>(p, row, segment.place);
    return from + segment.offset;
}

}  // namespace gpunp
