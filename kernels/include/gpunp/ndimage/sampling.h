// Values of an image between its samples: sums of the samples in windows, with the weights of B-splines.
#pragma once
#include "gpunp/kernel.h"
#include "gpunp/ndimage/spline_weights.h"

namespace gpunp {
namespace ndimage {

// SciPy rounds to integers half away from zero, and limits them to the dtype's range.
template <class T>
GPUNP_HD T rounded_sample(double value) {
    if constexpr (math::is_floating<T> || dtype_of<T>::value == BOOL) {
        return to_sample<T>(value);
    } else {
        constexpr T least = math::traits<T>::kind == math::SIGNED ? math::least<T>() : (T)0, most = (T)~least;
        if (least == 0 && !(value > 0)) return 0;
        value = value > 0 ? value + 0.5 : value - 0.5;
        return value >= (double)most ? most : value <= (double)least ? least : convert<T>(value);
    }
}

GPUNP_HD_CALLED void store_rounded(char* out, int dtype, double value) {
#define GPUNP_CASE(code, T)                                    \
    case code:                                                 \
        *reinterpret_cast<T*>(out) = rounded_sample<T>(value); \
        break;
    switch (dtype) { GPUNP_EACH_SAMPLE(GPUNP_CASE) }
#undef GPUNP_CASE
}

GPUNP_HD void store_result(char* out, int, float value) {
    *reinterpret_cast<float*>(out) = value;
}
GPUNP_HD void store_result(char* out, int dtype, double value) {
    if (dtype == F8)
        *reinterpret_cast<double*>(out) = value;
    else
        store_rounded(out, dtype, value);
}

template <class Index>
GPUNP_HD_CALLED int64_t offset_at(Index i, int64_t n, int64_t stride, int tail) {
    i = extended(i, n, tail);
    return i < 0 ? -1 : i * stride;
}

GPUNP_HD double coordinate_at(const SamplingParams& p, int axis, int64_t i) {
    const int64_t at = axis * p.size + i;
    if (p.coordinates_dtype == F8) return reinterpret_cast<const double*>(p.coordinates)[at];
    return reinterpret_cast<const float*>(p.coordinates)[at];
}

// The image's coordinate along an axis; `outer` holds what does not depend on the last two axes of the
// result, and `inner` what the last one adds.
GPUNP_HD double affine_coordinate(const SamplingParams& p, int axis, double outer, double y, double inner) {
    return (outer + y * p.matrix[axis][SAMPLING_RANK - 2]) + inner;
}
GPUNP_HD double affine_inner(const SamplingParams& p, int axis, int64_t x) {
    return (double)x * p.matrix[axis][SAMPLING_RANK - 1];
}

// A row of the result, also as a number: rows are counted in double, as conversions are slow on GPUs.
struct SampledRow {
    int64_t y;
    double number;
};

// The part of the coordinates that is the same within a plane of the result.
struct PlaneCoordinates {
    int64_t at[SAMPLING_RANK];

    GPUNP_HD PlaneCoordinates(const SamplingParams& p, int64_t outer) {
        for (int k = p.outer_rank - 1; k >= 0; k--) {
            at[k] = outer % p.outer_extents[k];
            outer /= p.outer_extents[k];
        }
    }
    GPUNP_HD double affine(const SamplingParams& p, int axis) const {
        double x = p.offset[axis];
        for (int k = 0; k < p.outer_rank; k++) x += (double)at[k] * p.matrix[axis][k];
        return x;
    }
};

// Samples an image with RANK axes by splines of an ORDER. Indices are 32-bit: axes are shorter than 2^30.
template <class C, int RANK, int ORDER>
struct Sampler {
    static constexpr int TAPS = ORDER + 1;
    const SamplingParams& p;
    const C* image;
    int start[RANK];
    C weights[RANK][TAPS];
    bool is_inside[RANK];
    int most[RANK];      // the greatest start of a window that is inside the image
    double last[RANK];   // the coordinate of the last sample
    double base[RANK];   // of affine coordinates
    double inner[RANK];  // what the column adds to them

    GPUNP_HD Sampler(const SamplingParams& params, int64_t outer) : p(params) {
        image = static_cast<const C*>(p.image) + outer * p.plane;
        const PlaneCoordinates plane(p, outer);
        GPUNP_UNROLL
        for (int axis = 0; axis < RANK; axis++) {
            most[axis] = (int)p.extents[axis] - 1 - ORDER;
            last[axis] = (double)(p.extents[axis] - 1);
            base[axis] = p.kind == SAMPLING_AFFINE ? plane.affine(p, axis) : 0;
            if (p.kind == SAMPLING_TABLES && axis < RANK - 2) find(axis, plane.at[axis]);
        }
    }

    GPUNP_HD void find(int axis, int64_t i) {
        const Place<C>& place = static_cast<const Place<C>*>(p.places[axis])[i];
        start[axis] = (int)place.start;
        is_inside[axis] = place.start != SAMPLING_OUTSIDE;
        GPUNP_UNROLL
        for (int k = 0; k < TAPS; k++) weights[axis][k] = place.weights[k];
    }

    // What depends on the column alone is found once for its results.
    GPUNP_HD void at_column(int64_t x) {
        if (p.kind == SAMPLING_TABLES) find(RANK - 1, x);
        GPUNP_UNROLL
        for (int axis = 0; axis < RANK; axis++) inner[axis] = affine_inner(p, axis, x);
    }

    GPUNP_HD C at(SampledRow row, int64_t i) {
        if (p.kind == SAMPLING_TABLES) {
            if (RANK > 1) find(RANK > 1 ? RANK - 2 : 0, row.y);
        } else {
            GPUNP_UNROLL
            for (int axis = 0; axis < RANK; axis++) {
                const double coordinate =
                    p.kind == SAMPLING_AFFINE
                        ? affine_coordinate(p, axis, base[axis], row.number, inner[axis])
                        : coordinate_at(p, axis, i);
                is_inside[axis] = find_window<ORDER>(coordinate + p.pad, last[axis], p.boundary, start[axis],
                                                     weights[axis]);
            }
        }
        bool is_outside = false, is_interior = true;
        GPUNP_UNROLL
        for (int axis = 0; axis < RANK; axis++) {
            is_outside |= !is_inside[axis];
            is_interior &= start[axis] >= 0 && start[axis] <= most[axis];
        }
        if (is_outside) return (C)p.cval;
        return is_interior ? interior() : border();
    }

    // A product as SciPy's in double, whose bits integers are rounded from.
    GPUNP_HD static C term(C sample, C outer, C middle, C inner) {
        C value = sample;
        if (RANK > 2) value = value * outer;
        if (RANK > 1) value = value * middle;
        return value * inner;
    }
    template <class Row>
    GPUNP_HD C sum(Row row) const {
        C total = 0;
        GPUNP_UNROLL
        for (int a = 0; a < (RANK > 2 ? TAPS : 1); a++) {
            C plane = 0;
            GPUNP_UNROLL
            for (int b = 0; b < (RANK > 1 ? TAPS : 1); b++) {
                const C outer = weights[0][a], middle = weights[RANK > 1 ? RANK - 2 : 0][b];
                C line = 0;
                GPUNP_UNROLL
                for (int c = 0; c < TAPS; c++) {
                    const C sample = row(a, b, c), inner = weights[RANK - 1][c];
                    // In single precision sums are nested, which takes fewer operations.
                    if (sizeof(C) == 8)
                        total += ORDER == 0 ? sample : term(sample, outer, middle, inner);
                    else
                        line += sample * inner;
                }
                if (sizeof(C) == 4) plane += RANK > 1 ? line * middle : line;
            }
            if (sizeof(C) == 4) total += RANK > 2 ? plane * weights[0][a] : plane;
        }
        return total;
    }

    GPUNP_HD C interior() const {
        const C* first = image + start[RANK - 1];
        GPUNP_UNROLL
        for (int axis = 0; axis < RANK - 1; axis++) first += start[axis] * p.strides[axis];
        return sum([&](int a, int b, int c) {
            const C* from = first + c;
            if (RANK > 2) from += a * p.strides[0];
            if (RANK > 1) from += b * p.strides[RANK > 1 ? RANK - 2 : 0];
            return *from;
        });
    }

    GPUNP_HD C border() const {
        int64_t offsets[RANK][TAPS];
        GPUNP_UNROLL
        for (int axis = 0; axis < RANK; axis++) {
            GPUNP_UNROLL
            for (int k = 0; k < TAPS; k++)
                offsets[axis][k] =
                    offset_at((int64_t)start[axis] + k, p.extents[axis], p.strides[axis], p.tail);
        }
        return sum([&](int a, int b, int c) {
            const int64_t outer = RANK > 2 ? offsets[0][a] : 0;
            const int64_t middle = RANK > 1 ? offsets[RANK > 1 ? RANK - 2 : 0][b] : 0;
            const int64_t inner = offsets[RANK - 1][c];
            return (outer | middle | inner) < 0 ? (C)p.cval : image[outer + middle + inner];
        });
    }
};

// The same for any rank and order.
template <class C>
struct AnySampler {
    const SamplingParams& p;
    const C* image;
    PlaneCoordinates plane;
    int64_t x = 0;

    GPUNP_HD AnySampler(const SamplingParams& params, int64_t outer)
        : p(params),
          image(static_cast<const C*>(params.image) + outer * params.plane),
          plane(params, outer) {}

    GPUNP_HD void at_column(int64_t column) { x = column; }

    GPUNP_HD C at(SampledRow row, int64_t i) {
        int64_t offsets[SAMPLING_RANK][SAMPLING_ORDER + 1];
        C weights[SAMPLING_RANK][SAMPLING_ORDER + 1];
        for (int axis = 0; axis < p.rank; axis++) {
            int64_t start;
            bool is_inside;
            if (p.kind == SAMPLING_TABLES) {
                const int64_t index = axis == p.rank - 1 ? x : axis == p.rank - 2 ? row.y : plane.at[axis];
                const Place<C>& place = static_cast<const Place<C>*>(p.places[axis])[index];
                start = place.start;
                is_inside = start != SAMPLING_OUTSIDE;
                for (int k = 0; k <= p.order; k++) weights[axis][k] = place.weights[k];
            } else {
                const double coordinate = p.kind == SAMPLING_AFFINE
                                              ? affine_coordinate(p, axis, plane.affine(p, axis), row.number,
                                                                  affine_inner(p, axis, x))
                                              : coordinate_at(p, axis, i);
                is_inside = find_window_of(p.order, coordinate + p.pad, (double)(p.extents[axis] - 1),
                                           p.boundary, start, weights[axis]);
            }
            if (!is_inside) return (C)p.cval;
            for (int k = 0; k <= p.order; k++)
                offsets[axis][k] = offset_at(start + k, p.extents[axis], p.strides[axis], p.tail);
        }
        int taps[SAMPLING_RANK] = {};
        C total = 0;
        while (true) {
            int64_t at = 0;
            bool is_outside = false;
            for (int axis = 0; axis < p.rank; axis++) {
                const int64_t offset = offsets[axis][taps[axis]];
                is_outside |= offset < 0;
                at += offset;
            }
            C value = is_outside ? (C)p.cval : image[at];
            if (p.order > 0)
                for (int axis = 0; axis < p.rank; axis++) value = value * weights[axis][taps[axis]];
            total += value;
            int axis = p.rank - 1;
            while (axis >= 0 && taps[axis] == p.order) taps[axis--] = 0;
            if (axis < 0) return total;
            taps[axis]++;
        }
    }
};

#if GPUNP_ON_DEVICE

// A block has a tile of results. Its warps have tiles too, where windows of adjacent results are in several
// rows of the image: then they share more cache lines than those of a row. This is the thread's first result,
// and the rows from one of its results to the next.
struct TilePlace {
    int64_t outer, y, x;
    int height;

    __device__ __forceinline__ TilePlace(const SamplingParams& p) {
        const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
        // The widths are powers of two, by which threads need no division.
        const int tile = 31 - __clz(p.tile_width), narrow = 31 - __clz(p.warp_width), across = tile - narrow;
        const int column = ((warp & ((1 << across) - 1)) << narrow) + (lane & (p.warp_width - 1));
        const int line = ((warp >> across) << (5 - narrow)) + (lane >> narrow);
        const uint32_t rest = blockIdx.x / p.tiles_x;
        height = SAMPLING_BLOCK >> tile;
        x = (int64_t)(blockIdx.x % p.tiles_x) * p.tile_width + column;
        outer = rest / p.tiles_y;
        y = (int64_t)(rest % p.tiles_y) * height * p.rows + line;
    }
};

template <class C, class Sampler>
__device__ __forceinline__ void sample(const SamplingParams& p) {
    const TilePlace place(p);
    if (place.x >= p.width) return;
    Sampler sampler(p, place.outer);
    sampler.at_column(place.x);
    SampledRow row{place.y, (double)place.y};
    int64_t i = (place.outer * p.height + place.y) * p.width + place.x;
    char* out = p.out + i * p.out_step;
    const int64_t step = place.height * p.width;
    for (int count = p.rows; count > 0 && row.y < p.height; count--) {
        store_result(out, p.out_dtype, sampler.at(row, i));
        row = {row.y + place.height, row.number + place.height};
        i += step;
        out += step * p.out_step;
    }
}

#define GPUNP_SAMPLER(symbol, C, ...)                                     \
    extern "C" __global__ void __launch_bounds__(::gpunp::SAMPLING_BLOCK) \
        symbol(const __grid_constant__::gpunp::SamplingParams p) {        \
        ::gpunp::ndimage::sample<C, __VA_ARGS__>(p);                      \
    }

#else

template <class C, class Sampler>
void sample(const void* params) {
    const SamplingParams& p = *static_cast<const SamplingParams*>(params);
    for (int64_t outer = 0, i = 0; outer < p.outer; outer++) {
        Sampler sampler(p, outer);
        for (int64_t y = 0; y < p.height; y++) {
            for (int64_t x = 0; x < p.width; x++, i++) {
                sampler.at_column(x);
                store_result(p.out + i * p.out_step, p.out_dtype, sampler.at({y, (double)y}, i));
            }
        }
    }
}

#define GPUNP_SAMPLER(symbol, C, ...) GPUNP_HOST_KERNEL(symbol, (::gpunp::ndimage::sample<C, __VA_ARGS__>));

#endif

#define GPUNP_SAMPLE(name, C, RANK, ORDER) \
    GPUNP_SAMPLER(sample_##name##_##RANK##_##ORDER, C, ::gpunp::ndimage::Sampler<C, RANK, ORDER>)
#define GPUNP_SAMPLE_ANY(name, C) GPUNP_SAMPLER(sample_##name##_any, C, ::gpunp::ndimage::AnySampler<C>)

}  // namespace ndimage
}  // namespace gpunp
