// Host loops of the scans, in NumPy's order. Threads share rows and columns; a single row is cut into chunks
// only for integers, whose sums do not depend on the order.
#pragma once
#include "gpunp/common/host_pool.h"

namespace gpunp {

template <class F>
struct RowScan {
    using A = typename F::A;
    const ScanParams& p;
    bool direct, packed;

    explicit RowScan(const ScanParams& params)
        : p(params),
          direct(params.in_access != SCAN_CONVERT && params.out_access != SCAN_CONVERT && !params.skip_nan),
          packed(direct && params.in_stride == (int64_t)sizeof(A) &&
                 params.out_stride == (int64_t)sizeof(A)) {}

    A load(const char* from) const {
        const A x = direct ? *reinterpret_cast<const A*>(from) : load_as<A>(from, p.in_dtype);
        return p.skip_nan ? keep_or_skip(x, F::skipped()) : x;
    }
    // The fold of n > 0 elements.
    A total(const char* from, int64_t n) const {
        A sum = load(from);
        for (int64_t i = 1; i < n; i++) sum = F::apply(sum, load(from + i * p.in_stride), p.op);
        return sum;
    }
    // Scans n elements after those that `before` is the sum of, if there are any.
    void run(const char* from, char* to, int64_t n, const A* before) const {
        if (n <= 0) return;
        const int32_t op = p.op;
        A sum = before ? F::apply(*before, load(from), op) : load(from);
        if (packed) {
            const A* x = reinterpret_cast<const A*>(from);
            A* y = reinterpret_cast<A*>(to);
            y[0] = sum;
            for (int64_t i = 1; i < n; i++) y[i] = sum = F::apply(sum, x[i], op);
            return;
        }
        for (int64_t i = 0; i < n; i++, from += p.in_stride, to += p.out_stride) {
            if (i > 0) sum = F::apply(sum, load(from), op);
            if (direct)
                *reinterpret_cast<A*>(to) = sum;
            else
                store_as<A>(to, p.out_dtype, sum);
        }
    }
};

template <class F>
void scan_rows_host(const void* params) {
    using A = typename F::A;
    const ScanParams& p = *static_cast<const ScanParams*>(params);
    const RowScan<F> scan(p);
    const int64_t chunks = (p.length + POOL_GRAIN - 1) / POOL_GRAIN;
    if constexpr (math::is_integer<A>) {
        // Two passes, which only pay off with some threads. In place, the first one reads all before it is
        // changed.
        if (p.rows == 1 && chunks > 2 && gpunp_pool_threads() > 2) {
            const char* from = p.input + scan_offset(p, p.in_strides, 0);
            char* to = p.output + scan_offset(p, p.out_strides, 0);
            A* sums = new A[chunks];
            const auto count = [&](int64_t chunk) {
                return p.length - chunk * POOL_GRAIN < POOL_GRAIN ? p.length - chunk * POOL_GRAIN
                                                                  : POOL_GRAIN;
            };
            parallel_for(chunks - 1, 1, [&](int64_t begin, int64_t end) {
                for (int64_t c = begin; c < end; c++)
                    sums[c] = scan.total(from + c * POOL_GRAIN * p.in_stride, count(c));
            });
            for (int64_t c = 1; c < chunks - 1; c++) sums[c] = F::apply(sums[c - 1], sums[c], p.op);
            parallel_for(chunks, 1, [&](int64_t begin, int64_t end) {
                for (int64_t c = begin; c < end; c++)
                    scan.run(from + c * POOL_GRAIN * p.in_stride, to + c * POOL_GRAIN * p.out_stride,
                             count(c), c ? &sums[c - 1] : nullptr);
            });
            delete[] sums;
            return;
        }
    }
    parallel_for(p.rows, grain_of(p.length), [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; row++)
            scan.run(p.input + scan_offset(p, p.in_strides, row),
                     p.output + scan_offset(p, p.out_strides, row), p.length, nullptr);
    });
}

// Scans a strip of columns at a time, so that memory is read along its rows.
template <class F>
void scan_columns_host(const void* params) {
    using A = typename F::A;
    constexpr int STRIP = 256;
    const ScanParams& p = *static_cast<const ScanParams*>(params);
    const bool direct = p.in_access != SCAN_CONVERT && p.out_access != SCAN_CONVERT && !p.skip_nan;
    const bool packed = direct && p.in_item == (int64_t)sizeof(A) && p.out_item == (int64_t)sizeof(A);
    const int64_t strips = (p.columns + STRIP - 1) / STRIP;
    parallel_for(p.rows * strips, grain_of(p.length * (p.columns < STRIP ? p.columns : STRIP)),
                 [&](int64_t begin, int64_t end) {
                     const int32_t op = p.op;
                     A sums[STRIP];
                     for (int64_t unit = begin; unit < end; unit++) {
                         const int64_t batch = unit / strips, start = unit % strips * STRIP;
                         const int count = (int)(p.columns - start < STRIP ? p.columns - start : STRIP);
                         const char* from = p.input + scan_offset(p, p.in_strides, batch) + start * p.in_item;
                         char* to = p.output + scan_offset(p, p.out_strides, batch) + start * p.out_item;
                         for (int64_t i = 0; i < p.length; i++, from += p.in_stride, to += p.out_stride) {
                             if (packed) {
                                 const A* x = reinterpret_cast<const A*>(from);
                                 if (i == 0)
                                     for (int c = 0; c < count; c++) sums[c] = x[c];
                                 else
                                     for (int c = 0; c < count; c++) sums[c] = F::apply(sums[c], x[c], op);
                                 __builtin_memcpy((void*)to, (const void*)sums, count * sizeof(A));
                                 continue;
                             }
                             for (int c = 0; c < count; c++) {
                                 const char* q = from + c * p.in_item;
                                 A x = direct ? *reinterpret_cast<const A*>(q) : load_as<A>(q, p.in_dtype);
                                 if (p.skip_nan) x = keep_or_skip(x, F::skipped());
                                 sums[c] = i == 0 ? x : F::apply(sums[c], x, op);
                             }
                             for (int c = 0; c < count; c++) {
                                 if (direct)
                                     *reinterpret_cast<A*>(to + c * p.out_item) = sums[c];
                                 else
                                     store_as<A>(to + c * p.out_item, p.out_dtype, sums[c]);
                             }
                         }
                     }
                 });
}

}  // namespace gpunp

#define GPUNP_SCAN(symbol, F)                                         \
    static void scan_rows_##symbol##_host(const void* params) {       \
        ::gpunp::scan_rows_host<F>(params);                           \
    }                                                                 \
    GPUNP_HOST_KERNEL(scan_rows_##symbol, scan_rows_##symbol##_host); \
    static void scan_columns_##symbol##_host(const void* params) {    \
        ::gpunp::scan_columns_host<F>(params);                        \
    }                                                                 \
    GPUNP_HOST_KERNEL(scan_columns_##symbol, scan_columns_##symbol##_host);
