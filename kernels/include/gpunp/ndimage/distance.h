// Exact distances to the nearest background, axis by axis.
//
// Along the first axis, the background of 64 pixels is a word, and bits before and after a pixel are counted.
// Along a further axis, the least cost of each pixel is searched nearby; as the place of the least cost never
// moves back from one pixel to the next, farther ones are bounded by those of their neighbors in a bisection.
#pragma once
#include "gpunp/kernel.h"
#include "gpunp/ndimage/distance_params.h"

namespace gpunp {
namespace distance {

template <class C>
struct costs;
template <>
struct costs<int32_t> {
    static GPUNP_HD int32_t none() { return DISTANCE_NONE; }
    static GPUNP_HD int32_t worst() { return 0x7fffffff; }
};
template <>
struct costs<double> {
    static GPUNP_HD double none() { return HUGE_VAL; }
    static GPUNP_HD double worst() { return HUGE_VAL; }
};

// The cost of a distance along one axis.
template <class C>
GPUNP_HD C cost_of(int64_t distance, double scale, int metric) {
    if constexpr (sizeof(C) == 4) {
        return (C)(metric == METRIC_SQUARES ? distance * distance : distance);
    } else {
        const double scaled = (double)distance * scale;
        return scaled * scaled;
    }
}
template <class C, int METRIC>
GPUNP_HD C combined(C cost, C step) {
    if constexpr (METRIC == METRIC_GREATEST)
        return cost > step ? cost : step;
    else
        return cost + step;
}
template <class C>
GPUNP_HD bool is_better(C cost, int64_t place, C best, int64_t best_place) {
    return cost < best || (cost == best && place < best_place);
}

GPUNP_HD double distance_without_background(const DistanceRowsParams& p, int64_t line, int64_t x) {
    if (p.none != 0) return p.none;
    double scaled[DISTANCE_AXES], sum = 0;
    for (int k = p.ndim - 1; k >= 0; k--) {
        const int64_t at = k == p.ndim - 1 ? x : line % p.shape[k];
        if (k < p.ndim - 1) line /= p.shape[k];
        scaled[k] = (double)(k == 0 ? at + 1 : at) * p.scales[k];
    }
    for (int k = 0; k < p.ndim; k++) sum += scaled[k] * scaled[k];
    return sqrt(sum);
}

template <class C, int METRIC>
GPUNP_HD void write_least(const DistanceRowsParams& p, const C* cost, int64_t line, int64_t x, int64_t j) {
    const C least = combined<C, METRIC>(cost[j], cost_of<C>(x < j ? j - x : x - j, p.scale, METRIC));
    const bool none = cost[j] >= costs<C>::none();
    const int64_t at = line * p.length + x;
    if (p.nearest) p.nearest[at] = (int32_t)j;
    if (p.distance) p.distance[at] = none ? distance_without_background(p, line, x) : sqrt((double)least);
    if (p.out) static_cast<C*>(p.out)[at] = none ? (p.last ? (C)-1 : costs<C>::none()) : least;
}

template <class C>
GPUNP_HD void write_column(const DistanceColumnsParams& p, int64_t row, int64_t at, int64_t before,
                           int64_t after) {
    // Of equally near ones, the first.
    int64_t place = before;
    if (after >= 0 && (before < 0 || after - row < row - before)) place = after;
    const int64_t distance = place < row ? row - place : place - row;
    if (p.nearest) p.nearest[at] = (int32_t)place;
    if (p.cost)
        static_cast<C*>(p.cost)[at] = place < 0 ? costs<C>::none() : cost_of<C>(distance, p.scale, p.metric);
}

}  // namespace distance
}  // namespace gpunp

#if GPUNP_ON_DEVICE
#include "gpunp/ndimage/distance_device.h"
#else
#include "gpunp/ndimage/distance_host.h"
#endif
