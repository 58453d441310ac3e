// Products of integer matrices, batched and strided: cuBLAS does not support most integer types.
#pragma once
#include "gpunp/common/host_pool.h"
#include "gpunp/kernel.h"
#include "gpunp/linalg/matmul_params.h"
#include "gpunp/types.h"

namespace gpunp {

// Sums wrap around as in NumPy; unsigned arithmetic gives the same bits for signed types.
template <class T>
struct integer_sum {
    using type = uint32_t;
    static GPUNP_HD type add(type sum, type x, type y) { return sum + x * y; }
};
template <>
struct integer_sum<bool> {
    using type = uint32_t;
    static GPUNP_HD type add(type sum, type x, type y) { return sum | (x & y); }
};
template <>
struct integer_sum<int64_t> {
    using type = uint64_t;
    static GPUNP_HD type add(type sum, type x, type y) { return sum + x * y; }
};
template <>
struct integer_sum<uint64_t> : integer_sum<int64_t> {};

#if GPUNP_ON_DEVICE
constexpr int DEPTH = 16;  // elements of the inner dimension per step
constexpr int PER_THREAD = 4;

// A block of 16 x 16 threads computes one tile; each thread computes 4 x 4 elements, 16 apart so that stores
// are coalesced.
template <class T>
__device__ __forceinline__ void matmul_integer(const MatmulIntegerParams& p) {
    using Sum = integer_sum<T>;
    using S = typename Sum::type;
    constexpr int TILE = MATMUL_INTEGER_TILE;
    __shared__ S a_tile[DEPTH][TILE + 1];
    __shared__ S b_tile[DEPTH][TILE + 1];
    const int thread = threadIdx.x, x = thread % 16, y = thread / 16;
    const int64_t tiles = (p.m + TILE - 1) / TILE;
    const int64_t column = (int64_t)blockIdx.x * TILE;
    const bool a_by_rows = p.a_strides[1] == 1, b_by_rows = p.b_strides[1] == 1;
    for (int64_t item = blockIdx.y; item < tiles * p.batch; item += gridDim.y) {
        const int64_t row = item % tiles * TILE, index = item / tiles;
        const T* a = static_cast<const T*>(p.a) + index * p.a_strides[2];
        const T* b = static_cast<const T*>(p.b) + index * p.b_strides[2];
        T* c = static_cast<T*>(p.c) + index * p.c_strides[2];
        S sum[PER_THREAD][PER_THREAD] = {};
        for (int64_t depth = 0; depth < p.k; depth += DEPTH) {
            for (int i = thread; i < TILE * DEPTH; i += MATMUL_INTEGER_BLOCK) {
                // Coalesced whichever axis is contiguous: neighboring threads read neighboring elements.
                int r = a_by_rows ? i / DEPTH : i % TILE, d = a_by_rows ? i % DEPTH : i / TILE;
                a_tile[d][r] = row + r < p.m && depth + d < p.k
                                   ? (S)a[(row + r) * p.a_strides[0] + (depth + d) * p.a_strides[1]]
                                   : 0;
                int q = b_by_rows ? i % TILE : i / DEPTH, e = b_by_rows ? i / TILE : i % DEPTH;
                b_tile[e][q] = column + q < p.n && depth + e < p.k
                                   ? (S)b[(depth + e) * p.b_strides[0] + (column + q) * p.b_strides[1]]
                                   : 0;
            }
            __syncthreads();
#pragma unroll
            for (int d = 0; d < DEPTH; d++)
#pragma unroll
                for (int i = 0; i < PER_THREAD; i++)
#pragma unroll
                    for (int j = 0; j < PER_THREAD; j++)
                        sum[i][j] = Sum::add(sum[i][j], a_tile[d][y + 16 * i], b_tile[d][x + 16 * j]);
            __syncthreads();
        }
#pragma unroll
        for (int i = 0; i < PER_THREAD; i++)
#pragma unroll
            for (int j = 0; j < PER_THREAD; j++) {
                const int64_t r = row + y + 16 * i, q = column + x + 16 * j;
                if (r < p.m && q < p.n) c[r * p.c_strides[0] + q * p.c_strides[1]] = (T)sum[i][j];
            }
    }
}
#define GPUNP_MATMUL_INTEGER(symbol, T)                                         \
    extern "C" __global__ void __launch_bounds__(::gpunp::MATMUL_INTEGER_BLOCK) \
        symbol(const __grid_constant__::gpunp::MatmulIntegerParams p) {         \
        ::gpunp::matmul_integer<T>(p);                                          \
    }
#else
template <class T>
void matmul_integer(const void* params) {
    using Sum = integer_sum<T>;
    using S = typename Sum::type;
    const MatmulIntegerParams& p = *static_cast<const MatmulIntegerParams*>(params);
    parallel_for(p.batch * p.m, grain_of(p.n * p.k), [&](int64_t begin, int64_t end) {
        for (int64_t line = begin; line < end; line++) {
            const int64_t index = line / p.m, i = line % p.m;
            const T* a = static_cast<const T*>(p.a) + index * p.a_strides[2];
            const T* b = static_cast<const T*>(p.b) + index * p.b_strides[2];
            T* c = static_cast<T*>(p.c) + index * p.c_strides[2];
            T* row = c + i * p.c_strides[0];
            for (int64_t j = 0; j < p.n; j++) row[j * p.c_strides[1]] = 0;
            // The inner loop runs along the rows of b and c, which are usually contiguous.
            for (int64_t d = 0; d < p.k; d++) {
                const S x = (S)a[i * p.a_strides[0] + d * p.a_strides[1]];
                const T* other = b + d * p.b_strides[0];
                if (p.b_strides[1] == 1 && p.c_strides[1] == 1)
                    for (int64_t j = 0; j < p.n; j++) row[j] = (T)Sum::add((S)row[j], x, (S)other[j]);
                else
                    for (int64_t j = 0; j < p.n; j++)
                        row[j * p.c_strides[1]] =
                            (T)Sum::add((S)row[j * p.c_strides[1]], x, (S)other[j * p.b_strides[1]]);
            }
        }
    });
}
#define GPUNP_MATMUL_INTEGER(symbol, T) GPUNP_HOST_KERNEL(symbol, ::gpunp::matmul_integer<T>);
#endif

}  // namespace gpunp
