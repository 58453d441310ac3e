"""Kernels of groups that are compiled at run time: found by what the group looks like, and launched."""
from gpunp.device cimport Device
from gpunp.fusion.group cimport Group

# Launch the kernel of a group and return 1. Where there is none yet, or several kernels are faster, return 0: the
# steps are to be run one by one. A group that was seen before is compiled in the background.
cdef int launch_group(Device device, Group* group) except -1
