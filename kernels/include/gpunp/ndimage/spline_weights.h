// B-splines between samples: the window of samples at a coordinate, and their weights.
#pragma once
#include "gpunp/ndimage/samples.h"
#include "gpunp/ndimage/sampling_params.h"

namespace gpunp {
namespace ndimage {

constexpr int64_t SAMPLING_OUTSIDE = INT64_MIN;

// Weights for x, the distance to the sample in the middle, in SciPy's order of operations, but for divisions.
// Orders 0 and 1 have SciPy's bits.
template <int ORDER, class C>
GPUNP_HD void spline_weights(C x, C* w) {
    const C one = 1, half = (C)0.5, z = one - x;
    if constexpr (ORDER == 0) {
        w[0] = one;
        return;
    } else if constexpr (ORDER == 1) {
        w[0] = z;
    } else if constexpr (ORDER == 2) {
        w[1] = (C)0.75 - x * x;
        w[0] = half * (half - x) * (half - x);
    } else if constexpr (ORDER == 3) {
        w[1] = (x * x * (x - 2) * 3 + 4) * (C)(1 / 6.0);
        w[2] = (z * z * (z - 2) * 3 + 4) * (C)(1 / 6.0);
        w[0] = z * z * z * (C)(1 / 6.0);
    } else if constexpr (ORDER == 4) {
        const C t = x * x, y = one + x, s = (half - x) * (half - x);
        w[2] = t * (t * (C)0.25 - (C)0.625) + (C)(115 / 192.0);
        w[1] = y * (y * (y * (5 - y) * (C)(1 / 6.0) - (C)1.25) + (C)(5 / 24.0)) + (C)(55 / 96.0);
        w[3] = z * (z * (z * (5 - z) * (C)(1 / 6.0) - (C)1.25) + (C)(5 / 24.0)) + (C)(55 / 96.0);
        w[0] = s * s * (C)(1 / 24.0);
    } else {
        const C t = x * x, s = z * z, y = x + one, v = z + one;
        w[2] = t * (t * ((C)0.25 - x * (C)(1 / 12.0)) - half) + (C)0.55;
        w[3] = s * (s * ((C)0.25 - z * (C)(1 / 12.0)) - half) + (C)0.55;
        w[1] = y * (y * (y * (y * (y * (C)(1 / 24.0) - (C)0.375) + (C)1.25) - (C)1.75) + (C)0.625) + (C)0.425;
        w[4] = v * (v * (v * (v * (v * (C)(1 / 24.0) - (C)0.375) + (C)1.25) - (C)1.75) + (C)0.625) + (C)0.425;
        w[0] = z * s * s * (C)(1 / 120.0);
    }
    w[ORDER] = one;
    GPUNP_UNROLL
    for (int i = 0; i < ORDER; i++) w[ORDER] -= w[i];
}

// A coordinate x beyond an axis of n samples, moved within: SciPy's arithmetic, by whose rounding points at
// the ends fall inside or outside. -1 is outside.
GPUNP_HD double moved_within(double x, double n, int mode) {
    if (x >= 0 && x <= n - 1) return x;
    if (mode == BOUNDARY_NEAREST || mode == BOUNDARY_GRID_CONSTANT) {
        // All samples of the window are the same from here on; far away, indices would overflow.
        return x < -1e8 ? -1e8 : x > n + 1e8 ? n + 1e8 : x;
    }
    // Also NaN.
    if (mode == BOUNDARY_CONSTANT || !(x < 0 || x > n - 1)) return -1;
    if (n <= 1) return 0;
    if (mode == BOUNDARY_MIRROR) {
        const double period = 2 * n - 2;
        if (x < 0) {
            x = period * trunc(-x / period) + x;
            return x <= 1 - n ? x + period : -x;
        }
        x -= period * trunc(x / period);
        return x >= n ? period - x : x;
    }
    if (mode == BOUNDARY_REFLECT) {
        const double period = 2 * n;
        if (x < 0) {
            if (x < -period) x = period * trunc(-x / period) + x;
            return x < -n ? x + period : (x > -1e-15 ? 1e-15 : -x) - 1;
        }
        x -= period * trunc(x / period);
        return x >= n ? period - x - 1 : x;
    }
    if (mode == BOUNDARY_WRAP) {
        const double period = n - 1;
        return x < 0 ? x + period * (trunc(-x / period) + 1) : x - period * trunc(x / period);
    }
    return x < 0 ? x + n * (trunc((-1 - x) / n) + 1) : x - n * trunc(x / n);
}

// The greatest whole number that is not greater than x, also as an index.
GPUNP_HD double whole_below(double x, int64_t& index) {
    const double whole = floor(x);
    // The weights of infinities and NaN are NaN, so that any samples will do.
    index = whole > -1e18 && whole < 1e18 ? (int64_t)whole : 0;
    return whole;
}
#if GPUNP_ON_DEVICE
// The same. Next to 1.5 * 2^52 doubles are whole, and their low words count them: a GPU adds several times as
// fast as it rounds and converts. `high` is WHOLE_HIGH if the number is from 0 to 2^32 - 1.
constexpr int WHOLE_HIGH = 0x43380000;
__device__ __forceinline__ double whole_below(double x, int& high, int& low) {
    const double far = 6755399441055744.0, moved = __dadd_rd(x, far);
    high = __double2hiint(moved);
    low = __double2loint(moved);
    return moved - far;
}
#endif
// The same for an x whose size is below 2^31, or NaN, of which the index may be any.
GPUNP_HD double whole_below(double x, int32_t& index) {
#if defined(__CUDA_ARCH__)
    int high;
    return whole_below(x, high, index);
#else
    const double whole = floor(x);
    index = whole > -2e9 && whole < 2e9 ? (int32_t)whole : 0;
    return whole;
#endif
}

// The window at coordinate x along an axis whose last sample is at `last`; false if it is outside.
template <int ORDER, class C, class Index>
GPUNP_HD bool find_window(double x, double last, int mode, Index& start, C* weights) {
    if (!(x >= 0 && x <= last)) {
        x = moved_within(x, last + 1, mode);
        const bool anywhere = mode == BOUNDARY_NEAREST || mode == BOUNDARY_GRID_CONSTANT;
        if (!(x > -1.0 || anywhere)) return false;
    }
    Index index;
    const double middle = whole_below(ORDER & 1 ? x : x + 0.5, index);
    start = index - ORDER / 2;
    spline_weights<ORDER>((C)(x - middle), weights);
    return true;
}

// The same for an order known at run time.
template <class C>
GPUNP_HD_CALLED bool find_window_of(int order, double x, double last, int mode, int64_t& start, C* weights) {
    switch (order) {
        case 0:
            return find_window<0>(x, last, mode, start, weights);
        case 1:
            return find_window<1>(x, last, mode, start, weights);
        case 2:
            return find_window<2>(x, last, mode, start, weights);
        case 3:
            return find_window<3>(x, last, mode, start, weights);
        case 4:
            return find_window<4>(x, last, mode, start, weights);
        default:
            return find_window<5>(x, last, mode, start, weights);
    }
}

template <class C>
GPUNP_HD void find_place(const PlacesParams& p, int64_t i) {
    int axis = p.rank - 1;
    while (i < p.first[axis]) axis--;
    double x = (double)(i - p.first[axis]);
    if (p.shifted) x += p.shifts[axis];
    if (p.zoomed) x = p.grid ? (x + 0.5) * p.zooms[axis] - 0.5 : x * p.zooms[axis];
    Place<C>& place = static_cast<Place<C>*>(p.places)[i];
    if (!find_window_of(p.order, x + p.pad, (double)(p.extents[axis] - 1), p.boundary, place.start,
                        place.weights))
        place.start = SAMPLING_OUTSIDE;
}

#if GPUNP_ON_DEVICE
#define GPUNP_PLACES(name, C)                                                          \
    extern "C" __global__ void __launch_bounds__(::gpunp::SAMPLING_BLOCK)              \
        places_##name(const __grid_constant__::gpunp::PlacesParams p) {                \
        const int64_t i = (int64_t)blockIdx.x * ::gpunp::SAMPLING_BLOCK + threadIdx.x; \
        if (i < p.count) ::gpunp::ndimage::find_place<C>(p, i);                        \
    }
#else
template <class C>
void find_places(const void* params) {
    const PlacesParams& p = *static_cast<const PlacesParams*>(params);
    for (int64_t i = 0; i < p.count; i++) find_place<C>(p, i);
}
#define GPUNP_PLACES(name, C) GPUNP_HOST_KERNEL(places_##name, ::gpunp::ndimage::find_places<C>);
#endif

}  // namespace ndimage
}  // namespace gpunp
