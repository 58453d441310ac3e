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

// The keys as a tree: node i has the children 2 * i and 2 * i + 1, so that a node's descendants some levels
// below share a line, which is fetched meanwhile. In 2 ** 22 keys of 8 bytes, this takes half of the time of
// a binary search.
inline int64_t node_of(int64_t place, int levels) {
    const int height = __builtin_ctzll(place + 1);
    return ((place + 1) >> (height + 1)) + ((int64_t)1 << (levels - 1 - height));
}

// Searches for TOGETHER queries from i on in 2 ** levels - 1 keys, padded with the greatest key. The updates
// of `node` are sums, because compilers would turn conditionals into branches that random queries mispredict.
template <int TOGETHER, class K, bool RIGHT>
void search_together(const SearchParams& p, const Sorted<K>& sorted, const K* keys, int64_t i) {
    K x[TOGETHER];
    int64_t node[TOGETHER];
    for (int k = 0; k < TOGETHER; k++) x[k] = sorted.query(i + k);
    for (int k = 0; k < TOGETHER; k++) node[k] = 1;
    for (int level = 0; level < p.step_levels; level++) {
        for (int k = 0; k < TOGETHER; k++) {
            __builtin_prefetch(keys + (int64_t)(64 / sizeof(K)) * node[k]);
            const K element = keys[node[k]];
            node[k] = 2 * node[k] + (int64_t)(RIGHT ? !(x[k] < element) : element < x[k]);
        }
    }
    const int64_t leaves = (int64_t)1 << p.step_levels;
    for (int k = 0; k < TOGETHER; k++) sorted.write(i + k, sorted.finish(node[k] - leaves, x[k]), x[k]);
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
    const size_t nbytes = (padded * sizeof(K) + 63) & ~(size_t)63;
    K* keys = p.count < padded / 16 ? nullptr : static_cast<K*>(aligned_alloc(64, nbytes));
    if (keys)
        parallel_with(p, padded - 1, POOL_GRAIN, [&](const SearchParams& own, int64_t begin, int64_t end) {
            const Sorted<K> sorted(own);
            for (int64_t i = begin; i < end; i++) keys[node_of(i, own.step_levels)] = sorted.at_or_end(i);
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
