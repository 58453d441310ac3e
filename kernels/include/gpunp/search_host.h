// The searches on the host; included by search.h.
#pragma once
#include "gpunp/search.h"

namespace gpunp {
namespace searching {

template <class K>
void search(const void* params) {
    const SearchParams& p = *static_cast<const SearchParams*>(params);
    const Sorted<K> sorted(p);
    if (p.mode == SEARCH_BINS)
        for (int64_t i = 0; i + 1 < p.n; i++) sorted.check(i);
    for (int64_t i = 0; i < p.count; i++) {
        const K x = load_key<K>(p.v + i * p.v_item, p.v_dtype);
        sorted.write(i, sorted.finish(0, x), x);
    }
}

template <int PARTS>
void interpolate_all(const void* params) {
    const InterpParams& p = *static_cast<const InterpParams*>(params);
    const Points<PARTS> points{p, nullptr};
    for (int64_t i = 0; i < p.count; i++) {
        const double x = load_as<double>(p.x + i * p.x_item, p.x_dtype);
        int64_t low = 0;
        for (int64_t half = ((int64_t)1 << p.step_levels) >> 1; half > 0; half >>= 1) {
            const int64_t next = low + half - 1;
            low += next < p.n && p.xp[next] <= x ? half : 0;
        }
        points.write(i, low, x);
    }
}

#define GPUNP_SEARCH(symbol, K) GPUNP_HOST_KERNEL(symbol, ::gpunp::searching::search<K>);
#define GPUNP_INTERP(symbol, PARTS) GPUNP_HOST_KERNEL(symbol, ::gpunp::searching::interpolate_all<PARTS>);

}  // namespace searching
}  // namespace gpunp
