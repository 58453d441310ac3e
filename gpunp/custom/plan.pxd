"""The loop of an elementwise kernel: which axes it has, and how each operand is accessed along the last one."""
from gpunp.array.ndarray cimport MAX_NDIM
from gpunp.ufunc.plan cimport Operand

cdef extern from "gpunp/custom/elementwise_params.h" namespace "gpunp::custom":
    enum:
        ELEMENTWISE_SIZE, ELEMENTWISE_CHUNKS, ELEMENTWISE_SHAPE
        ELEMENTWISE_STRIDED, ELEMENTWISE_UNIT, ELEMENTWISE_ALIGNED, ELEMENTWISE_SPREAD, ELEMENTWISE_IN_MEMORY

cdef enum:
    MAX_PARAMS = 64     # operands of a kernel
    # The fewest elements for which copying a transposed input pays.
    COPY_WORTHWHILE = 1 << 16

cdef struct Plan:
    int count                   # operands
    int ndim                    # axes after merging, at least one
    int width                   # elements of a vector; 1 where no operand has aligned vectors
    bint wide                   # whether 32 bits cannot count the vectors
    long long size
    long long chunks            # vectors of all rows, each row padded to whole vectors
    char* data[MAX_PARAMS]
    unsigned char[MAX_PARAMS] roles
    int[MAX_PARAMS] itemsize
    Py_ssize_t[MAX_NDIM] shape
    Py_ssize_t[MAX_PARAMS][MAX_NDIM] strides

# Write the head of a launch's parameters: size, chunks, shape, and address and strides of each operand; returns the
# number of words.
cdef int pack_plan(long long* words, const Plan* plan) noexcept
# Plan the loop over operands that broadcast to (ndim, shape), which has elements. The axes stay in C order if
# ``ordered``, else they follow operand ``leader``. ``in_memory`` has a bit for each operand whose address is taken;
# ``width`` is the number of elements of a vector, 1 on the host.
cdef int make_plan(Plan* plan, const Operand* operands, int count, int ndim, const Py_ssize_t* shape, bint ordered,
                   int leader, unsigned long long in_memory, int width) except -1

# Whether an operand is contiguous along another axis than the last one, so that its accesses are scattered.
cdef bint is_transposed(const Plan* plan, int operand) noexcept
