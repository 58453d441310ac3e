// Kernels of ufunc.at besides the folds: the targets of an index, a stable sort of them, and integer atomics.
#pragma once
#include "gpunp/common/cast.h"
#include "gpunp/common/host_pool.h"
#include "gpunp/common/warp.h"
#include "gpunp/kernel.h"
#include "gpunp/reduction/fold_params.h"
#include "gpunp/status.h"

namespace gpunp {

// The position in `a` of element i of a[index]; -1 if an index is out of bounds.
GPUNP_HD int64_t target_of(const TargetParams& p, int64_t i) {
    int64_t target = p.base;
    int64_t offset[SCATTER_DIMS] = {};
    for (int d = p.ndim - 1; d >= 0; d--) {
        int64_t rest = d == 0 ? 0 : i / p.shape[d];
        int64_t at = i - rest * p.shape[d];
        target += at * p.strides[d];
        for (int k = 0; k < p.indices; k++) offset[k] += at * p.index_strides[k][d];
        i = rest;
    }
    for (int k = 0; k < p.indices; k++) {
        int64_t at = load_as<int64_t>(p.index[k] + offset[k], p.index_dtype[k]);
        if (at < 0) at += p.extent[k];
        if (at < 0 || at >= p.extent[k]) return -1;
        target += at * p.multiplier[k];
    }
    return target;
}

#if GPUNP_ON_DEVICE

__device__ __forceinline__ int64_t thread_index() {
    return (int64_t)blockIdx.x * FOLD_BLOCK + threadIdx.x;
}

__device__ __forceinline__ void find_targets(const TargetParams& p) {
    const int64_t i = thread_index();
    if (i >= p.count) return;
    const int64_t target = target_of(p, i);
    p.targets[i] = target;
    if (target < 0) {
        *(volatile uint32_t*)p.refused = 1;
        atomicOr(p.status, GPUNP_STATUS_INDEX_OUT_OF_BOUNDS);
    }
}

__device__ __forceinline__ int sort_digit(const TargetSortParams& p, int64_t key) {
    return (int)(key >> p.shift) & (TARGET_SORT_DIGITS - 1);
}

// Counts how often each digit occurs in this block's items.
__device__ __forceinline__ void sort_count(const TargetSortParams& p) {
    __shared__ uint32_t counts[TARGET_SORT_DIGITS];
    static_assert(TARGET_SORT_BLOCK == TARGET_SORT_DIGITS, "one thread per digit");
    counts[threadIdx.x] = 0;
    __syncthreads();
    if (!*p.refused) {
        for (int j = threadIdx.x; j < TARGET_SORT_ITEMS; j += TARGET_SORT_BLOCK) {
            const int64_t i = (int64_t)blockIdx.x * TARGET_SORT_ITEMS + j;
            if (i < p.count) atomicAdd(&counts[sort_digit(p, p.keys_in[i])], 1u);
        }
    }
    __syncthreads();
    p.counts[threadIdx.x * p.blocks + blockIdx.x] = counts[threadIdx.x];
}

// Scatters the items in rounds of a block's width; the place of an item follows from the number of equal
// digits before it.
__device__ __forceinline__ void sort_scatter(const TargetSortParams& p) {
    constexpr int WARPS = TARGET_SORT_BLOCK / 32;
    __shared__ int64_t next[TARGET_SORT_DIGITS];
    __shared__ uint32_t in_warp[WARPS][TARGET_SORT_DIGITS];
    if (*p.refused) return;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int64_t slot = (int64_t)threadIdx.x * p.blocks + blockIdx.x;
    next[threadIdx.x] = slot == 0 ? 0 : p.counts[slot - 1];
    for (int turn = 0; turn < TARGET_SORT_ITEMS / TARGET_SORT_BLOCK; turn++) {
        for (int w = 0; w < WARPS; w++) in_warp[w][threadIdx.x] = 0;
        __syncthreads();
        const int64_t i = (int64_t)blockIdx.x * TARGET_SORT_ITEMS + turn * TARGET_SORT_BLOCK + threadIdx.x;
        const bool valid = i < p.count;
        const int64_t key = valid ? p.keys_in[i] : 0;
        const int digit = valid ? sort_digit(p, key) : TARGET_SORT_DIGITS;
        const uint32_t equal = warp::match(digit);
        const int before = __popc(equal & ((1u << lane) - 1));
        if (valid && before == 0) in_warp[warp][digit] = __popc(equal);
        __syncthreads();
        if (valid) {
            int64_t place = next[digit] + before;
            for (int w = 0; w < warp; w++) place += in_warp[w][digit];
            p.keys_out[place] = key;
            p.order_out[place] = p.order_in ? p.order_in[i] : i;
        }
        __syncthreads();
        uint32_t total = 0;
        for (int w = 0; w < WARPS; w++) total += in_warp[w][threadIdx.x];
        next[threadIdx.x] += total;
    }
}

// Integer operations whose result does not depend on their order; `p.op` is an index into ATOMIC_OPS of
// gpunp/reduction/fold_table.py.
template <class S, class U>
__device__ __forceinline__ void scatter_atomic(const ScatterParams& p) {
    const int64_t i = thread_index();
    if (i >= p.count || *p.refused) return;
    S* q = (S*)p.data + p.targets[i];
    U* bits = (U*)q;
    const S b = load_as<S>(p.values + i * p.value_stride, p.value_dtype);
    switch (p.op) {
        case 0:
            atomicAdd(bits, (U)b);
            break;
        case 1:
            atomicAdd(bits, (U)0 - (U)b);
            break;
        case 2:
            atomicMax(q, b);
            break;
        case 3:
            atomicMin(q, b);
            break;
        case 4:
            atomicAnd(bits, (U)b);
            break;
        case 5:
            atomicOr(bits, (U)b);
            break;
        default:
            atomicXor(bits, (U)b);
    }
}

#define GPUNP_TARGET_KERNEL(symbol, Params, block, call)                                           \
    extern "C" __global__ void __launch_bounds__(block) symbol(const __grid_constant__ Params p) { \
        call;                                                                                      \
    }
#define GPUNP_TARGETS                                                                                       \
    GPUNP_TARGET_KERNEL(find_targets, ::gpunp::TargetParams, ::gpunp::FOLD_BLOCK, ::gpunp::find_targets(p)) \
    GPUNP_TARGET_KERNEL(sort_count, ::gpunp::TargetSortParams, ::gpunp::TARGET_SORT_BLOCK,                  \
                        ::gpunp::sort_count(p))                                                             \
    GPUNP_TARGET_KERNEL(sort_scatter, ::gpunp::TargetSortParams, ::gpunp::TARGET_SORT_BLOCK,                \
                        ::gpunp::sort_scatter(p))                                                           \
    GPUNP_TARGET_KERNEL(atomic_i4, ::gpunp::ScatterParams, ::gpunp::FOLD_BLOCK,                             \
                        (::gpunp::scatter_atomic<int, unsigned>(p)))                                        \
    GPUNP_TARGET_KERNEL(atomic_u4, ::gpunp::ScatterParams, ::gpunp::FOLD_BLOCK,                             \
                        (::gpunp::scatter_atomic<unsigned, unsigned>(p)))                                   \
    GPUNP_TARGET_KERNEL(atomic_i8, ::gpunp::ScatterParams, ::gpunp::FOLD_BLOCK,                             \
                        (::gpunp::scatter_atomic<long long, unsigned long long>(p)))                        \
    GPUNP_TARGET_KERNEL(atomic_u8, ::gpunp::ScatterParams, ::gpunp::FOLD_BLOCK,                             \
                        (::gpunp::scatter_atomic<unsigned long long, unsigned long long>(p)))

#else

inline void find_targets_host(const void* params) {
    const TargetParams& p = *static_cast<const TargetParams*>(params);
    parallel_with(p, p.count, grain_of(8), [](const TargetParams& own, int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; i++) {
            own.targets[i] = target_of(own, i);
            if (own.targets[i] >= 0) continue;
            __atomic_store_n(own.refused, 1, __ATOMIC_RELAXED);
            *own.status |= GPUNP_STATUS_INDEX_OUT_OF_BOUNDS;
            return;
        }
    });
}

// The host scatters in order and needs neither the sort nor atomics.
#define GPUNP_TARGETS GPUNP_HOST_KERNEL(find_targets, ::gpunp::find_targets_host);

#endif

}  // namespace gpunp
