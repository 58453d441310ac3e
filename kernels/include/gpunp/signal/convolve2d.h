// Correlation of images with weights, directly: a block holds a tile of the image in shared memory.
#pragma once
#include "gpunp/common/host_pool.h"
#include "gpunp/kernel.h"
#include "gpunp/math/convolve.h"
#include "gpunp/signal/convolve2d_params.h"
#include "gpunp/types.h"

namespace gpunp {
namespace convolve2d {

using convolution::fused;

GPUNP_HD i4 sum_of(i4 a, i4 b) {
    return (i4)((u4)a + (u4)b);
}
GPUNP_HD i8 sum_of(i8 a, i8 b) {
    return (i8)((u8)a + (u8)b);
}
GPUNP_HD f4 sum_of(f4 a, f4 b) {
    return a + b;
}
GPUNP_HD f8 sum_of(f8 a, f8 b) {
    return a + b;
}
template <class T>
GPUNP_HD complex<T> sum_of(complex<T> a, complex<T> b) {
    return {a.re + b.re, a.im + b.im};
}

// The index inside an extent that stands for one outside.
GPUNP_HD int64_t inside(int64_t i, int64_t extent, int64_t boundary) {
    if (i >= 0 && i < extent) return i;
    const int64_t period = boundary == CONVOLVE2D_WRAP ? extent : 2 * extent;
    i %= period;
    if (i < 0) i += period;
    return i < extent ? i : period - 1 - i;
}

template <class T>
GPUNP_HD T load_pixel(const Convolve2dParams& p, const T* x, int64_t i, int64_t j) {
    if (p.boundary == CONVOLVE2D_FILL) {
        if (i < 0 || i >= p.rows || j < 0 || j >= p.columns) return *(const T*)p.fill;
    } else {
        i = inside(i, p.rows, p.boundary);
        j = inside(j, p.columns, p.boundary);
    }
    return x[i * p.x_row + j * p.x_item];
}

#if GPUNP_ON_DEVICE

template <class T>
__device__ __forceinline__ void correlate(const Convolve2dParams& p) {
    constexpr int TAPS = CONVOLVE2D_TAPS, WIDTH = CONVOLVE2D_WIDTH, STRIPS = CONVOLVE2D_STRIPS;
    constexpr int R = sizeof(T) < 16 ? CONVOLVE2D_ROWS : CONVOLVE2D_ROWS_WIDE;
    constexpr int HEIGHT = STRIPS * R, SPAN = WIDTH + TAPS - 1, THREADS = WIDTH * STRIPS;
    __shared__ alignas(16) char pixels[(HEIGHT + TAPS - 1) * SPAN * sizeof(T)];
    __shared__ alignas(16) char weights[TAPS * TAPS * sizeof(T)];
    T* xs = reinterpret_cast<T*>(pixels);
    T* ws = reinterpret_cast<T*>(weights);
    const int t = threadIdx.x, lane = t % WIDTH, strip = t / WIDTH;
    const int64_t tiles_across = (p.out_columns + WIDTH - 1) / WIDTH;
    const int64_t top = blockIdx.x / tiles_across * HEIGHT, left = blockIdx.x % tiles_across * WIDTH;
    for (int64_t image = blockIdx.y; image < p.images; image += gridDim.y) {
        const T* x = (const T*)p.x + image * p.x_image;
        T sum[R] = {};
        for (int64_t u0 = 0; u0 < p.w_rows; u0 += TAPS) {
            for (int64_t v0 = 0; v0 < p.w_columns; v0 += TAPS) {
                const int tall = (int)(p.w_rows - u0 < TAPS ? p.w_rows - u0 : TAPS);
                const int wide = (int)(p.w_columns - v0 < TAPS ? p.w_columns - v0 : TAPS);
                const int64_t row = top + u0 - p.above, column = left + v0 - p.left;
                const int span = WIDTH + wide - 1, height = HEIGHT + tall - 1;
                __syncthreads();
                for (int q = t; q < tall * wide; q += THREADS) {
                    const int u = q / wide, v = q - u * wide;
                    ws[v * TAPS + u] = ((const T*)p.w)[(u0 + u) * p.w_columns + v0 + v];
                }
                const bool within =
                    row >= 0 && row + height <= p.rows && column >= 0 && column + span <= p.columns;
                for (int i = strip; i < height; i += STRIPS)
                    for (int j = lane; j < span; j += WIDTH)
                        xs[i * SPAN + j] = within ? x[(row + i) * p.x_row + (column + j) * p.x_item]
                                                  : load_pixel<T>(p, x, row + i, column + j);
                __syncthreads();
                for (int v = 0; v < wide; v++) {
                    const T* from = xs + strip * R * SPAN + lane + v;
                    for (int u = 0; u < tall; u += R, from += R * SPAN) {
                        const int left_taps = tall - u;
                        T window[2 * R - 1];
#pragma unroll
                        for (int i = 0; i < 2 * R - 1; i++)
                            if (i < R - 1 + left_taps) window[i] = from[i * SPAN];
#pragma unroll
                        for (int k = 0; k < R; k++) {
                            if (k >= left_taps) break;
                            const T w = ws[v * TAPS + u + k];
#pragma unroll
                            for (int r = 0; r < R; r++) sum[r] = fused(w, window[r + k], sum[r]);
                        }
                    }
                }
            }
        }
        T* out = (T*)p.out + image * p.out_image;
        const int64_t j = left + lane;
#pragma unroll
        for (int r = 0; r < R; r++) {
            const int64_t i = top + strip * R + r;
            if (i < p.out_rows && j < p.out_columns) {
                T& place = out[i * p.out_columns + j];
                place = p.add ? sum_of(place, sum[r]) : sum[r];
            }
        }
    }
}

#define GPUNP_CONVOLVE2D(name, T)                                                                       \
    extern "C" __global__ void __launch_bounds__(::gpunp::CONVOLVE2D_WIDTH* ::gpunp::CONVOLVE2D_STRIPS) \
        convolve2d_##name(const __grid_constant__::gpunp::Convolve2dParams p) {                         \
        ::gpunp::convolve2d::correlate<T>(p);                                                           \
    }

#else

template <class T>
void correlate(const void* params) {
    const Convolve2dParams& p = *static_cast<const Convolve2dParams*>(params);
    const int64_t cost = p.out_columns * p.w_rows * p.w_columns;
    parallel_for(p.images * p.out_rows, grain_of(cost), [&](int64_t begin, int64_t end) {
        for (int64_t line = begin; line < end; line++) {
            const int64_t image = line / p.out_rows, i = line % p.out_rows;
            const T* x = (const T*)p.x + image * p.x_image;
            T* out = (T*)p.out + image * p.out_image;
            for (int64_t j = 0; j < p.out_columns; j++) {
                const int64_t row = i - p.above, column = j - p.left;
                const bool within =
                    row >= 0 && row + p.w_rows <= p.rows && column >= 0 && column + p.w_columns <= p.columns;
                const T* w = (const T*)p.w;
                T sum{};
                for (int64_t u = 0; u < p.w_rows; u++)
                    for (int64_t v = 0; v < p.w_columns; v++)
                        sum = fused(*w++,
                                    within ? x[(row + u) * p.x_row + (column + v) * p.x_item]
                                           : load_pixel<T>(p, x, row + u, column + v),
                                    sum);
                T& place = out[i * p.out_columns + j];
                place = p.add ? sum_of(place, sum) : sum;
            }
        }
    });
}

#define GPUNP_CONVOLVE2D(name, T) GPUNP_HOST_KERNEL(convolve2d_##name, ::gpunp::convolve2d::correlate<T>);

#endif

}  // namespace convolve2d
}  // namespace gpunp
