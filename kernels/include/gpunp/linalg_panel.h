// A panel in the registers of a cluster: how its elements are dealt to threads, and what blocks tell each
// other.
#pragma once
#include "gpunp/cluster.h"
#include "gpunp/linalg_panel_params.h"
#include "gpunp/linalg_scalar.h"

#if GPUNP_ON_DEVICE
namespace gpunp {
namespace linalg {

// 16 bytes of neighbouring rows.
template <class T>
struct alignas(16) RowVector {
    static constexpr int SIZE = 16 / sizeof(T);
    T values[SIZE];
};

// A power of two and its inverse, by the exponent of the greatest of some sizes: products of what it has
// scaled neither overflow nor vanish.
__device__ inline unsigned size_bits(float x) {
    return __float_as_uint(x) & 0x7fffffffu;
}
__device__ inline unsigned size_bits(double x) {
    return (unsigned)__double2hiint(x) & 0x7fffffffu;
}
__device__ inline void powers(unsigned size, float* scale, float* back) {
    int exponent = (int)(size >> 23);
    if (exponent == 255) exponent = 127;  // NaN or infinity: nothing helps
    exponent = exponent < 1 ? 1 : (exponent > 253 ? 253 : exponent);
    *scale = __uint_as_float((unsigned)(254 - exponent) << 23);
    *back = __uint_as_float((unsigned)exponent << 23);
}
__device__ inline void powers(unsigned size, double* scale, double* back) {
    int exponent = (int)(size >> 20);
    if (exponent == 2047) exponent = 1023;
    exponent = exponent < 1 ? 1 : (exponent > 2045 ? 2045 : exponent);
    *scale = __hiloint2double((2046 - exponent) << 20, 0);
    *back = __hiloint2double(exponent << 20, 0);
}

// The greatest of `size` over a cluster of blocks of PANEL_THREADS threads. One barrier of the cluster,
// before which all blocks must have begun.
__device__ inline unsigned greatest_size(unsigned size, cluster::Mailbox* mailbox) {
    __shared__ unsigned of_warps[PANEL_THREADS / 32], of_blocks[cluster::MOST_BLOCKS];
    const int lane = threadIdx.x % 32, blocks = cluster::size();
    size = __reduce_max_sync(~0u, size);
    if (lane == 0) of_warps[threadIdx.x / 32] = size;
    __syncthreads();
    size = __reduce_max_sync(~0u, of_warps[lane % (PANEL_THREADS / 32)]);
    if (threadIdx.x == 0) mailbox->expect(blocks * sizeof(unsigned));
    if (threadIdx.x < blocks) cluster::send(&of_blocks[cluster::rank()], mailbox, threadIdx.x, size);
    mailbox->wait(0);
    return __reduce_max_sync(~0u, of_blocks[lane < blocks ? lane : 0]);
}

// A thread has two neighbouring columns; the eight threads of a warp that share them have the rows in turn, a
// vector at a time. A block has 8 * R rows, and block after block of the cluster follows.
template <class T, int R>
struct Tile {
    static constexpr int VECTOR = RowVector<T>::SIZE, ROWS = 8 * R;
    static_assert(R % VECTOR == 0 && ROWS >= PANEL_COLUMNS, "the first block has the diagonal");
    static_assert((R & (R - 1)) == 0, "elements are chosen by the bits of their index");

    int warp, group, pair, column, block, blocks;
    T x[2][R];

    __device__ Tile()
        : warp(threadIdx.x / 32),
          group(threadIdx.x % 32 / 4),
          pair(threadIdx.x % 4),
          column(warp * 8 + pair * 2),
          block(cluster::rank()),
          blocks(cluster::size()) {}

    // Row i of this thread in its block.
    __device__ int row(int i) const { return i / VECTOR * (8 * VECTOR) + group * VECTOR + i % VECTOR; }
    // Which group has a row, and as which of its own.
    __device__ static int group_of(int row) { return row / VECTOR % 8; }
    __device__ static int index_of(int row) { return row / (8 * VECTOR) * VECTOR + row % VECTOR; }

    __device__ void load(const T* a, int64_t stride, int rows, int columns) {
        GPUNP_UNROLL
        for (int i = 0; i < R; i++) {
            const int at = block * ROWS + row(i);
            const T* source = a + at * stride + column;
            x[0][i] = at < rows && column < columns ? source[0] : T(0);
            x[1][i] = at < rows && column + 1 < columns ? source[1] : T(0);
        }
    }

    __device__ unsigned greatest_bits() const {
        unsigned size = 0;
        GPUNP_UNROLL
        for (int i = 0; i < R; i++) {
            const unsigned first = size_bits(x[0][i]), second = size_bits(x[1][i]);
            size = first > size ? first : size;
            size = second > size ? second : size;
        }
        return size;
    }

    // Own element `index` of a column: registers have no index, so halves are dropped bit by bit.
    template <int N>
    __device__ static T pick_of(const T (&values)[N], int index) {
        if constexpr (N == 1) {
            return values[0];
        } else {
            T left[N / 2];
            const bool upper = index & N / 2;
            GPUNP_UNROLL
            for (int i = 0; i < N / 2; i++) left[i] = upper ? values[i + N / 2] : values[i];
            return pick_of<N / 2>(left, index);
        }
    }

    // One row of the block to `target` of every block.
    __device__ void send_row(int row, T* target, cluster::Mailbox* mailbox) const {
        const int index = index_of(row), lane = group_of(row) * 4 + pair;
        const T first = __shfl_sync(~0u, pick_of<R>(x[0], index), lane),
                second = __shfl_sync(~0u, pick_of<R>(x[1], index), lane);
        GPUNP_UNROLL
        for (int b = 0; b < cluster::MOST_BLOCKS; b += 8) {
            if (b + group >= blocks) continue;
            cluster::send_pair(target + column, mailbox, b + group, first, second);
        }
    }
};

}  // namespace linalg
}  // namespace gpunp
#endif
