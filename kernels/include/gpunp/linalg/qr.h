// QR factorization of one small matrix by Householder reflectors, with LAPACK's conventions.
#pragma once
#include "gpunp/linalg/scalar.h"

namespace gpunp {
namespace linalg {

// Computes the Householder reflector of the column x from row k on; its first element is one and is not
// stored.
template <class T>
GPUNP_HD void make_reflector(const Team& team, T* x, int k, int m, T* tau) {
    using R = real_t<T>;
    if (team.rank >= 32) return;
    const Team warp{team.rank, team.size < 32 ? team.size : 32};
    const Lanes lanes(warp, 1);
    R rest = 0;
    for (int i = k + 1 + lanes.rank; i < m; i += lanes.size) rest = square_of(x[i], rest);
    rest = lanes.sum(rest);
    const T alpha = x[k];
    const R norm = root(square_of(alpha, rest)), first = real_part(alpha);
    if (rest == 0 && size_of(alpha) == magnitude(first)) {
        if (lanes.rank == 0) *tau = make<T>::real(0);
        return;
    }
    const R beta = first < 0 ? norm : -norm;
    const T factor = quotient(make<T>::real(1), fused(make<T>::real(-1), make<T>::real(beta), alpha));
    for (int i = k + 1 + lanes.rank; i < m; i += lanes.size) x[i] = product(x[i], factor);
#if defined(__CUDA_ARCH__)
    __syncwarp();
#endif
    if (lanes.rank == 0) {
        *tau = scaled(fused(make<T>::real(-1), alpha, make<T>::real(beta)), 1 / beta);
        x[k] = make<T>::real(beta);
    }
}

// y -= factor * v * (v^H y) from row k on, where v[k] is one. Each row belongs to the same lane for every k.
template <class T>
GPUNP_HD void reflect(const Lanes& lanes, const T* v, T factor, T* y, int k, int m) {
    T dot = make<T>::real(0);
    const int skipped = k > lanes.rank ? (k - lanes.rank + lanes.size - 1) / lanes.size : 0;
    const int start = lanes.rank + skipped * lanes.size;
    for (int i = start; i < m; i += lanes.size) dot = i == k ? y[i] : fused(conj(v[i]), y[i], dot);
    dot = product(negate(factor), lanes.sum(dot));
    for (int i = start; i < m; i += lanes.size) y[i] = fused(dot, i == k ? make<T>::real(1) : v[i], y[i]);
}

// out: the factors, packed as by LAPACK; second: tau; third: Q (m x sides), unless null.
template <class T>
GPUNP_HD void qr_one(const Team& team, const SmallMatrixParams& p, int64_t index, int, char* memory) {
    using R = real_t<T>;
    const int m = p.m, n = p.n, steps = m < n ? m : n, ld = m | 1;
    Shared& shared = *reinterpret_cast<Shared*>(memory);
    T* w = matrix_memory<T>(memory);
    T* tau = w + n * ld;
    T* q = tau + SMALL_MATRIX;
    const T* a = static_cast<const T*>(p.a) + index * m * n;
    find_scale(team, a, m * n, shared);
    const R scale = (R)shared.scale, back = (R)(1 / shared.scale);
    for (int t = team.rank; t < m * n; t += team.size) w[t % n * ld + t / n] = scaled(a[t], scale);
    team.sync();
    const Lanes lanes(team, n);
    for (int k = 0; k < steps; k++) {
        make_reflector(team, w + k * ld, k, m, tau + k);
        team.sync();
        const T factor = conj(tau[k]);
        for (int j = k + 1 + lanes.group; j < n; j += lanes.groups)
            reflect(lanes, w + k * ld, factor, w + j * ld, k, m);
        team.sync();
    }
    T* out = static_cast<T*>(p.out) + index * m * n;
    for (int t = team.rank; t < m * n; t += team.size) {
        const int i = t / n, j = t % n;
        const T x = w[j * ld + i];
        out[t] = i <= j ? scaled(x, back) : x;
    }
    T* taus = static_cast<T*>(p.second) + index * steps;
    for (int k = team.rank; k < steps; k += team.size) taus[k] = tau[k];
    if (!p.third) return;
    const int columns = p.sides;
    const Lanes own(team, columns);
    for (int j = own.group; j < columns; j += own.groups) {
        T* y = q + j * ld;
        for (int i = own.rank; i < m; i += own.size) y[i] = make<T>::real(R(i == j));
        for (int k = j < steps ? j : steps - 1; k >= 0; k--) reflect(own, w + k * ld, tau[k], y, k, m);
    }
    team.sync();
    T* target = static_cast<T*>(p.third) + index * m * columns;
    for (int t = team.rank; t < m * columns; t += team.size) target[t] = q[t % columns * ld + t / columns];
}

}  // namespace linalg
}  // namespace gpunp
