// Parameters of the kernels on stacks of small matrices.
#pragma once
#include "gpunp/config.h"
#include "gpunp/status.h"

namespace gpunp {

// Rows and columns of the largest matrix that a block keeps in shared memory, right-hand sides per block, and
// the bytes in shared memory before the matrix.
enum : int { SMALL_MATRIX = 64, SMALL_SIDES = 64, SMALL_HEAD = 1328 };

// Right-hand sides that fit beside a matrix in the registers of a warp.
enum : int { SMALL_WARP_SIDES = 4 };

// Bits of SmallMatrixParams::flags.
enum : int { SMALL_VECTORS = 1, SMALL_FULL = 2, SMALL_UPPER = 4, SMALL_DETERMINANT = 8 };
// Of triangular systems: with the transpose, with the adjoint, and with ones on the diagonal.
enum : int { SMALL_TRANSPOSED = 16, SMALL_ADJOINT = 32, SMALL_UNIT = 64 };

// All arrays are contiguous stacks of row-major matrices.
struct SmallMatrixParams {
    const void* a;     // m x n
    const void* b;     // n x sides
    void* out;         // the solution, the factor, eigenvectors, or left singular vectors
    void* second;      // logarithms of determinants, tau, or right singular vectors
    void* third;       // Q
    void* values;      // eigenvalues or singular values
    uint32_t* status;  // null: errors are not reported
    int64_t batch;
    int64_t shared;  // bytes that the host kernel allocates as shared memory
    int32_t m, n, sides, flags;
};

// *status |= bit if any of the info values is nonzero.
struct InfoParams {
    const int32_t* info;
    uint32_t* status;
    int64_t count;
    uint32_t bit;
};

}  // namespace gpunp
