// LU factors of a panel with partial pivoting, in the registers of a cluster of blocks.
#pragma once
#include "gpunp/linalg_keys.h"
#include "gpunp/linalg_panel.h"

#if GPUNP_ON_DEVICE
namespace gpunp {
namespace linalg {

// 1 / x, quickly where x is not extreme.
__device__ inline double reciprocal(double x) {
    return 1 / x;
}
__device__ inline float reciprocal(float x) {
    if (!(magnitude(x) > 0x1p-100f && magnitude(x) < 0x1p100f)) return 1 / x;
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return fmaf(fmaf(-x, y, 1.0f), y, y);
}

// Rows stay where they are until the end; a pivot's row is then done. A column costs one exchange in the
// cluster: every block offers its greatest element with the row that has it.
template <class T, int R>
__device__ void lu_panel(const PanelLuParams& p) {
    using Panel = Tile<T, R>;
    using Vector = RowVector<T>;
    __shared__ Vector multipliers[Panel::ROWS / Vector::SIZE];
    __shared__ __align__(16) T rows[2][cluster::MOST_BLOCKS][PANEL_COLUMNS];
    __shared__ key_t<T> keys[2][cluster::MOST_BLOCKS];
    __shared__ int places[2][cluster::MOST_BLOCKS];
    __shared__ key_t<T> own_key;
    __shared__ int own_row, pivots[PANEL_COLUMNS], holes[PANEL_COLUMNS], targets[Panel::ROWS];
    __shared__ cluster::Mailbox mailboxes[2];
    Panel tile;
    const int group = tile.group, column = tile.column, lane = threadIdx.x % 32;
    const int first = tile.block * Panel::ROWS;
    if (threadIdx.x == 0) {
        for (int i = 0; i < 2; i++) mailboxes[i].open();
    }
    const int64_t matrix = cluster::index();
    T* a = static_cast<T*>(p.a) + matrix * p.a_step;
    int32_t* moves = p.moves + matrix * PANEL_MOVES;
    tile.load(a, p.stride, p.rows, p.columns);
    const int steps = p.rows < p.columns ? p.rows : p.columns;
    const unsigned bytes = tile.blocks * (PANEL_COLUMNS * sizeof(T) + sizeof(key_t<T>) + sizeof(int));
    unsigned long long done = 0;
    GPUNP_UNROLL
    for (int i = 0; i < R; i++) {
        if (first + tile.row(i) >= p.rows) done |= 1ull << i;
    }
    bool failed = false;
    // No block sends before all have begun.
    cluster::sync();
    for (int k = 0; k < steps; k++) {
        const int buffer = k % 2;
        cluster::Mailbox* mailbox = &mailboxes[buffer];
        if (tile.warp == k / 8) {
            key_t<T> best = 0;
            int where = 0;
            if (k / 2 == column / 2) {
                GPUNP_UNROLL
                for (int i = 0; i < R; i += Vector::SIZE) {
                    Vector v;
                    GPUNP_UNROLL
                    for (int j = 0; j < Vector::SIZE; j++) {
                        const bool over = done >> (i + j) & 1;
                        const T x = k % 2 ? tile.x[1][i + j] : tile.x[0][i + j];
                        v.values[j] = over ? T(0) : x;
                        const key_t<T> key = over ? 0 : key_of(x);
                        if (key > best) best = key, where = tile.row(i + j);
                    }
                    multipliers[tile.row(i) / Vector::SIZE] = v;
                }
            }
            const key_t<T> found = greatest(best);
            // Where several have it, the row above.
            const int above = (int)__reduce_min_sync(~0u, best == found ? (unsigned)where : ~0u);
            if (lane == 0) own_key = found, own_row = above;
        }
        if (threadIdx.x == 0) mailbox->expect(bytes);
        __syncthreads();
        tile.send_row(own_row, rows[buffer][tile.block], mailbox);
        if (threadIdx.x < tile.blocks) {
            cluster::send(&keys[buffer][tile.block], mailbox, threadIdx.x, own_key);
            cluster::send(&places[buffer][tile.block], mailbox, threadIdx.x, own_row);
        }
        T y[R];
        GPUNP_UNROLL
        for (int i = 0; i < R; i += Vector::SIZE) {
            const Vector v = multipliers[tile.row(i) / Vector::SIZE];
            GPUNP_UNROLL
            for (int j = 0; j < Vector::SIZE; j++) y[i + j] = v.values[j];
        }
        mailbox->wait(k / 2 % 2);

        const key_t<T> key = lane < tile.blocks ? keys[buffer][lane] : 0;
        const int winner = __ffs((int)__ballot_sync(~0u, key == greatest(key))) - 1;
        const int place = places[buffer][winner];
        const T* row = rows[buffer][winner];
        const T pivot = row[k];
        const T factors[2] = {-row[column], -row[column + 1]};
        if (threadIdx.x == 0) pivots[k] = winner * Panel::ROWS + place;
        if (winner == tile.block && group == Panel::group_of(place)) {
            done |= 1ull << Panel::index_of(place);
            GPUNP_UNROLL
            for (int i = 0; i < R; i++) {
                if (i == Panel::index_of(place)) y[i] = 0;
            }
        }
        const T inverse = reciprocal(pivot);
        if (pivot == 0) {
            failed = true;  // and the column has only zeros
        } else if (inverse - inverse == 0) {
            GPUNP_UNROLL
            for (int i = 0; i < R; i++) y[i] *= inverse;
        } else {
            GPUNP_UNROLL
            for (int i = 0; i < R; i++) y[i] /= pivot;
        }
        GPUNP_UNROLL
        for (int c = 0; c < 2; c++) {
            T* x = tile.x[c];
            if (column + c != k) {
                const T factor = column + c > k ? factors[c] : T(0);
                GPUNP_UNROLL
                for (int i = 0; i < R; i++) x[i] = fused(factor, y[i], x[i]);
            } else {
                GPUNP_UNROLL
                for (int i = 0; i < R; i++) {
                    if (!(done >> i & 1)) x[i] = y[i];
                }
            }
        }
    }
    // Pivots go to the top, in their order; what was there and is no pivot goes to where pivots were.
    const int t = threadIdx.x;
    __syncthreads();
    if (t < PANEL_COLUMNS) holes[t] = 0;
    for (int i = t; i < Panel::ROWS; i += PANEL_THREADS) targets[i] = first + i;
    __syncthreads();
    if (t < steps && pivots[t] < steps) holes[pivots[t]] = 1;
    __syncthreads();
    int from = -1, to = -1;
    if (t < steps) {
        const bool left = !holes[t], hole = pivots[t] >= steps;
        int lefts = 0, filled = 0;
        for (int j = 0; j < t; j++) {
            lefts += !holes[j];
            filled += pivots[j] >= steps;
        }
        // As many rows are left as there are holes; the numbers of both meet through shared memory.
        from = left ? lefts : -1;
        to = hole ? filled : -1;
    }
    __syncthreads();
    __shared__ int left_rows[PANEL_COLUMNS], hole_rows[PANEL_COLUMNS];
    if (t < PANEL_COLUMNS) left_rows[t] = hole_rows[t] = -1;
    __syncthreads();
    if (from >= 0) left_rows[from] = t;
    if (to >= 0) hole_rows[to] = pivots[t];
    __syncthreads();
    if (t < steps) {
        const int at = pivots[t] - first;
        if (at >= 0 && at < Panel::ROWS) targets[at] = t;
        if (tile.block == 0) moves[t] = pivots[t];
    }
    __syncthreads();
    if (t < PANEL_COLUMNS) {
        if (left_rows[t] >= 0 && tile.block == 0) targets[left_rows[t]] = hole_rows[t];
        if (tile.block == 0) {
            moves[PANEL_COLUMNS + 2 * t] = hole_rows[t];
            moves[PANEL_COLUMNS + 2 * t + 1] = left_rows[t];
        }
    }
    if (failed && t == 0 && tile.block == 0) p.info[matrix] = 1;
    __syncthreads();
    GPUNP_UNROLL
    for (int i = 0; i < R; i++) {
        if (first + tile.row(i) >= p.rows) continue;
        T* target = a + targets[tile.row(i)] * p.stride + column;
        if (column < p.columns) target[0] = tile.x[0][i];
        if (column + 1 < p.columns) target[1] = tile.x[1][i];
    }
}

}  // namespace linalg
}  // namespace gpunp
#endif
