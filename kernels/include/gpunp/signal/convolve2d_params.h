// Parameters of the kernels that correlate images, shared with Cython.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

enum : int {
    CONVOLVE2D_WIDTH = 32,     // columns of the outputs of a block, one per lane
    CONVOLVE2D_STRIPS = 8,     // threads per column
    CONVOLVE2D_ROWS = 8,       // outputs per thread, in adjacent rows
    CONVOLVE2D_ROWS_WIDE = 4,  // the same for elements of 16 bytes
    CONVOLVE2D_TAPS = 16,      // rows and columns of weights in shared memory at a time
};

// What is outside of the image.
enum : int { CONVOLVE2D_FILL, CONVOLVE2D_WRAP, CONVOLVE2D_SYMMETRIC };

// out[i, j] = sum of w[u, v] * x[i + u - above, j + v - left], for each image of a stack.
struct Convolve2dParams {
    const char* x;
    const char* w;          // contiguous
    char* out;              // contiguous images
    int64_t rows, columns;  // of an image
    int64_t w_rows, w_columns;
    int64_t out_rows, out_columns;
    int64_t above, left;
    int64_t images;
    int64_t x_image, x_row, x_item, out_image;  // strides in elements
    int64_t boundary;
    int64_t add;     // whether to add to what is in `out`
    double fill[2];  // of the type of the elements
};

}  // namespace gpunp
