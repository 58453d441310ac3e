// Sums of Gaussian kernels around data, at many points, without a matrix of pairs.
//
// All threads of a block read the data of a tile from shared memory; each has a few points in registers.
// Powers of two are a polynomial of degree 4 times an element of a table, of which every lane has its own
// copy.
#pragma once
#include "gpunp/statistics/density_power.h"

namespace gpunp {
namespace density {

#if GPUNP_ON_DEVICE
// The coordinates of a block's points are in registers if there are DIMENSIONS, else in memory.
template <int DIMENSIONS, bool WEIGHTED, bool LOGS>
__device__ __forceinline__ void sums(const DensityParams& p) {
    constexpr int D = DIMENSIONS ? DIMENSIONS : 1, P = DENSITY_POINTS, G = DENSITY_GROUP;
    constexpr bool LINE = DIMENSIONS == 1 && !LOGS;
    __shared__ double table[POWER_TABLE], tile[D + 1][DENSITY_BLOCK];
    fill_table(table);
    const double* powers = table + threadIdx.x % POWER_COPIES;
    const int64_t first = (int64_t)blockIdx.x * (DENSITY_BLOCK * P) + threadIdx.x;
    double x[P][D];
    Sum<LOGS> sum[P];
    int64_t place[P];
#pragma unroll
    for (int i = 0; i < P; i++) {
        const int64_t at = first + i * DENSITY_BLOCK;
        place[i] = at < p.m ? at : p.m - 1;
#pragma unroll
        for (int c = 0; c < D; c++) x[i][c] = p.points[c * p.m + place[i]];
    }
    const int64_t begin = blockIdx.y * p.part;
    const int64_t end = begin + p.part < p.n ? begin + p.part : p.n;
    for (int64_t at = begin; at < end; at += DENSITY_BLOCK) {
        __syncthreads();
        const int64_t mine = at + threadIdx.x;
#pragma unroll
        for (int c = 0; c < D; c++) tile[c][threadIdx.x] = mine < end ? p.data[c * p.n + mine] : HUGE_VAL;
        if (WEIGHTED) tile[D][threadIdx.x] = mine < end ? p.weights[mine] : LOGS ? -HUGE_VAL : 0;
        __syncthreads();
        const int count = (int)(end - at < DENSITY_BLOCK ? end - at : DENSITY_BLOCK);
#pragma unroll 1
        for (int j = 0; j < count; j += G) {
            double squares[P][G];
#pragma unroll
            for (int g = 0; g < G; g++) {
#pragma unroll
                for (int i = 0; i < P; i++) {
                    const double difference = x[i][0] - tile[0][j + g];
                    squares[i][g] = LINE ? difference : difference * difference;
#pragma unroll
                    for (int c = 1; c < D; c++) {
                        const double other = x[i][c] - tile[c][j + g];
                        squares[i][g] = fma(other, other, squares[i][g]);
                    }
                }
            }
            if (DIMENSIONS == 0) {
                for (int64_t c = 1; c < p.d; c++) {
#pragma unroll
                    for (int g = 0; g < G; g++) {
                        const int64_t datum = at + j + g < p.n ? at + j + g : p.n - 1;
                        const double y = p.data[c * p.n + datum];
#pragma unroll
                        for (int i = 0; i < P; i++) {
                            const double other = p.points[c * p.m + place[i]] - y;
                            squares[i][g] = fma(other, other, squares[i][g]);
                        }
                    }
                }
            }
            double weights[G];
#pragma unroll
            for (int g = 0; g < G; g++) weights[g] = WEIGHTED ? tile[D][j + g] : 1;
#pragma unroll
            for (int i = 0; i < P; i++) {
                if constexpr (LINE)
                    sum[i].template add_distances<WEIGHTED>(squares[i], weights, powers);
                else
                    sum[i].template add<WEIGHTED>(squares[i], weights, powers);
            }
        }
    }
#pragma unroll
    for (int i = 0; i < P; i++) {
        const int64_t at = first + i * DENSITY_BLOCK;
        if (at >= p.m) break;
        bool is_nan = false;
        for (int64_t c = 0; c < p.d; c++) is_nan |= isnan(p.points[c * p.m + at]);
        sum[i].store(p, blockIdx.y * p.m + at, is_nan);
    }
}

#define GPUNP_DENSITY(name, DIMENSIONS, WEIGHTED, LOGS)                   \
    extern "C" __global__ void __launch_bounds__(::gpunp::DENSITY_BLOCK)  \
        density_##name(const __grid_constant__::gpunp::DensityParams p) { \
        ::gpunp::density::sums<DIMENSIONS, WEIGHTED, LOGS>(p);            \
    }
#else
// The data of a few lanes at a time, so that the loop over them is that of vector instructions.
template <int DIMENSIONS, bool WEIGHTED, bool LOGS>
void sums(const void* params) {
    constexpr int LANES = 16;
    const DensityParams& p = *static_cast<const DensityParams*>(params);
    const int64_t d = DIMENSIONS ? DIMENSIONS : p.d;
    parallel_for(p.m, grain_of(p.n * (d + 3)), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; i++) {
            Sum<LOGS, LANES> sum;
            bool is_nan = false;
            for (int64_t c = 0; c < d; c++) is_nan |= isnan(p.points[c * p.m + i]);
            for (int64_t j = 0; j < p.n; j += LANES) {
                const int lanes = p.n - j < LANES ? (int)(p.n - j) : LANES;
                double exponents[LANES], weights[LANES];
                for (int l = 0; l < LANES; l++) exponents[l] = 0;
                for (int64_t c = 0; c < d; c++) {
                    const double x = p.points[c * p.m + i];
                    const double* y = p.data + c * p.n + j;
                    for (int l = 0; l < lanes; l++) exponents[l] -= (x - y[l]) * (x - y[l]);
                }
                for (int l = 0; l < lanes; l++) weights[l] = WEIGHTED && !LOGS ? p.weights[j + l] : 1;
                for (int l = 0; l < lanes && LOGS; l++) exponents[l] += p.weights[j + l];
                for (int l = lanes; l < LANES; l++) exponents[l] = -HUGE_VAL, weights[l] = 0;
                sum.add(exponents, weights);
            }
            sum.store(p, i, is_nan);
        }
    });
}

#define GPUNP_DENSITY(name, DIMENSIONS, WEIGHTED, LOGS) \
    GPUNP_HOST_KERNEL(density_##name, (::gpunp::density::sums<DIMENSIONS, WEIGHTED, LOGS>));
#endif

}  // namespace density
}  // namespace gpunp
