// Copies whose source index is a function of the result's index by axis: pad, roll, tile, repeat, resize.
//
// One pass for any number of axes: out[i, j, ...] = source[map0(i), map1(j), ...].
#pragma once
#include "gpunp/common/vector.h"
#include "gpunp/kernel.h"

#if !GPUNP_ON_DEVICE
#include <string.h>
#endif

namespace gpunp {

constexpr int MAX_MAPPED_AXES = 8;
// Threads per block, and 16-byte vectors per thread in flight.
constexpr int MAP_BLOCK = 128;
constexpr int MAP_UNROLL = 4;

enum MapRule : int {
    STRAIGHT,      // i
    CYCLE,         // (i + offset) mod length
    NEAREST,       // i - offset, clamped
    MIRROR,        // back and forth, without repeating the ends: (i + offset) mod (2 * length - 2)
    MIRROR_EDGES,  // back and forth, with the ends repeated: (i + offset) mod (2 * length)
    DIVIDE,        // i / offset
    OUTSIDE        // i - offset; a constant of the axis if that is outside
};

struct AxisMap {
    int64_t extent;  // of the result
    int64_t length;  // of the source
    int64_t stride;  // of the source, bytes
    int64_t offset;  // not negative
    int32_t rule;
    int32_t constant;  // index of the constant before the source; the next one is that after it
};

struct MapParams {
    const char* source;
    char* out;  // C-contiguous
    int64_t size;
    int32_t ndim;
    int32_t unused;
    // The range [begin, end) of the last axis that is a plain copy; `at` is the source index of `begin`.
    int64_t begin, end, at;
    AxisMap axes[MAX_MAPPED_AXES];
    alignas(16) unsigned char constants[2 * MAX_MAPPED_AXES][16];
};

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

// Sets begin, end and at to the longest plain copy among the first runs of the last axis.
inline void find_stretch(MapParams& p) {
    constexpr int FEW_RUNS = 4;
    const AxisMap& last = p.axes[p.ndim - 1];
    p.begin = p.end = p.at = 0;
    int64_t i = 0;
    for (int k = 0; k < FEW_RUNS && i < last.extent; k++) {
        const MapRun run = map_run(last, i);
        if (run.slope == 1 && run.constant < 0 && run.left > p.end - p.begin)
            p.begin = i, p.end = i + run.left, p.at = run.at;
        i += run.left;
    }
}

template <class T>
void map_axes(const void* params) {
    const MapParams& p = *static_cast<const MapParams*>(params);
    const AxisMap& last = p.axes[p.ndim - 1];
    T* out = reinterpret_cast<T*>(p.out);
    for (int64_t row = 0; row * last.extent < p.size; row++) {
        const MapRow line = map_row(p, row);
        for (int64_t column = 0; column < last.extent;) {
            const MapRun run = map_run(last, column);
            const int constant = run.constant >= 0 ? run.constant : line.constant;
            const char* from = constant >= 0 ? reinterpret_cast<const char*>(p.constants[constant])
                                             : line.source + run.at * last.stride;
            const int64_t step = constant >= 0 ? 0 : run.slope * last.stride;
            if (step == (int64_t)sizeof(T))
                memcpy(out, from, (size_t)run.left * sizeof(T));
            else
                for (int64_t i = 0; i < run.left; i++) out[i] = *reinterpret_cast<const T*>(from + i * step);
            out += run.left;
            column += run.left;
        }
    }
}
#define GPUNP_MAP_AXES(symbol, T) GPUNP_HOST_KERNEL(symbol, ::gpunp::map_axes<T>);

#endif

}  // namespace gpunp
