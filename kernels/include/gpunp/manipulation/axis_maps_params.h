// Parameters of copies by axis maps; filled in gpunp/manipulation/moves.pyx.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

constexpr int MAX_MAPPED_AXES = 8;
// Threads per block, and 16-byte vectors per thread in flight.
constexpr int MAP_BLOCK = 128;
constexpr int MAP_UNROLL = 4;

enum MapRule : int {
    STRAIGHT,      // i
    CYCLE,         // (i + offset) mod length
    NEAREST,       // i - offset, clamped
    MIRROR,        // back and forth, without repeating the ends: (i + offset) mod (2 * length - 2)
    MIRROR_EDGES,  // back and forth, with the ends repeated: (i + offset) mod (2 * length)
    DIVIDE,        // i / offset
    OUTSIDE        // i - offset; a constant of the axis if that is outside
};

struct AxisMap {
    int64_t extent;  // of the result
    int64_t length;  // of the source
    int64_t stride;  // of the source, bytes
    int64_t offset;  // not negative
    int32_t rule;
    int32_t constant;  // index of the constant before the source; the next one is that after it
};

struct MapParams {
    const char* source;
    char* out;  // C-contiguous
    int64_t size;
    int32_t ndim;
    int32_t unused;
    // The range [begin, end) of the last axis that is a plain copy; `at` is the source index of `begin`.
    int64_t begin, end, at;
    AxisMap axes[MAX_MAPPED_AXES];
    alignas(16) unsigned char constants[2 * MAX_MAPPED_AXES][16];
};

}  // namespace gpunp
