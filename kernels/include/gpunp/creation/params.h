// What the kernels that fill ranges and make triangles are told; read by Cython too.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

struct RangeParams {
    void* out;  // contiguous
    int64_t size;
    alignas(16) unsigned char start[16];  // in the output's dtype
    alignas(16) unsigned char delta[16];
};

struct TriangleParams {
    const char* source;  // C-contiguous, as is the result; both at multiples of 16 bytes on the device
    char* out;
    int64_t size;  // elements, of all matrices
    int64_t rows;  // of one matrix
    int64_t columns;
    int64_t diagonal;  // column less row
    int32_t lower;
};

// Threads of a block, and vectors of 16 bytes that each copies.
constexpr int TRIANGLE_BLOCK = 256;
constexpr int TRIANGLE_EACH = 4;

}  // namespace gpunp
