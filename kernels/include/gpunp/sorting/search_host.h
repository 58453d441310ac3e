// The searches on the host; included by search.h.
#pragma once
#include <stdlib.h>

#include "gpunp/common/host_pool.h"
#include "gpunp/sorting/search.h"

namespace gpunp {
namespace searching {

// Queries that are searched at once, so that their cache misses overlap. In 2 ** 22 doubles, 4, 8, 16 and 32
// of them took 335, 180, 119 and 108 ns each.
constexpr int SEARCH_TOGETHER = 16;

// Searches for TOGETHER queries from i on in keys padded to a power of two with the greatest key. The updates
// of `low` are masked sums, because compilers would turn conditionals into branches that random queries
// mispredict.
template <int TOGETHER, class K, bool RIGHT>
void search_together(const SearchParams& p, const Sorted<K>& sorted, const K* keys, int64_t i) {
    K x[TOGETHER];
    int64_t low[TOGETHER] = {};
    for (int k = 0; k < TOGETHER; k++) x[k] = sorted.query(i + k);
    for (int64_t half = ((int64_t)1 << p.step_levels) >> 1; half > 0; half >>= 1) {
        for (int k = 0; k < TOGETHER; k++) {
            const K element = keys[low[k] + half - 1];
            low[k] += half & -(int64_t)(RIGHT ? !(x[k] < element) : element < x[k]);
        }
    }
    for (int k = 0; k < TOGETHER; k++) sorted.write(i + k, sorted.finish(low[k], x[k]), x[k]);
}

template <class K, bool RIGHT>
void search_keys(const SearchParams& p, const Sorted<K>& sorted, const K* keys, int64_t begin, int64_t end) {
    int64_t i = begin;
    for (; end - i >= SEARCH_TOGETHER; i += SEARCH_TOGETHER)
        search_together<SEARCH_TOGETHER, K, RIGHT>(p, sorted, keys, i);
    for (; i < end; i++) search_together<1, K, RIGHT>(p, sorted, keys, i);
}

// The same in the elements themselves.
template <class K>
void search_elements(const SearchParams& p, const Sorted<K>& sorted, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i++) {
        const K x = sorted.query(i);
        int64_t low = 0;
        for (int64_t half = ((int64_t)1 << p.step_levels) >> 1; half > 0; half >>= 1)
            low += sorted.before(sorted.at_or_end(low + half - 1), x) ? half : 0;
        sorted.write(i, sorted.finish(low, x), x);
    }
}

template <class K>
void search(const void* params) {
    const SearchParams& p = *static_cast<const SearchParams*>(params);
    if (p.mode == SEARCH_BINS)
        parallel_with(p, p.n - 1, POOL_GRAIN, [](const SearchParams& own, int64_t begin, int64_t end) {
            const Sorted<K> sorted(own);
            for (int64_t i = begin; i < end; i++) sorted.check(i);
        });
    const int64_t padded = (int64_t)1 << p.step_levels, cost = 2 * (p.step_levels + 1);
    // Few queries touch only part of the elements: then converting all of them to keys does not pay off.
    K* keys = p.count < padded / 16 ? nullptr : static_cast<K*>(malloc(padded * sizeof(K)));
    if (keys)
        parallel_with(p, padded, POOL_GRAIN, [&](const SearchParams& own, int64_t begin, int64_t end) {
            const Sorted<K> sorted(own);
            for (int64_t i = begin; i < end; i++) keys[i] = sorted.at_or_end(i);
        });
    parallel_with(p, p.count, grain_of(cost), [&](const SearchParams& own, int64_t begin, int64_t end) {
        const Sorted<K> sorted(own);
        if (!keys)
            search_elements(own, sorted, begin, end);
        else if (own.right)
            search_keys<K, true>(own, sorted, keys, begin, end);
        else
            search_keys<K, false>(own, sorted, keys, begin, end);
    });
    free(keys);
}

template <int PARTS>
void interpolate_all(const void* params) {
    const InterpParams& p = *static_cast<const InterpParams*>(params);
    parallel_for(p.count, grain_of(2 * (p.step_levels + 2)), [&](int64_t begin, int64_t end) {
        const Points<PARTS> points{p, nullptr};
        for (int64_t i = begin; i < end; i++) {
            const double x = load_as<double>(p.x + i * p.x_item, p.x_dtype);
            int64_t low = 0;
            for (int64_t half = ((int64_t)1 << p.step_levels) >> 1; half > 0; half >>= 1) {
                const int64_t next = low + half - 1;
                low += next < p.n && p.xp[next] <= x ? half : 0;
            }
            points.write(i, finish_points(p, low, x), x);
        }
    });
}

#define GPUNP_SEARCH(symbol, K) GPUNP_HOST_KERNEL(symbol, ::gpunp::searching::search<K>);
// The host needs no variants by dtype: it converts the elements to keys only once.
#define GPUNP_SEARCH_PLAIN(symbol, K, DTYPE)
#define GPUNP_INTERP(symbol, PARTS) GPUNP_HOST_KERNEL(symbol, ::gpunp::searching::interpolate_all<PARTS>);

}  // namespace searching
}  // namespace gpunp
