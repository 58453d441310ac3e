// Sums of Gaussian kernels around many data on a line, by expansions.
//
// Consecutive data are the leaves of a tree of one level. With c in the middle of a leaf, u = x - c and t = y
// - c
//     exp(-(x - y)^2 / 2) = exp(-u^2 / 2) exp(-t^2 / 2) sum_k (u t)^k / k!,
// so that the sum over the data is a polynomial in u. It is used where |u t| <= MOST for all data of the
// leaf: there the terms of the polynomial that are left out are below the rounding errors of the others.
#pragma once
#include "gpunp/statistics/density_power.h"

namespace gpunp {
namespace density {

// Squares of coordinates have this unit; see DensityParams.
constexpr double UNIT = 0.010830424696249146;  // ln 2 / 64
constexpr double MOST = 0.75 / UNIT;

GPUNP_HD void make_leaf(const LeavesParams& p, int64_t leaf) {
    const int64_t begin = leaf * DENSITY_LEAF;
    const int64_t end = begin + DENSITY_LEAF < p.n ? begin + DENSITY_LEAF : p.n;
    const double low = p.data[begin], high = p.data[end - 1], center = low + (high - low) * 0.5;
    double terms[DENSITY_TERMS];
    GPUNP_UNROLL
    for (int k = 0; k < DENSITY_TERMS; k++) terms[k] = 0;
    for (int64_t i = begin; i < end; i++) {
        const double t = p.data[i] - center;
        double term = exp2(t * t * (-1.0 / 128)) * (p.weights ? p.weights[i] : 1);
        GPUNP_UNROLL
        for (int k = 0; k < DENSITY_TERMS; k++) {
            terms[k] += term;
            term *= t * (UNIT / (k + 1));
        }
    }
    p.leaves[leaf] = center;
    p.leaves[p.count + leaf] = high - center > center - low ? high - center : center - low;
    GPUNP_UNROLL
    for (int k = 0; k < DENSITY_TERMS; k++) p.leaves[(2 + k) * p.count + leaf] = terms[k];
}

// The square of the distance from where on all kernels together are below 2^-60 times that of the nearest
// datum.
GPUNP_HD double reach_of(const DensityParams& p, double x) {
    int64_t low = 0, high = p.n - 1;
    while (low < high) {
        const int64_t middle = (low + high) >> 1;
        if (p.data[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    if (low > 0 && x - p.data[low - 1] < p.data[low] - x) low--;
    const double distance = x - p.data[low], weight = p.weights ? p.weights[low] : 1;
    return distance * distance + 128 * (60 + log2(p.total / weight));
}

// Whether the kernels of a leaf count at this distance from its middle.
GPUNP_HD bool within(double distance, double width, double reach) {
    const double gap = distance - width;
    return !(gap > 0 && gap * gap > reach);
}

#if GPUNP_ON_DEVICE
__device__ __forceinline__ void leaf_kernel(const LeavesParams& p) {
    const int64_t leaf = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (leaf < p.count) make_leaf(p, leaf);
}

template <bool LOGS>
__device__ __forceinline__ void leaf_sums(const DensityParams& p) {
    constexpr int ROWS = 2 + DENSITY_TERMS;
    __shared__ double table[POWER_TABLE], tile[DENSITY_LEAVES][ROWS];
    fill_table(table);
    const double* powers = table + threadIdx.x % POWER_COPIES;
    const int64_t at = (int64_t)blockIdx.x * DENSITY_BLOCK + threadIdx.x;
    const double x = p.points[at < p.m ? at : p.m - 1], reach = reach_of(p, x);
    Sum<LOGS> sum;
    const int64_t begin = blockIdx.y * p.part;
    const int64_t end = begin + p.part < p.count ? begin + p.part : p.count;
    for (int64_t first = begin; first < end; first += DENSITY_LEAVES) {
        const int leaves = (int)(end - first < DENSITY_LEAVES ? end - first : DENSITY_LEAVES);
        __syncthreads();
        for (int i = threadIdx.x; i < ROWS * DENSITY_LEAVES; i += DENSITY_BLOCK) {
            const int row = i / DENSITY_LEAVES, leaf = i % DENSITY_LEAVES;
            if (leaf < leaves) tile[leaf][row] = p.leaves[row * p.count + first + leaf];
        }
        __syncthreads();
#pragma unroll 1
        for (int leaf = 0; leaf < leaves; leaf++) {
            const double u = x - tile[leaf][0], distance = fabs(u), width = tile[leaf][1];
            if (!within(distance, width, reach)) continue;
            if (distance * width <= MOST) {
                double factor = tile[leaf][ROWS - 1];
#pragma unroll
                for (int k = ROWS - 2; k >= 2; k--) factor = fma(factor, u, tile[leaf][k]);
                if (factor > 0) sum.add_term(-(u * u), factor, powers);
                continue;
            }
            const int64_t place = (first + leaf) * DENSITY_LEAF;
            const int64_t stop = place + DENSITY_LEAF < p.n ? place + DENSITY_LEAF : p.n;
            for (int64_t i = place; i < stop; i++) {
                const double difference = x - p.data[i], weight = p.weights ? p.weights[i] : 1;
                if (weight > 0) sum.add_term(-(difference * difference), weight, powers);
            }
        }
    }
    if (at < p.m) sum.store(p, blockIdx.y * p.m + at, isnan(x));
}

#define GPUNP_DENSITY_LEAVES                                                                    \
    extern "C" __global__ void density_leaves(const __grid_constant__::gpunp::LeavesParams p) { \
        ::gpunp::density::leaf_kernel(p);                                                       \
    }
#define GPUNP_LEAF_SUMS(name, LOGS)                                       \
    extern "C" __global__ void __launch_bounds__(::gpunp::DENSITY_BLOCK)  \
        density_##name(const __grid_constant__::gpunp::DensityParams p) { \
        ::gpunp::density::leaf_sums<LOGS>(p);                             \
    }
#else
inline void leaf_kernel(const void* params) {
    const LeavesParams& p = *static_cast<const LeavesParams*>(params);
    parallel_for(p.count, grain_of(DENSITY_LEAF * DENSITY_TERMS), [&](int64_t begin, int64_t end) {
        for (int64_t leaf = begin; leaf < end; leaf++) make_leaf(p, leaf);
    });
}

template <bool LOGS>
void leaf_sums(const void* params) {
    const DensityParams& p = *static_cast<const DensityParams*>(params);
    const double one = 1;
    parallel_for(p.m, grain_of(p.count * DENSITY_TERMS), [&](int64_t begin, int64_t end) {
        for (int64_t at = begin; at < end; at++) {
            const double x = p.points[at], reach = reach_of(p, x);
            Sum<LOGS> sum;
            for (int64_t leaf = 0; leaf < p.count; leaf++) {
                const double *values = p.leaves + leaf, width = values[p.count];
                const double u = x - values[0], distance = fabs(u), exponent = -(u * u);
                if (!within(distance, width, reach)) continue;
                if (distance * width <= MOST) {
                    double factor = values[(DENSITY_TERMS + 1) * p.count];
                    for (int k = DENSITY_TERMS; k >= 2; k--) factor = factor * u + values[k * p.count];
                    if (factor > 0) sum.add(&exponent, &factor);
                    continue;
                }
                const int64_t place = leaf * DENSITY_LEAF;
                const int64_t stop = place + DENSITY_LEAF < p.n ? place + DENSITY_LEAF : p.n;
                for (int64_t i = place; i < stop; i++) {
                    const double square = -(x - p.data[i]) * (x - p.data[i]);
                    const double* weight = p.weights ? p.weights + i : &one;
                    if (*weight > 0) sum.add(&square, weight);
                }
            }
            sum.store(p, at, isnan(x));
        }
    });
}

#define GPUNP_DENSITY_LEAVES GPUNP_HOST_KERNEL(density_leaves, ::gpunp::density::leaf_kernel);
#define GPUNP_LEAF_SUMS(name, LOGS) GPUNP_HOST_KERNEL(density_##name, ::gpunp::density::leaf_sums<LOGS>);
#endif

}  // namespace density
}  // namespace gpunp
