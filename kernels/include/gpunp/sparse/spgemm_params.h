// Parameters of the kernels that multiply two arrays of compressed rows, shared with Cython.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

enum : int {
    SPGEMM_BLOCK = 256,   // threads
    SPGEMM_SLOTS = 2048,  // products of entries that a block sorts; half as many complex doubles
    SPGEMM_LEAST = 32,    // slots of a row
    SPGEMM_SHIFT = 11,    // bits of the number of a product within its row
};

// A block multiplies rows of about the same number of products: each gets `slots` of its memory, a power of
// two. It sorts the products by column, and adds up those of a column in the order in which SciPy adds them.
struct SpgemmParams {
    const void *a_indptr, *a_indices, *a_data;
    const void *b_indptr, *b_indices, *b_data;
    const int64_t* before;  // by entry of the first array: products before it, and all of them at the end
    const int64_t* rows;    // those that are multiplied
    int64_t count;          // of them
    int64_t slots;

    int64_t* lengths;       // by row: entries of the result; written if `indices` is null
    const int64_t* indptr;  // of the result
    void* indices;
    void* data;
    int32_t* zeros;  // set if the result has an entry that is 0
};

}  // namespace gpunp
