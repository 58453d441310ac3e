// Eigenvalues of a symmetric double-precision matrix in the registers of a cluster: Householder
// tridiagonalization, then bisection.
#pragma once
#include "gpunp/common/cluster.h"
#include "gpunp/common/warp.h"
#include "gpunp/linalg/panel_params.h"
#include "gpunp/linalg/quotient.h"
#include "gpunp/linalg/scalar.h"

#if GPUNP_ON_DEVICE
namespace gpunp {
namespace linalg {

constexpr int TRIDIAGONAL_MOST = TRIDIAGONAL_ROWS * cluster::MOST_BLOCKS;

// The dot product of two vectors in shared memory, by one warp.
__device__ inline double dot_by_warp(const double* a, const double* b, int length) {
    double sum = 0, more = 0;
    GPUNP_UNROLL
    for (int t = 0; t < TRIDIAGONAL_MOST / 64; t++) {
        const int i = 2 * (threadIdx.x % 32) + 64 * t;
        if (i >= length) continue;
        const double2 x = *reinterpret_cast<const double2*>(a + i),
                      y = *reinterpret_cast<const double2*>(b + i);
        sum = fma(x.x, y.x, sum);
        more = fma(x.y, y.y, more);
    }
    return warp::sum(sum + more);
}

// Each block holds neighboring rows, each thread one column of them. Every column costs two exchanges:
// partial products of the matrix with the reflector go to the blocks that sum them, and the sums go to all
// blocks. With the sums goes the next column before its update, from which every block computes the updated
// one.
__device__ inline void tridiagonal(const TridiagonalParams& p) {
    constexpr int R = TRIDIAGONAL_ROWS, MOST = TRIDIAGONAL_MOST;
    __shared__ __align__(16) double reflectors[2][MOST], images[2][MOST], columns[2][MOST], tail[MOST];
    __shared__ double parts[2][cluster::MOST_BLOCKS][R], own[R], totals[R], head;
    __shared__ cluster::Mailbox mailboxes[2][2];
    const int block = cluster::rank(), blocks = cluster::size(), n = p.n, j = threadIdx.x;
    const int length = blocks * R, start = block * R;
    const double* a = static_cast<const double*>(p.a);
    double x[R];
    GPUNP_UNROLL
    for (int r = 0; r < R; r++) x[r] = start + r < n && j < n ? a[(start + r) * p.stride + j] : 0;
    // Element j of the current column.
    double element = j < n ? a[j] : 0;
    if (j == 0) {
        for (int i = 0; i < 4; i++) mailboxes[i / 2][i % 2].open();
    }
    // No block may send before all have started.
    cluster::sync();
    for (int k = 0; k + 2 < n; k++) {
        const int buffer = k % 2, parity = k / 2 % 2;
        cluster::Mailbox* mailbox = mailboxes[buffer];
        double* u = reflectors[buffer];
        double* image = images[buffer];
        if (j == 0) {
            mailbox[0].expect(length * sizeof(double));
            mailbox[1].expect(2 * length * sizeof(double));
        }
        if (j < length) tail[j] = u[j] = j > k + 1 ? element : 0;
        if (j == k + 1) {
            head = element;
            GPUNP_UNROLL
            for (int r = 0; r < R; r++) own[r] = x[r];
        }
        __syncthreads();
        // In every exchange each warp sends neighboring elements to a single block.
        if (j < length) cluster::send(&columns[buffer][start + j % R], &mailbox[1], j / R, own[j % R]);
        const double rest = dot_by_warp(tail, tail, length), alpha = head;
        double beta = alpha, factor = 0, first = 0;
        if (rest > 0) {
            const double norm = sqrt(fma(alpha, alpha, rest));
            beta = alpha >= 0 ? -norm : norm;
            first = alpha - beta;
            // tau / first^2, with tau = -first / beta.
            factor = 1 / (norm * (norm + magnitude(alpha)));
        }
        if (j == k + 1) {
            u[j] = first;
            if (block == 0) static_cast<double*>(p.beside)[k] = beta;
        }
        __syncthreads();
        double sum = 0, more = 0;
        GPUNP_UNROLL
        for (int r = 0; r < R; r += 2) {
            const double2 v = *reinterpret_cast<const double2*>(u + start + r);
            sum = fma(v.x, x[r], sum);
            more = fma(v.y, x[r + 1], more);
        }
        if (j < length) cluster::send(&parts[buffer][block][j % R], &mailbox[0], j / R, sum + more);
        mailbox[0].wait_by_block(parity);
        // Sixteen threads per column; with fewer than sixteen blocks the others add zero.
        const int column = j / cluster::MOST_BLOCKS, from = j % cluster::MOST_BLOCKS;
        sum = from < blocks ? parts[buffer][from][column] : 0;
        sum = warp::sum<16>(sum);
        if (from == 0) totals[column] = sum * factor;
        __syncthreads();
        if (j < length) cluster::send(&image[start + j % R], &mailbox[1], j / R, totals[j % R]);
        mailbox[1].wait_by_block(parity);
        const double twice = factor * dot_by_warp(u, image, length);
        // Subtract u w^T + w u^T from the matrix, where w = image - twice / 2 * u.
        if (j < length) {
            const double mine = u[j], rank_one = fma(-twice, mine, image[j]);
            GPUNP_UNROLL
            for (int r = 0; r < R; r += 2) {
                const double2 v = *reinterpret_cast<const double2*>(u + start + r);
                const double2 w = *reinterpret_cast<const double2*>(image + start + r);
                x[r] = fma(-v.x, rank_one, fma(-w.x, mine, x[r]));
                x[r + 1] = fma(-v.y, rank_one, fma(-w.y, mine, x[r + 1]));
            }
            const double next = fma(-twice, first, image[k + 1]);
            element = fma(-mine, next, fma(-image[j], first, columns[buffer][j]));
        }
    }
    GPUNP_UNROLL
    for (int r = 0; r < R; r++) {
        const int i = start + r;
        if (i == j && i < n) static_cast<double*>(p.diagonal)[i] = x[r];
        if (n > 1 && i == n - 1 && j == n - 2) static_cast<double*>(p.beside)[n - 2] = x[r];
    }
}

constexpr int BISECTION_ROUNDS = 11;

// Replaces a pivot near zero by a small negative one; returns whether the pivot is negative.
__device__ inline int check_pivot(double* q, unsigned least) {
    const unsigned high = (unsigned)__double2hiint(*q);
    if ((high & 0x7fffffffu) < least) {
        *q = __hiloint2double((int)(least | 0x80000000u), 0);
        return 1;
    }
    return (int)(high >> 31);
}

// The number of eigenvalues below x: that of the negative pivots, from both ends to the middle. `least` is
// the upper word of the least magnitude of a pivot.
__device__ inline int count_below(const double* diagonal, const double* squares, int n, double x,
                                  unsigned least) {
    const int middle = n / 2;
    int count = 0;
    // What the eliminated rows subtract from the next diagonal elements.
    double top = 0, bottom = 0;
    for (int i = 0, j = n - 1; i < middle; i++, j--) {
        double q = diagonal[i] - x - top;
        count += check_pivot(&q, least);
        top = quick_quotient(squares[i], q);
        // For even n the last row from the bottom is the middle itself.
        if (j == middle) break;
        q = diagonal[j] - x - bottom;
        count += check_pivot(&q, least);
        bottom = quick_quotient(squares[j - 1], q);
    }
    return count + (diagonal[middle] - x - top - bottom < 0);
}

// The lanes of a warp cut the interval of one eigenvalue into 33 parts per round.
__device__ inline void bisection(const TridiagonalParams& p) {
    __shared__ double diagonal[GRID_MOST], squares[GRID_MOST];
    __shared__ double bounds[3][BISECTION_THREADS];
    __shared__ bool finite[BISECTION_THREADS];
    const int n = p.n, t = threadIdx.x, lane = t % 32;
    const int index = blockIdx.x * BISECTION_VALUES + t / 32;
    const double* beside = static_cast<const double*>(p.beside);
    double low = INFINITY, high = -INFINITY, least = 0;
    bool whole = true;
    for (int i = t; i < n; i += BISECTION_THREADS) {
        const double d = static_cast<const double*>(p.diagonal)[i], right = i < n - 1 ? beside[i] : 0;
        const double radius = magnitude(right) + (i ? magnitude(beside[i - 1]) : 0);
        diagonal[i] = d;
        squares[i] = right * right;
        low = fmin(low, d - radius);
        high = fmax(high, d + radius);
        least = fmax(least, right * right);
        whole &= d - d == 0 && right * right - right * right == 0;
    }
    bounds[0][t] = low, bounds[1][t] = high, bounds[2][t] = least;
    finite[t] = whole;
    __syncthreads();
    for (int i = 0; i < BISECTION_THREADS; i++) {
        low = fmin(low, bounds[0][i]);
        high = fmax(high, bounds[1][i]);
        least = fmax(least, bounds[2][i]);
        whole &= finite[i];
    }
    const unsigned least_bits = (unsigned)__double2hiint(fmax(least, 1.0) * 0x1p-1020);
    const double margin = 1e-14 * fmax(magnitude(low), magnitude(high));
    low -= margin;
    high += margin;
    for (int round = 0; round < BISECTION_ROUNDS; round++) {
        const double step = (high - low) * (1.0 / 33);
        const double x = fma(step, (double)(lane + 1), low);
        const bool above = count_below(diagonal, squares, n, x, least_bits) <= index;
        const int passed = __popc(warp::ballot(above));
        // An end of the interval that no lane has tested stays as it is.
        if (passed < 32) high = fma(step, (double)(passed + 1), low);
        if (passed) low = fma(step, (double)passed, low);
    }
    if (lane == 0 && index < n) static_cast<double*>(p.values)[index] = whole ? 0.5 * (low + high) : NAN;
}

}  // namespace linalg
}  // namespace gpunp
#endif
