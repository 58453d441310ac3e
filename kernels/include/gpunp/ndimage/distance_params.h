// Parameters of the kernels for distance transforms; filled in gpunp_scipy/ndimage/distances.pyx.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

enum : int {
    DISTANCE_BLOCK = 256,   // most threads
    DISTANCE_SEGMENT = 64,  // pixels of a column whose background is one word
    DISTANCE_REACH = 32,    // pixels to either side that are searched before the whole line is
    DISTANCE_AXES = 64,
    // The cost, as an int32, where there is no background. Costs of background are less.
    DISTANCE_NONE = 1 << 30,
};

// How costs of axes add up: squares of distances, distances, or the greatest of them.
enum : int { METRIC_SQUARES = 0, METRIC_SUM = 1, METRIC_GREATEST = 2 };

// The nearest background along the first axis.
struct DistanceColumnsParams {
    const uint8_t* image;  // length x inner, contiguous; zero is background
    int64_t length;
    int64_t inner;
    uint64_t* words;   // by segment and column: bits of the background
    void* cost;        // like the image, or null
    int32_t* nearest;  // like the image, or null: place of the background, or -1
    double scale;      // distance of neighbors
    int32_t metric;
};

// The least cost along the last axis: of a pixel j, and of the distance to it. Of equal ones the first
// counts.
struct DistanceRowsParams {
    const void* cost;  // lines x length, contiguous
    void* out;         // like the cost, or null; where there is no background, -1 if it is int32
    double* distance;  // like the cost, or null: the square root of the least cost
    int32_t* nearest;  // like the cost, or null: j
    int64_t length;
    double scale;
    int32_t last;       // whether this is the last axis
    int32_t in_shared;  // whether a line fits into shared memory; otherwise `nearest` is needed
    // The distance where there is no background: `none`, or if that is 0, the distance from (-1, 0, 0, ...).
    double none;
    int32_t ndim;
    int64_t shape[DISTANCE_AXES];
    double scales[DISTANCE_AXES];
};

}  // namespace gpunp
