// Parameters of the kernels that cut signals into segments, shared with Cython.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

enum : int {
    SEGMENTS_BLOCK = 256,  // threads; a warp has a segment
};

// Segment s of a row is samples s * hop to s * hop + length, less their mean if `centered`, times the window.
// The output has `size` >= length elements per segment, the rest being zeros, and is then moved cyclically by
// `shift` < size places to the left.
struct SegmentsParams {
    const char* x;
    const char* window;  // of `length` elements
    char* out;           // contiguous: rows, segments, size
    int64_t rows, row_stride, count, hop, length, size, shift;
    int32_t centered;
};

}  // namespace gpunp
