// Device variants of a reduction: rows (contiguous reduced dimension), columns (contiguous kept
// dimension) and general (any strides, any dtype, masked).
#pragma once
#include "gpunp/reduce_runs.h"

namespace gpunp {
namespace reduction {

template <class T>
__device__ __forceinline__ Vector16<T> load16(const T* q) {
    uint4 words = __ldg((const uint4*)q);
    Vector16<T> v;
    __builtin_memcpy(&v, &words, 16);
    return v;
}

// Whole batches of U vectors a thread, from vector `i` on; gives where they end, which may differ by thread.
template <class Op, int U>
__device__ __forceinline__ int push_vectors(Stream<Op>& s, const typename Op::In* body, int i, int vectors,
                                            int64_t index, int lanes, const ReduceParams& p) {
    using In = typename Op::In;
    constexpr int V = 16 / sizeof(In);
    for (; i + (U - 1) * lanes < vectors; i += U * lanes) {
        Vector16<In> v[U];
#pragma unroll
        for (int u = 0; u < U; u++) v[u] = load16(body + (int64_t)(i + u * lanes) * V);
        In c[U * V];
#pragma unroll
        for (int n = 0; n < U * V; n++) c[n] = v[n / V].at[n % V];
        s.template push_batch<U * V, V>(c, index + (int64_t)i * V, (int64_t)lanes * V, p);
    }
    return i;
}

// Up to U vectors that are left of a run: all are asked for before the first is used, some of them for
// nothing.
template <class Op, int U>
__device__ __forceinline__ void push_rest(Stream<Op>& s, const typename Op::In* body, int i, int vectors,
                                          int64_t index, int lanes, const ReduceParams& p) {
    using In = typename Op::In;
    constexpr int V = 16 / sizeof(In);
    if (i >= vectors) return;
    Vector16<In> v[U];
#pragma unroll
    for (int u = 0; u < U; u++) {
        const int at = i + u * lanes;
        v[u] = load16(body + (int64_t)(at < vectors ? at : i) * V);
    }
#pragma unroll
    for (int u = 0; u < U; u++) {
        const int at = i + u * lanes;
        if (at < vectors) s.template push_batch<V, V>(v[u].at, index + (int64_t)at * V, 0, p);
    }
}

// A contiguous run of elements, shared by `lanes` threads.
template <class Op>
__device__ __forceinline__ void read_run(Stream<Op>& s, const typename Op::In* x, int length, int64_t index,
                                         int lane, int lanes, const ReduceParams& p) {
    using In = typename Op::In;
    using C = typename Op::C;
    constexpr int V = 16 / sizeof(In);
    constexpr int U = has_moments<Op> ? (V > 4 ? 32 / V : 8) : V > 8 ? 2 : 4;
    int head = (int)((16 - ((uintptr_t)x & 15)) & 15) / (int)sizeof(In);
    head = head < length ? head : length;
    const int vectors = (length - head) / V, inside = vectors * V;
    const In* body = x + head;
    // What lies before the first and after the last whole vector.
    for (int i = lane; i < length - inside; i += lanes) {
        int j = i < head ? i : i + inside;
        s.push(convert<C>(x[j]), index + j, p);
    }
    index += head;
    if constexpr (U > 4) {
        int i = push_vectors<Op, U>(s, body, lane, vectors, index, lanes, p);
        i = push_vectors<Op, U / 2>(s, body, i, vectors, index, lanes, p);
        i = push_vectors<Op, U / 4>(s, body, i, vectors, index, lanes, p);
        push_rest<Op, 1>(s, body, i, vectors, index, lanes, p);
    } else {
        // Threads stay together: none has a batch while others have the rest.
        const int whole = vectors & -(U * lanes);
        push_vectors<Op, U>(s, body, lane, whole, index, lanes, p);
        push_rest<Op, U>(s, body, whole + lane, vectors, index, lanes, p);
    }
}

// Groups of `lanes` threads fold one result each; with splits the whole block folds a part of one.
template <class Op>
__device__ __forceinline__ void run_rows(const ReduceParams& p) {
    using In = typename Op::In;
    using Acc = typename Op::Acc;
    if constexpr (Op::has_runs) {
        if (p.run) return run_runs<Op>(p);
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
    Acc a = fold_group<Op>(s.finish(), lanes);
    if (p.splits == 1) {
        if (lane == 0 && result < p.outputs) store<Op>(a, p, kept.out);
        return;
    }
    Acc* partials = (Acc*)p.partials + (int64_t)tile * p.splits;
    if (threadIdx.x == 0) partials[split] = a;
    if (!is_last_block(p, tile)) return;
    a = Op::identity();
    for (unsigned i = threadIdx.x; i < p.splits; i += REDUCE_BLOCK)
        a = Op::combine(a, load_partial(partials + i));
    a = fold_group<Op>(a, REDUCE_BLOCK);
    if (threadIdx.x == 0) store<Op>(a, p, kept.out);
}

// Up to four neighbouring columns a thread, two where each of them has moments for its state.
template <class In>
constexpr int columns_of = sizeof(In) >= 4 ? 16 / (int)sizeof(In) : 4;

template <class In, int V>
__device__ __forceinline__ void read_vector(In (&v)[V], const In* q) {
    if constexpr (V * sizeof(In) == 16) {
        uint4 words = __ldg((const uint4*)q);
        __builtin_memcpy(v, &words, 16);
    } else if constexpr (V * sizeof(In) == 8) {
        uint2 words = __ldg((const uint2*)q);
        __builtin_memcpy(v, &words, 8);
    } else {
        uint32_t word = __ldg((const uint32_t*)q);
        __builtin_memcpy(v, &word, 4);
    }
}

// U rows of V columns; all loads are under way before the first is used.
template <class In, int U, int V>
__device__ __forceinline__ void read_columns(In (&v)[U][V], const In* (&q)[U], bool vector, int valid) {
    if (vector) {
#pragma unroll
        for (int u = 0; u < U; u++) read_vector<In, V>(v[u], q[u]);
    } else {
#pragma unroll
        for (int u = 0; u < U; u++)
#pragma unroll
            for (int k = 0; k < V; k++) v[u][k] = q[u][k < valid ? k : 0];
    }
}

// Batches of U rows of a thread's columns, from row `j` on; gives where they end.
template <class Op, int U, int V>
__device__ __forceinline__ int64_t push_rows(Stream<Op> (&s)[V], const char* base, int64_t j, int64_t end,
                                             int down, int valid, const ReduceParams& p) {
    using In = typename Op::In;
    const ReduceDim* reduced = p.dims + p.kept_ndim;
    const bool vector = (p.flags & REDUCE_ALIGNED) && valid == V, narrow = narrow_reduced(p);
    for (; j + (U - 1) * down < end; j += U * down) {
        const In* q[U];
        if (p.reduced_ndim == 1) {
#pragma unroll
            for (int u = 0; u < U; u++) q[u] = (const In*)(base + (j + u * down) * reduced[0].stride);
        } else {
#pragma unroll
            for (int u = 0; u < U; u++)
                q[u] = (const In*)(base + reduce_offset(reduced, p.reduced_ndim, j + u * down, narrow).in);
        }
        In v[U][V];
        read_columns<In, U, V>(v, q, vector, valid);
#pragma unroll
        for (int k = 0; k < V; k++) {
            In c[U];
#pragma unroll
            for (int u = 0; u < U; u++) c[u] = v[u][k];
            s[k].template push_batch<U, 1>(c, j, down, p);
        }
    }
    return j;
}

// `lanes` threads along the contiguous kept dimension, the other threads of the block along the reduced one.
template <class Op>
__device__ __forceinline__ void run_columns(const ReduceParams& p) {
    using In = typename Op::In;
    using Acc = typename Op::Acc;
    constexpr int V = has_moments<Op> && columns_of<In> > 2 ? 2 : columns_of<In>;
    constexpr int U = !has_moments<Op> && V * sizeof(In) >= 16 ? 4 : 8;
    const int across = p.lanes, down = blockDim.x / across;
    const int tx = threadIdx.x & (across - 1), ty = threadIdx.x / across;
    const unsigned tile = p.splits == 1 ? blockIdx.x : blockIdx.x % p.tiles;
    const unsigned split = p.splits == 1 ? 0 : blockIdx.x / p.tiles;
    const int64_t width = p.dims[0].extent;
    const unsigned per_row = (unsigned)((width + across * V - 1) / (across * V));
    const unsigned outer = tile / per_row;
    const int64_t column = ((int64_t)(tile - outer * per_row) * across + tx) * V;
    const int valid = width - column < V ? (int)(width - column) : V;
    ReduceOffset kept = {0, 0, 0};
    if (p.kept_ndim > 1) kept = reduce_offset(p.dims + 1, p.kept_ndim - 1, outer, narrow_kept(p));
    Stream<Op> s[V];
#pragma unroll
    for (int k = 0; k < V; k++) s[k].start();
    if (valid > 0) {
        const char* base = p.in + kept.in + column * (int64_t)sizeof(In);
        int64_t begin = split * p.per_split, end = begin + p.per_split;
        if (end > p.reduced) end = p.reduced;
        int64_t j = push_rows<Op, U, V>(s, base, begin + ty, end, down, valid, p);
        if constexpr (has_moments<Op>) j = push_rows<Op, U / 2, V>(s, base, j, end, down, valid, p);
        push_rows<Op, 1, V>(s, base, j, end, down, valid, p);
    }
    const int64_t first = (int64_t)outer * width + column;
    Acc* partials = (Acc*)p.partials;
#pragma unroll
    for (int k = 0; k < V; k++) {
        Acc a = fold_strided<Op>(s[k].finish(), ty, across, down);
        if (ty == 0 && k < valid) {
            if (p.splits == 1)
                store<Op>(a, p, kept.out + (column + k) * p.dims[0].out_stride);
            else
                partials[split * p.outputs + first + k] = a;
        }
    }
    if (p.splits == 1 || !is_last_block(p, tile)) return;
#pragma unroll 1
    for (int k = 0; k < V; k++) {
        Acc a = Op::identity();
        if (k < valid)
            for (unsigned i = ty; i < p.splits; i += down)
                a = Op::combine(a, load_partial(partials + i * p.outputs + first + k));
        a = fold_strided<Op>(a, ty, across, down);
        if (ty == 0 && k < valid) store<Op>(a, p, kept.out + (column + k) * p.dims[0].out_stride);
    }
}

// Out of line: every reduction of a unit shares the conversions.
template <class C>
__device__ __noinline__ C load_element(const char* q, int dtype) {
    return load_as<C>(q, dtype);
}

// Any strides, any input dtype, masked. Threads of one result lie side by side or a block's width of results
// apart.
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
    const bool live = result < p.outputs;
    const bool native = p.in_dtype == Op::native;
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
        int64_t j = begin + lane;
        if (native && !p.where) {
            for (; j + (U - 1) * lanes < end; j += U * lanes) {
                C c[U];
#pragma unroll
                for (int u = 0; u < U; u++) {
                    const int64_t at = j + u * lanes;
                    c[u] = *(const C*)(base + (p.reduced_ndim == 1
                                                   ? at * reduced[0].stride
                                                   : reduce_offset(reduced, p.reduced_ndim, at, narrow).in));
                }
                s.template push_batch<U, 1>(c, j, lanes, p);
            }
        }
        for (; j < end; j += lanes) {
            ReduceOffset at = reduce_offset(reduced, p.reduced_ndim, j, narrow);
            if (p.where && !mask[at.where]) continue;
            s.push(load_element<C>(base + at.in, p.in_dtype), j, p);
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

// Blocks that must fit on a multiprocessor: 64 registers a thread suffice for rows.
template <class Op>
constexpr int blocks_rows = has_moments<Op> ? 3 : 4;
template <class Op>
constexpr int blocks_columns = has_moments<Op> ? 3 : 0;
template <class Op>
constexpr int blocks_general = blocks_columns<Op>;

}  // namespace reduction
}  // namespace gpunp

#define GPUNP_REDUCE(variant, symbol, Op)                                                  \
    extern "C" __global__ void __launch_bounds__(::gpunp::REDUCE_BLOCK,                    \
                                                 ::gpunp::reduction::blocks_##variant<Op>) \
        reduce_##variant##_##symbol(const __grid_constant__::gpunp::ReduceParams p) {      \
        ::gpunp::reduction::run_##variant<Op>(p);                                          \
    }
