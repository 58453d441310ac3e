// What the kernels that move elements by index arrays are told; filled by gpunp/indexing/gather.pyx.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

constexpr int GATHER_DIMS = 8;     // of one launch, after coalescing; the engine loops over what is more
constexpr int GATHER_INDICES = 8;  // index arrays of one launch
constexpr int GATHER_BLOCK = 256;
constexpr int GATHER_EACH = 8;     // elements of one thread where one index array has one dimension
constexpr int PROBE_BLOCK = 1024;  // threads that look at a sample of the indices first

// How a sample of the indices lies in the indexed array: at places apart, near those of their neighbours, or
// nearly all in so few bytes that the L2 cache holds them.
enum IndexSpread : uint32_t { PLACES_APART, PLACES_NEAR, PLACES_FEW };

// What happens to an index that is out of bounds.
enum IndexMode : int { INDEX_RAISE, INDEX_WRAP, INDEX_CLIP };

// The host's first index out of bounds, for the message.
struct IndexReport {
    int64_t value;
    int32_t which;  // of the index arrays
};

// Element i of the result lies at `at`, its coordinates in `shape`. In the indexed array that is byte
// sum(at * indexed_strides) + sum(index[k][at] * multiplier[k]); in the dense one sum(at * dense_strides).
struct GatherParams {
    int64_t size;
    int32_t ndim;
    int32_t indices;
    int32_t mode;
    int32_t small;  // coordinates fit 32 bits
    char* indexed;
    char* dense;           // null in a scatter: the value is `scalar`
    int64_t dense_period;  // not 0 in a scatter: values repeat, of one dimension
    int64_t shape[GATHER_DIMS];
    int64_t indexed_strides[GATHER_DIMS];
    int64_t dense_strides[GATHER_DIMS];
    const char* index[GATHER_INDICES];
    int64_t index_strides[GATHER_INDICES][GATHER_DIMS];
    int64_t extent[GATHER_INDICES];
    int64_t multiplier[GATHER_INDICES];
    int32_t index_bytes[GATHER_INDICES];  // 4 or 8, signed

    // The one index numbers the elements of an array that is not evenly strided: its shape and strides.
    int32_t flat_ndim;
    int64_t flat_shape[GATHER_DIMS];
    int64_t flat_strides[GATHER_DIMS];

    // Where indices may repeat: each target's last position, plus one. Null where order does not matter.
    char* claims;
    uint64_t* claim_keys;  // open addressing by target, plus one; null: claims are numbered by target
    uint64_t claim_mask;
    int32_t claim_wide;  // positions have 64 bits
    int64_t first_position;
    int64_t claim_multiplier[GATHER_INDICES];
    int64_t position_strides[GATHER_DIMS];
    int64_t target_strides[GATHER_DIMS];  // of dimensions that tell targets apart beside the indices

    // Of one index array of one dimension: there are many more positions than targets.
    int32_t crowded;
    // Bytes that the L2 cache holds of what is read at random; for the kernels that look at a sample.
    int64_t held_bytes;

    uint32_t* status;
    IndexReport* report;
    alignas(16) unsigned char scalar[16];
};

}  // namespace gpunp
