// Parameters of the kernels that make cubic interpolants, shared with Cython.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

enum : int { CUBICS_BLOCK = 256 };

struct CubicsParams {
    const double* h;  // n - 1 distances of points
    const double* y;  // (n, inner)
    double* slopes;   // (n, inner)
    double* c;        // (4, n - 1, inner): coefficients of powers, the highest first
    int64_t n, inner;
};

}  // namespace gpunp
