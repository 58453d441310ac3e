// Distances between all pairs of two sets of points, or of one set.
#pragma once
#include <string.h>

#include "gpunp/common/host_pool.h"
#include "gpunp/kernel.h"
#include "gpunp/spatial/tile.h"

namespace gpunp {
namespace spatial {

#if GPUNP_ON_DEVICE
template <class Metric, bool WEIGHTED>
__device__ void distances(const PairsParams& p) {
    using T = Tile<Metric>;
    extern __shared__ double memory[];
    T& tile = *reinterpret_cast<T*>(memory);
    const int64_t across = (p.k + T::Y - 1) / T::Y;
    const int64_t row = blockIdx.x / across * T::X, column = blockIdx.x % across * T::Y;
    // All pairs of this tile have i >= j.
    if (p.condensed && column + T::Y <= row + 1) return;
    typename Metric::Sums sums[Metric::ROWS][Metric::COLUMNS] = {};
    tile.template sum<WEIGHTED>(sums, p, row, column);
    const int tx = threadIdx.x % PAIRS_SIDE, ty = threadIdx.x / PAIRS_SIDE;
#pragma unroll
    for (int i = 0; i < Metric::ROWS; i++) {
        const int64_t r = row + ty + i * PAIRS_SIDE;
        if (r >= p.m) break;
#pragma unroll
        for (int j = 0; j < Metric::COLUMNS; j++) {
            const int64_t c = column + tx + j * PAIRS_SIDE;
            if (c >= p.k || (p.condensed && c <= r)) continue;
            p.out[p.condensed ? condensed_place(p.m, r, c) : r * p.k + c] =
                Metric::distance(sums[i][j], p, r, c);
        }
    }
}
#define GPUNP_PAIRS(name, Metric, WEIGHTED)                                 \
    extern "C" __global__ void __launch_bounds__(::gpunp::PAIRS_BLOCK)      \
        pairs_##name(const __grid_constant__::gpunp::PairsParams p) {       \
        ::gpunp::spatial::distances<::gpunp::spatial::Metric, WEIGHTED>(p); \
    }
#else
// Calls `use(i, j, sums)` for the pairs: for a few points of y at a time, so that the loop over them is that
// of vector instructions.
template <class Metric, bool WEIGHTED, class Use>
void all_pairs(const PairsParams& p, Use use) {
    constexpr int LANES = PAIRS_HOST_LANES;
    // Threads share the points of x.
    parallel_for(p.m, grain_of(p.k * p.n), [&](int64_t begin, int64_t end) {
        double* turned = new double[LANES * (p.n > 0 ? p.n : 1)]();
        for (int64_t j = 0; j < p.k; j += LANES) {
            const int lanes = p.k - j < LANES ? (int)(p.k - j) : LANES;
            for (int l = 0; l < lanes; l++)
                for (int64_t c = 0; c < p.n; c++) turned[c * LANES + l] = p.y[(j + l) * p.n + c];
            const int64_t rows = p.condensed && j + lanes < end ? j + lanes : end;
            for (int64_t i = begin; i < rows; i++) {
                typename Metric::Sums sums[LANES];
                for (int64_t c = 0; c < p.n; c++) {
                    const double x = p.x[i * p.n + c], w = WEIGHTED ? p.weights[c] : 1;
                    const double* y = turned + c * LANES;
                    for (int l = 0; l < LANES; l++) add_coordinate<Metric, WEIGHTED>(sums[l], x, y[l], w, p);
                }
                for (int l = 0; l < lanes; l++) use(i, j + l, sums[l]);
            }
        }
        delete[] turned;
    });
}

template <class Metric, bool WEIGHTED>
void distances(const void* params) {
    const PairsParams& p = *static_cast<const PairsParams*>(params);
    all_pairs<Metric, WEIGHTED>(p, [&](int64_t i, int64_t j, const typename Metric::Sums& sums) {
        if (p.condensed && j <= i) return;
        p.out[p.condensed ? condensed_place(p.m, i, j) : i * p.k + j] = Metric::distance(sums, p, i, j);
    });
}
#define GPUNP_PAIRS(name, Metric, WEIGHTED) \
    GPUNP_HOST_KERNEL(pairs_##name, (::gpunp::spatial::distances<::gpunp::spatial::Metric, WEIGHTED>));
#endif

}  // namespace spatial
}  // namespace gpunp
