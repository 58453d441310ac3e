// LU factors of a panel that one thread block holds a few columns of, and what these do to the others.
//
// A column costs one barrier of the block, half of what an exchange between the blocks of a cluster costs.
// The panel goes from memory to memory with each of its parts, so that rows are exchanged while they are
// copied.
#pragma once
#include "gpunp/linalg_keys.h"
#include "gpunp/linalg_panel.h"
#include "gpunp/linalg_panel_lu.h"

#if GPUNP_ON_DEVICE
namespace gpunp {
namespace linalg {

// A row on its way: its elements, which one it was before the panel, and before these columns.
template <class T, int C>
struct alignas(16) NarrowRow {
    T values[C];
    int origin, before;
};

template <class T, int C>
struct NarrowMemory {
    // What the warps offer, and what is at the place of the pivot; every other column uses one.
    NarrowRow<T, C> offers[2][NARROW_THREADS / 32], tops[2];
    key_t<T> keys[2][NARROW_THREADS / 32];
    int places[2][NARROW_THREADS / 32], displaced;
};

template <class T, int C>
__device__ inline void give_row(NarrowRow<T, C>& target, const T (&x)[C], int origin, int before) {
    constexpr int V = RowVector<T>::SIZE;
    GPUNP_UNROLL
    for (int c = 0; c < C; c += V) {
        RowVector<T> v;
        GPUNP_UNROLL
        for (int i = 0; i < V; i++) v.values[i] = x[c + i];
        *reinterpret_cast<RowVector<T>*>(&target.values[c]) = v;
    }
    target.origin = origin;
    target.before = before;
}

template <class T, int C>
__device__ inline void take_row(const NarrowRow<T, C>& source, T (&x)[C]) {
    constexpr int V = RowVector<T>::SIZE;
    GPUNP_UNROLL
    for (int c = 0; c < C; c += V) {
        const RowVector<T> v = *reinterpret_cast<const RowVector<T>*>(&source.values[c]);
        GPUNP_UNROLL
        for (int i = 0; i < V; i++) x[c + i] = v.values[i];
    }
}

// A thread has R whole rows of C columns. The column that is next is always the first: every step moves the
// others, which it changes, one place to the front, and puts the multipliers last.
template <class T, int R, int C>
__device__ void lu_narrow(const PanelNarrowParams& p) {
    __shared__ NarrowMemory<T, C> shared;
    const int64_t matrix = blockIdx.x;
    const int t = threadIdx.x, threads = blockDim.x, lane = t % 32, warp = t / 32, warps = threads / 32;
    const int first = p.first, rows = p.rows - first, columns = p.columns;
    const T* source =
        static_cast<const T*>(p.source) + matrix * p.source_step + first * p.source_stride + first;
    T* target = static_cast<T*>(p.target) + matrix * p.target_step + first * p.target_stride + first;
    int32_t* origins = p.origins + matrix * p.rows_step + first;
    int32_t* sources = p.sources + matrix * p.rows_step;
    int32_t* moves = p.moves + matrix * p.moves_step;
    T x[R][C];
    int origin[R], before[R];
    GPUNP_UNROLL
    for (int r = 0; r < R; r++) {
        const int i = t + r * threads;
        const T* from = source + (i < rows ? i : 0) * p.source_stride;
        before[r] = i;
        origin[r] = first == 0 || i >= rows ? i : origins[i];
        GPUNP_UNROLL
        for (int c = 0; c < C; c++) x[r][c] = from[c < columns ? c : 0];
        GPUNP_UNROLL
        for (int c = 0; c < C; c++) {
            if (i >= rows || c >= columns) x[r][c] = 0;
        }
    }
    const int steps = rows < columns ? rows : columns;
    int odd = 0;
    bool failed = false;
#pragma unroll 1
    for (int k = 0; k < C; k++) {
        const int turn = k % 2;
        T u[C], inverse = 0;
        GPUNP_UNROLL
        for (int c = 0; c < C; c++) u[c] = 0;
        if (k < steps) {
            key_t<T> best = 0;
            int which = 0;
            GPUNP_UNROLL
            for (int r = 0; r < R; r++) {
                const int i = t + r * threads;
                const key_t<T> key = i >= k && i < rows ? key_of(x[r][0]) : 0;
                if (key > best) best = key, which = r;
            }
            const key_t<T> found = greatest(best);
            if (lane == __ffs((int)__ballot_sync(~0u, best == found)) - 1) {
                shared.keys[turn][warp] = found;
                shared.places[turn][warp] = t + which * threads;
                GPUNP_UNROLL
                for (int r = 0; r < R; r++) {
                    if (which == r) give_row(shared.offers[turn][warp], x[r], origin[r], before[r]);
                }
            }
            if (t == k) give_row(shared.tops[turn], x[0], origin[0], before[0]);
            __syncthreads();
            const key_t<T> key = lane < warps ? shared.keys[turn][lane] : 0;
            const int winner = __ffs((int)__ballot_sync(~0u, key == greatest(key))) - 1;
            const int place = shared.places[turn][winner];
            const NarrowRow<T, C>& row = shared.offers[turn][winner];
            take_row(row, u);
            if (place != k) {
                odd ^= 1;
                GPUNP_UNROLL
                for (int r = 0; r < R; r++) {
                    if (place != t + r * threads) continue;
                    take_row(shared.tops[turn], x[r]);
                    origin[r] = shared.tops[turn].origin;
                    before[r] = shared.tops[turn].before;
                }
                if (t == k) {
                    GPUNP_UNROLL
                    for (int c = 0; c < C; c++) x[0][c] = u[c];
                    origin[0] = row.origin;
                    before[0] = row.before;
                }
            }
            failed = failed || u[0] == 0;
            inverse = u[0] == 0 ? T(0) : reciprocal(u[0]);
        }
        const bool plain = inverse - inverse == 0;
        GPUNP_UNROLL
        for (int r = 0; r < R; r++) {
            // Rows up to the pivot's are done; of the others none is among the first.
            const bool done = r == 0 && (t <= k || k >= steps);
            T factor = k >= steps ? T(0) : plain ? x[r][0] * inverse : x[r][0] / u[0];
            const T last = done || k >= steps ? x[r][0] : factor;
            GPUNP_UNROLL
            for (int c = 1; c < C; c++) {
                const T changed = fused(-factor, u[c], x[r][c]);
                x[r][c - 1] = done ? x[r][c] : changed;
            }
            x[r][C - 1] = last;
        }
    }
    if (t == 0) {
        shared.displaced = 0;
        moves[3 * PANEL_COLUMNS] = first == 0 ? odd : moves[3 * PANEL_COLUMNS] ^ odd;
        if (failed) p.info[matrix] = 1;
    }
    __syncthreads();
    GPUNP_UNROLL
    for (int r = 0; r < R; r++) {
        const int i = t + r * threads;
        if (i >= rows) continue;
        GPUNP_UNROLL
        for (int c = 0; c < C; c++) {
            if (c < columns) target[i * p.target_stride + c] = x[r][c];
        }
        origins[i] = origin[r];
        sources[i] = before[r];
    }
    if (!p.last) return;
    // Where the panel's rows come from, and which of the others have got one of the first.
    GPUNP_UNROLL
    for (int r = 0; r < R; r++) {
        const int i = first + t + r * threads;
        if (i >= p.rows || i < p.width || origin[r] == i) continue;
        const int slot = atomicAdd(&shared.displaced, 1);
        moves[PANEL_COLUMNS + 2 * slot] = i;
        moves[PANEL_COLUMNS + 2 * slot + 1] = origin[r];
    }
    __syncthreads();
    const int32_t* all = p.origins + matrix * p.rows_step;
    for (int i = t; i < PANEL_COLUMNS; i += threads) {
        if (i < p.width) moves[i] = all[i];
        if (i >= shared.displaced) moves[PANEL_COLUMNS + 2 * i] = moves[PANEL_COLUMNS + 2 * i + 1] = -1;
    }
}

// What the columns of `lu_narrow` do to the others of the panel: rows are exchanged, and right of them taken
// out. A block has some rows, a thread a column.
template <class T, int C>
__device__ void narrow_rest_of(const PanelNarrowParams& p, int64_t matrix) {
    constexpr int EACH = NARROW_REST_ROWS / (NARROW_REST_THREADS / PANEL_COLUMNS);
    __shared__ __align__(16) T factors[NARROW_REST_ROWS][C], triangle[C][C];
    const int j = threadIdx.x % PANEL_COLUMNS, group = threadIdx.x / PANEL_COLUMNS;
    const int first = p.first, end = first + p.columns, start = blockIdx.x * NARROW_REST_ROWS;
    const T* source = static_cast<const T*>(p.source) + matrix * p.source_step;
    T* target = static_cast<T*>(p.target) + matrix * p.target_step;
    const int32_t* sources = p.sources + matrix * p.rows_step;
    const bool right = j >= end && j < p.width;
    // All loads are under way together.
    T x[EACH], u[C];
    GPUNP_UNROLL
    for (int e = 0; e < EACH; e++) {
        const int i = start + group + e * (NARROW_REST_THREADS / PANEL_COLUMNS), at = i < p.rows ? i : 0;
        const int from = at < first ? at : first + sources[at - first];
        x[e] = source[from * p.source_stride + (j < p.width ? j : 0)];
    }
    GPUNP_UNROLL
    for (int c = 0; c < C; c++) {
        const int from = first + sources[c < p.columns ? c : 0];
        u[c] = right && c < p.columns ? source[from * p.source_stride + j] : T(0);
    }
    for (int e = threadIdx.x; e < NARROW_REST_ROWS * C; e += NARROW_REST_THREADS) {
        const int i = start + e / C, c = e % C;
        factors[e / C][c] =
            i >= first && i < p.rows && c < p.columns ? target[i * p.target_stride + first + c] : T(0);
    }
    for (int e = threadIdx.x; e < C * C; e += NARROW_REST_THREADS) {
        const int i = e / C, c = e % C;
        triangle[c][i] = i < p.columns && c < i ? target[(first + i) * p.target_stride + first + c] : T(0);
    }
    __syncthreads();
    GPUNP_UNROLL
    for (int c = 0; c < C; c++) {
        GPUNP_UNROLL
        for (int i = 0; i < C; i++) {
            if (i > c) u[i] = fused(-triangle[c][i], u[c], u[i]);
        }
    }
    GPUNP_UNROLL
    for (int e = 0; e < EACH; e++) {
        const int local = group + e * (NARROW_REST_THREADS / PANEL_COLUMNS), i = start + local;
        T value = x[e];
        GPUNP_UNROLL
        for (int c = 0; c < C; c++) {
            // A row of the triangle is the same with its ones: the sum so far is what was solved for.
            value = i < first + c + 1 ? value : fused(-factors[local][c], u[c], value);
        }
        const bool own = j >= first && j < end;
        if (i < p.rows && j < p.width && (i < first || !own)) target[i * p.target_stride + j] = value;
    }
}

template <class T, int C>
__device__ void narrow_rest(const PanelNarrowParams& p) {
    for (int64_t matrix = blockIdx.y; matrix < p.matrices; matrix += gridDim.y) {
        narrow_rest_of<T, C>(p, matrix);
        __syncthreads();
    }
}

}  // namespace linalg
}  // namespace gpunp

// With R rows a thread and C columns.
#define GPUNP_NARROW_PANELS(T, R, C)                                                 \
    extern "C" __global__ void __launch_bounds__(::gpunp::NARROW_THREADS)            \
        lu_narrow_##R##_##T(const __grid_constant__::gpunp::PanelNarrowParams p) {   \
        ::gpunp::linalg::lu_narrow<::gpunp::T, R, C>(p);                             \
    }                                                                                \
    extern "C" __global__ void __launch_bounds__(::gpunp::NARROW_REST_THREADS)       \
        narrow_rest_##R##_##T(const __grid_constant__::gpunp::PanelNarrowParams p) { \
        ::gpunp::linalg::narrow_rest<::gpunp::T, C>(p);                              \
    }
#else
#define GPUNP_NARROW_PANELS(T, R, C)
#endif
