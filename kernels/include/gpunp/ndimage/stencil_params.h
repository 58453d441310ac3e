// Parameters of the filters with a window of any shape, shared with Cython.
#pragma once
#include "gpunp/ndimage/boundary_params.h"

namespace gpunp {

enum : int {
    STENCIL_BLOCK = 128,  // threads
    STENCIL_NDIM = 8,     // the most axes, after axes along which the window has one sample are merged
    STENCIL_KEYS = 64,    // the most samples of a window whose keys a thread keeps
};

// `table` has for each sample of the window its distance from that of the output, in elements, then the
// weights or heights of all samples as doubles, then for each sample its distance along each axis.
struct StencilParams {
    const char* input;  // both contiguous
    char* output;
    const int64_t* table;
    int64_t size, taps, rank;
    double cval;
    int64_t shape[STENCIL_NDIM];
    int64_t low[STENCIL_NDIM], high[STENCIL_NDIM];  // of the coordinates whose windows are within the image
    int32_t modes[STENCIL_NDIM];
    int32_t ndim, in_dtype, out_dtype;
    int32_t heights;  // whether extrema are of samples with heights
};

}  // namespace gpunp
