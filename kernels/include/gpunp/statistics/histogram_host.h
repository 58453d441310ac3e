// Histogram kernels on the host: one pass in the order of the elements. Each thread counts in bins of its
// own, if these are few.
#pragma once
#include "gpunp/common/host_pool.h"

namespace gpunp {
namespace histogram {

constexpr int64_t EXTENT_PART = 1 << 15;  // elements
constexpr int64_t MOST_OWN_BINS = 1 << 15;

// Into how many parts elements are divided, each of which has bins of its own.
inline int64_t count_parts(int64_t size, int64_t bins) {
    const int64_t threads = gpunp_pool_threads(), enough = size / (bins + POOL_GRAIN);
    return bins > MOST_OWN_BINS || enough < 2 ? 1 : enough < threads ? enough : threads;
}

// count(i, bins) for every element; a thread's bins are added to those of the call at the end.
template <class Count>
void count_all(const CountParams& p, Count count) {
    const int64_t parts = count_parts(p.size, p.bins);
    if (parts == 1) {
        uint64_t* const counts = p.counts;
        for (int64_t i = 0, size = p.size; i < size; i++) count(i, counts);
        return;
    }
    uint64_t* const own = new uint64_t[parts * p.bins]();
    parallel_for(parts, 1, [&](int64_t begin, int64_t end) {
        for (int64_t k = begin; k < end; k++) {
            const int64_t each = (p.size + parts - 1) / parts,
                          last = (k + 1) * each < p.size ? (k + 1) * each : p.size;
            uint64_t* const counts = own + k * p.bins;
            const Count one = count;
            for (int64_t i = k * each; i < last; i++) one(i, counts);
        }
    });
    for (int64_t k = 0; k < parts; k++)
        for (int64_t b = 0; b < p.bins; b++) p.counts[b] += own[k * p.bins + b];
    delete[] own;
}

template <class T>
void extent(const ExtentParams& p) {
    using C = compute_t<T>;
    const T* x = static_cast<const T*>(p.values);
    struct Part {
        C low, high;
        bool nan;
    };
    const int64_t parts = (p.size + EXTENT_PART - 1) / EXTENT_PART;
    Part* const found = new Part[parts];
    parallel_for(parts, grain_of(EXTENT_PART), [&](int64_t begin, int64_t end) {
        for (int64_t k = begin; k < end; k++) {
            const int64_t first = k * EXTENT_PART,
                          last = p.size - first < EXTENT_PART ? p.size : first + EXTENT_PART;
            // By lanes, which compilers vectorize.
            constexpr int LANES = 16;
            C lows[LANES], highs[LANES];
            int nans[LANES] = {};
            for (int j = 0; j < LANES; j++) lows[j] = highs[j] = load_value(x[first]);
            int64_t i = first;
            for (; i + LANES <= last; i += LANES)
                for (int j = 0; j < LANES; j++) {
                    const C v = load_value(x[i + j]);
                    nans[j] |= v != v;
                    lows[j] = v < lows[j] ? v : lows[j];
                    highs[j] = v > highs[j] ? v : highs[j];
                }
            for (; i < last; i++) {
                const C v = load_value(x[i]);
                nans[0] |= v != v;
                lows[0] = v < lows[0] ? v : lows[0];
                highs[0] = v > highs[0] ? v : highs[0];
            }
            Part part = {lows[0], highs[0], nans[0] != 0};
            for (int j = 1; j < LANES; j++) {
                part.low = lows[j] < part.low ? lows[j] : part.low;
                part.high = highs[j] > part.high ? highs[j] : part.high;
                part.nan |= nans[j] != 0;
            }
            found[k] = part;
        }
    });
    C low = found[0].low, high = found[0].high;
    bool nan = found[0].nan;
    for (int64_t k = 1; k < parts; k++) {
        nan |= found[k].nan;
        low = found[k].low < low ? found[k].low : low;
        high = found[k].high > high ? found[k].high : high;
    }
    delete[] found;
    if constexpr (!math::is_integer<C>) {
        if (nan) low = high = (C)NAN;
    }
    static_cast<T*>(p.out)[0] = store_value(tag<T>(), low);
    static_cast<T*>(p.out)[1] = store_value(tag<T>(), high);
}

template <class T>
void count_values(const CountParams& p) {
    const T* x = reinterpret_cast<const T*>(p.values);
    count_all(p, [x, bins = (uint64_t)p.bins](int64_t i, uint64_t* counts) {
        if ((uint64_t)(int64_t)x[i] < bins) counts[x[i]]++;
    });
}

// Adjacent elements are counted in different tables, since an equal one would wait for the count before. The
// tables are so far apart that their bins differ in the bits of addresses by which processors compare them.
constexpr int COUNT_TABLES = 4, TABLE_GAP = 136;
constexpr int64_t FOUND_PIECE = 2048;  // elements that stay in the L1 cache between two loops

struct FoundPart {
    int64_t least, greatest;
    bool counted;
};

// The extents of elements, which are counted piece by piece as long as they are in [0, bins).
template <class T>
FoundPart find_and_count(const T* x, int64_t size, uint64_t* tables, int64_t bins) {
    FoundPart found = {(int64_t)x[0], (int64_t)x[0], true};
    const int64_t next = bins + TABLE_GAP;
    for (int64_t start = 0; start < size; start += FOUND_PIECE) {
        const int64_t n = size - start < FOUND_PIECE ? size - start : FOUND_PIECE;
        const T* piece = x + start;
        T low = piece[0], high = piece[0];
        for (int64_t i = 0; i < n; i++) {
            low = piece[i] < low ? piece[i] : low;
            high = piece[i] > high ? piece[i] : high;
        }
        found.least = (int64_t)low < found.least ? (int64_t)low : found.least;
        found.greatest = (int64_t)high > found.greatest ? (int64_t)high : found.greatest;
        found.counted = found.counted && found.least >= 0 && found.greatest < bins;
        if (!found.counted) continue;
        int64_t i = 0;
        for (; i + COUNT_TABLES <= n; i += COUNT_TABLES)
            for (int k = 0; k < COUNT_TABLES; k++) tables[k * next + piece[i + k]]++;
        for (; i < n; i++) tables[piece[i]]++;
    }
    return found;
}

// The least and the greatest value, whether all are in [0, bins), and if so, their counts, which are zeroed.
template <class T>
void extent_counts(const BucketParams& p) {
    const T* x = static_cast<const T*>(p.extent.values);
    const int64_t size = p.extent.size, bins = p.bins, table = COUNT_TABLES * (bins + TABLE_GAP);
    const int64_t parts = count_parts(size, bins), each = (size + parts - 1) / parts;
    uint64_t* const own = new uint64_t[parts * table]();
    FoundPart* const found = new FoundPart[parts];
    parallel_for(parts, 1, [&](int64_t begin, int64_t end) {
        for (int64_t k = begin; k < end; k++) {
            const int64_t first = k * each, count = size - first < each ? size - first : each;
            found[k] = find_and_count(x + first, count, own + k * table, bins);
        }
    });
    FoundPart all = found[0];
    for (int64_t k = 1; k < parts; k++) {
        all.least = found[k].least < all.least ? found[k].least : all.least;
        all.greatest = found[k].greatest > all.greatest ? found[k].greatest : all.greatest;
        all.counted = all.counted && found[k].counted;
    }
    if (all.counted)
        for (int64_t k = 0; k < parts; k++)
            for (int j = 0; j < COUNT_TABLES; j++)
                for (int64_t b = 0; b <= all.greatest; b++)
                    p.counts[b] += own[k * table + j * (bins + TABLE_GAP) + b];
    p.found[0] = all.least;
    p.found[1] = all.greatest;
    p.found[2] = all.counted;
    delete[] own;
    delete[] found;
}

template <class T, class E>
void count_uniform(const CountParams& p) {
    const UniformSource<E> source(p);
    const T* x = reinterpret_cast<const T*>(p.values);
    count_all(p, [x, source](int64_t i, uint64_t* counts) {
        const int64_t bin = source.bin(convert<compute_t<E>>(load_value(x[i])));
        if (bin >= 0) counts[bin]++;
    });
}

template <class C>
void count_edges(const CountParams& p) {
    const EdgeSource<C> source(p);
    count_all(p, [&](int64_t i, uint64_t* counts) {
        const int64_t bin = source.bin(load_as<C>(p.values + i * p.stride, p.dtype));
        if (bin >= 0) counts[bin]++;
    });
}

template <class C, class Source>
void locate(const CountParams& p) {
    const Source source(p);
    parallel_for(p.size, grain_of(4), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; i++)
            combine_index(p, i, source.bin(load_as<C>(p.values + i * p.stride, p.dtype)));
    });
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
