// Long rows, first step: windows of keys that hold the ranks, from a sample, and one pass over the row.
//
// The pass counts the elements below each window and keeps those within, a small part, for the levels. A
// partition also writes the others: the smaller from the start of the row, the greater from its end. The
// counts prove that a rank is in its window; if one is not, the levels start from the whole row.
#pragma once
#include "gpunp/selection_split.h"

namespace gpunp {

template <class U>
constexpr int SAMPLE = sizeof(U) == 8 ? SELECTION_SAMPLE / 2 : SELECTION_SAMPLE;
template <class U>
constexpr int WINDOW_ITEMS = sizeof(U) == 8 ? 8 : 16;

// By the last block that sampled in a row: ranks whose windows overlap share one.
__device__ __forceinline__ void merge_windows(const SelectionParams& p, SelectionWindows* all, int sample) {
    __shared__ uint64_t low[SELECTION_RANKS], high[SELECTION_RANKS];
    __shared__ int from[SELECTION_RANKS], to[SELECTION_RANKS], order[SELECTION_RANKS];
    const int n = p.num_ranks, j = threadIdx.x;
    if (j < n) {
        low[j] = __ldcg((const unsigned long long*)all->low + j);
        high[j] = __ldcg((const unsigned long long*)all->high + j);
        from[j] = __ldcg(all->sample_from + j);
        to[j] = __ldcg(all->sample_to + j);
    }
    __syncthreads();
    if (j < n) {
        int before = 0;
        for (int k = 0; k < n; k++) before += low[k] < low[j] || (low[k] == low[j] && k < j);
        order[before] = j;
    }
    __syncthreads();
    if (j != 0) return;
    int count = 0, held = 0;
    int64_t offset = 0;
    for (int i = 0; i < n;) {
        uint64_t end = high[order[i]];
        int last = to[order[i]];
        const int first = order[i];
        for (; i < n && low[order[i]] <= end; i++) {
            const int k = order[i];
            if (high[k] > end) end = high[k];
            if (to[k] > last) last = to[k];
            all->window[k] = count;
        }
        // Room for half as much again as the sample says, and a little.
        const int share = last - from[first];
        const int64_t room = (int64_t)((double)p.length * 1.5 * share / sample) + p.length / 64;
        all->low[count] = low[first];
        all->high[count] = end;
        all->offset[count] = offset;
        all->room[count] = p.partition ? p.length : room;
        held += share;
        offset += room;
        count++;
    }
    all->count = held * 4 <= sample ? count : 0;
}

// A block has a rank of a row, and finds the lower or the upper end of its window.
template <class U>
__device__ void selection_sample(const SelectionParams& p) {
    constexpr int COUNT = SAMPLE<U>;
    extern __shared__ __align__(16) unsigned char row_bytes[];
    __shared__ bool is_last;
    U* keys = reinterpret_cast<U*>(row_bytes);
    const unsigned unit = blockIdx.x / 2, is_upper = blockIdx.x % 2;
    const int64_t row = unit / (unsigned)p.num_ranks;
    const int j = (int)(unit % (unsigned)p.num_ranks);
    SelectionWindows* all = p.windows + row;
    const U* source = reinterpret_cast<const U*>(p.data) + row * p.length;
    const int64_t step = p.length / COUNT;
#pragma unroll 8
    for (int i = threadIdx.x; i < COUNT; i += SELECTION_SAMPLE_BLOCK) {
        // One of each stretch, at places without a period.
        const uint64_t mixed = ((uint64_t)i + 1) * 0x9e3779b97f4a7c15ull;
        const int64_t at = (int64_t)__umul64hi(mixed ^ mixed >> 29, (uint64_t)step);
        keys[i] = selection_key(source[i * step + at], p.kind);
    }
    __syncthreads();
    const int64_t rank = wanted_rank(p, row, j);
    const double q = ((double)rank + 0.5) / (double)p.length;
    const double around = SELECTION_DEVIATIONS * sqrt(COUNT * q * (1 - q)) + 2;
    const int first = (int)(q * COUNT - around), last = (int)(q * COUNT + around);
    // Beyond the sample there is no bound.
    RowRank<U> found = {is_upper ? greatest_key<U>() : (U)0, is_upper ? COUNT : 0, 0};
    const int wanted = is_upper ? last : first;
    if (wanted > 0 && wanted < COUNT) found = select_in_row(keys, COUNT, SELECT_UNSIGNED, wanted);
    if (threadIdx.x == 0) {
        (is_upper ? all->high : all->low)[j] = found.key;
        (is_upper ? all->sample_to : all->sample_from)[j] = found.less + (is_upper ? found.equal : 0);
        __threadfence();
        is_last = atomicAdd(&all->sampled, 1u) == (uint32_t)(2 * p.num_ranks - 1);
        __threadfence();
    }
    __syncthreads();
    if (is_last) merge_windows(p, all, COUNT);
}

// By a whole block, when all is counted: what the first level starts from.
template <class U>
__device__ __forceinline__ void finish_windows(const SelectionParams& p, int64_t row) {
    SelectionWindows* all = p.windows + row;
    SelectionRank* found = p.found + row * p.num_ranks;
    SelectionSegment* segments = p.segments + row * p.num_ranks;
    const int j = threadIdx.x, count = all->count;
    SelectionRank rank = {0, 0, 0, 0};
    int64_t wanted = 0, room = 0;
    SelectionSegment segment = {0, 0, 0, 0, 1, 0};
    if (j < count) {
        segment.offset = p.partition ? 0 : all->offset[j];
        segment.count = (int64_t)__ldcg((const unsigned long long*)all->within + j);
        segment.base = all->low[j];
        segment.bits = 64 - __clzll((long long)(all->high[j] - all->low[j]));
        room = all->room[j];
    }
    bool missed = j < count && segment.count > room;
    if (j < p.num_ranks) {
        wanted = wanted_rank(p, row, j);
        if (count > 0) {
            const int window = all->window[j];
            rank.less = (int64_t)__ldcg((const unsigned long long*)all->less + window);
            rank.rest = wanted - rank.less;
            rank.segment = window;
            const int64_t within = (int64_t)__ldcg((const unsigned long long*)all->within + window);
            missed = missed || rank.rest < 0 || rank.rest >= within;
        } else {
            missed = true;
        }
    }
    if (__syncthreads_or(missed)) {
        if (j < p.num_ranks) found[j] = {wanted, 0, 0, 0};
        if (j == 0) segments[0] = whole_row<U>(p);
        return;
    }
    if (j < p.num_ranks) found[j] = rank;
    if (j < count) segments[j] = segment;
}

// Where the elements within the windows go, in any order; and the number of the smaller.
template <class U>
__device__ void selection_within(const SelectionParams& p) {
    constexpr int ITEMS = WINDOW_ITEMS<U>, TILE = SELECTION_BLOCK * ITEMS;
    __shared__ U lows[SELECTION_RANKS], widths[SELECTION_RANKS];
    __shared__ uint32_t tile_counts[SELECTION_RANKS];
    __shared__ unsigned long long starts[SELECTION_RANKS], smaller[SELECTION_RANKS];
    __shared__ uint16_t places[SELECTION_RANKS][SELECTION_BLOCK];
    __shared__ bool is_last;
    const SelectionBlock block = block_of(p);
    SelectionWindows* all = p.windows + block.row;
    const int tid = threadIdx.x, lane = tid & 31, count = all->count;
    if (count == 0) {
        if (block.index == 0) finish_windows<U>(p, block.row);
        return;
    }
    if (tid < count) {
        lows[tid] = (U)all->low[tid];
        widths[tid] = (U)(all->high[tid] - all->low[tid]);
        tile_counts[tid] = 0;
        smaller[tid] = 0;
    }
    __syncthreads();
    const U* source = reinterpret_cast<const U*>(p.data) + block.row * p.length;
    U* scratch = scratch_of<U>(p, block.row, 1);
    const int64_t tiles = (p.length + TILE - 1) / TILE;
    unsigned long long below = 0;  // a lane has a window
    bool nan = false;
    for (int64_t tile = block.index; tile < tiles; tile += p.blocks) {
        const int64_t start = tile * TILE + tid;
        U keys[ITEMS];
        uint32_t valid = (1u << ITEMS) - 1;
        if ((tile + 1) * TILE <= p.length) {
#pragma unroll
            for (int i = 0; i < ITEMS; i++) keys[i] = source[start + i * SELECTION_BLOCK];
#pragma unroll
            for (int i = 0; i < ITEMS; i++) {
                keys[i] = selection_key(keys[i], p.kind);
                nan = nan || keys[i] == greatest_key<U>();
            }
        } else {
            valid = 0;
#pragma unroll
            for (int i = 0; i < ITEMS; i++) {
                // No window begins beyond the greatest key.
                keys[i] = greatest_key<U>();
                if (start + i * SELECTION_BLOCK >= p.length) continue;
                keys[i] = selection_key(source[start + i * SELECTION_BLOCK], p.kind);
                nan = nan || keys[i] == greatest_key<U>();
                valid |= 1u << i;
            }
        }
        for (int w = 0; w < count; w++) {
            const U low = lows[w], width = widths[w];
            uint32_t under = 0, bits = 0;
#pragma unroll
            for (int i = 0; i < ITEMS; i++) {
                under += keys[i] < low;
                if ((U)(keys[i] - low) <= width) bits |= 1u << i;
            }
            // Both counts of a warp in one word.
            const uint32_t mine = __popc(bits & valid);
            uint32_t inclusive = mine << 16 | under;
#pragma unroll
            for (int step = 1; step < 32; step *= 2) {
                const uint32_t before = __shfl_up_sync(~0u, inclusive, step);
                if (lane >= step) inclusive += before;
            }
            const uint32_t totals = __shfl_sync(~0u, inclusive, 31);
            if (lane == w) below += totals & 0xffff;
            uint32_t base = 0;
            if (lane == 0 && totals >> 16) base = atomicAdd(&tile_counts[w], totals >> 16);
            base = __shfl_sync(~0u, base, 0);
            places[w][tid] = (uint16_t)(base + (inclusive >> 16) - mine);
        }
        __syncthreads();
        if (tid < count) {
            const uint32_t own = tile_counts[tid];
            tile_counts[tid] = 0;
            if (own) starts[tid] = atomicAdd((unsigned long long*)all->within + tid, (unsigned long long)own);
        }
        __syncthreads();
        for (int w = 0; w < count; w++) {
            const U low = lows[w], width = widths[w];
            int64_t at = (int64_t)starts[w] + places[w][tid];
            // Beyond the room nothing is written: the count tells.
            const int64_t room = all->room[w];
            U* target = scratch + all->offset[w];
#pragma unroll
            for (int i = 0; i < ITEMS; i++) {
                if ((U)(keys[i] - low) > width || !(valid >> i & 1)) continue;
                if (at < room) target[at] = selection_bits(keys[i], p.kind);
                at++;
            }
        }
    }
    if (lane < count && below) atomicAdd(&smaller[lane], below);
    nan = __syncthreads_or(nan);
    if (tid < count && smaller[tid]) atomicAdd((unsigned long long*)all->less + tid, smaller[tid]);
    if (tid == 0 && nan && p.kind == SELECT_FLOAT) p.nan_flags[block.row] = 1;
    __threadfence();
    __syncthreads();
    if (tid == 0) is_last = atomicAdd(&all->finished, 1u) == (uint32_t)(p.blocks - 1);
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    finish_windows<U>(p, block.row);
}

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
    for (;;) {
        // Tiles are taken in turn, so that those before are done or under way.
        if (tid == 0) ticket = (int64_t)atomicAdd((unsigned long long*)&all->ticket, 1ull);
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
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            const U key = selection_key(raw[i], p.kind);
            if (key < low) less |= 1u << i;
            if (key > high) greater |= 1u << i;
        }
        less &= valid;
        greater &= valid;
        const uint32_t within = valid & ~(less | greater);
        // Ten bits for each side of a warp.
        const uint32_t mine = __popc(less) | __popc(within) << 10 | __popc(greater) << 20;
        uint32_t inclusive = mine;
#pragma unroll
        for (int step = 1; step < 32; step *= 2) {
            const uint32_t before = __shfl_up_sync(~0u, inclusive, step);
            if (lane >= step) inclusive += before;
        }
        if (lane == 31) {
            counts[SIDE_LESS][warp] = inclusive & 1023;
            counts[SIDE_WITHIN][warp] = inclusive >> 10 & 1023;
            counts[SIDE_GREATER][warp] = inclusive >> 20;
        }
        __syncthreads();
        if (warp < SELECTION_SIDES) {
            const uint32_t part = lane < SELECTION_WARPS ? counts[warp][lane] : 0;
            uint32_t sum = part;
#pragma unroll
            for (int step = 1; step < 32; step *= 2) {
                const uint32_t before = __shfl_up_sync(~0u, sum, step);
                if (lane >= step) sum += before;
            }
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
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            const bool is_less = less >> i & 1, is_greater = greater >> i & 1;
            const uint32_t at = is_less ? less_at : is_greater ? greater_at : within_at;
            less_at += is_less;
            greater_at += is_greater;
            within_at += within >> i & 1;
            if (!(valid >> i & 1)) continue;
            if (p.indices)
                positions[at] = (uint16_t)(own + i * 32);
            else
                stage[at] = raw[i];
        }
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
        for (int k = tid; k < held; k += SELECTION_BLOCK) {
            const bool is_within = (uint32_t)k - num_less < num_within;
            const int64_t at = (uint32_t)k < num_less ? less_start + k
                               : is_within            ? within_start + k
                                                      : greater_end - k;
            if (p.indices) {
                const int64_t index = first + positions[k];
                if (is_within) scratch[at] = source[index];
                (is_within ? scratch_indices : out_indices)[at] = index;
            } else {
                (is_within ? scratch : out)[at] = stage[k];
            }
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
