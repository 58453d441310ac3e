"""The places in Python code from which operations are called."""
from gpunp.fusion.trace cimport Trace

# Let a chain begin at the running function: remember its callers, from the innermost frame on.
cdef void begin_at_caller(Trace trace) noexcept
# Whether the chain began at these callers: a loop has come around.
cdef bint caller_again(Trace trace) noexcept
