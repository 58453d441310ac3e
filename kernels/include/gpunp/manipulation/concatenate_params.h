// Parameters of the kernels that copy pieces side by side, shared with Cython.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

constexpr int PIECE_BLOCK = 256;
constexpr int MAX_PIECES = 120;        // limited by the 4 KiB of kernel parameters
constexpr int64_t PIECE_TILE = 16384;  // bytes per block
// Shorter rows are copied in units of their common alignment, many rows per block.
constexpr int64_t WIDE_ROW = 2048;
// Rows of the result up to this long, with pieces of less than a few sectors, are assembled in shared memory,
// so that whole vectors are written.
constexpr int64_t NARROW_ROW = 1024;
constexpr int64_t NARROW_PIECE = 64;

template <int N>
struct Pieces {
    char* out;
    int64_t rows;
    int64_t pitch;
    // Rows per group: blocks go through all pieces of one group before the next, so that adjacent parts of
    // the result are written at nearly the same time.
    int64_t group_rows;
    int32_t count;
    int32_t group_tiles;
    const char* source[N];
    int64_t source_pitch[N];
    int64_t offset[N + 1];
    int32_t tile[N + 1];  // first tile of each piece in a group
};

using PiecesParams = Pieces<MAX_PIECES>;
// Smaller parameters for most calls, because the driver copies all of them at every launch.
constexpr int FEW_PIECES = 8;
using FewPiecesParams = Pieces<FEW_PIECES>;

// Tiles of `rows` rows of one piece, for both the planner and the kernel.
GPUNP_HD int64_t piece_tiles(int64_t row_bytes, int64_t rows) {
    if (row_bytes >= WIDE_ROW) return rows * ((row_bytes + PIECE_TILE - 1) / PIECE_TILE);
    return (rows * row_bytes + PIECE_TILE - 1) / PIECE_TILE;
}

}  // namespace gpunp
