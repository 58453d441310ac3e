"""Multiply half-precision matrices on tensor cores, through CUDA's warp-matrix functions in <mma.h>.

Each block of four warps computes a tile of 64 by 64 elements, each warp 32 by 32 of them as four fragments
of 16 by 16, with sums in float32. The kernel is a template over the type of the result: a RawModule
compiles the instances that `name_expressions` lists. Needs a CUDA device.

    python gemm_tensor_cores.py --size 4096
"""

import numpy as np
from side_by_side import check, measure, options, report

import gpunp

SOURCE = r"""
#include <mma.h>
using namespace nvcuda;

constexpr int TILE = 64;        // rows and columns of a block's tile
constexpr int STEP = 32;        // along the inner dimension
constexpr int PAD = 8;          // elements between rows in shared memory, against bank conflicts
constexpr int PIECE = 16;       // rows and columns of a fragment
constexpr int THREADS = 128;

template <int ROWS, int COLUMNS>
__device__ void load(half (&tile)[ROWS][COLUMNS + PAD], const half* source, int row, int column, int rows,
                     int columns) {
    // Outside of the matrix there are zeros, which add nothing.
    for (int i = threadIdx.x; i < ROWS * COLUMNS; i += THREADS) {
        const int r = row + i / COLUMNS, c = column + i % COLUMNS;
        tile[i / COLUMNS][i % COLUMNS] =
            r < rows && c < columns ? source[(size_t)r * columns + c] : __float2half(0.0f);
    }
}

template <typename Result>
__global__ void __launch_bounds__(THREADS)
gemm(const half* a, const half* b, Result* c, int m, int n, int k) {
    // Fragments are loaded from addresses that are multiples of 32 bytes.
    alignas(32) __shared__ half a_tile[TILE][STEP + PAD];
    alignas(32) __shared__ half b_tile[STEP][TILE + PAD];
    alignas(32) __shared__ float sums[TILE][TILE + PAD];

    const int row = blockIdx.y * TILE, column = blockIdx.x * TILE;
    const int warp = threadIdx.x / 32, warp_row = warp / 2 * 32, warp_column = warp % 2 * 32;
    wmma::fragment<wmma::accumulator, PIECE, PIECE, PIECE, float> parts[2][2];
    for (auto& line : parts)
        for (auto& part : line) wmma::fill_fragment(part, 0.0f);

    for (int start = 0; start < k; start += STEP) {
        load<TILE, STEP>(a_tile, a, row, start, m, k);
        load<STEP, TILE>(b_tile, b, start, column, k, n);
        __syncthreads();
        for (int inner = 0; inner < STEP; inner += PIECE) {
            wmma::fragment<wmma::matrix_a, PIECE, PIECE, PIECE, half, wmma::row_major> x[2];
            wmma::fragment<wmma::matrix_b, PIECE, PIECE, PIECE, half, wmma::row_major> y[2];
            for (int i = 0; i < 2; i++) {
                wmma::load_matrix_sync(x[i], &a_tile[warp_row + i * PIECE][inner], STEP + PAD);
                wmma::load_matrix_sync(y[i], &b_tile[inner][warp_column + i * PIECE], TILE + PAD);
            }
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 2; j++) wmma::mma_sync(parts[i][j], x[i], y[j], parts[i][j]);
        }
        __syncthreads();
    }

    // Through shared memory, since which thread holds which element of a fragment is not specified.
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            wmma::store_matrix_sync(&sums[warp_row + i * PIECE][warp_column + j * PIECE], parts[i][j],
                                    TILE + PAD, wmma::mem_row_major);
    __syncthreads();
    for (int i = threadIdx.x; i < TILE * TILE; i += THREADS) {
        const int r = row + i / TILE, col = column + i % TILE;
        if (r < m && col < n) c[(size_t)r * n + col] = (Result)sums[i / TILE][i % TILE];
    }
}
"""
TILE, THREADS = 64, 128
INSTANCES = {np.dtype("f4"): "gemm<float>", np.dtype("f2"): "gemm<half>"}

module = gpunp.RawModule(code=SOURCE, options=("-std=c++17",), name_expressions=tuple(INSTANCES.values()))


def gemm(a, b, dtype=np.float32):
    """The product of two C-contiguous float16 matrices, as float32 or float16."""
    (m, k), n = a.shape, b.shape[1]
    c = gpunp.empty((m, n), dtype)
    kernel = module.get_function(INSTANCES[c.dtype])
    grid = (-(-n // TILE), -(-m // TILE))
    kernel(grid, (THREADS,), (a, b, c, m, n, k))
    return c


def main():
    arguments = options(__doc__, 500, "rows of the first matrix")
    m = arguments.size
    n, k = m + 1, m // 2 + 3  # no multiples of the tile
    rng = np.random.default_rng(1)
    host_a, host_b = rng.random((m, k)).astype(np.float16), rng.random((k, n)).astype(np.float16)
    a, b = gpunp.asarray(host_a), gpunp.asarray(host_b)

    single, own = measure(gemm, a, b, repeats=arguments.repeats)
    half = gemm(a, b, np.float16)
    _, library = measure(np.matmul, a, b, repeats=arguments.repeats)
    # NumPy multiplies float16 matrices element by element; float32 is its fast way to the same sums.
    wide = host_a.astype(np.float32), host_b.astype(np.float32)
    expected, numpys = measure(np.matmul, *wide, repeats=arguments.repeats)
    # What rounding may add up to in a sum of k products.
    tolerance = k * np.finfo(np.float32).eps
    report(
        f"{m} x {k} times {k} x {n}, float16",
        {"NumPy, float32": numpys, "this kernel": own, "np.matmul on the device": library},
        rate_of_the_kernel=f"{2e-12 * m * n * k / own:.3f} TFLOP/s",
        difference_from_NumPy=check(single, expected, tolerance),
        with_a_result_in_float16=check(half, expected, 1e-3),
    )


if __name__ == "__main__":
    main()
