"""Groups of a trace: which operations one kernel computes, and how a group runs."""
from gpunp.fusion.trace cimport Trace

# Run the operations at the head of a trace that belong together, and drop them from it.
cdef int run_group(Trace trace) except -1
