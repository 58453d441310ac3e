// What the kernel that repeats elements by counts of their own is told; read by Cython too.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

constexpr int REPEAT_BLOCK = 256;
constexpr int REPEAT_TILE = 2048;  // positions along the axis that a block looks up at once

struct RepeatParams {
    const char* source;  // (outer, length, inner), contiguous
    char* out;           // (outer, total, inner)
    const int64_t* ends;
    int64_t length;
    int64_t total;
    int64_t outer;
    int64_t inner;        // in the unit of the kernel
    int64_t tiles;        // of positions
    int64_t segment;      // units of an element that a block copies
    int64_t outer_chunk;  // outer indices that a block goes through
    int32_t tile;
    int32_t unused;
};

}  // namespace gpunp
