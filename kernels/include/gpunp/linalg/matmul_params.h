// Parameters of the kernels that multiply integer matrices and small matrices; Cython reads this header too.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

struct MatmulIntegerParams {
    const void* a;  // m x k
    const void* b;  // k x n
    void* c;        // m x n
    int64_t m, n, k, batch;
    // Strides of rows, columns and batch, in elements.
    int64_t a_strides[3], b_strides[3], c_strides[3];
};

constexpr int MATMUL_INTEGER_BLOCK = 256;
constexpr int MATMUL_INTEGER_TILE = 64;  // rows and columns of the result per block

struct MatmulSmallParams {
    const void* a;  // m x k; all three matrices are contiguous
    const void* b;  // k x n
    void* c;        // m x n
    int32_t m, n, k;
};

constexpr int MATMUL_SMALL_BLOCK = 128;

}  // namespace gpunp
