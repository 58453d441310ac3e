// Parameters of the kernels of matrices with constant diagonals or antidiagonals, shared with Cython.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

enum : int {
    WINDOWS_BLOCK = 256,  // threads
    WINDOWS_ITEMS = 4,    // elements of a thread, side by side in a row
    WINDOWS_ROWS = 8,     // of a block
};

// Element (i, j) is value j + step * i of two vectors: below `split` of the first one, else of the second.
struct WindowsParams {
    const void* first;
    const void* second;
    void* out;  // (batch, rows, columns)
    int64_t batch, rows, columns;
    int64_t step, split;
    // Elements from value to value, and from vector to vector of a batch; the addresses are those of value 0.
    int64_t first_step, second_step, first_batch, second_batch;
};

}  // namespace gpunp
