// Symmetric indefinite factorization with Bunch and Kaufman's pivots, by one block of threads per matrix.
#pragma once
#include "gpunp/common/warp.h"
#include "gpunp/linalg/band_params.h"
#include "gpunp/linalg/scalar.h"

namespace gpunp {
namespace linalg {

// Largest element seen by the warps of a block, and its place.
struct Largest {
    double size[32];
    int64_t place[32];
};

// The largest of the threads' values, and the first place that has it.
GPUNP_HD void find_largest(const Team& team, Largest& shared, double* size, int64_t* place) {
#if defined(__CUDA_ARCH__)
    double best = *size;
    int64_t at = *place;
    for (int offset = 16; offset; offset /= 2) {
        const double other = warp::shuffle_xor(best, offset);
        const int64_t there = warp::shuffle_xor(at, offset);
        if (other > best || (other == best && there < at)) best = other, at = there;
    }
    __syncthreads();
    if (team.rank % 32 == 0) shared.size[team.rank / 32] = best, shared.place[team.rank / 32] = at;
    __syncthreads();
    best = shared.size[0], at = shared.place[0];
    for (int i = 1; i < team.size / 32; i++) {
        const double other = shared.size[i];
        if (other > best || (other == best && shared.place[i] < at)) best = other, at = shared.place[i];
    }
    *size = best, *place = at;
#endif
}

template <class T>
struct Ldl {
    T* a;
    int64_t n;
    bool hermitian;

    GPUNP_HD T& at(int64_t i, int64_t j) const { return a[i * n + j]; }
    GPUNP_HD T turned(T x) const { return hermitian ? conj(x) : x; }
    // The diagonal of a Hermitian matrix is real; imaginary parts are ignored.
    GPUNP_HD T on_diagonal(int64_t k) const {
        return hermitian ? make<T>::real(real_part(at(k, k))) : at(k, k);
    }

    // Exchanges rows and columns p < q, in the columns of L before them only rows.
    GPUNP_HD void exchange(const Team& team, int64_t p, int64_t q) const {
        for (int64_t t = team.rank; t < n; t += team.size) {
            if (t < p) {
                const T x = at(p, t);
                at(p, t) = at(q, t), at(q, t) = x;
            } else if (t == p) {
                const T x = on_diagonal(p);
                at(p, p) = on_diagonal(q), at(q, q) = x;
            } else if (t < q) {
                const T x = at(t, p);
                at(t, p) = turned(at(q, t)), at(q, t) = turned(x);
            } else if (t == q) {
                at(q, p) = turned(at(q, p));
            } else {
                const T x = at(t, p);
                at(t, p) = at(t, q), at(t, q) = x;
            }
        }
    }
};

// Bunch and Kaufman's partial pivoting as in LAPACK's sytf2 and hetf2: whether the step takes one row or two,
// and the row that is exchanged. Returns false if the column is zero.
template <class T>
GPUNP_HD bool choose_block(const Team& team, const Ldl<T>& m, int64_t k, Largest& shared, int* rows,
                           int64_t* pivot) {
    const double alpha = 0.6403882032022076;  // (1 + sqrt(17)) / 8
    const double own = (double)size_of(m.on_diagonal(k));
    double column = -1, row = -1;
    int64_t place = k, ignored = k;
    for (int64_t i = k + 1 + team.rank; i < m.n; i += team.size) {
        const double x = (double)size_of(m.at(i, k));
        if (x > column) column = x, place = i;
    }
    find_largest(team, shared, &column, &place);
    *rows = 1, *pivot = k;
    if (!((own > column ? own : column) > 0)) return false;
    if (own >= alpha * column) return true;
    for (int64_t j = k + team.rank; j < m.n; j += team.size) {
        if (j == place) continue;
        const double x = (double)size_of(j < place ? m.at(place, j) : m.at(j, place));
        if (x > row) row = x;
    }
    find_largest(team, shared, &row, &ignored);
    if (own >= alpha * column * (column / row)) return true;
    *pivot = place;
    if ((double)size_of(m.on_diagonal(place)) < alpha * row) *rows = 2;
    return true;
}

// Columns k, and k + 1 if the step has two rows, of L, into `first` and `second`.
template <class T>
GPUNP_HD void columns_of_factor(const Team& team, const Ldl<T>& m, int64_t k, int rows, T* first, T* second) {
    if (rows == 1) {
        const T pivot = m.on_diagonal(k);
        for (int64_t i = k + 1 + team.rank; i < m.n; i += team.size) first[i] = quotient(m.at(i, k), pivot);
        return;
    }
    // The inverse of D's block, whose element below the diagonal is the largest, relative to that element.
    const T below = m.at(k + 1, k), beside = m.turned(below);
    const T one = make<T>::real(1);
    const T a = quotient(m.on_diagonal(k + 1), below), b = quotient(m.on_diagonal(k), beside);
    const T scale = quotient(one, fused(a, b, negate(one)));
    for (int64_t i = k + 2 + team.rank; i < m.n; i += team.size) {
        const T x = m.at(i, k), y = m.at(i, k + 1);
        first[i] = product(scale, quotient(fused(a, x, negate(y)), beside));
        second[i] = product(scale, quotient(fused(b, y, negate(x)), below));
    }
}

template <class T>
GPUNP_HD void ldl_one(const Team& team, const LdlParams& p, int64_t index, Largest& shared) {
    const int64_t n = p.n;
    const Ldl<T> m{static_cast<T*>(p.a) + index * n * n, n, (p.flags & LDL_HERMITIAN) != 0};
    T* diagonal = static_cast<T*>(p.diagonal) + index * n;
    T* below = static_cast<T*>(p.below) + index * n;
    T* first = static_cast<T*>(p.work) + index * 2 * n;
    T* second = first + n;
    int32_t* order = p.order + index * n;
    const int line = team.size < 32 ? team.size : 32, x = team.rank % line, y = team.rank / line;
    const int lines = team.size / line;
    for (int64_t i = team.rank; i < n; i += team.size) order[i] = (int32_t)i, below[i] = make<T>::real(0);
    team.sync();
    int rows = 1;
    for (int64_t k = 0; k < n; k += rows) {
        int64_t pivot;
        const bool regular = choose_block(team, m, k, shared, &rows, &pivot);
        const int64_t target = k + rows - 1;
        team.sync();
        if (pivot != target) {
            m.exchange(team, target, pivot);
            if (team.rank == 0) {
                const int32_t row = order[target];
                order[target] = order[pivot], order[pivot] = row;
            }
            team.sync();
        }
        if (team.rank == 0) {
            for (int i = 0; i < rows; i++) diagonal[k + i] = m.on_diagonal(k + i);
            if (rows == 2) below[k] = m.at(k + 1, k);
        }
        if (!regular) continue;
        columns_of_factor(team, m, k, rows, first, second);
        team.sync();
        // The rest loses L D L^H: the columns of A are L D, those in the work arrays are L.
        for (int64_t i = k + rows + y; i < n; i += lines) {
            const T u = negate(m.at(i, k)), v = rows == 2 ? negate(m.at(i, k + 1)) : u;
            for (int64_t j = k + rows + x; j <= i; j += line) {
                T sum = fused(u, m.turned(first[j]), m.at(i, j));
                if (rows == 2) sum = fused(v, m.turned(second[j]), sum);
                m.at(i, j) = sum;
            }
        }
        team.sync();
        for (int64_t i = k + rows + team.rank; i < n; i += team.size) {
            m.at(i, k) = first[i];
            if (rows == 2) m.at(i, k + 1) = second[i];
        }
        // Of a block of two rows, L has zero below its ones.
        if (rows == 2 && team.rank == 0) m.at(k + 1, k) = make<T>::real(0);
        team.sync();
    }
}

}  // namespace linalg
}  // namespace gpunp
