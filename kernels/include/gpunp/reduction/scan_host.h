// Host loops of the scans: sequential, in NumPy's order.
#pragma once

namespace gpunp {

template <class F>
void scan_rows_host(const void* params) {
    using A = typename F::A;
    const ScanParams& p = *static_cast<const ScanParams*>(params);
    const bool direct = p.in_access != SCAN_CONVERT && p.out_access != SCAN_CONVERT && !p.skip_nan;
    for (int64_t row = 0; row < p.rows; row++) {
        const char* from = p.input + scan_offset(p, p.in_strides, row);
        char* to = p.output + scan_offset(p, p.out_strides, row);
        A sum{};
        for (int64_t i = 0; i < p.length; i++, from += p.in_stride, to += p.out_stride) {
            A x = direct ? *reinterpret_cast<const A*>(from) : load_as<A>(from, p.in_dtype);
            if (p.skip_nan) x = keep_or_skip(x, F::skipped());
            sum = i == 0 ? x : F::apply(sum, x, p.op);
            if (direct)
                *reinterpret_cast<A*>(to) = sum;
            else
                store_as<A>(to, p.out_dtype, sum);
        }
    }
}

// Scans a strip of columns at a time, so that memory is read along its rows.
template <class F>
void scan_columns_host(const void* params) {
    using A = typename F::A;
    constexpr int STRIP = 256;
    const ScanParams& p = *static_cast<const ScanParams*>(params);
    const bool direct = p.in_access != SCAN_CONVERT && p.out_access != SCAN_CONVERT && !p.skip_nan;
    A sums[STRIP];
    for (int64_t batch = 0; batch < p.rows; batch++) {
        for (int64_t start = 0; start < p.columns; start += STRIP) {
            const int count = (int)(p.columns - start < STRIP ? p.columns - start : STRIP);
            const char* from = p.input + scan_offset(p, p.in_strides, batch) + start * p.in_item;
            char* to = p.output + scan_offset(p, p.out_strides, batch) + start * p.out_item;
            for (int64_t i = 0; i < p.length; i++, from += p.in_stride, to += p.out_stride) {
                for (int c = 0; c < count; c++) {
                    const char* q = from + c * p.in_item;
                    A x = direct ? *reinterpret_cast<const A*>(q) : load_as<A>(q, p.in_dtype);
                    if (p.skip_nan) x = keep_or_skip(x, F::skipped());
                    sums[c] = i == 0 ? x : F::apply(sums[c], x, p.op);
                }
                for (int c = 0; c < count; c++) {
                    if (direct)
                        *reinterpret_cast<A*>(to + c * p.out_item) = sums[c];
                    else
                        store_as<A>(to + c * p.out_item, p.out_dtype, sums[c]);
                }
            }
        }
    }
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
