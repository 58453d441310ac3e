"""Multiply matrices with a CUDA kernel that keeps tiles in shared memory and in registers.

Each block computes a tile of 64 by 64 elements of the product, each of its 256 threads 4 by 4 of them. It
walks along the inner dimension in steps of 16: all threads copy a piece of both matrices to shared memory,
then every element there is used 64 times. Needs a CUDA device.

    python gemm_shared_memory.py --size 4096
"""

import numpy as np
from side_by_side import check, measure, options, report

import gpunp

SOURCE = r"""
constexpr int TILE = 64;   // rows and columns of a block's tile
constexpr int STEP = 16;   // along the inner dimension
constexpr int EACH = 4;    // rows and columns of a thread's part

extern "C" __global__ void __launch_bounds__(256)
gemm(const float* a, const float* b, float* c, int m, int n, int k) {
    // The tile of a is stored by columns, so that a thread reads its four rows at once. Four elements more a
    // row keep these reads aligned, and let at most two threads of a warp write to one bank.
    __shared__ float a_tile[STEP][TILE + 4];
    __shared__ float b_tile[STEP][TILE];

    const int row = blockIdx.y * TILE, column = blockIdx.x * TILE;
    const int thread = threadIdx.y * blockDim.x + threadIdx.x;
    float sums[EACH][EACH] = {};

    for (int start = 0; start < k; start += STEP) {
        // Neighboring threads read neighboring elements; outside of the matrices there are zeros.
        for (int i = thread; i < TILE * STEP; i += 256) {
            const int r = row + i / STEP, inner = start + i % STEP;
            a_tile[i % STEP][i / STEP] = r < m && inner < k ? a[(size_t)r * k + inner] : 0.0f;
        }
        for (int i = thread; i < STEP * TILE; i += 256) {
            const int inner = start + i / TILE, col = column + i % TILE;
            b_tile[i / TILE][i % TILE] = inner < k && col < n ? b[(size_t)inner * n + col] : 0.0f;
        }
        __syncthreads();
        for (int inner = 0; inner < STEP; inner++) {
            float x[EACH], y[EACH];
            for (int i = 0; i < EACH; i++) x[i] = a_tile[inner][threadIdx.y * EACH + i];
            for (int j = 0; j < EACH; j++) y[j] = b_tile[inner][threadIdx.x * EACH + j];
            for (int i = 0; i < EACH; i++)
                for (int j = 0; j < EACH; j++) sums[i][j] += x[i] * y[j];
        }
        __syncthreads();
    }

    for (int i = 0; i < EACH; i++)
        for (int j = 0; j < EACH; j++) {
            const int r = row + threadIdx.y * EACH + i, col = column + threadIdx.x * EACH + j;
            if (r < m && col < n) c[(size_t)r * n + col] = sums[i][j];
        }
}
"""
TILE, THREADS = 64, (16, 16)

kernel = gpunp.RawKernel(SOURCE, "gemm")


def gemm(a, b):
    """The product of two C-contiguous float32 matrices."""
    (m, k), n = a.shape, b.shape[1]
    c = gpunp.empty((m, n), np.float32)
    grid = (-(-n // TILE), -(-m // TILE))
    kernel(grid, THREADS, (a, b, c, m, n, k))
    return c


def main():
    arguments = options(__doc__, 500, "rows of the first matrix")
    m = arguments.size
    n, k = m + 1, m // 2 + 3  # no multiples of the tile
    rng = np.random.default_rng(1)
    host_a, host_b = rng.random((m, k), np.float32), rng.random((k, n), np.float32)
    a, b = gpunp.asarray(host_a), gpunp.asarray(host_b)

    product, own = measure(gemm, a, b, repeats=arguments.repeats)
    _, library = measure(np.matmul, a, b, repeats=arguments.repeats)
    expected, numpys = measure(np.matmul, host_a, host_b, repeats=arguments.repeats)
    # What rounding may add up to in a sum of k products.
    tolerance = k * np.finfo(np.float32).eps
    report(
        f"{m} x {k} times {k} x {n}, float32",
        {"NumPy": numpys, "this kernel": own, "np.matmul on the device": library},
        rate_of_the_kernel=f"{2e-12 * m * n * k / own:.3f} TFLOP/s",
        difference_from_NumPy=check(product, expected, tolerance),
    )


if __name__ == "__main__":
    main()
