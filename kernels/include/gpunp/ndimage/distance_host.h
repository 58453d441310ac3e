// Distance transforms on the host; included by distance.h.
#pragma once
#include "gpunp/ndimage/distance.h"

namespace gpunp {
namespace distance {

// The host finds the background on both sides of a pixel in one kernel.
inline void distance_words(const void*) {}

template <class C>
void distance_columns(const void* params) {
    const DistanceColumnsParams& p = *static_cast<const DistanceColumnsParams*>(params);
    for (int64_t column = 0; column < p.inner; column++) {
        const uint8_t* x = p.image + column;
        int64_t before = -1, after = -1;
        for (int64_t row = 0; row < p.length; row++) {
            if (after < row) {
                after = row;
                while (after < p.length && x[after * p.inner]) after++;
            }
            if (!x[row * p.inner]) before = row;
            write_column<C>(p, row, row * p.inner + column, before, after < p.length ? after : -1);
        }
    }
}

// The places of the pixels in [first, last), which are in [low, high].
template <class C, int METRIC>
void bisect(const DistanceRowsParams& p, const C* cost, int64_t line, int64_t first, int64_t last,
            int64_t low, int64_t high) {
    if (first >= last) return;
    const int64_t x = first + (last - first) / 2;
    C best = costs<C>::worst();
    int64_t place = high + 1;
    for (int64_t j = low; j <= high; j++) {
        const C other = combined<C, METRIC>(cost[j], cost_of<C>(x < j ? j - x : x - j, p.scale, METRIC));
        if (is_better<C>(other, j, best, place)) best = other, place = j;
    }
    write_least<C, METRIC>(p, cost, line, x, place);
    // Only sums of costs bound the places of other pixels.
    const bool bounded = METRIC != METRIC_GREATEST;
    bisect<C, METRIC>(p, cost, line, first, x, low, bounded ? place : high);
    bisect<C, METRIC>(p, cost, line, x + 1, last, bounded ? place : low, high);
}

template <class C, int METRIC>
void distance_rows(const void* params) {
    const DistanceRowsParams& p = *static_cast<const DistanceRowsParams*>(params);
    int64_t lines = 1;
    for (int k = 0; k < p.ndim - 1; k++) lines *= p.shape[k];
    for (int64_t line = 0; line < lines; line++)
        bisect<C, METRIC>(p, static_cast<const C*>(p.cost) + line * p.length, line, 0, p.length, 0,
                          p.length - 1);
}

#define GPUNP_DISTANCE_WORDS GPUNP_HOST_KERNEL(distance_words, ::gpunp::distance::distance_words);
#define GPUNP_DISTANCE_COLUMNS(name, C) \
    GPUNP_HOST_KERNEL(distance_columns_##name, ::gpunp::distance::distance_columns<C>);
#define GPUNP_DISTANCE_ROWS(metric, METRIC, name, C) \
    GPUNP_HOST_KERNEL(distance_##metric##_##name, (::gpunp::distance::distance_rows<C, ::gpunp::METRIC>));

}  // namespace distance
}  // namespace gpunp
