"""Checks of groups: their results are compared with those of single operations."""
from gpunp.device cimport Device
from gpunp.fusion.group cimport Group
from gpunp.fusion.trace cimport Node
from gpunp.ufunc.plan cimport Loop


cdef class Shadows:
    """Where a checked group writes, instead of the memory of its stores."""
    cdef Device device
    cdef list places            # of each store: its memory and its shadow, as addresses, their bytes and dtype code
    cdef list memory            # keeps both alive
    cdef str symbols
    cdef bint wide              # whether operations compute in float64 or complex128

    # Raise an AssertionError if the group wrote other bytes than its operations, which have run after it.
    cdef int compare(self) except -1

# Direct the stores of a group to copies of their memory.
cdef Shadows shadows_of(Device device, Group* group)
# Whether an operation computes in float64 or complex128.
cdef bint is_wide(Loop loop) noexcept
# Give operations that are checked zeros for the elements that ``where=`` leaves out of new arrays. Called before their
# group is settled, so that a kernel reads the zeros, too.
cdef int clear_left_out(Device device, Node* nodes, int count) except -1
