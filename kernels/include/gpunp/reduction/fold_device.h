// Device kernels of the folds: one thread per segment of a lane, or one warp for functions whose operands may
// be reordered.
#pragma once
#include "gpunp/common/warp.h"
#include "gpunp/status.h"

namespace gpunp {

template <class F>
__device__ __forceinline__ void fold(const FoldParams& p) {
    using T = typename F::T;
    const int64_t thread = (int64_t)blockIdx.x * FOLD_BLOCK + threadIdx.x;
    const int width = p.cooperative ? 32 : 1;
    const int member = p.cooperative ? threadIdx.x % 32 : 0;
    const int64_t unit = p.cooperative ? thread / 32 : thread;
    if (unit >= p.lanes * p.segments) return;
    const int64_t segment = unit / p.lanes, lane = unit - segment * p.lanes;
    const char *in = p.input, *mask = p.mask;
    char* out = p.output;
    fold_offsets(p, lane, in, out, mask);
    int64_t first, end;
    if (!fold_bounds(p, segment, first, end)) {
        atomicOr(p.status, GPUNP_STATUS_INDEX_OUT_OF_BOUNDS);
        return;
    }
    Folding<F> folding{p, T{}, false};
    if (p.has_initial && member == 0) {
        folding.sum = *(const T*)p.initial;
        folding.has = true;
    }
    folding.run(in, out, mask, first + member, end, width);
    if (p.emit_all) return;
    if (p.cooperative) {
        for (int d = 16; d > 0; d /= 2) {
            T other = warp::shuffle_down(folding.sum, d);
            bool has = warp::shuffle_down((int)folding.has, d);
            if (member + d < 32 && has) folding.take(other);
        }
        if (member != 0) return;
    }
    folding.put(out + segment * p.out_stride, folding.sum);
}

// After the sort: the thread at the head of each run of equal targets applies the run in order.
template <class F>
__device__ __forceinline__ void scatter(const ScatterParams& p) {
    using T = typename F::T;
    const int64_t head = (int64_t)blockIdx.x * FOLD_BLOCK + threadIdx.x;
    if (head >= p.count || *p.refused) return;
    const int64_t target = p.targets[head];
    if (head > 0 && p.targets[head - 1] == target) return;
    char* q = p.data + target * p.data_size;
    T a = fold_load<T>(q, p.data_dtype);
    for (int64_t i = head; i < p.count && p.targets[i] == target; i++) {
        // NumPy stores and reloads the target between steps, which can change it: the greatest uint64 reloads
        // as 2^64.
        if (p.round_steps && i > head) a = fold_round(a, p.data_dtype);
        const char* value = p.values + p.order[i] * p.value_stride;
        T b = p.value_dtype == F::dtype ? *(const T*)value : fold_load<T>(value, p.value_dtype);
        a = F::apply(p.op, p.loop_dtype, a, b, p.status);
        if (p.round_steps) a = fold_round(a, p.loop_dtype);
    }
    fold_store<T>(q, p.data_dtype, a);
}

}  // namespace gpunp

#define GPUNP_FOLD(suffix, F)                                               \
    extern "C" __global__ void __launch_bounds__(::gpunp::FOLD_BLOCK)       \
        fold_##suffix(const __grid_constant__::gpunp::FoldParams p) {       \
        ::gpunp::fold<F>(p);                                                \
    }                                                                       \
    extern "C" __global__ void __launch_bounds__(::gpunp::FOLD_BLOCK)       \
        scatter_##suffix(const __grid_constant__::gpunp::ScatterParams p) { \
        ::gpunp::scatter<F>(p);                                             \
    }
