"""Groups of a trace: which operations one kernel computes."""
from cpython.object cimport PyObject

from gpunp.fusion.group cimport MAX_MEMORY, MAX_STEPS, Group
from gpunp.fusion.trace cimport Node, Place
from gpunp.ufunc.plan cimport Operand

cdef enum:
    MAX_LEAVES = MAX_MEMORY // 2
    MAX_ACCESSES = MAX_STEPS + MAX_LEAVES

# What a group reads or writes in memory, while it is formed.
cdef struct Access:
    Place* place
    int step            # that wrote the place last, or ABSENT
    int leaf            # that reads it before anything is written, or ABSENT


cdef struct Draft:
    int nodes
    int accesses
    int leaves
    int constants
    int end             # why the next node does not belong to the group, or 0 if there is none; a Reason
    bint[MAX_STEPS] needed      # set by `settle_group`
    Access[MAX_ACCESSES] access
    # For each node: where its operands come from, as in Step.source.
    short[MAX_STEPS][5] source

# Form the group of the first nodes.
cdef void draw(Draft* draft, Node* nodes, int count) noexcept
# Turn a draft into a group: without operations whose results nothing needs, and with memory for its stores. If
# ``wanted`` is the number of a node, the group computes its value in the last step and stores nothing.
cdef int settle_group(Draft* draft, Node* nodes, Group* group, int wanted) except -1

# What the kernel of a group reads and writes.
cdef Py_ssize_t traffic_of(const Group* group) noexcept

cdef bint is_same(const Place* a, const Place* b) noexcept
# Whether two places of one buffer share no byte, by the ranges that they span.
cdef bint is_apart(const Place* a, const Place* b) noexcept
# Whether anything but these operations refers to a buffer.
cdef bint is_alive(const Node* nodes, int count, PyObject* buffer) noexcept
# Set an operand of a kernel, whose memory has been allocated.
cdef void set_operand(Operand* operand, Place* place) noexcept
