// Parameters of the kernel for binary erosion and dilation; filled in gpunp_scipy/ndimage/binary_steps.pyx.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

enum : int { BINARY_BLOCK = 256, BINARY_AXES = 64 };

// A pixel gets the value `sought` if a pixel at one of the offsets has it, and otherwise the other value:
// erosion seeks 0, dilation 1.
struct BinaryParams {
    const uint8_t* image;  // contiguous, as all others; nonzero is 1
    uint8_t* out;          // 0 or 1
    const uint8_t* mask;   // or null; where it is zero, pixels keep their value
    const int64_t* flat;   // by offset: distance in memory
    const int32_t* steps;  // by offset and axis
    uint32_t* changed;     // or null; set if a pixel changes
    int64_t size;
    int64_t reach;  // what the greatest distance and eight pixels take, rounded up to words of four bytes
    int32_t count;  // offsets
    int32_t ndim;
    int32_t sought;
    int32_t border;  // value of pixels outside of the image
    int32_t center;  // whether one of the offsets is zero
    int64_t shape[BINARY_AXES];
    int32_t low[BINARY_AXES];   // least step along each axis
    int32_t high[BINARY_AXES];  // greatest step
};

}  // namespace gpunp
