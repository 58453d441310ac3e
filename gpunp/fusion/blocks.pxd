"""Groups on the CPU device: block by block, so that intermediate values stay in the cache."""
from gpunp.custom.plan cimport Plan
from gpunp.device cimport Device
from gpunp.fusion.group cimport MAX_MEMORY, MAX_STEPS, Group
from gpunp.ufunc.plan cimport MAX_OPERANDS, ElementwiseParams

cdef extern from "gpunp/common/host_stream.h" namespace "gpunp" nogil:
    void stream_copy(void* to, const void* source, size_t nbytes)
    void finish_streams()
    void fetch_ahead(const void* address, size_t nbytes)

cdef extern from "<stdlib.h>" nogil:
    void* aligned_alloc(size_t alignment, size_t size)

ctypedef void (*HostFunction)(const void* params) noexcept nogil

cdef enum:
    MAX_CALLS = 3 * MAX_STEPS   # operations, copies of kept values, stores
    STREAM_PIECE = 1 << 10      # bytes that go past the caches before lines of what follows are fetched

# A call of a host kernel, for every block.
cdef struct Call:
    HostFunction function
    int count                       # operands
    short[MAX_OPERANDS + 1] where   # of each operand; the mask is at MAX_OPERANDS
    int moving                      # operands in memory, whose addresses are those of the block
    short[MAX_OPERANDS + 1] moves
    ElementwiseParams params


# What the next block reads: of a leaf, so many bytes that are so far from those of the present block.
cdef struct Ahead:
    int leaf
    Py_ssize_t delta
    Py_ssize_t nbytes


cdef struct Program:
    int calls
    int slots
    int result                      # where the value of the last operation is
    int streams                     # values that go from a slot to memory past the caches
    short[MAX_MEMORY] stream_slot
    short[MAX_MEMORY] stream_store
    short[MAX_MEMORY] stream_size   # of an element
    Py_ssize_t[MAX_MEMORY] stream_step  # bytes between rows in memory
    char* memory                    # of the slots
    Py_ssize_t slot_bytes
    Py_ssize_t rows                 # of a block
    Py_ssize_t columns
    int aheads
    Ahead[MAX_MEMORY] ahead
    Py_ssize_t lines                # of the next block that are fetched before each call
    Py_ssize_t last_rows            # of the block that ran last
    Py_ssize_t last_columns
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
# Where a copy has the value of the last operation, if this is in a slot.
cdef char* result_of(const Program* program) noexcept nogil
# Run all calls on one block, whose elements in memory begin at ``data``.
cdef void run_block(Program* program, char** data, Py_ssize_t rows, Py_ssize_t columns) noexcept nogil
