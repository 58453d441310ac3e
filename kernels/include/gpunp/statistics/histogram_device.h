// Histogram kernels on the device: counts in shared memory if they fit, otherwise by atomics in the L2 cache.
#pragma once
#include "gpunp/common/last_block.h"
#include "gpunp/common/vector.h"
#include "gpunp/common/warp.h"

namespace gpunp {
namespace histogram {

// Vector loads per thread in flight, and the elements that they load.
template <class T>
struct Batch {
    static constexpr int BYTES = sizeof(T) >= 4 ? 16 : 4 * sizeof(T);
    static constexpr int VALUES = BYTES / sizeof(T), LOADS = sizeof(T) >= 4 ? 4 : 2;
    static constexpr int SIZE = LOADS * VALUES;
};

// Calls f for every element of a contiguous array, or `many` for a thread's batch of elements, with two
// functions: one returns the loaded values by constant index, the other reads them again by any index. With
// BACKWARDS, a pass begins where the previous one ended: those elements may still be in the L2 cache.
template <class T, bool BACKWARDS, class Many, class F>
__device__ __forceinline__ void each_batch(const T* x, int64_t n, Many many, F f) {
    constexpr int BYTES = Batch<T>::BYTES, VALUES = Batch<T>::VALUES, LOADS = Batch<T>::LOADS;
    using Values = Vector<T, VALUES>;
    const int64_t thread = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t threads = (int64_t)gridDim.x * blockDim.x;
    int64_t head = ((BYTES - ((uintptr_t)x & (BYTES - 1))) & (BYTES - 1)) / sizeof(T);
    if (head > n) head = n;
    if (thread < head) f(x[thread]);
    const Values* vectors = reinterpret_cast<const Values*>(x + head);
    const int64_t count = (n - head) / VALUES;
    int64_t i = thread;
    for (; i + (LOADS - 1) * threads < count; i += LOADS * threads) {
        Values v[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; k++) {
            const int64_t at = i + k * threads;
            v[k] = vectors[BACKWARDS ? count - 1 - at : at];
        }
        const auto again = [&](int k) {
            const int64_t at = i + k / VALUES * threads;
            return vectors[BACKWARDS ? count - 1 - at : at].at[k % VALUES];
        };
        many([&](int k) { return v[k / VALUES].at[k % VALUES]; }, again);
    }
    for (; i < count; i += threads)
#pragma unroll 1
        for (int j = 0; j < VALUES; j++) f(x[head + (BACKWARDS ? count - 1 - i : i) * VALUES + j]);
    const int64_t tail = head + count * VALUES + thread;
    if (tail < n) f(x[tail]);
}

template <class T, bool BACKWARDS, class F>
__device__ __forceinline__ void each_element(const T* x, int64_t n, F f) {
    auto many = [&](auto value, auto) {
#pragma unroll
        for (int k = 0; k < Batch<T>::SIZE; k++) f(value(k));
    };
    each_batch<T, BACKWARDS>(x, n, many, f);
}

template <class C>
struct Extent {
    C low, high;
    bool nan;
};

template <class C>
__device__ __forceinline__ void widen(Extent<C>& e, C low, C high) {
    if (low < e.low) e.low = low;
    if (high > e.high) e.high = high;
}

// Folds the extents of all blocks in the last block to finish; returns whether this is that block.
template <class T>
__device__ __forceinline__ bool fold_extents(const ExtentParams& p, Extent<compute_t<T>> e) {
    using C = compute_t<T>;
    __shared__ C lows[32], highs[32];
    C* partials = static_cast<C*>(p.partials);
    for (int round = 0;; round++) {
        if (__syncthreads_or(e.nan)) {
            if constexpr (!math::is_integer<C>) e.low = e.high = (C)NAN;
        }
        e.low = warp::least(e.low);
        e.high = warp::greatest(e.high);
        const int warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
        if ((threadIdx.x & 31) == 0) {
            lows[warp] = e.low;
            highs[warp] = e.high;
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            for (int k = 1; k < warps; k++) widen(e, lows[k], highs[k]);
            if (round == 1) {
                static_cast<T*>(p.out)[0] = store_value(tag<T>(), e.low);
                static_cast<T*>(p.out)[1] = store_value(tag<T>(), e.high);
            } else {
                partials[2 * blockIdx.x] = e.low;
                partials[2 * blockIdx.x + 1] = e.high;
            }
        }
        if (round == 1) return true;
        // The last block to arrive folds the partial extents of all blocks.
        if (!is_last_block(p.counter, gridDim.x)) return false;
        const volatile C* left = partials;
        e = {left[0], left[1], left[0] != left[0]};
        for (unsigned int k = threadIdx.x; k < gridDim.x; k += blockDim.x) {
            const C low = left[2 * k];
            e.nan |= low != low;
            widen(e, low, (C)left[2 * k + 1]);
        }
    }
}

template <class T>
__device__ __forceinline__ void extent(const ExtentParams& p) {
    using C = compute_t<T>;
    const T* x = static_cast<const T*>(p.values);
    const C first = load_value(x[0]);
    Extent<C> e{first, first, first != first};
    each_element<T, false>(x, p.size, [&](T value) {
        const C v = load_value(value);
        e.nan |= v != v;
        // An initial NaN is replaced; the flag remembers it.
        e.low = v < e.low || e.low != e.low ? v : e.low;
        e.high = v > e.high || e.high != e.high ? v : e.high;
    });
    fold_extents<T>(p, e);
}

__device__ __forceinline__ void add_count(uint32_t* at, unsigned int more, bool wide) {
    if (wide)
        atomicAdd(reinterpret_cast<unsigned long long*>(at), (unsigned long long)more);
    else
        atomicAdd(at, more);
}

// Lanes with the same bin add once. Returns a bin shared by at least four lanes, or -1.
__device__ __noinline__ int64_t add_together(uint32_t* words, bool wide, int64_t bin) {
    const unsigned int active = warp::active();
    const unsigned int same = warp::match((unsigned long long)bin, active);
    if (__ffs(same) - 1 == (int)(threadIdx.x & 31)) add_count(words + bin * 2, __popc(same), wide);
    const unsigned int many = warp::ballot(__popc(same) >= 4, active);
    return many ? warp::shuffle(bin, __ffs(many) - 1, active) : -1;
}

// Counts in global memory. Atomics on one address serialize, so a sample of the elements is searched for a
// bin that many of them share. Each thread then counts the first such bin in a register, and lanes with equal
// other bins add together.
struct GlobalCounter {
    uint32_t* words;  // two per bin; counts below 2^32 use only the low one: atomics on it are cheaper
    bool wide;
    unsigned int step = 0, mine = 0;
    int64_t hot = -1;  // a bin that many elements share; then others may be frequent, too

    __device__ explicit GlobalCounter(const CountParams& p)
        : words(reinterpret_cast<uint32_t*>(p.counts)), wide(p.size >> 32) {}

    __device__ __forceinline__ void add(int64_t bin) {
        const bool sampled = (step++ & 31) == 0;
        if (bin < 0) return;
        if (bin == hot)
            mine++;
        else if (sampled || hot >= 0) {
            const int64_t common = add_together(words, wide, bin);
            if (hot < 0) hot = common;
        } else
            add_count(words + bin * 2, 1, wide);
    }
    // To be called by whole warps, at the end.
    __device__ __forceinline__ void flush() {
        __syncwarp();
        const unsigned int with = warp::ballot(mine > 0);
        if (!with) return;
        const int leader = __ffs(with) - 1;
        const bool same = hot == warp::shuffle(hot, leader);
        const unsigned int sum = warp::sum(same ? mine : 0);
        if ((int)(threadIdx.x & 31) == leader)
            add_count(words + hot * 2, sum, wide);
        else if (!same && mine)
            add_count(words + hot * 2, mine, wide);
    }
};

__device__ __forceinline__ void clear_shared(uint32_t* local, int bins) {
    for (int i = threadIdx.x; i < bins; i += blockDim.x) local[i] = 0;
    __syncthreads();
}

__device__ __forceinline__ void flush_shared(const uint32_t* local, int bins, uint64_t* counts) {
    __syncthreads();
    for (int i = threadIdx.x; i < bins; i += blockDim.x)
        if (local[i])
            atomicAdd(reinterpret_cast<unsigned long long*>(counts + i), (unsigned long long)local[i]);
}

template <class T, class Source>
__device__ __forceinline__ void count(const CountParams& p, const Source& source) {
    extern __shared__ uint32_t local[];
    const T* x = reinterpret_cast<const T*>(p.values);
    if (!p.shared) {
        GlobalCounter counter(p);
        each_element<T, true>(x, p.size, [&](T v) { counter.add(source.bin(v)); });
        counter.flush();
        return;
    }
    const int bins = (int)p.bins;
    clear_shared(local, bins);
    each_element<T, true>(x, p.size, [&](T v) {
        const int bin = (int)source.bin(v);
        if (bin >= 0) atomicAdd(&local[bin], 1u);
    });
    flush_shared(local, bins, p.counts);
}

template <class T>
struct ValueSource {
    int64_t bins;
    __device__ int64_t bin(T x) const { return (uint64_t)(int64_t)x < (uint64_t)bins ? (int64_t)x : -1; }
};

template <class T>
__device__ __forceinline__ void count_values(const CountParams& p) {
    count<T>(p, ValueSource<T>{p.bins});
}

// Bins of equal width: float arithmetic decides, except near an edge, where the value is compared with it.
template <class T, class E>
struct NearSource {
    using C = compute_t<E>;
    // Small integers are exact in float; `narrow` accounts for the rounding of floats and halves.
    static constexpr bool NARROW = sizeof(E) < 8 || sizeof(T) < 4;
    const E* edges;
    C first, last;
    float start, scale, tolerance, rest;
    int bins;

    __device__ explicit NearSource(const CountParams& p)
        : NearSource(*p.uniform, static_cast<const E*>(p.edges)) {}
    __device__ NearSource(const UniformBins& u, const E* edges) : edges(edges) {
        first = (C)u.first;
        last = (C)u.last;
        start = (float)u.first;
        scale = (float)u.scale;
        tolerance = (float)(NARROW ? u.narrow : u.wide);
        rest = 1.0f - tolerance;
        bins = (int)u.bins;
    }
    __device__ bool usable() const { return tolerance < 0.25f; }
    // The distance from the first edge, in bins.
    __device__ __forceinline__ float place(T v) const {
        if constexpr (NARROW)
            return (convert<float>(v) - start) * scale;
        else
            return (float)(convert<C>(v) - first) * scale;
    }
    __device__ __forceinline__ int bin(T v) const {
        const float f = place(v);
        const int i = __float2int_rd(f);
        const float part = f - (float)i;
        if (part > tolerance && part < rest) return (unsigned int)i < (unsigned int)bins ? i : -1;
        return near_bin(v, f);
    }
    __device__ __forceinline__ int near_bin(T v, float f) const {
        const C x = convert<C>(v);
        if (!(x >= first && x <= last)) return -1;
        const int k = __float2int_rn(f);
        if (k <= 0) return 0;
        if (k >= bins) return bins - 1;
        return x < load_value(edges[k]) ? k - 1 : k;
    }
};

template <class T, class E>
__device__ __forceinline__ void count_uniform(const CountParams& p) {
    const NearSource<T, E> near(p);
    if (near.usable()) {
        count<T>(p, near);
        return;
    }
    // There are so many bins, or they lie so far from zero, that every element needs NumPy's own arithmetic.
    extern __shared__ uint32_t local[];
    const UniformSource<E> source(p);
    const T* x = reinterpret_cast<const T*>(p.values);
    const int64_t threads = (int64_t)gridDim.x * blockDim.x;
    GlobalCounter counter(p);
    if (p.shared) clear_shared(local, (int)p.bins);
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < p.size; i += threads) {
        const int64_t bin = source.bin(convert<compute_t<E>>(x[i]));
        if (!p.shared)
            counter.add(bin);
        else if (bin >= 0)
            atomicAdd(&local[(int)bin], 1u);
    }
    if (p.shared)
        flush_shared(local, (int)p.bins, p.counts);
    else
        counter.flush();
}

template <class C>
__device__ __forceinline__ void count_edges(const CountParams& p) {
    extern __shared__ uint32_t local[];
    const EdgeSource<C> source(p);
    const int64_t threads = (int64_t)gridDim.x * blockDim.x;
    GlobalCounter counter(p);
    if (p.shared) clear_shared(local, (int)p.bins);
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < p.size; i += threads) {
        const int64_t bin = source.bin(load_as<C>(p.values + i * p.stride, p.dtype));
        if (!p.shared)
            counter.add(bin);
        else if (bin >= 0)
            atomicAdd(&local[(int)bin], 1u);
    }
    if (p.shared)
        flush_shared(local, (int)p.bins, p.counts);
    else
        counter.flush();
}

template <class C, class Source>
__device__ __forceinline__ void locate(const CountParams& p) {
    const Source source(p);
    const int64_t threads = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < p.size; i += threads)
        combine_index(p, i, source.bin(load_as<C>(p.values + i * p.stride, p.dtype)));
}

__device__ __forceinline__ void make_edges(const EdgesParams& p) {
    double first, last, denominator;
    outer_edges(p, first, last, denominator);
    const Line line = edge_line(p, first, last);
    const bool finite = first - first == 0 && last - last == 0;
    const int64_t thread = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t threads = (int64_t)gridDim.x * blockDim.x;
    const int item = p.edge_dtype == F8 ? 8 : p.edge_dtype == F4 ? 4 : 2;
    if (thread == 0) {
        describe_bins(p, first, last, denominator);
        if (!finite) atomicOr(p.status, GPUNP_STATUS_HISTOGRAM_RANGE);
    }
    for (int64_t i = thread; i <= p.bins; i += threads) {
        const double edge = rounded(line.at(i), p.edge_dtype);
        store_as<double>(p.edges + i * item, p.edge_dtype, edge);
        if (p.check && finite && i < p.bins && edge >= rounded(line.at(i + 1), p.edge_dtype))
            atomicOr(p.status, GPUNP_STATUS_HISTOGRAM_BINS);
    }
}

__device__ __forceinline__ void check_edges(const CheckParams& p) {
    const int64_t threads = (int64_t)gridDim.x * blockDim.x;
    const int item = p.dtype == F8 || p.dtype == I8 || p.dtype == U8 ? 8 : 0;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i + 1 < p.size; i += threads) {
        const char* at = p.edges + i * item;
        const bool falls = p.dtype == F8   ? load_as<double>(at, F8) > load_as<double>(at + 8, F8)
                           : p.dtype == I8 ? load_as<i8>(at, I8) > load_as<i8>(at + 8, I8)
                                           : load_as<u8>(at, U8) > load_as<u8>(at + 8, U8);
        if (falls) atomicOr(p.status, GPUNP_STATUS_HISTOGRAM_EDGES);
    }
}

}  // namespace histogram
}  // namespace gpunp

#define GPUNP_HISTOGRAM_KERNEL(symbol, Params, body)                       \
    extern "C" __global__ void __launch_bounds__(::gpunp::HISTOGRAM_BLOCK) \
        symbol(const __grid_constant__::gpunp::Params p) {                 \
        using namespace gpunp;                                             \
        using namespace gpunp::histogram;                                  \
        body;                                                              \
    }
