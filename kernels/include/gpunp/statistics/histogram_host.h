// Histogram kernels on the host: one pass in the order of the elements.
#pragma once

namespace gpunp {
namespace histogram {

template <class T>
void extent(const ExtentParams& p) {
    using C = compute_t<T>;
    const T* x = static_cast<const T*>(p.values);
    C low = load_value(x[0]), high = low;
    bool nan = false;
    for (int64_t i = 0; i < p.size; i++) {
        const C v = load_value(x[i]);
        nan |= v != v;
        low = v < low ? v : low;
        high = v > high ? v : high;
    }
    if constexpr (!math::is_integer<C>) {
        if (nan) low = high = (C)NAN;
    }
    static_cast<T*>(p.out)[0] = store_value(tag<T>(), low);
    static_cast<T*>(p.out)[1] = store_value(tag<T>(), high);
}

template <class T>
void count_values(const CountParams& p) {
    const T* x = reinterpret_cast<const T*>(p.values);
    for (int64_t i = 0; i < p.size; i++)
        if ((uint64_t)(int64_t)x[i] < (uint64_t)p.bins) p.counts[x[i]]++;
}

template <class T, class E>
void count_uniform(const CountParams& p) {
    const UniformSource<E> source(p);
    const T* x = reinterpret_cast<const T*>(p.values);
    for (int64_t i = 0; i < p.size; i++) {
        const int64_t bin = source.bin(convert<compute_t<E>>(load_value(x[i])));
        if (bin >= 0) p.counts[bin]++;
    }
}

template <class C>
void count_edges(const CountParams& p) {
    const EdgeSource<C> source(p);
    for (int64_t i = 0; i < p.size; i++) {
        const int64_t bin = source.bin(load_as<C>(p.values + i * p.stride, p.dtype));
        if (bin >= 0) p.counts[bin]++;
    }
}

template <class C, class Source>
void locate(const CountParams& p) {
    const Source source(p);
    for (int64_t i = 0; i < p.size; i++)
        combine_index(p, i, source.bin(load_as<C>(p.values + i * p.stride, p.dtype)));
}

inline void make_edges(const EdgesParams& p) {
    double first, last, denominator;
    outer_edges(p, first, last, denominator);
    const Line line = edge_line(p, first, last);
    describe_bins(p, first, last, denominator);
    const bool finite = first - first == 0 && last - last == 0;
    if (!finite) *p.status |= GPUNP_STATUS_HISTOGRAM_RANGE;
    const int item = p.edge_dtype == F8 ? 8 : p.edge_dtype == F4 ? 4 : 2;
    double before = 0;
    for (int64_t i = 0; i <= p.bins; i++) {
        const double edge = rounded(line.at(i), p.edge_dtype);
        store_as<double>(p.edges + i * item, p.edge_dtype, edge);
        if (p.check && finite && i > 0 && before >= edge) *p.status |= GPUNP_STATUS_HISTOGRAM_BINS;
        before = edge;
    }
}

template <class C>
bool falls(const CheckParams& p) {
    const C* edges = reinterpret_cast<const C*>(p.edges);
    for (int64_t i = 0; i + 1 < p.size; i++)
        if (edges[i] > edges[i + 1]) return true;
    return false;
}

inline void check_edges(const CheckParams& p) {
    if (p.dtype == F8 ? falls<double>(p) : p.dtype == I8 ? falls<i8>(p) : falls<u8>(p))
        *p.status |= GPUNP_STATUS_HISTOGRAM_EDGES;
}

}  // namespace histogram
}  // namespace gpunp

#define GPUNP_HISTOGRAM_KERNEL(symbol, Params, body)                    \
    static void symbol##_host(const void* params) {                     \
        using namespace gpunp;                                          \
        using namespace gpunp::histogram;                               \
        const Params& p = *static_cast<const ::gpunp::Params*>(params); \
        body;                                                           \
    }                                                                   \
    GPUNP_HOST_KERNEL(symbol, symbol##_host);
