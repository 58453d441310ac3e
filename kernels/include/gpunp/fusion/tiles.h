// The loop of groups that read several parts of one array, such as the slices of a stencil: a block computes
// a tile of neighboring rows.
//
// A row of a part is also in other parts, one row up or down. Blocks along one row would read it from the L2
// cache once for each part; a tile reads it once, and finds it in the L1 cache afterwards.
#pragma once
#include "gpunp/fusion/group.h"

#if GPUNP_ON_DEVICE
namespace gpunp {
namespace custom {

// A block of eight warps: DOWN of them lie below one another, the others side by side. A warp has 32 vectors
// of a row, and a thread EACH of them, DOWN rows apart.
template <int RANK, int V, int EACH, int DOWN, class... Op>
struct TileLoop {
    static constexpr int WARPS = 8, BESIDE = WARPS / DOWN;
    using All = Lanes<RANK, V, false, Op...>;

    // Moves to `column` of a row, which is counted over all axes but the last.
    template <class P>
    static __device__ __forceinline__ void place(All& lanes, const P& p, uint32_t row, uint32_t column) {
        lanes.index = (int64_t)row * p.extent(RANK - 1) + column;
        ((lanes.Lane<Op, V>::q = p.data(Op::number) + column * step_of<Op, RANK>(p)), ...);
#pragma unroll
        for (int d = RANK - 2; d >= 0; d--) {
            const uint32_t extent = (uint32_t)p.extent(d), rest = d > 0 ? row / extent : 0;
            const int64_t at = row - rest * extent;
            ((lanes.Lane<Op, V>::q += at * p.stride(Op::number, d)), ...);
            row = rest;
        }
    }
    template <class P, class F>
    static __device__ __forceinline__ void run(const P& p, F&& body) {
        constexpr uint32_t ACROSS = BESIDE * 32 * V;
        const uint32_t inner = (uint32_t)p.extent(RANK - 1), tiles = (inner + ACROSS - 1) / ACROSS;
        uint32_t rows = 1;
#pragma unroll
        for (int d = 0; d < RANK - 1; d++) rows *= (uint32_t)p.extent(d);
        const uint32_t down = blockIdx.x / tiles, across = blockIdx.x - down * tiles;
        const uint32_t row = down * (DOWN * EACH) + threadIdx.x / (32 * BESIDE);
        const uint32_t column = across * ACROSS + threadIdx.x % (32 * BESIDE) * V;
        // As in `Loop`, loads and operations are under one condition.
        if (row + (EACH - 1) * DOWN < rows && column + V <= inner) {
            All lanes[EACH];
#pragma unroll
            for (int u = 0; u < EACH; u++) place(lanes[u], p, row + u * DOWN, column);
#pragma unroll
            for (int u = 0; u < EACH; u++) lanes[u].load(p);
#pragma unroll
            for (int u = 0; u < EACH; u++) lanes[u].run(p, body);
        } else if (column < inner) {
#pragma unroll 1
            for (uint32_t r = row; r < rows && r < row + EACH * DOWN; r += DOWN) {
                All lanes;
                place(lanes, p, r, column);
                lanes.left = inner - column;
                lanes.run_each(p, body);
            }
        }
    }
};

}  // namespace custom
}  // namespace gpunp
#endif
