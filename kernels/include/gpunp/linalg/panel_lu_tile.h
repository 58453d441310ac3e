// LU factorization of a panel in the registers of a cluster: how elements are distributed over threads, and
// how warps and blocks exchange data.
#pragma once
#include "gpunp/linalg/panel.h"

#if GPUNP_ON_DEVICE
namespace gpunp {
namespace linalg {

// The number of pairs of a leading and a following warp: each warp follows all warps to its left.
constexpr int FOLLOWED = PANEL_WARPS * (PANEL_WARPS - 1) / 2;

template <class T, int V>
struct LuMemory {
    static constexpr int ROWS = 32 * V;
    // Per column: the first vector of every lane's rows, then the second, and so on.
    T multipliers[PANEL_COLUMNS][ROWS];
    // The pivot rows in the followers' columns, and the elements of these rows in the columns of their own
    // group.
    T rows[FOLLOWED][WARP_COLUMNS][WARP_COLUMNS], heads[PANEL_COLUMNS][WARP_COLUMNS];
    // The rows that the blocks offer as the next pivot row, and their indices in the block, or -1.
    T offers[2][cluster::MOST_BLOCKS][WARP_COLUMNS];
    int places[2][cluster::MOST_BLOCKS];
    // The pivots' rows in the panel, and per group a mask of the pivots whose rows are in this block.
    int pivots[PANEL_COLUMNS];
    unsigned owned[PANEL_WARPS];
    cluster::Mailbox offered[2], ready[PANEL_COLUMNS], groups[FOLLOWED], next[PANEL_COLUMNS];
};

// Each warp holds WARP_COLUMNS neighboring columns, each lane V neighboring rows of them; the blocks of the
// cluster hold consecutive rows.
template <class T, int V>
struct LuTile {
    static constexpr int ROWS = 32 * V, VECTOR = Vector<T>::WIDTH, STRIDE = PANEL_COLUMNS + VECTOR;
    static constexpr int MESSAGES = WARP_COLUMNS / VECTOR;
    using Memory = LuMemory<T, V>;
    static_assert(V % VECTOR == 0 && (V & (V - 1)) == 0 && ROWS >= PANEL_COLUMNS,
                  "the first block must hold the diagonal");

    Memory& shared;
    const int lane, warp, block, blocks, first;
    unsigned done = 0;  // mask of the lane's rows that were pivots or lie beyond the panel
    T x[WARP_COLUMNS][V];

    __device__ LuTile(Memory& memory)
        : shared(memory),
          lane(threadIdx.x % 32),
          warp(threadIdx.x / 32),
          block(cluster::rank()),
          blocks(cluster::size()),
          first(warp * WARP_COLUMNS) {}

    // The staging address of a row in shared memory: global memory is accessed by whole rows, which the
    // threads do not hold.
    __device__ T* staged(int row) const {
        static_assert(ROWS * STRIDE * sizeof(T) <= offsetof(Memory, offers), "within the memory");
        return &shared.multipliers[0][0] + (row % V * 32 + row / V) * STRIDE;
    }
    template <class Visit>
    __device__ void each_staged(int rows, int columns, Visit visit) const {
        GPUNP_UNROLL
        for (int i = 0; i < ROWS / PANEL_WARPS; i++) {
            const int row = i * PANEL_WARPS + warp;
            GPUNP_UNROLL
            for (int j = 0; j < PANEL_COLUMNS / 32; j++) {
                const int column = j * 32 + lane;
                visit(i, j, row, column, block * ROWS + row < rows && column < columns);
            }
        }
    }
    __device__ void load(const T* a, int64_t stride, int rows, int columns) {
        T values[ROWS / PANEL_WARPS][PANEL_COLUMNS / 32];
        const T* source = a + block * ROWS * stride;
        each_staged(rows, columns, [&](int i, int j, int row, int column, bool inside) {
            values[i][j] = inside ? source[row * stride + column] : T(0);
        });
        open_mailboxes(rows < columns ? rows : columns);
        each_staged(rows, columns,
                    [&](int i, int j, int row, int column, bool) { staged(row)[column] = values[i][j]; });
        __syncthreads();
        GPUNP_UNROLL
        for (int i = 0; i < V; i++) {
            const T* row = staged(lane * V + i) + first;
            GPUNP_UNROLL
            for (int c = 0; c < WARP_COLUMNS; c += VECTOR) {
                const Vector<T> v = *reinterpret_cast<const Vector<T>*>(row + c);
                GPUNP_UNROLL
                for (int j = 0; j < VECTOR; j++) x[c + j][i] = v.at[j];
            }
            if (block * ROWS + lane * V + i >= rows) done |= 1u << i;
        }
    }
    // Stores row i of the block as row targets[i] of the panel.
    __device__ void store(T* a, int64_t stride, int rows, int columns, const int* targets) const {
        GPUNP_UNROLL
        for (int i = 0; i < V; i++) {
            T* row = staged(lane * V + i) + first;
            GPUNP_UNROLL
            for (int c = 0; c < WARP_COLUMNS; c += VECTOR) {
                Vector<T> v;
                GPUNP_UNROLL
                for (int j = 0; j < VECTOR; j++) v.at[j] = x[c + j][i];
                *reinterpret_cast<Vector<T>*>(row + c) = v;
            }
        }
        __syncthreads();
        each_staged(rows, columns, [&](int, int, int row, int column, bool inside) {
            if (inside) a[targets[row] * stride + column] = staged(row)[column];
        });
    }

    __device__ void write_multipliers(int k, const T (&y)[V]) const {
        GPUNP_UNROLL
        for (int i = 0; i < V; i += VECTOR) {
            Vector<T> v;
            GPUNP_UNROLL
            for (int j = 0; j < VECTOR; j++) v.at[j] = y[i + j];
            *reinterpret_cast<Vector<T>*>(&shared.multipliers[k][i * 32 + lane * VECTOR]) = v;
        }
    }
    __device__ void read_multipliers(int k, T (&y)[V]) const {
        GPUNP_UNROLL
        for (int i = 0; i < V; i += VECTOR) {
            const Vector<T> v =
                *reinterpret_cast<const Vector<T>*>(&shared.multipliers[k][i * 32 + lane * VECTOR]);
            GPUNP_UNROLL
            for (int j = 0; j < VECTOR; j++) y[i + j] = v.at[j];
        }
    }
    __device__ static void read_row(const T* source, T (&row)[WARP_COLUMNS]) {
        GPUNP_UNROLL
        for (int c = 0; c < WARP_COLUMNS; c += VECTOR) {
            const Vector<T> v = *reinterpret_cast<const Vector<T>*>(source + c);
            GPUNP_UNROLL
            for (int j = 0; j < VECTOR; j++) row[c + j] = v.at[j];
        }
    }

    // Sends row `index` of the lane where `mine` holds to `target` in every block, by way of this block's.
    __device__ void send_row(bool mine, int index, T* target, cluster::Mailbox* mailbox) const {
        auto* vectors = reinterpret_cast<Vector<T>*>(target);
        GPUNP_UNROLL
        for (int i = 0; i < V; i++) {
            // Registers cannot be indexed dynamically.
            if (!mine || index != i) continue;
            GPUNP_UNROLL
            for (int c = 0; c < WARP_COLUMNS; c += VECTOR) {
                Vector<T> v;
                GPUNP_UNROLL
                for (int j = 0; j < VECTOR; j++) v.at[j] = x[c + j][i];
                vectors[c / VECTOR] = v;
            }
        }
        __syncwarp();
        if (cluster::alone()) return;
        const Vector<T> message = vectors[lane % MESSAGES];
        GPUNP_UNROLL
        for (int b = 0; b < cluster::MOST_BLOCKS; b += 32 / MESSAGES) {
            const int to = b + lane / MESSAGES;
            if (to < blocks) cluster::send_vector(vectors + lane % MESSAGES, mailbox, to, message);
        }
    }

    // Called before the cluster synchronizes. What a follower will receive is known here already. The threads
    // of a warp open their mailboxes one after another, so all warps get about as many.
    __device__ void open_mailboxes(int steps) {
        constexpr int COUNT = FOLLOWED + 2 * PANEL_COLUMNS + 2,
                      EACH = (COUNT + PANEL_WARPS - 1) / PANEL_WARPS;
        static_assert(EACH <= 32, "at most one mailbox per thread");
        const int t = warp * EACH + lane, next = t - FOLLOWED, ready = next - PANEL_COLUMNS;
        if (lane >= EACH || t >= COUNT) return;
        if (next < 0) {
            int group = t, follower = 1;
            while (group >= follower) group -= follower++;
            const int left = min(steps - group * WARP_COLUMNS, WARP_COLUMNS);
            shared.groups[t].open();
            if (left > 0) shared.groups[t].expect(left * WARP_COLUMNS * sizeof(T));
        } else if (ready < 0) {
            shared.next[next].open();
            shared.next[next].expect(WARP_COLUMNS * sizeof(T));
        } else if (ready < PANEL_COLUMNS) {
            shared.ready[ready].open();
        } else {
            shared.offered[ready - PANEL_COLUMNS].open();
        }
    }

    // Subtracts the products of a pivot row and the multipliers from the columns beyond `after`.
    __device__ void update(const T (&row)[WARP_COLUMNS], const T (&y)[V], int after = -1) {
        GPUNP_UNROLL
        for (int c = 0; c < WARP_COLUMNS; c++) {
            GPUNP_UNROLL
            for (int i = 0; i < V; i++) {
                if (c > after) x[c][i] = fused(-row[c], y[i], x[c][i]);
            }
        }
    }
};

}  // namespace linalg
}  // namespace gpunp
#endif
