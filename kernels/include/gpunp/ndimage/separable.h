// The kernels of separable filters: by tiles in shared memory, or for long windows from memory.
#pragma once
#include "gpunp/common/host_pool.h"
#include "gpunp/kernel.h"
#include "gpunp/ndimage/separable_tile.h"

#if !GPUNP_ON_DEVICE
#include <stdlib.h>
#endif

namespace gpunp {
namespace ndimage {

// A run of adjacent outputs along axis 0, from memory: windows may be longer than a tile, or than the image.
template <class Combine>
GPUNP_HD void filter_run(const SeparableParams& p, int64_t i) {
    const int64_t runs = (p.rows + RUN - 1) / RUN, strip = i / p.columns, column = i - strip * p.columns;
    const int64_t plane = strip / runs, row = (strip - plane * runs) * RUN;
    const int64_t start = plane * p.rows * p.columns + column, first = row - p.axis[0].before;
    double values[RUN];
    auto sample = [&](int t) {
        const int64_t from = extended(first + t, p.rows, p.axis[0].mode);
        return from < 0 ? p.cval : load_sample<double>(p.input, start + from * p.columns, p.in_dtype);
    };
    Combine::slide(sample, p.axis[0], p.weights, values);
    for (int k = 0; k < RUN && row + k < p.rows; k++)
        store_sample(p.output, start + (row + k) * p.columns, p.out_dtype, values[k]);
}
GPUNP_HD int64_t runs_of(const SeparableParams& p) {
    return p.planes * p.columns * ((p.rows + RUN - 1) / RUN);
}

#if GPUNP_ON_DEVICE

template <class S, class Combine, class Result>
__device__ __forceinline__ void separable_block(const SeparableParams& p) {
    extern __shared__ __align__(16) double memory[];
    S* samples = reinterpret_cast<S*>(memory);
    const int thread = threadIdx.x;
    const Workers w{thread, SEPARABLE_BLOCK, thread % 32, 32, thread / 32, SEPARABLE_BLOCK / 32};
    const int64_t tiles = tiles_of(p);
    for (int64_t i = blockIdx.x; i < tiles; i += gridDim.x) {
        const TilePlace place = tile_place(p, i);
        if (i != blockIdx.x) __syncthreads();
        load_tile(p, place, tile_samples(p, samples), w);
        __syncthreads();
        first_pass<S, Combine, Result>(p, place, samples, w);
        if (!p.axis[0].taps || !p.axis[1].taps) continue;
        __syncthreads();
        second_pass<S, Combine, Result>(p, place, samples, w);
    }
}

#define GPUNP_SEPARABLE(symbol, S, Combine, Result, BLOCKS)                         \
    extern "C" __global__ void __launch_bounds__(::gpunp::SEPARABLE_BLOCK, BLOCKS)  \
        symbol(const __grid_constant__::gpunp::SeparableParams p) {                 \
        ::gpunp::ndimage::separable_block<S, ::gpunp::ndimage::Combine, Result>(p); \
    }
#define GPUNP_SEPARABLE_LONG(symbol, Combine)                                       \
    extern "C" __global__ void __launch_bounds__(::gpunp::SEPARABLE_BLOCK)          \
        symbol(const __grid_constant__::gpunp::SeparableParams p) {                 \
        const int64_t count = ::gpunp::ndimage::runs_of(p);                         \
        for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; \
             i += (int64_t)gridDim.x * blockDim.x)                                  \
            ::gpunp::ndimage::filter_run<::gpunp::ndimage::Combine>(p, i);          \
    }

#else

template <class S, class Combine, class Result>
void separable_host(const void* params) {
    const SeparableParams& p = *static_cast<const SeparableParams*>(params);
    parallel_for(tiles_of(p), 1, [&](int64_t begin, int64_t end) {
        S* samples = static_cast<S*>(malloc((size_t)(separable_tile(p) + separable_between(p)) * sizeof(S)));
        const Workers w{0, 1, 0, 1, 0, 1};
        for (int64_t i = begin; i < end; i++) {
            const TilePlace place = tile_place(p, i);
            load_tile(p, place, tile_samples(p, samples), w);
            first_pass<S, Combine, Result>(p, place, samples, w);
            if (p.axis[0].taps && p.axis[1].taps) second_pass<S, Combine, Result>(p, place, samples, w);
        }
        free(samples);
    });
}
template <class Combine>
void separable_long_host(const void* params) {
    const SeparableParams& p = *static_cast<const SeparableParams*>(params);
    parallel_each(p, runs_of(p), 256,
                  [](const SeparableParams& own, int64_t i) { filter_run<Combine>(own, i); });
}

#define GPUNP_SEPARABLE(symbol, S, Combine, Result, BLOCKS) \
    GPUNP_HOST_KERNEL(symbol, (::gpunp::ndimage::separable_host<S, ::gpunp::ndimage::Combine, Result>));
#define GPUNP_SEPARABLE_LONG(symbol, Combine) \
    GPUNP_HOST_KERNEL(symbol, ::gpunp::ndimage::separable_long_host<::gpunp::ndimage::Combine>);

#endif

}  // namespace ndimage
}  // namespace gpunp
