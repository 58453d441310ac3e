// Rows that one block sorts: radix passes in shared memory, with one read and one write of the row.
#pragma once
#include "gpunp/common/warp.h"
#include "gpunp/kernel.h"
#include "gpunp/sorting/sort_keys.h"

#if GPUNP_ON_DEVICE
#include <cub/block/block_radix_rank.cuh>

#include "gpunp/sorting/sort_digits.h"

namespace gpunp {

// CUB's ranking, with the scan and match algorithms that CUB's tuning selects for compute capability 9.0.
template <int THREADS>
using RowRanks = cub::BlockRadixRankMatchEarlyCounts<THREADS, 8, false, cub::BLOCK_SCAN_RAKING_MEMOIZE,
                                                     cub::WARP_MATCH_ANY>;

__device__ __forceinline__ void add_bits(uint32_t* target, uint32_t bits) {
    atomicOr(target, bits);
}
__device__ __forceinline__ void add_bits(uint64_t* target, uint64_t bits) {
    atomicOr(reinterpret_cast<unsigned long long*>(target), (unsigned long long)bits);
}

template <class W, int THREADS, int ITEMS, bool PAIRS>
__device__ __forceinline__ void sort_block_rows(const SortParams& p) {
    using Rank = RowRanks<THREADS>;
    __shared__ union {
        typename Rank::TempStorage rank;
        W keys[THREADS * ITEMS];
        uint16_t positions[THREADS * ITEMS];
    } s;
    __shared__ W pattern, varying;
    const int length = (int)p.length;
    // A warp's elements are contiguous, interleaved over its lanes: the warp-striped order of the ranking.
    const int base = (threadIdx.x & ~31) * ITEMS + (threadIdx.x & 31);
    for (int64_t row = blockIdx.x; row < p.rows; row += gridDim.x) {
        W keys[ITEMS];
        load_keys<32>(p, p.input, row * p.length, base, length, true, keys);
        uint16_t positions[PAIRS ? ITEMS : 1];
        if constexpr (PAIRS) {
#pragma unroll
            for (int i = 0; i < ITEMS; i++) {
                const int at = base + 32 * i;
                positions[i] = (uint16_t)(p.order_in && at < length ? p.order_in[row * length + at] : at);
            }
        }
        // Digits with one value in all keys need no pass.
        if (threadIdx.x == 0) {
            pattern = comparable(p, keys[0]);
            varying = 0;
        }
        __syncthreads();
        W differing = 0;
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            if (base + 32 * i < length) differing |= comparable(p, keys[i]) ^ pattern;
        differing = warp::bitwise_or(differing);
        if ((threadIdx.x & 31) == 0) add_bits(&varying, differing);
        __syncthreads();
        for (int pass = 0; pass < p.passes; pass++) {
            if ((varying >> (8 * pass) & 255) == 0) continue;
            const SortDigit<W> digit{zero_rule<W>(p, 8 * pass), 8 * pass};
            int ranks[ITEMS];
            Rank(s.rank).RankKeys(keys, ranks, digit);
            __syncthreads();
#pragma unroll
            for (int i = 0; i < ITEMS; i++) s.keys[ranks[i]] = keys[i];
            __syncthreads();
#pragma unroll
            for (int i = 0; i < ITEMS; i++) keys[i] = s.keys[base + 32 * i];
            __syncthreads();
            if constexpr (PAIRS) {
#pragma unroll
                for (int i = 0; i < ITEMS; i++) s.positions[ranks[i]] = positions[i];
                __syncthreads();
#pragma unroll
                for (int i = 0; i < ITEMS; i++) positions[i] = s.positions[base + 32 * i];
                __syncthreads();
            }
        }
        char* output = p.output ? sort_row(p.output, p, row) : nullptr;
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            const int at = base + 32 * i;
            if (at < length) {
                if (!PAIRS || output) SortAccess<W>::store(p, output, at, from_key(p, keys[i]));
                if constexpr (PAIRS) p.order_out[row * length + at] = positions[i];
            }
        }
        __syncthreads();
    }
}

}  // namespace gpunp

#define GPUNP_SORT_ROWS(tile, W, threads, items)                               \
    extern "C" __global__ void __launch_bounds__(threads, 2)                   \
        sort_rows_keys_##tile(const __grid_constant__::gpunp::SortParams p) {  \
        ::gpunp::sort_block_rows<W, threads, items, false>(p);                 \
    }                                                                          \
    extern "C" __global__ void __launch_bounds__(threads, 2)                   \
        sort_rows_pairs_##tile(const __grid_constant__::gpunp::SortParams p) { \
        ::gpunp::sort_block_rows<W, threads, items, true>(p);                  \
    }
#else
// On the host `sorting_short` sorts rows of any length.
#define GPUNP_SORT_ROWS(tile, W, threads, items)
#endif
