// Slopes of monotone interpolants, and the cubic polynomials between points with given values and slopes.
#pragma once
#include "gpunp/common/host_pool.h"
#include "gpunp/interpolate/cubics_params.h"
#include "gpunp/kernel.h"

namespace gpunp {
namespace cubics {

GPUNP_HD double secant(const CubicsParams& p, int64_t piece, int64_t column) {
    const double* y = p.y + piece * p.inner + column;
    return (y[p.inner] - y[0]) / p.h[piece];
}

GPUNP_HD int sign(double x) {
    return (x > 0) - (x < 0);
}

// The slope at an end from three points, limited so that the shape is preserved.
GPUNP_HD double end_slope(double h0, double h1, double m0, double m1) {
    const double slope = ((2 * h0 + h1) * m0 - h0 * m1) / (h0 + h1);
    if (sign(slope) != sign(m0)) return 0;
    return sign(m0) != sign(m1) && fabs(slope) > 3 * fabs(m0) ? 3 * m0 : slope;
}

// The weighted harmonic mean of the secants beside a point, by Fritsch and Butland.
GPUNP_HD double slope(const CubicsParams& p, int64_t i, int64_t column) {
    const int64_t last = p.n - 2;
    if (last == 0) return secant(p, 0, column);
    if (i == 0) return end_slope(p.h[0], p.h[1], secant(p, 0, column), secant(p, 1, column));
    if (i > last)
        return end_slope(p.h[last], p.h[last - 1], secant(p, last, column), secant(p, last - 1, column));
    const double left = secant(p, i - 1, column), right = secant(p, i, column);
    if (sign(left) != sign(right) || left == 0 || right == 0) return 0;
    const double w1 = 2 * p.h[i] + p.h[i - 1], w2 = p.h[i] + 2 * p.h[i - 1];
    return (w1 + w2) / (w1 / left + w2 / right);
}

struct Slopes {
    static GPUNP_HD int64_t count(const CubicsParams& p) { return p.n * p.inner; }
    static GPUNP_HD void make(const CubicsParams& p, int64_t at) {
        const int64_t i = p.inner == 1 ? at : at / p.inner;
        p.slopes[at] = slope(p, i, at - i * p.inner);
    }
};

struct Pieces {
    static GPUNP_HD int64_t count(const CubicsParams& p) { return (p.n - 1) * p.inner; }
    static GPUNP_HD void make(const CubicsParams& p, int64_t at) {
        const int64_t i = p.inner == 1 ? at : at / p.inner, size = count(p);
        const double h = p.h[i], m = secant(p, i, at - i * p.inner);
        const double before = p.slopes[at], after = p.slopes[at + p.inner];
        const double bend = (before + after - 2 * m) / h;
        p.c[at] = bend / h;
        p.c[size + at] = (m - before) / h - bend;
        p.c[2 * size + at] = before;
        p.c[3 * size + at] = p.y[at];
    }
};

#if GPUNP_ON_DEVICE
template <class Make>
__device__ __forceinline__ void make_all(const CubicsParams& p) {
    const int64_t size = Make::count(p), step = (int64_t)gridDim.x * CUBICS_BLOCK;
    for (int64_t at = (int64_t)blockIdx.x * CUBICS_BLOCK + threadIdx.x; at < size; at += step)
        Make::make(p, at);
}

#define GPUNP_CUBICS(name, Make)                                        \
    extern "C" __global__ void __launch_bounds__(::gpunp::CUBICS_BLOCK) \
        cubics_##name(const __grid_constant__::gpunp::CubicsParams p) { \
        ::gpunp::cubics::make_all<::gpunp::cubics::Make>(p);            \
    }
#else
template <class Make>
void make_all(const void* params) {
    const CubicsParams& p = *static_cast<const CubicsParams*>(params);
    parallel_for(Make::count(p), grain_of(16), [&](int64_t begin, int64_t end) {
        for (int64_t at = begin; at < end; at++) Make::make(p, at);
    });
}

#define GPUNP_CUBICS(name, Make) \
    GPUNP_HOST_KERNEL(cubics_##name, ::gpunp::cubics::make_all<::gpunp::cubics::Make>);
#endif

}  // namespace cubics
}  // namespace gpunp
