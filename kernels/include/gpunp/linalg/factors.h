// LU factors of one small matrix, and systems with one small triangular matrix, by a thread block.
#pragma once
#include "gpunp/linalg/lu.h"

namespace gpunp {
namespace linalg {

// out: the factors, packed as by LAPACK; second: LAPACK's row exchanges, counted from 0, as int32. A zero
// pivot leaves its column as it is.
template <class T>
GPUNP_HD void factor_one(const Team& team, const SmallMatrixParams& p, int64_t index, int, char* memory) {
    const int m = p.m, n = p.n, steps = m < n ? m : n, ld = n | 1;
    const int line = team.size < 32 ? team.size : 32, x = team.rank % line, y = team.rank / line;
    const int lines = team.size / line;
    Shared& shared = *reinterpret_cast<Shared*>(memory);
    T* w = matrix_memory<T>(memory);
    const T* a = static_cast<const T*>(p.a) + index * m * n;
    int32_t* swaps = static_cast<int32_t*>(p.second) + index * steps;
    for (int t = team.rank; t < m * n; t += team.size) w[t / n * ld + t % n] = a[t];
    for (int i = team.rank; i < m; i += team.size) shared.order[i] = i;
    team.sync();
    for (int k = 0; k < steps; k++) {
        const int at = choose_pivot(team, shared, w, ld, k, m);
        if (team.rank == 0) swaps[k] = at;
        team.sync();
        const T* source = w + shared.order[k] * ld;
        const T pivot = source[k];
        if (size_of(pivot) == 0) continue;
        for (int i = k + 1 + team.rank; i < m; i += team.size) {
            T* target = w + shared.order[i] * ld + k;
            *target = quotient(*target, pivot);
        }
        team.sync();
        for (int i = k + 1 + y; i < m; i += lines) {
            T* target = w + shared.order[i] * ld;
            const T factor = negate(target[k]);
            for (int j = k + 1 + x; j < n; j += line) target[j] = fused(factor, source[j], target[j]);
        }
        team.sync();
    }
    team.sync();
    T* out = static_cast<T*>(p.out) + index * m * n;
    for (int i = y; i < m; i += lines)
        for (int j = x; j < n; j += line) out[i * n + j] = w[shared.order[i] * ld + j];
}

// Element (i, j) of the transpose or adjoint that the flags ask for; of a triangle with ones the diagonal is
// not read.
template <class T>
GPUNP_HD T triangle_element(const T* a, int n, int i, int j, int flags) {
    if (i == j && flags & SMALL_UNIT) return make<T>::real(1);
    if (!(flags & (SMALL_TRANSPOSED | SMALL_ADJOINT))) return a[i * n + j];
    return flags & SMALL_ADJOINT ? conj(a[j * n + i]) : a[j * n + i];
}

// Columns [first, first + count) of the solution of a triangular system; the other triangle is not read.
template <class T>
GPUNP_HD void triangular_one(const Team& team, const SmallMatrixParams& p, int64_t index, int first,
                             char* memory) {
    const int n = p.n;
    const int count = p.sides - first < SMALL_SIDES ? p.sides - first : SMALL_SIDES;
    const int ld = (n + count) | 1, total = n + count;
    const int line = team.size < 32 ? team.size : 32, x = team.rank % line, y = team.rank / line;
    const int lines = team.size / line;
    const bool turned = p.flags & (SMALL_TRANSPOSED | SMALL_ADJOINT);
    const bool upper = ((p.flags & SMALL_UPPER) != 0) != turned;
    T* w = matrix_memory<T>(memory);
    const T* a = static_cast<const T*>(p.a) + index * n * n;
    const T* b = static_cast<const T*>(p.b) + index * n * p.sides;
    for (int t = team.rank; t < n * n; t += team.size) {
        const int i = t / n, j = t % n;
        if (upper ? j >= i : i >= j) w[i * ld + j] = triangle_element(a, n, i, j, p.flags);
    }
    for (int i = y; i < n; i += lines)
        for (int j = x; j < count; j += line) w[i * ld + n + j] = b[i * p.sides + first + j];
    team.sync();
    bool failed = false;
    for (int step = 0; step < n; step++) {
        const int k = upper ? n - 1 - step : step;
        T* source = w + k * ld;
        const T pivot = source[k];
        if (size_of(pivot) == 0) failed = true;
        for (int j = n + team.rank; j < total; j += team.size) source[j] = quotient(source[j], pivot);
        team.sync();
        for (int i = (upper ? 0 : k + 1) + y; i < (upper ? k : n); i += lines) {
            T* target = w + i * ld;
            const T factor = negate(target[k]);
            for (int j = n + x; j < total; j += line) target[j] = fused(factor, source[j], target[j]);
        }
        team.sync();
    }
    T* out = static_cast<T*>(p.out) + index * n * p.sides;
    for (int i = y; i < n; i += lines)
        for (int j = x; j < count; j += line) out[i * p.sides + first + j] = w[i * ld + n + j];
    if (team.rank == 0 && failed) report<T>(p, GPUNP_STATUS_SINGULAR);
}

}  // namespace linalg
}  // namespace gpunp
