// A tile of a separable filter: its samples are loaded once, then filtered along one or both axes.
#pragma once
#include "gpunp/common/async_copies.h"
#include "gpunp/ndimage/window.h"

namespace gpunp {
namespace ndimage {

struct TilePlace {
    int64_t plane, row, column;
};

GPUNP_HD int64_t tiles_of(const SeparableParams& p) {
    return p.planes * ((p.rows + p.tile_rows - 1) / p.tile_rows) *
           ((p.columns + p.tile_columns - 1) / p.tile_columns);
}
GPUNP_HD TilePlace tile_place(const SeparableParams& p, int64_t tile) {
    const int64_t across = (p.columns + p.tile_columns - 1) / p.tile_columns;
    const int64_t down = (p.rows + p.tile_rows - 1) / p.tile_rows;
    const int64_t strip = tile / across, plane = strip / down;
    return {plane, (strip - plane * down) * p.tile_rows, (tile - strip * across) * p.tile_columns};
}

// The threads of a block, or the only thread of the host.
struct Workers {
    int thread, threads, lane, lanes, warp, warps;
};

template <class S>
struct Tile {
    S* samples;  // rows x columns, `pitch` from row to row
    int rows, columns, pitch;
};

// The samples of a tile that starts at an output, with those around it.
template <class S>
GPUNP_HD Tile<S> tile_samples(const SeparableParams& p, S* memory) {
    const int rows = (int)(p.tile_rows + (p.axis[0].taps ? p.axis[0].taps - 1 : 0));
    const int columns = (int)(p.tile_columns + (p.axis[1].taps ? p.axis[1].taps - 1 : 0));
    return {memory, rows, columns, (int)separable_pitch(columns)};
}

template <class S>
GPUNP_HD void load_tile(const SeparableParams& p, TilePlace place, Tile<S> tile, Workers w) {
    const int64_t row = place.row - (p.axis[0].taps ? p.axis[0].before : 0);
    const int64_t column = place.column - (p.axis[1].taps ? p.axis[1].before : 0);
    const int64_t plane = place.plane * p.rows * p.columns;
    // What is beyond the last outputs is not needed.
    const int64_t rows = p.rows + p.axis[0].taps, columns = p.columns + p.axis[1].taps;
    const bool inside = column >= 0 && column + tile.columns <= p.columns;
    for (int r = w.warp; r < tile.rows && row + r < rows; r += w.warps) {
        const int64_t from_row = extended(row + r, p.rows, p.axis[0].mode);
        const int64_t start = plane + from_row * p.columns;
        S* to = tile.samples + r * tile.pitch;
        for (int c = w.lane; c < tile.columns && column + c < columns; c += w.lanes) {
            const int64_t from = inside ? column + c : extended(column + c, p.columns, p.axis[1].mode);
            if (from_row < 0 || from < 0) {
                to[c] = (S)p.cval;
                continue;
            }
#if defined(__CUDA_ARCH__)
            if constexpr (sizeof(S) == 4) {
                if (p.in_dtype == F4) {
                    async::copy(to + c, reinterpret_cast<const float*>(p.input) + start + from);
                    continue;
                }
            }
#endif
            to[c] = load_sample<S>(p.input, start + from, p.in_dtype);
        }
    }
#if defined(__CUDA_ARCH__)
    if constexpr (sizeof(S) == 4) async::wait_for_all();
#endif
}

// What a pass does with runs of results, which go down a column or along a row: keeps them as they would be
// stored, or stores those within the image. Where the image continues with a constant along the axis that is
// filtered next, so do the results.
template <class S>
struct Keep {
    Tile<S> to;
    int dtype;
    bool constant;   // whether some of the tile is beyond the image along the axis that is filtered next
    bool rows_next;  // whether rows are filtered next
    int64_t first, length;  // of that axis: the place of the tile, and the samples
    S cval;
    template <class Result>
    GPUNP_HD void run(int row, int column, const Result* values, int down) const {
        const bool same = dtype == (sizeof(S) == 4 ? F4 : F8);
        S* at = to.samples + row * to.pitch + column;
        GPUNP_UNROLL
        for (int k = 0; k < RUN; k++) {
            S kept = (S)values[k];
            if (!same) kept = (S)stored(values[k], dtype);
            if (constant) {
                const int place = rows_next ? column + (down ? 0 : k) : row + (down ? k : 0);
                if ((uint64_t)(first + place) >= (uint64_t)length) kept = cval;
            }
            at[down ? k * to.pitch : k] = kept;
        }
    }
};
template <class S>
GPUNP_HD Keep<S> keep_for(const SeparableParams& p, TilePlace place, Tile<S> to, int next) {
    const int mode = p.axis[next].mode;
    const int64_t first = (next ? place.column : place.row) - p.axis[next].before;
    const int64_t length = next ? p.columns : p.rows, extent = next ? to.columns : to.rows;
    const bool constant = (mode == BOUNDARY_CONSTANT || mode == BOUNDARY_GRID_CONSTANT) &&
                          (first < 0 || first + extent > length);
    return {to, p.out_dtype, constant, next == 1, first, length, (S)p.cval};
}

struct alignas(16) FourFloats {
    float values[4];
};

struct Store {
    char* output;
    int64_t start, pitch;  // of the first output of the tile
    int64_t rows, columns;
    int dtype;
    template <class S>
    GPUNP_HD void operator()(int row, int column, S value) const {
        if (row < rows && column < columns) store_sample(output, start + row * pitch + column, dtype, value);
    }
    template <class Result>
    GPUNP_HD void run(int row, int column, const Result* values, int down) const {
        if (row >= rows || column >= columns) return;
        const int64_t at = start + row * pitch + column;
        if (dtype != F4) {
            for (int k = 0; k < RUN; k++) (*this)(row + (down ? k : 0), column + (down ? 0 : k), values[k]);
            return;
        }
        float* to = reinterpret_cast<float*>(output) + at;
        if (!down && column + RUN <= columns && (size_t)to % 16 == 0) {
            GPUNP_UNROLL
            for (int k = 0; k < RUN; k += 4)
                *reinterpret_cast<FourFloats*>(to + k) = {
                    {(float)values[k], (float)values[k + 1], (float)values[k + 2], (float)values[k + 3]}};
            return;
        }
        const int64_t left = down ? rows - row : columns - column;
        GPUNP_UNROLL
        for (int k = 0; k < RUN; k++)
            if (k < left) to[down ? k * pitch : k] = (float)values[k];
    }
};

// Filters columns: neighbouring threads have neighbouring columns.
template <class S, class Combine, class Result, class Out>
GPUNP_HD void filter_down(const SeparableParams& p, Tile<S> tile, const double* weights, Out out, Workers w) {
    const int runs = (int)(p.tile_rows / RUN), count = runs * tile.columns, pitch = tile.pitch;
    for (int i = w.thread; i < count; i += w.threads) {
        const int run = i / tile.columns, column = i - run * tile.columns;
        const S* at = tile.samples + run * RUN * pitch + column;
        Result values[RUN];
        Combine::slide([=](int t) { return at[t * pitch]; }, p.axis[0], weights, values);
        out.run(run * RUN, column, values, 1);
    }
}

// Filters rows: neighbouring threads have neighbouring rows.
template <class S, class Combine, class Result, class Out>
GPUNP_HD void filter_along(const SeparableParams& p, Tile<S> tile, const double* weights, Out out,
                           Workers w) {
    const int runs = (int)(p.tile_columns / RUN), count = runs * tile.rows;
    for (int i = w.thread; i < count; i += w.threads) {
        const int run = i / tile.rows, row = i - run * tile.rows;
        const S* at = tile.samples + row * tile.pitch + run * RUN;
        Result values[RUN];
        Combine::slide([=](int t) { return at[t]; }, p.axis[1], weights, values);
        out.run(row, run * RUN, values, 0);
    }
}

// The stores of a tile, which starts at an output.
GPUNP_HD Store tile_store(const SeparableParams& p, TilePlace place) {
    return {p.output,
            (place.plane * p.rows + place.row) * p.columns + place.column,
            p.columns,
            p.rows - place.row,
            p.columns - place.column,
            p.out_dtype};
}

// The first pass; with a single axis, the only one.
template <class S, class Combine, class Result>
GPUNP_HD void first_pass(const SeparableParams& p, TilePlace place, S* memory, Workers w) {
    const Tile<S> tile = tile_samples(p, memory);
    const Store store = tile_store(p, place);
    Tile<S> between{memory + separable_tile(p), tile.rows, tile.columns, 0};
    if (!p.axis[1].taps) {
        filter_down<S, Combine, Result>(p, tile, p.taps[0], store, w);
    } else if (!p.axis[0].taps) {
        filter_along<S, Combine, Result>(p, tile, p.taps[1], store, w);
    } else if (p.rows_first) {
        between.pitch = (int)separable_pitch(p.tile_columns);
        filter_along<S, Combine, Result>(p, tile, p.taps[1], keep_for(p, place, between, 0), w);
    } else {
        between.pitch = tile.pitch;
        filter_down<S, Combine, Result>(p, tile, p.taps[0], keep_for(p, place, between, 1), w);
    }
}

template <class S, class Combine, class Result>
GPUNP_HD void second_pass(const SeparableParams& p, TilePlace place, S* memory, Workers w) {
    const Tile<S> tile = tile_samples(p, memory);
    const Store store = tile_store(p, place);
    S* between = memory + separable_tile(p);
    if (p.rows_first) {
        const Tile<S> filtered{between, tile.rows, (int)p.tile_columns, (int)separable_pitch(p.tile_columns)};
        filter_down<S, Combine, Result>(p, filtered, p.taps[0], store, w);
    } else {
        const Tile<S> filtered{between, (int)p.tile_rows, tile.columns, tile.pitch};
        filter_along<S, Combine, Result>(p, filtered, p.taps[1], store, w);
    }
}

}  // namespace ndimage
}  // namespace gpunp
