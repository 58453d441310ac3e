// All shortest paths by the algorithm of Floyd and Warshall in square tiles: for each tile of the diagonal,
// first this tile, then those of its rows and columns, then the rest.
#pragma once
#include "gpunp/kernel.h"
#include "gpunp/sparse/graph_params.h"

namespace gpunp {
namespace graph {

constexpr int SIDE = FLOYD_SIDE;

// A tile of distances and of the nodes before the last ones; what is outside of the matrix has no paths.
struct FloydTile {
    double distance[SIDE][SIDE];
    int32_t previous[SIDE][SIDE];

    GPUNP_HD void read(const FloydParams& p, int64_t row, int64_t column, int r, int c) {
        const int64_t i = row * SIDE + r, j = column * SIDE + c;
        const bool inside = i < p.n && j < p.n;
        distance[r][c] = inside ? p.distance[i * p.n + j] : INFINITY;
        previous[r][c] = inside && p.previous ? p.previous[i * p.n + j] : 0;
    }
    GPUNP_HD void write(const FloydParams& p, int64_t row, int64_t column, int r, int c) const {
        const int64_t i = row * SIDE + r, j = column * SIDE + c;
        if (i >= p.n || j >= p.n) return;
        p.distance[i * p.n + j] = distance[r][c];
        if (p.previous) p.previous[i * p.n + j] = previous[r][c];
    }
    // The path from r over k to c: its first part is in tile `a`, its second in tile `b`.
    GPUNP_HD void shorten(const FloydTile& a, const FloydTile& b, int r, int k, int c) {
        const double length = a.distance[r][k] + b.distance[k][c];
        if (!(length < distance[r][c])) return;
        distance[r][c] = length;
        previous[r][c] = b.previous[k][c];
    }
};

// The tile of number i of a step, in its second part (rows and columns of the diagonal's tile) or third.
struct FloydPlace {
    int64_t row, column;
    bool valid;
    GPUNP_HD FloydPlace(const FloydParams& p, int64_t i, bool rest) {
        const int64_t tiles = (p.n + SIDE - 1) / SIDE;
        row = rest || i < tiles ? i / tiles : 0;
        column = i - row * tiles;
        if (!rest) {
            row = i < tiles ? p.tile : i - tiles;
            column = i < tiles ? i : p.tile;
            valid = i < tiles ? column != p.tile : row != p.tile;
        } else {
            valid = row != p.tile && column != p.tile;
        }
    }
};

#if GPUNP_ON_DEVICE

constexpr int FLOYD_ROWS = GRAPH_BLOCK / SIDE;  // at a time

__device__ __forceinline__ void floyd_diagonal(const FloydParams& p) {
    __shared__ FloydTile tile;
    const int c = threadIdx.x % SIDE, first = threadIdx.x / SIDE;
    for (int r = first; r < SIDE; r += FLOYD_ROWS) tile.read(p, p.tile, p.tile, r, c);
    __syncthreads();
    for (int k = 0; k < SIDE; k++) {
        // Row k and column k do not change in step k, as the distance from k to k is not negative; if it is,
        // there is a negative cycle, and the distances are of no use.
        for (int r = first; r < SIDE; r += FLOYD_ROWS) tile.shorten(tile, tile, r, k, c);
        __syncthreads();
    }
    for (int r = first; r < SIDE; r += FLOYD_ROWS) tile.write(p, p.tile, p.tile, r, c);
}

__device__ __forceinline__ void floyd_tile(const FloydParams& p, bool rest) {
    __shared__ FloydTile a, b;
    const FloydPlace at(p, blockIdx.x, rest);
    if (!at.valid) return;
    const int c = threadIdx.x % SIDE, first = threadIdx.x / SIDE;
    for (int r = first; r < SIDE; r += FLOYD_ROWS) {
        a.read(p, at.row, p.tile, r, c);
        b.read(p, p.tile, at.column, r, c);
    }
    __syncthreads();
    for (int r = first; r < SIDE; r += FLOYD_ROWS) {
        const int64_t i = at.row * SIDE + r, j = at.column * SIDE + c;
        if (i >= p.n || j >= p.n) continue;
        const double old = p.distance[i * p.n + j];
        double least = old;
        int over = -1;
#pragma unroll 8
        for (int k = 0; k < SIDE; k++) {
            const double length = a.distance[r][k] + b.distance[k][c];
            if (length < least) {
                least = length;
                over = k;
            }
        }
        if (over < 0) continue;
        p.distance[i * p.n + j] = least;
        if (p.previous) p.previous[i * p.n + j] = b.previous[over][c];
    }
}

#define GPUNP_FLOYD()                                                         \
    extern "C" __global__ void __launch_bounds__(::gpunp::GRAPH_BLOCK)        \
        graph_floyd_diagonal(const __grid_constant__::gpunp::FloydParams p) { \
        ::gpunp::graph::floyd_diagonal(p);                                    \
    }                                                                         \
    extern "C" __global__ void __launch_bounds__(::gpunp::GRAPH_BLOCK)        \
        graph_floyd_lines(const __grid_constant__::gpunp::FloydParams p) {    \
        ::gpunp::graph::floyd_tile(p, false);                                 \
    }                                                                         \
    extern "C" __global__ void __launch_bounds__(::gpunp::GRAPH_BLOCK)        \
        graph_floyd_rest(const __grid_constant__::gpunp::FloydParams p) {     \
        ::gpunp::graph::floyd_tile(p, true);                                  \
    }

#else

inline void floyd_diagonal(const void* params) {
    const FloydParams& p = *static_cast<const FloydParams*>(params);
    FloydTile tile;
    for (int r = 0; r < SIDE; r++)
        for (int c = 0; c < SIDE; c++) tile.read(p, p.tile, p.tile, r, c);
    for (int k = 0; k < SIDE; k++)
        for (int r = 0; r < SIDE; r++)
            for (int c = 0; c < SIDE; c++) tile.shorten(tile, tile, r, k, c);
    for (int r = 0; r < SIDE; r++)
        for (int c = 0; c < SIDE; c++) tile.write(p, p.tile, p.tile, r, c);
}

template <bool REST>
void floyd_tiles(const void* params) {
    const FloydParams& p = *static_cast<const FloydParams*>(params);
    const int64_t tiles = (p.n + SIDE - 1) / SIDE, count = REST ? tiles * tiles : 2 * tiles;
    FloydTile a, b, out;
    for (int64_t i = 0; i < count; i++) {
        const FloydPlace at(p, i, REST);
        if (!at.valid) continue;
        for (int r = 0; r < SIDE; r++)
            for (int c = 0; c < SIDE; c++) {
                a.read(p, at.row, p.tile, r, c);
                b.read(p, p.tile, at.column, r, c);
                out.read(p, at.row, at.column, r, c);
            }
        for (int r = 0; r < SIDE; r++)
            for (int k = 0; k < SIDE; k++)
                for (int c = 0; c < SIDE; c++) out.shorten(a, b, r, k, c);
        for (int r = 0; r < SIDE; r++)
            for (int c = 0; c < SIDE; c++) out.write(p, at.row, at.column, r, c);
    }
}

#define GPUNP_FLOYD()                                                           \
    GPUNP_HOST_KERNEL(graph_floyd_diagonal, ::gpunp::graph::floyd_diagonal);    \
    GPUNP_HOST_KERNEL(graph_floyd_lines, (::gpunp::graph::floyd_tiles<false>)); \
    GPUNP_HOST_KERNEL(graph_floyd_rest, (::gpunp::graph::floyd_tiles<true>));

#endif

}  // namespace graph
}  // namespace gpunp
