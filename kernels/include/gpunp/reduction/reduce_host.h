// Host variants of a reduction: one call folds everything, in blocks whose accumulators are combined
// pairwise, so that rounding errors grow with the logarithm of the count.
#pragma once
#include "gpunp/kernel.h"
#include "gpunp/reduction/reduce_streams.h"

namespace gpunp {
namespace reduction {

constexpr int HOST_BLOCK = 512;    // elements folded before accumulators are combined pairwise
constexpr int HOST_LANES = 16;     // independent accumulators in a block, so that the compiler vectorizes
constexpr int HOST_COLUMNS = 128;  // columns folded side by side
constexpr int HOST_ROWS = 64;      // rows folded before accumulators are combined pairwise

// Accumulators of blocks, combined like the carries of a binary counter.
template <class Op>
struct Cascade {
    using Acc = typename Op::Acc;
    Acc level[64];
    uint64_t count = 0;

    void push(Acc a) {
        int i = 0;
        for (; count >> i & 1; i++) a = Op::combine(level[i], a);
        level[i] = a;
        count++;
    }
    Acc finish() const {
        Acc a = Op::identity();
        for (int i = 0; i < 64; i++)
            if (count >> i & 1) a = Op::combine(level[i], a);
        return a;
    }
};

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
    int count = 0;
    for (int i = 0; i < n; i++) {
        y[count] = convert<double>(x[i]);
        count += !skipped(y[count], p);
    }
    if (count == 0) return {0, 0, 0};
    double lanes[8] = {}, squares[8] = {}, errors[8] = {};
    int i = 0;
    for (; i + 8 <= count; i += 8)
        for (int k = 0; k < 8; k++) lanes[k] += y[i + k];
    for (; i < count; i++) lanes[0] += y[i];
    double sum = 0, error = 0, deviations = 0;
    for (int k = 0; k < 8; k++) sum += lanes[k];
    const double mean = sum / count;
    for (i = 0; i + 8 <= count; i += 8)
        for (int k = 0; k < 8; k++) {
            double d = y[i + k] - mean;
            errors[k] += d;
            squares[k] += d * d;
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

template <class Op>
void run_rows(const void* params) {
    const ReduceParams& p = *static_cast<const ReduceParams*>(params);
    using In = typename Op::In;
    const ReduceDim* reduced = p.dims + p.kept_ndim;
    const int64_t inner = reduced[0].extent, rows = inner ? p.reduced / inner : 0;
    In buffer[HOST_BLOCK];
    for (int64_t result = 0; result < p.outputs; result++) {
        ReduceOffset kept = reduce_offset(p.dims, p.kept_ndim, result, false);
        Cascade<Op> cascade;
        for (int64_t row = 0; row < rows; row++) {
            const In* x =
                (const In*)(p.in + kept.in + reduce_offset(reduced + 1, p.reduced_ndim - 1, row, false).in);
            for (int64_t i = 0; i < inner; i += HOST_BLOCK) {
                int n = inner - i < HOST_BLOCK ? (int)(inner - i) : HOST_BLOCK;
                const In* block = read_block<Op>(buffer, x + i, n, p);
                cascade.push(fold_block<Op>(block, n, row * inner + i, p, (const typename Op::Acc*)nullptr));
            }
        }
        store<Op>(cascade.finish(), p, kept.out);
    }
}

template <class Op>
void run_columns(const void* params) {
    const ReduceParams& p = *static_cast<const ReduceParams*>(params);
    using In = typename Op::In;
    using C = typename Op::C;
    const ReduceDim* reduced = p.dims + p.kept_ndim;
    const int64_t width = p.dims[0].extent, outer = width ? p.outputs / width : 0;
    Stream<Op> s[HOST_COLUMNS];
    In buffer[HOST_BLOCK];
    auto* cascades = new Cascade<Op>[width < HOST_COLUMNS ? width : HOST_COLUMNS];
    for (int64_t o = 0; o < outer; o++) {
        ReduceOffset kept = reduce_offset(p.dims + 1, p.kept_ndim - 1, o, false);
        for (int64_t column = 0; column < width; column += HOST_COLUMNS) {
            const int n = width - column < HOST_COLUMNS ? (int)(width - column) : HOST_COLUMNS;
            const char* base = p.in + kept.in + column * (int64_t)sizeof(In);
            for (int k = 0; k < n; k++) cascades[k].count = 0;
            for (int64_t row = 0; row < p.reduced; row += HOST_ROWS) {
                const int64_t end = p.reduced - row < HOST_ROWS ? p.reduced : row + HOST_ROWS;
                for (int k = 0; k < n; k++) s[k].start();
                for (int64_t j = row; j < end; j++) {
                    const In* x = (const In*)(base + reduce_offset(reduced, p.reduced_ndim, j, false).in);
                    x = read_block<Op>(buffer, x, n, p);
                    for (int k = 0; k < n; k++) s[k].push(convert<C>(x[k]), j, p);
                }
                for (int k = 0; k < n; k++) cascades[k].push(s[k].finish());
            }
            for (int k = 0; k < n; k++)
                store<Op>(cascades[k].finish(), p, kept.out + (column + k) * p.dims[0].out_stride);
        }
    }
    delete[] cascades;
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

template <class Op>
void run_general(const void* params) {
    const ReduceParams& p = *static_cast<const ReduceParams*>(params);
    using C = typename Op::C;
    const ReduceDim* reduced = p.dims + p.kept_ndim;
    const int64_t inner = reduced[0].extent, rows = inner ? p.reduced / inner : 0;
    C buffer[HOST_BLOCK];
    for (int64_t result = 0; result < p.outputs; result++) {
        ReduceOffset kept = reduce_offset(p.dims, p.kept_ndim, result, false);
        Cascade<Op> cascade;
        for (int64_t row = 0; row < rows; row++) {
            ReduceOffset at = reduce_offset(reduced + 1, p.reduced_ndim - 1, row, false);
            for (int64_t i = 0; i < inner; i += HOST_BLOCK) {
                int n = inner - i < HOST_BLOCK ? (int)(inner - i) : HOST_BLOCK;
                const char* mask =
                    p.where ? p.where + kept.where + at.where + i * reduced[0].where_stride : nullptr;
                const char* from = p.in + kept.in + at.in + i * reduced[0].stride;
                if constexpr (Elements<Op>::in_memory)
                    n = gather(buffer, from, reduced[0].stride, n, p.in_dtype, mask, reduced[0].where_stride);
                else
                    n = gather_computed<Op>(buffer, from, reduced[0].stride, n, mask, reduced[0].where_stride,
                                            p);
                cascade.push(fold_block<Op>(buffer, n, row * inner + i, p, (const typename Op::Acc*)nullptr));
            }
        }
        store<Op>(cascade.finish(), p, kept.out);
    }
}

}  // namespace reduction
}  // namespace gpunp

#define GPUNP_REDUCE(variant, symbol, Op) \
    GPUNP_HOST_KERNEL(reduce_##variant##_##symbol, ::gpunp::reduction::run_##variant<Op>);
