// Parameters of reduction kernels: which elements fold into which result, and how the work is split.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

// Kept and reduced dimensions together, at most, after the planner has coalesced them.
constexpr int REDUCE_MAX_DIMS = 10;
constexpr int REDUCE_BLOCK = 256;
// Bytes of shared memory for a tile of short runs.
constexpr int REDUCE_RUNS_BYTES = 16384;
// Bytes of the largest accumulator, which determine the workspace of splits.
constexpr int REDUCE_ACCUMULATOR_BYTES = 32;

enum ReduceFlag : uint32_t {
    REDUCE_SKIP_NAN = 1,        // a NaN acts as the identity and is not counted
    REDUCE_DIVIDE = 2,          // the result is divided by `divisor`
    REDUCE_SQRT = 4,            // the result is the square root
    REDUCE_INITIAL = 8,         // `initial` is folded in
    REDUCE_ALIGNED = 16,        // rows of a column reduction may be read as vectors
    REDUCE_LANES_FASTEST = 32,  // general variant: neighboring threads share one result
    REDUCE_VECTORS = 64,        // the results of a column reduction may be written as vectors
    REDUCE_WHOLE = 128,  // rows variant: runs along one more reduced axis are whole vectors of 16 bytes
};

struct ReduceDim {
    int64_t extent;
    int64_t stride;  // of the input; all strides are in bytes
    int64_t out_stride;
    int64_t where_stride;
    uint32_t magic, shift;  // divide an index below 2^31 by `extent`
};

// Dimensions run from the innermost outwards: first the kept ones, then the reduced ones.
struct ReduceParams {
    const char* in;
    char* out;
    const char* where;   // bool mask; null: all elements take part
    void* partials;      // outputs x splits accumulators; null: one split
    uint32_t* counters;  // one per tile, zero between launches
    int64_t outputs, reduced;
    int64_t chunk;      // elements (rows variant: of the innermost reduced dimension) in one unit of work
    int64_t units;      // rows variant: chunks of the whole reduced extent
    int64_t per_split;  // units (rows) or elements (columns, general) of one split
    uint32_t splits, tiles;
    int kept_ndim, reduced_ndim;
    int lanes;  // threads along the reduced extent (rows, general), or along the columns
    int down;   // columns variant: threads along the reduced extent
    int in_dtype, out_dtype;
    uint32_t flags;
    double divisor;  // of the mean; the variance subtracts `correction` from its count
    double correction;
    double initial[2];
    int64_t initial_integer;
    ReduceDim dims[REDUCE_MAX_DIMS];

    // Runs variant: a row consists of bundles along the first kept dimension. A bundle has `run` times
    // `beside` elements, of which every `beside`-th folds into the same result.
    int64_t width;            // elements of a row
    uint32_t strip, per_row;  // elements of a row per tile, and tiles per row
    uint32_t run, beside;
    uint32_t bundles, results;  // per tile
    uint32_t batch;             // rows read at once
    int64_t beside_stride;      // of the output
    ReduceDim vectors;          // 16-byte vectors in a strip, or with REDUCE_WHOLE in a run
};

}  // namespace gpunp
