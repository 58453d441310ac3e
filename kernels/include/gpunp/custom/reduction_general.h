// Device variant of a user's reduction for inputs of any strides.
#pragma once
#include "gpunp/custom/reduction_lanes.h"

namespace gpunp {
namespace custom {

// Folds U elements, the first at `row` and the others `apart` further in the order of the dimensions; only
// those before `end` exist.
template <class Op, int U, bool ALL, class Params>
__device__ __forceinline__ void fold_anywhere(Part<Op>& part, const Environment& env, const Params& p,
                                              const Place<Op>& kept, int64_t row, int apart, int64_t end) {
    const typename Place<Op>::Dim* reduced = p.dims + p.work.kept_ndim;
    Place<Op> at[U];
#pragma unroll
    for (int u = 0; u < U; u++) {
        const int64_t j = ALL || row + u * apart < end ? row + u * apart : row;
        if (p.work.reduced_ndim == 1) {
            at[u].start();
            at[u].template move<false>(reduced[0], j);
        } else {
            at[u] = locate<Op>(reduced, p.work.reduced_ndim, j, p.work.reduced);
        }
    }
    ElementsOf<Op, U, 1, 0> e;
    e.load([&](int k, int u, int) { return p.in[k] + kept.in[k] + at[u].in[k]; });
    const int64_t index = p.work.first + kept.index;
    const auto value = [&](int u) { return map_elements<Op>(env, index + at[u].index, e, u, 0); };
    if constexpr (ALL) {
        part.add(fold_tree<Op, U>(value));
    } else {
#pragma unroll
        for (int u = 0; u < U; u++)
            if (row + u * apart < end) part.add(value(u));
    }
}

// The threads of one result are neighbors, or as far apart as the block has results.
template <class Op, class Params>
__device__ __forceinline__ void reduce_general(const Params& p) {
    constexpr int U = 4;
    const ReductionWork& work = p.work;
    const int lanes = work.lanes, results = REDUCTION_BLOCK / lanes;
    const bool side_by_side = work.flags & REDUCTION_LANES_FASTEST;
    const int lane = side_by_side ? threadIdx.x % lanes : threadIdx.x / results;
    const int place = side_by_side ? threadIdx.x / lanes : threadIdx.x % results;
    const int apart = side_by_side ? 1 : results;
    const unsigned tile = work.splits == 1 ? blockIdx.x : blockIdx.x / work.splits;
    const unsigned split = work.splits == 1 ? 0 : blockIdx.x % work.splits;
    const int64_t result = (int64_t)tile * results + place;
    const bool live = result < work.outputs;
    const Environment env(p);
    Place<Op> kept;
    Part<Op> part;
    part.start();
    if (live) {
        kept = locate<Op>(p.dims, work.kept_ndim, result, work.outputs);
        const int64_t begin = split * work.per_split;
        const int64_t end = begin + work.per_split < work.reduced ? begin + work.per_split : work.reduced;
        int64_t j = begin + lane;
#pragma unroll 1
        for (; j + (U - 1) * lanes < end; j += U * lanes)
            fold_anywhere<Op, U, true>(part, env, p, kept, j, lanes, end);
        if (j < end) fold_anywhere<Op, U, false>(part, env, p, kept, j, lanes, end);
    }
    part = fold_strided<Op>(part, lane, apart, lanes);
    if (work.splits > 1) {
        if (live && lane == 0) save_part(part, work, split * work.outputs + result);
        if (!is_last_block(work.counters, work.splits, tile)) return;
        part.start();
        if (live)
            for (unsigned i = lane; i < work.splits; i += lanes)
                part.add(saved_part<Part<Op>>(work, i * work.outputs + result));
        part = fold_strided<Op>(part, lane, apart, lanes);
    }
    if (live && lane == 0) store<Op>(env, p, part.value, kept);
}

}  // namespace custom
}  // namespace gpunp
