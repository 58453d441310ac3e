// What the kernels of a scatter by bins of targets are told; filled by gpunp/indexing/bins.pyx.
#pragma once
#include "gpunp/indexing/gather_params.h"

namespace gpunp {

constexpr int BIN_TARGETS = 28672;  // of one bin: 8 bytes each fit a block's shared memory
constexpr int MOST_BINS = 12288;
constexpr int BIN_BLOCK = 512;          // threads that sort positions by bin
constexpr int BIN_EACH = 16;            // positions of each
constexpr int BIN_SETTLE_BLOCK = 1024;  // threads that settle a bin

struct ScatterBinsParams {
    GatherParams move;  // one index array of one dimension, which raises
    int64_t tiles;
    int32_t bins;
    int32_t item_bytes;
    uint32_t* starts;   // of each bin's records, and the end of the last
    uint32_t* cursors;  // the counts of the bins; then where the next record goes
    // PLACES_APART where bins are needed; PLACES_NEAR where no index seems to be less than the one before it.
    // Of PLACES_FEW most targets are in the L2 cache, where the last positions claim them.
    uint32_t* spread;
    int32_t takes_few;  // else bins are filled all the same
    uint16_t* targets;  // of the records, within their bin
    void* keys;         // the position, plus one, of each record; with values in the low half: 64 bits
};

}  // namespace gpunp
