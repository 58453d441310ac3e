// Copies whose source index is a function of the result's index by axis: pad, roll, tile, repeat, resize.
//
// One pass for any number of axes: out[i, j, ...] = source[map0(i), map1(j), ...].
#pragma once
#include "gpunp/common/vector.h"
#include "gpunp/kernel.h"
#include "gpunp/manipulation/axis_maps_runs.h"

#if !GPUNP_ON_DEVICE
#include <string.h>

#include "gpunp/common/host_pool.h"
#endif

namespace gpunp {

// Where a row of the result comes from, by all axes but the last.
struct MapRow {
    const char* source;
    int constant;  // of the innermost of these axes that is outside, or -1
};

GPUNP_HD_CALLED MapRow map_row(const MapParams& p, int64_t row) {
    MapRow found = {p.source, -1};
    for (int d = p.ndim - 2; d >= 0; d--) {
        const AxisMap& m = p.axes[d];
        const int64_t rest = d == 0 ? 0 : divide_index(row, m.extent);
        const MapRun run = map_run(m, row - rest * m.extent);
        found.source += run.at * m.stride;
        if (run.constant >= 0 && found.constant < 0) found.constant = run.constant;
        row = rest;
    }
    return found;
}

#if GPUNP_ON_DEVICE

}  // namespace gpunp

#include "gpunp/manipulation/axis_maps_device.h"

namespace gpunp {

#else

template <class T>
void map_axes(const void* params) {
    const MapParams& p = *static_cast<const MapParams*>(params);
    const AxisMap& last = p.axes[p.ndim - 1];
    if (p.size == 0) return;
    // Long runs of a single row are shared by threads as well.
    parallel_for(p.size / last.extent, grain_of(last.extent), [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; row++) {
            const MapRow line = map_row(p, row);
            T* out = reinterpret_cast<T*>(p.out) + row * last.extent;
            for (int64_t column = 0; column < last.extent;) {
                const MapRun run = map_run(last, column);
                const int constant = run.constant >= 0 ? run.constant : line.constant;
                const char* from = constant >= 0 ? reinterpret_cast<const char*>(p.constants[constant])
                                                 : line.source + run.at * last.stride;
                const int64_t step = constant >= 0 ? 0 : run.slope * last.stride;
                if (step == (int64_t)sizeof(T))
                    gpunp_pool_copy(out, from, (size_t)run.left * sizeof(T));
                else
                    for (int64_t i = 0; i < run.left; i++)
                        out[i] = *reinterpret_cast<const T*>(from + i * step);
                out += run.left;
                column += run.left;
            }
        }
    });
}
#define GPUNP_MAP_AXES(symbol, T) GPUNP_HOST_KERNEL(symbol, ::gpunp::map_axes<T>);

#endif

}  // namespace gpunp
