// Parameters of the kernel that adds up the observations of each code, shared with Cython.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

enum : int {
    SUMS_BLOCK = 256,        // threads at most
    SUMS_SHARED = 96 << 10,  // bytes of shared memory at most
};

// A group of `lanes` threads, a power of two up to 32, has sums of its own in shared memory: `width` for each
// code, of the coordinates and the number of observations. Each block writes the sums of its groups.
struct CodeSumsParams {
    const double* x;      // n rows of at least width - 1 coordinates
    const int32_t* code;  // of each observation, below k
    double* out;          // (blocks, k, width)
    int64_t n, k, width, row_stride;
    int32_t groups, lanes;  // of a block
};

}  // namespace gpunp
