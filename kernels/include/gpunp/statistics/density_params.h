// Parameters of the kernels of density estimates, shared with Cython.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

enum : int {
    DENSITY_BLOCK = 256,  // threads; also the data of a tile in shared memory
    DENSITY_POINTS = 4,   // of a thread
    DENSITY_GROUP = 2,    // data that a thread takes at a time
    DENSITY_LEAF = 64,    // consecutive data that share an expansion
    DENSITY_TERMS = 16,   // of an expansion
    DENSITY_LEAVES = 64,  // of a tile
};

// Sums of kernels at points. Coordinates are in units of which 128 / ln 2 squares are twice a variance, so
// that the kernel at a distance d is 2^(-d * d / 128).
struct DensityParams {
    const double* points;   // of shape (d, m)
    const double* data;     // of shape (d, n); ascending where leaves are used
    const double* weights;  // n, or null for ones; for logarithms 128 times their binary logarithms
    const double* leaves;   // of shape (2 + DENSITY_TERMS, count): centres, half widths and terms
    double* out;            // of shape (parts, m)
    double* top;            // likewise, for logarithms: the largest exponents, of which the sums are relative
    int64_t m, n, count;
    int64_t part;  // data or leaves of each part
    int64_t d;
    double total;  // of the weights
};

// Expansions of the kernels of consecutive data.
struct LeavesParams {
    const double* data;     // n, ascending
    const double* weights;  // n, or null for ones
    double* leaves;
    int64_t n, count;
};

}  // namespace gpunp
