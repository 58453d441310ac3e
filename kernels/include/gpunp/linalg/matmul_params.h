// What the kernels of products of integer and of small matrices are told; read by Cython too.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

struct MatmulIntegerParams {
    const void* a;  // m x k
    const void* b;  // k x n
    void* c;        // m x n
    int64_t m, n, k, batch;
    // Rows, columns, batch; in elements.
    int64_t a_strides[3], b_strides[3], c_strides[3];
};

constexpr int MATMUL_INTEGER_BLOCK = 256;
constexpr int MATMUL_INTEGER_TILE = 64;  // rows and columns of the result that a block computes

struct MatmulSmallParams {
    const void* a;  // m x k, contiguous as the others
    const void* b;  // k x n
    void* c;        // m x n
    int32_t m, n, k;
};

constexpr int MATMUL_SMALL_BLOCK = 128;

}  // namespace gpunp
