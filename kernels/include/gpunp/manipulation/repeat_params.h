// Parameters of the kernel that repeats elements by individual counts, shared with Cython.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

constexpr int REPEAT_BLOCK = 256;
constexpr int REPEAT_TILE = 2048;  // positions along the axis per block

struct RepeatParams {
    const char* source;  // (outer, length, inner), contiguous
    char* out;           // (outer, total, inner)
    const int64_t* ends;
    int64_t length;
    int64_t total;
    int64_t outer;
    int64_t inner;        // in units of the kernel's element size
    int64_t tiles;        // tiles of positions
    int64_t segment;      // units of an element per block
    int64_t outer_chunk;  // outer indices per block
    int32_t tile;
    int32_t unused;
};

}  // namespace gpunp
