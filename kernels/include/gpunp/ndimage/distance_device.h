// Distance transforms on the device; included by distance.h.
#pragma once
#include "gpunp/common/warp.h"
#include "gpunp/ndimage/distance.h"

namespace gpunp {
namespace distance {

__device__ __forceinline__ void distance_words(const DistanceColumnsParams& p) {
    const int64_t segments = (p.length + DISTANCE_SEGMENT - 1) / DISTANCE_SEGMENT;
    const int64_t threads = (int64_t)gridDim.x * DISTANCE_BLOCK;
    for (int64_t i = (int64_t)blockIdx.x * DISTANCE_BLOCK + threadIdx.x; i < segments * p.inner;
         i += threads) {
        const int64_t segment = i / p.inner, column = i - segment * p.inner,
                      first = segment * DISTANCE_SEGMENT;
        const int count =
            p.length - first < DISTANCE_SEGMENT ? (int)(p.length - first) : (int)DISTANCE_SEGMENT;
        const uint8_t* x = p.image + first * p.inner + column;
        uint64_t word = 0;
        if (count == DISTANCE_SEGMENT) {
#pragma unroll 16
            for (int k = 0; k < DISTANCE_SEGMENT; k++) word |= (uint64_t)(x[k * p.inner] == 0) << k;
        } else {
            for (int k = 0; k < count; k++) word |= (uint64_t)(x[k * p.inner] == 0) << k;
        }
        p.words[i] = word;
    }
}

template <class C>
__device__ __forceinline__ void distance_columns(const DistanceColumnsParams& p) {
    const int64_t segments = (p.length + DISTANCE_SEGMENT - 1) / DISTANCE_SEGMENT;
    const int64_t threads = (int64_t)gridDim.x * DISTANCE_BLOCK;
    for (int64_t i = (int64_t)blockIdx.x * DISTANCE_BLOCK + threadIdx.x; i < segments * p.inner;
         i += threads) {
        const int64_t segment = i / p.inner, column = i - segment * p.inner,
                      first = segment * DISTANCE_SEGMENT;
        const int count =
            p.length - first < DISTANCE_SEGMENT ? (int)(p.length - first) : (int)DISTANCE_SEGMENT;
        const uint64_t word = p.words[i];
        int64_t before = -1, after = -1;  // of the segment
        for (int64_t s = segment - 1; s >= 0 && before < 0; s--) {
            const uint64_t other = p.words[s * p.inner + column];
            if (other) before = s * DISTANCE_SEGMENT + 63 - __clzll((long long)other);
        }
        for (int64_t s = segment + 1; s < segments && after < 0; s++) {
            const uint64_t other = p.words[s * p.inner + column];
            if (other) after = s * DISTANCE_SEGMENT + __ffsll((long long)other) - 1;
        }
#pragma unroll 4
        for (int k = 0; k < count; k++) {
            const uint64_t low = word & ((uint64_t)2 << k) - 1, high = word >> k;
            write_column<C>(p, first + k, (first + k) * p.inner + column,
                            low ? first + 63 - __clzll((long long)low) : before,
                            high ? first + k + __ffsll((long long)high) - 1 : after);
        }
    }
}

// Searches up to DISTANCE_REACH pixels to either side, or all for the greatest distance along an axis, where
// there is no bisection. True if the least cost was found.
template <class C, int METRIC>
__device__ __forceinline__ bool search_nearby(const C* cost, int n, int x, double scale, int& place) {
    C best = cost[x];
    place = x;
    // A pixel that is far from the background along the other axes is rarely settled here.
    if (METRIC != METRIC_GREATEST && best > cost_of<C>(2 * DISTANCE_REACH, scale, METRIC)) return false;
    for (int k = 1; METRIC == METRIC_GREATEST || k <= DISTANCE_REACH; k++) {
        const C step = cost_of<C>(k, scale, METRIC);
        const bool left = x >= k, right = k < n - x;
        if (step > best || !(left || right)) return true;
        if (left) {
            const C other = combined<C, METRIC>(cost[x - k], step);
            if (is_better<C>(other, x - k, best, place)) best = other, place = x - k;
        }
        if (right) {
            const C other = combined<C, METRIC>(cost[x + k], step);
            if (is_better<C>(other, x + k, best, place)) best = other, place = x + k;
        }
    }
    return false;
}

// The best of the costs from `first` to `last` for a pixel x, of which a thread takes every `step`-th.
template <class C, int METRIC>
__device__ __forceinline__ void search_between(const C* cost, int64_t x, int first, int last, int step,
                                               double scale, C& best, int& place) {
    for (int j = first; j <= last; j += step) {
        const int64_t far = x < j ? j - x : x - j;
        const C other = combined<C, METRIC>(cost[j], cost_of<C>(far, scale, METRIC));
        if (is_better<C>(other, j, best, place)) best = other, place = j;
    }
}
template <class C>
__device__ __forceinline__ void share_best(int lanes, C& best, int& place) {
    for (int distance = lanes / 2; distance; distance >>= 1) {
        const C other = warp::shuffle_xor(best, distance);
        const int other_place = warp::shuffle_xor(place, distance);
        if (is_better<C>(other, other_place, best, place)) best = other, place = other_place;
    }
}

// Searches the pixels that were not settled, those at odd multiples of a falling power of two at a time,
// between the places of their neighbors. The fewer pixels, the more threads share one; where neighbors belong
// to background far apart, the whole warp does.
template <class C, int METRIC>
__device__ __forceinline__ void bisect(const C* cost, int32_t* nearest, int n, double scale) {
    for (int step = 1 << (31 - __clz(n)); step; step >>= 1) {
        const int points = (n / step + 1) / 2;
        int each = 32;
        while (each > 1 && (int64_t)points * each > blockDim.x) each >>= 1;
        const int groups = blockDim.x / each, part = threadIdx.x & (each - 1);
        for (int base = 0; base < points; base += groups) {
            const int point = base + threadIdx.x / each;
            const int64_t x = (2 * (int64_t)point + 1) * step - 1;
            const bool open = point < points && nearest[x] < 0;
            C best = costs<C>::worst();
            int place = 0x7fffffff, low = 0, high = -1;
            if (open) {
                low = x >= step ? nearest[x - step] : 0;
                high = x + step < n ? nearest[x + step] : n - 1;
            }
            const bool is_wide = high - low >= 8 * each && each < 32;
            if (!is_wide) search_between<C, METRIC>(cost, x, low + part, high, each, scale, best, place);
            share_best<C>(each, best, place);
            if (open && !is_wide && part == 0) nearest[x] = place;
            const int lane = threadIdx.x % 32;
            for (unsigned left = warp::ballot(is_wide && part == 0); left; left &= left - 1) {
                const int owner = __ffs((int)left) - 1;
                const int64_t pixel = warp::shuffle(x, owner);
                best = costs<C>::worst();
                place = 0x7fffffff;
                search_between<C, METRIC>(cost, pixel, warp::shuffle(low, owner) + lane,
                                          warp::shuffle(high, owner), 32, scale, best, place);
                share_best<C>(32, best, place);
                if (lane == owner) nearest[pixel] = place;
            }
        }
        __syncthreads();
    }
}

template <class C, int METRIC>
__device__ __forceinline__ void distance_rows(const DistanceRowsParams& p) {
    extern __shared__ double local[];
    const int n = (int)p.length;
    const int64_t line = blockIdx.x;
    const C* cost = static_cast<const C*>(p.cost) + line * n;
    int32_t* nearest = p.nearest + line * n;
    if (p.in_shared) {
        C* copy = reinterpret_cast<C*>(local);
        nearest = reinterpret_cast<int32_t*>(copy + n);
#pragma unroll 4
        for (int x = threadIdx.x; x < n; x += blockDim.x) copy[x] = cost[x];
        cost = copy;
        __syncthreads();
    }
    bool open = false;
    for (int x = threadIdx.x; x < n; x += blockDim.x) {
        int place;
        const bool found = search_nearby<C, METRIC>(cost, n, x, p.scale, place);
        nearest[x] = found ? place : -1;
        open |= !found;
    }
    if constexpr (METRIC != METRIC_GREATEST) {
        if (__syncthreads_or(open)) bisect<C, METRIC>(cost, nearest, n, p.scale);
    }
    // Each thread reads places that it wrote, or that were written before a barrier.
    for (int x = threadIdx.x; x < n; x += blockDim.x) write_least<C, METRIC>(p, cost, line, x, nearest[x]);
}

#define GPUNP_DISTANCE_KERNEL(symbol, Params, function)                   \
    extern "C" __global__ void __launch_bounds__(::gpunp::DISTANCE_BLOCK) \
        symbol(const __grid_constant__::gpunp::Params p) {                \
        ::gpunp::distance::function(p);                                   \
    }
#define GPUNP_DISTANCE_WORDS GPUNP_DISTANCE_KERNEL(distance_words, DistanceColumnsParams, distance_words)
#define GPUNP_DISTANCE_COLUMNS(name, C) \
    GPUNP_DISTANCE_KERNEL(distance_columns_##name, DistanceColumnsParams, distance_columns<C>)
#define GPUNP_DISTANCE_ROWS(metric, METRIC, name, C)                                       \
    extern "C" __global__ void __launch_bounds__(::gpunp::DISTANCE_BLOCK)                  \
        distance_##metric##_##name(const __grid_constant__::gpunp::DistanceRowsParams p) { \
        ::gpunp::distance::distance_rows<C, ::gpunp::METRIC>(p);                           \
    }

}  // namespace distance
}  // namespace gpunp
