// Destinations of the rows of a panel, from its pivots.
#pragma once
#include "gpunp/common/warp.h"
#include "gpunp/linalg/panel_params.h"

#if GPUNP_ON_DEVICE
namespace gpunp {
namespace linalg {

// Pivot rows go to the top, in pivot order. The top rows that are no pivots (`left`) go in order to the
// places that pivot rows further down leave (`holes`). Both lists have the same length; -1 fills their ends.
struct Moves {
    int left[PANEL_COLUMNS], holes[PANEL_COLUMNS];
    int taken[PANEL_COLUMNS];
    unsigned left_bits[PANEL_COLUMNS / 32], hole_bits[PANEL_COLUMNS / 32];
    // The permutation of the top rows and, after them, of the holes: where each row comes from, and the first
    // row found so far along its cycle. Double-buffered.
    unsigned char origins[2][2 * PANEL_COLUMNS], firsts[2][2 * PANEL_COLUMNS];

    // The number of set bits below bit t.
    __device__ static int bits_before(const unsigned* bits, int t) {
        int count = __popc(bits[t / 32] & ((1u << t % 32) - 1));
        GPUNP_UNROLL
        for (int i = 0; i < PANEL_COLUMNS / 32; i++) {
            if (i < t / 32) count += __popc(bits[i]);
        }
        return count;
    }

    // Called by all threads of a block.
    __device__ void find(const int* pivots, int steps) {
        const int t = threadIdx.x;
        if (t < PANEL_COLUMNS) taken[t] = 0, left[t] = holes[t] = -1;
        __syncthreads();
        const int pivot = t < steps ? pivots[t] : -1;
        if (pivot >= 0 && pivot < steps) taken[pivot] = 1;
        __syncthreads();
        const bool is_left = t < steps && !taken[t], is_hole = pivot >= steps;
        const unsigned lefts = warp::ballot(is_left), below = warp::ballot(is_hole);
        if (t < PANEL_COLUMNS && t % 32 == 0) left_bits[t / 32] = lefts, hole_bits[t / 32] = below;
        __syncthreads();
        if (is_left) left[bits_before(left_bits, t)] = t;
        if (is_hole) holes[bits_before(hole_bits, t)] = pivot;
        __syncthreads();
    }

    // Whether the permutation is odd. Pointer doubling finds the first row of every cycle. Called by all
    // threads of a block, after `find`.
    __device__ bool odd(const int* pivots, int steps) {
        constexpr int N = 2 * PANEL_COLUMNS;
        static_assert(N == 256, "one byte per row, and eight doublings");
        const int t = threadIdx.x;
        int origin = t, first = t;
        if (t < steps) {
            const int pivot = pivots[t];
            origin = pivot < steps ? pivot : PANEL_COLUMNS + bits_before(hole_bits, t);
        } else if (t >= PANEL_COLUMNS && t < N && left[t - PANEL_COLUMNS] >= 0) {
            origin = left[t - PANEL_COLUMNS];
        }
        for (int round = 0; round < 8; round++) {
            const int half = round % 2;
            if (t < N) origins[half][t] = origin, firsts[half][t] = first;
            __syncthreads();
            if (t >= N) continue;
            first = min(first, (int)firsts[half][origin]);
            origin = origins[half][origin];
        }
        // The number of exchanges is that of the rows minus that of the cycles: the rows that are not the
        // first of their cycle.
        return __syncthreads_count(t < N && first != t) % 2;
    }
};

}  // namespace linalg
}  // namespace gpunp
#endif
