// Separable filters with three taps along both of two axes, in single precision on GPUs: Sobel's and
// Prewitt's. A thread has four adjacent columns and goes down some rows, so that each sample is read about
// once, and no shared memory is needed. Where the image continues with a constant, the kernels by tiles
// filter.
#pragma once
#include "gpunp/ndimage/window.h"

#if GPUNP_ON_DEVICE

namespace gpunp {
namespace ndimage {

constexpr int THREE_COLUMNS = 4;  // of a thread

__device__ __forceinline__ double three_products(double a, double b, double c, const double* w) {
    return fma(c, w[2], fma(b, w[1], fma(a, w[0], 0.0)));
}

// A row of samples with one more at both ends.
struct ThreeRow {
    float at[THREE_COLUMNS + 2];
};

template <bool ALIGNED>
__device__ __forceinline__ ThreeRow three_row(const SeparableParams& p, const float* plane, int64_t row,
                                              int column, int before, int after, int count) {
    const float* from = plane + extended(row, p.rows, p.axis[0].mode) * p.columns;
    ThreeRow x;
    x.at[0] = from[before];
    if constexpr (ALIGNED) {
        const float4 four = *reinterpret_cast<const float4*>(from + column);
        x.at[1] = four.x, x.at[2] = four.y, x.at[3] = four.z, x.at[4] = four.w;
        x.at[5] = from[after];
    } else {
#pragma unroll
        for (int k = 0; k < THREE_COLUMNS; k++) x.at[1 + k] = k < count ? from[column + k] : from[after];
        x.at[5] = from[after];
    }
    return x;
}

// The sums along a row, rounded as if they were stored.
__device__ __forceinline__ void three_along(const ThreeRow& x, const double* w, float* sums) {
    double wide[THREE_COLUMNS + 2];
#pragma unroll
    for (int k = 0; k < THREE_COLUMNS + 2; k++) wide[k] = x.at[k];
#pragma unroll
    for (int k = 0; k < THREE_COLUMNS; k++)
        sums[k] = (float)three_products(wide[k], wide[k + 1], wide[k + 2], w);
}

template <bool ROWS_FIRST, bool ALIGNED>
__device__ __forceinline__ void three_taps(const SeparableParams& p) {
    constexpr int WIDTH = ROWS_FIRST ? THREE_COLUMNS : THREE_COLUMNS + 2;
    const int64_t across = (p.columns + THREE_COLUMNS - 1) / THREE_COLUMNS;
    const int64_t i = (int64_t)blockIdx.x * SEPARABLE_BLOCK + threadIdx.x;
    const int64_t strip = i / across;
    const int64_t down = (p.rows + p.tile_rows - 1) / p.tile_rows, place = strip / down;
    if (place >= p.planes) return;
    const int column = (int)(i - strip * across) * THREE_COLUMNS;
    const int64_t first = (strip - place * down) * p.tile_rows;
    const int64_t end = first + p.tile_rows < p.rows ? first + p.tile_rows : p.rows;
    const int count = p.columns - column < THREE_COLUMNS ? (int)(p.columns - column) : THREE_COLUMNS;
    const int before = extended(column - 1, p.columns, p.axis[1].mode);
    const int after = extended(column + count, p.columns, p.axis[1].mode);
    const float* plane = reinterpret_cast<const float*>(p.input) + place * p.rows * p.columns;
    float* out = reinterpret_cast<float*>(p.output) + (place * p.rows + first) * p.columns + column;
    // What the sums down a column need of the last two rows.
    double above[2][WIDTH];
    const auto next = [&](int64_t row, double* wide) {
        const ThreeRow x = three_row<ALIGNED>(p, plane, row, column, before, after, count);
        float sums[THREE_COLUMNS];
        if constexpr (ROWS_FIRST) three_along(x, p.taps[1], sums);
#pragma unroll
        for (int k = 0; k < WIDTH; k++) wide[k] = ROWS_FIRST ? sums[k] : x.at[k];
    };
    next(first - 1, above[0]);
    next(first, above[1]);
#pragma unroll 4
    for (int64_t row = first; row < end; row++) {
        double below[WIDTH];
        next(row + 1, below);
        ThreeRow down_columns;
        float sums[THREE_COLUMNS];
#pragma unroll
        for (int k = 0; k < WIDTH; k++) {
            down_columns.at[k] = (float)three_products(above[0][k], above[1][k], below[k], p.taps[0]);
            above[0][k] = above[1][k];
            above[1][k] = below[k];
        }
        if constexpr (ROWS_FIRST) {
#pragma unroll
            for (int k = 0; k < THREE_COLUMNS; k++) sums[k] = down_columns.at[k];
        } else {
            three_along(down_columns, p.taps[1], sums);
        }
        if constexpr (ALIGNED) {
            *reinterpret_cast<float4*>(out) = make_float4(sums[0], sums[1], sums[2], sums[3]);
        } else {
#pragma unroll
            for (int k = 0; k < THREE_COLUMNS; k++)
                if (k < count) out[k] = sums[k];
        }
        out += p.columns;
    }
}

}  // namespace ndimage
}  // namespace gpunp

#define GPUNP_THREE_TAPS(symbol, ROWS_FIRST)                               \
    extern "C" __global__ void __launch_bounds__(::gpunp::SEPARABLE_BLOCK) \
        symbol(const __grid_constant__::gpunp::SeparableParams p) {        \
        if (p.columns % ::gpunp::ndimage::THREE_COLUMNS == 0 &&            \
            ((size_t)p.input | (size_t)p.output) % sizeof(float4) == 0)    \
            ::gpunp::ndimage::three_taps<ROWS_FIRST, true>(p);             \
        else                                                               \
            ::gpunp::ndimage::three_taps<ROWS_FIRST, false>(p);            \
    }

#else
#define GPUNP_THREE_TAPS(symbol, ROWS_FIRST)
#endif
