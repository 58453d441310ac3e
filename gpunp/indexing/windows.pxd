"""Gathers that a cache limits, by parts of the indexed array."""
from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t

from gpunp.device cimport Device
from gpunp.indexing.gather cimport GatherParams

cdef extern from "gpunp/indexing/gather_windows_params.h" namespace "gpunp":
    enum:
        WINDOW_BLOCK, WINDOW_EACH, MOST_WINDOWS, WINDOW_TAKE_BLOCK, WINDOW_TILES_A_WARP
    struct GatherWindowsParams:
        GatherParams move
        int64_t tiles
        int32_t windows, shift
        uint32_t* spread
        uint32_t* records
        void* values
        uint16_t* slots
        uint16_t* ends

# Gather where ``p`` says, by an index array of one dimension; False where another way is better. Where the indices
# name places near those of their neighbours, or few places, no windows are made.
cdef bint gather_by_windows(const GatherParams* p, Device device, int itemsize) except -1

cdef struct GatherHooks:
    # As below; the module of CUDA fills it.
    bint (*by_cluster)(const GatherParams* p, Device device, int itemsize) except -1

cdef GatherHooks gather_hooks

# Gather where ``p`` says, by an index array of one dimension; False where another way is better.
cdef bint gather_by_cluster(const GatherParams* p, Device device, int itemsize) except -1
