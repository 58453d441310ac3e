"""Reductions of recorded operations on the CPU device."""
from gpunp.device cimport Device
from gpunp.fusion.group cimport Group
from gpunp.reduction.engine cimport Loops
from gpunp.reduction.plan cimport Launch, ReduceParams

# Fold the values of a group's last step and return 1, or return 0 if they have to be in memory.
cdef int reduce_blocks(Device device, const Group* group, Loops loops, const Launch* launch,
                       const ReduceParams* p) except -1
