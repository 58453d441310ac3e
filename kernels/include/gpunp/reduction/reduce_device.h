// Device variants of a reduction: rows (contiguous reduced dimension), columns (contiguous kept
// dimension) and general (any strides, any dtype, masked).
#pragma once
#include "gpunp/reduction/reduce_columns.h"
#include "gpunp/reduction/reduce_runs.h"

namespace gpunp {
namespace reduction {

// Pushes whole batches of U vectors per thread, from vector `i` on; returns the first vector not pushed,
// which may differ between threads.
template <class Op, int U>
__device__ __forceinline__ int push_vectors(Stream<Op>& s, const typename Op::In* body, int i, int vectors,
                                            int64_t index, int lanes, const ReduceParams& p) {
    using In = typename Op::In;
    constexpr int V = 16 / sizeof(In);
    for (; i + (U - 1) * lanes < vectors; i += U * lanes) {
        Vector<In> v[U];
#pragma unroll
        for (int u = 0; u < U; u++) v[u] = load_elements<Op>(body + (int64_t)(i + u * lanes) * V, p);
        In c[U * V];
#pragma unroll
        for (int n = 0; n < U * V; n++) c[n] = v[n / V].at[n % V];
        s.template push_batch<U * V, V>(c, index + (int64_t)i * V, (int64_t)lanes * V, p);
    }
    return i;
}

// Pushes the up to U remaining vectors of a run. All loads are in flight before the first value is used;
// those beyond the run repeat vector `i`.
template <class Op, int U>
__device__ __forceinline__ void push_rest(Stream<Op>& s, const typename Op::In* body, int i, int vectors,
                                          int64_t index, int lanes, const ReduceParams& p) {
    using In = typename Op::In;
    constexpr int V = 16 / sizeof(In);
    if (i >= vectors) return;
    Vector<In> v[U];
#pragma unroll
    for (int u = 0; u < U; u++) {
        const int at = i + u * lanes;
        v[u] = load_elements<Op>(body + (int64_t)(at < vectors ? at : i) * V, p);
    }
#pragma unroll
    for (int u = 0; u < U; u++) {
        const int at = i + u * lanes;
        if (at < vectors) s.template push_batch<V, V>(v[u].at, index + (int64_t)at * V, 0, p);
    }
}

// Folds a contiguous run of elements, shared by `lanes` threads.
template <class Op>
__device__ __forceinline__ void read_run(Stream<Op>& s, const typename Op::In* x, int length, int64_t index,
                                         int lane, int lanes, const ReduceParams& p) {
    using In = typename Op::In;
    using C = typename Op::C;
    constexpr int V = 16 / sizeof(In);
    constexpr int U = has_long_batches<Op> ? (V > 4 ? 32 / V : 8) : V > 8 ? 2 : 4;
    int head = (int)((16 - ((uintptr_t)x & 15)) & 15) / (int)sizeof(In);
    head = head < length ? head : length;
    const int vectors = (length - head) / V, inside = vectors * V;
    const In* body = x + head;
    // Elements before the first and after the last whole vector.
    for (int i = lane; i < length - inside; i += lanes) {
        int j = i < head ? i : i + inside;
        s.push(convert<C>(Elements<Op>::one(x + j, p)), index + j, p);
    }
    index += head;
    if constexpr (U > 4) {
        int i = push_vectors<Op, U>(s, body, lane, vectors, index, lanes, p);
        i = push_vectors<Op, U / 2>(s, body, i, vectors, index, lanes, p);
        i = push_vectors<Op, U / 4>(s, body, i, vectors, index, lanes, p);
        push_rest<Op, 1>(s, body, i, vectors, index, lanes, p);
    } else {
        // Keep threads converged: none has a batch while others have the rest.
        const int whole = vectors & -(U * lanes);
        push_vectors<Op, U>(s, body, lane, whole, index, lanes, p);
        push_rest<Op, U>(s, body, whole + lane, vectors, index, lanes, p);
    }
}

// Folds the accumulators of a result's threads, and those of the blocks that share it.
template <class Op>
__device__ __forceinline__ void finish_rows(typename Op::Acc a, int64_t result, int64_t out_offset,
                                            unsigned tile, unsigned split, int lane, const ReduceParams& p) {
    using Acc = typename Op::Acc;
    a = fold_group<Op>(a, p.lanes);
    if (p.splits == 1) {
        if (lane == 0 && result < p.outputs) store<Op>(a, p, out_offset);
        return;
    }
    Acc* partials = (Acc*)p.partials + (int64_t)tile * p.splits;
    if (threadIdx.x == 0) partials[split] = a;
    if (!is_last_block(p, tile)) return;
    a = Op::identity();
    for (unsigned i = threadIdx.x; i < p.splits; i += REDUCE_BLOCK)
        a = Op::combine(a, load_partial(partials + i));
    a = fold_group<Op>(a, REDUCE_BLOCK);
    if (threadIdx.x == 0) store<Op>(a, p, out_offset);
}

// Iterates over the vectors of consecutive rows that consist of whole vectors, `lanes` at a time.
template <class In>
struct WholeWalk {
    const char* row;
    int64_t stride;
    int column, width, step_rows, step_columns;

    __device__ __forceinline__ WholeWalk(const char* base, int64_t first, int lane, int lanes,
                                         const ReduceParams& p)
        : stride(p.dims[p.kept_ndim + 1].stride), width((int)p.vectors.extent) {
        step_rows = lanes / width;
        step_columns = lanes - step_rows * width;
        column = lane % width;
        row = base + (first + lane / width) * stride;
    }
    // The address of the next vector.
    __device__ __forceinline__ const In* next() {
        const In* at = (const In*)(row + column * 16);
        row += step_rows * stride;
        column += step_columns;
        if (column >= width) {
            column -= width;
            row += stride;
        }
        return at;
    }
};

// Like run_rows, with one more reduced axis than that of the runs, which are whole vectors: the threads of a
// result read its separate runs as if they were one.
template <class Op>
__device__ __forceinline__ void run_whole(const ReduceParams& p) {
    using In = typename Op::In;
    constexpr int V = 16 / sizeof(In);
    constexpr int U = has_moments<Op> ? 16 / V : V > 8 ? 2 : 4;
    const int lanes = p.lanes, lane = threadIdx.x & (lanes - 1);
    const unsigned tile = p.splits == 1 ? blockIdx.x : blockIdx.x / p.splits;
    const unsigned split = p.splits == 1 ? 0 : blockIdx.x % p.splits;
    const int64_t result = (int64_t)tile * (REDUCE_BLOCK / lanes) + threadIdx.x / lanes;
    int64_t out_offset = 0;
    Stream<Op> s;
    s.start();
    if (result < p.outputs) {
        const ReduceOffset kept = reduce_offset(p.dims, p.kept_ndim, result, narrow_kept(p));
        out_offset = kept.out;
        const int64_t row = split * p.per_split;
        const int64_t end = row + p.per_split < p.units ? row + p.per_split : p.units;
        const int vectors = row < end ? (int)(end - row) * (int)p.vectors.extent : 0;
        const int64_t index = row * p.dims[p.kept_ndim].extent;
        WholeWalk<In> walk(p.in + kept.in, row, lane, lanes, p);
        int i = lane;
        for (; i + (U - 1) * lanes < vectors; i += U * lanes) {
            Vector<In> v[U];
#pragma unroll
            for (int u = 0; u < U; u++) v[u] = load_elements<Op>(walk.next(), p);
            In c[U * V];
#pragma unroll
            for (int n = 0; n < U * V; n++) c[n] = v[n / V].at[n % V];
            s.template push_batch<U * V, V>(c, index + (int64_t)i * V, (int64_t)lanes * V, p);
        }
#pragma unroll 1
        for (; i < vectors; i += lanes) {
            const Vector<In> v = load_elements<Op>(walk.next(), p);
            s.template push_batch<V, V>(v.at, index + (int64_t)i * V, 0, p);
        }
    }
    finish_rows<Op>(s.finish(), result, out_offset, tile, split, lane, p);
}

// Groups of `lanes` threads fold one result each; with splits the whole block folds a part of one.
template <class Op>
__device__ __forceinline__ void run_rows(const ReduceParams& p) {
    using In = typename Op::In;
    // Fused kernels are compiled for one launch, so they have only the part that it asks for.
    if constexpr (Elements<Op>::in_memory) {
        if constexpr (Op::has_runs) {
            if (p.run) return run_runs<Op>(p);
        }
        if (p.flags & REDUCE_WHOLE) return run_whole<Op>(p);
    }
    const int lanes = p.lanes, lane = threadIdx.x & (lanes - 1);
    const unsigned tile = p.splits == 1 ? blockIdx.x : blockIdx.x / p.splits;
    const unsigned split = p.splits == 1 ? 0 : blockIdx.x % p.splits;
    const int64_t result = (int64_t)tile * (REDUCE_BLOCK / lanes) + threadIdx.x / lanes;
    ReduceOffset kept = {0, 0, 0};
    Stream<Op> s;
    s.start();
    if (result < p.outputs) {
        kept = reduce_offset(p.dims, p.kept_ndim, result, narrow_kept(p));
        const ReduceDim* reduced = p.dims + p.kept_ndim;
        const int64_t inner = reduced[0].extent, chunks = (inner + p.chunk - 1) / p.chunk;
        int64_t unit = split * p.per_split, end = unit + p.per_split;
        if (end > p.units) end = p.units;
        for (; unit < end; unit++) {
            int64_t row = 0, begin = unit * p.chunk;
            if (p.reduced_ndim > 1) {
                row = chunks == 1 ? unit : (int64_t)((uint32_t)unit / (uint32_t)chunks);
                begin = (unit - row * chunks) * p.chunk;
            }
            const char* q = p.in + kept.in;
            if (p.reduced_ndim > 1)
                q += reduce_offset(reduced + 1, p.reduced_ndim - 1, row, narrow_reduced(p)).in;
            int64_t length = inner - begin < p.chunk ? inner - begin : p.chunk;
            read_run<Op>(s, (const In*)q + begin, (int)length, row * inner + begin, lane, lanes, p);
        }
    }
    finish_rows<Op>(s.finish(), result, kept.out, tile, split, lane, p);
}

template <class C>
struct Batch {
    C at[4];
};

// Loads elements of any dtype at four offsets; all loads are in flight before the first value is used. Out of
// line: all reductions of a unit share the conversions.
template <class C>
__device__ __noinline__ Batch<C> load_batch(const char* q, int64_t a, int64_t b, int64_t c, int64_t d,
                                            int dtype) {
    switch (dtype) {
#define GPUNP_LOAD_BATCH(code, type)                                                   \
    case code:                                                                         \
        return {{convert<C>(*(const type*)(q + a)), convert<C>(*(const type*)(q + b)), \
                 convert<C>(*(const type*)(q + c)), convert<C>(*(const type*)(q + d))}};
        GPUNP_EACH_DTYPE(GPUNP_LOAD_BATCH)
#undef GPUNP_LOAD_BATCH
        default:
            return {};
    }
}

// Any strides, any input dtype, masked. The threads of one result are neighbors, or as far apart as the block
// has results.
template <class Op>
__device__ __forceinline__ void run_general(const ReduceParams& p) {
    using C = typename Op::C;
    using Acc = typename Op::Acc;
    constexpr int U = 4;
    const int lanes = p.lanes, results = REDUCE_BLOCK / lanes;
    const bool side_by_side = p.flags & REDUCE_LANES_FASTEST;
    const int lane = side_by_side ? threadIdx.x % lanes : threadIdx.x / results;
    const int place = side_by_side ? threadIdx.x / lanes : threadIdx.x % results;
    const int apart = side_by_side ? 1 : results;
    const unsigned tile = p.splits == 1 ? blockIdx.x : blockIdx.x / p.splits;
    const unsigned split = p.splits == 1 ? 0 : blockIdx.x % p.splits;
    const int64_t result = (int64_t)tile * results + place;
    const bool live = result < p.outputs, native = p.in_dtype == Op::native;
    ReduceOffset kept = {0, 0, 0};
    Stream<Op> s;
    s.start();
    if (live) {
        kept = reduce_offset(p.dims, p.kept_ndim, result, narrow_kept(p));
        const ReduceDim* reduced = p.dims + p.kept_ndim;
        const char* base = p.in + kept.in;
        const char* mask = p.where + kept.where;
        const bool narrow = narrow_reduced(p);
        int64_t begin = split * p.per_split, end = begin + p.per_split;
        if (end > p.reduced) end = p.reduced;
        for (int64_t j = begin + lane; j < end; j += U * lanes) {
            int64_t in[U];
            bool part[U];
#pragma unroll
            for (int u = 0; u < U; u++) {
                // Beyond the end the first element is loaded instead.
                part[u] = j + u * lanes < end;
                const int64_t at = part[u] ? j + u * lanes : j;
                int64_t masked;
                if (p.reduced_ndim == 1) {
                    in[u] = at * reduced[0].stride;
                    masked = at * reduced[0].where_stride;
                } else {
                    const ReduceOffset offset = reduce_offset(reduced, p.reduced_ndim, at, narrow);
                    in[u] = offset.in;
                    masked = offset.where;
                }
                if (p.where) part[u] = part[u] && mask[masked];
            }
            Batch<C> c;
            if constexpr (!Elements<Op>::in_memory) {
#pragma unroll
                for (int u = 0; u < U; u++)
                    c.at[u] = convert<C>(Elements<Op>::one((const typename Op::In*)(base + in[u]), p));
            } else if (native) {
#pragma unroll
                for (int u = 0; u < U; u++) c.at[u] = *(const C*)(base + in[u]);
            } else {
                c = load_batch<C>(base, in[0], in[1], in[2], in[3], p.in_dtype);
            }
            if (!p.where && j + (U - 1) * lanes < end) {
                s.template push_batch<U, 1, true>(c.at, j, lanes, p);
                continue;
            }
#pragma unroll
            for (int u = 0; u < U; u++)
                if (part[u]) s.push(c.at[u], j + u * lanes, p);
        }
    }
    Acc a = fold_strided<Op>(s.finish(), lane, apart, lanes);
    if (p.splits == 1) {
        if (live && lane == 0) store<Op>(a, p, kept.out);
        return;
    }
    Acc* partials = (Acc*)p.partials;
    if (live && lane == 0) partials[split * p.outputs + result] = a;
    if (!is_last_block(p, tile)) return;
    a = Op::identity();
    if (live)
        for (unsigned i = lane; i < p.splits; i += lanes)
            a = Op::combine(a, load_partial(partials + i * p.outputs + result));
    a = fold_strided<Op>(a, lane, apart, lanes);
    if (live && lane == 0) store<Op>(a, p, kept.out);
}

// Blocks that must fit on a multiprocessor, which bounds the registers per thread: 64 suffice for rows.
template <class Op>
constexpr int blocks_rows = has_long_batches<Op> ? 3 : 4;
template <class Op>
constexpr int blocks_columns = has_long_batches<Op> ? 3 : 0;
template <class Op>
constexpr int blocks_general = has_moments<Op> ? 3 : 0;

}  // namespace reduction
}  // namespace gpunp

#define GPUNP_REDUCE(variant, symbol, Op)                                                  \
    extern "C" __global__ void __launch_bounds__(::gpunp::REDUCE_BLOCK,                    \
                                                 ::gpunp::reduction::blocks_##variant<Op>) \
        reduce_##variant##_##symbol(const __grid_constant__::gpunp::ReduceParams p) {      \
        ::gpunp::reduction::run_##variant<Op>(p);                                          \
    }
