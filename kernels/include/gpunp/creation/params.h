// Parameters of the kernels for ranges and triangles, shared with Cython.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

struct RangeParams {
    void* out;  // contiguous
    int64_t size;
    alignas(16) unsigned char start[16];  // of the output's dtype
    alignas(16) unsigned char delta[16];
};

struct TriangleParams {
    const char* source;  // C-contiguous, as is the result; on the device both are aligned to 16 bytes
    char* out;
    int64_t size;  // elements of all matrices
    int64_t rows;  // of one matrix
    int64_t columns;
    int64_t diagonal;  // column - row of the diagonal
    int32_t lower;     // nonzero: elements up to the diagonal are kept, otherwise those from it on
};

// Threads per block, and 16-byte vectors per thread.
constexpr int TRIANGLE_BLOCK = 256;
constexpr int TRIANGLE_EACH = 4;

}  // namespace gpunp
