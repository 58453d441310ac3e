// Eigenvectors of a symmetric tridiagonal matrix, in double precision.
#pragma once
#include "gpunp/linalg/panel_params.h"
#include "gpunp/linalg/quotient.h"
#include "gpunp/linalg/scalar.h"

#if GPUNP_ON_DEVICE
namespace gpunp {
namespace linalg {

// Loads in flight at a time.
constexpr int VECTOR_BATCH = 8;

// Each thread computes one vector by a twisted factorization: the pivots from above and from below meet where
// the matrix minus the eigenvalue is closest to singular, and the vector is one there. The remaining pivot
// (gamma) corrects the eigenvalue. The lanes of a warp compute neighboring columns and visit the rows
// together, wherever their pivots meet, so that accesses are coalesced.
__device__ inline void tridiagonal_vectors(const TridiagonalVectorsParams& p) {
    __shared__ double diagonal[GRID_MOST], beside[GRID_MOST];
    const int n = p.n;
    for (int i = threadIdx.x; i < n; i += VECTOR_THREADS) {
        diagonal[i] = static_cast<const double*>(p.diagonal)[i];
        beside[i] = i < n - 1 ? static_cast<const double*>(p.beside)[i] : 0;
    }
    __syncthreads();
    const int j = blockIdx.x * VECTOR_THREADS + threadIdx.x;
    if (j >= n) return;
    // Multipliers: of row i in the elimination of row i + 1, and of row i + 1 in that of row i.
    double* above = static_cast<double*>(p.from_above) + j;
    double* below = static_cast<double*>(p.from_below) + j;
    float* vector = static_cast<float*>(p.vectors) + j;
    const double value = static_cast<double*>(p.values)[j];
    // Replaces pivots near zero.
    const double least = 0x1p-500;
    double top = diagonal[0] - value, bottom = diagonal[n - 1] - value;
    for (int i = 0; i < n - 1; i++) {
        const int b = n - 2 - i;
        if (magnitude(top) < least) top = least;
        if (magnitude(bottom) < least) bottom = least;
        const double down = quick_quotient(beside[i], top), up = quick_quotient(beside[b], bottom);
        above[(int64_t)i * n] = down;
        below[(int64_t)b * n] = up;
        top = fma(-down, beside[i], diagonal[i + 1] - value);
        bottom = fma(-up, beside[b], diagonal[b] - value);
    }
    double smallest = INFINITY, gamma = 0, taken = 0, batch[VECTOR_BATCH], more[VECTOR_BATCH];
    int twist = 0;
    for (int start = 0; start < n; start += VECTOR_BATCH) {
        GPUNP_UNROLL
        for (int c = 0; c < VECTOR_BATCH; c++) {
            const int i = start + c;
            batch[c] = i < n - 1 ? below[(int64_t)i * n] : 0;
            more[c] = i < n - 1 ? above[(int64_t)i * n] : 0;
        }
        GPUNP_UNROLL
        for (int c = 0; c < VECTOR_BATCH; c++) {
            const int i = start + c;
            if (i >= n) continue;
            const double rest = (diagonal[i] - value) - taken - batch[c] * beside[i];
            if (magnitude(rest) < smallest) smallest = magnitude(rest), gamma = rest, twist = i;
            taken = more[c] * beside[i];
        }
    }
    double squares = 1, z = 1;
    vector[twist * p.vectors_stride] = 1;
    for (int start = n - 2; start >= 0; start -= VECTOR_BATCH) {
        GPUNP_UNROLL
        for (int c = 0; c < VECTOR_BATCH; c++) batch[c] = start >= c ? above[(int64_t)(start - c) * n] : 0;
        GPUNP_UNROLL
        for (int c = 0; c < VECTOR_BATCH; c++) {
            const int i = start - c;
            if (i < 0 || i >= twist) continue;
            z *= -batch[c];
            squares = fma(z, z, squares);
            vector[i * p.vectors_stride] = (float)z;
        }
    }
    z = 1;
    for (int start = 0; start < n - 1; start += VECTOR_BATCH) {
        GPUNP_UNROLL
        for (int c = 0; c < VECTOR_BATCH; c++) {
            const int i = start + c;
            batch[c] = i < n - 1 ? below[(int64_t)i * n] : 0;
        }
        GPUNP_UNROLL
        for (int c = 0; c < VECTOR_BATCH; c++) {
            const int i = start + c;
            if (i < twist || i >= n - 1) continue;
            z *= -batch[c];
            squares = fma(z, z, squares);
            vector[(i + 1) * p.vectors_stride] = (float)z;
        }
    }
    const float scale = (float)(1 / sqrt(squares));
    for (int start = 0; start < n; start += VECTOR_BATCH) {
        float elements[VECTOR_BATCH];
        GPUNP_UNROLL
        for (int c = 0; c < VECTOR_BATCH; c++)
            elements[c] = start + c < n ? vector[(start + c) * p.vectors_stride] : 0;
        GPUNP_UNROLL
        for (int c = 0; c < VECTOR_BATCH; c++) {
            if (start + c < n) vector[(start + c) * p.vectors_stride] = elements[c] * scale;
        }
    }
    static_cast<double*>(p.values)[j] = value + gamma / squares;
}

}  // namespace linalg
}  // namespace gpunp
#endif
