// What a panel does to the rest of a matrix that no product of matrices does: exchanges of rows, and
// triangular systems as large as the panel.
#pragma once
#include "gpunp/linalg_panel_params.h"
#include "gpunp/linalg_scalar.h"

#if GPUNP_ON_DEVICE
namespace gpunp {
namespace linalg {

constexpr int STRIP_WARPS = PANEL_STRIP_THREADS / 32, STRIP_ROWS = PANEL_COLUMNS / STRIP_WARPS;

// Rows of the triangle in shared memory are apart by a vector more, so that columns are not all in one bank.
template <class T>
constexpr int TRIANGLE_STRIDE = PANEL_COLUMNS + 16 / sizeof(T);

// Eight neighbours of a row of the triangle, by loads of 16 bytes.
template <class T>
struct alignas(16) Eight {
    T values[STRIP_WARPS];
};

// The triangle of a matrix as a lower one into shared memory, with the inverses of its diagonal.
template <class T>
__device__ void load_triangle(const PanelRowsParams& p, int64_t matrix, T* triangle, T* inverses) {
    constexpr int N = PANEL_COLUMNS, LD = TRIANGLE_STRIDE<T>;
    const T* source = static_cast<const T*>(p.triangle) + matrix * p.triangle_step;
    const int size = p.size, j = threadIdx.x % N;
    const bool upper = p.flags & PANEL_UPPER, transposed = p.flags & PANEL_TRANSPOSED;
#pragma unroll 16
    for (int r = 0; r < N * N / PANEL_STRIP_THREADS; r++) {
        const int i = threadIdx.x / N + r * (PANEL_STRIP_THREADS / N);
        // Only what is above or below the diagonal.
        const bool inside = i < size && j < size && (upper || transposed ? j > i : j < i);
        const T value = inside ? source[i * p.triangle_stride + j] : T(0);
        if (inside) {
            const int at = upper ? (size - 1 - i) * LD + size - 1 - j : transposed ? j * LD + i : i * LD + j;
            triangle[at] = value;
        }
    }
    if (threadIdx.x < N) {
        T inverse = 1;
        const int at = upper ? size - 1 - j : j;
        if (j < size && p.inverses)
            inverse = static_cast<const T*>(p.inverses)[matrix * p.inverses_step + at];
        else if (j < size && p.flags & PANEL_DIAGONAL)
            inverse = 1 / source[at * p.triangle_stride + at];
        inverses[j] = inverse;
    }
}

// A block has a strip of columns of one matrix, a column for each lane; the rows go to its warps in turn.
template <class T>
__device__ void panel_rows_of(const PanelRowsParams& p, int64_t matrix) {
    extern __shared__ __align__(16) char memory[];
    T* triangle = reinterpret_cast<T*>(memory);
    T* shared = triangle + PANEL_COLUMNS * TRIANGLE_STRIDE<T>;
    T* inverses = shared + 2 * PANEL_STRIP_THREADS;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, size = p.size;
    const int64_t column = (int64_t)blockIdx.x * PANEL_STRIP + lane;
    const bool inside = column < p.columns, upper = p.flags & PANEL_UPPER;
    T* b = static_cast<T*>(p.b) + matrix * p.b_step + column;
    const int32_t* moves = p.moves ? p.moves + matrix * PANEL_MOVES : nullptr;
    T x[STRIP_ROWS], other[STRIP_ROWS];
    int to[STRIP_ROWS];
    GPUNP_UNROLL
    for (int t = 0; t < STRIP_ROWS; t++) {
        const int i = warp + STRIP_WARPS * t;
        x[t] = 0;
        to[t] = -1;
        if (i >= size || !inside) continue;
        int from = upper ? size - 1 - i : i;
        if (moves) {
            from = moves[i];
            to[t] = moves[PANEL_COLUMNS + 2 * i];
            if (to[t] >= 0) other[t] = b[moves[PANEL_COLUMNS + 2 * i + 1] * p.stride];
        }
        x[t] = b[from * p.stride];
    }
    load_triangle(p, matrix, triangle, inverses);
    __syncthreads();
    GPUNP_UNROLL
    for (int t = 0; t < STRIP_ROWS; t++) {
        if (to[t] >= 0) b[to[t] * p.stride] = other[t];
    }
    // Eight rows at a time, one of each warp: all warps solve them, and take them out of the rows that
    // follow. Rows beyond the triangle are zero, whatever is in the memory for them.
    GPUNP_UNROLL
    for (int t = 0; t < STRIP_ROWS; t++) {
        const int start = t * STRIP_WARPS;
        if (start >= size) continue;
        T* exchange = shared + t % 2 * PANEL_STRIP_THREADS;
        exchange[threadIdx.x] = x[t];
        __syncthreads();
        T y[STRIP_WARPS];
        GPUNP_UNROLL
        for (int i = 0; i < STRIP_WARPS; i++) {
            const Eight<T> row =
                *reinterpret_cast<const Eight<T>*>(triangle + (start + i) * TRIANGLE_STRIDE<T> + start);
            T value = exchange[i * 32 + lane];
            GPUNP_UNROLL
            for (int j = 0; j < i; j++) value = fused(-row.values[j], y[j], value);
            y[i] = start + i < size ? value * inverses[start + i] : T(0);
            if (i == warp) x[t] = y[i];
        }
        GPUNP_UNROLL
        for (int s = t + 1; s < STRIP_ROWS; s++) {
            if (warp + STRIP_WARPS * s >= size) continue;
            const Eight<T> row = *reinterpret_cast<const Eight<T>*>(
                triangle + (warp + STRIP_WARPS * s) * TRIANGLE_STRIDE<T> + start);
            GPUNP_UNROLL
            for (int j = 0; j < STRIP_WARPS; j++) x[s] = fused(-row.values[j], y[j], x[s]);
        }
    }
    GPUNP_UNROLL
    for (int t = 0; t < STRIP_ROWS; t++) {
        const int i = warp + STRIP_WARPS * t;
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
