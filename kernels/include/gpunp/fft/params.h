// Parameters of the kernels of Fourier transforms, and their shared memory; Cython reads this header too.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

// Transforms of one length, a few per tile. Distances are in elements.
struct FftParams {
    const char* source;
    char* target;
    int64_t columns;        // adjacent transforms per batch
    int64_t tiles;          // of all batches
    int64_t tiles_a_batch;  // `columns` over the width of a tile, rounded up
    int64_t in_row, in_column, in_tile, in_batch;
    int64_t out_row, out_column, out_tile, out_batch;
    int64_t whole;  // the length of a long transform, for its first half; the rows of a real one
    double factor;  // multiplies the result
    int32_t inverse;
    int32_t paired;  // nonzero: two neighboring elements may be read at once
};

// Exponents of the least lengths with kernels: down columns, for the halves of long transforms, along rows
// and along real rows; then that of the greatest length. codegen/fft.py reads them.
enum : int {
    FFT_LEAST_COLUMNS = 9,
    FFT_LEAST_HALF = 10,
    FFT_LEAST_ROW = 8,
    FFT_LEAST_REAL = 10,
    FFT_MOST = 12
};

// The base-2 logarithm of the radix of a step of a transform of 2^log_n elements.
GPUNP_HD constexpr int fft_log_radix(int log_n, int step) {
    // One row for each length from 2^FFT_LEAST_ROW on. codegen/fft.py reads them.
    constexpr int LOG_RADICES[][3] = {{4, 4, 0}, {3, 3, 3}, {4, 3, 3}, {4, 4, 3}, {4, 4, 4}};
    return LOG_RADICES[log_n - FFT_LEAST_ROW][step];
}

// The base-2 logarithm of the length that is left to transform before a step.
GPUNP_HD constexpr int fft_log_length(int log_n, int step) {
    int left = log_n;
    for (int s = 0; s < step; s++) left -= fft_log_radix(log_n, s);
    return left;
}

GPUNP_HD constexpr int fft_last_step(int log_n) {
    int step = 0;
    while (fft_log_length(log_n, step + 1) > 0) step++;
    return step;
}

// The number of roots of unity by which the steps before `step` multiply.
GPUNP_HD constexpr int fft_count_roots(int log_n, int step) {
    int count = 0;
    for (int s = 0; s < step; s++)
        count += ((1 << fft_log_radix(log_n, s)) - 1) << fft_log_length(log_n, s + 1);
    return count;
}

// Slots of a transform in the exchange. Transforms along rows are padded by one slot after every 32, so that
// no two lanes access the same bank.
GPUNP_HD constexpr int fft_slots(int log_n, bool rows) {
    return (1 << log_n) + (rows ? (1 << log_n) / 32 : 0);
}

// Bytes of shared memory; an element has 2 * item bytes. It holds the exchange of one component, the roots
// between the halves of a long transform and, if tiles are read ahead, the tile and the roots of the steps.
GPUNP_HD constexpr int fft_shared_bytes(int log_n, int log_width, int item, bool ahead, bool rows) {
    return (fft_slots(log_n, rows) * item << log_width) +
           (rows ? 0 : 2 * item << log_width << fft_log_radix(log_n, fft_last_step(log_n))) +
           (ahead ? 2 * item * ((1 << log_width << log_n) + fft_count_roots(log_n, fft_last_step(log_n)))
                  : 0);
}

// The kernels of a length: base-2 logarithm of the transforms per tile, threads per block, blocks per
// multiprocessor, and whether tiles are read ahead.
struct FftShape {
    int log_width, threads, blocks;
    bool ahead;
};

GPUNP_HD constexpr FftShape fft_columns_shape(int log_n) {
    return log_n == 12   ? FftShape{2, 512, 1, true}
           : log_n == 11 ? FftShape{3, 512, 1, true}
           : log_n == 10 ? FftShape{3, 512, 2, false}
                         : FftShape{3, 256, 3, false};
}

GPUNP_HD constexpr FftShape fft_rows_shape(int log_n) {
    return log_n == 9                   ? FftShape{1, 64, 8, false}
           : log_n == 10 || log_n == 11 ? FftShape{11 - log_n, 128, 6, false}
                                        : FftShape{12 - log_n, 256, 3, false};
}

GPUNP_HD constexpr FftShape fft_real_rows_shape(int log_n) {
    return {12 - log_n, 256, 4, false};
}

}  // namespace gpunp
