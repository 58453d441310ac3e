// Device copies by axis maps: each thread writes 16-byte vectors of the result.
#pragma once

namespace gpunp {

// Maximum rows of the result whose sources a block computes once; with more, every vector finds its own.
constexpr int MAP_ROWS = 512;
// Resident blocks per multiprocessor to which registers are limited: as many as possible without spilling.
// Seven instead of six cut the time of pad and roll of float32 by a tenth.
template <class T>
constexpr int MAP_RESIDENT = sizeof(T) == 1   ? 5
                             : sizeof(T) == 2 ? 6
                                              : 7;

// A vector that spans several runs, at an edge or in short rows. Wide elements are loaded only after all
// their addresses are found, so that the loads overlap.
template <class T>
__device__ __noinline__ Vector<T> map_slowly(const MapParams& p, int64_t row, int64_t column, int count) {
    constexpr int V = Vector<T>::WIDTH;
    const AxisMap& last = p.axes[p.ndim - 1];
    Vector<T> v = {};
    MapRow line = map_row(p, row);
    auto find = [&]() {
        if (column == last.extent) {
            column = 0;
            line = map_row(p, ++row);
        }
        const MapRun run = map_run(last, column++);
        const int constant = run.constant >= 0 ? run.constant : line.constant;
        return constant >= 0 ? reinterpret_cast<const char*>(p.constants[constant])
                             : line.source + run.at * last.stride;
    };
    if constexpr (V <= 4) {
        const char* from[V];
#pragma unroll
        for (int k = 0; k < V; k++) from[k] = k < count ? find() : from[0];
#pragma unroll
        for (int k = 0; k < V; k++) v.at[k] = *reinterpret_cast<const T*>(from[k]);
    } else {
#pragma unroll 1
        for (int k = 0; k < count; k++) {
            const T value = *reinterpret_cast<const T*>(find());
            // Indexed by comparison with constants, so that the vector stays in registers.
#pragma unroll
            for (int i = 0; i < V; i++)
                if (i == k) v.at[i] = value;
        }
    }
    return v;
}

// A vector that spans short runs of one row, whose pattern is known without a division.
template <class T>
__device__ __forceinline__ Vector<T> map_short_runs(const AxisMap& last, const MapRow& line, MapRun run) {
    Vector<T> v;
    const char* from = line.source + run.at * last.stride;
#pragma unroll
    for (int i = 0; i < Vector<T>::WIDTH; i++) {
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

// Loads 16 bytes from any address by one or two aligned vectors; only vectors with requested bytes are read.
__device__ __forceinline__ uint4 load_unaligned(const char* from) {
    const size_t shift = (size_t)from & 15;
    const uint4* at = reinterpret_cast<const uint4*>(from - shift);
    uint4 low = at[0], high = low;
    if (shift) high = at[1];
    // Shift by 8 bytes, by 4 bytes, then by bits.
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

// Reverses the order of elements of 1 or 2 bytes.
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
    Vector<T> v;
    if (run.left < Vector<T>::WIDTH) {
        v = map_short_runs<T>(last, line, run);
    } else {
#pragma unroll
        for (int i = 0; i < Vector<T>::WIDTH; i++) v.at[i] = *reinterpret_cast<const T*>(from + i * step);
    }
    uint4 bits;
    memcpy(&bits, &v, 16);
    return bits;
}
// Not inlined for narrow elements, so that this rare case does not raise the register count.
template <class T>
__device__ __noinline__ uint4 map_narrow_elements(const AxisMap& last, const MapRow& line, const MapRun& run,
                                                  const char* from, int64_t step) {
    return map_elements<T>(last, line, run, from, step);
}

// Loads a whole vector within one row; returns false if that takes the slow path.
template <class T>
__device__ __forceinline__ bool map_quickly(const MapParams& p, const MapRow& line, int64_t column,
                                            uint4& v) {
    constexpr int V = Vector<T>::WIDTH, BYTES = sizeof(T);
    const AxisMap& last = p.axes[p.ndim - 1];
    if (column + V > last.extent) return false;
    MapRun run;
    if (column >= p.begin && column + V <= p.end) {
        run = {p.at + (column - p.begin), V, 1, -1};
    } else {
        run = map_run(last, column);
    }
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
        // Wider elements are faster loaded one by one than joined from two vectors.
        v = load_unaligned(step < 0 ? from + BYTES - 16 : from);
        if (step < 0) v = reversed<T>(v);
        return true;
    } else if (step == BYTES && ((size_t)from & 15) == 0) {
        v = *reinterpret_cast<const uint4*>(from);
        return true;
    } else if (step == -BYTES && ((size_t)(from + BYTES) & 15) == 0) {
        const Vector<T> back = *reinterpret_cast<const Vector<T>*>(from + BYTES - 16);
        Vector<T> turned;
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
    constexpr int V = Vector<T>::WIDTH;
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
    const int first = (int)threadIdx.x * V;
    uint4 v[MAP_UNROLL];
    bool quick[MAP_UNROLL];
#pragma unroll
    for (int u = 0; u < MAP_UNROLL; u++) {
        const int local = first + u * (MAP_BLOCK * V);
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
        const int local = first + u * (MAP_BLOCK * V);
        if (quick[u]) __stcs(reinterpret_cast<uint4*>(out + local), v[u]);
    }
    // In a loop of its own, so that the call does not slow down the quick vectors.
#pragma unroll 1
    for (int u = 0; u < MAP_UNROLL; u++) {
        const int local = first + u * (MAP_BLOCK * V);
        bool done = start + local >= stop;
#pragma unroll
        for (int w = 0; w < MAP_UNROLL; w++) done = done || (w == u && quick[w]);
        if (done) continue;
        const int64_t rest = divide_index(first_column + local, extent);
        const int64_t left = stop - start - local;
        const int count = left < V ? (int)left : V;
        const Vector<T> slow =
            map_slowly<T>(p, first_row + rest, first_column + local - rest * extent, count);
#pragma unroll
        for (int i = 0; i < V; i++)
            if (i < count) out[local + i] = slow.at[i];
    }
}
#define GPUNP_MAP_AXES(symbol, T)                                                              \
    extern "C" __global__ void __launch_bounds__(::gpunp::MAP_BLOCK, ::gpunp::MAP_RESIDENT<T>) \
        symbol(const __grid_constant__::gpunp::MapParams p) {                                  \
        ::gpunp::map_axes<T>(p);                                                               \
    }                                                                                          \
    extern "C" __global__ void __launch_bounds__(::gpunp::MAP_BLOCK)                           \
        symbol##_stretch(const __grid_constant__::gpunp::MapParams p) {                        \
        ::gpunp::map_stretch<T>(p);                                                            \
    }

}  // namespace gpunp

#include "gpunp/manipulation/axis_maps_stretch.h"
