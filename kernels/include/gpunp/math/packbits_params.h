// What the kernels of packbits and unpackbits are told; read by Cython too.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

struct PackParams {
    const char* input;  // contiguous, as the output
    char* output;
    int64_t size;    // of the work: packed bytes, or unpacked elements (bytes if wide)
    int64_t length;  // of the axis in the input
    int64_t inner;   // elements behind the axis
    int64_t count;   // of the axis in the output of unpackbits
    int32_t item;    // bytes of an element to pack
    int32_t little;
    int32_t wide;
};

}  // namespace gpunp
