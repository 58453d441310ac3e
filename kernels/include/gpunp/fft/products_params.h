// Parameters of the kernels of convolution by Fourier transforms; Cython reads this header too.
#pragma once
#include "gpunp/fft/params.h"

namespace gpunp {

enum : int { FFT_PAIRS_BLOCK = 256 };  // threads, each with a column

// Transforms columns, multiplies them by others, and transforms them back.
struct FftProductsParams {
    FftParams columns;  // their results begin `skipped` rows below the target's first
    const char* other;  // 2^log_n rows of complex elements
    int64_t other_row;  // elements from one row to the next
    int64_t skipped;    // rows that are not stored, at the top
};

// Between a real image and complex rows: their real parts are those of its upper half and their imaginary
// parts those of its lower half.
struct FftPairsParams {
    char* image;  // (rows, columns), contiguous
    char* pairs;  // (pair_rows, width), contiguous
    int64_t rows, columns, pair_rows, width;
    int64_t above;  // rows of zeros above both halves; then the first row of the image's lower half
    int64_t half;
};

}  // namespace gpunp
