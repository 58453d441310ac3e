"""Reductions whose elements are computed from a group's leaves."""
from gpunp.device cimport Device
from gpunp.fusion.checking cimport Shadows
from gpunp.fusion.group cimport Group
from gpunp.reduction.engine cimport Loops
from gpunp.reduction.plan cimport Launch, ReduceParams

# Launch a reduction of the value of a step, which would be C-contiguous over the group's iteration space: ``launch``
# and ``p`` are the plan of the engine for that array, with the place in bytes of its first element in it as the
# address ``p.data``. Returns 0 if there is no kernel yet, which is compiled in the background or, if that is asked
# for, at once. ``name`` is for a new kernel, or None. Nothing is stored.
cdef int reduce_group(Device device, const Group* group, int step, Loops loops, const Launch* launch,
                      const ReduceParams* p, bint at_once=*, object name=*) except -1
# The name of the kernel that was launched last.
cdef object launched_reducer()
# Direct the results of a reduction that computes its elements to a copy of their memory, to be checked.
cdef Shadows shadows_of_results(Device device, Loops loops, ReduceParams* p)
