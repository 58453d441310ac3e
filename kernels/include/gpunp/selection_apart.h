// Partitions of long rows: what is within the window of the rank goes on, all else to its end of the result.
#pragma once
#include "gpunp/selection_windows.h"
#include "gpunp/warp_sums.h"

namespace gpunp {

// A partition: a tile is put in order in shared memory, so that each side is written by neighbours.
template <class U>
__device__ void selection_apart(const SelectionParams& p) {
    constexpr int ITEMS = WINDOW_ITEMS<U>, TILE = SELECTION_BLOCK * ITEMS;
    __shared__ U stage[TILE];
    __shared__ uint32_t counts[SELECTION_SIDES][32], totals[SELECTION_SIDES];
    __shared__ uint64_t starts[SELECTION_SIDES];
    __shared__ int64_t ticket;
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
    const QuickKey<U> quick(p.kind);
    // Tiles are taken in turn, so that those before are done or under way; each is known one ahead.
    unsigned long long* const tickets = (unsigned long long*)&all->ticket;
    int64_t next = tid == 0 ? (int64_t)atomicAdd(tickets, 1ull) : 0;
    for (;;) {
        if (tid == 0) {
            ticket = next;
            next = (int64_t)atomicAdd(tickets, 1ull);
        }
        __syncthreads();
        const int64_t tile = ticket, first = tile * TILE;
        if (tile >= tiles) return;
        const int own = warp * (32 * ITEMS) + lane;
        const int held = p.length - first < TILE ? (int)(p.length - first) : TILE;
        U raw[ITEMS];
        uint32_t less = 0, greater = 0, valid = 0;
        if (held == TILE) {
#pragma unroll
            for (int i = 0; i < ITEMS; i++) raw[i] = source[first + own + i * 32];
            valid = (1u << ITEMS) - 1;
        } else {
#pragma unroll
            for (int i = 0; i < ITEMS; i++) {
                raw[i] = own + i * 32 < held ? source[first + own + i * 32] : (U)0;
                if (own + i * 32 < held) valid |= 1u << i;
            }
        }
        U farthest = 0;
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            const U key = quick(raw[i]), distance = (U)(key - quick.least);
            farthest = distance > farthest ? distance : farthest;
            if (key < low) less |= 1u << i;
            if (key > high) greater |= 1u << i;
        }
        if (__any_sync(~0u, farthest > quick.range)) {
#pragma unroll
            for (int i = 0; i < ITEMS; i++) {
                if (!quick.is_nan(quick(raw[i]))) continue;
                less &= ~(1u << i);
                greater = (greater & ~(1u << i)) | (uint32_t)(greatest_key<U>() > high) << i;
            }
        }
        less &= valid;
        greater &= valid;
        const uint32_t within = valid & ~(less | greater);
        // Ten bits for each side of a warp.
        const uint32_t mine = __popc(less) | __popc(within) << 10 | __popc(greater) << 20;
        uint32_t inclusive = sum_up_to_lane(mine, lane);
        if (lane == 31) {
            counts[SIDE_LESS][warp] = inclusive & 1023;
            counts[SIDE_WITHIN][warp] = inclusive >> 10 & 1023;
            counts[SIDE_GREATER][warp] = inclusive >> 20;
        }
        __syncthreads();
        if (warp < SELECTION_SIDES) {
            const uint32_t part = lane < SELECTION_WARPS ? counts[warp][lane] : 0;
            uint32_t sum = sum_up_to_lane(part, lane);
            counts[warp][lane] = sum - part;
            if (lane == 31) {
                totals[warp] = sum;
                // The tiles after need not wait for the staging.
                volatile uint64_t* words =
                    p.window_lookback + (block.row * SELECTION_SIDES + warp) * p.window_tiles;
                words[tile] = (uint64_t)sum << 2 | (tile == 0 ? 2 : 1);
            }
        }
        __syncthreads();
        const uint32_t num_less = totals[SIDE_LESS], num_within = totals[SIDE_WITHIN];
        const uint32_t before = inclusive - mine;
        uint32_t less_at = counts[SIDE_LESS][warp] + (before & 1023);
        uint32_t within_at = num_less + counts[SIDE_WITHIN][warp] + (before >> 10 & 1023);
        uint32_t greater_at = num_less + num_within + counts[SIDE_GREATER][warp] + (before >> 20);
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
            place([&](uint32_t at, int i) {
                if (own + i * 32 < held) positions[at] = (uint16_t)(own + i * 32);
            });
        else if (held == TILE)
            place([&](uint32_t at, int i) { stage[at] = raw[i]; });
        else
            place([&](uint32_t at, int i) {
                if (own + i * 32 < held) stage[at] = raw[i];
            });
        if (warp < SELECTION_SIDES) {
            uint64_t* words = p.window_lookback + (block.row * SELECTION_SIDES + warp) * p.window_tiles;
            const uint64_t at = look_back_count(words, tile, totals[warp]);
            if (lane == 0) starts[warp] = at;
        }
        __syncthreads();
        const int64_t less_start = (int64_t)starts[SIDE_LESS];
        const int64_t within_start = (int64_t)starts[SIDE_WITHIN] - num_less;
        // From the end of the row backwards.
        const int64_t greater_end = p.length - 1 - (int64_t)starts[SIDE_GREATER] + num_less + num_within;
        if (p.indices) {
            for (int k = tid; k < held; k += SELECTION_BLOCK) {
                const bool is_within = (uint32_t)k - num_less < num_within;
                const int64_t at = (uint32_t)k < num_less ? less_start + k
                                   : is_within            ? within_start + k
                                                          : greater_end - k;
                const int64_t index = first + positions[k];
                if (is_within) scratch[at] = source[index];
                (is_within ? scratch_indices : out_indices)[at] = index;
            }
        } else {
            const int less_end = (int)num_less, within_end = (int)(num_less + num_within);
#pragma unroll 4
            for (int k = tid; k < less_end; k += SELECTION_BLOCK) out[less_start + k] = stage[k];
            for (int k = less_end + tid; k < within_end; k += SELECTION_BLOCK)
                scratch[within_start + k] = stage[k];
#pragma unroll 4
            for (int k = within_end + tid; k < held; k += SELECTION_BLOCK) out[greater_end - k] = stage[k];
        }
        if (tile != tiles - 1) continue;
        // The last tile knows all sums.
        if (tid == 0) {
            all->less[0] = starts[SIDE_LESS] + num_less;
            all->within[0] = starts[SIDE_WITHIN] + num_within;
            __threadfence();
        }
        __syncthreads();
        finish_windows<U>(p, block.row);
    }
}

}  // namespace gpunp
