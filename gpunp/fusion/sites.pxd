"""The places in Python code from which operations are called."""
from gpunp.fusion.trace cimport Site

# Set the callers of the running function, from the innermost frame on; NULL after the outermost.
cdef void callers_of(Site* callers) noexcept
# Whether the callers are these again: a loop has come around.
cdef bint caller_again(const Site* callers) noexcept
