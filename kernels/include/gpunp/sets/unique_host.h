// The kernels behind unique on the host; included by unique.h.
#pragma once
#include "gpunp/sets/unique.h"

namespace gpunp {
namespace sets {

template <class T>
void find_bounds(const void* params) {
    const BitmapParams& p = *static_cast<const BitmapParams*>(params);
    const T* x = static_cast<const T*>(p.x);
    const T flip = (T)p.flip;
    T least = (T) ~(T)0, greatest = 0;
    for (int64_t i = 0; i < p.n; i++) {
        const T key = x[i] ^ flip;
        least = key < least ? key : least;
        greatest = key > greatest ? key : greatest;
    }
    p.bounds[0] = least;
    p.bounds[1] = greatest;
}

template <class T>
void mark(const void* params) {
    const BitmapParams& p = *static_cast<const BitmapParams*>(params);
    const T* x = static_cast<const T*>(p.x);
    for (int64_t i = 0; i < p.n; i++) {
        const uint64_t bit = (T)((x[i] ^ (T)p.flip) - (T)p.low);
        p.bits[bit >> 5] |= 1u << (bit & 31);
    }
}

inline void list_members(const void* params) {
    const BitmapParams& p = *static_cast<const BitmapParams*>(params);
    for (int64_t w = 0; w < (int64_t)((p.range + 31) / 32); w++) write_members(p, w);
}

inline void look_up(const void* params) {
    const BitmapParams& p = *static_cast<const BitmapParams*>(params);
    for (int64_t i = 0; i < p.n; i++) {
        if (p.found) {
            p.found[i] = is_member(p, i);
            continue;
        }
        const int64_t rank = rank_of_bit(p, (load_bits(p.x, i, p.item) ^ p.flip) - p.low);
        if (p.inverse) p.inverse[i] = rank;
        if (p.counts) p.counts[rank]++;
        if (p.first && i < p.first[rank]) p.first[rank] = i;
    }
}

template <class K>
void merge_rows(const void* params) {
    const RowsParams& p = *static_cast<const RowsParams*>(params);
    for (int64_t start = 0; start < p.n; start += 2 * p.run) {
        const int64_t middle = start + p.run < p.n ? start + p.run : p.n;
        const int64_t end = start + 2 * p.run < p.n ? start + 2 * p.run : p.n;
        int64_t first = start, second = middle;
        for (int64_t i = start; i < end; i++) {
            const bool take_second =
                second < end && (first == middle || row_less<K>(p, row_at(p, second), row_at(p, first)));
            p.merged[i] = row_at(p, take_second ? second++ : first++);
        }
    }
}

template <class K>
void mark_starts(const void* params) {
    const RowsParams& p = *static_cast<const RowsParams*>(params);
    for (int64_t i = 0; i < p.n; i++) mark_start<K>(p, i);
}

template <class K>
void pack_rows(const void* params) {
    const RowsParams& p = *static_cast<const RowsParams*>(params);
    for (int64_t i = 0; i < p.n; i++) pack_row<K>(p, i);
}

template <class K>
void bound_columns(const void* params) {
    const RowsParams& p = *static_cast<const RowsParams*>(params);
    for (int64_t i = 0; i < p.n; i++)
        for (int64_t c = 0; c < p.columns; c++) {
            const uint64_t key = load_key<K>(p.data + i * p.stride + c * p.item, p.dtype);
            uint64_t &least = p.bounds[c], &greatest = p.bounds[p.columns + c];
            least = key < least ? key : least;
            greatest = key > greatest ? key : greatest;
        }
}

inline void write_runs(const void* params) {
    const RunsParams& p = *static_cast<const RunsParams*>(params);
    for (int64_t i = 0; i < p.n; i++) write_run(p, i);
}

#define GPUNP_BOUNDS(name, T) GPUNP_HOST_KERNEL(bounds_##name, ::gpunp::sets::find_bounds<T>);
#define GPUNP_MARK(name, T) GPUNP_HOST_KERNEL(mark_##name, ::gpunp::sets::mark<T>);
#define GPUNP_ROWS(name, K)                                        \
    GPUNP_HOST_KERNEL(merge_##name, ::gpunp::sets::merge_rows<K>); \
    GPUNP_HOST_KERNEL(starts_##name, ::gpunp::sets::mark_starts<K>);
#define GPUNP_WORDS(name, K)                                           \
    GPUNP_HOST_KERNEL(bounds_##name, ::gpunp::sets::bound_columns<K>); \
    GPUNP_HOST_KERNEL(pack_##name, ::gpunp::sets::pack_rows<K>);
#define GPUNP_RUNS                                           \
    GPUNP_HOST_KERNEL(members, ::gpunp::sets::list_members); \
    GPUNP_HOST_KERNEL(look_up, ::gpunp::sets::look_up);      \
    GPUNP_HOST_KERNEL(runs, ::gpunp::sets::write_runs);

}  // namespace sets
}  // namespace gpunp
