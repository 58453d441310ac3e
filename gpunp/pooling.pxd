"""What the memory pools of all devices have in common: size classes, numbers, limits and hooks."""
from gpunp.device cimport Device


cdef extern from *:
    """
    // The size class of a block, and its size: `granule`, twice and four times that, then four classes per doubling.
    // The granule is a power of two, given as its exponent.
    static inline int gpunp_bin_of(size_t nbytes, int granule, size_t* capacity) {
        if (nbytes <= (size_t)4 << granule) {
            const int shift = nbytes <= (size_t)1 << granule ? 0 : nbytes <= (size_t)2 << granule ? 1 : 2;
            *capacity = (size_t)1 << (granule + shift);
            return shift;
        }
        const int shift = 63 - __builtin_clzll(nbytes - 1);
        const int step = (int)((nbytes - 1) >> (shift - 2));
        *capacity = (size_t)(step + 1) << (shift - 2);
        return 3 + (shift - granule - 2) * 4 + (step - 4);
    }
    """
    int bin_of "gpunp_bin_of" (size_t nbytes, int granule, size_t* capacity) noexcept nogil

cdef struct Bin:
    # The unused blocks of a size class.
    void** items
    int count
    int capacity

# Make room for more blocks; return 0 if the host is out of memory.
cdef int grow(Bin* bin) noexcept


cdef inline int push(Bin* bin, void* pointer) noexcept:
    """Add a block; return 0 if the host is out of memory."""
    if bin.count == bin.capacity and not grow(bin):
        return 0
    bin.items[bin.count] = pointer
    bin.count += 1
    return 1


# Print an exception that nobody can catch, raised in a call of ``where``.
cdef void print_error(object error, object where) noexcept

# Whether a memory hook is active in any thread; `tell` calls those of this thread.
cdef bint observed
cdef void tell(str event, int device_index, size_t size, size_t mem_size, void* pointer) noexcept
# Whether there are allocation hooks; `call_hooks` calls them.
cdef bint hooked
cdef void call_hooks(str event, void* pointer, size_t nbytes, object stream) noexcept


cdef class BasePool:
    # Of the device; -1 is the CPU.
    cdef readonly int device_index
    # Looked up at the first use: the default pool is created while its device is being opened.
    cdef Device device_
    # Bytes in buffers, the most so far, bytes of small blocks that are kept, and the most that may be handed out (0:
    # no limit).
    cdef size_t used, peak, cached, limit
    # Numbers of buffers: alive, and in all.
    cdef size_t live_count, total_count

    # Give back what is kept in size classes.
    cdef int drop_cached(self) except -1
    # Bytes that it reserves on the device, in use or not.
    cdef size_t reserved_bytes(self) except? 0
    cdef int device_bytes(self, size_t* free_bytes, size_t* total) except -1
    # Tell the hooks of a buffer that is handed out or given back. ``nbytes`` were requested.
    cdef void tell_allocation(self, void* pointer, size_t nbytes, size_t capacity, object stream) noexcept
    cdef void tell_free(self, void* pointer, size_t capacity, object stream) noexcept
    cdef int require_within_limit(self, size_t nbytes, size_t wanted) except -1
    cdef object out_of_memory(self, size_t nbytes)
    # Bytes that the pool can still hand out.
    cdef size_t room(self) except? 0
    # The name of the device in errors.
    cdef str place(self)


cdef inline void count_allocation(BasePool pool, void* pointer, size_t nbytes, size_t capacity,
                                  object stream) noexcept:
    """Count a buffer that is handed out, and call the hooks."""
    pool.used += capacity
    if pool.used > pool.peak:
        pool.peak = pool.used
    pool.live_count += 1
    pool.total_count += 1
    if hooked or observed:
        pool.tell_allocation(pointer, nbytes, capacity, stream)


cdef inline void count_free(BasePool pool, void* pointer, size_t capacity, object stream) noexcept:
    """Count a buffer that is given back, and call the hooks."""
    pool.used -= capacity
    pool.live_count -= 1
    if hooked or observed:
        pool.tell_free(pointer, capacity, stream)
