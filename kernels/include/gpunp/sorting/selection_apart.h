// Partition of long rows: elements within the window of the rank go to scratch, others to their final side.
//
// Each tile publishes its counts of elements below and above the window. A single warp per row scans these
// and publishes the offsets of each tile. Blocks publish the counts of their next tile before waiting.
#pragma once
#include "gpunp/common/warp.h"
#include "gpunp/sorting/selection_windows.h"

namespace gpunp {

// Words through which the tiles of a row communicate: a word is zero until it is published. Volatile, because
// other blocks poll them; flag and value share a word, so no fence is needed.
struct ApartWords {
    volatile uint64_t* counts;          // by tile: bit 0 set, below the window from bit 1, above from bit 32
    volatile uint64_t *less, *greater;  // by tile: 2 * (count in preceding tiles) + 1

    __device__ ApartWords(const SelectionParams& p, int64_t row) {
        counts = p.window_lookback + row * 3 * p.window_tiles;
        less = counts + p.window_tiles;
        greater = less + p.window_tiles;
    }
    // Waits for the count of elements below (side 0) or above (side 1) the window in preceding tiles.
    __device__ __forceinline__ int64_t before(int side, int64_t tile) const {
        volatile uint64_t* at = (side ? greater : less) + tile;
        uint64_t word;
        do {
            word = *at;
        } while (word == 0);
        return (int64_t)(word >> 1);
    }
};

// By one warp: publishes for each tile the sums over the preceding tiles, as soon as their counts are known.
__device__ __forceinline__ void add_up_tiles(const ApartWords& words, int64_t tiles) {
    constexpr int EACH = 4;
    const int lane = threadIdx.x & 31;
    uint64_t less = 0, greater = 0;
    for (int64_t first = 0; first < tiles;) {
        uint64_t word[EACH];
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            const int64_t at = first + lane * EACH + i;
            word[i] = at < tiles ? words.counts[at] : 0;
        }
        int known = 0;
        uint64_t sum = 0;
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            if (known < i || !(word[i] & 1)) word[i] = 0;
            known += word[i] != 0;
            sum += word[i] >> 1;
        }
        const unsigned open = warp::ballot(known < EACH);
        const int last = open ? __ffs(open) - 1 : 31;
        if (lane > last) {
            known = 0;
            sum = 0;
        }
        const uint64_t inclusive = warp::inclusive_sum(sum, lane);
        uint64_t before = inclusive - sum;
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            const int64_t at = first + lane * EACH + i;
            if (i < known) {
                words.less[at] = (less + (before & 0x7fffffff)) << 1 | 1;
                words.greater[at] = (greater + (before >> 31)) << 1 | 1;
            }
            before += word[i] >> 1;
        }
        const uint64_t total = warp::shuffle(inclusive, 31);
        less += total & 0x7fffffff;
        greater += total >> 31;
        first += last * EACH + warp::shuffle(known, last);
    }
}

// The next positions of the three parts in an ordered tile.
struct ApartPlace {
    int less, within, greater;
};

// A tile in the registers of its block: each thread holds every 32nd element of its warp's part.
template <class U>
struct ApartTile {
    static constexpr int ITEMS = WINDOW_ITEMS<U>, SIZE = SELECTION_BLOCK * ITEMS;
    U raw[ITEMS];
    uint32_t less, greater;  // masks of the thread's elements
    uint32_t before, total;  // less from bit 0, greater from bit 16: before the thread, and in the tile

    __device__ __forceinline__ static int own_place() {
        return (threadIdx.x >> 5) * (32 * ITEMS) + (threadIdx.x & 31);
    }
    // The number of elements in a tile; only the last tile may have fewer than SIZE.
    __device__ __forceinline__ static int held_by(int64_t tile, int64_t length) {
        return length - tile * SIZE < SIZE ? (int)(length - tile * SIZE) : SIZE;
    }
    // The mask of the thread's elements that exist in a tile of `held` elements.
    __device__ __forceinline__ static uint32_t valid_of(int held) {
        uint32_t valid = (1u << ITEMS) - 1;
        if (held < SIZE) {
            valid = 0;
#pragma unroll
            for (int i = 0; i < ITEMS; i++) valid |= (uint32_t)(own_place() + i * 32 < held) << i;
        }
        return valid;
    }
    __device__ __forceinline__ void load(const U* source, int64_t length, int64_t tile) {
        const int64_t first = tile * SIZE + own_place();
        if ((tile + 1) * SIZE <= length) {
#pragma unroll
            for (int i = 0; i < ITEMS; i++) raw[i] = source[first + i * 32];
        } else {
#pragma unroll
            for (int i = 0; i < ITEMS; i++) raw[i] = first + i * 32 < length ? source[first + i * 32] : (U)0;
        }
    }
    // Sets the masks of elements below and above the window.
    __device__ __forceinline__ void compare(const QuickKey<U>& quick, U low, U high, uint32_t valid) {
        less = greater = 0;
        U farthest = 0;
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            const U key = quick(raw[i]), distance = (U)(key - quick.least);
            farthest = distance > farthest ? distance : farthest;
            if (key < low) less |= 1u << i;
            if (key > high) greater |= 1u << i;
        }
        if (warp::any(farthest > quick.range)) {
#pragma unroll
            for (int i = 0; i < ITEMS; i++) {
                if (!quick.is_nan(quick(raw[i]))) continue;
                less &= ~(1u << i);
                greater = (greater & ~(1u << i)) | (uint32_t)(greatest_key<U>() > high) << i;
            }
        }
        less &= valid;
        greater &= valid;
    }
    // Scans the counts of both sides over the block; `counts` has one word per warp. The first thread calls
    // `tell` before the barrier.
    template <class Tell>
    __device__ __forceinline__ void count(uint32_t* counts, Tell tell) {
        const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
        const uint32_t mine = __popc(less) | __popc(greater) << 16;
        const uint32_t inclusive = warp::inclusive_sum(mine, lane);
        if (lane == 31) counts[warp] = inclusive;
        if (threadIdx.x == 0) tell();
        __syncthreads();
        const uint32_t of_warp = lane < SELECTION_WARPS ? counts[lane] : 0;
        const uint32_t up_to_warp = warp::inclusive_sum(of_warp, lane);
        total = warp::shuffle(up_to_warp, 31);
        before = warp::shuffle(up_to_warp - of_warp, warp) + inclusive - mine;
    }
    // Positions of the thread's first elements in the ordered tile: below the window, within it, above it.
    __device__ __forceinline__ ApartPlace first_place(int held) const {
        const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
        const int num_less = (int)(total & 0xffff), num_greater = (int)(total >> 16);
        const int less_before = (int)(before & 0xffff), greater_before = (int)(before >> 16);
        // Elements held by the preceding warps and lanes.
        int all_before = warp * 32 * ITEMS < held ? warp * 32 * ITEMS : held;
        if (held == SIZE) {
            all_before += lane * ITEMS;
        } else {
            const uint32_t n = __popc(valid_of(held));
            all_before += (int)(warp::inclusive_sum(n, lane) - n);
        }
        return {less_before, num_less + all_before - less_before - greater_before,
                held - num_greater + greater_before};
    }
    // Calls `put` with the position of each of the thread's elements.
    template <class Put>
    __device__ __forceinline__ void place(ApartPlace at, Put put) const {
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            const bool is_less = less >> i & 1, is_greater = greater >> i & 1;
            put(is_less ? at.less : is_greater ? at.greater : at.within, i);
            at.less += is_less;
            at.greater += is_greater;
            at.within += !(is_less || is_greater);
        }
    }
};

// Where the parts of an ordered tile go. Position k of the tile goes to less + k, within + k, or, above the
// window, backward from the end of the row to greater - k.
struct ApartTarget {
    int64_t less, within, greater;
    int less_end, within_end, held;  // in the tile
};

template <class U>
__device__ __forceinline__ void write_apart(const SelectionParams& p, int64_t row, const ApartTarget& to,
                                            const U* stage, int64_t first) {
    const int tid = threadIdx.x;
    U* scratch = scratch_of<U>(p, row, 1);
    if (p.indices) {
        const uint16_t* positions = reinterpret_cast<const uint16_t*>(stage);
        const U* source = reinterpret_cast<const U*>(p.data) + row * p.length;
        int64_t* out_indices = p.indices + row * p.length;
        int64_t* scratch_indices = p.scratch_indices[0] + row * p.length;
        for (int k = tid; k < to.held; k += SELECTION_BLOCK) {
            const bool is_less = k < to.less_end, is_within = !is_less && k < to.within_end;
            const int64_t at = is_less ? to.less + k : is_within ? to.within + k : to.greater - k;
            const int64_t index = first + positions[k];
            if (is_within) scratch[at] = source[index];
            (is_within ? scratch_indices : out_indices)[at] = index;
        }
    } else {
        U* out = reinterpret_cast<U*>(p.out) + row * p.length;
#pragma unroll 4
        for (int k = tid; k < to.less_end; k += SELECTION_BLOCK) out[to.less + k] = stage[k];
        for (int k = to.less_end + tid; k < to.within_end; k += SELECTION_BLOCK)
            scratch[to.within + k] = stage[k];
#pragma unroll 4
        for (int k = to.within_end + tid; k < to.held; k += SELECTION_BLOCK) out[to.greater - k] = stage[k];
    }
}

// Each tile is ordered in shared memory first, so that the writes to each side are coalesced.
template <class U>
__device__ void selection_apart(const SelectionParams& p) {
    using Tile = ApartTile<U>;
    __shared__ U stage[Tile::SIZE];
    __shared__ uint32_t counts[SELECTION_WARPS];
    __shared__ int64_t starts[2], first_tile, next_tile;
    static_assert(sizeof(U) >= 2, "the stage also holds 16-bit positions");
    const SelectionBlock block = block_of(p);
    SelectionWindows* all = p.windows + block.row;
    const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5, own = Tile::own_place();
    if (all->count == 0) {
        if (block.index == 0) finish_windows<U>(p, block.row);
        return;
    }
    const U low = (U)all->low[0], high = (U)all->high[0];
    const U* source = reinterpret_cast<const U*>(p.data) + block.row * p.length;
    const int64_t tiles = (p.length + Tile::SIZE - 1) / Tile::SIZE;
    const ApartWords words(p, block.row);
    const QuickKey<U> quick(p.kind);
    // Tiles are drawn in order, so that all preceding ones are done or in progress, and two ahead. The block
    // with the first ticket scans the counts, unless it is the only block: that needs no scan.
    unsigned long long* const tickets = (unsigned long long*)&all->ticket;
    const bool alone = p.blocks == 1;
    const auto take = [&]() { return (int64_t)atomicAdd(tickets, 1ull) - (alone ? 0 : 1); };
    if (tid == 0) first_tile = take();
    __syncthreads();
    int64_t tile = first_tile;
    if (tile < 0) {
        if (warp == 0) add_up_tiles(words, tiles);
        return;
    }
    Tile data;
    int64_t next = 0;       // thread 0 only: the tile after the following one
    int64_t own_start = 0;  // lanes 0 and 1 of warp 1, if alone: running sums of either side
    const auto count = [&](int64_t tile) {
        data.load(source, p.length, tile);
        data.compare(quick, low, high, Tile::valid_of(Tile::held_by(tile, p.length)));
        data.count(counts, [&]() { next_tile = next; });
        if (tid == 0)
            words.counts[tile] = (uint64_t)(data.total >> 16) << 32 | (data.total & 0xffff) << 1 | 1;
    };
    int64_t following = 0;
    if (tile < tiles) {
        if (tid == 0) next = take();
        count(tile);
        following = next_tile;
        if (tid == 0) next = take();
        __syncthreads();
    }
    while (tile < tiles) {
        const int64_t first = tile * Tile::SIZE;
        const int held = Tile::held_by(tile, p.length);
        const int num_less = (int)(data.total & 0xffff), num_greater = (int)(data.total >> 16);
        const ApartPlace place = data.first_place(held);
        if (p.indices)
            data.place(place, [&](int at, int i) {
                if (own + i * 32 < held) reinterpret_cast<uint16_t*>(stage)[at] = (uint16_t)(own + i * 32);
            });
        else if (held == Tile::SIZE)
            data.place(place, [&](int at, int i) { stage[at] = data.raw[i]; });
        else
            data.place(place, [&](int at, int i) {
                if (own + i * 32 < held) stage[at] = data.raw[i];
            });
        if (following < tiles) {
            count(following);
            if (tid == 0) next = take();
        }
        if (warp == 1 && lane < 2) {
            if (alone) {
                starts[lane] = own_start;
                own_start += lane ? num_greater : num_less;
            } else {
                starts[lane] = words.before(lane, tile);
            }
        }
        __syncthreads();
        const int64_t less = starts[0], greater = starts[1];
        const int within_end = held - num_greater;
        write_apart<U>(p, block.row,
                       {less, first - less - greater - num_less, p.length - 1 - greater + within_end,
                        num_less, within_end, held},
                       stage, first);
        if (tile == tiles - 1) {
            // The last tile has the sums of the whole row.
            if (tid == 0) {
                all->less[0] = less + num_less;
                all->within[0] = p.length - less - num_less - greater - num_greater;
                __threadfence();
            }
            __syncthreads();
            finish_windows<U>(p, block.row);
            return;
        }
        tile = following;
        following = next_tile;
        __syncthreads();
    }
}

}  // namespace gpunp
