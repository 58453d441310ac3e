"""Parameter structs of the random kernels, from random/params.h."""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

cdef extern from "gpunp/random/params.h" namespace "gpunp":
    const int64_t RANDOM_PART
    cdef struct RandomStream:
        uint32_t counter[4]
        uint32_t key[2]
        const uint32_t* words
    cdef struct RandomFillParams:
        RandomStream stream
        void* out
        int64_t size
        double low
        double scale
        uint64_t range
        uint64_t threshold
        uint64_t first
        uint32_t round_keys[20]
    cdef struct RandomParameter:
        const double* values
        double value
        int64_t inner
        int64_t length
        int32_t check
    cdef struct RandomSampleParams:
        RandomStream stream
        void* out
        int64_t size
        uint32_t* status
        RandomParameter parameters[3]
        int32_t relation
        int32_t single
    cdef struct RandomIntegersParams:
        RandomStream stream
        void* out
        int64_t size
        uint32_t* status
        const uint64_t* low
        const uint64_t* high
        int64_t low_inner
        int64_t low_length
        int64_t high_inner
        int64_t high_length
        int32_t itemsize
        int32_t is_signed
        int32_t exclusive
        int64_t least
        uint64_t greatest
    cdef struct RandomRowsParams:
        RandomStream stream
        void* out
        int64_t rows
        int64_t length
        uint32_t* status
        const double* weights
        RandomParameter total
        int64_t weights_inner
        int64_t weights_length
    cdef struct RandomTiesParams:
        RandomStream stream
        const uint32_t* keys
        int64_t* order
        int64_t rows
        int64_t length
    cdef struct RandomPlacesParams:
        RandomStream stream
        int64_t* out
        int64_t size
        uint64_t population
    cdef struct RandomWordsParams:
        uint32_t* out
        int64_t blocks
        uint64_t position
        const uint32_t* table
        uint32_t state[6]
