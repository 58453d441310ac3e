// Parameters of the kernels that merge two arrays of compressed rows, shared with Cython.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

enum : int {
    MERGES_BLOCK = 256,  // threads
    MERGES_EACH = 8,     // entries of a thread
    MERGES_TILE = MERGES_BLOCK * MERGES_EACH,
};

// Two arrays with sorted rows without duplicates. The entries of both are put in one line: row after row, by
// column, and of one place that of the first array before that of the second. Tiles are pieces of this line.
struct MergeParams {
    const void *a_indptr, *a_indices, *a_data;
    const void *b_indptr, *b_indices, *b_data;
    int64_t rows, a_entries, b_entries, tiles;
    int64_t* tile_row;    // tiles + 1: the row in which a tile starts
    int64_t* tile_first;  // tiles + 1: the entries of the first array before it
    int64_t* counts;      // tiles: the entries of the result; or those up to the end of the tile

    void* indptr;    // rows + 1 zeros; written where a row that is not empty ends
    void* indices;   // of the result
    void* first;     // the values of the first array, or the results of an operation
    void* second;    // those of the second array, or null
    int32_t* zeros;  // set if the operation gives a 0
};

}  // namespace gpunp
