// Parameters of the kernels of incomplete factors, shared with Cython.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

enum : int {
    FACTORS_BLOCK = 256,  // threads
};

// A square matrix in sorted rows that have an entry on the diagonal.
struct FactorsParams {
    int64_t n;
    const void *indptr, *indices;
    void* data;
    const int64_t* diagonal;  // by row: where its entry on the diagonal is
    const void* b;
    void* x;
    uint32_t* ready;  // n + 2 zeros: by row, whether it is finished; then the number of rows that are taken
    int64_t* bad;     // the first row whose pivot is 0, or not positive
    int32_t upper;    // whether the entries after the diagonal are meant, rather than those before
    int32_t unit;     // whether ones take the place of the diagonal
};

}  // namespace gpunp
