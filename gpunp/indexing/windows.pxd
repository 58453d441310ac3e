"""Gathers that a cache limits, by parts of the indexed array."""
from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t

from gpunp.device cimport Buffer, Device
from gpunp.indexing.gather cimport GatherParams

cdef extern from "gpunp/gather_windows_params.h" namespace "gpunp":
    enum:
        WINDOW_BLOCK, WINDOW_EACH, MOST_WINDOWS, WINDOW_TAKE_BLOCK, WINDOW_TILES_A_WARP
    struct GatherWindowsParams:
        GatherParams move
        int64_t tiles
        int32_t windows, shift
        uint32_t* near
        uint32_t* records
        void* values
        uint16_t* slots
        uint16_t* ends

# Gather where ``p`` says, by an index array of one dimension, unless neighbouring indices name places near
# each other: that is told in the buffer's first word, and the caller gathers then. None: not worth it.
cdef Buffer gather_by_windows(const GatherParams* p, Device device, int itemsize)

cdef struct GatherHooks:
    # As below; the module of CUDA fills it.
    bint (*by_cluster)(const GatherParams* p, Device device, int itemsize) except -1

cdef GatherHooks gather_hooks

# Gather where ``p`` says, by an index array of one dimension; False where another way is better.
cdef bint gather_by_cluster(const GatherParams* p, Device device, int itemsize) except -1
