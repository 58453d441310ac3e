// Band matrices: LU with partial pivoting, Cholesky, and substitution, by one block of threads per matrix.
//
// Steps follow one another, as the rows of a band depend on each other; a block works on the window of a
// step. The window stays in the first-level cache: neighbouring columns share its lines.
#pragma once
#include "gpunp/linalg/band_params.h"
#include "gpunp/linalg/scalar.h"

namespace gpunp {
namespace linalg {

GPUNP_HD void set_status(uint32_t* status, uint32_t bit) {
    if (!status) return;
#if defined(__CUDA_ARCH__)
    atomicOr(status, bit);
#else
    *status |= bit;
#endif
}

GPUNP_HD int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

// Exchanges rows k and k + at of one column, whose elements are `stride` apart, and subtracts multiples of
// the pivot's row from the `count` rows below. `factors` is the pivot's column before the exchange.
template <class T>
GPUNP_HD void eliminate(T* x, int64_t stride, const T* factors, int64_t factor_stride, T inverse, int at,
                        int count) {
    const T first = x[0], pivot = x[at * stride];
    x[0] = pivot;
    for (int i = 1; i <= count; i++) {
        const T factor = product(i == at ? factors[0] : factors[i * factor_stride], inverse);
        T* target = x + i * stride;
        *target = fused(negate(factor), pivot, i == at ? first : *target);
    }
}

// Solves one system in place. Every thread searches the pivot itself, so that a step has one barrier.
template <class T>
GPUNP_HD void band_solve_one(const Team& team, const BandParams& p, int64_t index) {
    using R = real_t<T>;
    const int64_t n = p.n;
    const int lower = p.lower, reach = p.lower + p.upper;
    T* w = static_cast<T*>(p.band) + index * (lower + reach + 1) * n + reach * n;  // the diagonal
    T* b = static_cast<T*>(p.b) + index * n * p.sides;
    T* diagonal = static_cast<T*>(p.diagonal) + index * n;
    bool failed = false;
    for (int64_t k = 0; k < n; k++) {
        const int below = (int)least(lower, n - 1 - k), right = (int)least(reach, n - 1 - k);
        const T* column = w + k;
        R best = size_of(column[0]);
        int at = 0;
        for (int i = 1; i <= below; i++) {
            const R x = size_of(column[i * n]);
            if (x > best) best = x, at = i;
        }
        const T pivot = column[at * n];
        if (team.rank == 0) diagonal[k] = pivot;
        if (best == 0) {
            failed = true;
        } else {
            const T inverse = quotient(make<T>::real(1), pivot);
            // Down a column of the matrix the band's row goes up by one.
            for (int c = 1 + team.rank; c <= right; c += team.size)
                eliminate(w + k + c - c * n, n, column, n, inverse, at, below);
            for (int s = team.rank; s < p.sides; s += team.size)
                eliminate(b + k * p.sides + s, p.sides, column, n, inverse, at, below);
        }
        team.sync();
    }
    for (int s = team.rank; s < p.sides; s += team.size) {
        for (int64_t k = n - 1; k >= 0; k--) {
            const int right = (int)least(reach, n - 1 - k);
            T x = b[k * p.sides + s];
            for (int c = 1; c <= right; c++) x = fused(negate(w[k + c - c * n]), b[(k + c) * p.sides + s], x);
            b[k * p.sides + s] = quotient(x, diagonal[k]);
        }
    }
    if (team.rank == 0 && failed) set_status(p.status, GPUNP_STATUS_SINGULAR);
}

// Replaces the lower band of a positive definite matrix by that of its Cholesky factor.
template <class T>
GPUNP_HD void band_factor_one(const Team& team, const BandParams& p, int64_t index) {
    using R = real_t<T>;
    const int64_t n = p.n;
    T* w = static_cast<T*>(p.band) + index * (p.lower + 1) * n;
    bool failed = false;
    for (int64_t k = 0; k < n; k++) {
        const int below = (int)least(p.lower, n - 1 - k);
        T* column = w + k;
        const R pivot = real_part(column[0]), root_of = root(pivot), inverse = 1 / root_of;
        // Also true for NaN.
        if (!(pivot > 0)) failed = true;
        for (int t = team.rank; t < below * below; t += team.size) {
            const int c = t / below + 1, i = t % below + 1;
            if (i < c) continue;
            const T factor = scaled(conj(column[c * n]), inverse);
            T* target = w + k + c + (i - c) * n;
            *target = fused(negate(scaled(column[i * n], inverse)), factor, *target);
        }
        team.sync();
        for (int i = team.rank; i <= below; i += team.size)
            column[i * n] = i ? scaled(column[i * n], inverse) : make<T>::real(root_of);
    }
    team.sync();
    if (team.rank == 0 && failed) set_status(p.status, GPUNP_STATUS_NOT_POSITIVE_DEFINITE);
}

// Solves L L^H x = b in place; each thread has right sides of its own.
template <class T>
GPUNP_HD void band_substitute_one(const Team& team, const BandParams& p, int64_t index) {
    const int64_t n = p.n;
    const T* w = static_cast<const T*>(p.band) + index * (p.lower + 1) * n;
    T* b = static_cast<T*>(p.b) + index * n * p.sides;
    for (int s = team.rank; s < p.sides; s += team.size) {
        for (int64_t k = 0; k < n; k++) {
            const int count = (int)least(p.lower, k);
            T x = b[k * p.sides + s];
            for (int i = 1; i <= count; i++) x = fused(negate(w[i * n + k - i]), b[(k - i) * p.sides + s], x);
            b[k * p.sides + s] = quotient(x, w[k]);
        }
        for (int64_t k = n - 1; k >= 0; k--) {
            const int count = (int)least(p.lower, n - 1 - k);
            T x = b[k * p.sides + s];
            for (int i = 1; i <= count; i++)
                x = fused(negate(conj(w[i * n + k])), b[(k + i) * p.sides + s], x);
            b[k * p.sides + s] = quotient(x, conj(w[k]));
        }
    }
}

// Factors if `band` is no factor yet, and solves if there are right sides.
template <class T>
GPUNP_HD void band_positive_one(const Team& team, const BandParams& p, int64_t index) {
    if (!(p.flags & BAND_SUBSTITUTE)) band_factor_one<T>(team, p, index);
    if (p.b) band_substitute_one<T>(team, p, index);
}

}  // namespace linalg
}  // namespace gpunp
