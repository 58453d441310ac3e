// What an elementwise kernel is told; filled by gpunp/ufunc/engine.pyx.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

constexpr int MAX_DIMS = 8;      // of one launch, after coalescing; the engine loops over what is more
constexpr int MAX_INPUTS = 3;    // clip, select
constexpr int MAX_OPERANDS = 5;  // inputs, then outputs

// How an operand moves along the last dimension.
enum Role : unsigned char {
    STRIDED,    // any stride, any dtype: element by element
    ALIGNED,    // unit stride, whole vectors are aligned
    UNALIGNED,  // unit stride, any dtype: element by element
    SPREAD,     // stride 0: one element serves the row
    SCALAR,     // the value itself is in the params
    ACROSS      // tiled kernels: unit stride along the last dimension but one
};

struct ElementwiseParams {
    int64_t size;  // elements of the broadcast result
    int32_t ndim;
    int32_t vector_ok;  // tiled kernels: whole vectors are aligned in every operand
    uint32_t* status;
    char* data[MAX_OPERANDS];
    const char* mask;  // bool, or null
    int64_t shape[MAX_DIMS];
    int64_t strides[MAX_OPERANDS + 1][MAX_DIMS];  // bytes; the last row is the mask's
    unsigned char dtype[MAX_OPERANDS];
    unsigned char role[MAX_OPERANDS];
    alignas(16) unsigned char scalar[MAX_INPUTS][16];
};

}  // namespace gpunp
