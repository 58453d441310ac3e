// Sums of weights by bin, with the same bits for any order of the elements: find the largest exponent of
// each bin, add the weights as integers relative to it, and convert the sums to doubles.
#pragma once
#include "gpunp/statistics/histogram.h"

namespace gpunp {
namespace histogram {

// The bin of element i, or -1, and its weight.
GPUNP_HD int64_t weighted_bin(const WeightParams& p, int64_t i, double& weight) {
    const int item = p.index_dtype <= U1 ? 1 : p.index_dtype <= U2 ? 2 : p.index_dtype <= U4 ? 4 : 8;
    const int64_t bin = load_as<i8>(p.index + i * item, p.index_dtype);
    if (bin < 0 || bin >= p.bins) return -1;
    weight = load_as<double>(p.weights + i * p.weight_stride, p.weight_dtype);
    return bin;
}

#if GPUNP_ON_DEVICE
__device__ __forceinline__ void weight_exponents(const WeightParams& p) {
    extern __shared__ uint32_t local[];
    const int64_t threads = (int64_t)gridDim.x * blockDim.x;
    volatile uint32_t* keys = p.shared ? local : p.exponents;
    if (p.shared) {
        for (int i = threadIdx.x; i < p.bins; i += blockDim.x) local[i] = 0;
        __syncthreads();
    }
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < p.size; i += threads) {
        double w = 0;
        const int64_t bin = weighted_bin(p, i, w);
        if (bin < 0) continue;
        const uint32_t key = exponent_key(w);
        // Keys only grow, so reading a stale one costs no more than an unnecessary atomic.
        if (key > keys[bin]) atomicMax((p.shared ? local : p.exponents) + bin, key);
    }
    if (!p.shared) return;
    __syncthreads();
    for (int i = threadIdx.x; i < p.bins; i += blockDim.x)
        if (local[i]) atomicMax(p.exponents + i, local[i]);
}

// Shared memory has native atomic additions of 32 bits only: the carry is added separately.
__device__ __forceinline__ void add_shared(uint32_t* at, int64_t value) {
    if (value == 0) return;
    const uint32_t low = (uint32_t)value;
    const uint32_t before = atomicAdd(at, low);
    const uint32_t high = (uint32_t)((uint64_t)value >> 32) + (before + low < before);
    if (high) atomicAdd(at + 1, high);
}

__device__ __forceinline__ void add_global(uint64_t* at, uint64_t value) {
    if (value) atomicAdd(reinterpret_cast<unsigned long long*>(at), (unsigned long long)value);
}

__device__ __forceinline__ void weight_limbs(const WeightParams& p) {
    extern __shared__ uint32_t local[];
    const int64_t threads = (int64_t)gridDim.x * blockDim.x;
    if (p.shared) {
        for (int i = threadIdx.x; i < 4 * p.bins; i += blockDim.x) local[i] = 0;
        __syncthreads();
    }
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < p.size; i += threads) {
        double w = 0;
        const int64_t bin = weighted_bin(p, i, w);
        if (bin < 0 || w == 0) continue;
        const uint32_t key = p.exponents[bin];
        if (key == SPECIAL) {
            const uint64_t bit = special_bit(w);
            if (bit) atomicOr(reinterpret_cast<unsigned long long*>(p.low + bin), (unsigned long long)bit);
            continue;
        }
        const Limbs limbs = split(w, key, p.bits);
        if (p.shared) {
            add_shared(local + 4 * bin, limbs.high);
            add_shared(local + 4 * bin + 2, limbs.low);
        } else {
            add_global(p.high + bin, (uint64_t)limbs.high);
            add_global(p.low + bin, (uint64_t)limbs.low);
        }
    }
    if (!p.shared) return;
    __syncthreads();
    for (int i = threadIdx.x; i < p.bins; i += blockDim.x) {
        const uint32_t* at = local + 4 * i;
        add_global(p.high + i, (uint64_t)at[1] << 32 | at[0]);
        add_global(p.low + i, (uint64_t)at[3] << 32 | at[2]);
    }
}

__device__ __forceinline__ void weight_sums(const WeightParams& p) {
    const int64_t threads = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < p.bins; i += threads)
        p.out[i] = joined(p.exponents[i], p.high[i], p.low[i], p.bits);
}
#else
inline void weight_exponents(const WeightParams& p) {
    for (int64_t i = 0; i < p.size; i++) {
        double w = 0;
        const int64_t bin = weighted_bin(p, i, w);
        if (bin < 0) continue;
        const uint32_t key = exponent_key(w);
        if (key > p.exponents[bin]) p.exponents[bin] = key;
    }
}

inline void weight_limbs(const WeightParams& p) {
    for (int64_t i = 0; i < p.size; i++) {
        double w = 0;
        const int64_t bin = weighted_bin(p, i, w);
        if (bin < 0 || w == 0) continue;
        const uint32_t key = p.exponents[bin];
        if (key == SPECIAL) {
            p.low[bin] |= special_bit(w);
            continue;
        }
        const Limbs limbs = split(w, key, p.bits);
        p.high[bin] += (uint64_t)limbs.high;
        p.low[bin] += (uint64_t)limbs.low;
    }
}

inline void weight_sums(const WeightParams& p) {
    for (int64_t i = 0; i < p.bins; i++) p.out[i] = joined(p.exponents[i], p.high[i], p.low[i], p.bits);
}
#endif

}  // namespace histogram
}  // namespace gpunp

#define GPUNP_WEIGHTS(name) GPUNP_HISTOGRAM_KERNEL(histogram_##name, WeightParams, weight_##name(p))
