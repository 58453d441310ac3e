// Tiles of two sets of points in shared memory: every thread has the sums of a few pairs in registers.
//
// A block of 16 by 16 threads has 16 * ROWS points of x and 16 * COLUMNS points of y. The coordinates come in
// chunks, copied asynchronously into one half of the memory while the other half is computed with. The points
// of a thread are 16 apart, so that neighbouring threads read neighbouring words and write whole lines.
#pragma once
#include "gpunp/spatial/metrics.h"

#if GPUNP_ON_DEVICE
namespace gpunp {
namespace spatial {

template <int POINTS>
struct Chunk {
    // One word more than the points: the threads that store a column of it use different banks.
    double at[PAIRS_DEPTH][POINTS + 1];

    // Starts the copy of coordinates `begin` and on of the points from `first` on; zeros where there is none.
    __device__ void load(const double* from, int64_t first, int64_t count, int64_t begin, int64_t n) {
        constexpr int STEP = PAIRS_BLOCK / PAIRS_DEPTH;
        static_assert(POINTS % STEP == 0, "all threads copy as many points");
        const int coordinate = threadIdx.x % PAIRS_DEPTH, point = threadIdx.x / PAIRS_DEPTH;
        const int64_t points = begin + coordinate < n ? count - first - point : 0;
        const double* source = from + (first + point) * n + begin + coordinate;
        const unsigned to = (unsigned)__cvta_generic_to_shared(&at[coordinate][point]);
#pragma unroll
        for (int i = 0; i < POINTS / STEP; i++) {
            // No bytes are read where there is no coordinate.
            asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(to + i * STEP * 8), "l"(source),
                         "r"(i * STEP < points ? 8 : 0)
                         : "memory");
            source += STEP * n;
        }
    }
};

template <class Metric>
struct Tile {
    static constexpr int X = PAIRS_SIDE * Metric::ROWS, Y = PAIRS_SIDE * Metric::COLUMNS;
    Chunk<X> x[2];
    Chunk<Y> y[2];
    double weights[2][PAIRS_DEPTH];

    template <bool WEIGHTED>
    __device__ void load(int half, const PairsParams& p, int64_t row, int64_t column, int64_t begin) {
        x[half].load(p.x, row, p.m, begin, p.n);
        y[half].load(p.y, column, p.k, begin, p.n);
        asm volatile("cp.async.commit_group;" ::: "memory");
        if constexpr (WEIGHTED) {
            const int i = threadIdx.x;
            if (i < PAIRS_DEPTH) weights[half][i] = begin + i < p.n ? p.weights[begin + i] : 0;
        }
    }

    // The sums of this thread's pairs among the points from `row` and from `column` on.
    template <bool WEIGHTED>
    __device__ void sum(typename Metric::Sums (&sums)[Metric::ROWS][Metric::COLUMNS], const PairsParams& p,
                        int64_t row, int64_t column) {
        const int tx = threadIdx.x % PAIRS_SIDE, ty = threadIdx.x / PAIRS_SIDE;
        load<WEIGHTED>(0, p, row, column, 0);
        int half = 0;
        for (int64_t begin = 0; begin < p.n; begin += PAIRS_DEPTH, half ^= 1) {
            asm volatile("cp.async.wait_all;" ::: "memory");
            // Also: all threads are done with the half that the next copy goes to.
            __syncthreads();
            if (begin + PAIRS_DEPTH < p.n) load<WEIGHTED>(half ^ 1, p, row, column, begin + PAIRS_DEPTH);
            const int depth = p.n - begin < PAIRS_DEPTH ? (int)(p.n - begin) : PAIRS_DEPTH;
#pragma unroll 1
            for (int c = 0; c < depth; c++) {
                double a[Metric::ROWS], b[Metric::COLUMNS];
#pragma unroll
                for (int i = 0; i < Metric::ROWS; i++) a[i] = x[half].at[c][ty + i * PAIRS_SIDE];
#pragma unroll
                for (int j = 0; j < Metric::COLUMNS; j++) b[j] = y[half].at[c][tx + j * PAIRS_SIDE];
                const double w = WEIGHTED ? weights[half][c] : 1;
#pragma unroll
                for (int i = 0; i < Metric::ROWS; i++)
#pragma unroll
                    for (int j = 0; j < Metric::COLUMNS; j++)
                        add_coordinate<Metric, WEIGHTED>(sums[i][j], a[i], b[j], w, p);
            }
        }
        // Before the memory is used again.
        __syncthreads();
    }
};

}  // namespace spatial
}  // namespace gpunp
#endif
