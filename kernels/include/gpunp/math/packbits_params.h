// Parameters of the packbits and unpackbits kernels, shared with Cython.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

struct PackParams {
    const char* input;  // contiguous, as is the output
    char* output;
    int64_t size;    // work items: packed bytes, or unpacked elements (packed bytes if wide)
    int64_t length;  // of the axis in the input
    int64_t inner;   // elements of the axes after it
    int64_t count;   // of the axis in the output of unpackbits
    int32_t item;    // bytes per element to pack
    int32_t little;
    int32_t wide;
};

}  // namespace gpunp
