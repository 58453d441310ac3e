// Parameters of the kernels of polyphase filters, shared with Cython.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

enum : int {
    POLYPHASE_BLOCK = 256,  // threads
    POLYPHASE_EACH = 4,     // outputs per thread, all of the same phase of the filter
};

// y[k] = sum of h[k * down + offset * up - i * up] * x[i] over the i for which both exist.
struct PolyphaseParams {
    const char* x;
    const char* h;  // contiguous
    char* y;
    int64_t taps, up, down, offset;
    int64_t length, outputs;           // of a row
    int64_t width;                     // threads of a group of outputs: a multiple of up
    int64_t groups;                    // of width * POLYPHASE_EACH outputs
    int64_t outer, inner;              // rows
    int64_t x_outer, x_inner, x_item;  // strides in elements
    int64_t y_outer, y_inner, y_item;
};

}  // namespace gpunp
