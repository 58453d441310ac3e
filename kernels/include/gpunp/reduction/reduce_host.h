// Host variants of a reduction: one call folds everything, in blocks whose accumulators are combined
// pairwise, so that rounding errors grow with the logarithm of the count. Threads fold chunks of blocks, or
// different results; neither changes which accumulators are combined.
#pragma once
#include <atomic>

#include "gpunp/common/host_pool.h"
#include "gpunp/kernel.h"
#include "gpunp/reduction/blocks_host.h"

namespace gpunp {
namespace reduction {

constexpr int CHUNK_LEVELS = 6;           // a chunk has 2^6 blocks
constexpr int64_t EXACT_CHUNK = 1 << 15;  // elements, of operations whose order does not matter
constexpr int FEW_RESULTS = 64;           // fewer results are split into chunks

// Accumulators of blocks, combined like the carries of a binary counter.
template <class Op, int LEVELS = 64>
struct Cascade {
    using Acc = typename Op::Acc;
    Acc level[LEVELS];
    uint64_t count = 0;

    // Takes the accumulator of 2^first blocks; `count` is a multiple of that number.
    void push(Acc a, int first = 0) {
        int i = first;
        for (; count >> i & 1; i++) a = Op::combine(level[i], a);
        level[i] = a;
        count += (uint64_t)1 << first;
    }
    // Takes the blocks of a whole chunk, or of the last one.
    template <int N>
    void push(const Cascade<Op, N>& chunk) {
        for (int i = N - 1; i >= 0; i--)
            if (chunk.count >> i & 1) push(chunk.level[i], i);
    }
    Acc finish() const {
        Acc a = Op::identity();
        for (int i = 0; i < LEVELS; i++)
            if (count >> i & 1) a = Op::combine(level[i], a);
        return a;
    }
};

// The same where the order does not matter: one accumulator.
template <class Op>
struct ExactTotal {
    using Acc = typename Op::Acc;
    Acc total = Op::identity();

    void push(Acc a) { total = Op::combine(total, a); }
    void push(const ExactTotal& chunk) { total = Op::combine(total, chunk.total); }
    Acc finish() const { return total; }
};

template <class Op, FoldKind KIND, int LEVELS>
using Total = std::conditional_t<is_exact<Op, KIND>(), ExactTotal<Op>, Cascade<Op, LEVELS>>;

template <class Op, class S>
inline typename Op::Acc fold_block(const S* x, int n, int64_t, const ReduceParams& p, ...) {
    using Acc = typename Op::Acc;
    using C = typename Op::C;
    if (n < HOST_LANES) {
        Acc a = Op::identity();
        for (int i = 0; i < n; i++) a = Op::combine(a, Op::map(convert<C>(x[i]), p));
        return a;
    }
    Acc lanes[HOST_LANES];
    for (int k = 0; k < HOST_LANES; k++) lanes[k] = Op::map(convert<C>(x[k]), p);
    int i = HOST_LANES;
    for (; i + HOST_LANES <= n; i += HOST_LANES)
        for (int k = 0; k < HOST_LANES; k++)
            lanes[k] = Op::combine(lanes[k], Op::map(convert<C>(x[i + k]), p));
    for (; i < n; i++)
        lanes[i % HOST_LANES] = Op::combine(lanes[i % HOST_LANES], Op::map(convert<C>(x[i]), p));
    return fold_tree<Op, HOST_LANES>(lanes);
}

template <class Op, class S, class T>
inline Best<T> fold_block(const S* x, int n, int64_t index, const ReduceParams& p, const Best<T>*) {
    using C = typename Op::C;
    Stream<Op> s;
    s.start();
    if (p.flags & REDUCE_SKIP_NAN) {
        for (int i = 0; i < n; i++) s.push(convert<C>(x[i]), index + i, p);
        return s.finish();
    }
    if (n == 0) return s.finish();
    C top = convert<C>(x[0]);
    int place = 0;
    for (int i = 1; i < n; i++) {
        C y = convert<C>(x[i]);
        if (Op::Order::better(y, top)) {
            top = y;
            place = i;
        }
    }
    return {top, index + place};
}

// Two passes over a block that is in the cache: the mean, then the deviations from it.
template <class Op, class S>
inline Moments fold_block(const S* x, int n, int64_t, const ReduceParams& p, const Moments*) {
    double y[HOST_BLOCK];
    int count = n;
    for (int i = 0; i < n; i++) y[i] = convert<double>(x[i]);
    if (p.flags & REDUCE_SKIP_NAN) {
        count = 0;
        for (int i = 0; i < n; i++) {
            y[count] = y[i];
            count += !math::isnan(y[i]);
        }
    }
    if (count == 0) return {0, 0, 0};
    using V = vector_t<double, 8>;
    V lanes = {}, squares = {}, errors = {};
    int i = 0;
    for (; i + 8 <= count; i += 8) lanes += load_vector<V>(y + i);
    for (; i < count; i++) lanes[0] += y[i];
    double sum = 0, error = 0, deviations = 0;
    for (int k = 0; k < 8; k++) sum += lanes[k];
    const double mean = sum / count;
    for (i = 0; i + 8 <= count; i += 8) {
        const V d = load_vector<V>(y + i) - mean;
        errors += d;
        squares += d * d;
    }
    for (; i < count; i++) {
        double d = y[i] - mean;
        errors[0] += d;
        squares[0] += d * d;
    }
    for (int k = 0; k < 8; k++) error += errors[k], deviations += squares[k];
    return {(double)count, mean + error / count, deviations - error * error / count};
}

template <class Op, class S>
inline ComplexMoments fold_block(const S* x, int n, int64_t, const ReduceParams& p, const ComplexMoments*) {
    complex<double> sum = {0, 0};
    double count = 0, deviations = 0;
    for (int i = 0; i < n; i++) {
        complex<double> y = convert<complex<double>>(x[i]);
        if (skipped(y, p)) continue;
        sum = {sum.re + y.re, sum.im + y.im};
        count++;
    }
    if (count == 0) return {0, 0, 0, 0};
    const complex<double> mean = {sum.re / count, sum.im / count};
    for (int i = 0; i < n; i++) {
        complex<double> y = convert<complex<double>>(x[i]);
        if (skipped(y, p)) continue;
        double re = y.re - mean.re, im = y.im - mean.im;
        deviations += re * re + im * im;
    }
    return {count, mean.re, mean.im, deviations};
}

template <class Op>
inline void store(typename Op::Acc a, const ReduceParams& p, int64_t out_offset) {
    if constexpr (Op::has_initial) {
        if (p.flags & REDUCE_INITIAL) a = Op::combine(initial_value<typename Op::Acc>(p), a);
    }
    store_result(p.out + out_offset, a, p);
}

// The elements from an address on, up to HOST_BLOCK; computed ones are put into a buffer.
template <class Op>
inline const typename Op::In* read_block(typename Op::In* buffer, const typename Op::In* at, int n,
                                         const ReduceParams& p) {
    if constexpr (Elements<Op>::in_memory) return at;
    for (int i = 0; i < n; i++) buffer[i] = Elements<Op>::one(at + i, p);
    return buffer;
}

// Folds all results: range(offsets of the result, first block, end, total) folds some of its blocks, which
// have about `block` elements.
template <class Op, FoldKind KIND, class Range>
void fold_results(const ReduceParams& p, int64_t blocks, int64_t block, const Range& range) {
    using Part = Total<Op, KIND, CHUNK_LEVELS + 1>;
    int64_t each = (int64_t)1 << CHUNK_LEVELS;
    if (is_exact<Op, KIND>() && block) {
        // Few chunks, as each looks for a place anew; their number does not change the result.
        const int64_t parts = gpunp_pool_threads() > 1 ? 4 * gpunp_pool_threads() : 1;
        const int64_t least = EXACT_CHUNK / block, even = (blocks + parts - 1) / parts;
        each = even > least ? even : least;
    }
    const int64_t chunks = (blocks + each - 1) / each;
    if (chunks < 2 || p.outputs >= FEW_RESULTS) {
        parallel_for(p.outputs, grain_of(p.reduced), [&](int64_t begin, int64_t end) {
            for (int64_t result = begin; result < end; result++) {
                const ReduceOffset kept = reduce_offset(p.dims, p.kept_ndim, result, false);
                Total<Op, KIND, 64> total;
                range(kept, 0, blocks, total);
                store<Op>(total.finish(), p, kept.out);
            }
        });
        return;
    }
    Part* parts = new Part[p.outputs * chunks];
    parallel_for(p.outputs * chunks, grain_of(each * block), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; i++) {
            const ReduceOffset kept = reduce_offset(p.dims, p.kept_ndim, i / chunks, false);
            const int64_t first = i % chunks * each;
            range(kept, first, blocks - first < each ? blocks : first + each, parts[i]);
        }
    });
    for (int64_t result = 0; result < p.outputs; result++) {
        Total<Op, KIND, 64> total;
        for (int64_t i = 0; i < chunks; i++) total.push(parts[result * chunks + i]);
        store<Op>(total.finish(), p, reduce_offset(p.dims, p.kept_ndim, result, false).out);
    }
    delete[] parts;
}

// Whether the rest of a result's elements cannot change it.
template <class Op, FoldKind KIND>
inline bool is_decided(const typename Op::Acc& a) {
    if constexpr (KIND == FOLD_ANY) return a != 0;
    if constexpr (KIND == FOLD_ALL) return a == 0;
    return false;
}

template <class Op, FoldKind KIND>
void run_rows(const void* params) {
    const ReduceParams& p = *static_cast<const ReduceParams*>(params);
    using In = typename Op::In;
    using Acc = typename Op::Acc;
    constexpr bool kind_folds = Elements<Op>::in_memory && has_fold<Op, KIND, In>();
    constexpr int BLOCK = Elements<Op>::in_memory && is_exact<Op, KIND>() ? EXACT_BLOCK : HOST_BLOCK;
    const ReduceDim* reduced = p.dims + p.kept_ndim;
    const int64_t inner = reduced[0].extent, rows = inner ? p.reduced / inner : 0;
    const int64_t in_row = (inner + BLOCK - 1) / BLOCK;
    if constexpr (kind_folds) {
        // One block each.
        if (rows == 1 && in_row == 1 && p.outputs > 1) {
            parallel_for(p.outputs, grain_of(inner + 8), [&](int64_t begin, int64_t end) {
                for (int64_t result = begin; result < end; result++) {
                    const ReduceOffset kept = reduce_offset(p.dims, p.kept_ndim, result, false);
                    Acc a = fold_kind<Op, KIND>((const In*)(p.in + kept.in), (int)inner, p);
                    if constexpr (!is_exact<Op, KIND>()) a = Op::combine(a, Op::identity());
                    store<Op>(a, p, kept.out);
                }
            });
            return;
        }
    }
    if constexpr (kind_folds && (KIND == FOLD_ANY || KIND == FOLD_ALL)) {
        // What the first elements decide needs no threads.
        if (p.outputs == 1 && rows * in_row > 1) {
            const ReduceOffset kept = reduce_offset(p.dims, p.kept_ndim, 0, false);
            const Acc a =
                fold_kind<Op, KIND>((const In*)(p.in + kept.in), (int)(inner < BLOCK ? inner : BLOCK), p);
            if (is_decided<Op, KIND>(a)) {
                store<Op>(a, p, kept.out);
                return;
            }
        }
    }
    // Set once the only result is known.
    std::atomic<bool> decided{false};
    fold_results<Op, KIND>(
        p, rows * in_row, inner < BLOCK ? inner : BLOCK,
        [&](const ReduceOffset& kept, int64_t first, int64_t end, auto& total) {
            In buffer[Elements<Op>::in_memory ? 1 : HOST_BLOCK];
            int64_t row = in_row ? first / in_row : 0, start = first - row * in_row;
            const In* x = nullptr;
            for (int64_t b = first; b < end; b++, start++) {
                if (start == in_row) row++, start = 0;
                if (start == 0 || b == first)
                    x = (const In*)(p.in + kept.in +
                                    reduce_offset(reduced + 1, p.reduced_ndim - 1, row, false).in);
                const int64_t i = start * BLOCK;
                const int n = inner - i < BLOCK ? (int)(inner - i) : BLOCK;
                if constexpr (KIND == FOLD_PLACE && Elements<Op>::in_memory) {
                    if (!(p.flags & REDUCE_SKIP_NAN)) {
                        find_place<Op>(total.total, x + i, n, row * inner + i);
                        continue;
                    }
                }
                if constexpr (kind_folds) {
                    if ((KIND == FOLD_ANY || KIND == FOLD_ALL) && p.outputs == 1 &&
                        decided.load(std::memory_order_relaxed))
                        return;
                    total.push(fold_kind<Op, KIND>(x + i, n, p));
                    if constexpr (KIND == FOLD_ANY || KIND == FOLD_ALL) {
                        if (is_decided<Op, KIND>(total.total)) {
                            decided.store(true, std::memory_order_relaxed);
                            return;
                        }
                    }
                } else {
                    const In* block = read_block<Op>(buffer, x + i, n, p);
                    total.push(fold_block<Op>(block, n, row * inner + i, p, (const Acc*)nullptr));
                }
            }
        });
}

// Copies up to HOST_BLOCK elements of a strided run in the compute type, with a mask only those it selects;
// returns their number.
template <class C>
int gather(C* to, const char* q, int64_t stride, int n, int dtype, const char* mask, int64_t mask_stride) {
    int count = 0;
#define GPUNP_RUN_OF(code, type)                                                                 \
    case code:                                                                                   \
        if (!mask) {                                                                             \
            for (int i = 0; i < n; i++) to[i] = convert<C>(*(const type*)(q + i * stride));      \
            return n;                                                                            \
        }                                                                                        \
        for (int i = 0; i < n; i++)                                                              \
            if (mask[i * mask_stride]) to[count++] = convert<C>(*(const type*)(q + i * stride)); \
        return count;
    switch (dtype) {
        GPUNP_RUN_OF(BOOL, bool)
        GPUNP_RUN_OF(I1, i1)
        GPUNP_RUN_OF(U1, u1)
        GPUNP_RUN_OF(I2, i2)
        GPUNP_RUN_OF(U2, u2)
        GPUNP_RUN_OF(I4, i4)
        GPUNP_RUN_OF(U4, u4)
        GPUNP_RUN_OF(I8, i8)
        GPUNP_RUN_OF(U8, u8)
        GPUNP_RUN_OF(F2, f2)
        GPUNP_RUN_OF(F4, f4)
        GPUNP_RUN_OF(F8, f8)
        GPUNP_RUN_OF(C8, c8)
        GPUNP_RUN_OF(C16, c16)
        default:
            return 0;
    }
#undef GPUNP_RUN_OF
}

template <class Op>
int gather_computed(typename Op::C* to, const char* q, int64_t stride, int n, const char* mask,
                    int64_t mask_stride, const ReduceParams& p) {
    int count = 0;
    for (int i = 0; i < n; i++)
        if (!mask || mask[i * mask_stride])
            to[count++] =
                convert<typename Op::C>(Elements<Op>::one((const typename Op::In*)(q + i * stride), p));
    return count;
}

template <class Op, FoldKind KIND>
void run_general(const void* params) {
    const ReduceParams& p = *static_cast<const ReduceParams*>(params);
    using C = typename Op::C;
    const ReduceDim* reduced = p.dims + p.kept_ndim;
    const int64_t inner = reduced[0].extent, rows = inner ? p.reduced / inner : 0;
    const int64_t in_row = (inner + HOST_BLOCK - 1) / HOST_BLOCK;
    fold_results<Op, KIND>(
        p, rows * in_row, inner < HOST_BLOCK ? inner : HOST_BLOCK,
        [&](const ReduceOffset& kept, int64_t first, int64_t end, auto& total) {
            C buffer[HOST_BLOCK];
            int64_t row = in_row ? first / in_row : 0, start = first - row * in_row;
            ReduceOffset at = {0, 0, 0};
            for (int64_t b = first; b < end; b++, start++) {
                if (start == in_row) row++, start = 0;
                if (start == 0 || b == first) at = reduce_offset(reduced + 1, p.reduced_ndim - 1, row, false);
                const int64_t i = start * HOST_BLOCK;
                int n = inner - i < HOST_BLOCK ? (int)(inner - i) : HOST_BLOCK;
                const char* mask =
                    p.where ? p.where + kept.where + at.where + i * reduced[0].where_stride : nullptr;
                const char* from = p.in + kept.in + at.in + i * reduced[0].stride;
                if constexpr (Elements<Op>::in_memory)
                    n = gather(buffer, from, reduced[0].stride, n, p.in_dtype, mask, reduced[0].where_stride);
                else
                    n = gather_computed<Op>(buffer, from, reduced[0].stride, n, mask, reduced[0].where_stride,
                                            p);
                if constexpr (has_fold<Op, KIND, C>()) {
                    total.push(n ? fold_kind<Op, KIND>(buffer, n, p) : Op::identity());
                    if constexpr (KIND == FOLD_ANY || KIND == FOLD_ALL)
                        if (is_decided<Op, KIND>(total.total)) return;
                } else {
                    total.push(
                        fold_block<Op>(buffer, n, row * inner + i, p, (const typename Op::Acc*)nullptr));
                }
            }
        });
}

}  // namespace reduction
}  // namespace gpunp

#include "gpunp/reduction/columns_host.h"

#define GPUNP_REDUCE(variant, symbol, Op)          \
    GPUNP_HOST_KERNEL(reduce_##variant##_##symbol, \
                      (::gpunp::reduction::run_##variant<Op, ::gpunp::reduction::kind_of(#symbol)>));
