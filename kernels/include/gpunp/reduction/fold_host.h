// Host loops of the folds.
#pragma once
#include "gpunp/common/host_pool.h"
#include "gpunp/status.h"

namespace gpunp {

template <class F>
void fold_host(const void* params) {
    using T = typename F::T;
    const FoldParams& p = *static_cast<const FoldParams*>(params);
    for (int64_t segment = 0; segment < p.segments; segment++) {
        int64_t first, end;
        if (!fold_bounds(p, segment, first, end)) {
            *p.status |= GPUNP_STATUS_INDEX_OUT_OF_BOUNDS;
            return;
        }
    }
    // Threads share lanes, and results of a lane; the steps of a result are a chain.
    const int64_t length = p.segments ? p.length / p.segments : 0;
    parallel_with(p, p.lanes * p.segments, grain_of(4 * (length + 1)),
                  [&](const FoldParams& own, int64_t begin, int64_t end) {
                      for (int64_t i = begin; i < end; i++) {
                          const int64_t lane = i / p.segments, segment = i % p.segments;
                          const char *in = p.input, *mask = p.mask;
                          char* out = p.output;
                          fold_offsets(p, lane, in, out, mask);
                          int64_t first, last;
                          fold_bounds(p, segment, first, last);
                          Folding<F> folding{own, T{}, p.has_initial != 0};
                          if (p.has_initial) folding.sum = *(const T*)p.initial;
                          folding.run(in, out, mask, first, last, 1);
                          if (!p.emit_all) folding.put(out + segment * p.out_stride, folding.sum);
                      }
                  });
}

template <class F>
void scatter_host(const void* params) {
    using T = typename F::T;
    const ScatterParams& p = *static_cast<const ScatterParams*>(params);
    if (*p.refused) return;
    for (int64_t i = 0; i < p.count; i++) {
        char* q = p.data + p.targets[i] * p.data_size;
        T a = load_as<T>(q, p.data_dtype), b = load_as<T>(p.values + i * p.value_stride, p.value_dtype);
        a = F::apply(p.op, p.loop_dtype, a, b, p.status);
        if (p.round_steps) a = fold_round(a, p.loop_dtype);
        store_as<T>(q, p.data_dtype, a);
    }
}

}  // namespace gpunp

#define GPUNP_FOLD(suffix, F)                                 \
    static void fold_##suffix##_host(const void* params) {    \
        ::gpunp::fold_host<F>(params);                        \
    }                                                         \
    GPUNP_HOST_KERNEL(fold_##suffix, fold_##suffix##_host);   \
    static void scatter_##suffix##_host(const void* params) { \
        ::gpunp::scatter_host<F>(params);                     \
    }                                                         \
    GPUNP_HOST_KERNEL(scatter_##suffix, scatter_##suffix##_host);
