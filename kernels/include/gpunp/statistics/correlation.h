// Correlations of two samples in two passes: means and extents, then products of the deviations.
//
// Deviations are divided by a power of two near the greatest one: their squares neither overflow nor vanish.
#pragma once
#include "gpunp/common/host_pool.h"
#include "gpunp/common/warp.h"
#include "gpunp/kernel.h"
#include "gpunp/statistics/correlation_params.h"

namespace gpunp {
namespace correlation {

// The sum, which a NaN makes NaN, and the least and the greatest value.
struct Extents {
    double sum = 0, least = HUGE_VAL, most = -HUGE_VAL;

    GPUNP_HD void add(double value) {
        sum += value;
        least = value < least ? value : least;
        most = value > most ? value : most;
    }
    GPUNP_HD void add(const Extents& other) {
        sum += other.sum;
        least = other.least < least ? other.least : least;
        most = other.most > most ? other.most : most;
    }
};

struct Products {
    double xx = 0, yy = 0, xy = 0;

    GPUNP_HD void add(double x, double y) {
        xx += x * x;
        yy += y * y;
        xy += x * y;
    }
    GPUNP_HD void add(const Products& other) {
        xx += other.xx;
        yy += other.yy;
        xy += other.xy;
    }
};

struct Both {
    Extents x, y;

    GPUNP_HD void add(const Both& other) {
        x.add(other.x);
        y.add(other.y);
    }
    GPUNP_HD void load(const double* from) {
        x = {from[0], from[1], from[2]};
        y = {from[3], from[4], from[5]};
    }
    GPUNP_HD void store(double* to) const {
        to[0] = x.sum, to[1] = x.least, to[2] = x.most;
        to[3] = y.sum, to[4] = y.least, to[5] = y.most;
    }
};

// Scaled deviations from the mean; NaN if all values are equal.
struct Scale {
    double mean, factor;

    GPUNP_HD Scale(const Extents& e, int64_t n) {
        mean = e.sum / (double)n;
        const double extent = e.most - mean > mean - e.least ? e.most - mean : mean - e.least;
        const int exponent = extent > 0 && extent < HUGE_VAL ? ilogb(extent) : 0;
        factor = e.least == e.most ? nan("") : ldexp(1.0, exponent < -1000 ? 1000 : -exponent);
    }
    GPUNP_HD double operator()(double value) const { return (value - mean) * factor; }
};

#if GPUNP_ON_DEVICE
// The sum over the threads of a warp or block, in all of its threads.
template <bool WARP, class S>
__device__ __forceinline__ S total(S value) {
    constexpr int WORDS = sizeof(S) / sizeof(double), WARPS = CORRELATION_BLOCK / 32;
    __shared__ double of_warps[WARPS][WORDS];
    value = warp::fold(value, [](S sum, const S& other) {
        sum.add(other);
        return sum;
    });
    if (WARP) return value;
    __syncthreads();
    if (threadIdx.x % 32 == 0)
#pragma unroll
        for (int w = 0; w < WORDS; w++)
            of_warps[threadIdx.x / 32][w] = reinterpret_cast<const double*>(&value)[w];
    __syncthreads();
    S sum;
#pragma unroll
    for (int i = 0; i < WARPS; i++) {
        S other;
#pragma unroll
        for (int w = 0; w < WORDS; w++) reinterpret_cast<double*>(&other)[w] = of_warps[i][w];
        sum.add(other);
    }
    return sum;
}

// Calls `use(x, y)` for the elements of this thread in a part of a row.
template <class T, bool WARP, class Use>
__device__ __forceinline__ void each(const CorrelationParams& p, int64_t row, int64_t part, Use use) {
    constexpr int THREADS = WARP ? 32 : CORRELATION_BLOCK, AT_ONCE = 4;
    const T* x = static_cast<const T*>(p.x) + row * p.n;
    const T* y = static_cast<const T*>(p.y) + row * p.n;
    const int64_t end = (part + 1) * p.part < p.n ? (part + 1) * p.part : p.n;
    int64_t i = part * p.part + threadIdx.x % THREADS;
    for (; i + (AT_ONCE - 1) * THREADS < end; i += AT_ONCE * THREADS) {
        T a[AT_ONCE], b[AT_ONCE];
#pragma unroll
        for (int j = 0; j < AT_ONCE; j++) a[j] = x[i + j * THREADS], b[j] = y[i + j * THREADS];
#pragma unroll
        for (int j = 0; j < AT_ONCE; j++) use((double)a[j], (double)b[j]);
    }
    for (; i < end; i += THREADS) use((double)x[i], (double)y[i]);
}

template <bool WARP>
__device__ __forceinline__ int64_t row_of() {
    return WARP ? (int64_t)blockIdx.x * (CORRELATION_BLOCK / 32) + threadIdx.x / 32 : blockIdx.x;
}

template <class T, bool WARP>
__device__ __forceinline__ void extents(const CorrelationParams& p) {
    constexpr int THREADS = WARP ? 32 : CORRELATION_BLOCK;
    const int64_t row = row_of<WARP>();
    if (row >= p.rows) return;
    Both both;
    each<T, WARP>(p, row, blockIdx.y, [&](double x, double y) {
        both.x.add(x);
        both.y.add(y);
    });
    both = total<WARP>(both);
    if (threadIdx.x % THREADS == 0)
        both.store(p.extents + (row * p.parts + blockIdx.y) * CORRELATION_EXTENTS);
}

template <class T, bool WARP>
__device__ __forceinline__ void products(const CorrelationParams& p) {
    constexpr int THREADS = WARP ? 32 : CORRELATION_BLOCK;
    const int64_t row = row_of<WARP>();
    if (row >= p.rows) return;
    Both both, part;
    for (int64_t i = threadIdx.x % THREADS; i < p.parts; i += THREADS) {
        part.load(p.extents + (row * p.parts + i) * CORRELATION_EXTENTS);
        both.add(part);
    }
    both = total<WARP>(both);
    const Scale x_scale(both.x, p.n), y_scale(both.y, p.n);
    Products sums;
    each<T, WARP>(p, row, blockIdx.y, [&](double x, double y) { sums.add(x_scale(x), y_scale(y)); });
    sums = total<WARP>(sums);
    if (threadIdx.x % THREADS == 0) {
        double* out = p.products + row * CORRELATION_PRODUCTS * p.parts + blockIdx.y;
        out[0] = sums.xx, out[p.parts] = sums.yy, out[2 * p.parts] = sums.xy;
    }
}

#define GPUNP_CORRELATION_KERNEL(name, function, T, WARP)                         \
    extern "C" __global__ void __launch_bounds__(::gpunp::CORRELATION_BLOCK)      \
        correlation_##name(const __grid_constant__::gpunp::CorrelationParams p) { \
        ::gpunp::correlation::function<T, WARP>(p);                               \
    }
#else
// Lanes of sums, so that loops are those of vector instructions.
constexpr int LANES = 8;

template <class S, class Use>
S lanes_of(int64_t begin, int64_t end, Use use) {
    S lanes[LANES], sum;
    int64_t i = begin;
    for (; i + LANES <= end; i += LANES)
        for (int l = 0; l < LANES; l++) use(lanes[l], i + l);
    for (; i < end; i++) use(lanes[0], i);
    for (int l = 0; l < LANES; l++) sum.add(lanes[l]);
    return sum;
}

// Calls `part_of(row, part, begin, end)` for all parts of all rows.
template <class F>
void each_part(const CorrelationParams& p, F&& part_of) {
    parallel_for(p.rows * p.parts, grain_of(4 * p.part), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; i++) {
            const int64_t part = i % p.parts, first = part * p.part;
            part_of(i / p.parts, part, first, first + p.part < p.n ? first + p.part : p.n);
        }
    });
}

template <class T, bool WARP>
void extents(const void* params) {
    const CorrelationParams& p = *static_cast<const CorrelationParams*>(params);
    each_part(p, [&](int64_t row, int64_t part, int64_t begin, int64_t end) {
        const T *x = static_cast<const T*>(p.x) + row * p.n, *y = static_cast<const T*>(p.y) + row * p.n;
        Both both = lanes_of<Both>(begin, end, [&](Both& lane, int64_t i) {
            lane.x.add(x[i]);
            lane.y.add(y[i]);
        });
        both.store(p.extents + (row * p.parts + part) * CORRELATION_EXTENTS);
    });
}

template <class T, bool WARP>
void products(const void* params) {
    const CorrelationParams& p = *static_cast<const CorrelationParams*>(params);
    each_part(p, [&](int64_t row, int64_t part, int64_t begin, int64_t end) {
        const T *x = static_cast<const T*>(p.x) + row * p.n, *y = static_cast<const T*>(p.y) + row * p.n;
        Both both, other;
        for (int64_t i = 0; i < p.parts; i++) {
            other.load(p.extents + (row * p.parts + i) * CORRELATION_EXTENTS);
            both.add(other);
        }
        const Scale x_scale(both.x, p.n), y_scale(both.y, p.n);
        const Products sums = lanes_of<Products>(
            begin, end, [&](Products& lane, int64_t i) { lane.add(x_scale(x[i]), y_scale(y[i])); });
        double* out = p.products + row * CORRELATION_PRODUCTS * p.parts + part;
        out[0] = sums.xx, out[p.parts] = sums.yy, out[2 * p.parts] = sums.xy;
    });
}

#define GPUNP_CORRELATION_KERNEL(name, function, T, WARP) \
    GPUNP_HOST_KERNEL(correlation_##name, (::gpunp::correlation::function<T, WARP>));
#endif

#define GPUNP_CORRELATION(type, T)                                      \
    GPUNP_CORRELATION_KERNEL(extents_##type, extents, T, false)         \
    GPUNP_CORRELATION_KERNEL(extents_##type##_narrow, extents, T, true) \
    GPUNP_CORRELATION_KERNEL(products_##type, products, T, false)       \
    GPUNP_CORRELATION_KERNEL(products_##type##_narrow, products, T, true)

}  // namespace correlation
}  // namespace gpunp
