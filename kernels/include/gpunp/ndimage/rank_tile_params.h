// Parameters of the rank filters with rectangular windows, shared with Cython.
#pragma once
#include "gpunp/ndimage/boundary_params.h"

namespace gpunp {

enum : int {
    RANK_TILE_BLOCK = 128,     // threads
    RANK_TILE_SAMPLES = 1024,  // the most samples of a tile, which a block sorts
    RANK_TILE_LINES = 200,     // the most rows and columns of a tile together, with the samples around it
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

}  // namespace gpunp
