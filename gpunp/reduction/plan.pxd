"""The planner of reductions: from axes and strides to a kernel variant, its launch shape and its parameters."""
from libc.stdint cimport int64_t, uint32_t

from gpunp.tuning cimport Tuning

cdef extern from "gpunp/reduction/reduce_params.h" namespace "gpunp" nogil:
    enum:
        REDUCE_MAX_DIMS
        REDUCE_BLOCK
        REDUCE_RUNS_BYTES
        REDUCE_ACCUMULATOR_BYTES
        REDUCE_SKIP_NAN
        REDUCE_DIVIDE
        REDUCE_SQRT
        REDUCE_INITIAL
        REDUCE_ALIGNED
        REDUCE_LANES_FASTEST
        REDUCE_VECTORS
        REDUCE_WHOLE
    struct ReduceDim:
        int64_t extent, stride, out_stride, where_stride
        uint32_t magic, shift
    struct ReduceParams:
        const char* data "in"
        char* out
        const char* where
        void* partials
        uint32_t* counters
        int64_t outputs, reduced, chunk, units, per_split
        uint32_t splits, tiles
        int kept_ndim, reduced_ndim, lanes, down, in_dtype, out_dtype
        uint32_t flags
        double divisor, correction
        double initial[2]
        int64_t initial_integer
        ReduceDim dims[10]
        int64_t width
        uint32_t strip, per_row, run, beside, bundles, results, batch
        int64_t beside_stride
        ReduceDim vectors

cdef enum Variant:
    ROWS
    COLUMNS
    GENERAL

# The axes of the input: extents, strides, whether they are reduced, and the strides of output and mask.
cdef struct Axes:
    int ndim
    const Py_ssize_t* shape
    const Py_ssize_t* strides
    const bint* reduced
    const Py_ssize_t* out_strides
    const Py_ssize_t* where_strides     # NULL: no mask

cdef struct Launch:
    Variant variant
    unsigned int blocks, threads

# Fill in the dimensions, sorted and merged; False if they are too many for a kernel.
cdef bint plan_dims(ReduceParams* p, const Axes* axes, bint ordered) noexcept
# Choose the variant and split the work. `fast`: the loop has rows and columns kernels; `runs`: its rows kernel
# folds short runs; `moments`: the kernels keep real moments.
cdef Launch plan_launch(ReduceParams* p, int itemsize, bint fast, bint runs, bint moments, bint is_cpu,
                        const Tuning* tuning, int multiprocessors) noexcept
