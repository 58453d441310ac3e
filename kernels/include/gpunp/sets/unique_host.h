// The kernels behind unique on the host; included by unique.h.
#pragma once
#include "gpunp/common/host_pool.h"
#include "gpunp/sets/unique.h"

namespace gpunp {
namespace sets {

template <class T>
void find_bounds(const void* params) {
    const BitmapParams& p = *static_cast<const BitmapParams*>(params);
    const T* x = static_cast<const T*>(p.x);
    const T flip = (T)p.flip;
    uint64_t all_least = (T) ~(T)0, all_greatest = 0;
    parallel_for(p.n, POOL_GRAIN, [&](int64_t begin, int64_t end) {
        T least = (T) ~(T)0, greatest = 0;
        for (int64_t i = begin; i < end; i++) {
            const T key = x[i] ^ flip;
            least = key < least ? key : least;
            greatest = key > greatest ? key : greatest;
        }
        uint64_t before = __atomic_load_n(&all_least, __ATOMIC_RELAXED);
        while (least < before && !__atomic_compare_exchange_n(&all_least, &before, (uint64_t)least, true,
                                                              __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        }
        before = __atomic_load_n(&all_greatest, __ATOMIC_RELAXED);
        while (greatest > before && !__atomic_compare_exchange_n(&all_greatest, &before, (uint64_t)greatest,
                                                                 true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        }
    });
    p.bounds[0] = all_least;
    p.bounds[1] = all_greatest;
}

template <class T>
void mark(const void* params) {
    const BitmapParams& p = *static_cast<const BitmapParams*>(params);
    const T* x = static_cast<const T*>(p.x);
    parallel_for(p.n, POOL_GRAIN, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; i++) {
            const uint64_t bit = (T)((x[i] ^ (T)p.flip) - (T)p.low);
            const uint32_t mask = 1u << (bit & 31);
            // Most are set already.
            if (!(__atomic_load_n(&p.bits[bit >> 5], __ATOMIC_RELAXED) & mask))
                __atomic_fetch_or(&p.bits[bit >> 5], mask, __ATOMIC_RELAXED);
        }
    });
}

inline void list_members(const void* params) {
    const BitmapParams& p = *static_cast<const BitmapParams*>(params);
    parallel_each(p, (int64_t)((p.range + 31) / 32), 32,
                  [](const BitmapParams& own, int64_t w) { write_members(own, w); });
}

inline void look_up(const void* params) {
    const BitmapParams& p = *static_cast<const BitmapParams*>(params);
    // Counts and first places are of all elements, in their order.
    const bool alone = !p.found && (p.counts || p.first);
    const auto look = [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; i++) {
            if (p.found) {
                p.found[i] = is_member(p, i);
                continue;
            }
            const int64_t rank = rank_of_bit(p, (load_bits(p.x, i, p.item) ^ p.flip) - p.low);
            if (p.inverse) p.inverse[i] = rank;
            if (p.counts) p.counts[rank]++;
            if (p.first && i < p.first[rank]) p.first[rank] = i;
        }
    };
    if (alone)
        look(0, p.n);
    else
        parallel_for(p.n, POOL_GRAIN / 4, look);
}

template <class K>
void merge_rows(const void* params) {
    const RowsParams& p = *static_cast<const RowsParams*>(params);
    parallel_for((p.n + 2 * p.run - 1) / (2 * p.run), grain_of(16 * p.run),
                 [&](int64_t first_pair, int64_t last_pair) {
                     for (int64_t start = first_pair * 2 * p.run;
                          start < last_pair * 2 * p.run && start < p.n; start += 2 * p.run) {
                         const int64_t middle = start + p.run < p.n ? start + p.run : p.n;
                         const int64_t end = start + 2 * p.run < p.n ? start + 2 * p.run : p.n;
                         int64_t first = start, second = middle;
                         for (int64_t i = start; i < end; i++) {
                             const bool take_second =
                                 second < end &&
                                 (first == middle || row_less<K>(p, row_at(p, second), row_at(p, first)));
                             p.merged[i] = row_at(p, take_second ? second++ : first++);
                         }
                     }
                 });
}

template <class K>
void mark_starts(const void* params) {
    const RowsParams& p = *static_cast<const RowsParams*>(params);
    parallel_each(p, p.n, 8, [](const RowsParams& own, int64_t i) { mark_start<K>(own, i); });
}

template <class K>
void pack_rows(const void* params) {
    const RowsParams& p = *static_cast<const RowsParams*>(params);
    parallel_each(p, p.n, 8, [](const RowsParams& own, int64_t i) { pack_row<K>(own, i); });
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
    parallel_each(p, p.n, 8, [](const RunsParams& own, int64_t i) { write_run(own, i); });
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
