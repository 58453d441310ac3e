// Parameters of users' reduction kernels: which elements fold into which result, and how the work is split.
//
// A parameter struct is a sequence of 8-byte words in the order of ReductionParams, which the host packs.
#pragma once
#include "gpunp/config.h"

namespace gpunp {
namespace custom {

// Threads of a block, and most threads that share a result.
constexpr int REDUCTION_BLOCK = 256;
// Capacities of the array of dimensions: a kernel is compiled for the least that suffices.
constexpr int REDUCTION_FEW_DIMS = 4;
constexpr int REDUCTION_SOME_DIMS = 12;
constexpr int REDUCTION_MOST_DIMS = 64;
// The variants, by the memory order of the inputs: the innermost reduced dimension is contiguous, the
// innermost kept one is, or neither.
constexpr int REDUCTION_ROWS = 0;
constexpr int REDUCTION_COLUMNS = 1;
constexpr int REDUCTION_GENERAL = 2;

enum ReductionFlag : uint32_t {
    REDUCTION_ALIGNED = 1,        // columns variant: every vector of columns is aligned to its size
    REDUCTION_LANES_FASTEST = 2,  // general variant: neighboring threads share one result
    REDUCTION_VECTORS = 4,        // columns variant: results are contiguous and aligned as vectors
};

// Elements of each input that a thread reads at once along contiguous dimensions: 16 bytes of the smallest
// ones, at most 64 of the largest.
GPUNP_HD constexpr int reduction_neighbors(int least, int largest) {
    return 16 / least < 64 / largest ? 16 / least : 64 / largest;
}

// How the work is split; the fields are those of gpunp's own reductions.
struct ReductionWork {
    void* partials;      // outputs x splits partial results; null: one split
    uint32_t* counters;  // one per tile, zero between launches
    int64_t outputs, reduced;
    int64_t chunk;      // elements of the innermost reduced dimension in one unit of work (rows)
    int64_t units;      // chunks of the whole reduced extent (rows)
    int64_t per_split;  // units (rows) or elements (columns, general) of one split
    int64_t first;      // the C-order index of the element at the inputs' addresses
    int64_t first_out;  // the same of the outputs
    uint32_t splits, tiles;
    int32_t kept_ndim, reduced_ndim;
    int32_t lanes;  // threads along the reduced extent (rows, general), or along the columns
    int32_t down;   // threads along the reduced extent (columns)
    uint32_t flags, unused;
};

// A dimension: its extent, and the steps by which addresses (in bytes) and C-order indices change along it.
template <int INPUTS, int OUTPUTS>
struct ReductionDim {
    int64_t extent;
    uint32_t magic, shift;  // divide an index below 2^31 by `extent`
    int64_t index, index_out;
    int64_t in[INPUTS ? INPUTS : 1];
    int64_t out[OUTPUTS ? OUTPUTS : 1];
};

// Dimensions run from the innermost outwards: first the kept ones, then the reduced ones. `given` has the
// arguments that kernels get whole: numbers and raw arrays.
template <int INPUTS, int OUTPUTS, int DIMS, int GIVEN>
struct ReductionParams {
    ReductionWork work;
    const char* in[INPUTS ? INPUTS : 1];
    char* out[OUTPUTS ? OUTPUTS : 1];
    ReductionDim<INPUTS, OUTPUTS> dims[DIMS];
    int64_t given[GIVEN ? GIVEN : 1];
};

}  // namespace custom
}  // namespace gpunp
