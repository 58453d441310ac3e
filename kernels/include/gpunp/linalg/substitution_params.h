// Parameters of the kernels that solve triangular systems with one right side, shared with Cython.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

enum : int {
    SUBSTITUTION_BLOCK = 256,  // threads
    SUBSTITUTION_ROWS = 64,    // unknowns of a block of threads
};

struct SubstitutionParams {
    const void* a;  // (batch, n, n)
    const void* b;  // (batch, n)
    void* x;
    void* found;  // zero; for each system a counter of blocks, and n solutions whose words are not zero
    int64_t n;
    int32_t batch, unit;  // whether ones take the place of the diagonal
};

}  // namespace gpunp
