"""Thresholds that depend on the GPU: one record per device, whose fields gpunp/tuning.py describes."""
from libc.stdint cimport int64_t


cdef struct Tuning:
    int64_t loop_blocks, fill_blocks, transposed_copy_elements
    int64_t reduce_few_blocks, reduce_many_blocks, reduce_column_blocks, reduce_whole_blocks, reduce_resident_blocks
    int64_t reduce_row_threads, reduce_column_threads, reduce_whole_threads, reduce_general_threads
    int64_t reduce_short_rows, reduce_general_results
    int64_t reduce_whole_bytes, reduce_whole_moments_bytes
    int64_t scan_lanes
    int64_t convolve_few_blocks, convolve_blocks
    int64_t held_bytes
    int64_t window_positions, window_array_bytes, window_bytes, window_most_bytes, window_order_blocks
    int64_t cluster_positions, cluster_array_bytes, cluster_most_bytes, cluster_block_bytes
    int64_t cluster_share_1, cluster_share_2, cluster_share_4, cluster_share_8
    int64_t bins_positions, bins_array_bytes, bins_claim_bytes, bins_few_blocks, bins_count_blocks
    int64_t tile_elements, tile_stretch_elements
    int64_t sort_count_blocks, search_threads
    int64_t selection_row_bytes, selection_ranks
    int64_t bitmap_elements, bitmap_bytes, bitmap_blocks, bitmap_elements_per_word
    int64_t extent_blocks, count_blocks, count_shared_blocks, count_few_bins, count_many_bins_blocks, weigh_blocks
    int64_t bucket_values, bucket_values_per_bin, guess_bytes
    int64_t product_terms, product_elements
    int64_t cholesky_rows_f4, cholesky_rows_f8, cholesky_stack_rows, cholesky_strip_columns, cholesky_batched_rows
    int64_t fft_copies_elements, fft_calls, fft_call_elements, fft_passes_elements, fft_own_elements
    int64_t fft_own_columns, fft_own_lines, fft_own_scaled, fft_own_real
