// Host variants of a user's reduction: one call folds everything, in blocks whose results are combined
// pairwise, so that rounding errors grow with the logarithm of the count.
#pragma once
#include "gpunp/custom/reduction_parts.h"

namespace gpunp {
namespace custom {

constexpr int HOST_BLOCK = 512;    // elements folded before results are combined pairwise
constexpr int HOST_LANES = 16;     // independent accumulators in a block, so that the compiler vectorizes
constexpr int HOST_COLUMNS = 128;  // columns folded side by side
constexpr int HOST_ROWS = 64;      // rows folded before results are combined pairwise

// Accumulators that no constructor has to fill; set() replaces one, whether or not it has a value.
template <class Acc, int N>
struct Accumulators {
    Room<Acc, N> room;
    Acc& operator[](int i) { return room.at[i]; }
    const Acc& operator[](int i) const { return room.at[i]; }
    void set(int i, const Acc& a) { __builtin_memcpy((void*)&room.at[i], (const void*)&a, sizeof(Acc)); }
};

// Results of blocks, combined like the carries of a binary counter.
template <class Op>
struct Cascade {
    using Acc = typename Op::Acc;
    Accumulators<Acc, 64> level;
    uint64_t count = 0;

    void push(const Acc& a) {
        Accumulators<Acc, 1> sum;
        sum.set(0, a);
        int i = 0;
        for (; count >> i & 1; i++) sum.set(0, Op::combine(level[i], sum[0]));
        level.set(i, sum[0]);
        count++;
    }
    Part<Op> finish() const {
        Part<Op> part;
        if (count == 0) {
            part.start();
            return part;
        }
        int i = __builtin_ctzll(count);
        part.put(level[i]);
        for (i++; i < 64; i++)
            if (count >> i & 1) part.put(Op::combine(level[i], part.value));
        return part;
    }
};

// map() of the elements at the addresses at(input, bytes of its element).
template <class Op, int K, class At, class... X>
inline typename Op::Acc map_at(const Environment& env, int64_t index, const At&, List<>, const X&... x) {
    return Op::map(env, (ptrdiff_t)index, x...);
}
template <class Op, int K, class At, class T, class... Rest, class... X>
inline typename Op::Acc map_at(const Environment& env, int64_t index, const At& at, List<T, Rest...>,
                               const X&... x) {
    return map_at<Op, K + 1>(env, index, at, List<Rest...>(), x..., *(const T*)at(K, (int64_t)sizeof(T)));
}

// Folds n > 0 values, value(i) being the i-th.
template <class Op, class Value>
inline typename Op::Acc fold_block(int n, const Value& value) {
    Accumulators<typename Op::Acc, HOST_LANES> lanes;
    if (n < HOST_LANES) {
        lanes.set(0, value(0));
        for (int i = 1; i < n; i++) lanes.set(0, Op::combine(lanes[0], value(i)));
        return lanes[0];
    }
    for (int k = 0; k < HOST_LANES; k++) lanes.set(k, value(k));
    int i = HOST_LANES;
    for (; i + HOST_LANES <= n; i += HOST_LANES)
        for (int k = 0; k < HOST_LANES; k++) lanes.set(k, Op::combine(lanes[k], value(i + k)));
    for (; i < n; i++) lanes.set(i % HOST_LANES, Op::combine(lanes[i % HOST_LANES], value(i)));
    return fold_tree<Op, HOST_LANES>([&](int k) { return lanes[k]; });
}

// Folds each result's elements along the innermost reduced dimension. CONTIGUOUS: along it, inputs are
// contiguous or REPEATED.
template <class Op, bool CONTIGUOUS, unsigned REPEATED, class Params>
inline void reduce_rows(const Params& p) {
    constexpr int N = Place<Op>::INPUTS ? Place<Op>::INPUTS : 1;
    const ReductionWork& work = p.work;
    const Environment env(p);
    const auto* reduced = p.dims + work.kept_ndim;
    const int64_t inner = reduced[0].extent, rows = inner ? work.reduced / inner : 0;
    for (int64_t result = 0; result < work.outputs; result++) {
        const Place<Op> kept = locate<Op>(p.dims, work.kept_ndim, result, work.outputs);
        Cascade<Op> cascade;
        for (int64_t row = 0; row < rows; row++) {
            const Place<Op> at = locate<Op>(reduced + 1, work.reduced_ndim - 1, row, work.reduced);
            for (int64_t begin = 0; begin < inner; begin += HOST_BLOCK) {
                const int n = inner - begin < HOST_BLOCK ? (int)(inner - begin) : HOST_BLOCK;
                const char* from[N];
                for (int k = 0; k < Place<Op>::INPUTS; k++)
                    from[k] = p.in[k] + kept.in[k] + at.in[k] + begin * reduced[0].in[k];
                const int64_t step = reduced[0].index,
                              index = work.first + kept.index + at.index + begin * step;
                cascade.push(fold_block<Op>(n, [&](int i) {
                    const auto address = [&](int k, int64_t bytes) {
                        if constexpr (CONTIGUOUS) return from[k] + (REPEATED >> k & 1 ? 0 : i * bytes);
                        return from[k] + i * reduced[0].in[k];
                    };
                    return map_at<Op, 0>(env, index + i * step, address, typename Op::Inputs());
                }));
            }
        }
        const Part<Op> part = cascade.finish();
        store<Op>(env, p, part.value, kept);
    }
}

// Folds neighboring columns side by side.
template <class Op, unsigned REPEATED, class Params>
inline void reduce_columns(const Params& p) {
    using Acc = typename Op::Acc;
    constexpr int N = Place<Op>::INPUTS ? Place<Op>::INPUTS : 1;
    const ReductionWork& work = p.work;
    const Environment env(p);
    const int64_t width = p.dims[0].extent, outer = width ? work.outputs / width : 0;
    auto* cascades = new Cascade<Op>[width < HOST_COLUMNS ? width : HOST_COLUMNS];
    Accumulators<Acc, HOST_COLUMNS> sums;
    for (int64_t o = 0; o < outer; o++) {
        const Place<Op> kept = locate<Op>(p.dims + 1, work.kept_ndim - 1, o, work.outputs);
        for (int64_t column = 0; column < width; column += HOST_COLUMNS) {
            const int n = width - column < HOST_COLUMNS ? (int)(width - column) : HOST_COLUMNS;
            for (int c = 0; c < n; c++) cascades[c].count = 0;
            for (int64_t row = 0; row < work.reduced; row++) {
                const Place<Op> at =
                    locate<Op>(p.dims + work.kept_ndim, work.reduced_ndim, row, work.reduced);
                const char* from[N];
                for (int k = 0; k < Place<Op>::INPUTS; k++)
                    from[k] = p.in[k] + kept.in[k] + at.in[k] + column * p.dims[0].in[k];
                const int64_t step = p.dims[0].index;
                const int64_t index = work.first + kept.index + at.index + column * step;
                const auto value = [&](int c) {
                    const auto address = [&](int k, int64_t bytes) {
                        return from[k] + (REPEATED >> k & 1 ? 0 : c * bytes);
                    };
                    return map_at<Op, 0>(env, index + c * step, address, typename Op::Inputs());
                };
                if (row % HOST_ROWS == 0) {
                    if (row)
                        for (int c = 0; c < n; c++) cascades[c].push(sums[c]);
                    for (int c = 0; c < n; c++) sums.set(c, value(c));
                } else {
                    for (int c = 0; c < n; c++) sums.set(c, Op::combine(sums[c], value(c)));
                }
            }
            for (int c = 0; c < n; c++) {
                if (work.reduced) cascades[c].push(sums[c]);
                const Part<Op> part = cascades[c].finish();
                store<Op>(env, p, part.value, kept, column + c);
            }
        }
    }
    delete[] cascades;
}

template <class Op, int VARIANT, unsigned REPEATED, class Params>
inline void reduce(const Params& p) {
    if constexpr (VARIANT == REDUCTION_COLUMNS)
        reduce_columns<Op, REPEATED>(p);
    else
        reduce_rows<Op, VARIANT == REDUCTION_ROWS, REPEATED>(p);
}

}  // namespace custom
}  // namespace gpunp

// The kernel gpunp_`name`: names of the C library are free for users' kernels.
#define GPUNP_REDUCTION(name, Op, variant, repeated, ndim)                                            \
    extern "C" void name(const void* params) {                                                        \
        using Params =                                                                                \
            ::gpunp::custom::ReductionParams<Op::Inputs::COUNT, Op::Outputs::COUNT, ndim, Op::GIVEN>; \
        ::gpunp::custom::reduce<Op, variant, repeated>(*static_cast<const Params*>(params));          \
    }
