// Eigenvalues and singular values of one small matrix by Jacobi rotations; the disjoint pairs of a round are
// rotated in parallel.
#pragma once
#include "gpunp/linalg/scalar.h"

namespace gpunp {
namespace linalg {

enum : int { MAX_SWEEPS = 40 };

template <class T>
GPUNP_HD T phase_of(T x, real_t<T> size) {
    return scaled(x, 1 / size);
}

template <class R>
GPUNP_HD R not_a_number() {
    R zero = 0;
    return zero / zero;
}

// The position of values[j] in ascending or descending order; equal values keep their order.
template <class R>
GPUNP_HD int place_of(const R* values, int n, int j, bool descending) {
    int place = 0;
    for (int i = 0; i < n; i++) {
        const bool before = descending ? values[i] > values[j] : values[i] < values[j];
        place += before || (values[i] == values[j] && i < j);
    }
    return place;
}

// The Frobenius norm of `lines` rows of `length` elements, with a row stride of ld.
template <class T>
GPUNP_HD real_t<T> norm_of(const Team& team, Shared& shared, const T* w, int ld, int length, int lines) {
    using R = real_t<T>;
    if (team.rank < 32) {
        const Lanes lanes(Team{team.rank, team.size < 32 ? team.size : 32}, 1);
        R sum = 0;
        for (int j = 0; j < lines; j++)
            for (int i = lanes.rank; i < length; i += lanes.size) sum = square_of(w[j * ld + i], sum);
        sum = lanes.sum(sum);
        if (lanes.rank == 0) shared.norm = (double)root(sum);
    }
    team.sync();
    return (R)shared.norm;
}

// Multiplies y by a phase, then rotates (x, y).
template <class T>
GPUNP_HD void rotate_pair(T& x, T& y, T phase, real_t<T> c, real_t<T> s) {
    const T f = x, g = product(phase, y);
    x = fused(make<T>::real(-s), g, scaled(f, c));
    y = fused(make<T>::real(s), f, scaled(g, c));
}

// Finds the pairs of a round whose off-diagonal element is not negligible, with their angles and phases.
template <class T>
GPUNP_HD void find_rotations(const Team& team, Shared& shared, const T* w, int ld, int n, int players,
                             int round, real_t<T> negligible, T* phases) {
    using R = real_t<T>;
    for (int k = team.rank; k < players / 2; k += team.size) {
        int i, j;
        pair_of(round, k, players, &i, &j);
        shared.order[k] = 0;
        if (j >= n) continue;
        const T x = w[i * ld + j];
        const R size = magnitude(x);
        if (!(size > negligible)) continue;
        R cosine, sine;
        rotation(real_part(w[i * ld + i]), real_part(w[j * ld + j]), size, &cosine, &sine);
        shared.order[k] = 1;
        shared.cosine[k] = cosine;
        shared.sine[k] = sine;
        phases[k] = conj(phase_of(x, size));
        shared.rotated = 1;
    }
}

// Applies the rotations of a round from the right, and to the eigenvectors v unless that is null.
template <class T>
GPUNP_HD void rotate_columns(const Lanes& lanes, const Shared& shared, T* w, T* v, int ld, int n, int players,
                             int round, const T* phases) {
    using R = real_t<T>;
    for (int k = lanes.group; k < players / 2; k += lanes.groups) {
        if (!shared.order[k]) continue;
        int i, j;
        pair_of(round, k, players, &i, &j);
        const R c = (R)shared.cosine[k], s = (R)shared.sine[k];
        const T phase = phases[k];
        for (int r = lanes.rank; r < n; r += lanes.size) {
            rotate_pair(w[r * ld + i], w[r * ld + j], phase, c, s);
            if (v) rotate_pair(v[i * ld + r], v[j * ld + r], phase, c, s);
        }
    }
}

// Applies the rotations of a round from the left. The eliminated elements are set to exact zeros and the
// diagonal elements to real numbers.
template <class T>
GPUNP_HD void rotate_rows(const Lanes& lanes, const Shared& shared, T* w, int ld, int n, int players,
                          int round, const T* phases) {
    using R = real_t<T>;
    for (int k = lanes.group; k < players / 2; k += lanes.groups) {
        if (!shared.order[k]) continue;
        int i, j;
        pair_of(round, k, players, &i, &j);
        const R c = (R)shared.cosine[k], s = (R)shared.sine[k];
        const T phase = conj(phases[k]);
        for (int r = lanes.rank; r < n; r += lanes.size) {
            T one = w[i * ld + r], two = w[j * ld + r];
            rotate_pair(one, two, phase, c, s);
            if (r == i) one = make<T>::real(real_part(one)), two = make<T>::real(0);
            if (r == j) one = make<T>::real(0), two = make<T>::real(real_part(two));
            w[i * ld + r] = one;
            w[j * ld + r] = two;
        }
    }
}

// Eigenvalues in p.values, ascending, and eigenvectors in p.out of a Hermitian matrix, of which only one
// triangle is read.
template <class T>
GPUNP_HD void eigh_one(const Team& team, const SmallMatrixParams& p, int64_t index, int, char* memory) {
    using R = real_t<T>;
    const int n = p.n, ld = n | 1, players = n + n % 2, pairs = players / 2;
    const bool upper = p.flags & SMALL_UPPER, vectors = p.flags & SMALL_VECTORS;
    Shared& shared = *reinterpret_cast<Shared*>(memory);
    T* w = matrix_memory<T>(memory);
    T* v = w + n * ld;  // transposed: row j is eigenvector j
    T* phases = v + (vectors ? n * ld : 0);
    R* values = reinterpret_cast<R*>(phases + SMALL_MATRIX);
    const T* a = static_cast<const T*>(p.a) + index * n * n;
    T* out = vectors ? static_cast<T*>(p.out) + index * n * n : nullptr;
    R* eigenvalues = static_cast<R*>(p.values) + index * n;
    for (int t = team.rank; t < n * n; t += team.size) {
        const int i = t / n, j = t % n;
        if (upper ? j >= i : i >= j) {
            w[i * ld + j] = i == j ? make<T>::real(real_part(a[t])) : a[t];
            if (i != j) w[j * ld + i] = conj(a[t]);
        }
        if (vectors) v[i * ld + j] = make<T>::real(R(i == j));
        if (ld > n && j == 0) w[i * ld + n] = make<T>::real(0);
    }
    team.sync();
    const bool finite = find_scale(team, w, n * ld, shared);
    const R scale = (R)shared.scale;
    for (int t = team.rank; t < n * n; t += team.size)
        w[t / n * ld + t % n] = scaled(w[t / n * ld + t % n], scale);
    team.sync();
    const R negligible = norm_of(team, shared, w, ld, n, n) * limits<R>::epsilon * R(0.1);
    const Lanes lanes(team, pairs);
    bool converged = n < 2;
    for (int sweep = 0; finite && !converged && sweep < MAX_SWEEPS; sweep++) {
        team.sync();
        if (team.rank == 0) shared.rotated = 0;
        team.sync();
        for (int round = 0; round < players - 1; round++) {
            find_rotations(team, shared, w, ld, n, players, round, negligible, phases);
            team.sync();
            rotate_columns(lanes, shared, w, vectors ? v : nullptr, ld, n, players, round, phases);
            team.sync();
            rotate_rows(lanes, shared, w, ld, n, players, round, phases);
            team.sync();
        }
        converged = !shared.rotated;
    }
    const R back = (R)(1 / shared.scale);
    for (int i = team.rank; i < n; i += team.size) values[i] = real_part(w[i * ld + i]);
    team.sync();
    for (int i = team.rank; i < n; i += team.size) {
        const int place = finite ? place_of(values, n, i, false) : i;
        shared.order[place] = i;
        eigenvalues[place] = finite ? values[i] * back : not_a_number<R>();
    }
    team.sync();
    if (vectors)
        for (int t = team.rank; t < n * n; t += team.size)
            out[t] = finite ? v[shared.order[t % n] * ld + t / n] : make<T>::real(not_a_number<R>());
    if (team.rank == 0 && !(finite && converged)) report<T>(p, GPUNP_STATUS_EIGENVALUES);
}

// Makes column j of u a unit vector orthogonal to all columns marked in shared.order, by two passes of
// classical Gram-Schmidt: after one pass rounding errors may leave components along them.
template <class T>
GPUNP_HD void complete_column(const Team& team, Shared& shared, T* u, int ld, int m, int j, int columns,
                              real_t<T>* numbers, T* dots) {
    using R = real_t<T>;
    // Start from the axis with the smallest projection onto those columns.
    for (int i = team.rank; i < m; i += team.size) {
        R sum = 0;
        for (int k = 0; k < columns; k++)
            if (shared.order[k] && k != j) sum = square_of(u[k * ld + i], sum);
        numbers[i] = sum;
    }
    team.sync();
    if (team.rank == 0) {
        int best = 0;
        for (int i = 1; i < m; i++)
            if (numbers[i] < numbers[best]) best = i;
        shared.found = best;
    }
    team.sync();
    for (int i = team.rank; i < m; i += team.size) u[j * ld + i] = make<T>::real(R(i == shared.found));
    team.sync();
    for (int pass = 0; pass < 2; pass++) {
        for (int k = team.rank; k < columns; k += team.size) {
            T dot = make<T>::real(0);
            if (shared.order[k] && k != j)
                for (int i = 0; i < m; i++) dot = fused(conj(u[k * ld + i]), u[j * ld + i], dot);
            dots[k] = negate(dot);
        }
        team.sync();
        for (int i = team.rank; i < m; i += team.size) {
            T x = u[j * ld + i];
            for (int k = 0; k < columns; k++)
                if (shared.order[k] && k != j) x = fused(dots[k], u[k * ld + i], x);
            u[j * ld + i] = x;
        }
        team.sync();
        R sum = 0;
        for (int i = 0; i < m; i++) sum = square_of(u[j * ld + i], sum);
        team.sync();
        for (int i = team.rank; i < m; i += team.size) u[j * ld + i] = scaled(u[j * ld + i], 1 / root(sum));
        team.sync();
    }
    if (team.rank == 0) shared.order[j] = 1;
    team.sync();
}

// Whether LAPACK would return this column with the opposite sign where one singular value dominates: its
// reflection makes the first nonzero element negative, unless that is the only one, which stays positive.
template <class T>
GPUNP_HD bool is_reversed(const T* column, int length) {
    int first = 0, next;
    while (first < length && !(magnitude(column[first]) > 0)) first++;
    for (next = first + 1; next < length && !(magnitude(column[next]) > 0);) next++;
    const bool alone = next >= length;
    return first < length && (alone ? real_part(column[first]) < 0 : real_part(column[first]) > 0);
}

// One-sided Jacobi: rotations make the columns of a (m >= n) orthogonal; a wide matrix is replaced by its
// adjoint. Outputs: values in descending order, out = U (m x m or m x n), second = V^H.
template <class T>
GPUNP_HD void svd_one(const Team& team, const SmallMatrixParams& p, int64_t index, int, char* memory) {
    using R = real_t<T>;
    const bool wide = p.m < p.n, vectors = p.flags & SMALL_VECTORS, full = p.flags & SMALL_FULL;
    const int m = wide ? p.n : p.m, n = wide ? p.m : p.n, ld = m | 1, ldv = n | 1;
    const int columns = vectors && full ? m : n, players = n + n % 2, pairs = players / 2;
    Shared& shared = *reinterpret_cast<Shared*>(memory);
    T* w = matrix_memory<T>(memory);  // column j is at w + j * ld
    T* v = w + columns * ld;
    T* dots = v + (vectors ? n * ldv : 0);
    R* numbers = reinterpret_cast<R*>(dots + SMALL_MATRIX);
    R* values = numbers + SMALL_MATRIX;
    int* places = reinterpret_cast<int*>(values + SMALL_MATRIX);
    const T* a = static_cast<const T*>(p.a) + index * m * n;
    R* singular = static_cast<R*>(p.values) + index * n;
    const bool finite = find_scale(team, a, m * n, shared);
    const R scale = (R)shared.scale, back = (R)(1 / shared.scale);
    for (int t = team.rank; t < m * n; t += team.size) {
        const int row = t / p.n, column = t % p.n;
        const T x = scaled(a[t], scale);
        if (wide)
            w[row * ld + column] = conj(x);
        else
            w[column * ld + row] = x;
    }
    if (vectors)
        for (int t = team.rank; t < n * n; t += team.size)
            v[t / n * ldv + t % n] = make<T>::real(R(t / n == t % n));
    team.sync();
    const R tolerance = limits<R>::epsilon * root(R(m));
    // Columns with a smaller norm count as zero and are not rotated: the error is far below rounding errors.
    const R negligible = limits<R>::epsilon * R(1e-3) * norm_of(team, shared, w, ld, m, n);
    const R floor = negligible * negligible;
    const Lanes lanes(team, pairs);
    bool converged = n < 2;
    for (int sweep = 0; finite && !converged && sweep < MAX_SWEEPS; sweep++) {
        team.sync();
        if (team.rank == 0) shared.rotated = 0;
        team.sync();
        for (int round = 0; round < players - 1; round++) {
            for (int k = lanes.group; k < pairs; k += lanes.groups) {
                int i, j;
                pair_of(round, k, players, &i, &j);
                if (j >= n) continue;
                T *x = w + i * ld, *y = w + j * ld;
                R alpha = 0, beta = 0;
                T gamma = make<T>::real(0);
                for (int r = lanes.rank; r < m; r += lanes.size) {
                    alpha = square_of(x[r], alpha);
                    beta = square_of(y[r], beta);
                    gamma = fused(conj(x[r]), y[r], gamma);
                }
                alpha = lanes.sum(alpha);
                beta = lanes.sum(beta);
                gamma = lanes.sum(gamma);
                const R size = magnitude(gamma);
                if (!(size > tolerance * root(alpha) * root(beta)) || alpha <= floor || beta <= floor)
                    continue;
                R c, s;
                rotation(alpha, beta, size, &c, &s);
                const T phase = conj(phase_of(gamma, size));
                for (int r = lanes.rank; r < m; r += lanes.size) {
                    const T f = x[r], g = product(phase, y[r]);
                    x[r] = fused(make<T>::real(-s), g, scaled(f, c));
                    y[r] = fused(make<T>::real(s), f, scaled(g, c));
                }
                if (vectors)
                    for (int r = lanes.rank; r < n; r += lanes.size) {
                        const T f = v[i * ldv + r], g = product(phase, v[j * ldv + r]);
                        v[i * ldv + r] = fused(make<T>::real(-s), g, scaled(f, c));
                        v[j * ldv + r] = fused(make<T>::real(s), f, scaled(g, c));
                    }
                if (lanes.rank == 0) shared.rotated = 1;
            }
            team.sync();
        }
        converged = !shared.rotated;
    }
    team.sync();
    for (int j = team.rank; j < n; j += team.size) {
        R sum = 0;
        for (int r = 0; r < m; r++) sum = square_of(w[j * ld + r], sum);
        values[j] = root(sum);
    }
    team.sync();
    for (int j = team.rank; j < n; j += team.size) {
        places[j] = finite ? place_of(values, n, j, true) : j;
        singular[places[j]] = finite ? values[j] * back : not_a_number<R>();
    }
    if (team.rank == 0 && !finite) report<T>(p, GPUNP_STATUS_SINGULAR_VALUES);
    if (!vectors) return;
    for (int t = team.rank; t < m * n; t += team.size) {
        const R value = values[t / m];
        if (value > negligible) w[t / m * ld + t % m] = scaled(w[t / m * ld + t % m], 1 / value);
    }
    for (int j = team.rank; j < columns; j += team.size) shared.order[j] = j < n && values[j] > negligible;
    team.sync();
    for (int j = 0; finite && j < columns; j++)
        if (!shared.order[j]) complete_column(team, shared, w, ld, m, j, columns, numbers, dots);
    team.sync();
    for (int j = team.rank; j < n; j += team.size)
        shared.order[j] = wide ? is_reversed(v + j * ldv, n) : is_reversed(w + j * ld, m);
    team.sync();
    // For a wide matrix the roles are exchanged: a = V S U^H.
    T* left = static_cast<T*>(wide ? p.second : p.out) + index * m * columns;
    T* right = static_cast<T*>(wide ? p.out : p.second) + index * n * n;
    for (int t = team.rank; t < m * columns; t += team.size) {
        const int row = t % m, j = t / m, place = j < n ? places[j] : j;
        T x = finite ? w[j * ld + row] : make<T>::real(not_a_number<R>());
        if (j < n && shared.order[j]) x = negate(x);
        if (wide)
            left[place * m + row] = conj(x);
        else
            left[row * columns + place] = x;
    }
    for (int t = team.rank; t < n * n; t += team.size) {
        const int row = t % n, place = places[t / n];
        T x = finite ? v[t / n * ldv + row] : make<T>::real(not_a_number<R>());
        if (shared.order[t / n]) x = negate(x);
        if (wide)
            right[row * n + place] = x;
        else
            right[place * n + row] = conj(x);
    }
}

}  // namespace linalg
}  // namespace gpunp
