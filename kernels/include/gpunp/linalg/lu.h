// LU factorization with partial pivoting and Cholesky factorization of one small matrix by a thread block.
#pragma once
#include "gpunp/common/warp.h"
#include "gpunp/linalg/scalar.h"

namespace gpunp {
namespace linalg {

// Moves the row with the largest element of column k to position k of shared.order; among equals the first in
// that order wins. The threads of the first warp return the position where it was.
template <class T>
GPUNP_HD int choose_pivot(const Team& team, Shared& shared, const T* w, int ld, int k, int n) {
    using R = real_t<T>;
    if (team.rank >= 32) return k;
    R best = -1;
    int at = k;
    for (int i = k + team.rank; i < n; i += team.size < 32 ? team.size : 32) {
        R x = size_of(w[shared.order[i] * ld + k]);
        if (x > best) best = x, at = i;
    }
#if defined(__CUDA_ARCH__)
    for (int offset = 16; offset; offset /= 2) {
        R other = warp::shuffle_xor(best, offset);
        int place = warp::shuffle_xor(at, offset);
        if (other > best || (other == best && place < at)) best = other, at = place;
    }
#endif
    if (team.rank == 0 && at != k) {
        int row = shared.order[k];
        shared.order[k] = shared.order[at];
        shared.order[at] = row;
        shared.swaps++;
    }
    return at;
}

// Writes the sign of the determinant to p.out and the logarithm of its absolute value to p.second.
template <class T>
GPUNP_HD void store_determinant(const SmallMatrixParams& p, int64_t index, const Shared& shared, const T* w,
                                int ld) {
    using R = real_t<T>;
    T sign = make<T>::real(shared.swaps % 2 ? R(-1) : R(1));
    R sum = 0;
    for (int k = 0; k < p.n; k++) {
        const T pivot = w[shared.order[k] * ld + k];
        const R size = magnitude(pivot);
        if (size == 0) {
            sign = make<T>::real(0);
            sum = -1 / size;
            break;
        }
        sign = product(sign, scaled(pivot, 1 / size));
        sum += logarithm(size);
    }
    static_cast<T*>(p.out)[index] = sign;
    static_cast<R*>(p.second)[index] = sum;
}

// Columns [first, first + count) of the solution. The matrix and the right-hand sides are eliminated
// together; rows stay in place, and only shared.order is permuted.
template <class T>
GPUNP_HD void solve_one(const Team& team, const SmallMatrixParams& p, int64_t index, int first,
                        char* memory) {
    using R = real_t<T>;
    const int n = p.n;
    const int count = p.sides - first < SMALL_SIDES ? p.sides - first : SMALL_SIDES;
    const int ld = (n + count) | 1, total = n + count;
    const int line = team.size < 32 ? team.size : 32, x = team.rank % line, y = team.rank / line;
    const int lines = team.size / line;
    Shared& shared = *reinterpret_cast<Shared*>(memory);
    T* w = matrix_memory<T>(memory);
    const T* a = static_cast<const T*>(p.a) + index * n * n;
    const T* b = static_cast<const T*>(p.b) + index * n * p.sides;
    for (int t = team.rank; t < n * n; t += team.size) w[t / n * ld + t % n] = a[t];
    for (int i = y; i < n; i += lines)
        for (int j = x; j < count; j += line)
            w[i * ld + n + j] = p.b ? b[i * p.sides + first + j] : make<T>::real(R(i == first + j));
    for (int i = team.rank; i < n; i += team.size) shared.order[i] = i;
    if (team.rank == 0) shared.swaps = shared.failed = 0;
    team.sync();
    for (int k = 0; k < n; k++) {
        choose_pivot(team, shared, w, ld, k, n);
        team.sync();
        const T* source = w + shared.order[k] * ld;
        const T pivot = source[k];
        if (size_of(pivot) == 0) {
            if (team.rank == 0) shared.failed = 1;
            continue;
        }
        for (int i = k + 1 + team.rank; i < n; i += team.size) {
            T* target = w + shared.order[i] * ld + k;
            *target = quotient(*target, pivot);
        }
        team.sync();
        for (int i = k + 1 + y; i < n; i += lines) {
            T* target = w + shared.order[i] * ld;
            const T factor = negate(target[k]);
            for (int j = k + 1 + x; j < total; j += line) target[j] = fused(factor, source[j], target[j]);
        }
        team.sync();
    }
    team.sync();
    if (p.flags & SMALL_DETERMINANT) {
        if (team.rank == 0) store_determinant(p, index, shared, w, ld);
        return;
    }
    for (int k = n - 1; k >= 0; k--) {
        T* source = w + shared.order[k] * ld;
        const T pivot = source[k];
        for (int j = n + team.rank; j < total; j += team.size) source[j] = quotient(source[j], pivot);
        team.sync();
        for (int i = y; i < k; i += lines) {
            T* target = w + shared.order[i] * ld;
            const T factor = negate(target[k]);
            for (int j = n + x; j < total; j += line) target[j] = fused(factor, source[j], target[j]);
        }
        team.sync();
    }
    T* out = static_cast<T*>(p.out) + index * n * p.sides;
    for (int i = y; i < n; i += lines)
        for (int j = x; j < count; j += line) out[i * p.sides + first + j] = w[shared.order[i] * ld + n + j];
    if (team.rank == 0 && shared.failed) report<T>(p, GPUNP_STATUS_SINGULAR);
}

// The lower factor L with a = L L^H, or the upper factor U with a = U^H U; only one triangle is read.
template <class T>
GPUNP_HD void cholesky_one(const Team& team, const SmallMatrixParams& p, int64_t index, int, char* memory) {
    using R = real_t<T>;
    const int n = p.n, ld = n | 1;
    const int line = team.size < 32 ? team.size : 32, x = team.rank % line, y = team.rank / line;
    const int lines = team.size / line;
    const bool upper = p.flags & SMALL_UPPER;
    Shared& shared = *reinterpret_cast<Shared*>(memory);
    T* w = matrix_memory<T>(memory);
    const T* a = static_cast<const T*>(p.a) + index * n * n;
    T* out = static_cast<T*>(p.out) + index * n * n;
    for (int t = team.rank; t < n * n; t += team.size) {
        const int i = t / n, j = t % n;
        if (upper ? j >= i : i >= j) w[upper ? j * ld + i : i * ld + j] = upper ? conj(a[t]) : a[t];
    }
    if (team.rank == 0) shared.failed = 0;
    team.sync();
    for (int k = 0; k < n; k++) {
        const R pivot = real_part(w[k * ld + k]);
        // Also false for NaN.
        const bool positive = pivot > 0;
        const R diagonal = root(pivot);
        team.sync();
        if (team.rank == 0) {
            w[k * ld + k] = make<T>::real(diagonal);
            if (!positive) shared.failed = 1;
        }
        for (int i = k + 1 + team.rank; i < n; i += team.size)
            w[i * ld + k] = scaled(w[i * ld + k], 1 / diagonal);
        team.sync();
        for (int i = k + 1 + y; i < n; i += lines) {
            const T factor = negate(w[i * ld + k]);
            for (int j = k + 1 + x; j <= i; j += line)
                w[i * ld + j] = fused(factor, conj(w[j * ld + k]), w[i * ld + j]);
        }
        team.sync();
    }
    for (int t = team.rank; t < n * n; t += team.size) {
        const int i = t / n, j = t % n;
        if (upper)
            out[t] = j >= i ? conj(w[j * ld + i]) : make<T>::real(0);
        else
            out[t] = i >= j ? w[i * ld + j] : make<T>::real(0);
    }
    if (team.rank == 0 && shared.failed) report<T>(p, GPUNP_STATUS_NOT_POSITIVE_DEFINITE);
}

}  // namespace linalg
}  // namespace gpunp
