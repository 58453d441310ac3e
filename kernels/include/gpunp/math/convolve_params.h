// Parameters of the convolution kernels, shared with Cython.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

// Threads and outputs per block, and taps in shared memory at a time.
enum : int { CONVOLVE_BLOCK = 128, CONVOLVE_TILE = 1024, CONVOLVE_TAPS = 128 };

struct ConvolveParams {
    const char* x;
    const char* w;
    char* out;       // contiguous
    char* partials;  // sums over parts of the taps, in the accumulator's type; null if there is one part
    int64_t length;  // of x
    int64_t taps;    // of w
    int64_t outputs;
    int64_t start;  // index of the first output in the full convolution
    int64_t x_stride, w_stride, out_item;
    int64_t split_taps;  // taps per part
    int32_t x_dtype, w_dtype, out_dtype;
    int32_t conjugate_x, conjugate_w;
};

}  // namespace gpunp
