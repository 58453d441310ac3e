"""Parameters of the set kernels."""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

cdef extern from "gpunp/sets/unique_params.h" namespace "gpunp":
    enum:
        UNIQUE_BLOCK, BITMAP_BLOCK, SHARED_COUNTS
    struct BitmapParams:
        const void* x
        int64_t n
        uint64_t flip
        uint64_t low
        uint64_t range
        uint32_t* bits
        const int32_t* ranks
        uint64_t* bounds
        char* values
        int64_t* inverse
        int64_t* counts
        int64_t* first
        char* found
        int64_t distinct
        int32_t item
        int32_t invert
        int32_t in_shared
    struct RowsParams:
        const char* data
        int64_t n
        int64_t columns
        int64_t stride
        const int64_t* order
        int64_t* merged
        int64_t run
        char* starts
        int32_t dtype, item
        int32_t equal_nan
        uint64_t* bounds
        void* words
        const int32_t* ranks
        char* word_starts
        uint32_t* unsettled
        int64_t column
        int32_t used, bits
        int32_t word_bytes
    struct RunsParams:
        const char* starts
        const int32_t* ranks
        const int64_t* wide_ranks
        const int64_t* order
        int64_t n
        const char* data
        char* values
        int64_t* places
        int64_t* index
        int64_t* inverse
        int32_t item
