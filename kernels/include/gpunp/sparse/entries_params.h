// Parameters of the kernels that go through the entries of compressed rows, shared with Cython.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

enum : int {
    ENTRIES_BLOCK = 256,   // threads
    ENTRIES_CHUNK = 1024,  // entries of a block
};

// The entries of rows, which come one after another: entry k is in the row r with indptr[r] <= k < indptr[r +
// 1].
struct EntriesParams {
    const void* indptr;  // rows + 1
    int64_t rows, entries;
    int64_t* row_of;  // by entry

    // Rows that are copied: of `chosen` from another array.
    const int64_t* chosen;
    const void *from_indptr, *from_indices, *from_data;
    void *indices, *data;
};

}  // namespace gpunp
