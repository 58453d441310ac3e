// Planning on the host: the parameters of joins, and which kernel serves a copy by axis maps.
#pragma once
#include "gpunp/manipulation/axis_maps_runs.h"
#include "gpunp/manipulation/concatenate_params.h"
#include "gpunp/manipulation/copies_params.h"

namespace gpunp {

// Copies the parameters of at most FEW_PIECES pieces to the smaller struct.
inline void shorten(const PiecesParams& p, FewPiecesParams& few) {
    few.out = p.out;
    few.rows = p.rows;
    few.pitch = p.pitch;
    few.group_rows = p.group_rows;
    few.count = p.count;
    few.group_tiles = p.group_tiles;
    for (int k = 0; k < p.count; k++) {
        few.source[k] = p.source[k];
        few.source_pitch[k] = p.source_pitch[k];
    }
    for (int k = 0; k <= p.count; k++) {
        few.offset[k] = p.offset[k];
        few.tile[k] = p.tile[k];
    }
}

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

// Finds multiplier and shift for the division of numbers below 2^31.
inline void set_magic(int64_t divisor, uint32_t& magic, uint32_t& shift) {
    shift = 0;
    while ((int64_t)1 << shift < divisor) shift++;
    magic = (uint32_t)(((int64_t)1 << 32) * (((int64_t)1 << shift) - divisor) / divisor + 1);
}

// Whether a map's source is C-contiguous.
inline bool is_dense(const MapParams& p, int size) {
    int64_t step = size;
    for (int d = p.ndim - 1; d >= 0; d--) {
        if (p.axes[d].length == 1) continue;
        if (p.axes[d].stride != step) return false;
        step *= p.axes[d].length;
    }
    return true;
}

// Plans a map that consists of whole copies of the source or of its axes, with elements of `size` bytes.
// Returns the number of blocks, or 0 if the map is not of this kind or other kernels are as fast.
inline int64_t plan_copies(const MapParams& p, int size, CopiesParams& c) {
    // Minimum contiguous bytes of a copy and minimum bytes of the source for which this is worthwhile.
    constexpr int64_t WIDE = 256, LONG = 1 << 16, MOST = 0x7fffffff;
    if (size < 4 || !is_dense(p, size)) return 0;
    int64_t inner = 1, beside = 0, copies = 1;
    c.size = 1;
    for (int d = p.ndim - 1; d >= 0; d--) {
        const AxisMap& m = p.axes[d];
        CopiesAxis& axis = c.axes[d];
        int64_t times = 1;
        axis.extent = m.length;
        axis.stride = axis.apart = inner;
        if (m.rule == CYCLE && m.offset == 0 && (m.extent % m.length == 0 || p.ndim == 1)) {
            times = (m.extent + m.length - 1) / m.length;
            axis.apart = m.length * inner;
        } else if (m.rule == DIVIDE) {
            times = m.offset;
            axis.stride = times * inner;
        } else if (m.rule == STRAIGHT && m.length == 1) {
            times = m.extent;
        } else if (m.rule != STRAIGHT) {
            return 0;
        }
        if (beside == 0 && times > 1) beside = axis.apart;
        c.size *= m.length;
        if (times > MOST || copies * times > MOST || c.size > MOST) return 0;
        copies *= times;
        axis.times = (uint32_t)times;
        set_magic(m.length, axis.magic, axis.shift);
        inner *= m.extent;
    }
    if (copies < 2 || beside * size < WIDE || c.size * size < LONG) return 0;
    c.source = p.source, c.out = p.out, c.limit = p.size, c.copies = (uint32_t)copies, c.ndim = p.ndim;
    const int64_t blocks =
        (c.size + COPIES_BLOCK * COPIES_UNROLL - 1) / (COPIES_BLOCK * COPIES_UNROLL) * copies;
    return blocks > MOST ? 0 : blocks;
}

// The same for a map that repeats single elements.
inline int64_t plan_repeats(const MapParams& p, int size, RepeatEvenlyParams& r) {
    const AxisMap& last = p.axes[p.ndim - 1];
    const int64_t times = last.rule == DIVIDE ? last.offset : last.length == 1 ? last.extent : 0;
    if (times == 0 || p.size > 0x7fffffff || !is_dense(p, size)) return 0;
    if (last.rule != DIVIDE && last.rule != STRAIGHT) return 0;
    for (int d = 0; d < p.ndim - 1; d++)
        if (p.axes[d].rule != STRAIGHT || p.axes[d].length != p.axes[d].extent) return 0;
    r.source = p.source, r.out = p.out, r.size = p.size, r.times = (uint32_t)times;
    set_magic(r.times, r.magic, r.shift);
    const int64_t each = COPIES_BLOCK * COPIES_UNROLL * (16 / size);
    return (r.size + each - 1) / each;
}

}  // namespace gpunp
