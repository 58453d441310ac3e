// Parameters of the kernels that label connected pixels; filled in gpunp_scipy/ndimage/regions.pyx.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

enum : int {
    LABEL_BLOCK = 256,   // threads
    LABEL_SIDE = 64,     // of the square tiles that a block labels in shared memory
    LABEL_CHUNK = 4096,  // pixels whose roots a block counts
    LABEL_RANK_BLOCK = LABEL_CHUNK / 32,
    LABEL_LEADING = 62,  // most axes before the last two
};

// Which earlier neighbors in the plane of the last two axes a pixel is connected to.
enum : int { LINK_LEFT = 1, LINK_UP = 2, LINK_UP_LEFT = 4, LINK_UP_RIGHT = 8 };

// Pixels point to pixels of the same region with lower positions, up to the first one of the region, the
// root, which points to itself. The background is -1.
struct LabelParams {
    const uint8_t* image;  // contiguous; nonzero is foreground
    void* parents;         // positions in the array, int32 or int64
    int64_t planes;
    int64_t rows;
    int64_t columns;
    int32_t links;  // in the plane

    // One link between planes: to the pixel at `offset`, which is negative.
    int32_t leading;  // axes before the last two
    int64_t offset;
    int64_t shape[LABEL_LEADING];
    int8_t delta[LABEL_LEADING];
    int8_t row_delta, column_delta;

    uint32_t* bits;       // by 32 pixels: which are roots
    void* roots_before;   // the same: roots before them, int32 or int64; not used by the host
    int64_t* counts;      // roots by chunk
    const int64_t* ends;  // running sums of the counts
};

// Bounding boxes of labels.
struct BoxesParams {
    const void* labels;  // contiguous, int32 or int64
    int64_t size;
    int64_t most;  // the largest label to look at
    int64_t*
        boxes;  // by label and axis: least coordinate, and ~ of the greatest; initially greater than both
    int32_t ndim;
    int64_t shape[64];
};

}  // namespace gpunp
