// Device gathers and scatters.
#pragma once
#include "gpunp/status.h"

namespace gpunp {

__device__ __forceinline__ void report_index(const GatherParams& p) {
    atomicOr(p.status, GPUNP_STATUS_INDEX_OUT_OF_BOUNDS);
}

// The offsets of one element of the result. `target` numbers the selected elements, for claims.
struct Located {
    int64_t indexed, dense, target, position;
    bool valid;
};

// N: the type in which coordinates are computed. K: the number of index arrays, 0 for any number.
template <class N, int K, bool writing>
__device__ __forceinline__ Located locate(const GatherParams& p, int64_t i) {
    constexpr int MOST = K ? K : GATHER_INDICES;
    const int count = K ? K : p.indices;
    Located to{0, 0, 0, p.first_position, true};
    int64_t offset[MOST] = {};
    N left = (N)i;
    for (int d = p.ndim - 1; d >= 0; d--) {
        const N extent = (N)p.shape[d];
        const N rest = d == 0 ? 0 : left / extent;
        const int64_t at = (int64_t)(left - rest * extent);
        to.indexed += at * p.indexed_strides[d];
        to.dense += at * p.dense_strides[d];
        if (writing) {
            to.position += at * p.position_strides[d];
            to.target += at * p.target_strides[d];
        }
        for (int k = 0; k < count; k++) offset[k] += at * p.index_strides[k][d];
        left = rest;
    }
    for (int k = 0; k < count; k++) {
        const int64_t raw = load_index(p.index[k] + offset[k], p.index_bytes[k]);
        const int64_t at = normal_index(raw, p.extent[k], p.mode);
        to.valid = to.valid && at >= 0;
        to.indexed += indexed_offset(p, k, at);
        if (writing) to.target += at * p.claim_multiplier[k];
    }
    if (writing && p.dense_period) to.dense = (i % p.dense_period) * p.dense_strides[0];
    return to;
}

// The slot of a target's claim: the target, or its place in the hash table, to which `insert` adds it.
template <bool insert>
__device__ __forceinline__ uint64_t claim_slot(const GatherParams& p, int64_t target) {
    if (!p.claim_keys) return target;
    const unsigned long long key = (unsigned long long)target + 1;
    uint64_t slot = hashed(key) & p.claim_mask;
    while (true) {
        unsigned long long* at = (unsigned long long*)&p.claim_keys[slot];
        const unsigned long long found = insert ? atomicCAS(at, 0ull, key) : *at;
        if (found == key || (insert && found == 0)) return slot;
        slot = (slot + 1) & p.claim_mask;
    }
}

// Whether an element is the last one for its target.
__device__ __noinline__ bool holds_claim(const GatherParams& p, int64_t target, int64_t position) {
    const uint64_t slot = claim_slot<false>(p, target);
    const uint64_t last =
        p.claim_wide ? ((const uint64_t*)p.claims)[slot] : ((const uint32_t*)p.claims)[slot];
    return last == (uint64_t)position + 1;
}

template <class U>
__device__ __forceinline__ U scalar_of(const GatherParams& p) {
    return *(const U*)p.scalar;
}

template <class U, class N, int K>
__device__ __forceinline__ void gather_as(const GatherParams& p) {
    const int64_t i = (int64_t)blockIdx.x * GATHER_BLOCK + threadIdx.x;
    if (i >= p.size) return;
    const Located from = locate<N, K, false>(p, i);
    U value{};
    if (from.valid)
        value = *(const U*)(p.indexed + from.indexed);
    else
        report_index(p);
    *(U*)(p.dense + from.dense) = value;
}

template <class U, class N, int K>
__device__ __forceinline__ void scatter_as(const GatherParams& p) {
    const int64_t i = (int64_t)blockIdx.x * GATHER_BLOCK + threadIdx.x;
    if (i >= p.size) return;
    const Located to = locate<N, K, true>(p, i);
    if (!to.valid) {
        report_index(p);
        return;
    }
    if (!p.claims || holds_claim(p, to.target, to.position))
        *(U*)(p.indexed + to.indexed) = p.dense ? *(const U*)(p.dense + to.dense) : scalar_of<U>(p);
}

template <class U, int K>
__device__ __forceinline__ void gather_any(const GatherParams& p) {
    if (K == 1 && p.small)
        gather_as<U, uint32_t, K>(p);
    else
        gather_as<U, int64_t, K>(p);
}
template <class U, int K>
__device__ __forceinline__ void scatter_any(const GatherParams& p) {
    if (K == 1 && p.small)
        scatter_as<U, uint32_t, K>(p);
    else
        scatter_as<U, int64_t, K>(p);
}

// Checks the indices and, if there are claims, records each target's last position.
__device__ __forceinline__ void claim_targets(const GatherParams& p) {
    const int64_t i = (int64_t)blockIdx.x * GATHER_BLOCK + threadIdx.x;
    if (i >= p.size) return;
    const Located to = locate<int64_t, 0, true>(p, i);
    if (!to.valid) {
        report_index(p);
    } else if (p.claims) {
        const uint64_t slot = claim_slot<true>(p, to.target);
        if (p.claim_wide)
            atomicMax((unsigned long long*)p.claims + slot, (unsigned long long)i + 1);
        else
            atomicMax((uint32_t*)p.claims + slot, (uint32_t)i + 1);
    }
}

}  // namespace gpunp

#define GPUNP_GATHER_KERNEL(symbol, call)                               \
    extern "C" __global__ void __launch_bounds__(::gpunp::GATHER_BLOCK) \
        symbol(const __grid_constant__::gpunp::GatherParams p) {        \
        call;                                                           \
    }
#define GPUNP_GATHER(bytes, U)                                                \
    GPUNP_GATHER_KERNEL(gather_one_##bytes, (::gpunp::gather_any<U, 1>(p)))   \
    GPUNP_GATHER_KERNEL(gather_many_##bytes, (::gpunp::gather_any<U, 0>(p)))  \
    GPUNP_GATHER_KERNEL(scatter_one_##bytes, (::gpunp::scatter_any<U, 1>(p))) \
    GPUNP_GATHER_KERNEL(scatter_many_##bytes, (::gpunp::scatter_any<U, 0>(p)))
#define GPUNP_CLAIM GPUNP_GATHER_KERNEL(gather_claim, ::gpunp::claim_targets(p))
