// Tensor products of B-splines at points: a thread finds the splines that are not zero along each axis, and
// sums the products of their values and the coefficients.
#pragma once
#include "gpunp/common/host_pool.h"
#include "gpunp/interpolate/grid_params.h"
#include "gpunp/interpolate/search.h"
#include "gpunp/interpolate/spline_basis.h"
#include "gpunp/kernel.h"

namespace gpunp {
namespace interpolate {

// RANK axes, all of DEGREE; loops are unrolled, so that the values stay in registers.
template <int RANK, int DEGREE>
struct FixedGrid {
    double h[RANK][DEGREE + 1];

    GPUNP_HD void find(int axis, const GridAxis& of, int64_t piece, double x) {
        spline_basis<DEGREE>(of.breaks + piece, DEGREE, x, of.derivative, h[axis]);
    }

    GPUNP_HD double sum(const GridParams& p, const double* c) const {
        double total = 0;
        GPUNP_UNROLL
        for (int a = 0; a < (RANK > 2 ? DEGREE + 1 : 1); a++) {
            double plane = 0;
            GPUNP_UNROLL
            for (int b = 0; b < (RANK > 1 ? DEGREE + 1 : 1); b++) {
                const double* row = c;
                if (RANK > 2) row += a * p.axes[0].step;
                if (RANK > 1) row += b * p.axes[RANK > 1 ? RANK - 2 : 0].step;
                double line = 0;
                GPUNP_UNROLL
                for (int k = 0; k <= DEGREE; k++) line += h[RANK - 1][k] * row[k * p.axes[RANK - 1].step];
                plane += RANK > 1 ? h[RANK > 1 ? RANK - 2 : 0][b] * line : line;
            }
            total += RANK > 2 ? h[0][a] * plane : plane;
        }
        return total;
    }
};

struct AnyGrid {
    double h[GRID_RANK][GRID_DEGREE + 1];

    GPUNP_HD void find(int axis, const GridAxis& of, int64_t piece, double x) {
        spline_basis<GRID_DEGREE>(of.breaks + piece, of.degree, x, of.derivative, h[axis]);
    }

    GPUNP_HD double sum(const GridParams& p, const double* c) const {
        int taps[GRID_RANK] = {};
        double total = 0;
        while (true) {
            double weight = 1;
            int64_t at = 0;
            for (int axis = 0; axis < p.rank; axis++) {
                weight *= h[axis][taps[axis]];
                at += taps[axis] * p.axes[axis].step;
            }
            total += weight * c[at];
            int axis = p.rank - 1;
            while (axis >= 0 && taps[axis] == p.axes[axis].degree) taps[axis--] = 0;
            if (axis < 0) return total;
            taps[axis]++;
        }
    }
};

template <class Kind, int RANK, class Samples>
GPUNP_HD void evaluate_grid(const GridParams& p, const Samples& samples, int64_t i, int64_t j) {
    const int rank = RANK > 0 ? RANK : p.rank;
    Kind kind;
    bool is_number = true, is_inside = true;
    int64_t at = j;
    GPUNP_UNROLL
    for (int axis = 0; axis < rank; axis++) {
        const GridAxis& of = p.axes[axis];
        const double x = p.points[i * rank + axis];
        const Breaks breaks{of.breaks, samples.of(axis, of), of.pieces, of.stride, false, nullptr, 0};
        is_number &= x == x;
        is_inside &= breaks.is_inside(x);
        const int64_t piece = breaks.piece_of(x);
        at += piece * of.step;
        kind.find(axis, of, piece, x);
    }
    double value;
    if (!is_number)
        value = p.pairs && j % 2 ? 0 : (double)NAN;
    else if (is_inside || p.outside == GRID_EXTRAPOLATED)
        value = kind.sum(p, p.c + at);
    else
        value = p.fill[p.pairs && j % 2];
    p.out[i * p.inner + j] = value;
}

#if GPUNP_ON_DEVICE

template <int RANK>
struct SharedSamples {
    double values[RANK > 0 ? RANK : GRID_RANK][GRID_SAMPLES];
    __device__ __forceinline__ const double* of(int axis, const GridAxis&) const { return values[axis]; }
};

template <class Kind, int RANK>
__device__ __forceinline__ void grid(const GridParams& p) {
    __shared__ SharedSamples<RANK> samples;
    const int rank = RANK > 0 ? RANK : p.rank;
    for (int axis = 0; axis < rank; axis++) {
        const GridAxis& of = p.axes[axis];
        for (int64_t i = threadIdx.x; i <= of.pieces / of.stride; i += GRID_BLOCK)
            samples.values[axis][i] = of.breaks[i * of.stride];
    }
    __syncthreads();
    const int64_t total = p.count * p.inner, step = (int64_t)gridDim.x * GRID_BLOCK;
    for (int64_t e = (int64_t)blockIdx.x * GRID_BLOCK + threadIdx.x; e < total; e += step) {
        int64_t i = e;
        if (p.inner > 1) i = total < (1ll << 32) ? (uint32_t)e / (uint32_t)p.inner : e / p.inner;
        evaluate_grid<Kind, RANK>(p, samples, i, e - i * p.inner);
    }
}

#define GPUNP_GRID_KERNEL(symbol, RANK, ...)                          \
    extern "C" __global__ void __launch_bounds__(::gpunp::GRID_BLOCK) \
        symbol(const __grid_constant__::gpunp::GridParams p) {        \
        ::gpunp::interpolate::grid<__VA_ARGS__, RANK>(p);             \
    }

#else

struct AllSamples {
    const double* of(int, const GridAxis& axis) const { return axis.breaks; }
};

template <class Kind, int RANK>
void grid(const void* params) {
    const GridParams& p = *static_cast<const GridParams*>(params);
    parallel_for(p.count, grain_of(32 * p.inner), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; i++)
            for (int64_t j = 0; j < p.inner; j++) evaluate_grid<Kind, RANK>(p, AllSamples{}, i, j);
    });
}

#define GPUNP_GRID_KERNEL(symbol, RANK, ...) \
    GPUNP_HOST_KERNEL(symbol, (::gpunp::interpolate::grid<__VA_ARGS__, RANK>));

#endif

#define GPUNP_GRID(RANK, DEGREE) \
    GPUNP_GRID_KERNEL(grid_##RANK##_##DEGREE, RANK, ::gpunp::interpolate::FixedGrid<RANK, DEGREE>)
#define GPUNP_GRID_ANY GPUNP_GRID_KERNEL(grid_any, 0, ::gpunp::interpolate::AnyGrid)

}  // namespace interpolate
}  // namespace gpunp
