// What the kernels of histograms and of bincount are told; read by Cython too.
#pragma once
#include "gpunp/config.h"
#include "gpunp/status.h"

namespace gpunp {

// Bins of equal width, as NumPy computes with them; made by histogram_edges on the device.
struct UniformBins {
    double first, last;  // the outer edges in the edges' dtype
    double denominator;  // in the dtype of the division
    double scale;        // bins / denominator
    // How far from an edge, in bins, arithmetic alone decides; 1 where it never does.
    double tolerance;  // in the type of the edges
    double narrow;     // in float
    double wide;       // from a difference in double, then in float
    int64_t bins;
    int32_t division;  // DType of the division
    int32_t padding;
};

struct ExtentParams {
    const void* values;  // contiguous
    int64_t size;        // not zero
    void* partials;      // two accumulators a block
    uint32_t* counter;   // zero
    void* out;           // the least and the greatest value, in the values' dtype
};

struct EdgesParams {
    const char* extents;  // two values of `extents_dtype`, or null: the range below
    double first, last, denominator;
    char* edges;  // bins + 1 of `edge_dtype`
    UniformBins* uniform;
    uint32_t* status;
    int64_t bins;
    int32_t extents_dtype;
    int32_t line_dtype;  // F2, F4 or F8: what linspace computes in
    int32_t edge_dtype;
    int32_t division;
    int32_t check;  // report edges that do not increase
};

struct CountParams {
    const char* values;
    int64_t size;
    int64_t stride;  // bytes between values, where dtype is known at run time only
    int64_t bins;
    uint64_t* counts;  // zeroed
    const UniformBins* uniform;
    const void* edges;
    int32_t* index;   // where bins of elements are written, -1 outside
    int32_t dtype;    // of the values, where only the run knows it
    int32_t shared;   // count in shared memory first
    int32_t combine;  // index = index * bins + bin
};

struct CheckParams {
    const char* edges;
    int64_t size;
    int32_t dtype;
    uint32_t* status;
};

struct WeightParams {
    const char* index;  // contiguous integers; those outside [0, bins) are skipped
    const char* weights;
    int64_t size;
    int64_t weight_stride;
    int64_t bins;
    uint32_t* exponents;  // zeroed, as are high and low
    uint64_t* high;
    uint64_t* low;
    double* out;
    int32_t index_dtype;
    int32_t weight_dtype;
    int32_t bits;  // of each limb
    int32_t shared;
};

}  // namespace gpunp
