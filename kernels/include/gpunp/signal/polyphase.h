// Filters of finite length along rows, which may insert zeros between samples and drop outputs.
#pragma once
#include "gpunp/common/host_pool.h"
#include "gpunp/kernel.h"
#include "gpunp/math/convolve.h"
#include "gpunp/signal/polyphase_params.h"
#include "gpunp/types.h"

namespace gpunp {
namespace polyphase {

using convolution::fused;

#if GPUNP_ON_DEVICE

template <class T>
__device__ __forceinline__ void filter(const PolyphaseParams& p) {
    constexpr int EACH = POLYPHASE_EACH;
    int64_t id = (int64_t)blockIdx.x * POLYPHASE_BLOCK + threadIdx.x;
    const int64_t inner = id % p.inner;
    id /= p.inner;
    const int64_t place = id % p.width;
    id /= p.width;
    const int64_t group = id % p.groups, outer = id / p.groups;
    if (outer >= p.outer) return;
    const int64_t first = group * p.width * EACH + place;
    if (first >= p.outputs) return;
    const int64_t q = first * p.down, phase = q % p.up, newest = q / p.up + p.offset;
    const int64_t step = p.width / p.up * p.down;  // samples between outputs of a thread
    const int64_t taps = phase < p.taps ? (p.taps - phase + p.up - 1) / p.up : 0;
    const T* x = (const T*)p.x + outer * p.x_outer + inner * p.x_inner + newest * p.x_item;
    const T* h = (const T*)p.h + phase;
    const int64_t ahead = step * p.x_item;
    T sum[EACH] = {};
    if (newest - (taps - 1) >= 0 && newest + step * (EACH - 1) < p.length) {
#pragma unroll 4
        for (int64_t m = 0; m < taps; m++) {
            const T factor = h[m * p.up];
#pragma unroll
            for (int e = 0; e < EACH; e++) sum[e] = fused(factor, x[e * ahead - m * p.x_item], sum[e]);
        }
    } else {
        for (int e = 0; e < EACH; e++) {
            const int64_t last = newest + e * step;
            const int64_t begin = last - p.length + 1 > 0 ? last - p.length + 1 : 0;
            const int64_t end = taps < last + 1 ? taps : last + 1;
            for (int64_t m = begin; m < end; m++)
                sum[e] = fused(h[m * p.up], x[e * ahead - m * p.x_item], sum[e]);
        }
    }
    T* y = (T*)p.y + outer * p.y_outer + inner * p.y_inner;
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        const int64_t k = first + e * p.width;
        if (k < p.outputs) y[k * p.y_item] = sum[e];
    }
}

#define GPUNP_POLYPHASE(name, T)                                              \
    extern "C" __global__ void __launch_bounds__(::gpunp::POLYPHASE_BLOCK)    \
        polyphase_##name(const __grid_constant__::gpunp::PolyphaseParams p) { \
        ::gpunp::polyphase::filter<T>(p);                                     \
    }

#else

template <class T>
void filter(const void* params) {
    const PolyphaseParams& p = *static_cast<const PolyphaseParams*>(params);
    // Threads share rows and runs of outputs.
    constexpr int64_t RUN = 1024;
    const int64_t runs = (p.outputs + RUN - 1) / RUN, cost = RUN * (p.taps / (p.up > 0 ? p.up : 1) + 8);
    parallel_for(p.outer * p.inner * runs, grain_of(cost), [&](int64_t first, int64_t last) {
        for (int64_t unit = first; unit < last; unit++) {
            const int64_t row = unit / runs, from = unit % runs * RUN;
            const int64_t to = p.outputs - from < RUN ? p.outputs : from + RUN;
            const T* x = (const T*)p.x + row / p.inner * p.x_outer + row % p.inner * p.x_inner;
            T* y = (T*)p.y + row / p.inner * p.y_outer + row % p.inner * p.y_inner;
            for (int64_t k = from; k < to; k++) {
                const int64_t q = k * p.down, phase = q % p.up, newest = q / p.up + p.offset;
                const int64_t taps = phase < p.taps ? (p.taps - phase + p.up - 1) / p.up : 0;
                const int64_t begin = newest - p.length + 1 > 0 ? newest - p.length + 1 : 0;
                const int64_t end = taps < newest + 1 ? taps : newest + 1;
                T sum{};
                for (int64_t m = begin; m < end; m++)
                    sum = fused(((const T*)p.h)[phase + m * p.up], x[(newest - m) * p.x_item], sum);
                y[k * p.y_item] = sum;
            }
        }
    });
}

#define GPUNP_POLYPHASE(name, T) GPUNP_HOST_KERNEL(polyphase_##name, ::gpunp::polyphase::filter<T>);

#endif

}  // namespace polyphase
}  // namespace gpunp
