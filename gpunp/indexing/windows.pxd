"""Gathers limited by the L2 cache, by parts of the indexed array."""
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

# Gather by the 1-d index array of ``p``; False, without a launch, if another method is better. If neighboring
# indices are close to each other, or the indices occupy few places, the kernels gather without windows.
cdef bint gather_by_windows(const GatherParams* p, Device device, int itemsize) except -1

cdef struct GatherHooks:
    # Implements `gather_by_cluster`; set by gpunp.indexing.gather_cluster.
    bint (*by_cluster)(const GatherParams* p, Device device, int itemsize) except -1

cdef GatherHooks gather_hooks

# Gather by the 1-d index array of ``p``; False, without a launch, if another method is better.
cdef bint gather_by_cluster(const GatherParams* p, Device device, int itemsize) except -1
