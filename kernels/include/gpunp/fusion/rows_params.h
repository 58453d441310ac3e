// Parameters of kernels that keep rows in shared memory: see rows.h.
#pragma once
#include "gpunp/config.h"

namespace gpunp {
namespace fusion {

// Threads of a block, as of the reductions whose order is kept.
constexpr int ROWS_BLOCK = 256;
constexpr int ROWS_MEMORY = 16;  // arrays that are read or written
constexpr int ROWS_HELD = 8;     // arrays of a tile in shared memory
constexpr int ROWS_FOLDS = 8;
constexpr int ROWS_CONSTANTS = 32;
// Bytes of shared memory for a value of a row.
constexpr int ROWS_VALUE = 16;

// What a reduction needs of its ReduceParams, and the threads that share a row.
struct RowFold {
    double divisor, correction;
    double initial[2];
    int64_t initial_integer;
    uint32_t flags;
    int32_t out_dtype, lanes, unused;
};

struct RowsParams {
    int64_t rows;
    int32_t length;   // elements of a row
    int32_t tile;     // rows of a block
    int32_t chunks;   // vectors of a row
    int32_t across;   // neighboring threads that share a row in elementwise passes: a power of two
    uint32_t nbytes;  // of shared memory
    int32_t ahead;    // how many rows ahead a block prefetches
    // In shared memory, from its start in bytes: the first row of each array, and the distance of its rows.
    uint32_t held[ROWS_HELD], pitch[ROWS_HELD];
    char* memory[ROWS_MEMORY];  // leaves, then stores
    float single;               // the negative zeros of group.h
    double wide;
    RowFold fold[ROWS_FOLDS];
    uint64_t constant[ROWS_CONSTANTS][2];
};

}  // namespace fusion
}  // namespace gpunp
