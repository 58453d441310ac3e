// Partitions of long rows: what is within the window of the rank goes on, all else to its end of the result.
//
// Each tile tells how much of it is below and above the window. One warp of all blocks adds these up and
// tells each tile where its parts go. Before a block asks for that, it has told of its next tile too.
#pragma once
#include "gpunp/common/warp.h"
#include "gpunp/sorting/selection_windows.h"

namespace gpunp {

// What the tiles of a row tell each other: a word is zero until it is known.
struct ApartWords {
    volatile uint64_t* counts;          // of a tile: 1, below the window from bit 1 on, above from bit 32 on
    volatile uint64_t *less, *greater;  // before the tile, times two, plus one

    __device__ ApartWords(const SelectionParams& p, int64_t row) {
        counts = p.window_lookback + row * 3 * p.window_tiles;
        less = counts + p.window_tiles;
        greater = less + p.window_tiles;
    }
};

// By one warp: the sums of all tiles before each, as soon as their counts are known.
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

// A partition: a tile is put in order in shared memory, so that each side is written by neighbours.
template <class U>
__device__ void selection_apart(const SelectionParams& p) {
    constexpr int ITEMS = WINDOW_ITEMS<U>, TILE = SELECTION_BLOCK * ITEMS;
    __shared__ U stage[TILE];
    __shared__ uint32_t counts[SELECTION_WARPS];
    __shared__ int64_t starts[2], first_tile, next_tile;
    static_assert(sizeof(U) >= 2, "positions in a tile have 16 bits");
    uint16_t* positions = reinterpret_cast<uint16_t*>(stage);
    const SelectionBlock block = block_of(p);
    SelectionWindows* all = p.windows + block.row;
    const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
    if (all->count == 0) {
        if (block.index == 0) finish_windows<U>(p, block.row);
        return;
    }
    const U low = (U)all->low[0], high = (U)all->high[0];
    const U* source = reinterpret_cast<const U*>(p.data) + block.row * p.length;
    U* scratch = scratch_of<U>(p, block.row, 1);
    U* out = p.indices ? nullptr : reinterpret_cast<U*>(p.out) + block.row * p.length;
    int64_t* out_indices = p.indices ? p.indices + block.row * p.length : nullptr;
    int64_t* scratch_indices = p.indices ? p.scratch_indices[0] + block.row * p.length : nullptr;
    const int64_t tiles = (p.length + TILE - 1) / TILE;
    const ApartWords words(p, block.row);
    const QuickKey<U> quick(p.kind);
    const int own = warp * (32 * ITEMS) + lane;
    // Tiles are taken in turn, so that those before are done or under way; each is known two ahead. The
    // block that comes first adds up, but for one that is alone.
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
    U raw[ITEMS];
    // What is known of the tile in `raw`: masks of the thread's elements, and the counts before and in all.
    uint32_t less, greater, before, total;
    const auto load = [&](int64_t next) {
        const int64_t first = next * TILE + own;
        if ((next + 1) * TILE <= p.length) {
#pragma unroll
            for (int i = 0; i < ITEMS; i++) raw[i] = source[first + i * 32];
        } else {
#pragma unroll
            for (int i = 0; i < ITEMS; i++)
                raw[i] = first + i * 32 < p.length ? source[first + i * 32] : (U)0;
        }
    };
    const auto held_by = [&](int64_t tile) {
        return p.length - tile * TILE < TILE ? (int)(p.length - tile * TILE) : TILE;
    };
    const auto valid_of = [&](int held) {
        uint32_t valid = (1u << ITEMS) - 1;
        if (held < TILE) {
            valid = 0;
#pragma unroll
            for (int i = 0; i < ITEMS; i++) valid |= (uint32_t)(own + i * 32 < held) << i;
        }
        return valid;
    };
    int64_t next = 0;       // of the first thread: the tile after the next
    int64_t own_start = 0;  // of two threads, where no other block has tiles
    const auto count = [&](int64_t tile) {
        const uint32_t valid = valid_of(held_by(tile));
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
        // Sixteen bits for each side, of a warp and of the tile.
        const uint32_t mine = __popc(less) | __popc(greater) << 16;
        const uint32_t inclusive = warp::inclusive_sum(mine, lane);
        if (lane == 31) counts[warp] = inclusive;
        if (tid == 0) next_tile = next;
        __syncthreads();
        const uint32_t of_warp = lane < SELECTION_WARPS ? counts[lane] : 0;
        const uint32_t up_to_warp = warp::inclusive_sum(of_warp, lane);
        total = warp::shuffle(up_to_warp, 31);
        if (tid == 0) words.counts[tile] = (uint64_t)(total >> 16) << 32 | (total & 0xffff) << 1 | 1;
        before = warp::shuffle(up_to_warp - of_warp, warp) + inclusive - mine;
    };
    int64_t following = 0;
    if (tile < tiles) {
        if (tid == 0) next = take();
        load(tile);
        count(tile);
        following = next_tile;
        if (tid == 0) next = take();
        __syncthreads();
    }
    while (tile < tiles) {
        const int64_t first = tile * TILE;
        const int held = held_by(tile);
        const int num_less = (int)(total & 0xffff), num_greater = (int)(total >> 16);
        const int less_end = num_less, within_end = held - num_greater;
        int less_at = (int)(before & 0xffff), greater_at = (int)(before >> 16);
        // Elements before this thread's: in the warps and lanes before.
        int within_at = warp * 32 * ITEMS < held ? warp * 32 * ITEMS : held;
        if (held == TILE) {
            within_at += lane * ITEMS;
        } else {
            const uint32_t n = __popc(valid_of(held));
            within_at += (int)(warp::inclusive_sum(n, lane) - n);
        }
        within_at += num_less - less_at - greater_at;
        greater_at += within_end;
        // Calls `put` with the place in the tile of each of the thread's elements.
        const auto place = [&](auto put) {
#pragma unroll
            for (int i = 0; i < ITEMS; i++) {
                const bool is_less = less >> i & 1, is_greater = greater >> i & 1;
                put(is_less ? less_at : is_greater ? greater_at : within_at, i);
                less_at += is_less;
                greater_at += is_greater;
                within_at += !(is_less || is_greater);
            }
        };
        if (p.indices)
            place([&](int at, int i) {
                if (own + i * 32 < held) positions[at] = (uint16_t)(own + i * 32);
            });
        else if (held == TILE)
            place([&](int at, int i) { stage[at] = raw[i]; });
        else
            place([&](int at, int i) {
                if (own + i * 32 < held) stage[at] = raw[i];
            });
        if (following < tiles) {
            load(following);
            count(following);
            if (tid == 0) next = take();
        }
        if (warp == 1 && lane < 2) {
            if (alone) {
                starts[lane] = own_start;
                own_start += lane ? num_greater : num_less;
            } else {
                volatile uint64_t* at = (lane ? words.greater : words.less) + tile;
                uint64_t word;
                do {
                    word = *at;
                } while (word == 0);
                starts[lane] = (int64_t)(word >> 1);
            }
        }
        __syncthreads();
        const int64_t less_start = starts[0];
        const int64_t within_start = first - starts[0] - starts[1] - num_less;
        // From the end of the row backwards.
        const int64_t greater_end = p.length - 1 - starts[1] + within_end;
        if (p.indices) {
            for (int k = tid; k < held; k += SELECTION_BLOCK) {
                const bool is_less = k < less_end, is_within = !is_less && k < within_end;
                const int64_t at = is_less ? less_start + k : is_within ? within_start + k : greater_end - k;
                const int64_t index = first + positions[k];
                if (is_within) scratch[at] = source[index];
                (is_within ? scratch_indices : out_indices)[at] = index;
            }
        } else {
#pragma unroll 4
            for (int k = tid; k < less_end; k += SELECTION_BLOCK) out[less_start + k] = stage[k];
            for (int k = less_end + tid; k < within_end; k += SELECTION_BLOCK)
                scratch[within_start + k] = stage[k];
#pragma unroll 4
            for (int k = within_end + tid; k < held; k += SELECTION_BLOCK) out[greater_end - k] = stage[k];
        }
        if (tile == tiles - 1) {
            // The last tile knows all sums.
            if (tid == 0) {
                all->less[0] = starts[0] + num_less;
                all->within[0] = p.length - starts[0] - num_less - starts[1] - num_greater;
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
