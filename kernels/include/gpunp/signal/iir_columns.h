// Recursive filters with one thread per lane, or per span of a lane: for adjacent lanes, and for any order.
#pragma once
#include "gpunp/common/host_pool.h"
#include "gpunp/signal/iir_systems.h"

namespace gpunp {
namespace iir {

template <class V>
GPUNP_HD V load_value_of(const char* x, int64_t i, int64_t single);
template <>
GPUNP_HD double load_value_of<double>(const char* x, int64_t i, int64_t single) {
    return load_sample(x, i, single);
}
template <>
GPUNP_HD c16 load_value_of<c16>(const char* x, int64_t i, int64_t single) {
    return {load_sample(x, 2 * i, single), load_sample(x, 2 * i + 1, single)};
}
GPUNP_HD void store_value_of(char* y, int64_t i, int64_t single, double value) {
    store_sample(y, i, single, value);
}
GPUNP_HD void store_value_of(char* y, int64_t i, int64_t single, c16 value) {
    store_sample(y, 2 * i, single, value.re);
    store_sample(y, 2 * i + 1, single, value.im);
}
GPUNP_HD double minus(double x) {
    return -x;
}
GPUNP_HD c16 minus(c16 x) {
    return {-x.re, -x.im};
}

// Span `span` of row `row`; the states are in global memory, a row of all lanes after another.
template <class V>
GPUNP_HD void filter_general(const IirGeneralParams& p, int64_t row, int64_t span) {
    const V *b = (const V*)p.forward, *a = (const V*)p.back;
    const int64_t lanes = p.rows * p.spans, first = span * p.span;
    const int64_t count = p.length - first < p.span ? p.length - first : p.span;
    V* z = (V*)p.states + row * p.spans + span;
    const int64_t from = x_offset(p, row) + first * p.x_item, to = y_offset(p, row) + first * p.y_item;
    for (int64_t t = 0; t < count; t++) {
        const V x = load_value_of<V>(p.x, from + t * p.x_item, p.single);
        const V y = fused(b[0], x, p.order ? z[0] : V{});
        const V back = minus(y);
        for (int64_t i = 0; i < p.order; i++) {
            const V next = i + 1 < p.order ? z[(i + 1) * lanes] : V{};
            z[i * lanes] = fused(a[i + 1], back, fused(b[i + 1], x, next));
        }
        if (p.y) store_value_of(p.y, to + t * p.y_item, p.single, y);
    }
}

#if GPUNP_ON_DEVICE

// Adjacent threads have adjacent rows of the same span.
template <class P>
__device__ __forceinline__ bool find_lane(const P& p, int64_t& row, int64_t& span) {
    const int64_t i = (int64_t)blockIdx.x * IIR_COLUMN_BLOCK + threadIdx.x;
    row = i % p.rows;
    span = i / p.rows;
    return span < p.spans;
}

#define GPUNP_IIR_COLUMNS(name, ...)                                            \
    extern "C" __global__ void __launch_bounds__(::gpunp::IIR_COLUMN_BLOCK)     \
        iir_columns_##name(const __grid_constant__::gpunp::IirParams p) {       \
        int64_t row, span;                                                      \
        if (::gpunp::iir::find_lane(p, row, span))                              \
            ::gpunp::iir::filter_span<::gpunp::iir::__VA_ARGS__>(p, row, span); \
    }
#define GPUNP_IIR_GENERAL(name, V)                                                                \
    extern "C" __global__ void __launch_bounds__(::gpunp::IIR_COLUMN_BLOCK)                       \
        iir_general_##name(const __grid_constant__::gpunp::IirGeneralParams p) {                  \
        int64_t row, span;                                                                        \
        if (::gpunp::iir::find_lane(p, row, span)) ::gpunp::iir::filter_general<V>(p, row, span); \
    }

#else

template <class V>
void filter_general_rows(const void* params) {
    const IirGeneralParams& p = *static_cast<const IirGeneralParams*>(params);
    const int64_t cost = 4 * (p.order + 1) * (p.span < p.length ? p.span : p.length);
    parallel_for(p.rows * p.spans, grain_of(cost), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; i++) filter_general<V>(p, i / p.spans, i % p.spans);
    });
}

// The host's kernel for rows does the same.
#define GPUNP_IIR_COLUMNS(name, ...) \
    GPUNP_HOST_KERNEL(iir_columns_##name, ::gpunp::iir::filter_rows<::gpunp::iir::__VA_ARGS__>);
#define GPUNP_IIR_GENERAL(name, V) \
    GPUNP_HOST_KERNEL(iir_general_##name, ::gpunp::iir::filter_general_rows<V>);

#endif

}  // namespace iir
}  // namespace gpunp
