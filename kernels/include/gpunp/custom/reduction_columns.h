// Device variant of a user's reduction for columns: along the innermost kept dimension every input is
// contiguous or has one value.
#pragma once
#include "gpunp/custom/reduction_lanes.h"

namespace gpunp {
namespace custom {

// The columns of one thread: V neighbors, the first of them at `kept`, of which `valid` exist.
template <class Op, unsigned REPEATED, int V, class Params>
struct Columns {
    static constexpr int U = Steps<Op, REPEATED>::COLUMN_UNROLL;

    const Environment& env;
    const Params& p;
    const Place<Op>& kept;
    int valid;

    // Folds U rows of the columns, the first of them `row` and the others `down` further; only those before
    // `end` exist.
    template <bool ALL>
    __device__ __forceinline__ void fold(Part<Op> (&part)[V], int64_t row, int down, int64_t end) const {
        const typename Place<Op>::Dim* reduced = p.dims + p.work.kept_ndim;
        Place<Op> at[U];
#pragma unroll
        for (int u = 0; u < U; u++) {
            const int64_t j = ALL || row + u * down < end ? row + u * down : row;
            if (p.work.reduced_ndim == 1) {
                at[u].start();
                at[u].template move<false>(reduced[0], j);
            } else {
                at[u] = locate<Op>(reduced, p.work.reduced_ndim, j, p.work.reduced);
            }
        }
        ElementsOf<Op, U, V, REPEATED> e;
        const auto address = [&](int k, int u, int) { return p.in[k] + kept.in[k] + at[u].in[k]; };
        if ((p.work.flags & REDUCTION_ALIGNED) && valid == V)
            e.load(address);
        else
            e.load_single(address, valid);
        const int64_t index = p.work.first + kept.index;
#pragma unroll
        for (int v = 0; v < V; v++) {
            const auto value = [&](int u) {
                return map_elements<Op>(env, index + at[u].index + v * p.dims[0].index, e, u, v);
            };
            if constexpr (ALL) {
                part[v].add(fold_tree<Op, U>(value));
            } else {
#pragma unroll
                for (int u = 0; u < U; u++)
                    if (row + u * down < end) part[v].add(value(u));
            }
        }
    }

    __device__ __forceinline__ void read(Part<Op> (&part)[V], int64_t row, int down, int64_t end) const {
#pragma unroll 1
        for (; row + (U - 1) * down < end; row += U * down) fold<true>(part, row, down, end);
        if (row < end) fold<false>(part, row, down, end);
    }
};

// A tile has `lanes` threads along the innermost kept dimension, times `down` along the reduced extent; a
// block has several tiles where they are small and many.
template <class Op, unsigned REPEATED, class Params>
__device__ __forceinline__ void reduce_columns(const Params& p) {
    constexpr int V = Steps<Op, REPEATED>::COLUMN;
    const ReductionWork& work = p.work;
    const int across = work.lanes, down = work.down;
    const int tx = threadIdx.x & (across - 1), ty = threadIdx.x / across & (down - 1);
    const unsigned bundle = blockDim.x / (across * down), place = threadIdx.x / (across * down);
    const unsigned tile = work.splits == 1 ? blockIdx.x * bundle + place : blockIdx.x % work.tiles;
    const unsigned split = work.splits == 1 ? 0 : blockIdx.x / work.tiles;
    const int64_t width = p.dims[0].extent;
    const unsigned per_row = (unsigned)((width + across * V - 1) / (across * V));
    const unsigned outer = tile / per_row;
    const int64_t column = ((int64_t)(tile - outer * per_row) * across + tx) * V;
    const int valid = tile >= work.tiles ? 0 : width - column < V ? (int)(width - column) : V;
    const Environment env(p);
    Place<Op> kept;
    Part<Op> part[V];
#pragma unroll
    for (int v = 0; v < V; v++) part[v].start();
    if (valid > 0) {
        kept = locate<Op>(p.dims + 1, work.kept_ndim - 1, outer, work.outputs);
        kept.template move<true>(p.dims[0], column);
        const int64_t begin = split * work.per_split;
        const int64_t end = begin + work.per_split < work.reduced ? begin + work.per_split : work.reduced;
        Columns<Op, REPEATED, V, Params>{env, p, kept, valid}.read(part, begin + ty, down, end);
    }
#pragma unroll
    for (int v = 0; v < V; v++) part[v] = fold_strided<Op>(part[v], ty, across, down);
    if (work.splits > 1) {
        const int64_t partials = (int64_t)outer * width + column;
#pragma unroll
        for (int v = 0; v < V; v++)
            if (ty == 0 && v < valid) save_part(part[v], work, split * work.outputs + partials + v);
        if (!is_last_block(work.counters, work.splits, tile)) return;
#pragma unroll
        for (int v = 0; v < V; v++) {
            part[v].start();
            if (v < valid)
                for (unsigned i = ty; i < work.splits; i += down)
                    part[v].add(saved_part<Part<Op>>(work, i * work.outputs + partials + v));
            part[v] = fold_strided<Op>(part[v], ty, across, down);
        }
    }
    if (ty != 0) return;
    if ((work.flags & REDUCTION_VECTORS) && valid == V) {
#pragma unroll
        for (int v = 0; v < V; v++) store<Op, V>(env, p, part[v].value, kept, v);
    } else {
#pragma unroll
        for (int v = 0; v < V; v++)
            if (v < valid) store<Op>(env, p, part[v].value, kept, v);
    }
}

}  // namespace custom
}  // namespace gpunp
