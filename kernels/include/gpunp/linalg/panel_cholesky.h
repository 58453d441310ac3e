// Cholesky factorization of a diagonal block of a large matrix, in the shared memory of one thread block.
#pragma once
#include "gpunp/common/vector.h"
#include "gpunp/common/warp.h"
#include "gpunp/linalg/panel_rows.h"

#if GPUNP_ON_DEVICE
namespace gpunp {
namespace linalg {

// Rows factored per step.
constexpr int FACTOR_STEP = 16;

// The square root of a positive number and its inverse, to an ulp or two, without a division.
__device__ inline void root_and_inverse(float x, float* value, float* inverse) {
    float y;
    asm("rsqrt.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    const float near = x * y;
    y = fmaf(0.5f * y, fmaf(-near, y, 1.0f), y);
    // The correction gives NaN for zero and infinity, which are their own roots; the inverse becomes zero.
    *value = x * 0.5f == x ? x : fmaf(fmaf(-near, near, x), 0.5f * y, near);
    *inverse = x * 0.5f == x ? 0.0f : y;
}
__device__ inline void root_and_inverse(double x, double* value, double* inverse) {
    *value = sqrt(x);
    *inverse = rsqrt(x);
}

template <class T>
struct FactorMemory {
    T block[PANEL_COLUMNS][PANEL_STRIDE], inverses[PANEL_COLUMNS];
};

// One warp factors the FACTOR_STEP x FACTOR_STEP corner at `start`. Each lane keeps one column in registers;
// both half-warps hold the same columns. Returns whether the corner is positive definite.
template <class T>
__device__ inline bool factor_corner(FactorMemory<T>& shared, int start) {
    const int lane = threadIdx.x % 32, column = lane % FACTOR_STEP;
    T x[FACTOR_STEP];
    bool fine = true;
    GPUNP_UNROLL
    for (int i = 0; i < FACTOR_STEP; i++) x[i] = shared.block[start + i][start + column];
    GPUNP_UNROLL
    for (int k = 0; k < FACTOR_STEP; k++) {
        const T pivot = warp::shuffle_number(x[k], k);
        T diagonal, inverse;
        root_and_inverse(pivot, &diagonal, &inverse);
        fine = fine && pivot > 0;
        x[k] = column == k ? diagonal : x[k] * inverse;
        GPUNP_UNROLL
        for (int i = k + 1; i < FACTOR_STEP; i++) x[i] = fused(-warp::shuffle_number(x[k], i), x[k], x[i]);
        if (lane == k) shared.inverses[start + k] = inverse;
    }
    // Both half-warps must have read the corner before the first one overwrites it.
    __syncwarp();
    if (lane < FACTOR_STEP) {
        GPUNP_UNROLL
        for (int i = 0; i < FACTOR_STEP; i++) {
            if (i <= column) shared.block[start + i][start + column] = x[i];
        }
    }
    return fine;
}

// Each thread solves for the corner's rows in one column to the right of it.
template <class T>
__device__ inline void solve_column(FactorMemory<T>& shared, int start, int column) {
    T x[FACTOR_STEP];
    GPUNP_UNROLL
    for (int i = 0; i < FACTOR_STEP; i++) x[i] = shared.block[start + i][column];
    GPUNP_UNROLL
    for (int k = 0; k < FACTOR_STEP; k++) {
        x[k] *= shared.inverses[start + k];
        GPUNP_UNROLL
        for (int i = k / 4 * 4; i < FACTOR_STEP; i += 4) {
            const Vector<T, 4> u =
                *reinterpret_cast<const Vector<T, 4>*>(&shared.block[start + k][start + i]);
            GPUNP_UNROLL
            for (int j = 0; j < 4; j++) {
                if (i + j > k) x[i + j] = fused(-u.at[j], x[k], x[i + j]);
            }
        }
    }
    GPUNP_UNROLL
    for (int i = 0; i < FACTOR_STEP; i++) shared.block[start + i][column] = x[i];
}

// Subtracts the products of the corner's rows from the triangle below it, tile by tile.
template <class T>
__device__ inline void update_rest(FactorMemory<T>& shared, int start) {
    constexpr int V = 4;
    const int first = start + FACTOR_STEP, tiles = (PANEL_COLUMNS - first) / V;
    // Rows r and tiles - 1 - r of the triangle have tiles + 1 tiles together: a rectangle of indices.
    for (int e = threadIdx.x; e < tiles / 2 * (tiles + 1); e += PANEL_FACTOR_THREADS) {
        int row = e / (tiles + 1), column = row + e % (tiles + 1);
        if (column >= tiles) column -= row + 1, row = tiles - 1 - row;
        const int i = first + row * V, j = first + column * V;
        T sums[V][V] = {};
#pragma unroll 4
        for (int k = 0; k < FACTOR_STEP; k++) {
            const Vector<T, 4> left = *reinterpret_cast<const Vector<T, 4>*>(&shared.block[start + k][i]),
                               right = *reinterpret_cast<const Vector<T, 4>*>(&shared.block[start + k][j]);
            GPUNP_UNROLL
            for (int s = 0; s < V; s++) {
                GPUNP_UNROLL
                for (int t = 0; t < V; t++) sums[s][t] = fused(left.at[s], right.at[t], sums[s][t]);
            }
        }
        GPUNP_UNROLL
        for (int s = 0; s < V; s++) {
            GPUNP_UNROLL
            for (int t = 0; t < V; t++) shared.block[i + s][j + t] -= sums[s][t];
        }
    }
}

// Replaces the upper triangle by U, where a = U^T U; the lower triangle is neither read nor written.
template <class T>
__device__ void cholesky_block(const PanelLuParams& p) {
    extern __shared__ __align__(16) char memory[];
    FactorMemory<T>& shared = *reinterpret_cast<FactorMemory<T>*>(memory);
    static_assert(sizeof(shared) == PANEL_FACTOR_ELEMENTS * sizeof(T), "must match the launch");
    static_assert(PANEL_FACTOR_THREADS >= PANEL_COLUMNS && PANEL_FACTOR_THREADS % PANEL_COLUMNS == 0,
                  "the columns must divide the threads");
    constexpr int ROWS = PANEL_FACTOR_THREADS / PANEL_COLUMNS, EACH = PANEL_COLUMNS / ROWS, BATCH = 16;
    const int64_t matrix = blockIdx.x;
    T* a = static_cast<T*>(p.a) + matrix * p.a_step;
    const int j = threadIdx.x % PANEL_COLUMNS, above = threadIdx.x / PANEL_COLUMNS, size = p.columns;
    // Pad the matrix with the identity.
    for (int start = 0; start < EACH; start += BATCH) {
        T values[BATCH];
        GPUNP_UNROLL
        for (int r = 0; r < BATCH; r++) {
            const int i = above + (start + r) * ROWS;
            values[r] = i <= j && j < size ? a[i * p.stride + j] : T(i == j);
        }
        GPUNP_UNROLL
        for (int r = 0; r < BATCH; r++) shared.block[above + (start + r) * ROWS][j] = values[r];
    }
    __syncthreads();
    bool fine = true;
    for (int start = 0; start < size; start += FACTOR_STEP) {
        if (threadIdx.x < 32) fine = factor_corner(shared, start) && fine;
        __syncthreads();
        const int column = start + FACTOR_STEP + threadIdx.x;
        if (column < PANEL_COLUMNS) solve_column(shared, start, column);
        __syncthreads();
        update_rest(shared, start);
        __syncthreads();
    }
    if (!fine && threadIdx.x == 0) p.info[matrix] = 1;
#pragma unroll 8
    for (int r = 0; r < EACH; r++) {
        const int i = above + r * ROWS;
        if (i <= j && j < size) a[i * p.stride + j] = shared.block[i][j];
    }
}

}  // namespace linalg
}  // namespace gpunp
#endif
