"""Groups on the CPU device: block by block, so that intermediate values stay in the cache."""
from libc.stdint cimport int64_t

from gpunp.custom.plan cimport Plan
from gpunp.device cimport Device
from gpunp.fusion.group cimport MAX_MEMORY, MAX_STEPS, Group
from gpunp.ufunc.plan cimport MAX_OPERANDS, ElementwiseParams

cdef extern from "gpunp/common/host_stream.h" namespace "gpunp" nogil:
    void stream_copy(void* to, const void* source, size_t nbytes)
    void finish_streams()

ctypedef void (*HostFunction)(const void* params) noexcept nogil

cdef enum:
    MAX_CALLS = 3 * MAX_STEPS   # operations, copies of kept values, stores

# A call of a host kernel, for every block.
cdef struct Call:
    HostFunction function
    int count                       # operands
    short[MAX_OPERANDS + 1] where   # of each operand; the mask is at MAX_OPERANDS
    ElementwiseParams params


cdef struct Program:
    int calls
    int slots
    int streams                     # values that go from a slot to memory past the caches
    short[MAX_MEMORY] stream_slot
    short[MAX_MEMORY] stream_store
    short[MAX_MEMORY] stream_size   # of an element
    Py_ssize_t[MAX_MEMORY] stream_step  # bytes between rows in memory
    char* memory                    # of the slots
    Py_ssize_t slot_bytes
    Py_ssize_t rows                 # of a block
    Py_ssize_t columns
    Call[MAX_CALLS] call            # last, as copies have only those that there are

# Whether a result of so many bytes is written past the caches, because it does not fit them.
cdef bint is_streamed(Py_ssize_t nbytes) noexcept nogil
# Elements of a block, if tests set it, else 0.
cdef Py_ssize_t block_elements() noexcept
# The calls for a block. A value is written to its place in memory, or to a slot until its last use is over.
cdef int compile_group(Program* program, Device device, const Group* group, const Plan* plan) except -1
# Choose the shape of a block.
cdef int set_block(Program* program, const Group* group, const Plan* plan) except -1
# Set what all blocks have in common: strides, by columns and by rows.
cdef void prepare(Program* program, const Group* group, const Plan* plan) noexcept
# A copy of a program with memory of its own, or NULL; `free_copy` frees it.
cdef Program* copy_program(const Program* program) noexcept nogil
cdef void free_copy(Program* program) noexcept nogil
# Run all calls on one block, whose elements in memory begin at ``data``.
cdef void run_block(Program* program, char** data, Py_ssize_t rows, Py_ssize_t columns) noexcept nogil
# Run body(context, begin, end) for parts of [0, count) by threads; `cost`: of one, in operations on elements.
cdef int share(Device device, void (*body)(void*, int64_t, int64_t) noexcept nogil, void* context, Py_ssize_t count,
               Py_ssize_t cost) except -1
# Run a group; always True.
cdef bint run_blocks(Device device, Group* group) except -1
