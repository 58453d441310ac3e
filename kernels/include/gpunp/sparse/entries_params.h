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

// Two arrays with sorted rows without duplicates. An entry of one array that the other has, too, is a match.
struct MergeParams {
    const void *a_indptr, *a_indices, *a_data;
    const void *b_indptr, *b_indices, *b_data;
    int64_t rows, a_entries, b_entries;
    uint8_t* found;      // by entry of the first array: whether it is a match
    const void* before;  // by entry of the first array: matches before it, and all of them at the end

    void* indices;   // of the result
    void* first;     // the values of the first array, or the results of an operation
    void* second;    // those of the second array, or null
    int32_t* zeros;  // set if the operation gives a 0
};

}  // namespace gpunp
