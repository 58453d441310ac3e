// The tridiagonal form of a symmetric single-precision matrix, held in the registers of a whole GPU.
#pragma once
#include "gpunp/common/grid.h"
#include "gpunp/common/warp.h"
#include "gpunp/linalg/panel_params.h"
#include "gpunp/linalg/reflection.h"
#include "gpunp/linalg/scalar.h"

#if GPUNP_ON_DEVICE
namespace gpunp {
namespace linalg {

constexpr int GRID_WARPS = GRID_THREADS / 32, GRID_COLUMNS = GRID_MOST / GRID_THREADS;
static_assert(GRID_COLUMNS == 4 && GRID_ROWS == 16 && GRID_WARPS == 16, "the sums below assume these sizes");

struct GridMemory {
    // Double-buffered over columns: the reflector and its product with the matrix.
    float reflectors[2][GRID_MOST], images[2][GRID_MOST];
    float parts[2][GRID_WARPS][GRID_ROWS], of_warps[2][2][GRID_WARPS], column[2][GRID_ROWS], head[2];
};

__device__ inline float sum_of_all(const float (&of_warps)[GRID_WARPS]) {
    float sums[4] = {};
    GPUNP_UNROLL
    for (int i = 0; i < GRID_WARPS; i++) sums[i % 4] += of_warps[i];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// Sums N values over the lanes that differ in the bits N, N / 2, ..., 2; each lane gets the sum of one of
// them. Every step halves the number of values.
template <int N>
__device__ inline float sum_one_of(const float (&values)[N], int lane) {
    if constexpr (N == 1) {
        return values[0];
    } else {
        float left[N / 2];
        const bool upper = lane & N;
        GPUNP_UNROLL
        for (int i = 0; i < N / 2; i++) {
            const float sent = upper ? values[i] : values[i + N / 2];
            left[i] = (upper ? values[i + N / 2] : values[i]) + warp::shuffle_xor(sent, N);
        }
        return sum_one_of<N / 2>(left, lane);
    }
}

// Clears the partial sums of warps that the launch does not have but the sums below include.
__device__ __forceinline__ void clear_grid(GridMemory& shared) {
    for (int i = threadIdx.x; i < 2 * GRID_WARPS * GRID_ROWS; i += blockDim.x)
        (&shared.parts[0][0][0])[i] = 0;
    for (int i = threadIdx.x; i < 4 * GRID_WARPS; i += blockDim.x) (&shared.of_warps[0][0][0])[i] = 0;
}

// Loads each thread's part of the matrix and its elements of the first row, which by symmetry is the first
// column.
__device__ __forceinline__ void load_grid(const GridTridiagonalParams& p, int start, int first,
                                          float (&x)[GRID_ROWS][GRID_COLUMNS],
                                          float (&column)[GRID_COLUMNS]) {
    const int n = p.n;
    const float* a = static_cast<const float*>(p.a);
    GPUNP_UNROLL
    for (int c = 0; c < GRID_COLUMNS; c++) {
        const bool inside = first + c < n;
        GPUNP_UNROLL
        for (int r = 0; r < GRID_ROWS; r++)
            x[r][c] = inside && start + r < n ? a[(start + r) * p.stride + first + c] : 0;
        column[c] = inside ? a[first + c] : 0;
    }
}

// Writes the diagonal and the last element beside it.
__device__ __forceinline__ void write_grid(const GridTridiagonalParams& p, int start, int first,
                                           const float (&x)[GRID_ROWS][GRID_COLUMNS]) {
    const int n = p.n;
    GPUNP_UNROLL
    for (int r = 0; r < GRID_ROWS; r++) {
        GPUNP_UNROLL
        for (int c = 0; c < GRID_COLUMNS; c++) {
            const int i = start + r, j = first + c;
            if (i == j && i < n) static_cast<double*>(p.diagonal)[i] = x[r][c];
            if (n > 1 && i == n - 1 && j == n - 2) static_cast<double*>(p.beside)[n - 2] = x[r][c];
        }
    }
}

// Each block holds neighboring rows, each thread neighboring columns of them. Every column costs one
// exchange: each block publishes the products of its rows with the reflector, and these rows' elements of the
// next column before its update, from which all blocks compute the updated column. Readers recognize a
// published value because its bits differ from the initial fill, so no flag or grid barrier is needed.
__device__ inline void tridiagonal_grid(const GridTridiagonalParams& p) {
    __shared__ __align__(16) GridMemory shared;
    const int n = p.n, t = threadIdx.x, lane = t % 32, warp = t / 32;
    const int start = blockIdx.x * GRID_ROWS, first = t * GRID_COLUMNS;
    float* reflectors = static_cast<float*>(p.reflectors);
    unsigned long long* exchange = static_cast<unsigned long long*>(p.exchange);
    float x[GRID_ROWS][GRID_COLUMNS], column[GRID_COLUMNS];
    clear_grid(shared);
    __syncthreads();
    load_grid(p, start, first, x, column);
    // Blocks whose rows are done have nothing to publish.
    for (int k = 0; k + 2 < n && k + 1 < start + GRID_ROWS; k++) {
        const int buffer = k % 2, next = k + 1;
        // Warps whose columns are done contribute zeros.
        const bool active = (warp + 1) * 32 * GRID_COLUMNS > next;
        float u[GRID_COLUMNS], tail = 0;
        GPUNP_UNROLL
        for (int c = 0; c < GRID_COLUMNS; c++) {
            u[c] = first + c > next ? column[c] : 0;
            tail = fmaf(u[c], u[c], tail);
        }
        if (active) tail = warp::sum(tail);
        if (lane == 0) shared.of_warps[buffer][0][warp] = tail;
        if (t == next / GRID_COLUMNS) {
            GPUNP_UNROLL
            for (int c = 0; c < GRID_COLUMNS; c++) {
                if (first + c != next) continue;
                shared.head[buffer] = column[c];
                GPUNP_UNROLL
                for (int r = 0; r < GRID_ROWS; r++) shared.column[buffer][r] = x[r][c];
            }
        }
        __syncthreads();
        const Reflection<float> reflected =
            reflection(shared.head[buffer], sum_of_all(shared.of_warps[buffer][0]));
        GPUNP_UNROLL
        for (int c = 0; c < GRID_COLUMNS; c++) {
            // The reflector, normalized to a leading one.
            u[c] = first + c == next ? 1.0f : u[c] * reflected.inverse;
            shared.reflectors[buffer][first + c] = u[c];
        }
        float sum = 0;
        if (active) {
            float sums[GRID_ROWS];
            GPUNP_UNROLL
            for (int r = 0; r < GRID_ROWS; r++) {
                sums[r] = 0;
                GPUNP_UNROLL
                for (int c = 0; c < GRID_COLUMNS; c++) sums[r] = fmaf(x[r][c], u[c], sums[r]);
            }
            sum = sum_one_of<GRID_ROWS>(sums, lane);
            sum += warp::shuffle_xor(sum, 1);
        }
        if (lane % 2 == 0) shared.parts[buffer][warp][lane / 2] = sum;
        __syncthreads();
        unsigned long long* slots = exchange + (int64_t)k * p.exchange_stride;
        if (t < GRID_ROWS) {
            sum = 0;
            GPUNP_UNROLL
            for (int w = 0; w < GRID_WARPS; w++) sum += shared.parts[buffer][w][t];
            const int row = start + t;
            if (row < n && row > k) {
                grid::tell(slots + row, reflected.tau * sum, shared.column[buffer][t]);
                reflectors[k * p.reflectors_stride + row] = shared.reflectors[buffer][row];
            }
            if (row == next) {
                static_cast<double*>(p.beside)[k] = reflected.beta;
                static_cast<float*>(p.tau)[k] = reflected.tau;
            }
        }
        float image[GRID_COLUMNS] = {}, before[GRID_COLUMNS] = {};
        if (first + GRID_COLUMNS > next && first < n)
            grid::hear(slots + first, next - first, n - first, image, before);
        float dot = 0;
        GPUNP_UNROLL
        for (int c = 0; c < GRID_COLUMNS; c++) {
            shared.images[buffer][first + c] = image[c];
            dot = fmaf(u[c], image[c], dot);
        }
        if (active) dot = warp::sum(dot);
        if (lane == 0) shared.of_warps[buffer][1][warp] = dot;
        __syncthreads();
        // Subtract u w^T + w u^T from the matrix, where w = image - twice / 2 * u.
        const float twice = reflected.tau * sum_of_all(shared.of_warps[buffer][1]);
        const float at_next = shared.images[buffer][next] - twice;
        if (!active) continue;
        GPUNP_UNROLL
        for (int c = 0; c < GRID_COLUMNS; c++) {
            const float rank_one = fmaf(-twice, u[c], image[c]);
            GPUNP_UNROLL
            for (int r = 0; r < GRID_ROWS; r++) {
                const float v = shared.reflectors[buffer][start + r], w = shared.images[buffer][start + r];
                x[r][c] = fmaf(-v, rank_one, fmaf(-w, u[c], x[r][c]));
            }
            column[c] = fmaf(-u[c], at_next, before[c] - image[c]);
        }
    }
    write_grid(p, start, first, x);
}

}  // namespace linalg
}  // namespace gpunp
#endif
