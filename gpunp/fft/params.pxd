"""What the kernels of Fourier transforms along columns and rows take, and the shapes of their launches."""
from libc.stdint cimport int32_t, int64_t


cdef extern from "gpunp/fft/params.h" namespace "gpunp" nogil:
    enum:
        FFT_LEAST_COLUMNS, FFT_LEAST_HALF, FFT_LEAST_ROW, FFT_LEAST_REAL, FFT_MOST
    cdef struct FftParams:
        const char* source
        char* target
        int64_t columns, tiles, tiles_a_batch
        int64_t in_row, in_column, in_tile, in_batch, out_row, out_column, out_tile, out_batch, whole
        double factor
        int32_t inverse, paired
    cdef struct FftShape:
        int log_width, threads, blocks
        bint ahead
    FftShape fft_columns_shape(int log_n)
    FftShape fft_rows_shape(int log_n)
    FftShape fft_real_rows_shape(int log_n)
    int fft_shared_bytes(int log_n, int log_width, int item, bint ahead, bint rows)
