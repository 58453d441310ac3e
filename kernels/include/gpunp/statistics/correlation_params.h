// Parameters of the kernels of correlations, shared with Cython.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

enum : int {
    CORRELATION_BLOCK = 256,       // threads
    CORRELATION_EXTENTS = 6,       // of a part: the sums, the least and the greatest values of x and of y
    CORRELATION_PRODUCTS = 3,      // of a part: x with itself, y with itself, x with y
    CORRELATION_NARROW = 1 << 11,  // rows of up to so many elements take one warp
};

struct CorrelationParams {
    const void* x;  // (rows, n), contiguous
    const void* y;
    double* extents;   // (rows, parts, CORRELATION_EXTENTS)
    double* products;  // (rows, CORRELATION_PRODUCTS, parts), of scaled deviations from the means
    int64_t rows, n, parts, part;
};

}  // namespace gpunp
