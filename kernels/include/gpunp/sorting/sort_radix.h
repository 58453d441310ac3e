// Rows too long for one block: a radix sort from the lowest digit, with one read and one write per digit.
//
// All digits of all keys are counted in one pass. Then, digit by digit from the lowest, each tile ranks its
// keys, sums the counts of each digit over the preceding tiles (decoupled lookback), and scatters its keys
// behind theirs. Digits in which all keys of a row agree are skipped.
#pragma once
#include "gpunp/kernel.h"
#include "gpunp/sorting/sort_keys.h"

#if GPUNP_ON_DEVICE
#include "gpunp/sorting/sort_count.h"
#include "gpunp/sorting/sort_rank.h"

namespace gpunp {

// A lookback word: flags in the two high bits, and a count of keys; both in one word, so no fence is needed.
enum : uint32_t {
    SORT_TILE_ONLY = 1u << 30,     // counts the tile's own keys
    SORT_TILE_AND_ALL = 2u << 30,  // also those of all preceding tiles
    SORT_SUM = (1u << 30) - 1,
};

__device__ __forceinline__ uint32_t load_word(const uint32_t* word) {
    return *reinterpret_cast<const volatile uint32_t*>(word);
}
__device__ __forceinline__ void store_word(uint32_t* word, uint32_t value) {
    *reinterpret_cast<volatile uint32_t*>(word) = value;
}

// V: the type of positions between passes.
// ANY_ORDER: the pass need not be stable if its step has SORT_ANY_ORDER.
template <class W, class V, bool PAIRS, bool ANY_ORDER, int THREADS, int ITEMS>
struct RadixSweep {
    static_assert(THREADS >= SORT_DIGITS, "one thread per digit");
    static constexpr int TILE = THREADS * ITEMS, DIGITS = SORT_DIGITS;
    using Rank = SortRank<THREADS, ITEMS>;
    struct Shared {
        union {
            Rank rank;
            W keys[TILE];
            V values[PAIRS ? TILE : 1];
        };
        // By digit: target of its first key minus that key's rank in the tile; then the same for positions.
        char* targets[DIGITS];
        uint32_t tile;
    };

    static __device__ __forceinline__ void run(const SortParams& p, Shared& s) {
        if (threadIdx.x == 0) s.tile = atomicAdd(p.counters + p.launch, 1u);
        // Most sorts are of one row: its step is loaded while the tile number is being drawn.
        uint32_t step = p.steps[p.pass];
        __syncthreads();
        const uint32_t tile = s.tile;
        uint32_t row = 0, local = tile;
        if (p.rows > 1) {
            row = tile / (uint32_t)p.portion_tiles;
            local = tile - row * (uint32_t)p.portion_tiles;
            step = p.steps[(int64_t)row * p.passes + p.pass];
        }
        if (!(step & SORT_ACTIVE)) return clear_other(p, tile);

        const int64_t begin = row * p.length, start = (p.first_tile + local) * TILE;
        const int valid = (int)min((int64_t)TILE, p.length - start);
        const int target = step & SORT_TARGET ? 1 : 0;
        const bool first = step & SORT_FIRST, last = step & SORT_LAST;
        // A warp's elements are contiguous, interleaved over its lanes, as the ranking requires.
        const int base = (threadIdx.x & ~31) * ITEMS + (threadIdx.x & 31);
        W keys[ITEMS];
        load_keys<32>(p, first ? p.input : p.keys[1 - target], begin + start, base, valid, first, keys);
        clear_other(p, tile);

        const SortDigit<W> digit{zero_rule<W>(p, 8 * p.pass), 8 * p.pass};
        uint32_t* const words = p.lookback + (p.launch & 1) * p.slots * DIGITS + (int64_t)tile * DIGITS;
        PackedRanks<ITEMS> ranks;
        uint32_t count = 0;
        const auto publish = [&] {
            store_word(words + threadIdx.x, count | (local == 0 ? SORT_TILE_AND_ALL : SORT_TILE_ONLY));
        };
        const bool any_order = ANY_ORDER && (step & SORT_ANY_ORDER);
        uint32_t lower;
        if (any_order)
            lower = s.rank.any_order(keys, base, valid, digit, ranks, count, publish);
        else
            lower = s.rank.in_order(keys, digit, ranks, count, publish);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            if (!any_order || base + 32 * i < valid) s.keys[ranks[i]] = keys[i];
        char* const to = static_cast<char*>(last ? p.output : p.keys[target]);
        const int size = sizeof(W) == 8 ? 8 : p.itemsize;
        int64_t position = 0;
        if (threadIdx.x < DIGITS) {
            position = look_back(p, words, row, local, count) - lower;
            s.targets[threadIdx.x] = to + (begin + position) * size;
        }
        V values[PAIRS ? ITEMS : 1];
        if constexpr (PAIRS) load_values(p, first, target, row, start, base, valid, values);
        __syncthreads();

        uint32_t digits[PAIRS ? (ITEMS + 3) / 4 : 1] = {};
        store_keys(p, s, to != nullptr, last, valid, digit, digits);
        if constexpr (PAIRS) {
            __syncthreads();
            if (threadIdx.x < DIGITS)
                s.targets[threadIdx.x] = last ? reinterpret_cast<char*>(p.order_out + begin + position)
                                              : reinterpret_cast<char*>(value_row(p, target, row) + position);
#pragma unroll
            for (int i = 0; i < ITEMS; i++) s.values[ranks[i]] = values[i];
            __syncthreads();
            if (last)
                store_values<int64_t>(s, valid, digits);
            else
                store_values<V>(s, valid, digits);
        }
    }

    // Clears the region that the previous launch used and the next launch will use.
    static __device__ __forceinline__ void clear_other(const SortParams& p, uint32_t tile) {
        uint32_t* const other = p.lookback + (~p.launch & 1) * p.slots * DIGITS;
        if (threadIdx.x < DIGITS)
            for (int64_t slot = tile; slot < p.slots; slot += gridDim.x)
                other[slot * DIGITS + threadIdx.x] = 0;
    }

    // The position in the row of the tile's first key with this thread's digit.
    static __device__ __forceinline__ int64_t look_back(const SortParams& p, uint32_t* words, uint32_t row,
                                                        uint32_t local, uint32_t count) {
        const uint64_t* before = p.portion == 0 ? p.bins + ((int64_t)row * p.passes + p.pass) * DIGITS
                                                : p.carry + (int64_t)(p.portion - 1) * DIGITS;
        const int64_t origin = (int64_t)before[threadIdx.x];
        uint32_t sum = count;
        if (local > 0) {
            for (const uint32_t* word = words - DIGITS + threadIdx.x;; word -= DIGITS) {
                uint32_t found;
                do {
                    found = load_word(word);
                } while (found == 0);
                sum += found & SORT_SUM;
                if (found & SORT_TILE_AND_ALL) break;
            }
            store_word(words + threadIdx.x, sum | SORT_TILE_AND_ALL);
        }
        // The last tile of a portion carries the positions over to the next portion.
        if (local + 1 == p.portion_tiles && p.first_tile + p.portion_tiles < p.tiles_per_row)
            p.carry[(int64_t)p.portion * DIGITS + threadIdx.x] = (uint64_t)(origin + sum);
        return origin + (sum - count);
    }

    // The second buffer is the final positions: its rows have the pitch of int64 positions.
    static __device__ __forceinline__ V* value_row(const SortParams& p, int buffer, int64_t row) {
        const int64_t pitch = p.length * (buffer ? (int64_t)sizeof(int64_t) : (int64_t)sizeof(V));
        return reinterpret_cast<V*>(static_cast<char*>(p.values[buffer]) + row * pitch);
    }

    static __device__ __forceinline__ void load_values(const SortParams& p, bool first, int target,
                                                       int64_t row, int64_t start, int base, int valid,
                                                       V (&values)[ITEMS]) {
        const V* stored = value_row(p, 1 - target, row) + start;
        const int64_t* order = p.order_in ? p.order_in + row * p.length + start : nullptr;
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            const int at = base + 32 * i;
            values[i] = (V)(start + at);
            if (at >= valid) continue;
            if (!first)
                values[i] = stored[at];
            else if (order)
                values[i] = (V)order[at];
        }
    }

    template <class T>
    static __device__ __forceinline__ void store_keys_as(const SortParams& p, Shared& s, bool wanted,
                                                         bool last, int valid, const SortDigit<W>& digit,
                                                         uint32_t* digits) {
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            const int at = (int)threadIdx.x + THREADS * i;
            const W key = s.keys[at];
            const uint32_t d = digit.Digit(key);
            // Four digits per register, kept for the positions.
            if (PAIRS) digits[i / 4] |= d << 8 * (i % 4);
            if (at < valid && wanted)
                reinterpret_cast<T*>(s.targets[d])[at] = (T)(last ? from_key(p, key) : key);
        }
    }
    static __device__ __forceinline__ void store_keys(const SortParams& p, Shared& s, bool wanted, bool last,
                                                      int valid, const SortDigit<W>& digit,
                                                      uint32_t* digits) {
        if (sizeof(W) == 8 || p.itemsize == 4)
            store_keys_as<W>(p, s, wanted, last, valid, digit, digits);
        else if (p.itemsize == 2)
            store_keys_as<uint16_t>(p, s, wanted, last, valid, digit, digits);
        else
            store_keys_as<uint8_t>(p, s, wanted, last, valid, digit, digits);
    }

    template <class T>
    static __device__ __forceinline__ void store_values(Shared& s, int valid, const uint32_t* digits) {
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            const int at = (int)threadIdx.x + THREADS * i;
            const uint32_t d = digits[i / 4] >> 8 * (i % 4) & (DIGITS - 1);
            if (at < valid) reinterpret_cast<T*>(s.targets[d])[at] = (T)s.values[at];
        }
    }
};

}  // namespace gpunp

#define GPUNP_SORT_SWEEP(symbol, W, V, PAIRS, ANY_ORDER, tile)                                  \
    extern "C" __global__ void __launch_bounds__(::gpunp::SORT_##tile##_BLOCK,                  \
                                                 ::gpunp::SORT_##tile##_BLOCKS)                 \
        symbol(const __grid_constant__::gpunp::SortParams p) {                                  \
        using Sweep = ::gpunp::RadixSweep<W, V, PAIRS, ANY_ORDER, ::gpunp::SORT_##tile##_BLOCK, \
                                          ::gpunp::SORT_##tile##_ITEMS>;                        \
        __shared__ typename Sweep::Shared shared;                                               \
        Sweep::run(p, shared);                                                                  \
    }
#define GPUNP_SORT_RADIX(W, first, keys, pairs)                                   \
    extern "C" __global__ void __launch_bounds__(::gpunp::SORT_COUNT_BLOCK)       \
        radix_count(const __grid_constant__::gpunp::SortParams p) {               \
        ::gpunp::radix_count<gpunp::W>(p);                                        \
    }                                                                             \
    GPUNP_SORT_SWEEP(radix_first_keys, ::gpunp::W, uint32_t, false, true, first)  \
    GPUNP_SORT_SWEEP(radix_sweep_keys, ::gpunp::W, uint32_t, false, false, keys)  \
    GPUNP_SORT_SWEEP(radix_sweep_pairs, ::gpunp::W, uint32_t, true, false, pairs) \
    GPUNP_SORT_SWEEP(radix_sweep_wide, ::gpunp::W, uint64_t, true, false, WIDE)
#else
// On the host `sorting_short` sorts rows of any length.
#define GPUNP_SORT_RADIX(W, first, keys, pairs)
#endif
