// Parameters of the kernels of a scatter by bins of targets; filled by gpunp/indexing/bins.pyx.
#pragma once
#include "gpunp/indexing/gather_params.h"

namespace gpunp {

constexpr int BIN_TARGETS = 28672;  // per bin: 8 bytes each fit in a block's shared memory
constexpr int MOST_BINS = 12288;
constexpr int BIN_BLOCK = 512;          // threads that sort positions by bin
constexpr int BIN_EACH = 16;            // positions per thread
constexpr int BIN_SETTLE_BLOCK = 1024;  // threads that settle a bin

struct ScatterBinsParams {
    GatherParams move;  // one index array of one dimension, with INDEX_RAISE
    int64_t tiles;
    int32_t bins;
    int32_t item_bytes;
    uint32_t* starts;   // start of each bin's records, and the end of the last
    uint32_t* cursors;  // the counts of the bins, then the place of each bin's next record
    // An IndexSpread. PLACES_APART: bins are needed. PLACES_NEAR: the indices are taken to be ascending until
    // one is less than the one before it. PLACES_FEW: most targets fit in the L2 cache, where the last
    // positions claim them.
    uint32_t* spread;
    int32_t takes_few;  // zero: PLACES_FEW uses bins, too
    uint16_t* targets;  // targets of the records, counted from the first of the bin
    void* keys;         // position plus one of each record; 64 bits with the value in the low half
};

}  // namespace gpunp
