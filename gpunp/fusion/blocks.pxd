"""Groups on the CPU device: block by block, so that intermediate values stay in the cache."""
from gpunp.custom.plan cimport Plan
from gpunp.fusion.block_programs cimport Program
from gpunp.fusion.group cimport Group

cdef extern from "gpunp/common/host_stream.h" namespace "gpunp" nogil:
    void stream_copy(void* to, const void* source, size_t nbytes)
    void finish_streams()
    void fetch_ahead(const void* address, size_t nbytes)

cdef extern from "<stdlib.h>" nogil:
    void* aligned_alloc(size_t alignment, size_t size)

cdef enum:
    STREAM_PIECE = 1 << 10      # bytes that go past the caches before lines of what follows are fetched

# Whether a result of so many bytes is written past the caches, because it does not fit them.
cdef bint is_streamed(Py_ssize_t nbytes) noexcept nogil
# Elements of a block, if tests set it, else 0.
cdef Py_ssize_t block_elements() noexcept
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
