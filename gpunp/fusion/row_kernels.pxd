"""Kernels of groups that hold rows: found by what the group looks like, and launched."""
from gpunp.device cimport Device
from gpunp.fusion.row_groups cimport RowGroup

# Launch the kernel of a group and return 1. Where there is none yet, or rows are too long, return 0. A group that was
# seen before is compiled in the background, or, if that is asked for, at once. ``name`` is for a new kernel, or None.
cdef int launch_rows(Device device, RowGroup* group, bint at_once, object name) except -1
# The name of the kernel that was launched last.
cdef object launched_rows()
