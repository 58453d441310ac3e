// LU factors of a panel with partial pivoting, in the registers of a cluster of blocks.
#pragma once
#include "gpunp/linalg/keys.h"
#include "gpunp/linalg/panel.h"

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

template <class T, int R>
struct LuMemory {
    typename Tile<T, R>::Column multipliers[PANEL_COLUMNS];
    // The rows that the blocks offer, and which of theirs these are; -1 without any.
    T rows[PANEL_WARPS][2][cluster::MOST_BLOCKS][WARP_COLUMNS];
    int places[PANEL_WARPS][2][cluster::MOST_BLOCKS], pivots[PANEL_COLUMNS];
    cluster::Mailbox mailboxes[PANEL_WARPS][2], ready[PANEL_COLUMNS];
};

// The greatest element of a column in shared memory, of the rows of the block that are not done, and which of
// several the row above has; -1 without any. The threads that share a row's column look at a part each.
template <class T, int R>
__device__ inline int greatest_row(const Tile<T, R>& tile, const typename Tile<T, R>::Column& column,
                                   unsigned done) {
    using Panel = Tile<T, R>;
    key_t<T> best = 0;
    int where = -1;
    GPUNP_UNROLL
    for (int t = 0; t < Panel::VECTORS / 4; t++) {
        const int i = (t * 4 + tile.pair) * Panel::VECTOR;
        const RowVector<T> v = column[tile.row(i) / Panel::VECTOR];
        GPUNP_UNROLL
        for (int j = 0; j < Panel::VECTOR; j++) {
            const key_t<T> key = done >> (i + j) & 1 ? 0 : key_of(v.values[j]);
            if (key > best) best = key, where = tile.row(i) + j;
        }
    }
    const key_t<T> found = greatest(best);
    return (int)__reduce_min_sync(~0u, best == found ? (unsigned)where : ~0u);
}

// Rows stay where they are until the end; a pivot's row is then done. A column costs one exchange in the
// cluster: every block offers its greatest element with the row that has it.
template <class T, int R>
__device__ void lu_panel(const PanelLuParams& p) {
    using Panel = Tile<T, R>;
    extern __shared__ __align__(16) char memory[];
    LuMemory<T, R>& shared = *reinterpret_cast<LuMemory<T, R>*>(memory);
    static_assert(sizeof(shared) <= panel_bytes(Panel::ROWS, sizeof(T)), "as the launch has it");
    __shared__ int holes[PANEL_COLUMNS], targets[Panel::ROWS], ends[Panel::ROWS];
    int* const pivots = shared.pivots;
    Panel tile;
    const int group = tile.group, pair = tile.pair, column = tile.column, lane = tile.lane;
    const int first_row = tile.block * Panel::ROWS, first = tile.warp * WARP_COLUMNS;
    cluster::Mailbox* boxes = &shared.mailboxes[0][0];
    for (int i = threadIdx.x; i < 2 * PANEL_WARPS + PANEL_COLUMNS; i += PANEL_THREADS) boxes[i].open();
    const int64_t matrix = cluster::index();
    T* a = static_cast<T*>(p.a) + matrix * p.a_step;
    int32_t* moves = p.moves + matrix * p.moves_step;
    tile.load(a, p.stride, p.rows, p.columns);
    const int steps = p.rows < p.columns ? p.rows : p.columns;
    const int mine = first < p.columns ? steps : 0;
    unsigned done = 0;
    GPUNP_UNROLL
    for (int i = 0; i < R; i++) {
        if (first_row + tile.row(i) >= p.rows) done |= 1u << i;
    }
    bool failed = false;
    T y[R];
    // No block sends before all have begun.
    cluster::sync();
    for (int k = 0; k < first && k < mine; k++) {
        cluster::Mailbox* mailbox = &shared.mailboxes[tile.warp][k % 2];
        T* row = shared.rows[tile.warp][k % 2][0];
        if (lane == 0) mailbox->expect(WARP_COLUMNS * sizeof(T) + tile.blocks * sizeof(int));
        shared.ready[k].wait(0);
        const int pivot = pivots[k], place = pivot % Panel::ROWS;
        if (pivot / Panel::ROWS == tile.block) {
            tile.send_row(place, row, mailbox);
            if (group == Panel::group_of(place)) done |= 1u << Panel::index_of(place);
        }
        tile.read(shared.multipliers[k], y);
        // Blocks without the row say that they are here, so that none is two steps ahead.
        __syncwarp();
        if (lane < tile.blocks)
            cluster::send(&shared.places[tile.warp][k % 2][tile.block], mailbox, lane, place);
        mailbox->wait_by_warp(k / 2 % 2);
        GPUNP_UNROLL
        for (int c = 0; c < 2; c++) {
            const T factor = -row[pair * 2 + c];
            GPUNP_UNROLL
            for (int i = 0; i < R; i++) tile.x[c][i] = fused(factor, y[i], tile.x[c][i]);
        }
    }
    for (int k = first; k < first + WARP_COLUMNS && k < mine; k++) {
        const int at = k % WARP_COLUMNS;
        cluster::Mailbox* mailbox = &shared.mailboxes[tile.warp][k % 2];
        auto& rows = shared.rows[tile.warp][k % 2];
        int* places = shared.places[tile.warp][k % 2];
        if (lane == 0) mailbox->expect(tile.blocks * (WARP_COLUMNS * sizeof(T) + sizeof(int)));
        if (pair == at / 2) {
            if (at % 2) {
                GPUNP_UNROLL
                for (int i = 0; i < R; i++) y[i] = done >> i & 1 ? T(0) : tile.x[1][i];
            } else {
                GPUNP_UNROLL
                for (int i = 0; i < R; i++) y[i] = done >> i & 1 ? T(0) : tile.x[0][i];
            }
            tile.write(shared.multipliers[k], y);
        }
        __syncwarp();
        const int own = greatest_row(tile, shared.multipliers[k], done);
        tile.send_row(own < 0 ? 0 : own, rows[tile.block], mailbox);
        if (lane < tile.blocks) cluster::send(&places[tile.block], mailbox, lane, own);
        tile.read(shared.multipliers[k], y);
        mailbox->wait_by_warp(k / 2 % 2);

        const int offered = lane < tile.blocks ? places[lane] : -1;
        const key_t<T> key = offered < 0 ? 0 : key_of(rows[lane][at]);
        const int winner = __ffs((int)__ballot_sync(~0u, key == greatest(key))) - 1;
        const int place = __shfl_sync(~0u, offered, winner);
        const T* row = rows[winner];
        const T pivot = row[at];
        if (lane == 0) pivots[k] = winner * Panel::ROWS + place;
        if (winner == tile.block && group == Panel::group_of(place)) {
            done |= 1u << Panel::index_of(place);
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
        // All have read the column, which is replaced.
        __syncwarp();
        if (pair == at / 2) tile.write(shared.multipliers[k], y);
        __syncwarp();
        if (lane == 0) shared.ready[k].announce();
        GPUNP_UNROLL
        for (int c = 0; c < 2; c++) {
            const T factor = column + c > k ? -row[pair * 2 + c] : T(0);
            GPUNP_UNROLL
            for (int i = 0; i < R; i++) tile.x[c][i] = fused(factor, y[i], tile.x[c][i]);
        }
        // The rows are read before any thread offers the next one.
        __syncwarp();
    }
    // Pivots go to the top, in their order; what was there and is no pivot goes to where pivots were.
    const int t = threadIdx.x;
    __syncthreads();
    if (t < PANEL_COLUMNS) holes[t] = 0;
    for (int i = t; i < Panel::ROWS; i += PANEL_THREADS) targets[i] = first_row + i, ends[i] = PANEL_COLUMNS;
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
        const int at = pivots[t] - first_row;
        if (at >= 0 && at < Panel::ROWS) targets[at] = t, ends[at] = t;
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
    if (tile.block == 0) {
        // The permutation's sign is the parity of the pairs of rows that it turns round.
        int turned = 0;
        const int one = t % (2 * PANEL_COLUMNS);
        auto place_of = [&](int i) {
            return i < steps ? i : i < PANEL_COLUMNS ? -1 : hole_rows[i - PANEL_COLUMNS];
        };
        auto origin_of = [&](int i) { return i < PANEL_COLUMNS ? pivots[i] : left_rows[i - PANEL_COLUMNS]; };
        const int place = place_of(one);
        for (int i = t / (2 * PANEL_COLUMNS); i < one; i += PANEL_THREADS / (2 * PANEL_COLUMNS)) {
            if (place >= 0 && place_of(i) >= 0)
                turned ^= (place < place_of(i)) != (origin_of(one) < origin_of(i));
        }
        turned = __syncthreads_count(turned) % 2;
        if (t == 0) moves[3 * PANEL_COLUMNS] = turned;
    }
    if (failed && lane == 0 && tile.block == 0) p.info[matrix] = 1;
    __syncthreads();
    GPUNP_UNROLL
    for (int i = 0; i < R; i++) {
        if (first_row + tile.row(i) >= p.rows) continue;
        T* target = a + targets[tile.row(i)] * p.stride + column;
        // Until a row's pivot it has multipliers.
        GPUNP_UNROLL
        for (int c = 0; c < 2; c++) {
            if (column + c >= p.columns) continue;
            const int at = tile.row(i);
            const bool below = column + c < steps && ends[at] > column + c;
            target[c] = below ? shared.multipliers[column + c][at / Panel::VECTOR].values[at % Panel::VECTOR]
                              : tile.x[c][i];
        }
    }
}

}  // namespace linalg
}  // namespace gpunp
#endif
