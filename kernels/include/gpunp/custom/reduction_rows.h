// Device variant of a user's reduction for rows: along the innermost reduced dimension every input is
// contiguous or has one value.
#pragma once
#include "gpunp/custom/reduction_lanes.h"

namespace gpunp {
namespace custom {

// Elements before the first one at which the vectors of V neighbors of an input are aligned. Some input has a
// period of V elements, which decides; the others agree or not.
template <int V, class T>
struct Period {
    static constexpr int BYTES = V * (int)sizeof(T) < 16 ? V * (int)sizeof(T) : 16;
    static constexpr int ELEMENTS = BYTES / (int)sizeof(T);
    static __device__ __forceinline__ int before(const char* from) {
        return (int)((BYTES - ((uintptr_t)from & (BYTES - 1))) & (BYTES - 1)) / (int)sizeof(T);
    }
};
template <int V, unsigned REPEATED>
__device__ __forceinline__ int longest_before(const char* const*, List<>) {
    return 0;
}
template <int V, unsigned REPEATED, class T, class... Rest>
__device__ __forceinline__ int longest_before(const char* const* from, List<T, Rest...>) {
    if constexpr (!(REPEATED & 1) && Period<V, T>::ELEMENTS == V) return Period<V, T>::before(*from);
    return longest_before<V, (REPEATED >> 1)>(from + 1, List<Rest...>());
}
template <int V, unsigned REPEATED>
__device__ __forceinline__ bool agree(const char* const*, int, List<>) {
    return true;
}
template <int V, unsigned REPEATED, class T, class... Rest>
__device__ __forceinline__ bool agree(const char* const* from, int head, List<T, Rest...>) {
    const bool rest = agree<V, (REPEATED >> 1)>(from + 1, head, List<Rest...>());
    if constexpr (REPEATED & 1) return rest;
    return rest && head % Period<V, T>::ELEMENTS == Period<V, T>::before(*from);
}

// A contiguous run of elements that some threads fold.
template <class Op, unsigned REPEATED>
struct Run {
    using Inputs = typename Op::Inputs;
    using S = Steps<Op, REPEATED>;
    static constexpr int V = S::ROW, U = S::ROW_UNROLL;
    static constexpr int N = Inputs::COUNT ? Inputs::COUNT : 1;

    const Environment& env;
    const char* from[N];
    int64_t index, step;  // the C-order index of the first element, and its change per element
    int lane, lanes;

    // Folds U groups of V neighbors, the first at element `place` and the others `apart` elements further;
    // only those before element `end` exist.
    template <int U_, int V_, bool ALL>
    __device__ __forceinline__ void fold(Part<Op>& part, int place, int apart, int end) const {
        ElementsOf<Op, U_, V_, REPEATED> e;
        e.load([&](int k, int u, int bytes) {
            const int at = place + u * apart;
            return from[k] + (int64_t)(ALL || at < end ? at : place) * bytes;
        });
        const auto value = [&](int n) {
            const int u = n / V_, v = n % V_;
            return map_elements<Op>(env, index + (int64_t)(place + u * apart + v) * step, e, u, v);
        };
        if constexpr (ALL) {
            part.add(fold_tree<Op, U_ * V_>(value));
        } else {
#pragma unroll
            for (int u = 0; u < U_; u++)
                if (place + u * apart < end) part.add(fold_tree<Op, V_>(value, u * V_));
        }
    }

    // Element by element, neighboring threads taking neighbors.
    __device__ __forceinline__ void fold_single(Part<Op>& part, int length) const {
        constexpr int W = 4;
        const int whole = length & -(W * lanes);
#pragma unroll 1
        for (int i = lane; i < whole; i += W * lanes) fold<W, 1, true>(part, i, lanes, length);
        if (whole + lane < length) fold<W, 1, false>(part, whole + lane, lanes, length);
    }

    __device__ __forceinline__ void read(Part<Op>& part, int length) const {
        if constexpr (V == 1 && S::ROW_BYTES <= 16) {
            fold_single(part, length);
            return;
        }
        int head = longest_before<V, REPEATED>(from, Inputs());
        if (!agree<V, REPEATED>(from, head, Inputs())) {
            fold_single(part, length);
            return;
        }
        head = head < length ? head : length;
        const int vectors = (length - head) / V, inside = vectors * V;
        // Elements before the first and after the last whole vector.
#pragma unroll 1
        for (int i = lane; i < length - inside; i += lanes)
            fold<1, 1, true>(part, i < head ? i : i + inside, 0, length);
        // Keep threads converged: none has a batch while others have the rest.
        const int whole = vectors & -(U * lanes);
        for (int i = lane; i < whole; i += U * lanes) fold<U, V, true>(part, head + i * V, lanes * V, length);
        if (whole + lane < vectors)
            fold<U, V, false>(part, head + (whole + lane) * V, lanes * V, head + inside);
    }
};

// Groups of `lanes` threads fold one result each; with splits the whole block folds a part of one.
template <class Op, unsigned REPEATED, class Params>
__device__ __forceinline__ void reduce_rows(const Params& p) {
    const ReductionWork& work = p.work;
    const int lanes = work.lanes, lane = threadIdx.x & (lanes - 1);
    const unsigned tile = work.splits == 1 ? blockIdx.x : blockIdx.x / work.splits;
    const unsigned split = work.splits == 1 ? 0 : blockIdx.x % work.splits;
    const int64_t result = (int64_t)tile * (REDUCTION_BLOCK / lanes) + threadIdx.x / lanes;
    const Environment env(p);
    Place<Op> kept;
    Part<Op> part;
    part.start();
    if (result < work.outputs) {
        kept = locate<Op>(p.dims, work.kept_ndim, result, work.outputs);
        const typename Place<Op>::Dim* reduced = p.dims + work.kept_ndim;
        const int64_t inner = reduced[0].extent, chunks = (inner + work.chunk - 1) / work.chunk;
        int64_t unit = split * work.per_split, end = unit + work.per_split;
        if (end > work.units) end = work.units;
#pragma unroll 1
        for (; unit < end; unit++) {
            int64_t row = 0, begin = unit * work.chunk;
            Place<Op> at;
            at.start();
            if (work.reduced_ndim > 1) {
                row = chunks == 1 ? unit : (int64_t)((uint32_t)unit / (uint32_t)chunks);
                begin = (unit - row * chunks) * work.chunk;
                at = locate<Op>(reduced + 1, work.reduced_ndim - 1, row, work.reduced);
            }
            at.template move<false>(reduced[0], begin);
            Run<Op, REPEATED> run{env, {}, work.first + kept.index + at.index, reduced[0].index, lane, lanes};
#pragma unroll
            for (int k = 0; k < Place<Op>::INPUTS; k++) run.from[k] = p.in[k] + kept.in[k] + at.in[k];
            const int64_t length = inner - begin < work.chunk ? inner - begin : work.chunk;
            run.read(part, (int)length);
        }
    }
    part = fold_group<Op>(part, lanes);
    if (work.splits > 1) {
        const int64_t partials = (int64_t)tile * work.splits;
        if (threadIdx.x == 0) save_part(part, work, partials + split);
        if (!is_last_block(work.counters, work.splits, tile)) return;
        part.start();
        for (unsigned i = threadIdx.x; i < work.splits; i += REDUCTION_BLOCK)
            part.add(saved_part<Part<Op>>(work, partials + i));
        part = fold_group<Op>(part, REDUCTION_BLOCK);
    }
    if (lane == 0 && result < work.outputs) store<Op>(env, p, part.value, kept);
}

}  // namespace custom
}  // namespace gpunp
