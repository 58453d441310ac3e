// How CUB's ranking sees the digits of keys; device only.
#pragma once
#include <cub/block/block_radix_rank.cuh>

#include "gpunp/sort_keys.h"

namespace gpunp {

template <class W>
struct SortDigit {
    ZeroRule<W> rule;
    int shift;
    __device__ __forceinline__ uint32_t Digit(W key) const {
        return (uint32_t)(rule(key) >> shift) & (SORT_DIGITS - 1);
    }
};

// Gives the counts of digits, one a thread, before it ranks: other blocks learn of them early. The choices of
// scan and matching, as the sizes of tiles, are those CUB was tuned to for compute capability 9.0.
template <int THREADS>
using SortRank =
    cub::BlockRadixRankMatchEarlyCounts<THREADS, 8, false, cub::BLOCK_SCAN_RAKING_MEMOIZE, cub::WARP_MATCH_ANY>;

}  // namespace gpunp
