"""The plan and launch of one gather or scatter by index arrays."""
from cpython.object cimport PyObject
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from gpunp.array.ndarray cimport MAX_NDIM, ndarray
from gpunp.device cimport Device

cdef extern from "gpunp/indexing/gather_params.h" namespace "gpunp":
    enum:
        GATHER_DIMS, GATHER_INDICES, GATHER_BLOCK, GATHER_EACH, PROBE_BLOCK
        INDEX_RAISE, INDEX_WRAP, INDEX_CLIP
    struct IndexReport:
        int64_t value
        int32_t which
    struct GatherParams:
        int64_t size
        int32_t ndim
        int32_t indices
        int32_t mode
        int32_t small
        char* indexed
        char* dense
        int64_t dense_period
        int64_t shape[8]
        int64_t indexed_strides[8]
        int64_t dense_strides[8]
        const char* index[8]
        int64_t index_strides[8][8]
        int64_t extent[8]
        int64_t multiplier[8]
        int32_t index_bytes[8]
        int32_t flat_ndim
        int64_t flat_shape[8]
        int64_t flat_strides[8]
        char* claims
        uint64_t* claim_keys
        uint64_t claim_mask
        int32_t claim_wide
        int64_t first_position
        int64_t claim_multiplier[8]
        int64_t position_strides[8]
        int64_t target_strides[8]
        int32_t crowded
        int64_t held_bytes
        uint32_t* status
        IndexReport* report
        unsigned char scalar[16]

cdef enum:
    # Rows of `Walk.strides`: those of the indexed array, of the dense array, of position and target numbers,
    # then one row per index array.
    INDEXED = 0
    DENSE = 1
    POSITION = 2
    TARGET = 3
    FIRST_INDEX = 4
    ROWS = 12

# The dimensions of the result of an index, with the strides of everything that is traversed along them.
cdef struct Walk:
    int ndim
    int first_common            # dimensions [first_common, end_common) come from the index arrays
    int end_common
    int indices
    int itemsize
    bint unique                 # no target occurs twice
    int lane_axis               # the dimension along which each lane has its own indices, or -1
    int[8] axes                 # axes that the index arrays index, for messages
    PyObject* call              # borrowed str: the function's name, for messages
    Py_ssize_t[MAX_NDIM] shape
    Py_ssize_t[12][MAX_NDIM] strides


# The index array itself if it is int32 or int64, otherwise converted to int64.
cdef ndarray as_index(ndarray index)
# Whether two arrays share memory, identical views included.
cdef bint touch(ndarray a, ndarray b) noexcept
# Append an index array, broadcast over the common dimensions; the caller keeps it alive until the launch.
cdef int add_index(Walk* walk, GatherParams* p, ndarray index, Py_ssize_t extent, Py_ssize_t multiplier,
                   int axis) except -1
# Set the dense array: of the result's shape or broadcast to it.
cdef int set_dense(Walk* walk, GatherParams* p, ndarray dense) except -1
# Set what a scatter writes: a scalar by value, or an array, to which ``keep`` then holds a reference.
cdef int set_value(Walk* walk, GatherParams* p, ndarray target, value, list keep) except -1
# Launch a filled plan on behalf of function ``call``; ``p.dense`` is null if the value is a scalar.
cdef int run(Walk* walk, GatherParams* p, Device device, bint writing, str call) except -1
