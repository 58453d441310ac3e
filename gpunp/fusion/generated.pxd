"""Kernels of groups that are compiled at run time: found by what the group looks like, and launched."""
from gpunp.device cimport Device, Kernel
from gpunp.fusion.group cimport Group

cdef class Entry:
    cdef readonly str name
    cdef readonly Device device
    cdef readonly object description
    cdef public bint requested
    cdef public bint failed
    cdef int sightings
    cdef int architecture
    cdef str key                # of the code on disk; None before it was needed
    cdef Kernel kernel

    cdef bint find(self) except -1
    cdef int load(self, object code) except -1
    # Count a sighting without a kernel; request one if there were enough, or make it at once.
    cdef int sight(self, bint at_once) except -1

# The entry of a description, made if there is none among the known ones. A new one is loaded at once if its code is
# on disk. Its name is ``name`` and a number.
cdef Entry entry_of(dict known, Device device, object description, object name)

# Whether a group that nothing is known of is left alone for now, because many new ones before it were not on disk; it
# is not when it comes again.
cdef bint is_passing(bytes key) except -1
# Whether the last group that was launched, or not, was left alone like this, or will never have a kernel.
cdef bint passed

# Launch the kernel of a group and return 1. Where there is none yet, or several kernels are faster, return 0: the
# steps are to be run one by one. A group that was seen before is compiled in the background, or, if that is asked
# for, at once and at the first sight. ``name`` is for a new kernel, or None.
cdef int launch_group(Device device, Group* group, bint at_once=*, object name=*) except -1
# The name of the kernel that was launched last.
cdef object launched_name()
