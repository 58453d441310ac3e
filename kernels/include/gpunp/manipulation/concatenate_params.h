// What the kernel that lays pieces side by side is told; read by Cython too.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

constexpr int PIECE_BLOCK = 256;
constexpr int MAX_PIECES = 120;        // what the 4 KiB of a kernel's parameters have room for
constexpr int64_t PIECE_TILE = 16384;  // bytes a block copies
// Shorter rows are copied element by element in their common alignment, many rows to a block.
constexpr int64_t WIDE_ROW = 2048;
// Rows of the result up to this long, with pieces shorter than a few sectors in them, are put together in
// shared memory, so that whole vectors are written.
constexpr int64_t NARROW_ROW = 1024;
constexpr int64_t NARROW_PIECE = 64;

template <int N>
struct Pieces {
    char* out;
    int64_t rows;
    int64_t pitch;
    // Blocks take turns over the pieces every so many rows, so that neighbours in the result are written
    // at nearly the same time.
    int64_t group_rows;
    int32_t count;
    int32_t group_tiles;
    const char* source[N];
    int64_t source_pitch[N];
    int64_t offset[N + 1];
    int32_t tile[N + 1];  // first tile of each piece in a group
};

using PiecesParams = Pieces<MAX_PIECES>;
// The driver copies all of a kernel's parameters at every launch: most calls have few pieces.
constexpr int FEW_PIECES = 8;
using FewPiecesParams = Pieces<FEW_PIECES>;

// Tiles that `rows` rows of one piece take; what the planner and the kernel agree on.
GPUNP_HD int64_t piece_tiles(int64_t row_bytes, int64_t rows) {
    if (row_bytes >= WIDE_ROW) return rows * ((row_bytes + PIECE_TILE - 1) / PIECE_TILE);
    return (rows * row_bytes + PIECE_TILE - 1) / PIECE_TILE;
}

}  // namespace gpunp
