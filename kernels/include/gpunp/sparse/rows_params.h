// Parameters of the kernels that multiply compressed rows with dense arrays, shared with Cython.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

enum : int {
    ROWS_BLOCK = 256,  // threads
};

// A group of `lanes` threads, a power of two up to 32, has a row. For one vector, they share the entries of
// the row; for more, each thread has every lanes-th column of the result.
struct RowsParams {
    const void* indptr;   // rows + 1
    const void* indices;  // the columns of the entries
    const void* data;     // their values
    const void* x;        // (columns, vectors)
    void* y;              // (rows, vectors), to which the product is added
    int64_t rows, columns, entries, vectors;
    int32_t lanes;
};

}  // namespace gpunp
