// Histograms of long data without a given range, in one pass over the data.
//
// The edges depend on the extents, and these on all values. But a sample estimates the extents well if the
// values end sharply there. Bins between the estimates then differ little from the true ones, and only values
// near an edge are kept until the true edges are known. If the estimate is wrong or too uncertain, all values
// are counted in a second pass.
#pragma once
#include "gpunp/common/last_block.h"
#include "gpunp/common/warp.h"
#include "gpunp/statistics/histogram.h"

#if GPUNP_ON_DEVICE
namespace gpunp {
namespace histogram {

// Margin of the true extents beyond those of the sample, in mean spacings of the sampled values there.
constexpr double GUESS_SPACINGS = 12;

// Finds the extents of each warp's sample; the last block makes the guess.
template <class T, class E>
__device__ __forceinline__ void guess_range(const GuessParams& p) {
    __shared__ double lows[32], highs[32];
    const T* x = static_cast<const T*>(p.extent.values);
    constexpr int COUNT = GUESS_BLOCK * GUESS_BLOCKS * GUESS_ITEMS;
    const int64_t step = p.extent.size / COUNT;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int thread = blockIdx.x * GUESS_BLOCK + threadIdx.x;
    T values[GUESS_ITEMS];
#pragma unroll
    for (int i = 0; i < GUESS_ITEMS; i++) {
        // One element per stretch, at hashed offsets, so that periodic data do not bias the sample.
        const int64_t stretch = (int64_t)i * (GUESS_BLOCK * GUESS_BLOCKS) + thread;
        const uint64_t mixed = ((uint64_t)stretch + 1) * 0x9e3779b97f4a7c15ull;
        values[i] = x[stretch * step + (int64_t)__umul64hi(mixed ^ mixed >> 29, (uint64_t)step)];
    }
    using C = compute_t<T>;
    C own_low = load_value(values[0]), own_high = own_low;
#pragma unroll
    for (int i = 1; i < GUESS_ITEMS; i++) {
        const C v = load_value(values[i]);
        own_low = v < own_low ? v : own_low;
        own_high = v > own_high ? v : own_high;
    }
    double low = (double)warp::least(own_low), high = (double)warp::greatest(own_high);
    if (lane == 0) {
        const int at = blockIdx.x * (GUESS_BLOCK / 32) + warp;
        p.sampled[2 * at] = low;
        p.sampled[2 * at + 1] = high;
    }
    if (!is_last_block(p.counter, gridDim.x)) return;
    // The mean spacing follows from the mean distance of the extents of 32 groups from the overall extents.
    low = INFINITY;
    high = -INFINITY;
    const volatile double* sampled = p.sampled;
    for (int i = threadIdx.x; i < GUESS_WARPS; i += GUESS_BLOCK) {
        low = fmin(low, sampled[2 * i]);
        high = fmax(high, sampled[2 * i + 1]);
    }
    static_assert(GUESS_BLOCK == 512, "32 groups of half a warp each");
    const auto lesser = [](double a, double b) { return fmin(a, b); };
    const auto greater = [](double a, double b) { return fmax(a, b); };
    low = warp::fold<16>(low, lesser);
    high = warp::fold<16>(high, greater);
    if ((lane & 15) == 0) {
        lows[threadIdx.x >> 4] = low;
        highs[threadIdx.x >> 4] = high;
    }
    __syncthreads();
    if (threadIdx.x >= 32) return;
    low = lows[lane];
    high = highs[lane];
    double first = warp::fold(low, lesser), last = warp::fold(high, greater);
    const double below = warp::sum(low - first) / (32 * 31) * GUESS_SPACINGS;
    const double above = warp::sum(last - high) / (32 * 31) * GUESS_SPACINGS;
    if (lane != 0) return;
    const double width = last - first + (below + above) / 2;
    EdgesParams edges;
    edges.uniform = p.guess;
    edges.bins = p.bins;
    edges.edge_dtype = edges.division = sizeof(E) == 8 ? F8 : sizeof(E) == 4 ? F4 : F2;
    edges.line_dtype = edges.edge_dtype;
    // The ends are placed in the middle of their possible ranges.
    describe_bins(edges, first - below / 2, last + above / 2, width);
    UniformBins& u = *p.guess;
    const double shift = (below > above ? below : above) / 2 * u.scale * 1.001;
    // The true bins contribute about the same rounding error as the guessed ones.
    u.tolerance = shift + 2.5 * (NearSource<T, E>::NARROW ? u.narrow : u.wide);
    if (!(width > 0 && u.tolerance < 0.0625)) u.tolerance = 1;
}

// Counts between the guessed ends and finds the true ones. Each block keeps its values near edges.
template <class T, class E>
__device__ __forceinline__ void guess_count(const GuessParams& p) {
    using C = compute_t<T>;
    extern __shared__ uint32_t local[];
    __shared__ uint32_t kept;
    const T* x = static_cast<const T*>(p.extent.values);
    const int bins = (int)p.bins;
    const C start = load_value(x[0]);
    Extent<C> e{start, start, start != start};
    C poison = 0;  // becomes NaN by a NaN or an infinity, neither of which permits a range
    auto extend = [&](T value) {
        const C v = load_value(value);
        if constexpr (math::is_integer<C>) {
            widen(e, v, v);
        } else {
            e.low = fmin(e.low, v);
            e.high = fmax(e.high, v);
            poison = fma(v, (C)0, poison);
        }
    };
    auto fold = [&] {
        e.nan |= poison != poison;
        fold_extents<T>(p.extent, e);
    };
    if (p.guess->tolerance >= 1) {
        each_element<T, false>(x, p.extent.size, extend);
        fold();
        return;
    }
    const NearSource<T, E> near(*p.guess, nullptr);
    const float tolerance = (float)p.guess->tolerance, rest = 1.0f - tolerance;
    if (threadIdx.x == 0) kept = 0;
    clear_shared(local, bins + 1);
    T* const room = reinterpret_cast<T*>(p.kept) + blockIdx.x * p.room;
    // Counts the value if its bin is certain. Other values, and those far outside, which prove the guess
    // wrong, go to an additional bin, which is faster than a branch.
    auto counted = [&](T v) {
        extend(v);
        const float f = near.place(v);
        const int i = __float2int_rd(f);
        const float part = f - (float)i;
        const bool certain = part > tolerance && part < rest;
        atomicAdd(&local[min(certain ? (unsigned int)i : ~0u, (unsigned int)bins)], 1u);
        return certain;
    };
    auto one = [&](T v) {
        if (counted(v)) return;
        const uint32_t at = atomicAdd(&kept, 1u);
        if (at < p.room) room[at] = v;
    };
    auto many = [&](auto value, auto again) {
        uint32_t waiting = 0;
#pragma unroll
        for (int k = 0; k < Batch<T>::SIZE; k++)
            if (!counted(value(k))) waiting |= 1u << k;
        if (!waiting) return;
        for (uint32_t at = atomicAdd(&kept, __popc(waiting)); waiting && at < p.room; at++) {
            room[at] = again(__ffs(waiting) - 1);
            waiting &= waiting - 1;
        }
    };
    each_batch<T, false>(x, p.extent.size, many, one);
    flush_shared(local, bins, p.counts);
    if (threadIdx.x == 0) p.kept_counts[blockIdx.x] = kept;
    fold();
}

// With the true bins known: counts the kept values, or all values if the guess was too far off.
template <class T, class E>
__device__ __forceinline__ void guess_finish(const GuessParams& p) {
    extern __shared__ uint32_t local[];
    const UniformBins& u = *p.uniform;
    const UniformBins& g = *p.guess;
    const NearSource<T, E> near(u, static_cast<const E*>(p.edges));
    bool good = g.tolerance < 1 && near.usable();
    if (good) {
        const double rounding = NearSource<T, E>::NARROW ? u.narrow + g.narrow : u.wide + g.wide;
        const double low = fabs(u.first - g.first) * g.scale, high = fabs(u.last - g.last) * g.scale;
        good = (low > high ? low : high) + rounding < g.tolerance;
        bool spilled = false;
        for (int b = threadIdx.x; b < p.blocks; b += blockDim.x)
            spilled = spilled || (int64_t)p.kept_counts[b] > p.room;
        good = !__syncthreads_or(spilled) && good;
    }
    const int bins = (int)p.bins;
    const int64_t thread = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t threads = (int64_t)gridDim.x * blockDim.x;
    clear_shared(local, bins);
    if (!good) {
        const T* x = static_cast<const T*>(p.extent.values);
        if (near.usable()) {
            each_element<T, true>(x, p.extent.size, [&](T v) {
                const int bin = near.bin(v);
                if (bin >= 0) atomicAdd(&local[bin], 1u);
            });
        } else {
            CountParams c;
            c.uniform = p.uniform;
            c.edges = p.edges;
            const UniformSource<E> source(c);
            for (int64_t i = thread; i < p.extent.size; i += threads) {
                const int64_t bin = source.bin(convert<compute_t<E>>(x[i]));
                if (bin >= 0) atomicAdd(&local[(int)bin], 1u);
            }
        }
        flush_shared(local, bins, p.out);
        return;
    }
    for (int64_t b = blockIdx.x; b < p.blocks; b += gridDim.x) {
        const T* room = reinterpret_cast<const T*>(p.kept) + b * p.room;
        for (uint32_t i = threadIdx.x; i < p.kept_counts[b]; i += blockDim.x) {
            const int bin = near.near_bin(room[i], near.place(room[i]));
            if (bin >= 0) atomicAdd(&local[bin], 1u);
        }
    }
    for (int64_t i = thread; i < bins; i += threads)
        if (p.counts[i]) atomicAdd((unsigned long long*)p.out + i, (unsigned long long)p.counts[i]);
    flush_shared(local, bins, p.out);
}

}  // namespace histogram
}  // namespace gpunp

#define GPUNP_GUESS(name, T, E)                                                                 \
    GPUNP_HISTOGRAM_KERNEL(guess_range_##name, GuessParams, (guess_range<T, E>(p)))             \
    extern "C" __global__ void __launch_bounds__(::gpunp::GUESS_BLOCK, ::gpunp::GUESS_RESIDENT) \
        guess_count_##name(const __grid_constant__::gpunp::GuessParams p) {                     \
        ::gpunp::histogram::guess_count<T, E>(p);                                               \
    }                                                                                           \
    GPUNP_HISTOGRAM_KERNEL(guess_finish_##name, GuessParams, (guess_finish<T, E>(p)))
#else
// The host always takes two passes.
#define GPUNP_GUESS(name, T, E)
#endif
