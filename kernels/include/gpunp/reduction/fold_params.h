// Parameters of the kernels behind ufunc methods, filled by reduction/fold.pyx and ufunc/methods/scatter.pyx.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

constexpr int FOLD_DIMS = 8;      // outer dimensions of one launch, after coalescing
constexpr int SCATTER_DIMS = 12;  // dimensions of the indexing result in ufunc.at, and index arrays in it
constexpr int FOLD_BLOCK = 256;

// One result (or, with emit_all, one run of results) for each segment of each lane.
struct FoldParams {
    const char* input;
    char* output;
    const char* mask;       // bool, or null
    const int64_t* starts;  // reduceat's indices; null for segments of equal length
    uint32_t* status;
    int64_t length;  // elements along the axis
    int64_t segments, chunk;
    int64_t lanes;
    // Strides along the axis in bytes; out_stride is between segments, or between results with emit_all.
    int64_t in_stride, out_stride, mask_stride;
    int64_t shape[FOLD_DIMS];  // of the lanes
    int64_t in_strides[FOLD_DIMS], out_strides[FOLD_DIMS], mask_strides[FOLD_DIMS];
    int32_t ndim;
    int32_t op;
    int32_t in_dtype, out_dtype;
    int32_t loop_dtype;   // of NumPy's loop; halves and narrow integers compute in a wider type
    int32_t round_steps;  // the result of every step is rounded to loop_dtype
    int32_t emit_all;
    int32_t cooperative;  // one warp per segment, for functions whose operands may be reordered
    int32_t has_initial;
    alignas(16) unsigned char initial[16];  // in the unit's compute type
};

// a[targets[i]] = op(a[targets[i]], values[i]) in the order of i.
struct ScatterParams {
    char* data;          // C-contiguous
    const char* values;  // element i of the indexing result, value_stride bytes apart
    uint32_t* status;
    const uint32_t* refused;  // nonzero: an index was out of bounds, and nothing is written
    const int64_t* targets;   // device: sorted; host: in order of i
    const int64_t* order;     // device: the i of each sorted target
    int64_t count, value_stride, data_size;
    int32_t op;
    int32_t data_dtype, value_dtype, loop_dtype;
    int32_t round_steps;
};

// The positions of the elements of a[index] in a.
struct TargetParams {
    int64_t* targets;
    uint32_t* refused;
    uint32_t* status;
    int64_t count, base;
    int64_t shape[SCATTER_DIMS];    // of the indexing result
    int64_t strides[SCATTER_DIMS];  // in elements of a, for the dimensions from slices
    const char* index[SCATTER_DIMS];
    int64_t index_strides[SCATTER_DIMS][SCATTER_DIMS];  // bytes
    int64_t extent[SCATTER_DIMS], multiplier[SCATTER_DIMS];
    int32_t index_dtype[SCATTER_DIMS];
    int32_t ndim, indices;
};

constexpr int TARGET_SORT_BLOCK = 256, TARGET_SORT_ITEMS = 4096, TARGET_SORT_DIGITS = 256;

// One pass of a stable radix sort of (target, i) by 8 bits of the target. It is not the sort of sorting/: the
// size of the array tells the host the number of passes, so nothing is counted in advance, and blocks write
// nothing if an index was out of bounds.
struct TargetSortParams {
    const uint32_t* refused;
    const int64_t* keys_in;
    const int64_t* order_in;  // null in the first pass: the identity
    int64_t* keys_out;
    int64_t* order_out;
    int64_t* counts;  // [digit][block]; the scatter gets their inclusive prefix sums
    int64_t count, blocks;
    int32_t shift;
};

}  // namespace gpunp
