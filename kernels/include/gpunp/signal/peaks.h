// Prominences and widths of peaks: a block searches both sides of a peak, a tile of samples at a time.
#pragma once
#include "gpunp/kernel.h"
#include "gpunp/signal/peaks_params.h"

namespace gpunp {
namespace peaks {

// Samples from `from` on in the direction of `step`, up to and including `last`. The host's form of the
// search.
struct Side {
    const double* x;
    int64_t from, last;
    int step;
    GPUNP_HD int64_t length() const { return (last - from) * step + 1; }
    GPUNP_HD double at(int64_t i) const { return x[from + i * step]; }
};

#if GPUNP_ON_DEVICE

// The first of the threads whose predicate holds, or PEAKS_BLOCK.
__device__ __forceinline__ int first_thread(bool holds) {
    __shared__ int first;
    __syncthreads();
    if (threadIdx.x == 0) first = PEAKS_BLOCK;
    __syncthreads();
    if (holds) atomicMin(&first, (int)threadIdx.x);
    __syncthreads();
    return first;
}

// The place of the least sample, and of the nearest one among equals, before the first sample above `limit`.
__device__ __forceinline__ int64_t find_base(const Side& side, double limit, double& least) {
    __shared__ double values[PEAKS_BLOCK];
    __shared__ int64_t places[PEAKS_BLOCK];
    const int t = threadIdx.x;
    double own = limit;
    int64_t place = 0;
    for (int64_t tile = 0; tile < side.length(); tile += PEAKS_BLOCK) {
        const int64_t i = tile + t;
        const bool exists = i < side.length();
        const double value = exists ? side.at(i) : 0;
        // NaN ends the search, too.
        const int end = first_thread(exists && !(value <= limit));
        if (exists && t < end && value < own) {
            own = value;
            place = i;
        }
        if (end < PEAKS_BLOCK) break;
    }
    values[t] = own;
    places[t] = place;
    for (int half = PEAKS_BLOCK / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t >= half) continue;
        const double other = values[t + half];
        if (other < values[t] || (other == values[t] && places[t + half] < places[t])) {
            values[t] = other;
            places[t] = places[t + half];
        }
    }
    __syncthreads();
    least = values[0];
    place = places[0];
    __syncthreads();
    return side.from + place * side.step;
}

// The nearest sample that is not above `height`, or the last.
__device__ __forceinline__ int64_t find_crossing(const Side& side, double height) {
    const int t = threadIdx.x;
    for (int64_t tile = 0; tile < side.length(); tile += PEAKS_BLOCK) {
        const int64_t i = tile + t;
        const int end = first_thread(i < side.length() && (!(height < side.at(i)) || i + 1 == side.length()));
        if (end < PEAKS_BLOCK) return side.from + (tile + end) * side.step;
    }
    return side.last;
}

__device__ __forceinline__ bool is_first() {
    return threadIdx.x == 0;
}

#else

inline int64_t find_base(const Side& side, double limit, double& least) {
    int64_t place = 0;
    least = limit;
    for (int64_t i = 0; i < side.length() && side.at(i) <= limit; i++) {
        if (side.at(i) < least) {
            least = side.at(i);
            place = i;
        }
    }
    return side.from + place * side.step;
}

inline int64_t find_crossing(const Side& side, double height) {
    int64_t i = 0;
    while (i + 1 < side.length() && height < side.at(i)) i++;
    return side.from + i * side.step;
}

inline bool is_first() {
    return true;
}

#endif

GPUNP_HD void measure_prominence(const PeaksParams& p, int64_t k) {
    const int64_t peak = p.peaks[k];
    if (peak < 0 || peak >= p.size) {
        if (is_first()) *p.invalid = 1;
        return;
    }
    const int64_t begin = peak - p.reach > 0 ? peak - p.reach : 0;
    const int64_t end = peak + p.reach < p.size - 1 ? peak + p.reach : p.size - 1;
    double low, other;
    const double top = p.x[peak];
    const int64_t left = find_base(Side{p.x, peak, begin, -1}, top, low);
    const int64_t right = find_base(Side{p.x, peak, end, 1}, top, other);
    if (!is_first()) return;
    p.left_bases[k] = left;
    p.right_bases[k] = right;
    p.prominences[k] = top - (low > other ? low : other);
}

GPUNP_HD void measure_width(const PeaksParams& p, int64_t k) {
    const int64_t peak = p.peaks[k], begin = p.left_bases[k], end = p.right_bases[k];
    if (begin < 0 || peak < begin || end < peak || end >= p.size) {
        if (is_first()) *p.invalid = 1;
        return;
    }
    const double height = p.x[peak] - p.prominences[k] * p.relative;
    const int64_t i = find_crossing(Side{p.x, peak, begin, -1}, height);
    const int64_t j = find_crossing(Side{p.x, peak, end, 1}, height);
    if (!is_first()) return;
    double left = (double)i, right = (double)j;
    if (p.x[i] < height) left += (height - p.x[i]) / (p.x[i + 1] - p.x[i]);
    if (p.x[j] < height) right -= (height - p.x[j]) / (p.x[j - 1] - p.x[j]);
    p.heights[k] = height;
    p.left[k] = left;
    p.right[k] = right;
    p.widths[k] = right - left;
}

// A peak is kept once all higher ones near it have been removed, and removed once one of them is kept. States
// that other threads change meanwhile only delay a decision.
GPUNP_HD void decide(const DistanceParams& p, int64_t k) {
    volatile int8_t* states = p.states;
    if (states[k] != PEAK_UNDECIDED) return;
    bool highest = true;
    for (int step = -1; step <= 1; step += 2) {
        for (int64_t i = k + step; i >= 0 && i < p.count && (p.peaks[i] - p.peaks[k]) * step < p.distance;
             i += step) {
            const int8_t state = states[i];
            if (state == PEAK_KEPT) {
                states[k] = PEAK_REMOVED;
                return;
            }
            if (state == PEAK_UNDECIDED && p.ranks[i] > p.ranks[k]) highest = false;
        }
    }
    if (highest)
        states[k] = PEAK_KEPT;
    else
        *p.undecided = 1;
}

#if GPUNP_ON_DEVICE
#define GPUNP_PEAKS_DISTANCE                                                                    \
    extern "C" __global__ void __launch_bounds__(::gpunp::PEAKS_BLOCK)                          \
        peaks_distance(const __grid_constant__::gpunp::DistanceParams p) {                      \
        for (int64_t k = (int64_t)blockIdx.x * ::gpunp::PEAKS_BLOCK + threadIdx.x; k < p.count; \
             k += (int64_t)gridDim.x * ::gpunp::PEAKS_BLOCK)                                    \
            ::gpunp::peaks::decide(p, k);                                                       \
    }
#define GPUNP_PEAKS(name)                                                                               \
    extern "C" __global__ void __launch_bounds__(::gpunp::PEAKS_BLOCK)                                  \
        peaks_##name(const __grid_constant__::gpunp::PeaksParams p) {                                   \
        for (int64_t k = blockIdx.x; k < p.count; k += gridDim.x) ::gpunp::peaks::measure_##name(p, k); \
    }
#else
inline void prominence(const void* params) {
    const PeaksParams& p = *static_cast<const PeaksParams*>(params);
    for (int64_t k = 0; k < p.count; k++) measure_prominence(p, k);
}
inline void width(const void* params) {
    const PeaksParams& p = *static_cast<const PeaksParams*>(params);
    for (int64_t k = 0; k < p.count; k++) measure_width(p, k);
}
inline void distance(const void* params) {
    const DistanceParams& p = *static_cast<const DistanceParams*>(params);
    for (int64_t k = 0; k < p.count; k++) decide(p, k);
}
#define GPUNP_PEAKS_DISTANCE GPUNP_HOST_KERNEL(peaks_distance, ::gpunp::peaks::distance);
#define GPUNP_PEAKS(name) GPUNP_HOST_KERNEL(peaks_##name, ::gpunp::peaks::name);
#endif

}  // namespace peaks
}  // namespace gpunp
