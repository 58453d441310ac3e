// Device copies by axis maps whose last axis is a plain copy but for a few elements: narrow paddings, rolls.
//
// The general kernel spends as long on looking up the runs of its vectors as on loading them.
#pragma once
#include "gpunp/manipulation/axis_maps.h"

namespace gpunp {

// A block computes so many tiles of MAP_UNROLL vectors per thread, so that it looks up rows for both at once.
constexpr int STRETCH_TILES = 2;

// Loads 16 bytes that begin at an element.
template <class T>
__device__ __forceinline__ uint4 load_stretch(const char* from) {
    if (sizeof(T) == 16 || ((size_t)from & 15) == 0) return __ldg(reinterpret_cast<const uint4*>(from));
    if constexpr (sizeof(T) == 4) {
        const uint32_t* q = reinterpret_cast<const uint32_t*>(from);
        return {__ldg(q), __ldg(q + 1), __ldg(q + 2), __ldg(q + 3)};
    } else if constexpr (sizeof(T) == 8) {
        const uint2 low = __ldg(reinterpret_cast<const uint2*>(from));
        const uint2 high = __ldg(reinterpret_cast<const uint2*>(from) + 1);
        return {low.x, low.y, high.x, high.y};
    } else {
        return load_unaligned(from);
    }
}

template <class T>
__device__ __forceinline__ void map_stretch(const MapParams& p) {
    constexpr int V = Vector<T>::WIDTH, BYTES = sizeof(T);
    constexpr int TILE = MAP_BLOCK * MAP_UNROLL * V, ALL = TILE * STRETCH_TILES;
    __shared__ MapRow rows[MAP_ROWS];
    const int64_t extent = p.axes[p.ndim - 1].extent;
    const int64_t start = (int64_t)blockIdx.x * ALL;
    const int64_t stop = start + ALL < p.size ? start + ALL : p.size;
    const int64_t first_row = divide_index(start, extent);
    const int64_t first_column = start - first_row * extent;
    const int count = (int)divide_index(first_column + (stop - start) - 1, extent) + 1;
    for (int i = threadIdx.x; i < count; i += MAP_BLOCK) rows[i] = map_row(p, first_row + i);
    __syncthreads();
    const int64_t ahead = p.at - p.begin;
    int column = (int)first_column + (int)threadIdx.x * V, row = 0;
    char* out = p.out + (start + (int)threadIdx.x * V) * BYTES;
    int64_t left = stop - start - (int)threadIdx.x * V;
    const int width = (int)extent, begin = (int)p.begin, end = (int)p.end - V;
#pragma unroll 1
    for (int t = 0; t < STRETCH_TILES; t++) {
        uint4 v[MAP_UNROLL];
        unsigned missed = 0;
        const int column0 = column, row0 = row;
#pragma unroll
        for (int u = 0; u < MAP_UNROLL; u++) {
            while (column >= width) column -= width, row++;
            const bool live = left - u * (MAP_BLOCK * V) >= V && row < count;
            const MapRow line = rows[live ? row : 0];
            if (live && line.constant >= 0 && column + V <= width) {
                v[u] = *reinterpret_cast<const uint4*>(p.constants[line.constant]);
            } else if (live && column >= begin && column <= end) {
                v[u] = load_stretch<T>(line.source + (ahead + column) * BYTES);
            } else {
                missed |= 1u << u;
            }
            column += MAP_BLOCK * V;
        }
#pragma unroll
        for (int u = 0; u < MAP_UNROLL; u++)
            if (!(missed >> u & 1)) __stcs(reinterpret_cast<uint4*>(out + u * (MAP_BLOCK * V * BYTES)), v[u]);
        if (missed) {
            // At an edge.
            int c = column0, r = row0;
#pragma unroll 1
            for (int u = 0; u < MAP_UNROLL; u++, c += MAP_BLOCK * V) {
                while (c >= width) c -= width, r++;
                const int64_t rest = left - u * (MAP_BLOCK * V);
                if (!(missed >> u & 1) || rest <= 0) continue;
                const int n = rest < V ? (int)rest : V;
                const Vector<T> slow = map_slowly<T>(p, first_row + r, c, n);
                T* to = reinterpret_cast<T*>(out + u * (MAP_BLOCK * V * BYTES));
#pragma unroll
                for (int i = 0; i < V; i++)
                    if (i < n) to[i] = slow.at[i];
            }
        }
        out += TILE * BYTES;
        left -= TILE;
    }
}

}  // namespace gpunp
