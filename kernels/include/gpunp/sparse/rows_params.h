// Parameters of the kernels that multiply compressed rows with dense arrays, shared with Cython.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

enum : int {
    ROWS_BLOCK = 256,         // threads
    ROWS_TILE = 2048,         // steps of a block's share for one vector; half as many of complex doubles
    ROWS_WARP_TILE = 128,     // steps of a warp's share for 32 columns; more for fewer columns
    ROWS_WIDE_ITEMSIZE = 16,  // of complex doubles
};

// A group of `lanes` threads, a power of two up to 32, has a row. For one vector, they share the entries of
// the row; for more, each thread has every lanes-th column of the result.
//
// Of large arrays, all blocks or warps get shares of the same size: `tile` steps, of which each takes an
// entry or ends a row. What a share leaves of its last row, which is not finished, is added to the result
// afterwards.
struct RowsParams {
    const void* indptr;   // rows + 1
    const void* indices;  // the columns of the entries
    const void* data;     // their values
    const void* x;        // (columns, vectors)
    void* y;              // (rows, vectors)
    int64_t rows, columns, entries, vectors;
    int32_t lanes;
    int32_t add;  // whether the product is added to y, which otherwise has no values yet

    int64_t tile, tiles;
    int64_t* open_row;  // by tile: the row that it does not finish
    void* open_sum;     // (tiles, vectors): the sums of that row's entries
};

}  // namespace gpunp
