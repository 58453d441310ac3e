"""A group: operations over one iteration space that one kernel can compute."""
from cpython.object cimport PyObject

from gpunp.array.ndarray cimport MAX_NDIM
from gpunp.ufunc.plan cimport Operand

cdef enum:
    MAX_STEPS = 64          # operations
    MAX_MEMORY = 24         # operands in memory: leaves and stores
    MAX_CONSTANTS = 64
    # Where an operand of a step comes from: the value of an earlier step (its number), a leaf (LEAF + its number),
    # a constant (CONSTANT + its number), or it is absent.
    LEAF = 64
    CONSTANT = 128
    ABSENT = -1
    # Entries of Step.source after the inputs.
    MASK = 3                # a bool; the step's value is computed where it is true
    KEPT = 4                # the step's value where the mask is false; ABSENT: any value will do

# One operation: its value is the loop's only output, converted to dtype ``code``.
cdef struct Step:
    PyObject* loop          # a Loop, which lives as long as the process
    short[5] source
    unsigned char code

# The leaves are operand[:leaves], read before anything is written; operand[leaves:memory] are the stores. A store may
# be the same memory as a leaf if both have the same layout. All broadcast to (ndim, shape).
cdef struct Group:
    int steps
    int leaves
    int memory
    int constants
    int ndim
    Py_ssize_t[MAX_NDIM] shape
    Step[MAX_STEPS] step
    Operand[MAX_MEMORY] operand
    short[MAX_MEMORY] stored                    # the step whose value a store writes; entries of leaves are unused
    unsigned char[MAX_CONSTANTS] constant_code
    unsigned char[MAX_CONSTANTS][16] constant
