// Long rows, first step: windows of keys that hold the ranks, from a sample, and one pass over the row.
//
// The pass counts the elements below each window and keeps the few within it for the levels. A partition
// also writes the others: the smaller from the start of the row, the greater from its end. The counts show
// whether each rank is in its window; if one is not, the levels start from the whole row.
#pragma once
#include "gpunp/common/last_block.h"
#include "gpunp/common/warp.h"
#include "gpunp/sorting/selection_rows.h"
#include "gpunp/sorting/selection_split.h"

namespace gpunp {

template <class U>
constexpr int SAMPLE = sizeof(U) == 8 ? SELECTION_SAMPLE / 2 : SELECTION_SAMPLE;
template <class U>
constexpr int WINDOW_ITEMS = sizeof(U) == 8 ? SELECTION_WINDOW_ITEMS / 2 : SELECTION_WINDOW_ITEMS;

// By the last sampling block of a row: merges overlapping windows, so that their ranks share one.
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
        // Room for 1.5 times the sample's estimate, plus 1/64 of the row.
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

// By a block: the key of the given rank. Digits are taken from the distance from the least key, so that close
// keys, too, spread over the counters.
template <class U>
__device__ RowRank<U> select_in_sample(const U* keys, int count, int rank) {
    constexpr int DIGIT = 11, BINS = 1 << DIGIT, EACH = BINS / SELECTION_SAMPLE_BLOCK, WARPS = 32;
    __shared__ uint32_t bins[BINS], warp_sums[WARPS];
    __shared__ U ends[2][WARPS];
    __shared__ int found[3];
    static_assert(SELECTION_SAMPLE_BLOCK == 32 * WARPS, "one warp combines the results of all warps");
    const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
    U least = greatest_key<U>(), greatest = 0;
    for (int i = tid; i < count; i += SELECTION_SAMPLE_BLOCK) {
        least = keys[i] < least ? keys[i] : least;
        greatest = keys[i] > greatest ? keys[i] : greatest;
    }
    for (int round = 0; round < 2; round++) {
        if (round) {
            least = ends[0][lane];
            greatest = ends[1][lane];
        }
        least = warp::least(least);
        greatest = warp::greatest(greatest);
        if (round) break;
        if (lane == 0) {
            ends[0][warp] = least;
            ends[1][warp] = greatest;
        }
        __syncthreads();
    }
    U base = least;
    int less = 0, equal = count;
    int bits = 64 - __clzll((long long)(uint64_t)(U)(greatest - least));
    while (bits > 0) {
        const int here = bits < DIGIT ? bits : DIGIT, shift = bits - here;
        for (int i = tid; i < BINS; i += SELECTION_SAMPLE_BLOCK) bins[i] = 0;
        __syncthreads();
#pragma unroll 4
        for (int i = tid; i < count; i += SELECTION_SAMPLE_BLOCK) {
            const U digit = (U)((U)(keys[i] - base) >> shift);
            if (keys[i] >= base && digit < (U)1 << here) atomicAdd(&bins[digit], 1u);
        }
        __syncthreads();
        uint32_t mine[EACH], total = 0;
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            mine[i] = bins[tid * EACH + i];
            total += mine[i];
        }
        uint32_t sum = warp::inclusive_sum(total, lane);
        if (lane == 31) warp_sums[warp] = sum;
        __syncthreads();
        uint32_t warps_before = warp::inclusive_sum(warp_sums[lane], lane);
        warps_before = warp::shuffle(warps_before, warp ? warp - 1 : 0);
        sum += (warp ? warps_before : 0) - total;
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            if ((int)sum <= rank && rank < (int)(sum + mine[i])) {
                found[0] = tid * EACH + i;
                found[1] = (int)sum;
                found[2] = (int)mine[i];
            }
            sum += mine[i];
        }
        __syncthreads();
        base = (U)(base + ((U)found[0] << shift));
        rank -= found[1];
        less += found[1];
        equal = found[2];
        bits = shift;
    }
    __syncthreads();
    return {base, less, equal};
}

// Each block finds the lower or the upper end of the window of one rank of a row.
template <class U>
__device__ void selection_sample(const SelectionParams& p) {
    constexpr int COUNT = SAMPLE<U>;
    extern __shared__ __align__(16) unsigned char row_bytes[];
    U* keys = reinterpret_cast<U*>(row_bytes);
    const unsigned unit = blockIdx.x / 2, is_upper = blockIdx.x % 2;
    const int64_t row = unit / (unsigned)p.num_ranks;
    const int j = (int)(unit % (unsigned)p.num_ranks);
    SelectionWindows* all = p.windows + row;
    const U* source = reinterpret_cast<const U*>(p.data) + row * p.length;
    const int64_t step = p.length / COUNT;
#pragma unroll
    for (int i = threadIdx.x; i < COUNT; i += SELECTION_SAMPLE_BLOCK) {
        // One element per stretch, at hashed offsets, so that periodic data do not bias the sample.
        const uint64_t mixed = ((uint64_t)i + 1) * 0x9e3779b97f4a7c15ull;
        const int64_t at = (int64_t)__umul64hi(mixed ^ mixed >> 29, (uint64_t)step);
        keys[i] = selection_key(source[i * step + at], p.kind);
    }
    __syncthreads();
    const int64_t rank = wanted_rank(p, row, j);
    const double q = ((double)rank + 0.5) / (double)p.length;
    const double around = SELECTION_DEVIATIONS * sqrt(COUNT * q * (1 - q)) + 2;
    const int first = (int)(q * COUNT - around), last = (int)(q * COUNT + around);
    // Past either end of the sample there is no bound.
    RowRank<U> found = {is_upper ? greatest_key<U>() : (U)0, is_upper ? COUNT : 0, 0};
    const int wanted = is_upper ? last : first;
    if (wanted > 0 && wanted < COUNT) found = select_in_sample(keys, COUNT, wanted);
    if (threadIdx.x == 0) {
        (is_upper ? all->high : all->low)[j] = found.key;
        (is_upper ? all->sample_to : all->sample_from)[j] = found.less + (is_upper ? found.equal : 0);
    }
    if (is_last_block(&all->sampled, (uint32_t)(2 * p.num_ranks))) merge_windows(p, all, COUNT);
}

// By a whole block, after the pass: the segments and ranks from which the first level starts.
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

}  // namespace gpunp
