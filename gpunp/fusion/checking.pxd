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

    # Copy the bytes from ``low`` to ``high`` around an address, of a dtype; returns the address in the copy.
    cdef char* divert(self, char* data, Py_ssize_t low, Py_ssize_t high, int code) except NULL
    # Raise an AssertionError if what was checked wrote other bytes than single operations, which have run after it.
    cdef int compare(self) except -1

# Direct the stores of a group to copies of their memory.
cdef Shadows shadows_of(Device device, Group* group)
cdef Shadows new_shadows(Device device, str symbols)
# Whether an operation computes in float64 or complex128.
cdef bint is_wide(Loop loop) noexcept
# Give operations that are checked zeros for the elements that ``where=`` leaves out of new arrays. Called before their
# group is settled, so that a kernel reads the zeros, too.
cdef int clear_left_out(Device device, Node* nodes, int count) except -1
