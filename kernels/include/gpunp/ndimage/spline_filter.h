// Spline coefficients of the lines of an array: for each pole z a causal filter c[i] += z c[i-1] and an
// anticausal one c[i] = z (c[i+1] - c[i]).
//
// Poles are small (|z| < 0.431), so what is more than AHEAD chunks away is below rounding: lines are cut into
// segments, which read that much more on both sides and start from a guess. Beyond the ends of a line they
// read its continuation (mirrored, reflected, repeated), so that there are no special cases there. A thread
// has one segment, goes through it once, and keeps the last chunks in registers.
#pragma once
#include "gpunp/common/host_pool.h"
#include "gpunp/common/warp.h"
#include "gpunp/kernel.h"
#include "gpunp/ndimage/samples.h"
#include "gpunp/ndimage/spline_filter_params.h"

namespace gpunp {
namespace ndimage {

// Chunks until z to the power of their elements is below rounding.
template <class T, int POLES>
constexpr int spline_ahead = sizeof(T) == 4 ? POLES : POLES + 1;

template <class T, int POLES>
struct SplineSegment {
    static constexpr int CHUNK = SPLINE_CHUNK, AHEAD = spline_ahead<T, POLES>;
    T poles[POLES], gain;
    T before[POLES];  // the last results of the causal filters
    T kept[AHEAD + 1][CHUNK];

    GPUNP_HD explicit SplineSegment(const SplineFilterParams& p) : gain((T)p.gain) {
        GPUNP_UNROLL
        for (int q = 0; q < POLES; q++) {
            poles[q] = (T)p.poles[q];
            before[q] = 0;
        }
    }

    // Starts as if all elements before were `first`.
    GPUNP_HD void start(T first) {
        T value = first * gain;
        GPUNP_UNROLL
        for (int q = 0; q < POLES; q++) before[q] = value = value / (1 - poles[q]);
    }

    GPUNP_HD void push(const T (&x)[CHUNK]) {
        GPUNP_UNROLL
        for (int a = 0; a < AHEAD; a++) {
            GPUNP_UNROLL
            for (int k = 0; k < CHUNK; k++) kept[a][k] = kept[a + 1][k];
        }
        GPUNP_UNROLL
        for (int k = 0; k < CHUNK; k++) {
            T value = x[k] * gain;
            GPUNP_UNROLL
            for (int q = 0; q < POLES; q++) before[q] = value = value + poles[q] * before[q];
            kept[AHEAD][k] = value;
        }
    }

    // The coefficients of the oldest chunk, as if all elements after the latest were the same.
    GPUNP_HD void pull(T (&out)[CHUNK]) const {
        T after[POLES], value = kept[AHEAD][CHUNK - 1];
        GPUNP_UNROLL
        for (int q = 0; q < POLES; q++) after[q] = value = value * (poles[q] / (poles[q] - 1));
        GPUNP_UNROLL
        for (int a = AHEAD; a >= 0; a--) {
            GPUNP_UNROLL
            for (int k = CHUNK - 1; k >= 0; k--) {
                value = kept[a][k];
                GPUNP_UNROLL
                for (int q = 0; q < POLES; q++) after[q] = value = poles[q] * (after[q] - value);
                if (a == 0) out[k] = value;
            }
        }
    }
};

#if GPUNP_ON_DEVICE

// Elements of a segment's line that may be beyond its ends.
static __device__ __noinline__ int64_t spline_index(int64_t i, int64_t length, int boundary) {
    return extended(i, length, boundary);
}

// Lines along an axis that is not the last: adjacent threads have adjacent lines.
template <class T, int POLES>
__device__ __forceinline__ void filter_columns(const SplineFilterParams& p) {
    constexpr int CHUNK = SPLINE_CHUNK, AHEAD = spline_ahead<T, POLES>;
    const int64_t unit = (int64_t)blockIdx.x * SPLINE_BLOCK + threadIdx.x;
    if (unit >= p.lines * p.segments) return;
    const int64_t line = unit % p.lines, first = unit / p.lines * p.segment;
    const int64_t stop = first + p.segment < p.length ? first + p.segment : p.length;
    const int64_t base = line / p.inner * p.inner * p.length + line % p.inner;
    const T* source = static_cast<const T*>(p.source) + base;
    T* out = static_cast<T*>(p.out) + base;
    SplineSegment<T, POLES> segment(p);
    for (int64_t at = first - AHEAD * CHUNK; at - AHEAD * CHUNK < stop; at += CHUNK) {
        T x[CHUNK];
        if (at >= 0 && at + CHUNK <= p.length) {
            const T* from = source + at * p.inner;
#pragma unroll
            for (int k = 0; k < CHUNK; k++) x[k] = from[k * p.inner];
        } else {
#pragma unroll
            for (int k = 0; k < CHUNK; k++)
                x[k] = source[spline_index(at + k, p.length, p.boundary) * p.inner];
        }
        if (at == first - AHEAD * CHUNK) segment.start(x[0]);
        segment.push(x);
        const int64_t to = at - AHEAD * CHUNK;
        if (to < first) continue;
        segment.pull(x);
#pragma unroll
        for (int k = 0; k < CHUNK; k++)
            if (to + k < stop) out[(to + k) * p.inner] = x[k];
    }
}

// Lines along the last axis: chunks of the threads of a warp go through shared memory, so that half a warp
// reads neighbours. Segments of a line are adjacent units.
template <class T, int POLES>
__device__ __forceinline__ void filter_rows(const SplineFilterParams& p) {
    constexpr int CHUNK = SPLINE_CHUNK, AHEAD = spline_ahead<T, POLES>;
    static_assert(CHUNK == 16, "half a warp reads a chunk");
    __shared__ T tiles[SPLINE_BLOCK / 32][32][CHUNK + 1];
    T(*tile)[CHUNK + 1] = tiles[threadIdx.x / 32];
    const int lane = threadIdx.x % 32, half = lane / 16, column = lane % 16;
    const int64_t units = p.lines * p.segments;
    int64_t unit = (int64_t)blockIdx.x * SPLINE_BLOCK + threadIdx.x;
    const bool is_unit = unit < units;
    if (!is_unit) unit = units - 1;
    const int64_t base = unit / p.segments * p.length, first = unit % p.segments * p.segment;
    // Beyond the end of its unit, a thread writes nothing.
    const int64_t stop = !is_unit ? first : first + p.segment < p.length ? first + p.segment : p.length;
    const T* source = static_cast<const T*>(p.source);
    T* out = static_cast<T*>(p.out);
    SplineSegment<T, POLES> segment(p);
    for (int64_t ahead = -AHEAD * CHUNK; ahead - AHEAD * CHUNK < p.segment; ahead += CHUNK) {
        const int64_t at = first + ahead;
        T x[CHUNK];
        if (warp::all(at >= 0 && at + CHUNK <= p.length)) {
#pragma unroll
            for (int k = 0; k < 16; k++) x[k] = source[warp::shuffle(base + at, 2 * k + half) + column];
        } else {
#pragma unroll
            for (int k = 0; k < 16; k++) {
                const int64_t line = warp::shuffle(base, 2 * k + half);
                const int64_t i = warp::shuffle(at, 2 * k + half) + column;
                x[k] = source[line + spline_index(i, p.length, p.boundary)];
            }
        }
#pragma unroll
        for (int k = 0; k < 16; k++) tile[2 * k + half][column] = x[k];
        __syncwarp();
#pragma unroll
        for (int k = 0; k < CHUNK; k++) x[k] = tile[lane][k];
        if (ahead == -AHEAD * CHUNK) segment.start(x[0]);
        segment.push(x);
        if (ahead >= AHEAD * CHUNK) {
            segment.pull(x);
#pragma unroll
            for (int k = 0; k < CHUNK; k++) tile[lane][k] = x[k];
            __syncwarp();
            const int64_t to = at - AHEAD * CHUNK;
            const int left = (int)(stop - to < CHUNK ? stop - to : CHUNK);
#pragma unroll
            for (int k = 0; k < 16; k++) {
                const int64_t place = warp::shuffle(base + to, 2 * k + half);
                if (column < warp::shuffle(left, 2 * k + half))
                    out[place + column] = tile[2 * k + half][column];
            }
        }
        __syncwarp();
    }
}

#define GPUNP_SPLINE_FILTER(name, T, POLES)                                                     \
    extern "C" __global__ void __launch_bounds__(::gpunp::SPLINE_BLOCK, sizeof(T) == 4 ? 4 : 3) \
        spline_rows_##name##_##POLES(const __grid_constant__::gpunp::SplineFilterParams p) {    \
        ::gpunp::ndimage::filter_rows<T, POLES>(p);                                             \
    }                                                                                           \
    extern "C" __global__ void __launch_bounds__(::gpunp::SPLINE_BLOCK, sizeof(T) == 4 ? 4 : 3) \
        spline_columns_##name##_##POLES(const __grid_constant__::gpunp::SplineFilterParams p) { \
        ::gpunp::ndimage::filter_columns<T, POLES>(p);                                          \
    }

#else

// All segments one after another; the axis makes no difference.
template <class T, int POLES>
void filter_lines(const void* params) {
    constexpr int CHUNK = SPLINE_CHUNK, AHEAD = spline_ahead<T, POLES>;
    const SplineFilterParams& p = *static_cast<const SplineFilterParams*>(params);
    parallel_for(p.lines * p.segments, grain_of(8 * p.segment), [&](int64_t begin, int64_t end) {
        SplineSegment<T, POLES> segment(p);
        T x[CHUNK];
        for (int64_t unit = begin; unit < end; unit++) {
            const int64_t line = unit / p.segments, first = unit % p.segments * p.segment;
            const int64_t stop = first + p.segment < p.length ? first + p.segment : p.length;
            const int64_t base = line / p.inner * p.inner * p.length + line % p.inner;
            const T* source = static_cast<const T*>(p.source) + base;
            T* out = static_cast<T*>(p.out) + base;
            for (int64_t at = first - AHEAD * CHUNK; at - AHEAD * CHUNK < stop; at += CHUNK) {
                for (int k = 0; k < CHUNK; k++)
                    x[k] = source[extended(at + k, p.length, p.boundary) * p.inner];
                if (at == first - AHEAD * CHUNK) segment.start(x[0]);
                segment.push(x);
                const int64_t to = at - AHEAD * CHUNK;
                if (to < first) continue;
                segment.pull(x);
                for (int k = 0; k < CHUNK && to + k < stop; k++) out[(to + k) * p.inner] = x[k];
            }
        }
    });
}

#define GPUNP_SPLINE_FILTER(name, T, POLES)                                                      \
    GPUNP_HOST_KERNEL(spline_rows_##name##_##POLES, (::gpunp::ndimage::filter_lines<T, POLES>)); \
    GPUNP_HOST_KERNEL(spline_columns_##name##_##POLES, (::gpunp::ndimage::filter_lines<T, POLES>));

#endif

}  // namespace ndimage
}  // namespace gpunp
