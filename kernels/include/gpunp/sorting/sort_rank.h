// Ranks of a tile's keys in the order of their digits; device only.
#pragma once
#include "gpunp/common/block.h"
#include "gpunp/common/warp.h"
#include "gpunp/sorting/sort_digits.h"

namespace gpunp {

// Ranks in a tile, two per register.
template <int ITEMS>
struct PackedRanks {
    uint32_t words[(ITEMS + 1) / 2] = {};
    __device__ __forceinline__ void set(int i, uint32_t rank) { words[i / 2] |= rank << 16 * (i % 2); }
    __device__ __forceinline__ void add(int i, uint32_t more) { words[i / 2] += more << 16 * (i % 2); }
    __device__ __forceinline__ uint32_t operator[](int i) const {
        return words[i / 2] >> 16 * (i % 2) & 0xffff;
    }
};

// Shared memory of the ranking. Each of the first DIGITS threads is responsible for one digit: `count` is set
// to the number of the tile's keys with that digit, and the number with a lower digit is returned. `publish`
// is called once `count` is known.
template <int THREADS, int ITEMS>
struct SortRank {
    static constexpr int WARPS = THREADS / 32, DIGITS = SORT_DIGITS;
    union {
        // By warp and digit: lanes with the digit in this round, and count in earlier ones; finally offsets.
        uint2 cells[WARPS][DIGITS];
        uint32_t counts[DIGITS];
    };
    uint32_t of_warps[DIGITS / 32];

    // Stable: a warp's elements are contiguous, interleaved over its lanes. The mask of lanes of equal digit
    // is built by atomics in shared memory, or, for every third key, by ballots: sharing the load between
    // shared memory and arithmetic is faster than either alone.
    template <class W, class Digit, class Publish>
    __device__ __forceinline__ uint32_t in_order(const W (&keys)[ITEMS], const Digit& digit,
                                                 PackedRanks<ITEMS>& ranks, uint32_t& count,
                                                 const Publish& publish) {
        const int lane = threadIdx.x & 31;
        const uint32_t bit = 1u << lane;
        uint2* const mine = cells[threadIdx.x >> 5];
#pragma unroll
        for (int i = lane; i < DIGITS / 2; i += 32)
            reinterpret_cast<uint4*>(mine)[i] = make_uint4(0, 0, 0, 0);
        __syncwarp();
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            const uint32_t key_digit = digit.Digit(keys[i]);
            uint2* const cell = mine + key_digit;
            uint2 found;
            if (i % 3 == 2) {
                found = make_uint2(lanes_of(key_digit), cell->y);
            } else {
                atomicOr(&cell->x, bit);
                __syncwarp();
                found = *cell;
            }
            const uint32_t rank = found.y + __popc(found.x & (bit - 1));
            ranks.set(i, rank);
            __syncwarp();
            // The highest lane with the digit resets the cell for the next round.
            if (found.x >> lane == 1) *cell = make_uint2(0, rank + 1);
            __syncwarp();
        }
        __syncthreads();
        if (threadIdx.x < DIGITS) {
#pragma unroll
            for (int w = 0; w < WARPS; w++) {
                const uint32_t own = cells[w][threadIdx.x].y;
                cells[w][threadIdx.x].x = count;
                count += own;
            }
            publish();
        }
        const uint32_t before = scan(count);
        if (threadIdx.x < DIGITS)
#pragma unroll
            for (int w = 0; w < WARPS; w++) cells[w][threadIdx.x].x += before;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < ITEMS; i++) ranks.add(i, mine[digit.Digit(keys[i])].x);
        return before;
    }

    // Not stable; keys beyond `valid` get no meaningful rank.
    template <class W, class Digit, class Publish>
    __device__ __forceinline__ uint32_t any_order(const W (&keys)[ITEMS], int base, int valid,
                                                  const Digit& digit, PackedRanks<ITEMS>& ranks,
                                                  uint32_t& count, const Publish& publish) {
        if (threadIdx.x < DIGITS) counts[threadIdx.x] = 0;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            if (base + 32 * i < valid) ranks.set(i, atomicAdd(&counts[digit.Digit(keys[i])], 1u));
        __syncthreads();
        if (threadIdx.x < DIGITS) {
            count = counts[threadIdx.x];
            publish();
        }
        const uint32_t before = scan(count);
        if (threadIdx.x < DIGITS) counts[threadIdx.x] = before;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < ITEMS; i++) ranks.add(i, counts[digit.Digit(keys[i])]);
        return before;
    }

  private:
    // The lanes with the same digit.
    static __device__ __forceinline__ uint32_t lanes_of(uint32_t digit) {
        uint32_t lanes = ~0u;
#pragma unroll
        for (int bit = 0; bit < 8; bit++) {
            const bool set = digit >> bit & 1;
            const uint32_t with = warp::ballot(set);
            lanes &= set ? with : ~with;
        }
        return lanes;
    }

    // The sum of the counts of lower digits.
    __device__ __forceinline__ uint32_t scan(uint32_t count) {
        return block::exclusive_sum<DIGITS, (THREADS > DIGITS)>(count, of_warps);
    }
};

}  // namespace gpunp
