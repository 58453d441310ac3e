// Filters with a window of any shape, in any number of dimensions: a thread per output.
#pragma once
#include "gpunp/common/host_pool.h"
#include "gpunp/kernel.h"
#include "gpunp/ndimage/sample_keys.h"
#include "gpunp/ndimage/stencil_params.h"
#include "gpunp/ndimage/window.h"

namespace gpunp {
namespace ndimage {

// The window of an output: where its samples are.
struct StencilWindow {
    const StencilParams& p;
    int64_t output;
    int64_t at[STENCIL_NDIM];
    bool inside;

    GPUNP_HD StencilWindow(const StencilParams& params, int64_t i) : p(params), output(i), inside(true) {
        GPUNP_UNROLL
        for (int d = STENCIL_NDIM - 1; d >= 0; d--) {
            if (d >= p.ndim) continue;
            const int64_t rest = i / p.shape[d];
            at[d] = i - rest * p.shape[d];
            i = rest;
            inside = inside && at[d] >= p.low[d] && at[d] < p.high[d];
        }
    }
    // The index of a sample; -1 where it is the constant.
    GPUNP_HD int64_t sample(int64_t tap) const {
        if (inside) return output + p.table[tap];
        const int64_t* steps = p.table + 2 * p.taps + tap * p.ndim;
        int64_t index = 0;
        GPUNP_UNROLL
        for (int d = 0; d < STENCIL_NDIM; d++) {
            if (d >= p.ndim) continue;
            const int64_t i = extended(at[d] + steps[d], p.shape[d], p.modes[d]);
            if (i < 0) return -1;
            index = index * p.shape[d] + i;
        }
        return index;
    }
    // The weight or height of a sample.
    GPUNP_HD double value(int64_t tap) const {
        return reinterpret_cast<const double*>(p.table)[p.taps + tap];
    }
};

template <bool FLOAT>
GPUNP_HD double stencil_sample(const StencilParams& p, int64_t i) {
    if (i < 0) return p.cval;
    return FLOAT ? (double)reinterpret_cast<const float*>(p.input)[i]
                 : load_sample<double>(p.input, i, p.in_dtype);
}

// Weighted sums, in SciPy's order.
template <bool FLOAT>
struct StencilSum {
    static GPUNP_HD void run(const StencilParams& p, int64_t i) {
        const StencilWindow window(p, i);
        double sum = 0;
        for (int64_t t = 0; t < p.taps; t++)
            sum += stencil_sample<FLOAT>(p, window.sample(t)) * window.value(t);
        store_sample(p.output, i, p.out_dtype, sum);
    }
};

// The least or the greatest of samples, or of samples with heights: as in SciPy, sums after the first are
// rounded to the dtype of the image, in which the heights are given.
template <bool MINIMUM, bool FLOAT>
struct StencilExtremum {
    static GPUNP_HD void run(const StencilParams& p, int64_t i) {
        const StencilWindow window(p, i);
        double found = stencil_sample<FLOAT>(p, window.sample(0));
        if (p.heights) found += window.value(0);
        for (int64_t t = 1; t < p.taps; t++) {
            double sample = stencil_sample<FLOAT>(p, window.sample(t));
            if (p.heights) sample = stored(sample + window.value(t), p.in_dtype);
            found = Extremum<MINIMUM>::of(found, sample);
        }
        store_sample(p.output, i, p.out_dtype, found);
    }
};

// The sample of a rank: its key is found bit by bit.
template <class K>
struct StencilRank {
    static GPUNP_HD K key(const StencilParams& p, const StencilWindow& window, int64_t tap) {
        const int64_t i = window.sample(tap);
        return i < 0 ? constant_key<K>(p.cval, p.in_dtype) : load_key<K>(p.input, i, p.in_dtype);
    }
    static GPUNP_HD void run(const StencilParams& p, int64_t i) {
        const StencilWindow window(p, i);
        K keys[STENCIL_KEYS];
        const bool kept = p.taps <= STENCIL_KEYS;
        if (kept)
            for (int t = 0; t < (int)p.taps; t++) keys[t] = key(p, window, t);
        K found = 0;
        for (int bit = 8 * dtype_size(p.in_dtype) - 1; bit >= 0; bit--) {
            const K candidate = found | (K)1 << bit;
            int64_t below = 0;
            if (kept)
                for (int t = 0; t < (int)p.taps; t++) below += keys[t] < candidate;
            else
                for (int64_t t = 0; t < p.taps; t++) below += key(p, window, t) < candidate;
            if (below <= p.rank) found = candidate;
        }
        store_key(p.output, i, p.out_dtype, found, p.in_dtype);
    }
};

#if GPUNP_ON_DEVICE
#define GPUNP_STENCIL(symbol, ...)                                                   \
    extern "C" __global__ void __launch_bounds__(::gpunp::STENCIL_BLOCK)             \
        symbol(const __grid_constant__::gpunp::StencilParams p) {                    \
        for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < p.size; \
             i += (int64_t)gridDim.x * blockDim.x)                                   \
            ::gpunp::ndimage::__VA_ARGS__::run(p, i);                                \
    }
#else
template <class Filter>
void stencil_host(const void* params) {
    const StencilParams& p = *static_cast<const StencilParams*>(params);
    parallel_each(p, p.size, 4 * p.taps, [](const StencilParams& own, int64_t i) { Filter::run(own, i); });
}
#define GPUNP_STENCIL(symbol, ...) \
    GPUNP_HOST_KERNEL(symbol, (::gpunp::ndimage::stencil_host<::gpunp::ndimage::__VA_ARGS__>));
#endif

}  // namespace ndimage
}  // namespace gpunp
