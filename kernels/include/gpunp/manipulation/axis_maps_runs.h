// Axis maps as runs in which the source index changes by a constant slope, for kernels and for planning.
#pragma once
#include "gpunp/manipulation/axis_maps_params.h"

namespace gpunp {

// 32-bit division is several times faster than 64-bit division; the test costs next to nothing.
GPUNP_HD_CALLED int64_t divide_long(int64_t a, int64_t b) {
    return a / b;
}
GPUNP_HD int64_t divide_index(int64_t a, int64_t b) {
    return ((a | b) >> 32) == 0 ? (int64_t)((uint32_t)a / (uint32_t)b) : divide_long(a, b);
}
GPUNP_HD int64_t remainder_index(int64_t a, int64_t b) {
    return a < b ? a : a - divide_index(a, b) * b;
}

// A run along an axis in which the source index changes by a constant slope.
struct MapRun {
    int64_t at;        // source index of its first element
    int64_t left;      // number of elements left in the run
    int32_t slope;     // -1, 0 or 1
    int32_t constant;  // index of a constant, or -1 if the source is read
};

GPUNP_HD MapRun map_run(const AxisMap& m, int64_t i) {
    MapRun run = {i, m.extent - i, 1, -1};
    int64_t end = run.left;
    switch (m.rule) {
        case STRAIGHT:
            break;
        case CYCLE:
            run.at = i + m.offset;
            if (run.at >= m.length)
                run.at = run.at < 2 * m.length ? run.at - m.length : remainder_index(run.at, m.length);
            end = m.length - run.at;
            break;
        case NEAREST:
        case OUTSIDE:
            run.at = i - m.offset;
            if (run.at < 0) {
                end = -run.at;
                run.at = 0;
                run.slope = 0;
                if (m.rule == OUTSIDE) run.constant = m.constant;
            } else if (run.at < m.length) {
                end = m.length - run.at;
            } else {
                run.at = m.length - 1;
                run.slope = 0;
                if (m.rule == OUTSIDE) run.constant = m.constant + 1;
            }
            break;
        case DIVIDE:
            run.at = divide_index(i, m.offset);
            run.slope = 0;
            end = (run.at + 1) * m.offset - i;
            break;
        default: {  // MIRROR, MIRROR_EDGES
            const int twice = m.rule == MIRROR_EDGES;
            const int64_t period = 2 * (m.length - 1 + twice);
            // Most paddings are shorter than the source and need no division.
            int64_t t = i + m.offset;
            if (t >= period) t = t < 2 * period ? t - period : remainder_index(t, period);
            if (t < m.length) {
                run.at = t;
                end = m.length - t;
            } else {
                run.at = period - twice - t;
                run.slope = -1;
                end = period - t;
            }
        }
    }
    if (end < run.left) run.left = end;
    return run;
}

}  // namespace gpunp
