"""How a group of a trace runs: by one kernel, block by block, or one operation after the other."""
from gpunp.device cimport Device
from gpunp.fusion.trace cimport Node, Trace

# Run one operation by its precompiled kernel, unless nothing needs its result; returns whether it ran.
cdef bint run_alone(Device device, Node* node) except -1

# Where the trace has reductions: what runs them, and the operations around them. Set by gpunp/fusion/folds.pyx.
cdef struct RowHooks:
    # Run some of the first operations and return 1; 0 if they are a group without reductions.
    int (*run)(Trace trace) except -1
    # Keep an event for an observer.
    int (*note)(Trace trace, list numbers, str kind, Py_ssize_t saved, object kernel) except -1

cdef RowHooks row_hooks

# Run the operations at the head of a trace that belong together, and drop them from it.
cdef int run_group(Trace trace) except -1
