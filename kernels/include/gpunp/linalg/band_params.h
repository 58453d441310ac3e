// Parameters of the kernels on band matrices, on symmetric indefinite matrices, and on row exchanges.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

// Threads per block: few for narrow bands, where a step is short and a barrier costs most of it.
enum : int { BAND_THREADS = 256, LDL_THREADS = 512, ORDER_THREADS = 256 };

// Bits of BandParams::flags: substitute with the factor only; LdlParams::flags: conjugate.
enum : int { BAND_SUBSTITUTE = 1, LDL_HERMITIAN = 1 };

// A stack of band matrices, one block each. The general kernel factors `band`, of 2 * lower + upper + 1 rows
// of n elements, where element (i, j) of a matrix is in row lower + upper + i - j and column j, and the first
// `lower` rows are zero. The Cholesky kernel has the lower band, where (i, j) is in row i - j.
struct BandParams {
    void* band;      // overwritten by the factor
    void* b;         // n x sides, overwritten by the solution
    void* diagonal;  // n elements of workspace per matrix; not used by the Cholesky kernel
    uint32_t* status;
    int64_t batch, n;
    int32_t lower, upper, sides, flags;
};

// A stack of symmetric or Hermitian matrices of which the lower triangle is read: P A P^T = L D L^H.
struct LdlParams {
    void* a;         // n x n, overwritten by L below the diagonal
    void* diagonal;  // of D
    void* below;     // elements of D below its diagonal; the last one is not used
    int32_t* order;  // row i of P A is row order[i] of A
    void* work;      // 2 n elements per matrix
    int64_t batch, n;
    int32_t flags;
};

// Row exchanges in the two forms: LAPACK's (row k was exchanged with row swaps[k], in turn), and the rows'
// order.
struct OrderParams {
    int32_t* swaps;
    int32_t* order;
    int64_t batch, n, steps;
};

}  // namespace gpunp
