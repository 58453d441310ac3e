// Histograms of all digits of the keys of a row, in one pass over it; device only.
#pragma once
#include "gpunp/common/warp.h"
#include "gpunp/sorting/sort_digits.h"

namespace gpunp {

// Each lane has its own column of counters, and its own bank: the lanes of a warp never collide, whatever the
// keys. For keys of 8 bytes, two 16-bit counters share a word, to make room for twice as many digits.
template <class W>
struct SortColumns {
    static constexpr bool PACKED = sizeof(W) == 8;
    static constexpr int BLOCK = SORT_COUNT_BLOCK, ITEMS = SORT_COUNT_ITEMS;
    static constexpr int ROWS = PACKED ? SORT_DIGITS / 2 : SORT_DIGITS;  // words per lane and pass
    // Tiles without overflow of a counter, even if all keys of a lane have the same digit.
    static constexpr int TILES = (PACKED ? 65535 : 1 << 30) / (BLOCK / 32 * ITEMS);

    static __device__ __forceinline__ void add(uint32_t* mine, W key, int pass) {
        const uint32_t digit = (uint32_t)(key >> 8 * pass) & (SORT_DIGITS - 1);
        if constexpr (PACKED)
            atomicAdd(mine + (pass * ROWS + (digit >> 1)) * 32, digit & 1 ? 65536u : 1u);
        else
            atomicAdd(mine + (pass * ROWS + digit) * 32, 1u);
    }
    static __device__ __forceinline__ void clear(uint32_t* columns, int words) {
        for (int i = threadIdx.x; i < words / 4; i += BLOCK)
            reinterpret_cast<uint4*>(columns)[i] = make_uint4(0, 0, 0, 0);
        __syncthreads();
    }
    static __device__ __forceinline__ void flush(const uint32_t* columns, int words, uint64_t* bins) {
        __syncthreads();
        const int lane = threadIdx.x & 31;
        for (int row = threadIdx.x >> 5; row < words / 32; row += BLOCK / 32) {
            const uint32_t word = columns[row * 32 + lane];
            uint32_t count = warp::sum_of_words(PACKED ? word & 0xffff : word);
            if constexpr (PACKED) {
                const uint32_t odd = warp::sum_of_words(word >> 16);
                if (lane == 1) count = odd;
            }
            if (lane < (PACKED ? 2 : 1) && count)
                atomicAdd(reinterpret_cast<unsigned long long*>(bins) + (PACKED ? 2 * row + lane : row),
                          (unsigned long long)count);
        }
        __syncthreads();
    }
};

template <bool EVERY>
struct SortEvery {
    static constexpr bool value = EVERY;
};

template <class W>
__device__ __forceinline__ void radix_count(const SortParams& p) {
    using Columns = SortColumns<W>;
    constexpr int BLOCK = Columns::BLOCK, ITEMS = Columns::ITEMS;
    extern __shared__ __align__(16) uint32_t columns[];
    const int64_t row = blockIdx.x / p.blocks_per_row;
    const int words = p.passes * Columns::ROWS * 32;
    uint64_t* const bins = p.bins + row * p.passes * SORT_DIGITS;
    uint32_t* const mine = columns + (threadIdx.x & 31);
    const ZeroRule<W> low = zero_rule<W>(p, 0), high = zero_rule<W>(p, sizeof(W) * 4);
    const W minus_zero = (W)(p.sign - 1);
    bool zeros = false;
    // Every byte of W is a digit of the keys.
    const bool whole = p.passes == (int)sizeof(W);
    const auto add = [&](W key, auto every) {
        zeros = zeros || key == minus_zero;
        const W from_low = low(key), from_high = high(key);
#pragma unroll
        for (int pass = 0; pass < (int)sizeof(W); pass++)
            if (decltype(every)::value || pass < p.passes)
                Columns::add(mine, 2 * pass < (int)sizeof(W) ? from_low : from_high, pass);
    };
    const int64_t step = (int64_t)p.blocks_per_row * BLOCK * ITEMS;
    int64_t first = (int64_t)(blockIdx.x - row * p.blocks_per_row) * BLOCK * ITEMS;
    int tiles = 0;
    Columns::clear(columns, words);
    for (; first < p.length; first += step) {
        const int valid = (int)min((int64_t)BLOCK * ITEMS, p.length - first);
        W keys[ITEMS];
        load_keys<BLOCK>(p, p.input, row * p.length + first, threadIdx.x, valid, true, keys);
        if (whole && valid == BLOCK * ITEMS) {
#pragma unroll
            for (int i = 0; i < ITEMS; i++) add(keys[i], SortEvery<true>());
        } else {
#pragma unroll
            for (int i = 0; i < ITEMS; i++)
                if ((int)threadIdx.x + BLOCK * i < valid) add(keys[i], SortEvery<false>());
        }
        if (++tiles < Columns::TILES) continue;
        Columns::flush(columns, words, bins);
        Columns::clear(columns, words);
        tiles = 0;
    }
    Columns::flush(columns, words, bins);
    // Only zeros may compare equal with different bits: without a -0.0, the first pass need not be stable.
    if (__syncthreads_or(zeros) && threadIdx.x == 0 && p.kind == SORT_FLOATING) *p.zeros = 1;
}

}  // namespace gpunp
