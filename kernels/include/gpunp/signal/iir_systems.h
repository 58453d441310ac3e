// The recurrences of recursive filters, in the transposed direct form II that SciPy computes.
#pragma once
#include "gpunp/kernel.h"
#include "gpunp/signal/iir_params.h"
#include "gpunp/types.h"

namespace gpunp {
namespace iir {

GPUNP_HD double fused(double a, double b, double sum) {
#if defined(__CUDA_ARCH__)
    return fma(a, b, sum);
#else
    return a * b + sum;
#endif
}
GPUNP_HD c16 fused(c16 a, c16 b, c16 sum) {
    return {fused(-a.im, b.im, fused(a.re, b.re, sum.re)), fused(a.im, b.re, fused(a.re, b.im, sum.im))};
}

// A transfer function of order N. Coefficients: b[0], ..., b[N], a[1], ..., a[N], where a[0] is 1.
template <int N>
struct Transfer {
    static constexpr int STATES = N;
    static GPUNP_HD double step(const double* c, double x, double (&z)[N]) {
        const double y = fused(c[0], x, z[0]);
        GPUNP_UNROLL
        for (int i = 0; i < N; i++)
            z[i] = fused(-c[N + 1 + i], y, i + 1 < N ? fused(c[i + 1], x, z[i + 1]) : c[i + 1] * x);
        return y;
    }
    // Whether state j has an influence on later states i.
    static constexpr GPUNP_HD bool couples(int, int) { return true; }
};

// S sections of second order, one after another. Coefficients of each: b[0], b[1], b[2], a[1], a[2].
template <int S>
struct Cascade {
    static constexpr int STATES = 2 * S;
    static GPUNP_HD double step(const double* c, double x, double (&z)[2 * S]) {
        GPUNP_UNROLL
        for (int s = 0; s < S; s++) {
            const double y = fused(c[5 * s], x, z[2 * s]);
            z[2 * s] = fused(-c[5 * s + 3], y, fused(c[5 * s + 1], x, z[2 * s + 1]));
            z[2 * s + 1] = fused(-c[5 * s + 4], y, c[5 * s + 2] * x);
            x = y;
        }
        return x;
    }
    static constexpr GPUNP_HD bool couples(int i, int j) { return i / 2 >= j / 2; }
};

GPUNP_HD double load_sample(const char* x, int64_t i, int64_t single) {
    return single ? (double)((const float*)x)[i] : ((const double*)x)[i];
}
GPUNP_HD void store_sample(char* y, int64_t i, int64_t single, double value) {
    if (single)
        ((float*)y)[i] = (float)value;
    else
        ((double*)y)[i] = value;
}

template <class P>
GPUNP_HD int64_t x_offset(const P& p, int64_t row) {
    return row / p.inner * p.x_outer + row % p.inner * p.x_inner;
}
template <class P>
GPUNP_HD int64_t y_offset(const P& p, int64_t row) {
    return row / p.inner * p.y_outer + row % p.inner * p.y_inner;
}

// One span of a row by one thread.
template <class System>
GPUNP_HD void filter_span(const IirParams& p, int64_t row, int64_t span) {
    constexpr int N = System::STATES;
    // Loads of so many samples are in flight together.
    constexpr int AHEAD = 8;
    const int64_t place = row * p.spans + span, first = span * p.span;
    const bool last = span + 1 == p.spans;
    if (last && !p.y) return;
    const int64_t count = last ? p.length - first : p.span;
    const int64_t from = x_offset(p, row) + first * p.x_item, to = y_offset(p, row) + first * p.y_item;
    double z[N];
    for (int i = 0; i < N; i++) z[i] = p.initial ? p.initial[place * N + i] : 0;
    int64_t t = 0;
    for (; t + AHEAD <= count; t += AHEAD) {
        double x[AHEAD];
        GPUNP_UNROLL
        for (int u = 0; u < AHEAD; u++) x[u] = load_sample(p.x, from + (t + u) * p.x_item, p.single);
        GPUNP_UNROLL
        for (int u = 0; u < AHEAD; u++) x[u] = System::step(p.coefficients, x[u], z);
        if (p.y) {
            GPUNP_UNROLL
            for (int u = 0; u < AHEAD; u++) store_sample(p.y, to + (t + u) * p.y_item, p.single, x[u]);
        }
    }
    for (; t < count; t++) {
        const double y = System::step(p.coefficients, load_sample(p.x, from + t * p.x_item, p.single), z);
        if (p.y) store_sample(p.y, to + t * p.y_item, p.single, y);
    }
    if (!p.last || (p.y && !last)) return;
    for (int i = 0; i < N; i++) p.last[(p.y ? row : place) * N + i] = z[i];
}

}  // namespace iir
}  // namespace gpunp
