// Parameters of the kernels that evaluate tensor products of B-splines, shared with Cython.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

enum : int {
    GRID_BLOCK = 128,    // threads
    GRID_SAMPLES = 256,  // knots of each axis in shared memory
    GRID_RANK = 8,       // most axes
    GRID_DEGREE = 9,     // highest degree
};

// What points outside of the knots of some axis get.
enum GridOutside : int {
    GRID_EXTRAPOLATED,
    GRID_FILLED,
};

struct GridAxis {
    const double* breaks;    // pieces + 1 knots, at which the pieces begin and end
    int64_t pieces, stride;  // the stride of the knots in shared memory
    int64_t step;            // of the coefficients, in elements
    int degree, derivative;
};

// Values at points: the result is count x inner.
struct GridParams {
    GridAxis axes[GRID_RANK];
    const double* points;  // count x rank
    const double* c;
    double* out;
    int64_t count, inner;
    double fill[2];  // outside; the real and the imaginary part, if there are pairs
    int rank, outside, pairs;
};

}  // namespace gpunp
