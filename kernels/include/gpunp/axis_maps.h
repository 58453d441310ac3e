// Copies whose source index is a function of the result's index, axis by axis: pad, roll, tile, repeat,
// resize.
//
// One pass for any number of axes: out[i, j, ...] = source[map0(i), map1(j), ...].
#pragma once
#include "gpunp/kernel.h"

#if !GPUNP_ON_DEVICE
#include <string.h>
#endif

namespace gpunp {

constexpr int MAX_MAPPED_AXES = 8;

enum MapRule : int {
    STRAIGHT,      // i
    CYCLE,         // (i + offset) mod length
    NEAREST,       // i - offset, clamped
    MIRROR,        // back and forth, the ends once: (i + offset) mod (2 * length - 2)
    MIRROR_EDGES,  // back and forth, the ends twice: (i + offset) mod (2 * length)
    DIVIDE,        // i / offset
    OUTSIDE        // i - offset; a constant of the axis where that is outside
};

struct AxisMap {
    int64_t extent;  // of the result
    int64_t length;  // of the source
    int64_t stride;  // of the source, bytes
    int64_t offset;  // not negative
    int32_t rule;
    int32_t constant;  // index of the constant before; the one after is next
};

struct MapParams {
    const char* source;
    char* out;  // C-contiguous
    int64_t size;
    int32_t ndim;
    int32_t unused;
    AxisMap axes[MAX_MAPPED_AXES];
    alignas(16) unsigned char constants[2 * MAX_MAPPED_AXES][16];
};

// Indices of 32 bits divide several times faster; the test costs next to nothing.
GPUNP_HD_CALLED int64_t divide_long(int64_t a, int64_t b) {
    return a / b;
}
GPUNP_HD int64_t divide_index(int64_t a, int64_t b) {
    return ((a | b) >> 32) == 0 ? (int64_t)((uint32_t)a / (uint32_t)b) : divide_long(a, b);
}
GPUNP_HD int64_t remainder_index(int64_t a, int64_t b) {
    return a < b ? a : a - divide_index(a, b) * b;
}

// A stretch of an axis over which the source index moves evenly.
struct MapRun {
    int64_t at;        // source index of its first element
    int64_t left;      // how many elements it goes on for
    int32_t slope;     // -1, 0 or 1
    int32_t constant;  // or -1 where there is a source element
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
            // Most paddings are shorter than the source: no division.
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

// What the axes before the last one say about a row of the result.
struct MapRow {
    const char* source;
    int constant;  // of the last axis that is outside, or -1
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

// Elements are moved by size.
struct alignas(16) Bytes16 {
    uint64_t low, high;
};

#if GPUNP_ON_DEVICE

constexpr int MAP_BLOCK = 256;
constexpr int MAP_UNROLL = 4;
// Rows of the result whose sources a block looks up together; with more, every vector finds its own.
constexpr int MAP_ROWS = 512;

template <class T>
struct alignas(16) MapVector {
    static constexpr int WIDTH = 16 / sizeof(T);
    T at[WIDTH];
};

// A vector over several stretches: rows that are short, or an edge.
template <class T>
__device__ __noinline__ MapVector<T> map_slowly(const MapParams& p, int64_t row, int64_t column, int count) {
    constexpr int V = MapVector<T>::WIDTH;
    const AxisMap& last = p.axes[p.ndim - 1];
    MapVector<T> v = {};
    MapRow line = map_row(p, row);
    MapRun run = map_run(last, column);
#pragma unroll 1
    for (int k = 0; k < count; k++) {
        if (run.left == 0) {
            if (column == last.extent) {
                column = 0;
                line = map_row(p, ++row);
            }
            run = map_run(last, column);
        }
        const int constant = run.constant >= 0 ? run.constant : line.constant;
        const char* from = constant >= 0 ? reinterpret_cast<const char*>(p.constants[constant])
                                         : line.source + run.at * last.stride;
        const T value = *reinterpret_cast<const T*>(from);
        // Written by comparison, so that the vector stays in registers.
#pragma unroll
        for (int i = 0; i < V; i++)
            if (i == k) v.at[i] = value;
        run.at += run.slope;
        run.left--;
        column++;
    }
    return v;
}

// A vector over the short stretches of one row: their pattern is known without a division.
template <class T>
__device__ __forceinline__ MapVector<T> map_short_runs(const AxisMap& last, const MapRow& line, MapRun run) {
    MapVector<T> v;
    const char* from = line.source + run.at * last.stride;
#pragma unroll
    for (int i = 0; i < MapVector<T>::WIDTH; i++) {
        v.at[i] = *reinterpret_cast<const T*>(from);
        run.left--;
        if (last.rule == CYCLE) {
            from += last.stride;
            if (run.left == 0) {
                from = line.source;
                run.left = last.length;
            }
        } else if (run.left == 0) {
            from += last.stride;
            run.left = last.offset;
        }
    }
    return v;
}

// 16 bytes from anywhere, of two vectors that are read whole; both hold bytes that are wanted.
__device__ __forceinline__ uint4 load_unaligned(const char* from) {
    const size_t shift = (size_t)from & 15;
    const uint4* at = reinterpret_cast<const uint4*>(from - shift);
    uint4 low = at[0], high = low;
    if (shift) high = at[1];
    // By 8 bytes, by 4, then by bits.
    const bool eight = shift & 8, four = shift & 4;
    uint32_t w[6];
    w[0] = eight ? low.z : low.x;
    w[1] = eight ? low.w : low.y;
    w[2] = eight ? high.x : low.z;
    w[3] = eight ? high.y : low.w;
    w[4] = eight ? high.z : high.x;
    w[5] = eight ? high.w : high.y;
#pragma unroll
    for (int i = 0; i < 5; i++) w[i] = four ? w[i + 1] : w[i];
    const uint32_t bits = 8 * (uint32_t)(shift & 3);
    return {__funnelshift_r(w[0], w[1], bits), __funnelshift_r(w[1], w[2], bits),
            __funnelshift_r(w[2], w[3], bits), __funnelshift_r(w[3], w[4], bits)};
}

// Elements of 1 or 2 bytes in the opposite order.
template <class T>
__device__ __forceinline__ uint4 reversed(uint4 v) {
    constexpr uint32_t order = sizeof(T) == 1 ? 0x0123 : 0x1032;
    return {__byte_perm(v.w, 0, order), __byte_perm(v.z, 0, order), __byte_perm(v.y, 0, order),
            __byte_perm(v.x, 0, order)};
}

// A whole vector of one row, element by element.
template <class T>
__device__ __forceinline__ uint4 map_elements(const AxisMap& last, const MapRow& line, const MapRun& run,
                                              const char* from, int64_t step) {
    MapVector<T> v;
    if (run.left < MapVector<T>::WIDTH) {
        v = map_short_runs<T>(last, line, run);
    } else {
#pragma unroll
        for (int i = 0; i < MapVector<T>::WIDTH; i++) v.at[i] = *reinterpret_cast<const T*>(from + i * step);
    }
    uint4 bits;
    memcpy(&bits, &v, 16);
    return bits;
}
// Called for narrow elements, so that they do not take the registers of the usual case.
template <class T>
__device__ __noinline__ uint4 map_narrow_elements(const AxisMap& last, const MapRow& line, const MapRun& run,
                                                  const char* from, int64_t step) {
    return map_elements<T>(last, line, run, from, step);
}

// A whole vector within one row; false where it is not that simple.
template <class T>
__device__ __forceinline__ bool map_quickly(const MapParams& p, const MapRow& line, int64_t column,
                                            uint4& v) {
    constexpr int V = MapVector<T>::WIDTH, BYTES = sizeof(T);
    const AxisMap& last = p.axes[p.ndim - 1];
    if (column + V > last.extent) return false;
    const MapRun run = map_run(last, column);
    const int constant = run.constant >= 0 ? run.constant : line.constant;
    const char* from = line.source + run.at * last.stride;
    int64_t step = run.slope * last.stride;
    if (run.left < V) {
        if (constant >= 0 || (last.rule != CYCLE && last.rule != DIVIDE)) return false;
    } else if (constant >= 0) {
        // Constants are repeated to 16 bytes.
        v = *reinterpret_cast<const uint4*>(p.constants[constant]);
        return true;
    } else if (BYTES < 4 && (step == BYTES || step == -BYTES)) {
        // Wider elements are faster one by one than joined from two vectors.
        v = load_unaligned(step < 0 ? from + BYTES - 16 : from);
        if (step < 0) v = reversed<T>(v);
        return true;
    } else if (step == BYTES && ((size_t)from & 15) == 0) {
        v = *reinterpret_cast<const uint4*>(from);
        return true;
    } else if (step == -BYTES && ((size_t)(from + BYTES) & 15) == 0) {
        const MapVector<T> back = *reinterpret_cast<const MapVector<T>*>(from + BYTES - 16);
        MapVector<T> turned;
#pragma unroll
        for (int i = 0; i < V; i++) turned.at[i] = back.at[V - 1 - i];
        memcpy(&v, &turned, 16);
        return true;
    }
    v = BYTES < 4 ? map_narrow_elements<T>(last, line, run, from, step)
                  : map_elements<T>(last, line, run, from, step);
    return true;
}

template <class T>
__device__ __forceinline__ void map_axes(const MapParams& p) {
    constexpr int V = MapVector<T>::WIDTH;
    constexpr int TILE = MAP_BLOCK * MAP_UNROLL * V;
    __shared__ MapRow rows[MAP_ROWS];
    const int64_t extent = p.axes[p.ndim - 1].extent;
    const int64_t start = (int64_t)blockIdx.x * TILE;
    const int64_t stop = start + TILE < p.size ? start + TILE : p.size;
    int64_t first_row = 0, first_column = start;
    bool known = true;
    if (p.ndim > 1) {
        first_row = divide_index(start, extent);
        first_column = start - first_row * extent;
        const int64_t count = divide_index(first_column + (stop - start) - 1, extent) + 1;
        known = count <= MAP_ROWS;
        if (known)
            for (int i = threadIdx.x; i < (int)count; i += MAP_BLOCK) rows[i] = map_row(p, first_row + i);
    } else if (threadIdx.x == 0) {
        rows[0] = {p.source, -1};
    }
    __syncthreads();
    uint4 v[MAP_UNROLL];
    bool quick[MAP_UNROLL];
#pragma unroll
    for (int u = 0; u < MAP_UNROLL; u++) {
        const int local = (u * MAP_BLOCK + threadIdx.x) * V;
        int64_t column = first_column + local;
        int row = 0;
        if (p.ndim > 1 && column >= extent) {
            row = (int)divide_index(column, extent);
            column -= row * extent;
        }
        quick[u] = known && start + local + V <= stop && map_quickly<T>(p, rows[row], column, v[u]);
    }
    T* out = reinterpret_cast<T*>(p.out) + start;
#pragma unroll
    for (int u = 0; u < MAP_UNROLL; u++) {
        const int local = (u * MAP_BLOCK + threadIdx.x) * V;
        if (quick[u]) *reinterpret_cast<uint4*>(out + local) = v[u];
    }
    // Apart from the quick ones, so that the call costs them nothing.
#pragma unroll 1
    for (int u = 0; u < MAP_UNROLL; u++) {
        const int local = (u * MAP_BLOCK + threadIdx.x) * V;
        bool done = start + local >= stop;
#pragma unroll
        for (int w = 0; w < MAP_UNROLL; w++) done = done || (w == u && quick[w]);
        if (done) continue;
        const int64_t rest = divide_index(first_column + local, extent);
        const int64_t left = stop - start - local;
        const int count = left < V ? (int)left : V;
        const MapVector<T> slow =
            map_slowly<T>(p, first_row + rest, first_column + local - rest * extent, count);
#pragma unroll
        for (int i = 0; i < V; i++)
            if (i < count) out[local + i] = slow.at[i];
    }
}
#define GPUNP_MAP_AXES(symbol, T)                                       \
    extern "C" __global__ void __launch_bounds__(::gpunp::MAP_BLOCK, 3) \
        symbol(const __grid_constant__::gpunp::MapParams p) {           \
        ::gpunp::map_axes<T>(p);                                        \
    }

#else

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
