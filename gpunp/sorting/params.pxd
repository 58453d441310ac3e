"""Parameters of the sorting kernels."""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

cdef extern from "gpunp/sorting/sort_params.h" namespace "gpunp":
    enum:
        SORT_INTEGER, SORT_FLOATING, SORT_COMPLEX
        SORT_DIGITS, SORT_SHORT, SORT_SHORT_BLOCK, SORT_PORTION
        SORT_COUNT_BLOCK, SORT_COUNT_ITEMS, SORT_COUNT_BYTES_u4, SORT_COUNT_BYTES_u8
        SORT_FIRST_BLOCK, SORT_FIRST_ITEMS
        SORT_KEYS_BLOCK, SORT_KEYS_ITEMS, SORT_PAIRS_BLOCK, SORT_PAIRS_ITEMS, SORT_WIDE_BLOCK, SORT_WIDE_ITEMS
    cdef struct SortParams:
        const void* input
        void* output
        const int64_t* order_in
        int64_t* order_out
        int64_t rows
        int64_t length
        uint64_t sign
        uint64_t infinity
        uint64_t flip
        int32_t kind
        int32_t itemsize
        int32_t passes
        void* keys[2]
        void* values[2]
        uint64_t* bins
        uint64_t* carry
        uint32_t* steps
        uint32_t* counters
        uint32_t* zeros
        uint32_t* lookback
        int64_t slots
        int64_t tiles_per_row
        int64_t portion_tiles
        int64_t first_tile
        int32_t pass_number "pass"
        int32_t portion
        int32_t launch
        int32_t blocks_per_row
        int32_t even
    cdef struct GatherRowsParams:
        const void* input
        const int64_t* order
        void* output
        int64_t rows
        int64_t in_length
        int64_t out_length
        int32_t itemsize
        int32_t high
        int32_t descending
    cdef struct SortRowShape:
        int elements, threads
    SortRowShape sort_row_shape(int64_t length, bint words_of_8)

cdef extern from "gpunp/sorting/quick_params.h" namespace "gpunp":
    ctypedef int (*QuickSort)(void* start, int64_t n, int kind)
    enum:
        NOT_MEASURED, FASTER, SLOWER
    cdef struct QuickSortParams:
        QuickSort sort
        int verdict
