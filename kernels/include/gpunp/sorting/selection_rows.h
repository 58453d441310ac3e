// Selection in rows that fit into shared memory (one block per row) and in very short rows (one thread each).
#pragma once
#include "gpunp/common/warp.h"
#include "gpunp/sorting/selection_keys.h"
#include "gpunp/sorting/selection_params.h"

namespace gpunp {

constexpr int ROW_BINS = 256;

// Result of a selection in a row.
template <class U>
struct RowRank {
    U key;
    int less, equal;  // numbers of elements of the row with a smaller and with an equal key
};

// By a block: the key of the given rank, by radix selection with digits of 8 bits.
template <class U>
__device__ RowRank<U> select_in_row(const U* raw, int length, int kind, int rank) {
    __shared__ uint32_t bins[ROW_BINS];
    __shared__ int found[3];
    U prefix = 0, mask = 0;
    int less = 0, equal = 0;
    for (int shift = 8 * (int)sizeof(U) - 8; shift >= 0; shift -= 8) {
        for (int i = threadIdx.x; i < ROW_BINS; i += blockDim.x) bins[i] = 0;
        __syncthreads();
        for (int i = threadIdx.x; i < length; i += blockDim.x) {
            const U key = selection_key(raw[i], kind);
            if (((key ^ prefix) & mask) == 0) atomicAdd(&bins[(U)(key >> shift) & (U)255], 1u);
        }
        __syncthreads();
        if (threadIdx.x < 32) {
            constexpr int EACH = ROW_BINS / 32;
            const int lane = threadIdx.x;
            int mine[EACH], total = 0;
#pragma unroll
            for (int i = 0; i < EACH; i++) {
                mine[i] = (int)bins[lane * EACH + i];
                total += mine[i];
            }
            int inclusive = warp::inclusive_sum(total, lane);
            int sum = inclusive - total;
            if (sum <= rank && rank < inclusive) {
                int i = 0;
#pragma unroll
                for (int k = 0; k < EACH - 1; k++) {
                    if (i == k && sum + mine[k] <= rank) {
                        sum += mine[k];
                        i = k + 1;
                    }
                }
                found[0] = lane * EACH + i;
                found[1] = sum;
                found[2] = (int)bins[lane * EACH + i];
            }
        }
        __syncthreads();
        prefix |= (U)((U)found[0] << shift);
        mask |= (U)((U)255 << shift);
        rank -= found[1];
        less += found[1];
        equal = found[2];
    }
    __syncthreads();
    return {prefix, less, equal};
}

// By a block: the least key that is greater than `key`.
template <class U>
__device__ U next_in_row(const U* raw, int length, int kind, U key) {
    using Wide = unsigned long long;
    __shared__ Wide least;
    if (threadIdx.x == 0) least = greatest_key<U>();
    __syncthreads();
    U mine = greatest_key<U>();
    for (int i = threadIdx.x; i < length; i += blockDim.x) {
        const U other = selection_key(raw[i], kind);
        if (other > key && other < mine) mine = other;
    }
    const Wide wide = warp::least((Wide)mine);
    if (threadIdx.x % 32 == 0) atomicMin(&least, wide);
    __syncthreads();
    const U result = (U)least;
    __syncthreads();
    return result;
}

// By a block: writes the elements less than, equal to and greater than the rank's, each in their old order.
template <class U>
__device__ void partition_row(const SelectionParams& p, const U* raw, int64_t row, const RowRank<U>& rank) {
    __shared__ int warp_less[SELECTION_BLOCK / 32], warp_equal[SELECTION_BLOCK / 32];
    const int length = (int)p.length, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int warps = blockDim.x / 32;
    const unsigned before = warp::lanes_before(lane);
    int less_done = 0, equal_done = 0;
    for (int start = 0; start < length; start += blockDim.x) {
        const int i = start + threadIdx.x;
        const U key = i < length ? selection_key(raw[i], p.kind) : (U)0;
        const bool is_less = i < length && key < rank.key, is_equal = i < length && key == rank.key;
        const unsigned less = warp::ballot(is_less), equal = warp::ballot(is_equal);
        if (lane == 0) {
            warp_less[warp] = __popc(less);
            warp_equal[warp] = __popc(equal);
        }
        __syncthreads();
        int less_at = less_done + __popc(less & before), equal_at = equal_done + __popc(equal & before);
        for (int w = 0; w < warps; w++) {
            if (w < warp) {
                less_at += warp_less[w];
                equal_at += warp_equal[w];
            }
            less_done += warp_less[w];
            equal_done += warp_equal[w];
        }
        __syncthreads();
        if (i < length) {
            int at = i - less_at - equal_at + rank.less + rank.equal;
            if (is_less) at = less_at;
            if (is_equal) at = rank.less + equal_at;
            if (p.indices)
                p.indices[row * p.length + at] = i;
            else
                reinterpret_cast<U*>(p.out)[row * p.length + at] = raw[i];
        }
    }
}

// One row per thread; a block loads its rows together, coalesced.
template <class U>
__device__ void selection_short(const SelectionParams& p) {
    extern __shared__ __align__(16) unsigned char row_bytes[];
    // An odd pitch avoids bank conflicts between the threads' rows.
    const int length = (int)p.length, distance = length | 1;
    const int64_t first = (int64_t)blockIdx.x * SELECTION_SHORT_ROWS, row = first + threadIdx.x;
    const int rows = (int)(p.rows - first < SELECTION_SHORT_ROWS ? p.rows - first : SELECTION_SHORT_ROWS);
    const U* source = reinterpret_cast<const U*>(p.data) + first * p.length;
    U* keys = reinterpret_cast<U*>(row_bytes);
    for (int i = threadIdx.x; i < rows * length; i += SELECTION_SHORT_ROWS)
        keys[i / length * distance + i % length] = selection_key(source[i], p.kind);
    __syncthreads();
    if (row >= p.rows) return;
    keys += threadIdx.x * distance;
    source += threadIdx.x * length;
    U* ordered = keys + SELECTION_SHORT_ROWS * distance;
    for (int i = 0; i < length; i++) {
        const U key = keys[i];
        int place = 0;
        for (int j = 0; j < length; j++) place += keys[j] < key || (keys[j] == key && j < i);
        if (p.indices)
            p.indices[row * length + place] = i;
        else if (p.partition)
            reinterpret_cast<U*>(p.out)[row * length + place] = source[i];
        else
            ordered[place] = key;
    }
    if (p.partition) return;
    const bool nan = p.nan_wins && p.kind == SELECT_FLOAT && ordered[length - 1] == greatest_key<U>();
    for (int j = 0; j < p.num_ranks; j++) {
        const U key = nan ? greatest_key<U>() : ordered[wanted_rank(p, row, j)];
        reinterpret_cast<U*>(p.out)[j * p.out_stride + row] = selection_bits(key, p.kind);
    }
}

template <class U>
__device__ void selection_rows(const SelectionParams& p) {
    extern __shared__ __align__(16) unsigned char row_bytes[];
    U* raw = reinterpret_cast<U*>(row_bytes);
    const int length = (int)p.length;
    const int64_t row = blockIdx.x;
    const U* source = reinterpret_cast<const U*>(p.data) + row * p.length;
    bool nan = false;
#pragma unroll 4
    for (int i = threadIdx.x; i < length; i += blockDim.x) {
        const U x = source[i];
        raw[i] = x;
        nan = nan || selection_key(x, p.kind) == greatest_key<U>();
    }
    // This is also the barrier after the loads.
    nan = __syncthreads_or(nan) && p.kind == SELECT_FLOAT && p.nan_wins;
    if (p.partition) {
        partition_row(p, raw, row, select_in_row(raw, length, p.kind, (int)wanted_rank(p, row, 0)));
        return;
    }
    // Quantiles need neighboring ranks: the previous result often holds, or one pass finds the next key.
    RowRank<U> last = {0, 0, 0};
    bool all_equals_known = false;
    for (int j = 0; j < p.num_ranks; j++) {
        const int rank = (int)wanted_rank(p, row, j);
        if (nan) {
            last.key = greatest_key<U>();
        } else if (all_equals_known && rank == last.less + last.equal) {
            last = {next_in_row(raw, length, p.kind, last.key), rank, 1};
            all_equals_known = false;
        } else if (rank < last.less || rank >= last.less + last.equal) {
            last = select_in_row(raw, length, p.kind, rank);
            all_equals_known = true;
        }
        if (threadIdx.x == 0)
            reinterpret_cast<U*>(p.out)[j * p.out_stride + row] = selection_bits(last.key, p.kind);
    }
}

}  // namespace gpunp
