"""Checks of groups: their results are compared with those of single operations."""
from gpunp.device cimport Device
from gpunp.fusion.group cimport Group


cdef class Shadows:
    """Where a checked group writes, instead of the memory of its stores."""
    cdef Device device
    cdef list places            # of each store: its memory and its shadow, as addresses, their bytes and dtype code
    cdef list memory            # keeps both alive
    cdef str symbols

    # Raise an AssertionError if the group wrote other bytes than its operations, which have run after it.
    cdef int compare(self) except -1

# Direct the stores of a group to copies of their memory.
cdef Shadows shadows_of(Device device, Group* group)
