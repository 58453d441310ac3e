// Parameters of the histogram and bincount kernels, shared with Cython.
#pragma once
#include "gpunp/config.h"
#include "gpunp/status.h"

namespace gpunp {

// Bins of equal width, as in NumPy's computation; filled on the device by the histogram_edges kernel.
struct UniformBins {
    double first, last;  // the outer edges in the edges' dtype
    double denominator;  // in the dtype of the division
    double scale;        // bins / denominator
    // Distance from an edge, in bins, beyond which arithmetic alone decides; 1 if it never does.
    double tolerance;  // for arithmetic in the type of the edges
    double narrow;     // for float
    double wide;       // for a difference in double, continued in float
    int64_t bins;
    int32_t division;  // dtype of the division
    int32_t padding;
};

struct ExtentParams {
    const void* values;  // contiguous
    int64_t size;        // not zero
    void* partials;      // two accumulators per block
    uint32_t* counter;   // zero
    void* out;           // the least and the greatest value, in the values' dtype
};

// Counts of integers in many bins: the values are scattered to buckets of neighboring bins first.
struct BucketParams {
    ExtentParams extent;
    int64_t* found;     // least value, greatest value, and approximately how many are near their predecessor
    uint64_t* near;     // zero
    uint64_t* starts;   // by slot, plus one: counts, then exclusive sums; initially zero
    uint64_t* cursors;  // by slot: position of the next value of the bucket that begins there
    uint16_t* places;   // offsets of the values in their buckets, bucket by bucket
    uint64_t* counts;   // zeroed
    int64_t bins;
};

enum : int {
    HISTOGRAM_BLOCK = 512,  // threads
    // Maximum bins in 48 KiB of shared memory: with one counter each, or with two 64-bit limbs each.
    HISTOGRAM_SHARED_COUNTS = 12288,
    HISTOGRAM_SHARED_SUMS = 3072,
    BUCKET_SLOT_BITS = 12,  // log2 of the range of a slot; the number of slots:
    BUCKET_SLOTS = 1024,
    BUCKET_BITS =
        14,  // log2 of the bins of a bucket: shared memory has room for three sets of their counters
    BUCKET_BLOCK = 512,
    BUCKET_ITEMS = 16,
    BUCKET_COUNT_BLOCK = 1024,
    BUCKET_NEAR = 8,  // values at most this far from their predecessor are near: they share few addresses
};

struct EdgesParams {
    const char* extents;  // two values of `extents_dtype`, or null: use the range below
    double first, last, denominator;
    char* edges;  // bins + 1 of `edge_dtype`
    UniformBins* uniform;
    uint32_t* status;
    int64_t bins;
    int32_t extents_dtype;
    int32_t line_dtype;  // F2, F4 or F8: dtype in which linspace computes
    int32_t edge_dtype;
    int32_t division;
    int32_t check;  // report edges that do not increase
};

struct CountParams {
    const char* values;
    int64_t size;
    int64_t stride;  // in bytes; for kernels with a dtype known only at run time
    int64_t bins;
    uint64_t* counts;  // zeroed
    const UniformBins* uniform;
    const void* edges;
    int32_t* index;   // output of the locate kernels: bin of each value, -1 if outside
    int32_t dtype;    // of the values, if known only at run time
    int32_t shared;   // count in shared memory first
    int32_t combine;  // index = index * bins + bin
};

// One pass that finds the extents of values and counts them in bins of a range guessed from a sample. Values
// so close to an edge that the true edge may lie beyond them are kept for later.
struct GuessParams {
    ExtentParams extent;
    double* sampled;        // least and greatest value of each warp's sample
    uint32_t* counter;      // zero
    UniformBins* guess;     // tolerance 1: the guess is useless, do not count
    uint64_t* counts;       // zeroed: by bin
    char* kept;             // kept values, up to `room` per block
    uint32_t* kept_counts;  // by block; more than `room` if there were too many
    int64_t room;
    int64_t bins;
    // Below: for guess_finish, with the true edges known.
    const UniformBins* uniform;
    const void* edges;
    uint64_t* out;   // zeroed
    int32_t blocks;  // of the counting kernel
};

enum : int {
    GUESS_BLOCK = 512,
    GUESS_BLOCKS = 128,
    GUESS_ITEMS = 4,
    GUESS_WARPS = GUESS_BLOCK / 32 * GUESS_BLOCKS,
    GUESS_RESIDENT = 2,  // resident counting blocks per multiprocessor
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

// Sums of weights in many bins: buckets as above, with the weight of each value moved along.
struct WeightBucketParams {
    BucketParams bucket;
    WeightParams sums;  // `shared` is not used
    void* carried;      // weights in the order of `places`, as float or double
};

}  // namespace gpunp
