// A panel in the registers of a cluster: how its elements are distributed over threads, and how blocks
// exchange data.
#pragma once
#include "gpunp/common/cluster.h"
#include "gpunp/common/vector.h"
#include "gpunp/common/warp.h"
#include "gpunp/linalg/panel_params.h"
#include "gpunp/linalg/scalar.h"

#if GPUNP_ON_DEVICE
namespace gpunp {
namespace linalg {

// The bits of |x|, for double their upper half: they compare like absolute values.
__device__ inline unsigned size_bits(float x) {
    return __float_as_uint(x) & 0x7fffffffu;
}
__device__ inline unsigned size_bits(double x) {
    return (unsigned)__double2hiint(x) & 0x7fffffffu;
}
// A power of two and its inverse, from the exponent of the greatest absolute value, which it scales to about
// one: products of scaled elements neither overflow nor all vanish.
__device__ inline void powers(unsigned size, float* scale, float* back) {
    int exponent = (int)(size >> 23);
    if (exponent == 255) exponent = 127;  // NaN or infinity: no scale helps
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

// The greatest `size` over a cluster whose blocks have PANEL_THREADS threads. Costs one exchange in the
// cluster; all blocks must have started.
__device__ inline unsigned greatest_size(unsigned size, cluster::Mailbox* mailbox) {
    __shared__ unsigned of_warps[PANEL_THREADS / 32], of_blocks[cluster::MOST_BLOCKS];
    const int lane = threadIdx.x % 32, blocks = cluster::size();
    size = warp::greatest_word(size);
    if (lane == 0) of_warps[threadIdx.x / 32] = size;
    __syncthreads();
    size = warp::greatest_word(of_warps[lane % (PANEL_THREADS / 32)]);
    if (threadIdx.x == 0) mailbox->expect(blocks * sizeof(unsigned));
    if (threadIdx.x < blocks) cluster::send(&of_blocks[cluster::rank()], mailbox, threadIdx.x, size);
    mailbox->wait_by_block(0);
    return warp::greatest_word(of_blocks[lane < blocks ? lane : 0]);
}

// Each warp holds neighboring columns, each thread two of them; the eight threads with the same columns hold
// their rows in turn, one vector at a time. A block holds 8 * R consecutive rows.
//
// Warps are not synchronized with each other. The warp that holds a column leads: it computes the column's
// transformation and publishes it in shared memory for the warps to its right, which apply it when they get
// there. The warps with the same columns in all blocks of a cluster advance step by step together, through
// their mailboxes.
constexpr int WARP_COLUMNS = 8, PANEL_WARPS = PANEL_THREADS / 32;

template <class T, int R>
struct Tile {
    static constexpr int VECTOR = Vector<T>::WIDTH, VECTORS = R / VECTOR, ROWS = 8 * R;
    static_assert(R % VECTOR == 0 && ROWS >= PANEL_COLUMNS, "the first block must hold the diagonal");
    static_assert((R & (R - 1)) == 0, "pick_of selects elements by the bits of their index");
    using Column = Vector<T>[ROWS / VECTOR];

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

    // The row in the block of this thread's element i.
    __device__ int row(int i) const { return i / VECTOR * (8 * VECTOR) + group * VECTOR + i % VECTOR; }
    // The group that holds a row of the block, and the row's index within the group.
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

    // Reads this thread's rows of a column from shared memory.
    __device__ void read(const Column& source, T (&y)[R]) const {
        GPUNP_UNROLL
        for (int i = 0; i < R; i += VECTOR) {
            const Vector<T> v = source[row(i) / VECTOR];
            GPUNP_UNROLL
            for (int j = 0; j < VECTOR; j++) y[i + j] = v.at[j];
        }
    }
    __device__ void write(Column& target, const T (&y)[R]) const {
        GPUNP_UNROLL
        for (int i = 0; i < R; i += VECTOR) {
            Vector<T> v;
            GPUNP_UNROLL
            for (int j = 0; j < VECTOR; j++) v.at[j] = y[i + j];
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

    // Dot products of both columns with y over the rows of the block: groups 0 to 3 get that of the thread's
    // first column, the others that of the second.
    __device__ T dots(const T (&y)[R]) const {
        T sums[2][2] = {};
        GPUNP_UNROLL
        for (int i = 0; i < R; i++) {
            sums[0][i % 2] = fused(y[i], x[0][i], sums[0][i % 2]);
            sums[1][i % 2] = fused(y[i], x[1][i], sums[1][i % 2]);
        }
        const T first = sums[0][0] + sums[0][1], second = sums[1][0] + sums[1][1];
        T sum = group / 4 ? second : first;
        sum += warp::shuffle_xor(group / 4 ? first : second, 16);
        sum += warp::shuffle_xor(sum, 4);
        return sum + warp::shuffle_xor(sum, 8);
    }

    // Sends two neighboring elements to `target` in every block; the groups of a warp divide the blocks among
    // them.
    __device__ void send(T first, T second, T* target, cluster::Mailbox* mailbox) const {
        GPUNP_UNROLL
        for (int b = 0; b < cluster::MOST_BLOCKS; b += 8) {
            if (b + group < blocks) cluster::send_pair(target, mailbox, b + group, first, second);
        }
    }

    // values[index] without dynamic indexing of registers: each bit of the index selects one half.
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

    // Sends the warp's columns of one row of the block to `target` in every block.
    __device__ void send_row(int row, T* target, cluster::Mailbox* mailbox) const {
        const int index = index_of(row), from = group_of(row) * 4 + pair;
        const T first = warp::shuffle_number(pick_of<R>(x[0], index), from),
                second = warp::shuffle_number(pick_of<R>(x[1], index), from);
        send(first, second, target + pair * 2, mailbox);
    }
};

}  // namespace linalg
}  // namespace gpunp
#endif
