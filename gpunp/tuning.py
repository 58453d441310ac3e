"""Thresholds that depend on the GPU: a record per measured architecture, and rules to derive others.

A device gets its record when it is created, as the C struct of ``tuning.pxd``. Compile-time constants of
kernels (threads per block, elements per thread) are in their ``*_params.h``. Blocks and threads are counted
per multiprocessor. docs/tuning.md has the reasons.
"""

KIB, MIB = 1 << 10, 1 << 20


def _lengths(*exponents):
    """Return a bit set of lengths that are powers of two, by their exponents."""
    return sum(1 << exponent for exponent in exponents)


# H100 and H200. Times are of an H100 unless an H200 is named: before -> after, or one per value tried.
# Counts of blocks, threads and results are per multiprocessor.
SM_90 = {
    # Loops over elements, in blocks of 256 threads.
    "loop_blocks": 8,  # fills a multiprocessor
    "fill_blocks": 16,  # for little work per thread: creation, gathers of rows, random numbers
    # From here, a pass that copies a transposed operand takes less time than reading across its rows.
    "transposed_copy_elements": 1 << 16,
    # Reductions.
    "reduce_few_blocks": 8,  # with fewer blocks, the reduced extent is split
    "reduce_many_blocks": 32,  # target of splitting rows
    # Target of splitting where the splits write rows of partial results. np.sum(A, axis=0) of 16384 x
    # 16384 float32 by 4, 8, 12, 16 and 32 blocks: 357, 356, 369, 368 and 382 us.
    "reduce_column_blocks": 8,
    "reduce_whole_blocks": 8,  # the same for runs that are read as one with those of other rows
    # Resident blocks, limited by registers: splits fill whole waves of them. np.var(A, axis=0) by 768
    # blocks 382 us, by 1280 411; rows of moments on an H200 275 -> 253 us.
    "reduce_resident_blocks": 3,
    "reduce_row_threads": 1024,  # up to this many threads, more threads share a row,
    "reduce_column_threads": 1024,  # a column,
    "reduce_whole_threads": 4096,  # a run that is read as one with others,
    "reduce_general_threads": 2048,  # or a result of the general kernel
    "reduce_short_rows": 256,  # from this many results, the kernel for rows takes short rows too
    "reduce_general_results": 64,  # from this many results, the general kernel uses one warp per result
    "reduce_whole_bytes": 4 * MIB,  # the longest runs that are read as one with those of other rows
    "reduce_whole_moments_bytes": 64 * KIB,  # the same for moments
    # Scans. From this many short lanes, each is scanned by one thread: a warp per lane would be mostly
    # idle, but fewer threads would leave the GPU idle.
    "scan_lanes": 1024,
    # Convolutions, in blocks of 128 threads.
    "convolve_few_blocks": 2,  # with fewer blocks, the taps are divided
    "convolve_blocks": 4,  # target of dividing the taps
    # Bytes of randomly read memory that stay in the L2 cache: if three quarters of the indices fall within so
    # many, windows and bins are skipped. np.take of 2^26 indices below 10^6 from 2^26 float32: 1.64 -> 0.62
    # ms.
    "held_bytes": 40 * MIB,
    # Gathers by windows. np.take of 2^26 from 2^26 float32: 2.3 -> 1.32 ms.
    "window_positions": 1 << 22,  # the fewest positions
    "window_array_bytes": 64 * MIB,  # the smallest array: more than the L2 cache keeps
    "window_bytes": 4 * MIB,
    "window_most_bytes": 16 * MIB,  # the largest window, where the number of windows is at its limit
    "window_order_blocks": 32,  # of the kernel that puts tiles back in order
    # Gathers from the shared memory of clusters. np.take of 2^26 from 2^17, 2^20 and 2^21 float32: 0.52, 0.57
    # and 0.57 (CuPy) -> 0.41, 0.47 and 0.52 ms.
    "cluster_positions": 1 << 24,  # the fewest positions
    "cluster_array_bytes": 128 * KIB + 1,  # the smallest array: more than the L1 cache holds
    "cluster_most_bytes": 8 * MIB,  # the largest array
    "cluster_block_bytes": 512 * KIB,  # of the array per block of a cluster
    "cluster_share_1": 100,  # percent of the array that a cluster of one block holds,
    "cluster_share_2": 50,  # of two,
    "cluster_share_4": 42,  # of four,
    "cluster_share_8": 36,  # of eight: 38 % of 2^20 float32 took 0.465 ms, 22 % 0.498
    # Scatters by bins. x[i] = y with 2^26 places of 2^26: 6.2 -> 2.8 ms.
    "bins_positions": 1 << 21,  # the fewest positions
    "bins_array_bytes": 32 * MIB,  # the smallest array if all places get one value
    "bins_claim_bytes": 64 * MIB,  # the fewest bytes of claims if each place gets its own value
    "bins_few_blocks": 8,  # that claim places if there are few
    # Blocks of 512 threads that count the places in each bin: each block adds its counters to the totals.
    "bins_count_blocks": 2,
    # Short patterns repeated by np.tile: for longer results than this, a pattern is first repeated to a
    # stretch, which the L2 cache holds, for the kernel that copies whole vectors.
    "tile_elements": 1 << 22,
    "tile_stretch_elements": 1 << 18,
    # Sorts and searches.
    "sort_count_blocks": 2,  # of 1024 threads that count up to two digits
    "search_threads": 2048,  # resident at once
    # Selections.
    "selection_row_bytes": 96 * KIB,  # the longest row for one block; two blocks fit at a time
    "selection_ranks": 128,  # with more ranks, a sort is faster: selection reads a row once per 16 ranks
    # Sets of integers by bitmaps.
    "bitmap_elements": 1 << 14,  # the fewest: finding the range of fewer takes longer than sorting them
    "bitmap_bytes": 32 * MIB,  # the largest bitmap
    "bitmap_blocks": 2,  # of 1024 threads, that set bits
    # Bitmaps in shared memory: the fewest elements per word that each block merges into the result.
    "bitmap_elements_per_word": 8,
    # Histograms, in blocks of 512 threads.
    "extent_blocks": 3,  # that find the minimum and the maximum
    "count_blocks": 8,  # that count in the L2 cache, or find the bins of elements
    # Blocks that count in shared memory: as many as fit at once. Each clears its counters and adds them to
    # the totals, so fewer blocks are used for more than `count_few_bins`.
    "count_shared_blocks": 3,
    "count_few_bins": 2048,
    "count_many_bins_blocks": 2,
    "weigh_blocks": 4,  # that add weights
    "bucket_values": 1 << 23,  # the fewest for buckets: np.bincount of 2^26 into 10^6 bins 1.04 -> 0.54 ms
    "bucket_values_per_bin": 8,
    "guess_bytes": 64 * MIB,  # the smallest array for a guess of the range: np.histogram 0.205 -> 0.144 ms
    # Linear algebra. Products of two small matrices are left to our kernel, whose launch takes less host time
    # than a call of cuBLAS: 4 x 4 9.7 -> 4.4 us.
    "product_terms": 64,
    "product_elements": 4096,  # of the result
    # The most rows for Cholesky factors by blocks, of one matrix: 512 float32 rows 0.236 -> 0.225 ms, but
    # 1024 0.419 -> 0.439; 128 float64 rows 0.096 -> 0.096, but 512 0.281 -> 0.322.
    "cholesky_rows_f4": 512,
    "cholesky_rows_f8": 128,
    "cholesky_stack_rows": 2048,  # of stacks: 4 of 2048 rows 2.90 -> 1.77 ms
    # Columns updated by one product: enough to fill the GPU, few enough to compute little below the diagonal.
    "cholesky_strip_columns": 2048,
    # Otherwise the most rows for which a stack is one call of cuSOLVER instead of one per matrix.
    "cholesky_batched_rows": 1024,
    # Fourier transforms.
    "fft_copies_elements": 1 << 18,  # from here, device time covers the host's for two more launches
    # Strides that need more calls of cuFFT for one transform are copied instead, unless each call has many
    # elements.
    "fft_calls": 4,
    "fft_call_elements": 1 << 19,
    # From here, two axes are separate passes if one is by our own kernel: 4096^2 0.244 -> 0.220 ms.
    "fft_passes_elements": 1 << 22,
    "fft_own_elements": 1 << 22,  # from here, our own kernels are used, at the lengths below
    # Of axes other than the last. 2^24 elements in columns of 2^9 to 2^12, by cuFFT 130, 136, 142 and 153
    # -> 105, 111, 115 and 134 us.
    "fft_own_columns": _lengths(9, 10, 11, 12),
    # Of last axes: 2^24 elements 281 -> 243 us.
    "fft_own_lines": _lengths(22, 23, 24),
    # Of last axes with a scaling factor, for which cuFFT needs another pass: 187 -> 95 us.
    "fft_own_scaled": _lengths(8, 9, 10, 11, 12, 20, 21),
    # Of the rows of real matrices: rfft2 of 4096^2 152 -> 143 us.
    "fft_own_real": _lengths(12),
}

# By compute capability, 90 for 9.0: the record, and the smallest L2 cache that it was measured with. Parts of
# a GPU (MIG) have less, so their records are derived.
MEASURED = {90: (SM_90, 40 * MIB)}

# The CPU device: its loops have no blocks, and GPU-only algorithms are never chosen.
_NEVER = (1 << 63) - 1
CPU = {
    **SM_90,
    **dict.fromkeys(("window_positions", "cluster_positions", "bins_positions"), _NEVER),
    **dict.fromkeys(("bucket_values", "guess_bytes"), _NEVER),
    **dict.fromkeys(("fft_copies_elements", "fft_passes_elements", "fft_own_elements"), _NEVER),
    **dict.fromkeys(("fft_own_columns", "fft_own_lines", "fft_own_scaled", "fft_own_real"), 0),
}


def _floor(n):
    """Return the largest power of two that is at most n."""
    return 1 << (int(n).bit_length() - 1)


def _ceil(n):
    """Return the smallest power of two that is at least n."""
    return 1 << (int(n) - 1).bit_length()


def derive(l2_bytes, shared_per_multiprocessor, threads_per_multiprocessor):
    """Derive the record of a GPU that was not measured from its properties.

    The rules reproduce the numbers of the H100, except for the lengths at which our own transforms beat
    cuFFT: on GPUs where they were not compared, only those that save a whole pass are used.

    Parameters
    ----------
    l2_bytes : int
        Size of the L2 cache.
    shared_per_multiprocessor : int
        Bytes of shared memory per multiprocessor.
    threads_per_multiprocessor : int
        Most resident threads per multiprocessor.

    Returns
    -------
    dict
        The fields of `SM_90`.
    """
    threads = threads_per_multiprocessor
    blocks = max(threads // 256, 1)
    # Some virtual GPUs report an L2 cache of 0 bytes.
    cache = max(l2_bytes, MIB)
    return {
        **SM_90,
        "loop_blocks": blocks,
        "fill_blocks": 2 * blocks,
        "reduce_few_blocks": blocks,
        "reduce_many_blocks": 4 * blocks,
        "reduce_column_blocks": blocks,
        "reduce_whole_blocks": blocks,
        # Every GPU has 65536 registers per multiprocessor; the kernels take 80 per thread.
        "reduce_resident_blocks": min(3, blocks),
        "reduce_row_threads": threads // 2,
        "reduce_column_threads": threads // 2,
        "reduce_whole_threads": 2 * threads,
        "reduce_general_threads": threads,
        "reduce_short_rows": threads // 8,
        "reduce_general_results": threads // 32,
        "convolve_few_blocks": max(threads // 1024, 1),
        "convolve_blocks": max(threads // 512, 1),
        "held_bytes": cache * 4 // 5,
        "window_array_bytes": _ceil(cache),
        "window_bytes": _floor(cache // 8),
        "window_most_bytes": _floor(cache // 2),
        "window_order_blocks": threads // 64,
        "cluster_array_bytes": _floor(shared_per_multiprocessor) + 1,
        "bins_array_bytes": _floor(cache),
        "bins_claim_bytes": _ceil(cache),
        "bins_few_blocks": blocks,
        "bins_count_blocks": max(threads // 1024, 1),
        # Shared memory allows for two blocks too wherever threads do.
        "sort_count_blocks": max(threads // 1024, 1),
        "search_threads": threads,
        # In steps of 32 KiB, besides 4 KiB per block for static shared memory and the system's reservation.
        "selection_row_bytes": max((shared_per_multiprocessor // 2 - 4 * KIB) // (32 * KIB), 1) * 32 * KIB,
        "bitmap_bytes": _floor(cache),
        "bitmap_blocks": max(threads // 1024, 1),
        "extent_blocks": max(threads * 3 // 2048, 1),
        "count_blocks": blocks,
        "count_shared_blocks": max(threads * 3 // 2048, 1),
        "count_many_bins_blocks": max(threads // 1024, 1),
        "weigh_blocks": max(threads // 512, 1),
        "guess_bytes": _ceil(cache),
        "fft_passes_elements": _floor(cache) // 8,
        "fft_own_elements": _floor(cache) // 8,
        "fft_own_columns": 0,
        "fft_own_lines": 0,
        "fft_own_scaled": _lengths(8, 9, 10, 11, 12),
        "fft_own_real": 0,
    }


def tuning_of(architecture, l2_bytes, shared_per_multiprocessor, threads_per_multiprocessor):
    """Return the record measured for a GPU's compute capability, 90 for 9.0, or a derived one."""
    record, least_cache = MEASURED.get(architecture, (None, 0))
    if record is not None and l2_bytes >= least_cache:
        return record
    return derive(l2_bytes, shared_per_multiprocessor, threads_per_multiprocessor)
