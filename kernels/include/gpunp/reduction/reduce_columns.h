// Device variant of a reduction for columns: the kept dimension is contiguous.
#pragma once
#include "gpunp/reduction/reduce_lanes.h"

namespace gpunp {
namespace reduction {

// Neighboring columns per thread, at most four; run_columns uses at most two for moments.
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
    } else if constexpr (V * sizeof(In) == 4) {
        uint32_t word = __ldg((const uint32_t*)q);
        __builtin_memcpy(v, &word, 4);
    } else {
        static_assert(V * sizeof(In) == 2, "vectors of columns have 2, 4, 8 or 16 bytes");
        uint16_t word = __ldg((const uint16_t*)q);
        __builtin_memcpy(v, &word, 2);
    }
}

// Loads U rows of V columns; all loads are in flight before the first value is used.
template <class Op, class In, int U, int V>
__device__ __forceinline__ void read_columns(In (&v)[U][V], const In* (&q)[U], bool vector, int valid,
                                             const ReduceParams& p) {
    if (vector) {
#pragma unroll
        for (int u = 0; u < U; u++) {
            if constexpr (Elements<Op>::in_memory)
                read_vector<In, V>(v[u], q[u]);
            else
                Elements<Op>::neighbors(v[u], q[u], p);
        }
    } else {
#pragma unroll
        for (int u = 0; u < U; u++)
#pragma unroll
            for (int k = 0; k < V; k++) v[u][k] = Elements<Op>::one(q[u] + (k < valid ? k : 0), p);
    }
}

template <bool All>
__device__ __forceinline__ int64_t row_of(int64_t j, int ahead, int64_t last) {
    return All || j + ahead <= last ? j + ahead : j;
}

// Addresses of U rows of a thread's columns, from row `j` on. Unless `All` rows exist, row `j` replaces those
// from `end` on.
template <bool All, class In, int U>
__device__ __forceinline__ void find_rows(const In* (&q)[U], const char* base, int64_t j, int64_t end,
                                          int down, const ReduceParams& p) {
    const ReduceDim* reduced = p.dims + p.kept_ndim;
    const int64_t last = All ? 0 : end - 1;
    if (p.reduced_ndim == 1) {
#pragma unroll
        for (int u = 0; u < U; u++)
            q[u] = (const In*)(base + row_of<All>(j, u * down, last) * reduced[0].stride);
    } else {
        const bool narrow = narrow_reduced(p);
#pragma unroll
        for (int u = 0; u < U; u++)
            q[u] = (const In*)(base +
                               reduce_offset(reduced, p.reduced_ndim, row_of<All>(j, u * down, last), narrow)
                                   .in);
    }
}

// Pushes whole batches of U rows of a thread's columns, from row `j` on; returns the first row not pushed.
template <class Op, int U, int V>
__device__ __forceinline__ int64_t push_rows(Stream<Op> (&s)[V], const char* base, int64_t j, int64_t end,
                                             int down, int valid, const ReduceParams& p) {
    using In = typename Op::In;
    const bool vector = (p.flags & REDUCE_ALIGNED) && valid == V;
    for (; j + (U - 1) * down < end; j += U * down) {
        const In* q[U];
        find_rows<true>(q, base, j, end, down, p);
        In v[U][V];
        read_columns<Op>(v, q, vector, valid, p);
#pragma unroll
        for (int k = 0; k < V; k++) {
            In c[U];
#pragma unroll
            for (int u = 0; u < U; u++) c[u] = v[u][k];
            s[k].template push_batch<U, 1, true>(c, j, down, p);
        }
    }
    return j;
}

// Pushes the rows that remain after batches of U; all loads are in flight before the first value is used.
template <class Op, int U, int V>
__device__ __forceinline__ void push_last_rows(Stream<Op> (&s)[V], const char* base, int64_t j, int64_t end,
                                               int down, int valid, const ReduceParams& p) {
    using In = typename Op::In;
    if (j >= end) return;
    const In* q[U];
    find_rows<false>(q, base, j, end, down, p);
    In v[U][V];
    read_columns<Op>(v, q, (p.flags & REDUCE_ALIGNED) && valid == V, valid, p);
#pragma unroll
    for (int u = 0; u < U; u++) {
        if (j + u * down >= end) return;
#pragma unroll
        for (int k = 0; k < V; k++) {
            const In one[1] = {v[u][k]};
            s[k].template push_batch<1, 1, true>(one, j + u * down, 0, p);
        }
    }
}

// Stores the results of a thread's columns, as vectors if they are contiguous and have the accumulator's
// dtype.
template <class Op, int V>
__device__ __forceinline__ void store_columns(typename Op::Acc (&a)[V], int64_t out_offset, int valid,
                                              const ReduceParams& p) {
    using Acc = typename Op::Acc;
    if constexpr (math::is_real<Acc> && V * sizeof(Acc) % 16 == 0) {
        if ((p.flags & REDUCE_VECTORS) && valid == V && p.out_dtype == dtype_of<Acc>::value) {
#pragma unroll
            for (int k = 0; k < V; k++) a[k] = finished(with_initial<Op>(a[k], p), p);
            uint4 words[V * sizeof(Acc) / 16];
            __builtin_memcpy(words, a, sizeof(words));
#pragma unroll
            for (int i = 0; i < (int)(V * sizeof(Acc) / 16); i++)
                ((uint4*)(p.out + out_offset))[i] = words[i];
            return;
        }
    }
#pragma unroll
    for (int k = 0; k < V; k++)
        if (k < valid) store<Op>(a[k], p, out_offset + k * p.dims[0].out_stride);
}

// A tile has `lanes` threads along the contiguous kept dimension, times `down` along the reduced one; a block
// has several tiles where they are small and many.
template <class Op>
__device__ __forceinline__ void run_columns(const ReduceParams& p) {
    using In = typename Op::In;
    using Acc = typename Op::Acc;
    constexpr int V = has_moments<Op> && columns_of<In> > 2 ? 2 : columns_of<In>;
    constexpr int U = !has_long_batches<Op> && V * sizeof(In) >= 16 ? 4 : 8;
    const int across = p.lanes, down = p.down;
    const int tx = threadIdx.x & (across - 1), ty = threadIdx.x / across & (down - 1);
    const unsigned bundle = blockDim.x / (across * down), place = threadIdx.x / (across * down);
    const unsigned tile = p.splits == 1 ? blockIdx.x * bundle + place : blockIdx.x % p.tiles;
    const unsigned split = p.splits == 1 ? 0 : blockIdx.x / p.tiles;
    const int64_t width = p.dims[0].extent;
    const unsigned per_row = (unsigned)((width + across * V - 1) / (across * V));
    const unsigned outer = tile / per_row;
    const int64_t column = ((int64_t)(tile - outer * per_row) * across + tx) * V;
    const int valid = tile >= p.tiles ? 0 : width - column < V ? (int)(width - column) : V;
    ReduceOffset kept = {0, 0, 0};
    if (p.kept_ndim == 2)
        kept = {outer * p.dims[1].stride, outer * p.dims[1].out_stride, 0};
    else if (p.kept_ndim > 2)
        kept = reduce_offset(p.dims + 1, p.kept_ndim - 1, outer, narrow_kept(p));
    Stream<Op> s[V];
#pragma unroll
    for (int k = 0; k < V; k++) s[k].start();
    if (valid > 0) {
        const char* base = p.in + kept.in + column * (int64_t)sizeof(In);
        int64_t begin = split * p.per_split, end = begin + p.per_split;
        if (end > p.reduced) end = p.reduced;
        int64_t j = push_rows<Op, U, V>(s, base, begin + ty, end, down, valid, p);
        if constexpr (has_moments<Op>) {
            // The state of moments leaves no registers to load all remaining rows at once.
            j = push_rows<Op, U / 2, V>(s, base, j, end, down, valid, p);
            push_rows<Op, 1, V>(s, base, j, end, down, valid, p);
        } else {
            push_last_rows<Op, U, V>(s, base, j, end, down, valid, p);
        }
    }
    const int64_t out_offset = kept.out + column * p.dims[0].out_stride;
    Acc all[V];
#pragma unroll
    for (int k = 0; k < V; k++) all[k] = fold_strided<Op>(s[k].finish(), ty, across, down);
    if (p.splits == 1) {
        if (ty == 0 && valid > 0) store_columns<Op, V>(all, out_offset, valid, p);
        return;
    }
    Acc* partials = (Acc*)p.partials + (int64_t)outer * width + column;
#pragma unroll
    for (int k = 0; k < V; k++)
        if (ty == 0 && k < valid) partials[split * p.outputs + k] = all[k];
    if (!is_last_block(p, tile)) return;
#pragma unroll 1
    for (int k = 0; k < V; k++) {
        Acc a = Op::identity();
        if (k < valid)
            for (unsigned i = ty; i < p.splits; i += down)
                a = Op::combine(a, load_partial(partials + i * p.outputs + k));
        a = fold_strided<Op>(a, ty, across, down);
        if (ty == 0 && k < valid) store<Op>(a, p, out_offset + k * p.dims[0].out_stride);
    }
}

}  // namespace reduction
}  // namespace gpunp
