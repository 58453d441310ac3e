// Named kernels on tridiagonal forms, for GPUs only.
#pragma once
#include "gpunp/linalg/tridiagonal.h"
#include "gpunp/linalg/tridiagonal_grid.h"
#include "gpunp/linalg/tridiagonal_vectors.h"

#if GPUNP_ON_DEVICE
#define GPUNP_TRIDIAGONAL                                                                 \
    extern "C" __global__ void __launch_bounds__(::gpunp::PANEL_THREADS, 1)               \
        tridiagonal(const __grid_constant__::gpunp::TridiagonalParams p) {                \
        ::gpunp::linalg::tridiagonal(p);                                                  \
    }                                                                                     \
    extern "C" __global__ void __launch_bounds__(::gpunp::GRID_THREADS, 1)                \
        tridiagonal_grid(const __grid_constant__::gpunp::GridTridiagonalParams p) {       \
        ::gpunp::linalg::tridiagonal_grid(p);                                             \
    }                                                                                     \
    extern "C" __global__ void __launch_bounds__(::gpunp::BISECTION_THREADS)              \
        bisection(const __grid_constant__::gpunp::TridiagonalParams p) {                  \
        ::gpunp::linalg::bisection(p);                                                    \
    }                                                                                     \
    extern "C" __global__ void __launch_bounds__(::gpunp::VECTOR_THREADS)                 \
        tridiagonal_vectors(const __grid_constant__::gpunp::TridiagonalVectorsParams p) { \
        ::gpunp::linalg::tridiagonal_vectors(p);                                          \
    }
#else
#define GPUNP_TRIDIAGONAL
#endif
