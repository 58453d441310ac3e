// Piecewise polynomials at points: in the power basis, in Bernstein's, and as B-splines. A thread searches
// the piece of its element of the result, and sums the terms there.
#pragma once
#include "gpunp/common/host_pool.h"
#include "gpunp/interpolate/pieces_params.h"
#include "gpunp/interpolate/search.h"
#include "gpunp/interpolate/spline_basis.h"
#include "gpunp/kernel.h"

namespace gpunp {
namespace interpolate {

// Powers of the distance to the left end of a piece, highest first, by Horner's rule.
struct Power {
    GPUNP_HD static double value(const PiecesParams& p, const double* c, int64_t piece, double x, int64_t j) {
        const double s = x - p.breaks[piece];
        c += piece * p.inner + j;
        const int64_t step = p.pieces * p.inner;
        double total = 0;
        for (int term = 0; term < p.terms; term++, c += step) {
            const int power = p.terms - 1 - term;
            if (power < p.derivative) break;
            double factor = 1;
            for (int k = 0; k < p.derivative; k++) factor *= power - k;
            // An infinite distance times nothing is NaN, which a first term does not have.
            total = term ? total * s + *c * factor : *c * factor;
        }
        return total;
    }
};

// Bernstein's polynomials of the place in a piece, from 0 to 1: nested as powers of its distance to the end.
struct Bernstein {
    GPUNP_HD static double value(const PiecesParams& p, const double* c, int64_t piece, double x, int64_t j) {
        const double left = p.breaks[piece], s = (x - left) / (p.breaks[piece + 1] - left), rest = 1 - s;
        c += piece * p.inner + j;
        const int64_t step = p.pieces * p.inner;
        const int degree = p.terms - 1;
        double total = *c, weight = 1;
        for (int term = 1; term <= degree; term++) {
            weight = weight * s * (degree - term + 1) / term;
            total = total * rest + weight * c[term * step];
        }
        return total;
    }
};

// B-splines; `breaks` begins at the knot where the first piece does.
template <int MOST, bool IS_FIXED>
struct Spline {
    GPUNP_HD static double value(const PiecesParams& p, const double* c, int64_t piece, double x, int64_t j) {
        const int degree = IS_FIXED ? MOST : p.terms - 1;
        double h[MOST + 1];
        spline_basis<MOST>(p.breaks + piece, degree, x, p.derivative, h);
        c += piece * p.inner + j;
        double total = 0;
        GPUNP_UNROLL_LOW
        for (int a = 0; a <= MOST; a++)
            if (a <= degree) total += h[a] * c[a * p.inner];
        return total;
    }
};

GPUNP_HD double quiet_nan() {
    return (double)NAN;
}

template <class Kind>
GPUNP_HD void evaluate(const PiecesParams& p, const double* c, const Breaks& breaks, int64_t i, int64_t j) {
    double x = p.points[i];
    if (p.outside == OUTSIDE_PERIODIC) x = breaks.wrapped(x);
    double value = p.pairs && j % 2 ? 0 : quiet_nan();
    if (p.outside == OUTSIDE_EXTRAPOLATED ? x == x : breaks.is_inside(x))
        value = Kind::value(p, c, breaks.piece_of(x), x, j);
    p.out[i * p.inner + j] = value;
}

// The values of all splines of a degree that are not zero at a point, and the number of the first one.
GPUNP_HD void write_basis(const PiecesParams& p, const Breaks& breaks, int64_t i) {
    const double x = p.points[i];
    const int64_t piece = breaks.piece_of(x);
    double h[PIECES_DEGREE + 1];
    spline_basis<PIECES_DEGREE>(p.breaks + piece, p.terms - 1, x, p.derivative, h);
    p.places[i] = piece;
    for (int a = 0; a < p.terms; a++) p.out[i * p.terms + a] = h[a];
}

#if GPUNP_ON_DEVICE

// All threads of a block must call it.
__device__ __forceinline__ Breaks load_breaks(const PiecesParams& p) {
    __shared__ double samples[PIECES_SAMPLES];
    __shared__ uint16_t parts[PIECES_PARTS + 1];
    for (int64_t i = threadIdx.x; i <= p.pieces / p.stride; i += PIECES_BLOCK)
        samples[i] = p.breaks[i * p.stride];
    __syncthreads();
    Breaks breaks{p.breaks, samples, p.pieces, p.stride, p.breaks[0] > p.breaks[p.pieces], nullptr, 0};
    if (p.parted) {
        breaks.scale = PIECES_PARTS / (samples[p.pieces / p.stride] - samples[0]);
        for (int part = threadIdx.x; part <= PIECES_PARTS; part += PIECES_BLOCK)
            parts[part] = breaks.part_start(part);
        __syncthreads();
        breaks.parts = parts;
    }
    return breaks;
}

template <class Kind>
__device__ __forceinline__ void pieces(const PiecesParams& p) {
    extern __shared__ double staged[];
    for (int i = threadIdx.x; i < p.staged; i += PIECES_BLOCK) staged[i] = p.c[i];
    // It waits for all threads.
    const Breaks breaks = load_breaks(p);
    const double* c = p.staged ? staged : p.c;
    const int64_t total = p.count * p.inner, step = (int64_t)gridDim.x * PIECES_BLOCK;
    for (int64_t e = (int64_t)blockIdx.x * PIECES_BLOCK + threadIdx.x; e < total; e += step) {
        int64_t i = e;
        if (p.inner > 1) i = total < (1ll << 32) ? (uint32_t)e / (uint32_t)p.inner : e / p.inner;
        evaluate<Kind>(p, c, breaks, i, e - i * p.inner);
    }
}

#define GPUNP_PIECES(name, ...)                                         \
    extern "C" __global__ void __launch_bounds__(::gpunp::PIECES_BLOCK) \
        pieces_##name(const __grid_constant__::gpunp::PiecesParams p) { \
        ::gpunp::interpolate::pieces<__VA_ARGS__>(p);                   \
    }
#define GPUNP_PIECES_BASIS                                                                                  \
    extern "C" __global__ void __launch_bounds__(::gpunp::PIECES_BLOCK)                                     \
        pieces_basis(const __grid_constant__::gpunp::PiecesParams p) {                                      \
        const auto breaks = ::gpunp::interpolate::load_breaks(p);                                           \
        const int64_t step = (int64_t)gridDim.x * ::gpunp::PIECES_BLOCK;                                    \
        for (int64_t i = (int64_t)blockIdx.x * ::gpunp::PIECES_BLOCK + threadIdx.x; i < p.count; i += step) \
            ::gpunp::interpolate::write_basis(p, breaks, i);                                                \
    }

#else

inline Breaks load_breaks(const PiecesParams& p) {
    return Breaks{p.breaks, p.breaks, p.pieces, 1, p.breaks[0] > p.breaks[p.pieces], nullptr, 0};
}

template <class Kind>
void pieces(const void* params) {
    const PiecesParams& p = *static_cast<const PiecesParams*>(params);
    const Breaks breaks = load_breaks(p);
    parallel_for(p.count, grain_of(32 * p.inner), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; i++)
            for (int64_t j = 0; j < p.inner; j++) evaluate<Kind>(p, p.c, breaks, i, j);
    });
}

inline void pieces_basis(const void* params) {
    const PiecesParams& p = *static_cast<const PiecesParams*>(params);
    const Breaks breaks = load_breaks(p);
    parallel_each(p, p.count, 64, [&](const PiecesParams& own, int64_t i) { write_basis(own, breaks, i); });
}

#define GPUNP_PIECES(name, ...) GPUNP_HOST_KERNEL(pieces_##name, (::gpunp::interpolate::pieces<__VA_ARGS__>));
#define GPUNP_PIECES_BASIS GPUNP_HOST_KERNEL(pieces_basis, ::gpunp::interpolate::pieces_basis);

#endif

}  // namespace interpolate
}  // namespace gpunp
