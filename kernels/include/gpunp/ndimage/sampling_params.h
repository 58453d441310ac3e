// Parameters of interpolation in an image, shared with Cython.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

enum {
    SAMPLING_BLOCK = 256,  // threads
    SAMPLING_RANK = 8,     // most dimensions of images and results
    SAMPLING_ORDER = 5,    // highest order of splines
};

// Where coordinates come from.
enum SamplingKind : int {
    SAMPLING_TABLES,       // one table per axis, by `places`: zoom, shift
    SAMPLING_AFFINE,       // a matrix and an offset
    SAMPLING_COORDINATES,  // an array
};

// Along one axis: the first sample of a window, or SAMPLING_OUTSIDE, and the samples' weights.
template <class C>
struct Place {
    int64_t start;
    C weights[SAMPLING_ORDER + 1];
};

// Tables for (i + shift) * zoom + pad, or with grid ((i + shift) + 0.5) * zoom - 0.5 + pad, for the indices i
// along each axis of the result, one table after the other.
struct PlacesParams {
    void* places;
    int64_t count;  // of all places
    int64_t extents[SAMPLING_RANK], first[SAMPLING_RANK];
    double zooms[SAMPLING_RANK], shifts[SAMPLING_RANK];
    double pad;
    int rank, order, boundary, shifted, zoomed, grid;
};

// The result is outer x height x width, and C-contiguous but for a step between elements.
struct SamplingParams {
    const void* image;  // C-contiguous, of the type of the computation
    char* out;
    const char* coordinates;
    const void* places[SAMPLING_RANK];
    int64_t extents[SAMPLING_RANK], strides[SAMPLING_RANK];  // of the image, strides in elements
    int64_t outer, height, width, size;
    int64_t outer_extents[SAMPLING_RANK];  // of which `outer` is the product
    int64_t plane;                         // elements from one image to the next, if `outer` counts images
    // A row per axis of the image. Its last two columns are for the last two axes of the result.
    double matrix[SAMPLING_RANK][SAMPLING_RANK], offset[SAMPLING_RANK];
    double pad, cval;
    int32_t rank, order, outer_rank;
    int32_t kind;
    int32_t boundary;  // of coordinates
    int32_t tail;      // of the samples in a window: a Boundary too
    int32_t coordinates_dtype, out_dtype, out_step;
    int32_t tile_width, warp_width;  // of a block's and a warp's results
    int32_t rows;                    // of results of a thread
    uint32_t tiles_x, tiles_y;
};

}  // namespace gpunp
