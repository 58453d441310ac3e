"""Scatters to more memory than the L2 cache holds, by bins of targets."""
from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t

from gpunp.device cimport Device
from gpunp.indexing.gather cimport GatherParams

cdef extern from "gpunp/indexing/scatter_bins_params.h" namespace "gpunp":
    enum:
        BIN_TARGETS, MOST_BINS, BIN_BLOCK, BIN_EACH, BIN_SETTLE_BLOCK
    struct ScatterBinsParams:
        GatherParams move
        int64_t tiles
        int32_t bins
        int32_t item_bytes
        uint32_t* starts
        uint32_t* cursors
        uint32_t* spread
        int32_t takes_few
        uint16_t* targets
        void* keys

# Scatter by the 1-d index array of ``p``; False, without a launch, if another method is better.
cdef bint scatter_by_bins(const GatherParams* p, Device device, int itemsize) except -1
