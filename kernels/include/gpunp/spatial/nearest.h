// The nearest of a few points for each of many, without a matrix of distances.
#pragma once
#include "gpunp/common/warp.h"
#include "gpunp/spatial/pairs.h"

namespace gpunp {
namespace spatial {

// A distance that is not less does not replace another one; NaN never does.
struct Best {
    double distance;
    int32_t place;
    GPUNP_HD void take(double d, int32_t at) {
        if (d < distance) {
            distance = d;
            place = at;
        }
    }
    // Of results for different points; the first of equally near ones.
    GPUNP_HD void take(const Best& other) {
        if (other.distance < distance || (other.distance == distance && other.place < place)) *this = other;
    }
};

GPUNP_HD PairsParams pairs_of(const NearestParams& p) {
    PairsParams pairs{};
    pairs.x = p.x;
    pairs.y = p.y;
    pairs.m = p.m;
    pairs.k = p.k;
    pairs.n = p.n;
    return pairs;
}

#if GPUNP_ON_DEVICE
template <class Metric>
__device__ __forceinline__ void nearest(const NearestParams& p) {
    using T = Tile<Metric>;
    extern __shared__ double memory[];
    T& tile = *reinterpret_cast<T*>(memory);
    const PairsParams pairs = pairs_of(p);
    const int tx = threadIdx.x % PAIRS_SIDE, ty = threadIdx.x / PAIRS_SIDE;
    for (int64_t row = (int64_t)blockIdx.x * T::X; row < p.m; row += (int64_t)gridDim.x * T::X) {
        Best best[Metric::ROWS];
#pragma unroll
        for (int i = 0; i < Metric::ROWS; i++) best[i] = {HUGE_VAL, 0};
        for (int64_t column = 0; column < p.k; column += T::Y) {
            One sums[Metric::ROWS][Metric::COLUMNS] = {};
            tile.template sum<false>(sums, pairs, row, column);
#pragma unroll
            for (int j = 0; j < Metric::COLUMNS; j++) {
                const int64_t c = column + tx + j * PAIRS_SIDE;
                if (c < p.k) {
#pragma unroll
                    for (int i = 0; i < Metric::ROWS; i++) best[i].take(sums[i][j].s, (int32_t)c);
                }
            }
        }
#pragma unroll
        for (int i = 0; i < Metric::ROWS; i++) {
            // The 16 threads of a row are half of a warp.
#pragma unroll
            for (int flip = PAIRS_SIDE / 2; flip > 0; flip /= 2) {
                const Best other{warp::shuffle_xor(best[i].distance, flip),
                                 warp::shuffle_xor(best[i].place, flip)};
                best[i].take(other);
            }
            const int64_t r = row + ty + i * PAIRS_SIDE;
            if (tx == 0 && r < p.m) {
                p.place[r] = best[i].place;
                p.distance[r] = ::sqrt(best[i].distance);
            }
        }
    }
}
#define GPUNP_NEAREST(name, Metric)                                       \
    extern "C" __global__ void __launch_bounds__(::gpunp::PAIRS_BLOCK)    \
        nearest_##name(const __grid_constant__::gpunp::NearestParams p) { \
        ::gpunp::spatial::nearest<::gpunp::spatial::Metric>(p);           \
    }
#else
inline void nearest(const void* params) {
    const NearestParams& p = *static_cast<const NearestParams*>(params);
    for (int64_t i = 0; i < p.m; i++) {
        p.place[i] = 0;
        p.distance[i] = HUGE_VAL;
    }
    all_pairs<Squares, false>(pairs_of(p), [&](int64_t i, int64_t j, const One& sums) {
        if (sums.s < p.distance[i]) {
            p.distance[i] = sums.s;
            p.place[i] = (int32_t)j;
        }
    });
    for (int64_t i = 0; i < p.m; i++) p.distance[i] = ::sqrt(p.distance[i]);
}
#define GPUNP_NEAREST(name, Metric) GPUNP_HOST_KERNEL(nearest_##name, ::gpunp::spatial::nearest);
#endif

}  // namespace spatial
}  // namespace gpunp
