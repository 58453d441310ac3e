"""What is done with each block of a group on the CPU device: calls of host kernels, and where their operands are."""
from gpunp.custom.plan cimport Plan
from gpunp.device cimport Device
from gpunp.fusion.group cimport MAX_MEMORY, MAX_STEPS, Group
from gpunp.ufunc.plan cimport MAX_OPERANDS, ElementwiseParams

ctypedef void (*HostFunction)(const void* params) noexcept nogil

cdef enum:
    MAX_CALLS = 3 * MAX_STEPS   # operations, copies of kept values, stores
    NOWHERE = -1
    SLOT = 64                   # operand numbers from here on are slots, others are places in memory

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

# The calls for a block. A value is written to its place in memory, or to a slot until its last use is over.
cdef int compile_group(Program* program, Device device, const Group* group, const Plan* plan) except -1
