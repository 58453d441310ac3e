// LU factorization of a panel with partial pivoting, in the registers of a cluster of blocks.
#pragma once
#include "gpunp/common/warp.h"
#include "gpunp/linalg/keys.h"
#include "gpunp/linalg/panel_lu_tile.h"
#include "gpunp/linalg/panel_moves.h"

#if GPUNP_ON_DEVICE
namespace gpunp {
namespace linalg {

// The hardware's approximation of 1 / x.
__device__ inline float inverse_seed(float x) {
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
__device__ inline double inverse_seed(double x) {
    double y;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    return y;
}

// Replaces divisions by x of numbers no greater than x in magnitude: multiply by `scale`, a power of two,
// then by `inverse` = 1 / (x * scale). Accurate to an ulp or two; x = 0 gives zero.
template <class T>
struct Divisor {
    static constexpr bool SINGLE = sizeof(T) == 4;
    T scale, inverse;

    __device__ explicit Divisor(T x) {
        constexpr T LOW = SINGLE ? 0x1p-100 : 0x1p-1000, HIGH = SINGLE ? 0x1p100 : 0x1p1000;
        constexpr T UP = SINGLE ? 0x1p60 : 0x1p600, DOWN = SINGLE ? 0x1p-60 : 0x1p-600;
        scale = magnitude(x) < LOW ? UP : magnitude(x) > HIGH ? DOWN : T(1);
        const T scaled = x * scale, seed = inverse_seed(scaled);
        T y = fused(fused(-scaled, seed, T(1)), seed, seed);
        if (!SINGLE) y = fused(fused(-scaled, y, T(1)), y, y);
        inverse = x == 0 ? T(0) : x - x == 0 ? y : seed;
    }
};

// The warp that holds a column leads: it finds the pivot and the multipliers and publishes them in shared
// memory for the warps to its right. The warp that leads next follows column by column, the others one group
// of columns at a time. Rows stay in place until the end; a pivot's row is only marked as done.
template <class T, int V>
struct LuPanel : LuTile<T, V> {
    using Tile = LuTile<T, V>;
    using Tile::block, Tile::blocks, Tile::done, Tile::first, Tile::lane, Tile::ROWS, Tile::shared,
        Tile::warp, Tile::x;
    using Tile::read_multipliers, Tile::read_row, Tile::send_row, Tile::update, Tile::write_multipliers;
    using typename Tile::Memory;

    bool failed = false;

    using Tile::Tile;

    __device__ void send_pivot(int k, T* target, cluster::Mailbox* mailbox) {
        const int place = shared.pivots[k] % ROWS;
        send_row(lane == place / V, place % V, target, mailbox);
        if (lane == place / V) done |= 1u << place % V;
    }

    // Applies column k, of the group left of the warp's, to the warp's columns.
    __device__ void follow(int k) {
        T* received = shared.rows[warp * (warp - 1) / 2 + warp - 1][k % WARP_COLUMNS];
        T y[V], row[WARP_COLUMNS];
        shared.ready[k].wait(0);
        if (shared.pivots[k] / ROWS == block) send_pivot(k, received, &shared.next[k]);
        read_multipliers(k, y);
        shared.next[k].wait_by_warp(0);
        read_row(received, row);
        update(row, y);
    }

    // Applies a group of columns further left. Each block sends the pivot rows that it holds, with their
    // values from before the group.
    __device__ void follow_group(int group, int steps) {
        const int slot = warp * (warp - 1) / 2 + group, start = group * WARP_COLUMNS;
        const int count = min(WARP_COLUMNS, steps - start), c = lane % WARP_COLUMNS;
        auto& rows = shared.rows[slot];
        // Stagger the followers, so that their messages fall between those of the leaders.
        shared.ready[min(start + count - 1 + (warp - group - 2) % WARP_COLUMNS, steps - 1)].wait(0);
        for (unsigned owned = shared.owned[group]; owned; owned &= owned - 1) {
            const int at = __ffs((int)owned) - 1;
            send_pivot(start + at, rows[at], &shared.groups[slot]);
        }
        shared.groups[slot].wait_by_warp(0);
        // Each lane solves for the rows of one column.
        T u[WARP_COLUMNS];
        GPUNP_UNROLL
        for (int i = 0; i < WARP_COLUMNS; i++) {
            if (i >= count) break;
            T head[WARP_COLUMNS];
            read_row(shared.heads[start + i], head);
            u[i] = rows[i][c];
            GPUNP_UNROLL
            for (int j = 0; j < i; j++) u[i] = fused(-u[j], head[j], u[i]);
        }
        __syncwarp();
        GPUNP_UNROLL
        for (int i = 0; i < WARP_COLUMNS; i++) {
            if (i < count && lane < WARP_COLUMNS) rows[i][c] = u[i];
        }
        __syncwarp();
#pragma unroll 2
        for (int i = 0; i < count; i++) {
            T y[V], row[WARP_COLUMNS];
            read_multipliers(start + i, y);
            read_row(rows[i], row);
            update(row, y);
        }
    }

    // The key of the lane's greatest element of a column among rows not done, 0 if there is none, and its
    // index.
    __device__ key_t<T> greatest_of(const T (&values)[V], int* where) const {
        key_t<T> keys[V];
        int places[V];
        GPUNP_UNROLL
        for (int i = 0; i < V; i++) keys[i] = done >> i & 1 ? 0 : key_of(values[i]), places[i] = i;
        GPUNP_UNROLL
        for (int n = V / 2; n; n /= 2) {
            GPUNP_UNROLL
            for (int i = 0; i < n; i++) {
                const bool second = keys[2 * i + 1] > keys[2 * i];
                keys[i] = second ? keys[2 * i + 1] : keys[2 * i];
                places[i] = second ? places[2 * i + 1] : places[2 * i];
            }
        }
        *where = places[0];
        return keys[0];
    }

    // Finds the pivot and the multipliers of the warp's column `at`, column k of the panel. Costs one
    // exchange in the cluster: each block offers its greatest element together with its row.
    __device__ void lead(int at, int k, unsigned* owned) {
        cluster::Mailbox* mailbox = &shared.offered[k % 2];
        auto& offers = shared.offers[k % 2];
        int* places = shared.places[k % 2];
        if (lane == 0) mailbox->expect(blocks * (WARP_COLUMNS * sizeof(T) + sizeof(int)));
        int where;
        const key_t<T> best = greatest_of(x[at], &where);
        const unsigned equals = greatest_lanes(best);
        const bool mine = (equals & ((2u << lane) - 1)) == 1u << lane;
        if (mine) places[block] = best == 0 ? -1 : lane * V + where;
        send_row(mine, where, offers[block], mailbox);
        if (!cluster::alone() && lane < blocks) cluster::send(&places[block], mailbox, lane, places[block]);
        mailbox->wait_by_warp(k / 2 % 2);

        // Lane 31 examines the offer of block 0, so that __clz finds the first block with the greatest
        // element.
        const int from = (31 - lane) % cluster::MOST_BLOCKS, offered = places[from];
        const T candidate = offers[from][at];
        const int winner =
            __clz((int)greatest_lanes(31 - lane < blocks && offered >= 0 ? key_of(candidate) : 0));
        const Divisor<T> divisor(candidate);
        const int place = places[winner];
        T row[WARP_COLUMNS], y[V];
        read_row(offers[winner], row);
        const T head = offers[winner][lane % WARP_COLUMNS];
        const T scale = warp::shuffle_number(divisor.scale, 31 - winner),
                inverse = warp::shuffle_number(divisor.inverse, 31 - winner);
        if (winner == block) {
            *owned |= 1u << at;
            if (lane == place / V) done |= 1u << place % V;
        }
        failed = failed || row[at] == 0;  // the rest of the column is zero
        GPUNP_UNROLL
        for (int i = 0; i < V; i++) {
            const bool is_done = done >> i & 1;
            y[i] = is_done ? T(0) : x[at][i] * scale * inverse;
            x[at][i] = is_done ? x[at][i] : y[i];
        }
        write_multipliers(k, y);
        if (lane < WARP_COLUMNS) shared.heads[k][lane] = head;
        if (lane == 0) shared.pivots[k] = winner * ROWS + place, shared.owned[warp] = *owned;
        // The offers have been read before any lane overwrites them, and what followers read has been
        // written.
        __syncwarp();
        if (lane == 0) shared.ready[k].announce();
        update(row, y, at);
    }

    __device__ void factor(int steps, int columns) {
        if (first >= columns) return;
        for (int group = 0; group + 1 < warp && group * WARP_COLUMNS < steps; group++)
            follow_group(group, steps);
        for (int k = max(first - WARP_COLUMNS, 0); k < first && k < steps; k++) follow(k);
        unsigned owned = 0;
        GPUNP_UNROLL
        for (int at = 0; at < WARP_COLUMNS; at++) {
            if (first + at < steps) lead(at, first + at, &owned);
        }
    }
};

// Factors the panel of one matrix by one cluster, whose blocks hold 8 R rows each.
template <class T, int R>
__device__ void lu_panel(const PanelLuParams& p) {
    using Panel = LuPanel<T, R / 4>;
    extern __shared__ __align__(16) char memory[];
    auto& shared = *reinterpret_cast<typename Panel::Memory*>(memory);
    static_assert(sizeof(shared) <= panel_bytes(Panel::ROWS, sizeof(T)), "must fit the launch");
    __shared__ Moves moved;
    __shared__ int targets[Panel::ROWS];
    Panel panel(shared);
    const int64_t matrix = cluster::index();
    T* a = static_cast<T*>(p.a) + matrix * p.a_step;
    int32_t* moves = p.moves + matrix * p.moves_step;
    const int steps = p.rows < p.columns ? p.rows : p.columns, t = threadIdx.x;
    panel.load(a, p.stride, p.rows, p.columns);
    // No block may send before all have started.
    cluster::sync();
    panel.factor(steps, p.columns);
    if (panel.failed && panel.lane == 0 && panel.block == 0) p.info[matrix] = 1;
    __syncthreads();
    const int first_row = panel.block * Panel::ROWS;
    for (int i = t; i < Panel::ROWS; i += PANEL_THREADS) targets[i] = first_row + i;
    moved.find(shared.pivots, steps);
    if (t < steps) {
        const int at = shared.pivots[t] - first_row;
        if (at >= 0 && at < Panel::ROWS) targets[at] = t;
    }
    if (panel.block == 0) {
        if (t < PANEL_COLUMNS) {
            if (moved.left[t] >= 0) targets[moved.left[t]] = moved.holes[t];
            if (t < steps) moves[t] = shared.pivots[t];
            moves[PANEL_COLUMNS + 2 * t] = moved.holes[t];
            moves[PANEL_COLUMNS + 2 * t + 1] = moved.left[t];
        }
        const bool odd = moved.odd(shared.pivots, steps);
        if (t == 0) moves[3 * PANEL_COLUMNS] = odd;
    }
    // store() has a barrier between these writes to `targets` and its reads.
    panel.store(a, p.stride, p.rows, p.columns, targets);
}

}  // namespace linalg
}  // namespace gpunp
#endif
