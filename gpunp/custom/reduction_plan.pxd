"""The plan of a user's reduction: its dimensions, the variant of the kernel, and how the work is split."""
from libc.stdint cimport int32_t, int64_t, uint32_t

from gpunp.array.ndarray cimport MAX_NDIM
from gpunp.tuning cimport Tuning

cdef extern from "gpunp/custom/reduction_params.h" namespace "gpunp::custom" nogil:
    enum:
        REDUCTION_BLOCK
        REDUCTION_FEW_DIMS
        REDUCTION_SOME_DIMS
        REDUCTION_MOST_DIMS
        REDUCTION_ROWS
        REDUCTION_COLUMNS
        REDUCTION_GENERAL
        REDUCTION_ALIGNED
        REDUCTION_LANES_FASTEST
        REDUCTION_VECTORS
    int reduction_neighbors(int least, int largest)
    struct ReductionWork:
        void* partials
        uint32_t* counters
        int64_t outputs, reduced, chunk, units, per_split, first, first_out
        uint32_t splits, tiles
        int32_t kept_ndim, reduced_ndim, lanes, down
        uint32_t flags

cdef enum:
    # Arrays of a launch that are not raw: inputs and outputs together. A kernel has a bit for each input.
    MAX_ARRAYS = 32
    # Rows of strides: of the arrays, and of the C-order indices of element and result.
    ROWS_OF_STRIDES = MAX_ARRAYS + 2

# Axes that are kept, or reduced: the strides of all inputs, all outputs, and of the two indices.
cdef struct AxisGroup:
    int ndim
    Py_ssize_t[MAX_NDIM] shape
    Py_ssize_t[ROWS_OF_STRIDES][MAX_NDIM] strides

cdef struct ReductionPlan:
    int inputs, outputs
    int leader                              # the input whose memory order decides
    bint indexed                            # whether expressions depend on indices
    char* data[MAX_ARRAYS]
    int[MAX_ARRAYS] itemsize
    AxisGroup kept, reduced
    ReductionWork work
    int variant
    uint32_t repeated                       # bits of inputs with one value along the innermost dimension
    int capacity                            # of the array of dimensions
    unsigned int blocks, threads

# Add an axis, the next one in C order; ``strides`` has rows for the inputs, the outputs and the indices.
cdef void add_axis(ReductionPlan* plan, bint reduced, Py_ssize_t extent, const Py_ssize_t (*strides)[MAX_NDIM],
                   int axis) noexcept
# Sort and merge the axes, and choose the variant and the split of the work.
cdef void make_reduction_plan(ReductionPlan* plan, bint is_cpu, const Tuning* tuning, int multiprocessors) noexcept
# The number of words before the numbers and raw arrays, and their writing.
cdef int planned_words(const ReductionPlan* plan) noexcept
cdef void pack_plan(const ReductionPlan* plan, long long* words) noexcept
