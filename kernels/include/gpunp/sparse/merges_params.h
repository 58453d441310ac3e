// Parameters of the kernels that merge two arrays of compressed rows, shared with Cython.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

enum : int {
    MERGES_BLOCK = 128,  // threads
    MERGES_EACH = 15,    // entries of a thread; odd, so that threads look at different banks of shared memory
    MERGES_TILE = MERGES_BLOCK * MERGES_EACH,
    // Bits of columns in keys of 32 and of 64 bits.
    MERGES_NARROW = 20,
    MERGES_WIDE = 51,
};

// Two arrays with sorted rows without duplicates. The entries of both are put in one line: row after row, by
// column, and of one place that of the first array before that of the second. Tiles are pieces of this line.
struct MergeParams {
    const void *a_indptr, *a_indices, *a_data;
    const void *b_indptr, *b_indices, *b_data;
    int64_t rows, a_entries, b_entries, tiles;
    int64_t* tile_row;    // tiles + 1: the row in which a tile starts
    int64_t* tile_first;  // tiles + 1: the entries of the first array before it
    // Of a thread's entries: how many of the result come before them in the tile, times 2^16, and a bit for
    // each of them that is in the result. Only of tiles whose rows are left to `write_starts`.
    uint32_t* pieces;
    // tiles zeros. For each tile, times 4: how many entries of the result it has, plus 1, or those up to its
    // end, plus 2.
    uint64_t* states;
    // Four zeros: the number of entries of the result, whether the operation gave a 0, whether a value is
    // not finite, and whether rows are left to `write_starts`.
    int64_t* found;

    void* indptr;   // rows + 1
    void* indices;  // of the result, as many as there may be
    void* first;    // the values of the first array, or the results of an operation
    void* second;   // those of the second array, or null
};

}  // namespace gpunp
