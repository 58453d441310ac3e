"""Thresholds that depend on the GPU: one record per device, whose fields gpunp/tuning.py describes."""
from libc.stdint cimport int64_t


cdef struct Tuning:
    int64_t loop_blocks, fill_blocks
    int64_t reduce_few_blocks, reduce_many_blocks, reduce_column_blocks, reduce_whole_blocks, reduce_resident_blocks
    int64_t reduce_row_threads, reduce_column_threads, reduce_whole_threads, reduce_general_threads
    int64_t reduce_short_rows, reduce_general_results
    int64_t reduce_whole_bytes, reduce_whole_moments_bytes
    int64_t convolve_blocks
    int64_t held_bytes
    int64_t window_positions, window_array_bytes, window_bytes, window_most_bytes, window_order_blocks
    int64_t cluster_positions, cluster_array_bytes, cluster_most_bytes, cluster_block_bytes
    int64_t cluster_share_1, cluster_share_2, cluster_share_4, cluster_share_8
    int64_t bins_positions, bins_array_bytes, bins_claim_bytes, bins_few_blocks
    int64_t selection_row_bytes
    int64_t extent_blocks, bucket_values, bucket_values_per_bin, guess_bytes
    int64_t fft_copies_elements, fft_passes_elements, fft_own_elements
    int64_t fft_own_columns, fft_own_lines, fft_own_scaled, fft_own_real
