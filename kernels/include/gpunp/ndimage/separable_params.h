// Parameters of the separable filters, shared with Cython.
#pragma once
#include "gpunp/ndimage/boundary_params.h"

namespace gpunp {

enum : int {
    SEPARABLE_BLOCK = 256,  // threads
    SEPARABLE_RUN = 8,      // adjacent outputs of a thread
    SEPARABLE_TAPS = 128,   // the most weights that are parameters of a launch
    SEPARABLE_ROWS = 32,    // of the outputs of a tile
};

// How the samples of a window are combined.
enum : int {
    WINDOW_WEIGHTED,       // a weighted sum
    WINDOW_SYMMETRIC,      // the same where samples at equal distances from the middle are first added,
    WINDOW_ANTISYMMETRIC,  // or subtracted
    WINDOW_MEAN,
};

struct SeparableAxis {
    int64_t before;     // samples of the window before that of its output
    int64_t taps;       // samples of the window; 0 if this axis is not filtered
    int32_t mode;       // a Boundary
    int32_t combining;  // WINDOW_*, for sums
};

// Filters the planes of an image along their columns (axis 0), their rows (axis 1), or both.
struct SeparableParams {
    const char* input;  // all contiguous
    char* output;
    const double* weights;  // of axis 0 where there are more than fit below, otherwise null
    int64_t planes, rows, columns;
    SeparableAxis axis[2];
    double cval;
    int64_t tile_rows, tile_columns;  // of the outputs of a block
    int32_t in_dtype, out_dtype;
    int32_t rows_first;  // whether axis 1 is filtered first
    double taps[2][SEPARABLE_TAPS];
};

// Samples from row to row of a tile in shared memory: odd, so that those of a column are in different banks.
GPUNP_HD constexpr int64_t separable_pitch(int64_t columns) {
    return columns | 1;
}
// The samples of a tile with those around it, and of the values between two passes.
GPUNP_HD int64_t separable_tile(const SeparableParams& p) {
    const int64_t more_rows = p.axis[0].taps ? p.axis[0].taps - 1 : 0;
    const int64_t more_columns = p.axis[1].taps ? p.axis[1].taps - 1 : 0;
    return (p.tile_rows + more_rows) * separable_pitch(p.tile_columns + more_columns);
}
GPUNP_HD int64_t separable_between(const SeparableParams& p) {
    if (!p.axis[0].taps || !p.axis[1].taps) return 0;
    if (p.rows_first) return (p.tile_rows + p.axis[0].taps - 1) * separable_pitch(p.tile_columns);
    return p.tile_rows * separable_pitch(p.tile_columns + p.axis[1].taps - 1);
}

}  // namespace gpunp
