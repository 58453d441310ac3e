// The split: moves the elements of the segments that hold ranks to the next level.
#pragma once
#include "gpunp/common/warp.h"
#include "gpunp/sorting/selection_keys.h"
#include "gpunp/sorting/selection_state.h"

namespace gpunp {

constexpr int SELECTION_WARPS = SELECTION_BLOCK / 32;
// The sides of a partition; in a selection, each rank's segment is a side instead.
enum SelectionSide : int { SIDE_LESS, SIDE_WITHIN, SIDE_GREATER, SELECTION_SIDES };
constexpr uint32_t SIDE_NONE = 255;

// By one warp: decoupled lookback. Returns the elements of a side in the preceding tiles, and publishes this
// tile's count. A word is a count and, in the two low bits, 1 if it is of the tile only, 2 if it includes all
// preceding tiles, 0 if it is not yet published.
__device__ __forceinline__ uint64_t look_back_count(volatile uint64_t* words, int64_t tile, uint64_t own) {
    const int lane = threadIdx.x & 31;
    if (lane == 0) words[tile] = own << 2 | (tile == 0 ? 2 : 1);
    uint64_t sum = 0;
    for (int64_t at = tile - 1; at >= 0; at -= 32) {
        uint64_t word;
        do {
            word = at - lane >= 0 ? words[at - lane] : 2;
        } while (warp::any((word & 3) == 0));
        const unsigned whole = warp::ballot((word & 3) == 2);
        // Lanes beyond the nearest tile with an inclusive sum contribute nothing.
        sum += warp::sum(lane <= (whole ? __ffs(whole) - 1 : 31) ? word >> 2 : 0);
        if (whole) break;
    }
    if (lane == 0 && tile > 0) words[tile] = (sum + own) << 2 | 2;
    return sum;
}

// By a whole block: finds which side each digit of the level belongs to, and in `used` whether the side
// numbered as this thread receives elements. Returns whether any element has to move.
template <class U>
__device__ __forceinline__ bool find_sides(const SelectionParams& p, const SelectionBlock& block,
                                           const SelectionSegment& segment, uint8_t* sides, bool* used) {
    const int count = 1 << digits_of(segment).bits;
    *used = p.partition && threadIdx.x < SELECTION_SIDES;
    if (p.partition) {
        const SelectionRank rank = rank_at(p, p.level + 1, block.row, 0);
        for (int i = threadIdx.x; i < count; i += SELECTION_BLOCK)
            sides[i] = i < rank.digit ? SIDE_LESS : i == rank.digit ? SIDE_WITHIN : SIDE_GREATER;
        return p.last || !segment_at<U>(p, p.level + 1, block.row, 0).kept;
    }
    for (int i = threadIdx.x; i < count; i += SELECTION_BLOCK) sides[i] = SIDE_NONE;
    __syncthreads();
    if (threadIdx.x < p.num_ranks) {
        const int j = threadIdx.x;
        const SelectionRank rank = rank_at(p, p.level + 1, block.row, j);
        if (rank_at(p, p.level, block.row, j).segment == block.slot && rank.segment == j &&
            !segment_at<U>(p, p.level + 1, block.row, j).kept) {
            sides[rank.digit] = (uint8_t)j;
            *used = true;
        }
    }
    return __syncthreads_or(*used);
}

template <class U>
struct SplitTarget {
    U* elements;
    int64_t* indices;
};

// The start of a side's elements.
template <class U>
__device__ __forceinline__ SplitTarget<U> split_target(const SelectionParams& p, int64_t row, int side) {
    const SelectionSegment next = segment_at<U>(p, p.level + 1, row, p.partition ? 0 : side);
    if (!p.partition || (side == SIDE_WITHIN && !p.last)) {
        int64_t* indices =
            p.indices ? p.scratch_indices[next.place - 1] + row * p.length + next.offset : nullptr;
        return {scratch_of<U>(p, row, next.place) + next.offset, indices};
    }
    const SelectionRank rank = rank_at(p, p.level + 1, row, 0);
    int64_t at = row * p.length;
    if (side == SIDE_LESS)
        at += rank_at(p, p.level, row, 0).less;
    else
        at += rank.less + (side == SIDE_GREATER ? next.count : 0);
    if (p.indices) return {nullptr, p.indices + at};
    return {reinterpret_cast<U*>(p.out) + at, nullptr};
}

// Turns the warps' counts into offsets in the tile, and finds the tile's start on each side.
__device__ __forceinline__ void place_sides(const SelectionParams& p, const SelectionBlock& block,
                                            int64_t tile, int num_sides, uint32_t (*counts)[SELECTION_RANKS],
                                            uint64_t* starts) {
    const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
    uint64_t own = 0;
    const int side = p.partition ? warp : tid;
    if (side < num_sides)
        for (int w = 0; w < SELECTION_WARPS; w++) own += counts[w][side];
    if (p.partition && warp < SELECTION_SIDES) {
        uint64_t* words = p.lookback + ((p.level * p.rows + block.row) * SELECTION_SIDES + side) * p.tiles;
        const uint64_t at = look_back_count(words, tile, own);
        if (lane == 0) starts[side] = at;
    } else if (!p.partition && tid < num_sides && own > 0) {
        starts[tid] = atomicAdd((unsigned long long*)p.cursors + slot_at(p, block.row, tid), own);
    }
    __syncthreads();
    if (tid < num_sides) {
        uint32_t sum = 0;
        for (int w = 0; w < SELECTION_WARPS; w++) {
            const uint32_t count = counts[w][tid];
            counts[w][tid] = sum;
            sum += count;
        }
    }
}

template <class U>
__device__ void selection_split(const SelectionParams& p) {
    __shared__ uint8_t sides[SELECTION_BINS];
    __shared__ uint32_t counts[SELECTION_WARPS][SELECTION_RANKS];
    __shared__ uint64_t starts[SELECTION_RANKS];
    __shared__ SplitTarget<U> targets[SELECTION_RANKS];
    __shared__ int64_t ticket;
    const SelectionBlock block = block_of(p);
    const SelectionSegment segment = segment_at<U>(p, p.level, block.row, block.slot);
    const int64_t tiles = (segment.count + SELECTION_TILE - 1) / SELECTION_TILE;
    if (block.index >= tiles) return;
    bool used;
    if (!find_sides<U>(p, block, segment, sides, &used)) return;
    const int num_sides = p.partition ? SELECTION_SIDES : p.num_ranks;
    const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
    const unsigned before = warp::lanes_before(lane);
    if (used) targets[tid] = split_target<U>(p, block.row, tid);
    const U* source = elements_of<U>(p, block.row, segment);
    const int64_t* source_indices = nullptr;
    if (p.indices && segment.place != 0)
        source_indices = p.scratch_indices[segment.place - 1] + block.row * p.length + segment.offset;
    const U base = (U)segment.base;
    const int shift = digits_of(segment).shift;
    for (int64_t tile = block.index;; tile += p.blocks) {
        if (tid < SELECTION_WARPS * SELECTION_RANKS) counts[tid / SELECTION_RANKS][tid % SELECTION_RANKS] = 0;
        // Tiles of a partition are drawn in order, so that all preceding ones are done or in progress.
        if (p.partition && tid == 0)
            ticket = (int64_t)atomicAdd((unsigned long long*)p.tickets + p.level * p.rows + block.row, 1ull);
        __syncthreads();
        if (p.partition) tile = ticket;
        if (tile >= tiles) return;
        // A warp holds contiguous elements; those it sends to one side remain contiguous.
        const int64_t start = tile * SELECTION_TILE + warp * (32 * SELECTION_ITEMS) + lane;
        U raw[SELECTION_ITEMS];
        uint32_t place[SELECTION_ITEMS];
        uint32_t less_sent = 0, within_sent = 0, greater_sent = 0;
#pragma unroll
        for (int i = 0; i < SELECTION_ITEMS; i++)
            raw[i] = start + i * 32 < segment.count ? source[start + i * 32] : (U)0;
#pragma unroll
        for (int i = 0; i < SELECTION_ITEMS; i++) {
            const U key = selection_key(raw[i], p.kind);
            const uint32_t side =
                start + i * 32 < segment.count ? sides[(U)(key - base) >> shift] : SIDE_NONE;
            uint32_t local = 0;
            if (p.partition) {
                const unsigned less = warp::ballot(side == SIDE_LESS);
                const unsigned within = warp::ballot(side == SIDE_WITHIN);
                const unsigned greater = warp::ballot(side == SIDE_GREATER);
                const unsigned same = side == SIDE_LESS ? less : side == SIDE_WITHIN ? within : greater;
                const uint32_t sent = side == SIDE_LESS     ? less_sent
                                      : side == SIDE_WITHIN ? within_sent
                                                            : greater_sent;
                local = sent + __popc(same & before);
                less_sent += __popc(less);
                within_sent += __popc(within);
                greater_sent += __popc(greater);
                place[i] = side << 16 | local;
                continue;
            }
            unsigned todo = warp::ballot(side != SIDE_NONE);
            while (todo) {
                const int leader = __ffs(todo) - 1;
                const uint32_t chosen = warp::shuffle(side, leader);
                const unsigned same = warp::ballot(side == chosen);
                const uint32_t sent = counts[warp][chosen];
                if (side == chosen) local = sent + __popc(same & before);
                __syncwarp();
                if (lane == leader) counts[warp][chosen] = sent + __popc(same);
                __syncwarp();
                todo &= ~same;
            }
            place[i] = side << 16 | local;
        }
        if (p.partition && lane == 0) {
            counts[warp][SIDE_LESS] = less_sent;
            counts[warp][SIDE_WITHIN] = within_sent;
            counts[warp][SIDE_GREATER] = greater_sent;
        }
        __syncthreads();
        place_sides(p, block, tile, num_sides, counts, starts);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < SELECTION_ITEMS; i++) {
            const uint32_t to = place[i] >> 16;
            if (to == SIDE_NONE) continue;
            const uint64_t at = starts[to] + counts[warp][to] + (place[i] & 0xffff);
            const SplitTarget<U> target = targets[to];
            if (target.elements) target.elements[at] = raw[i];
            if (target.indices)
                target.indices[at] = source_indices ? source_indices[start + i * 32] : start + i * 32;
        }
        __syncthreads();
    }
}

}  // namespace gpunp
