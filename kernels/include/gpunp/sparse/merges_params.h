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
    // Of a thread's entries: how many of the result come before them in the tile, times 256, and a bit for
    // each of them that is in the result.
    uint32_t* pieces;
    // tiles + 1 zeros. For each tile, times 4: how many entries of the result it has, plus 1, or those up to
    // its end, plus 2. The last one counts the tiles that have been taken.
    uint64_t* states;
    int64_t* found;  // two zeros: the number of entries of the result, and whether the operation gave a 0

    void* indptr;   // rows + 1
    void* indices;  // of the result, as many as there may be
    void* first;    // the values of the first array, or the results of an operation
    void* second;   // those of the second array, or null
};

}  // namespace gpunp
