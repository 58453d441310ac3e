"""Memory of which something is known as long as nobody may have written it."""
from gpunp.device cimport Buffer

cdef bint watches           # whether something is known of any buffer

# Keep what is known of a buffer's bytes until it may be written. Returns whether writes would be seen.
cdef bint watch(Buffer buffer, object known) except -1
# What is known of a buffer, or None.
cdef object known_of(Buffer buffer)
# Forget what is known of a buffer. Called, if `watches`, before a buffer is written, and before one is read for which
# writes are counted.
cdef int written(Buffer buffer) except -1

# Whether writes to buffers are seen at all.
cdef bint is_watchable() noexcept
# What brings changes on the host to a buffer, or None; and a change of it. Its ``refresh`` is called whenever the
# buffer is used, as if deferred operations were to write it.
cdef object shared_of(Buffer buffer)
cdef int set_shared(Buffer buffer, object memory) except -1
