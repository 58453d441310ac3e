// What a panel does to the rest of a matrix besides matrix products: row exchanges, and triangular systems of
// the panel's size.
#pragma once
#include "gpunp/common/vector.h"
#include "gpunp/linalg/panel_params.h"
#include "gpunp/linalg/scalar.h"

#if GPUNP_ON_DEVICE
namespace gpunp {
namespace linalg {

// Each block holds a strip of columns of one matrix; each thread holds one column, and every STRIP_GROUPS-th
// row of it.
constexpr int STRIP_GROUPS = PANEL_STRIP_THREADS / PANEL_STRIP, STRIP_ROWS = PANEL_COLUMNS / STRIP_GROUPS,
              STEP_ROWS = PANEL_STEP / STRIP_GROUPS, STEPS = PANEL_COLUMNS / PANEL_STEP;

// The triangle of the panel in lower form, the inverses of its diagonal blocks and of its diagonal elements,
// and rows that the threads exchange.
template <class T>
struct StripMemory {
    T triangle[PANEL_COLUMNS][PANEL_STRIDE], blocks[STEPS][PANEL_STEP][PANEL_STEP + 4],
        diagonal[PANEL_COLUMNS];
    T rows[2][PANEL_STEP][PANEL_STRIP];
};

template <class T>
__device__ void load_triangle(const PanelRowsParams& p, int64_t matrix, StripMemory<T>& shared) {
    constexpr int N = PANEL_COLUMNS;
    const T* source = static_cast<const T*>(p.triangle) + matrix * p.triangle_step;
    const int size = p.size, j = threadIdx.x % N;
    const bool upper = p.flags & PANEL_UPPER, transposed = p.flags & PANEL_TRANSPOSED;
    // Clear the diagonal blocks; the rows beyond the triangle are those of the identity.
    for (int e = threadIdx.x; e < N * PANEL_STEP; e += PANEL_STRIP_THREADS) {
        const int i = e / PANEL_STEP;
        shared.triangle[i][i / PANEL_STEP * PANEL_STEP + e % PANEL_STEP] = 0;
    }
    for (int i = size; i < N; i++) {
        if (threadIdx.x < i) shared.triangle[i][threadIdx.x] = 0;
    }
    __syncthreads();
    // All loads are unconditional, from within the triangle's memory, so that many are in flight at a time.
    constexpr int BATCH = 32, ROWS = PANEL_STRIP_THREADS / N;
    const bool above = upper || transposed;
    const int step = upper ? -PANEL_STRIDE : transposed ? 1 : PANEL_STRIDE;
    T* place = &shared.triangle[0][0];
    place += upper ? (size - 1) * PANEL_STRIDE + size - 1 - j : transposed ? j * PANEL_STRIDE : j;
    for (int start = threadIdx.x / N; start < N; start += BATCH * ROWS) {
        T values[BATCH];
        GPUNP_UNROLL
        for (int r = 0; r < BATCH; r++) {
            const int i = start + r * ROWS;
            values[r] = source[(i < size ? i : 0) * p.triangle_stride + (j < size ? j : 0)];
        }
        GPUNP_UNROLL
        for (int r = 0; r < BATCH; r++) {
            const int i = start + r * ROWS;
            if (i < size && j < size && (above ? j > i : j < i)) place[i * step] = values[r];
        }
    }
    if (threadIdx.x < N) {
        T element = 1, inverse = 1;
        const int at = upper ? size - 1 - j : j;
        if (j < size && p.inverses) {
            inverse = static_cast<const T*>(p.inverses)[matrix * p.inverses_step + at];
        } else if (j < size && p.flags & PANEL_DIAGONAL) {
            element = source[at * p.triangle_stride + at];
            inverse = 1 / element;
        }
        shared.triangle[j][j] = element;
        shared.diagonal[j] = inverse;
    }
}

// One warp inverts a diagonal block; each lane computes one column.
template <class T>
__device__ void invert_block(StripMemory<T>& shared, int step) {
    const int lane = threadIdx.x % 32, start = step * PANEL_STEP;
    static_assert(PANEL_STEP == 32, "one column per lane");
    T x[PANEL_STEP];
    GPUNP_UNROLL
    for (int i = 0; i < PANEL_STEP; i++) {
        T value = i == lane;
        GPUNP_UNROLL
        for (int k = 0; k < i; k += 4) {
            const Vector<T, 4> l =
                *reinterpret_cast<const Vector<T, 4>*>(&shared.triangle[start + i][start + k]);
            GPUNP_UNROLL
            for (int j = 0; j < 4; j++) {
                if (k + j < i) value = fused(-l.at[j], x[k + j], value);
            }
        }
        x[i] = value * shared.diagonal[start + i];
        shared.blocks[step][i][lane] = x[i];
    }
}

// Products of rows of a matrix with the rows that the threads have exchanged through shared memory.
template <class T, int N>
__device__ inline void row_products(const T* matrix, int stride, const T (*rows)[PANEL_STRIP], T (&sums)[N]) {
    const int column = threadIdx.x % PANEL_STRIP, group = threadIdx.x / PANEL_STRIP;
    GPUNP_UNROLL
    for (int i = 0; i < N; i++) sums[i] = 0;
#pragma unroll 4
    for (int k = 0; k < PANEL_STEP; k += 4) {
        T y[4];
        GPUNP_UNROLL
        for (int j = 0; j < 4; j++) y[j] = rows[k + j][column];
        GPUNP_UNROLL
        for (int i = 0; i < N; i++) {
            const Vector<T, 4> l =
                *reinterpret_cast<const Vector<T, 4>*>(matrix + (group + STRIP_GROUPS * i) * stride + k);
            GPUNP_UNROLL
            for (int j = 0; j < 4; j++) sums[i] = fused(l.at[j], y[j], sums[i]);
        }
    }
}

// Solves PANEL_STEP rows and subtracts their contribution from the rows below.
template <class T, int STEP>
__device__ inline void solve_step(StripMemory<T>& shared, T (&x)[STRIP_ROWS], bool refined) {
    constexpr int FIRST = STEP * STEP_ROWS, START = STEP * PANEL_STEP, BELOW = STRIP_ROWS - FIRST - STEP_ROWS;
    const int column = threadIdx.x % PANEL_STRIP, group = threadIdx.x / PANEL_STRIP;
    const T* triangle = &shared.triangle[START][START];
    const T* inverse = &shared.blocks[STEP][0][0];
    auto give = [&](int to, const T* values) {
        GPUNP_UNROLL
        for (int i = 0; i < STEP_ROWS; i++) shared.rows[to][group + STRIP_GROUPS * i][column] = values[i];
        __syncthreads();
    };
    T y[STEP_ROWS], change[STEP_ROWS];
    give(0, x + FIRST);
    row_products(inverse, PANEL_STEP + 4, shared.rows[0], y);
    if (refined) {
        // The inverse alone could leave a larger residual than substitution: refine once.
        give(1, y);
        row_products(triangle, PANEL_STRIDE, shared.rows[1], change);
        GPUNP_UNROLL
        for (int i = 0; i < STEP_ROWS; i++) change[i] = x[FIRST + i] - change[i];
        give(0, change);
        row_products(inverse, PANEL_STEP + 4, shared.rows[0], change);
        GPUNP_UNROLL
        for (int i = 0; i < STEP_ROWS; i++) y[i] += change[i];
    }
    GPUNP_UNROLL
    for (int i = 0; i < STEP_ROWS; i++) x[FIRST + i] = y[i];
    if constexpr (BELOW > 0) {
        T sums[BELOW];
        give(1, y);
        row_products(triangle + PANEL_STEP * PANEL_STRIDE, PANEL_STRIDE, shared.rows[1], sums);
        GPUNP_UNROLL
        for (int i = 0; i < BELOW; i++) x[FIRST + STEP_ROWS + i] -= sums[i];
    }
}

template <class T>
__device__ void panel_rows_of(const PanelRowsParams& p, int64_t matrix) {
    extern __shared__ __align__(16) char memory[];
    StripMemory<T>& shared = *reinterpret_cast<StripMemory<T>*>(memory);
    static_assert(sizeof(shared) == PANEL_STRIP_ELEMENTS * sizeof(T), "must match the launch");
    const int size = p.size, group = threadIdx.x / PANEL_STRIP, warp = threadIdx.x / 32;
    const int64_t column = (int64_t)blockIdx.x * PANEL_STRIP + threadIdx.x % PANEL_STRIP;
    const bool inside = column < p.columns, upper = p.flags & PANEL_UPPER;
    T* b = static_cast<T*>(p.b) + matrix * p.b_step + (inside ? column : 0);
    const int32_t* moves = p.moves ? p.moves + matrix * p.moves_step : nullptr;
    T x[STRIP_ROWS], other[STRIP_ROWS];
    int from[STRIP_ROWS], to[STRIP_ROWS], others[STRIP_ROWS];
    // Elements that are not needed are loaded from the first row, so that all loads are in flight together.
    GPUNP_UNROLL
    for (int t = 0; t < STRIP_ROWS; t++) {
        const int i = group + STRIP_GROUPS * t, at = i < size ? i : 0;
        from[t] = moves ? moves[at] : upper ? size - 1 - at : at;
        to[t] = moves ? moves[PANEL_COLUMNS + 2 * at] : -1;
        others[t] = moves ? moves[PANEL_COLUMNS + 2 * at + 1] : 0;
    }
    GPUNP_UNROLL
    for (int t = 0; t < STRIP_ROWS; t++) {
        x[t] = b[from[t] * p.stride];
        other[t] = b[(to[t] < 0 ? from[t] : others[t]) * p.stride];
    }
    GPUNP_UNROLL
    for (int t = 0; t < STRIP_ROWS; t++) {
        const bool valid = group + STRIP_GROUPS * t < size && inside;
        if (!valid) x[t] = 0, to[t] = -1;
    }
    load_triangle(p, matrix, shared);
    __syncthreads();
    if (warp < STEPS) invert_block(shared, warp);
    GPUNP_UNROLL
    for (int t = 0; t < STRIP_ROWS; t++) {
        if (to[t] >= 0) b[to[t] * p.stride] = other[t];
    }
    __syncthreads();
    const bool refined = !p.inverses;
    static_assert(STEPS == 4, "one call per step");
    solve_step<T, 0>(shared, x, refined);
    solve_step<T, 1>(shared, x, refined);
    solve_step<T, 2>(shared, x, refined);
    solve_step<T, 3>(shared, x, refined);
    GPUNP_UNROLL
    for (int t = 0; t < STRIP_ROWS; t++) {
        const int i = group + STRIP_GROUPS * t;
        if (i < size && inside) b[(upper ? size - 1 - i : i) * p.stride] = x[t];
    }
}

template <class T>
__device__ void panel_rows(const PanelRowsParams& p) {
    for (int64_t matrix = blockIdx.y; matrix < p.matrices; matrix += gridDim.y) {
        panel_rows_of<T>(p, matrix);
        __syncthreads();
    }
}

}  // namespace linalg
}  // namespace gpunp
#endif
