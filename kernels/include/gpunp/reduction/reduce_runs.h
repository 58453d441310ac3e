// Device variant of a reduction for adjacent short runs of reduced elements, with or without further reduced
// axes: a tile is copied to shared memory in memory order, so that loads are coalesced, and folded there.
#pragma once
#include "gpunp/reduction/reduce_lanes.h"

namespace gpunp {
namespace reduction {

// Copies rows of a tile, from row `first` on, to shared memory: by vectors, or by words or bytes where rows
// are not aligned to vectors or end within the tile. All reductions of a unit share it.
static __device__ __noinline__ void stage_rows(unsigned char* stage, const char* base, int64_t first,
                                               int rows, int held, int strip, const ReduceParams& p) {
    constexpr int U = REDUCE_RUNS_BYTES / 16 / REDUCE_BLOCK;
    const int tid = threadIdx.x;
    const auto at = [&](int i) {
        const ReduceDim* reduced = p.dims + p.kept_ndim;
        if (p.reduced_ndim == 1) return base + (first + i) * reduced[0].stride;
        return base + reduce_offset(reduced, p.reduced_ndim, first + i, narrow_reduced(p)).in;
    };
    __syncthreads();
    if ((p.flags & REDUCE_ALIGNED) && held == strip) {
        uint4 v[U];
        const int each = strip / 16, vectors = rows * each;
#pragma unroll
        for (int u = 0; u < U; u++) {
            const int q = u * REDUCE_BLOCK + tid, i = (int)divide_index(q, p.vectors);
            if (q < vectors) v[u] = __ldg((const uint4*)at(i) + (q - i * each));
        }
#pragma unroll
        for (int u = 0; u < U; u++) {
            const int q = u * REDUCE_BLOCK + tid;
            if (q < vectors) reinterpret_cast<uint4*>(stage)[q] = v[u];
        }
    } else {
        for (int i = 0; i < rows; i++) {
            const char* row = at(i);
            if ((((uintptr_t)row | held | strip) & 3) == 0) {
#pragma unroll 2
                for (int k = 4 * tid; k < held; k += 4 * REDUCE_BLOCK)
                    *(uint32_t*)(stage + i * strip + k) = *(const uint32_t*)(row + k);
            } else {
#pragma unroll 1
                for (int k = tid; k < held; k += REDUCE_BLOCK) stage[i * strip + k] = row[k];
            }
        }
    }
    __syncthreads();
}

// The same for elements that are computed.
template <class Op>
__device__ __forceinline__ void stage_computed(typename Op::In* stage, const char* base, int64_t first,
                                               int rows, int held, int strip, const ReduceParams& p) {
    const ReduceDim* reduced = p.dims + p.kept_ndim;
    __syncthreads();
#pragma unroll 1
    for (int i = 0; i < rows; i++) {
        const int64_t row = p.reduced_ndim == 1
                                ? (first + i) * reduced[0].stride
                                : reduce_offset(reduced, p.reduced_ndim, first + i, narrow_reduced(p)).in;
#pragma unroll 2
        for (int k = threadIdx.x; k < held; k += REDUCE_BLOCK)
            stage[i * strip + k] = Elements<Op>::one((const typename Op::In*)(base + row) + k, p);
    }
    __syncthreads();
}

// Folds the threads of a result, which are neighbors, and stores it; with splits stores the block's partial.
template <class Op>
__device__ __noinline__ void finish_run(typename Op::Acc a, int lanes, int result, bool live, int64_t number,
                                        int64_t out_offset, unsigned split, const ReduceParams& p) {
    a = fold_group<Op>(a, lanes);
    if (!live || (threadIdx.x & (lanes - 1)) != 0) return;
    if (p.splits == 1)
        store<Op>(a, p, out_offset);
    else
        ((typename Op::Acc*)p.partials)[split * p.outputs + number] = a;
}

// Each block folds one tile, or one split of it, by batches of rows; the last block of a tile combines the
// partials of its splits.
template <class Op>
__device__ __forceinline__ void run_runs(const ReduceParams& p) {
    using In = typename Op::In;
    using C = typename Op::C;
    using Acc = typename Op::Acc;
    __shared__ alignas(16) unsigned char room[REDUCE_RUNS_BYTES];
    In* stage = reinterpret_cast<In*>(room);
    const int tid = threadIdx.x, strip = (int)p.strip, run = (int)p.run, beside = (int)p.beside;
    const unsigned tile = p.splits == 1 ? blockIdx.x : blockIdx.x % p.tiles;
    const unsigned split = p.splits == 1 ? 0 : blockIdx.x / p.tiles;
    const unsigned outer = tile / p.per_row, piece = tile - outer * p.per_row;
    const int64_t start = (int64_t)piece * strip;
    const int held = p.width - start < strip ? (int)(p.width - start) : strip;
    const int results = held == strip ? (int)p.results : held / run;
    ReduceOffset kept = {0, 0, 0};
    if (p.kept_ndim > 1) kept = reduce_offset(p.dims + 1, p.kept_ndim - 1, outer, narrow_kept(p));
    const char* base = p.in + kept.in + start * (int64_t)sizeof(In);
    const int64_t bundle = (int64_t)piece * p.bundles;
    const int64_t numbered = ((int64_t)outer * p.dims[0].extent + bundle) * beside;
    const int lanes = p.lanes, lane = tid & (lanes - 1);
    // Read whole vectors if runs consist of them.
    constexpr int V = 16 / sizeof(In);
    const bool vectors = beside == 1 && run % V == 0 && strip % V == 0;
    const int length = vectors ? run / V : run;
    const int step_rows = lanes / length, step = lanes - step_rows * length;
    Stream<Op> s;
    s.start();
    int64_t row = split * p.per_split, end = row + p.per_split;
    if (end > p.reduced) end = p.reduced;
    for (; row < end; row += p.batch) {
        const int rows = end - row < p.batch ? (int)(end - row) : (int)p.batch;
        if constexpr (Elements<Op>::in_memory)
            stage_rows(room, base, row, rows, held * (int)sizeof(In), strip * (int)sizeof(In), p);
        else
            stage_computed<Op>(stage, base, row, rows, held, strip, p);
        // There is more than one round only if there is a single batch.
        for (int first = 0; first < results; first += REDUCE_BLOCK / lanes) {
            const int result = first + tid / lanes;
            const bool live = result < results;
            const int chunk = beside == 1 ? result : result / beside, place = result - chunk * beside;
            if (live) {
                const In* x = stage + chunk * run * beside + place;
                // Neighboring results begin at different elements, which avoids most bank conflicts.
                const int turn = (vectors ? result * lanes : result) % length;
                int i = lane / length, k = lane - i * length;
                while (i < rows) {
                    const int turned = k + turn < length ? k + turn : k + turn - length;
                    if (vectors) {
                        const auto v = *reinterpret_cast<const Vector<In>*>(x + i * strip + turned * V);
                        s.template push_batch<V, V>(v.at, (row + i) * run + turned * V, 0, p);
                    } else {
                        s.push(convert<C>(x[i * strip + turned * beside]), (row + i) * run + turned, p);
                    }
                    i += step_rows;
                    k += step;
                    if (k >= length) {
                        k -= length;
                        i++;
                    }
                }
            }
            if (row + p.batch < end) break;
            finish_run<Op>(s.finish(), lanes, result, live, numbered + result,
                           kept.out + (bundle + chunk) * p.dims[0].out_stride + place * p.beside_stride,
                           split, p);
            s.start();
        }
    }
    if (p.splits == 1 || !is_last_block(p, tile)) return;
    for (int result = tid; result < results; result += REDUCE_BLOCK) {
        const int chunk = result / beside, place = result - chunk * beside;
        const Acc* partials = (const Acc*)p.partials + numbered + result;
        Acc a = Op::identity();
        for (unsigned i = 0; i < p.splits; i++) a = Op::combine(a, load_partial(partials + i * p.outputs));
        store<Op>(a, p, kept.out + (bundle + chunk) * p.dims[0].out_stride + place * p.beside_stride);
    }
}

}  // namespace reduction
}  // namespace gpunp
