// Medians of 3 x 3 and 5 x 5 windows by selection networks in registers.
//
// A thread has four adjacent outputs. The columns of their windows are sorted once for all outputs that they
// belong to. For 5 x 5, pairs of outputs also share the four columns that both have: of their 20 samples,
// only the ranks 8 to 13 can be a median, which then takes ten operations with the five samples of the fifth
// column.
#pragma once
#include "gpunp/common/host_pool.h"
#include "gpunp/kernel.h"
#include "gpunp/ndimage/separable_tile.h"

#if !GPUNP_ON_DEVICE
#include <stdlib.h>
#endif

namespace gpunp {
namespace ndimage {

constexpr int MEDIAN_RUN = 4;

template <class S>
GPUNP_HD void order(S& a, S& b) {
    const S low = lesser(a, b);
    b = greater(a, b);
    a = low;
}
template <class S>
GPUNP_HD void sort_three(S* v) {
    order(v[0], v[1]);
    order(v[1], v[2]);
    order(v[0], v[1]);
}
template <class S>
GPUNP_HD void sort_five(S* v) {
    order(v[0], v[3]);
    order(v[1], v[4]);
    order(v[0], v[2]);
    order(v[1], v[3]);
    order(v[0], v[1]);
    order(v[2], v[4]);
    order(v[1], v[2]);
    order(v[3], v[4]);
    order(v[2], v[3]);
}
// Batcher's odd-even merge of two sorted columns.
template <class S>
GPUNP_HD void merge_five(const S* a, const S* b, S* out) {
    S v[10];
    GPUNP_UNROLL
    for (int i = 0; i < 5; i++) {
        v[i] = a[i];
        v[5 + i] = b[i];
    }
    order(v[0], v[5]);
    order(v[4], v[9]);
    order(v[4], v[5]);
    order(v[2], v[7]);
    order(v[2], v[4]);
    order(v[7], v[5]);
    order(v[1], v[6]);
    order(v[3], v[8]);
    order(v[3], v[6]);
    order(v[1], v[2]);
    order(v[3], v[4]);
    order(v[6], v[7]);
    order(v[8], v[5]);
    const S sorted[10] = {v[0], v[1], v[2], v[3], v[4], v[6], v[7], v[8], v[5], v[9]};
    GPUNP_UNROLL
    for (int i = 0; i < 10; i++) out[i] = sorted[i];
}
// The ranks 8 to 13 of the 20 samples of two sorted lists. The smaller of each sample and its counterpart in
// the reversed other list are the ten least, in bitonic order, of which the greater of samples five apart
// hold the greatest five.
template <class S>
GPUNP_HD void middle_six(const S* a, const S* b, S* out) {
    S low[10], high[10], top[5], bottom[5];
    GPUNP_UNROLL
    for (int i = 0; i < 10; i++) {
        low[i] = lesser(a[i], b[9 - i]);
        high[i] = greater(a[i], b[9 - i]);
    }
    GPUNP_UNROLL
    for (int i = 0; i < 5; i++) {
        top[i] = greater(low[i], low[i + 5]);
        bottom[i] = lesser(high[i], high[i + 5]);
    }
    sort_five(top);
    sort_five(bottom);
    GPUNP_UNROLL
    for (int i = 0; i < 3; i++) {
        out[i] = top[2 + i];
        out[3 + i] = bottom[i];
    }
}
// The median of 25 samples: the sixth of the middle six of 20 and a sorted column.
template <class S>
GPUNP_HD S median_with(const S* six, const S* column) {
    S found = six[5];
    GPUNP_UNROLL
    for (int i = 0; i < 5; i++) found = lesser(found, greater(six[4 - i], column[i]));
    return found;
}

template <class S>
GPUNP_HD void four_medians(const S (*columns)[3], S* out) {
    GPUNP_UNROLL
    for (int k = 0; k < MEDIAN_RUN; k++) {
        const S *a = columns[k], *b = columns[k + 1], *c = columns[k + 2];
        S middle[3] = {a[1], b[1], c[1]}, last[3];
        sort_three(middle);
        last[0] = greater(greater(a[0], b[0]), c[0]);
        last[1] = middle[1];
        last[2] = lesser(lesser(a[2], b[2]), c[2]);
        sort_three(last);
        out[k] = last[1];
    }
}
template <class S>
GPUNP_HD void four_medians(const S (*columns)[5], S* out) {
    S left[10], middle[10], right[10], six[6];
    merge_five(columns[1], columns[2], left);
    merge_five(columns[3], columns[4], middle);
    merge_five(columns[5], columns[6], right);
    middle_six(left, middle, six);
    out[0] = median_with(six, columns[0]);
    out[1] = median_with(six, columns[5]);
    middle_six(middle, right, six);
    out[2] = median_with(six, columns[2]);
    out[3] = median_with(six, columns[7]);
}
template <class S>
GPUNP_HD void sort_column(S (&column)[3]) {
    sort_three(column);
}
template <class S>
GPUNP_HD void sort_column(S (&column)[5]) {
    sort_five(column);
}

// Rows of the tile start at multiples of four samples, which a thread reads at once.
template <class S, int SIZE>
GPUNP_HD Tile<S> median_tile(const SeparableParams& p, S* memory) {
    const int rows = (int)p.tile_rows + SIZE - 1, columns = (int)p.tile_columns + SIZE - 1;
    return {memory, rows, columns, (columns + 3) / 4 * 4};
}

template <class S>
struct alignas(4 * sizeof(S) < 16 ? 4 * sizeof(S) : 16) Four {
    S values[4];
};

template <class S, int SIZE>
GPUNP_HD void tile_medians(const SeparableParams& p, TilePlace place, Tile<S> tile, Workers w) {
    const int across = (int)p.tile_columns / MEDIAN_RUN, count = (int)p.tile_rows * across;
    const Store store = tile_store(p, place);
    for (int i = w.thread; i < count; i += w.threads) {
        const int row = i / across, column = (i - row * across) * MEDIAN_RUN;
        S columns[MEDIAN_RUN + SIZE - 1][SIZE], medians[MEDIAN_RUN];
        GPUNP_UNROLL
        for (int r = 0; r < SIZE; r++) {
            const Four<S>* from =
                reinterpret_cast<const Four<S>*>(tile.samples + (row + r) * tile.pitch + column);
            const Four<S> first = from[0], second = from[1];
            GPUNP_UNROLL
            for (int c = 0; c < MEDIAN_RUN + SIZE - 1; c++)
                columns[c][r] = c < 4 ? first.values[c & 3] : second.values[c & 3];
        }
        GPUNP_UNROLL
        for (int c = 0; c < MEDIAN_RUN + SIZE - 1; c++) sort_column(columns[c]);
        four_medians(columns, medians);
        const int64_t at = store.start + row * store.pitch + column;
        const bool whole = row < store.rows && column + MEDIAN_RUN <= store.columns && at % 4 == 0;
        if (whole && store.dtype == dtype_of<S>::value) {
            Four<S> result;
            GPUNP_UNROLL
            for (int k = 0; k < MEDIAN_RUN; k++) result.values[k] = medians[k];
            *reinterpret_cast<Four<S>*>(reinterpret_cast<S*>(store.output) + at) = result;
        } else {
            GPUNP_UNROLL
            for (int k = 0; k < MEDIAN_RUN; k++) store(row, column + k, medians[k]);
        }
    }
}

#if GPUNP_ON_DEVICE

template <class S, int SIZE>
__device__ __forceinline__ void median_block(const SeparableParams& p) {
    extern __shared__ __align__(16) double memory[];
    const Tile<S> tile = median_tile<S, SIZE>(p, reinterpret_cast<S*>(memory));
    const int thread = threadIdx.x;
    const Workers w{thread, SEPARABLE_BLOCK, thread % 32, 32, thread / 32, SEPARABLE_BLOCK / 32};
    const int64_t tiles = tiles_of(p);
    for (int64_t i = blockIdx.x; i < tiles; i += gridDim.x) {
        const TilePlace place = tile_place(p, i);
        if (i != blockIdx.x) __syncthreads();
        load_tile(p, place, tile, w);
        __syncthreads();
        tile_medians<S, SIZE>(p, place, tile, w);
    }
}
#define GPUNP_MEDIAN(symbol, S, SIZE)                                         \
    extern "C" __global__ void __launch_bounds__(::gpunp::SEPARABLE_BLOCK, 2) \
        symbol(const __grid_constant__::gpunp::SeparableParams p) {           \
        ::gpunp::ndimage::median_block<S, SIZE>(p);                           \
    }

#else

template <class S, int SIZE>
void median_host(const void* params) {
    const SeparableParams& p = *static_cast<const SeparableParams*>(params);
    const Tile<S> shape = median_tile<S, SIZE>(p, nullptr);
    parallel_for(tiles_of(p), 1, [&](int64_t begin, int64_t end) {
        S* samples = static_cast<S*>(malloc((size_t)shape.rows * (size_t)shape.pitch * sizeof(S)));
        const Tile<S> tile = median_tile<S, SIZE>(p, samples);
        const Workers w{0, 1, 0, 1, 0, 1};
        for (int64_t i = begin; i < end; i++) {
            const TilePlace place = tile_place(p, i);
            load_tile(p, place, tile, w);
            tile_medians<S, SIZE>(p, place, tile, w);
        }
        free(samples);
    });
}
#define GPUNP_MEDIAN(symbol, S, SIZE) GPUNP_HOST_KERNEL(symbol, (::gpunp::ndimage::median_host<S, SIZE>));

#endif

}  // namespace ndimage
}  // namespace gpunp
