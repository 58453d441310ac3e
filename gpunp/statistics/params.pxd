"""Constants and parameter structs of the histogram kernels, from histogram_params.h."""
from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t, uint64_t

cdef extern from "gpunp/statistics/histogram_params.h" namespace "gpunp":
    enum:
        HISTOGRAM_BLOCK, HISTOGRAM_SHARED_COUNTS, HISTOGRAM_SHARED_SUMS
        BUCKET_SLOT_BITS, BUCKET_SLOTS, BUCKET_BITS, BUCKET_BLOCK, BUCKET_ITEMS, BUCKET_COUNT_BLOCK
        GUESS_BLOCK, GUESS_BLOCKS, GUESS_WARPS, GUESS_RESIDENT
    cdef struct UniformBins:
        pass
    cdef struct ExtentParams:
        const void* values
        int64_t size
        void* partials
        uint32_t* counter
        void* out
    cdef struct EdgesParams:
        const char* extents
        double first, last, denominator
        char* edges
        UniformBins* uniform
        uint32_t* status
        int64_t bins
        int32_t extents_dtype, line_dtype, edge_dtype, division, check
    cdef struct CountParams:
        const char* values
        int64_t size, stride, bins
        uint64_t* counts
        const UniformBins* uniform
        const void* edges
        int32_t* index
        int32_t dtype, shared, combine
    cdef struct CheckParams:
        const char* edges
        int64_t size
        int32_t dtype
        uint32_t* status
    cdef struct WeightParams:
        const char* index
        const char* weights
        int64_t size, weight_stride, bins
        uint32_t* exponents
        uint64_t* high
        uint64_t* low
        double* out
        int32_t index_dtype, weight_dtype, bits, shared
    cdef struct BucketParams:
        ExtentParams extent
        int64_t* found
        uint64_t* near
        uint64_t* starts
        uint64_t* cursors
        uint16_t* places
        uint64_t* counts
        int64_t bins
    cdef struct WeightBucketParams:
        BucketParams bucket
        WeightParams sums
        void* carried
    cdef struct GuessParams:
        ExtentParams extent
        double* sampled
        uint32_t* counter
        UniformBins* guess
        uint64_t* counts
        char* kept
        uint32_t* kept_counts
        int64_t room
        int64_t bins
        const UniformBins* uniform
        const void* edges
        uint64_t* out
        int32_t blocks
