// A panel in the registers of a cluster: how its elements are dealt to threads, and what blocks tell each
// other.
#pragma once
#include "gpunp/common/cluster.h"
#include "gpunp/linalg/panel_params.h"
#include "gpunp/linalg/scalar.h"

#if GPUNP_ON_DEVICE
namespace gpunp {
namespace linalg {

// 16 bytes of neighbours.
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
    mailbox->wait_by_block(0);
    return __reduce_max_sync(~0u, of_blocks[lane < blocks ? lane : 0]);
}

// A warp has neighbouring columns, a thread two of them; the eight threads that share these have the rows in
// turn, a vector at a time. A block has 8 * R rows, and block after block of the cluster follows.
//
// Warps do not wait for each other. The one that has a column leads: it finds what the column does to those
// to its right, and leaves it in shared memory for the warps that have these, which follow when they can. The
// warps with the same columns in all blocks of a cluster go step by step together, through their mailboxes.
constexpr int WARP_COLUMNS = 8, PANEL_WARPS = PANEL_THREADS / 32;

template <class T, int R>
struct Tile {
    static constexpr int VECTOR = RowVector<T>::SIZE, VECTORS = R / VECTOR, ROWS = 8 * R;
    static_assert(R % VECTOR == 0 && ROWS >= PANEL_COLUMNS, "the first block has the diagonal");
    static_assert((R & (R - 1)) == 0, "elements are chosen by the bits of their index");
    using Column = RowVector<T>[ROWS / VECTOR];

    int lane, warp, group, pair, column, block, blocks;
    T x[2][R];

    __device__ Tile()
        : lane(threadIdx.x % 32),
          warp(threadIdx.x / 32),
          group(lane / 4),
          pair(lane % 4),
          column(warp * WARP_COLUMNS + pair * 2),
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

    // This thread's rows of a column in shared memory.
    __device__ void read(const Column& source, T (&y)[R]) const {
        GPUNP_UNROLL
        for (int i = 0; i < R; i += VECTOR) {
            const RowVector<T> v = source[row(i) / VECTOR];
            GPUNP_UNROLL
            for (int j = 0; j < VECTOR; j++) y[i + j] = v.values[j];
        }
    }
    __device__ void write(Column& target, const T (&y)[R]) const {
        GPUNP_UNROLL
        for (int i = 0; i < R; i += VECTOR) {
            RowVector<T> v;
            GPUNP_UNROLL
            for (int j = 0; j < VECTOR; j++) v.values[j] = y[i + j];
            target[row(i) / VECTOR] = v;
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

    // Both columns' products with y over the rows of the block: of the thread's first column in the groups
    // below four, of the second one in the others.
    __device__ T dots(const T (&y)[R]) const {
        T sums[2][2] = {};
        GPUNP_UNROLL
        for (int i = 0; i < R; i++) {
            sums[0][i % 2] = fused(y[i], x[0][i], sums[0][i % 2]);
            sums[1][i % 2] = fused(y[i], x[1][i], sums[1][i % 2]);
        }
        const T first = sums[0][0] + sums[0][1], second = sums[1][0] + sums[1][1];
        T sum = group / 4 ? second : first;
        sum += __shfl_xor_sync(~0u, group / 4 ? first : second, 16);
        sum += __shfl_xor_sync(~0u, sum, 4);
        return sum + __shfl_xor_sync(~0u, sum, 8);
    }

    // Two neighbours to `target` of every block; the groups of a warp share the blocks.
    __device__ void send(T first, T second, T* target, cluster::Mailbox* mailbox) const {
        GPUNP_UNROLL
        for (int b = 0; b < cluster::MOST_BLOCKS; b += 8) {
            if (b + group < blocks) cluster::send_pair(target, mailbox, b + group, first, second);
        }
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

    // The warp's columns of one row of the block to `target` of every block.
    __device__ void send_row(int row, T* target, cluster::Mailbox* mailbox) const {
        const int index = index_of(row), from = group_of(row) * 4 + pair;
        const T first = __shfl_sync(~0u, pick_of<R>(x[0], index), from),
                second = __shfl_sync(~0u, pick_of<R>(x[1], index), from);
        send(first, second, target + pair * 2, mailbox);
    }
};

}  // namespace linalg
}  // namespace gpunp
#endif
