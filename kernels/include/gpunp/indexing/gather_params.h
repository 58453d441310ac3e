// Parameters of the kernels that move elements by index arrays; filled by gpunp/indexing/gather.pyx.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

constexpr int GATHER_DIMS = 8;     // per launch, after coalescing; the engine loops over further dimensions
constexpr int GATHER_INDICES = 8;  // index arrays per launch
constexpr int GATHER_BLOCK = 256;
constexpr int GATHER_EACH = 8;     // elements per thread with one index array of one dimension
constexpr int PROBE_BLOCK = 1024;  // threads of the kernels that sample the indices

// How sampled indices are distributed over the indexed array: far apart, near their neighbors, or most within
// as many bytes as the L2 cache holds.
enum IndexSpread : uint32_t { PLACES_APART, PLACES_NEAR, PLACES_FEW };

// What happens to an index that is out of bounds.
enum IndexMode : int { INDEX_RAISE, INDEX_WRAP, INDEX_CLIP };

// The first index out of bounds that the host finds, for the error message.
struct IndexReport {
    int64_t value;
    int32_t which;  // number of the index array
};

// Element i of the result has the coordinates `at` in `shape`. Its byte offset in the indexed array is sum(at
// * indexed_strides) + sum(index[k][at] * multiplier[k]), in the dense array sum(at * dense_strides).
struct GatherParams {
    int64_t size;
    int32_t ndim;
    int32_t indices;
    int32_t mode;
    int32_t small;  // nonzero: coordinates fit in 32 bits
    char* indexed;
    char* dense;           // null in a scatter: the value is `scalar`
    int64_t dense_period;  // nonzero in a scatter: values of one dimension repeat with this period
    int64_t shape[GATHER_DIMS];
    int64_t indexed_strides[GATHER_DIMS];
    int64_t dense_strides[GATHER_DIMS];
    const char* index[GATHER_INDICES];
    int64_t index_strides[GATHER_INDICES][GATHER_DIMS];
    int64_t extent[GATHER_INDICES];
    int64_t multiplier[GATHER_INDICES];
    int32_t index_bytes[GATHER_INDICES];  // 4 or 8, signed

    // If the one index array has flat indices into an array without a uniform stride: that array's shape and
    // strides.
    int32_t flat_ndim;
    int64_t flat_shape[GATHER_DIMS];
    int64_t flat_strides[GATHER_DIMS];

    // Each target's last position plus one, if indices may repeat; null if the order does not matter.
    char* claims;
    uint64_t* claim_keys;  // hash table of targets plus one, open addressing; null: targets number claims
    uint64_t claim_mask;
    int32_t claim_wide;  // nonzero: positions have 64 bits
    // An element has the position first_position + sum(at * position_strides), and the target
    // sum(index[k][at] * claim_multiplier[k]) + sum(at * target_strides).
    int64_t first_position;
    int64_t claim_multiplier[GATHER_INDICES];
    int64_t position_strides[GATHER_DIMS];
    int64_t target_strides[GATHER_DIMS];

    // For one index array of one dimension: nonzero if there are many more positions than targets.
    int32_t crowded;
    // Bytes of randomly accessed data that the L2 cache holds; for the kernels that sample the indices.
    int64_t held_bytes;

    uint32_t* status;
    IndexReport* report;
    alignas(16) unsigned char scalar[16];
};

}  // namespace gpunp
