// Parameters of the rank filters with rectangular windows, shared with Cython.
#pragma once
#include "gpunp/ndimage/boundary_params.h"

namespace gpunp {

enum : int {
    RANK_TILE_BLOCK = 128,     // threads
    RANK_TILE_SAMPLES = 1024,  // the most samples of a tile, which a block sorts
    RANK_TILE_LINES = 200,     // the most rows and columns of a tile together, with the samples around it
    MEDIAN_NETWORK_ROWS = 16,  // of the outputs of a block of median_network.h
    MEDIAN_NETWORK_COLUMNS = 128,
};

struct RankTileParams {
    const char* input;  // both contiguous
    char* output;
    int64_t planes, rows, columns;
    int64_t tile_rows, tile_columns;  // of the outputs of a block
    int64_t window_rows, window_columns;
    int64_t rows_before, columns_before;  // samples of the window before that of its output
    int64_t rank;
    double cval;
    int32_t row_mode, column_mode, in_dtype, out_dtype;
};

// Words of 4 bytes that a block of median_network.h needs: the image, sorted columns, pairs and quads of
// them.
GPUNP_HD constexpr int median_network_words(int size) {
    int core = size - 3, groups = MEDIAN_NETWORK_ROWS / 4;
    int kept = size * size + 1 - core * (core + 2),
        most = core * (core + 2) < kept ? core * (core + 2) : kept;
    int pairs = 160 * core * groups, halves = most * 128;
    int quads = 144 * core * groups, results = MEDIAN_NETWORK_ROWS * MEDIAN_NETWORK_COLUMNS;
    return 160 * (MEDIAN_NETWORK_ROWS + size - 1) + 160 * core * groups + (pairs > halves ? pairs : halves) +
           (quads > results ? quads : results);
}

}  // namespace gpunp
