// Overlapping segments of signals, less their means and times a window: what Fourier transforms of short
// times begin with, in one pass.
#pragma once
#include "gpunp/common/cast.h"
#include "gpunp/common/host_pool.h"
#include "gpunp/common/warp.h"
#include "gpunp/kernel.h"
#include "gpunp/math/complex_arithmetic.h"
#include "gpunp/signal/segments_params.h"
#include "gpunp/types.h"

namespace gpunp {
namespace segments {

// Sums are computed in double, real or complex.
template <class T>
struct Sum {
    double re = 0;
    GPUNP_HD void add(T x) { re += (double)x; }
    GPUNP_HD T over(int64_t n) const { return (T)(re / (double)n); }
};
template <class T>
struct Sum<complex<T>> {
    double re = 0, im = 0;
    GPUNP_HD void add(complex<T> x) {
        re += (double)x.re;
        im += (double)x.im;
    }
    GPUNP_HD complex<T> over(int64_t n) const { return {(T)(re / (double)n), (T)(im / (double)n)}; }
};
#if GPUNP_ON_DEVICE
template <class T>
__device__ __forceinline__ void share(Sum<T>& sum) {
    sum.re = warp::sum(sum.re);
}
template <class T>
__device__ __forceinline__ void share(Sum<complex<T>>& sum) {
    sum.re = warp::sum(sum.re);
    sum.im = warp::sum(sum.im);
}
#endif

template <class T>
GPUNP_HD T less(T x, T mean) {
    return x - mean;
}
template <class T>
GPUNP_HD complex<T> less(complex<T> x, complex<T> mean) {
    return math::subtract(x, mean);
}
template <class T>
GPUNP_HD T tapered(T x, T w) {
    return x * w;
}
template <class T>
GPUNP_HD complex<T> tapered(complex<T> x, T w) {
    return {x.re * w, x.im * w};
}
template <class T>
GPUNP_HD complex<T> tapered(complex<T> x, complex<T> w) {
    return math::multiply(x, w);
}

// Writes one segment; `lane` of `lanes` takes every element whose place is it modulo their number.
template <class X, class Y, class W>
GPUNP_HD void cut(const SegmentsParams& p, int64_t segment, int lane, int lanes) {
    const int64_t row = segment / p.count, number = segment - row * p.count;
    const X* x = reinterpret_cast<const X*>(p.x) + row * p.row_stride + number * p.hop;
    const W* window = reinterpret_cast<const W*>(p.window);
    Y* out = reinterpret_cast<Y*>(p.out) + segment * p.size;
    Y mean{};
    if (p.centered) {
        Sum<Y> sum;
        for (int64_t i = lane; i < p.length; i += lanes) sum.add(convert<Y>(x[i]));
#if GPUNP_ON_DEVICE
        share(sum);
#endif
        mean = sum.over(p.length);
    }
    for (int64_t i = lane; i < p.size; i += lanes) {
        const int64_t to = i < p.shift ? i - p.shift + p.size : i - p.shift;
        out[to] = i < p.length ? tapered(less(convert<Y>(x[i]), mean), window[i]) : Y{};
    }
}

#if GPUNP_ON_DEVICE
#define GPUNP_SEGMENTS(name, X, Y, W)                                                          \
    extern "C" __global__ void __launch_bounds__(::gpunp::SEGMENTS_BLOCK)                      \
        segments_##name(const __grid_constant__::gpunp::SegmentsParams p) {                    \
        constexpr int WARPS = ::gpunp::SEGMENTS_BLOCK / 32;                                    \
        for (int64_t s = (int64_t)blockIdx.x * WARPS + threadIdx.x / 32; s < p.rows * p.count; \
             s += (int64_t)gridDim.x * WARPS)                                                  \
            ::gpunp::segments::cut<X, Y, W>(p, s, threadIdx.x % 32, 32);                       \
    }
#else
template <class X, class Y, class W>
void cut_all(const void* params) {
    const SegmentsParams& p = *static_cast<const SegmentsParams*>(params);
    parallel_each(p, p.rows * p.count, p.size,
                  [](const SegmentsParams& own, int64_t s) { cut<X, Y, W>(own, s, 0, 1); });
}
#define GPUNP_SEGMENTS(name, X, Y, W) \
    GPUNP_HOST_KERNEL(segments_##name, (::gpunp::segments::cut_all<X, Y, W>));
#endif

}  // namespace segments
}  // namespace gpunp
