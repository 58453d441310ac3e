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

// Counts of integers into many bins: the values are put into buckets of neighbouring bins first.
struct BucketParams {
    ExtentParams extent;
    int64_t* found;     // the least value, the greatest, and how many are near the one before, about
    uint64_t* near;     // zero
    uint64_t* starts;   // by slot: how many values, then how many are before; one more, zero at the start
    uint64_t* cursors;  // by slot: where the next value of the bucket that begins there goes
    uint16_t* places;   // places of the values in their buckets, bucket after bucket
    uint64_t* counts;   // zeroed
    int64_t bins;
};

enum : int {
    HISTOGRAM_BLOCK = 512,  // threads
    // Bins that fit into the shared memory every kernel may have: one counter, or two 64-bit limbs each.
    HISTOGRAM_SHARED_COUNTS = 12288,
    HISTOGRAM_SHARED_SUMS = 3072,
    BUCKET_SLOT_BITS = 12,  // values in a slot, of which there are so many:
    BUCKET_SLOTS = 1024,
    BUCKET_BITS = 14,  // values in a bucket: their counters fit into shared memory three times
    BUCKET_BLOCK = 512,
    BUCKET_ITEMS = 16,
    BUCKET_COUNT_BLOCK = 1024,
    BUCKET_NEAR = 8,  // neighbouring values as close as this share few places in memory
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

// One pass that finds the extents of values and counts them in bins of a range that a sample tells. Values so
// close to an edge that the true edges may part them are kept for later.
struct GuessParams {
    ExtentParams extent;
    double* sampled;        // two of a warp of the sample: the least and the greatest
    uint32_t* counter;      // zero
    UniformBins* guess;     // tolerance 1: there is no use in counting
    uint64_t* counts;       // zeroed: by bin
    char* kept;             // values, `room` of a block
    uint32_t* kept_counts;  // by block; more than `room` if they were too many
    int64_t room;
    int64_t bins;
    // Below: when the true edges are known.
    const UniformBins* uniform;
    const void* edges;
    uint64_t* out;   // zeroed
    int32_t blocks;  // of the counting
};

enum : int {
    GUESS_BLOCK = 512,
    GUESS_BLOCKS = 128,
    GUESS_ITEMS = 4,
    GUESS_WARPS = GUESS_BLOCK / 32 * GUESS_BLOCKS,
    GUESS_RESIDENT = 2,  // blocks of a multiprocessor that count
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

// Sums of weights in many bins: buckets as above, of which each value takes its weight along.
struct WeightBucketParams {
    BucketParams bucket;
    WeightParams sums;  // `shared` is not used
    void* carried;      // weights by place, as float or as double
};

}  // namespace gpunp
