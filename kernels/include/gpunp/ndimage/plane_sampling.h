// Interpolation in single precision on GPUs, in images with two axes and to results with two, by a kernel for
// each source of coordinates. Windows inside of the image are summed first and
// the others at the end, by functions: calls in the loop would take registers from it. The bits are those of
// the general sampler.
#pragma once
#include "gpunp/common/warp.h"
#include "gpunp/ndimage/sampling.h"

#if GPUNP_ON_DEVICE

namespace gpunp {
namespace ndimage {

// The sum over a window that is partly beyond the image. In loops, as registers for it would be taken from
// the kernels.
__device__ __noinline__ float sum_at_border(const SamplingParams& p, const float* image, int down, int along,
                                            const float* outer, const float* inner) {
    float total = 0;
#pragma unroll 1
    for (int b = 0; b <= p.order; b++) {
        const int64_t line = offset_at(down + b, p.extents[0], p.strides[0], p.tail);
        float sum = 0;
#pragma unroll 1
        for (int c = 0; c <= p.order; c++) {
            const int64_t offset = offset_at(along + c, p.extents[1], p.strides[1], p.tail);
            sum += ((line | offset) < 0 ? (float)p.cval : image[line + offset]) * inner[c];
        }
        total += sum * outer[b];
    }
    return total;
}
__device__ __noinline__ float sample_places(const SamplingParams& p, const float* image,
                                            const Place<float>& row, const Place<float>& column) {
    if (row.start == SAMPLING_OUTSIDE || column.start == SAMPLING_OUTSIDE) return (float)p.cval;
    return sum_at_border(p, image, (int)row.start, (int)column.start, row.weights, column.weights);
}
template <int ORDER>
__device__ __noinline__ float sample_anywhere(const SamplingParams& p, const float* image, double y,
                                              double x) {
    Place<float> places[2];
#pragma unroll 1
    for (int axis = 0; axis < 2; axis++)
        if (!find_window<ORDER>(axis ? x : y, (double)(p.extents[axis] - 1), p.boundary, places[axis].start,
                                places[axis].weights))
            return (float)p.cval;
    return sum_at_border(p, image, (int)places[0].start, (int)places[1].start, places[0].weights,
                         places[1].weights);
}

// Sums start with their first term. Those of the general sampler start with zero, of which only zeros as
// results take their sign: so it is added at the end.
template <int TAPS>
__device__ __forceinline__ float weighted(const float* samples, const float* weights) {
    float sum = samples[0] * weights[0];
    GPUNP_UNROLL
    for (int k = 1; k < TAPS; k++) sum += samples[k] * weights[k];
    return sum;
}

// The sums along the rows of a window. A thread's results follow one another in a column, so that the windows
// of most have rows of the one before.
template <int ORDER>
struct WindowRows {
    static constexpr int TAPS = ORDER + 1;
    float weights[TAPS], sums[TAPS];
    const float* image;
    int stride, start = -2 * TAPS;

    __device__ __forceinline__ void read(int first) {
        GPUNP_UNROLL
        for (int k = 0; k < TAPS; k++)
            if (k >= first) sums[k] = weighted<TAPS>(image + (int64_t)(start + k) * stride, weights);
    }
    __device__ __forceinline__ void shift() {
        GPUNP_UNROLL
        for (int k = 0; k < ORDER; k++) sums[k] = sums[k + 1];
    }
    __device__ __forceinline__ void move(int to) {
        const int moved = to - start;
        start = to;
        if (moved == 0) return;
        if (moved == 1) {
            shift();
            read(ORDER);
        } else if (ORDER > 1 && moved == 2) {
            shift();
            shift();
            read(ORDER - 1);
        } else {
            read(0);
        }
    }
};

// Results by linear interpolation, a few at a time: their samples are all requested before the first is used,
// which takes less time than to keep those that two windows share. Returns which results are left, as bits.
__device__ __forceinline__ uint32_t linear_column(const float* image, int stride, int64_t most,
                                                  const float* across, const Place<float>* places, char* out,
                                                  int64_t step, int count) {
    constexpr int AT_ONCE = 4;
    uint32_t left = 0;
#pragma unroll 1
    for (int n = 0; n < count; n += AT_ONCE) {
        float samples[AT_ONCE][4];
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            const int64_t start = places[n + k < count ? n + k : n].start;
            const bool is_inside = (uint64_t)start <= (uint64_t)most;
            if (!is_inside) left |= 1u << (n + k);
            const float* from = image + (is_inside ? (int)start : 0) * (int64_t)stride;
            samples[k][0] = from[0], samples[k][1] = from[1];
            samples[k][2] = from[stride], samples[k][3] = from[stride + 1];
        }
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            if (n + k >= count || left >> (n + k) & 1) continue;
            const float sums[2] = {weighted<2>(samples[k], across), weighted<2>(samples[k] + 2, across)};
            *reinterpret_cast<float*>(out + (n + k) * step) = weighted<2>(sums, places[n + k].weights) + 0.0f;
        }
    }
    return count < 32 ? left & ((1u << count) - 1) : left;
}

template <int ORDER>
__device__ __forceinline__ void sample_by_tables(const SamplingParams& p) {
    constexpr int TAPS = ORDER + 1;
    const uint32_t rest = blockIdx.x / p.tiles_x;
    const int64_t x = (int64_t)(blockIdx.x % p.tiles_x) * 32 + threadIdx.x % 32;
    const int64_t outer = rest / p.tiles_y;
    const int64_t y = ((int64_t)(rest % p.tiles_y) * (SAMPLING_BLOCK / 32) + threadIdx.x / 32) * p.rows;
    if (x >= p.width) return;
    const Place<float>& column = static_cast<const Place<float>*>(p.places[1])[x];
    const bool is_inside = (uint64_t)column.start <= (uint64_t)(p.extents[1] - TAPS);
    WindowRows<ORDER> rows;
    GPUNP_UNROLL
    for (int k = 0; k < TAPS; k++) rows.weights[k] = column.weights[k];
    const float* image = static_cast<const float*>(p.image) + outer * p.plane;
    rows.image = image + column.start;
    rows.stride = (int)p.strides[0];
    const Place<float>* place = static_cast<const Place<float>*>(p.places[0]) + y;
    const int64_t first = (outer * p.height + y) * p.width + x;
    char* out = p.out + first * p.out_step;
    const int64_t step = p.width * p.out_step;
    const uint64_t most = (uint64_t)(p.extents[0] - TAPS);
    const int count = p.height - y < p.rows ? (int)(p.height - y) : p.rows;
    uint32_t left = 0;
    if constexpr (ORDER == 1) {
        left = is_inside ? linear_column(rows.image, rows.stride, (int64_t)most, rows.weights, place, out,
                                         step, count)
                         : (1u << count) - 1;
    } else {
        char* target = out;
        const Place<float>* next = place;
#pragma unroll 1
        for (int n = 0; n < count; n++) {
            const int64_t start = next->start;
            if (is_inside && (uint64_t)start <= most) {
                rows.move((int)start);
                *reinterpret_cast<float*>(target) = weighted<TAPS>(rows.sums, next->weights) + 0.0f;
            } else {
                left |= 1u << n;
            }
            next++;
            target += step;
        }
    }
    for (; left; left &= left - 1) {
        const int n = __ffs(left) - 1;
        *reinterpret_cast<float*>(out + n * step) = sample_places(p, image, place[n], column);
    }
}

// Whether the coordinates of all results of a warp are outside of the image on one side. As each operation of
// `affine_coordinate` is monotone, so are its results: the corners tell.
__device__ __forceinline__ bool warp_is_outside(const SamplingParams& p, const TilePlace& place) {
    const int lane = threadIdx.x % 32, narrow = 31 - __clz(p.warp_width);
    const int64_t left = place.x - (lane & (p.warp_width - 1)), top = place.y - (lane >> narrow);
    const int64_t x = lane & 1 ? left + p.warp_width - 1 : left;
    const int64_t y = lane & 2 ? top + (p.rows - 1) * (int64_t)place.height + (31 >> narrow) : top;
    bool is_outside = false;
#pragma unroll
    for (int axis = 0; axis < 2; axis++) {
        const double at =
            affine_coordinate(p, axis, p.offset[axis], (double)y, affine_inner(p, axis, x)) + p.pad;
        is_outside |= warp::all(at < 0) || warp::all(at > (double)(p.extents[axis] - 1));
    }
    return is_outside;
}
__device__ __forceinline__ void fill_results(const SamplingParams& p, const TilePlace& place) {
    if (place.x >= p.width) return;
    for (int n = 0; n < p.rows; n++) {
        const int64_t y = place.y + n * (int64_t)place.height;
        if (y >= p.height) return;
        const int64_t i = (place.outer * p.height + y) * p.width + place.x;
        *reinterpret_cast<float*>(p.out + i * p.out_step) = (float)p.cval;
    }
}

// Results by linear interpolation, two at a time, whose samples are requested before the first is used. Where
// the image continues with a constant, coordinates that are clearly outside give it at once. Returns which
// results are left, as bits.
template <class Coordinate>
__device__ __forceinline__ uint32_t linear_pairs(const SamplingParams& p, const TilePlace& place,
                                                 const float* image, char* target, int64_t out_step,
                                                 Coordinate coordinate) {
    constexpr int PAIR = 2;
    const bool constant = p.boundary == BOUNDARY_CONSTANT;
    const int stride = (int)p.strides[0];
    const double height = (double)p.height;
    double y = (double)place.y;
    uint32_t left = 0;
#pragma unroll 1
    for (int n = 0; n < p.rows && y < height; n += PAIR) {
        float samples[PAIR][4], fraction[PAIR][2];
        bool is_inside[PAIR], is_outside[PAIR];
        const bool second = n + 1 < p.rows && y + place.height < height;
#pragma unroll
        for (int k = 0; k < PAIR; k++) {
            int start[2];
            is_inside[k] = true;
            is_outside[k] = false;
#pragma unroll
            for (int axis = 0; axis < 2; axis++) {
                const double x = coordinate(axis, y, k == 0 || second ? n + k : n);
                int high;
                const double whole = whole_below(x, high, start[axis]);
                const uint32_t extent = (uint32_t)p.extents[axis];
                is_inside[k] &= high == WHOLE_HIGH && (uint32_t)start[axis] < extent - 1;
                is_outside[k] |= high != WHOLE_HIGH || (uint32_t)start[axis] >= extent;
                fraction[k][axis] = (float)(x - whole);
            }
            const float* from = image + (is_inside[k] ? (int64_t)start[0] * stride + start[1] : 0);
            samples[k][0] = from[0], samples[k][1] = from[1];
            samples[k][2] = from[stride], samples[k][3] = from[stride + 1];
            y += place.height;
        }
#pragma unroll
        for (int k = 0; k < PAIR; k++) {
            if (k == 1 && !second) break;
            float weights[2][2];
            spline_weights<1>(fraction[k][0], weights[0]);
            spline_weights<1>(fraction[k][1], weights[1]);
            const float sums[2] = {weighted<2>(samples[k], weights[1]),
                                   weighted<2>(samples[k] + 2, weights[1])};
            const float value = weighted<2>(sums, weights[0]) + 0.0f;
            if (is_inside[k] || (constant && is_outside[k]))
                *reinterpret_cast<float*>(target) = is_inside[k] ? value : (float)p.cval;
            else
                left |= 1u << (n + k);
            target += out_step;
        }
    }
    return left;
}

template <int ORDER, int KIND>
__device__ __forceinline__ void sample_in_plane(const SamplingParams& p) {
    static_assert(ORDER & 1, "windows of even orders begin elsewhere");
    constexpr int TAPS = ORDER + 1;
    const TilePlace place(p);
    if (KIND == SAMPLING_AFFINE && p.boundary == BOUNDARY_CONSTANT && warp_is_outside(p, place)) {
        fill_results(p, place);
        return;
    }
    if (place.x >= p.width) return;
    const float* image = static_cast<const float*>(p.image) + place.outer * p.plane;
    const int64_t step = place.height * p.width, out_step = step * p.out_step;
    const int64_t i = (place.outer * p.height + place.y) * p.width + place.x;
    char* out = p.out + i * p.out_step;
    const int stride = (int)p.strides[0];
    double inner[2];
    GPUNP_UNROLL
    for (int axis = 0; axis < 2; axis++) inner[axis] = affine_inner(p, axis, place.x);
    const auto coordinate = [&](int axis, double y, int64_t at) {
        return (KIND == SAMPLING_AFFINE ? affine_coordinate(p, axis, p.offset[axis], y, inner[axis])
                                        : coordinate_at(p, axis, at)) +
               p.pad;
    };
    uint32_t left = 0;
    if constexpr (ORDER == 1) {
        left = linear_pairs(p, place, image, out, out_step,
                            [&](int axis, double y, int n) { return coordinate(axis, y, i + n * step); });
    } else {
        double y = (double)place.y;
        const double height = (double)p.height;
        char* target = out;
        int64_t at = i;
#pragma unroll 1
        for (uint32_t bit = 1; bit >> p.rows == 0 && y < height; bit <<= 1) {
            bool is_inside = true;
            int start[2];
            float weights[2][TAPS];
            GPUNP_UNROLL
            for (int axis = 0; axis < 2; axis++) {
                const double x = coordinate(axis, y, at);
                int high;
                const double whole = whole_below(x, high, start[axis]);
                start[axis] -= ORDER / 2;
                is_inside &= high == WHOLE_HIGH && (uint32_t)start[axis] <= (uint32_t)p.extents[axis] - TAPS;
                spline_weights<ORDER>((float)(x - whole), weights[axis]);
            }
            if (is_inside) {
                const float* from = image + (int64_t)start[0] * stride + start[1];
                float sums[TAPS];
                GPUNP_UNROLL
                for (int k = 0; k < TAPS; k++)
                    sums[k] = weighted<TAPS>(from + (int64_t)k * stride, weights[1]);
                *reinterpret_cast<float*>(target) = weighted<TAPS>(sums, weights[0]) + 0.0f;
            } else {
                left |= bit;
            }
            y += place.height;
            at += step;
            target += out_step;
        }
    }
    for (; left; left &= left - 1) {
        const int n = __ffs(left) - 1;
        const double y = (double)(place.y + n * place.height);
        const int64_t at = i + n * step;
        *reinterpret_cast<float*>(out + n * out_step) =
            sample_anywhere<ORDER>(p, image, coordinate(0, y, at), coordinate(1, y, at));
    }
}

}  // namespace ndimage
}  // namespace gpunp

#define GPUNP_SAMPLE_PLANE(name, ORDER, ...)                                 \
    extern "C" __global__ void __launch_bounds__(::gpunp::SAMPLING_BLOCK, 4) \
        name##_##ORDER(const __grid_constant__::gpunp::SamplingParams p) {   \
        ::gpunp::ndimage::__VA_ARGS__(p);                                    \
    }
#define GPUNP_SAMPLE_PLANES(ORDER)                                                             \
    GPUNP_SAMPLE_PLANE(sample_tables, ORDER, sample_by_tables<ORDER>)                          \
    GPUNP_SAMPLE_PLANE(sample_affine, ORDER, sample_in_plane<ORDER, ::gpunp::SAMPLING_AFFINE>) \
    GPUNP_SAMPLE_PLANE(sample_coordinates, ORDER, sample_in_plane<ORDER, ::gpunp::SAMPLING_COORDINATES>)

#else
#define GPUNP_SAMPLE_PLANES(ORDER)
#endif
