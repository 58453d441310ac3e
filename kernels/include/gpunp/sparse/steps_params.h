// Parameters of the kernels of iterative solvers, shared with Cython.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

enum : int {
    STEPS_BLOCK = 256,        // threads
    STEPS_EACH = 2,           // elements of a thread that are loaded before the first one is used
    STEPS_MOST_PARTS = 2048,  // blocks, or parts of the CPU device
};

// What is computed of the sums of a kernel, by the names of a solver's numbers.
enum : int {
    CG_START,    // sum = (r, z), square = (r, r)
    CG_LENGTH,   // sum = (p, A p)
    CG_PLAIN,    // square = (r, r), without a preconditioner
    CG_NORM,     // square = (r, r)
    CG_RHO,      // sum = (r, z)
    BICG_START,  // sum = square = (r, r)
    BICG_ALPHA,  // sum = (first, v)
    BICG_HALF,   // square = (r, r)
    BICG_OMEGA,  // sum = (t, r), square = (t, t)
    BICG_END,    // sum = (first, r), square = (r, r)
    BICG_RHO,    // sum = (shadow, z)
    CGS_END,     // sum = (first, r), square = (r, r)
};

// The numbers of a solver, which stay on the device. Complex ones have two parts.
struct StepsState {
    double rho[2], alpha[2], beta[2], omega[2];
    double norm;       // of the residual
    double state;      // 1 while the solver goes on, else what it returns: 0, -10 or -11
    uint64_t counter;  // blocks that have added up their part
};

struct StepsParams {
    int64_t n;
    void *x, *r, *p;
    const void *q, *z, *ahead, *first;
    StepsState* numbers;
    double* sums;  // by part: the sum's two parts, and the square
    uint32_t* counter;
    double atol, least;
    uint32_t parts;
    int32_t finish;  // what is done with the sums
    int32_t decide;  // whether the state may change at the end of a step
};

}  // namespace gpunp
