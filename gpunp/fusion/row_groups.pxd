"""Groups of operations over rows and of reductions along them, which one kernel computes."""
from cpython.object cimport PyObject

from gpunp.fusion.trace cimport Node, Place

cdef extern from "gpunp/fusion/rows_params.h" namespace "gpunp::fusion" nogil:
    enum:
        ROWS_BLOCK, ROWS_MEMORY, ROWS_HELD, ROWS_FOLDS, ROWS_CONSTANTS, ROWS_VALUE

cdef enum:
    ROW_STEPS = 40
    ROW_LEAVES = 8
    ROW_ACCESSES = ROW_STEPS + ROW_LEAVES

cdef enum Kind:
    # Of steps and of leaves, as in gpunp/fusion/description.py.
    FULL, OF_ROWS, FOLD_OR_COLUMNS, ONE, OTHER

# A place in memory that a group reads or writes, while it is formed.
cdef struct RowAccess:
    Place* place
    int kind
    int step            # that wrote the place last, or ABSENT
    int leaf            # that reads it before anything is written, or ABSENT

cdef struct RowDraft:
    int nodes, accesses, leaves, constants, folds
    int tail            # axes that a row spans
    Py_ssize_t rows, length
    Node* first
    Node* space         # the reduction whose input is the iteration space
    RowAccess[ROW_ACCESSES] access
    unsigned char[ROW_STEPS] kind
    short[ROW_STEPS][5] source

cdef struct RowStep:
    PyObject* loop      # a Loop, or the Loops of a reduction
    PyObject* fold      # a Fold, or NULL
    short[5] source
    unsigned char code, kind, stage
    signed char held    # the array in shared memory, or -1

cdef struct RowLeaf:
    unsigned char code, kind
    signed char held

# Steps, leaves and constants as in gpunp/fusion/group.h: their numbers are in `RowStep.source`.
cdef struct RowGroup:
    int steps, leaves, memory, constants, folds, values, held
    Py_ssize_t rows, length
    RowStep[ROW_STEPS] step
    RowLeaf[ROWS_MEMORY] leaf
    char* data[ROWS_MEMORY]                     # of leaves, then of stores
    short[ROWS_MEMORY] stored                   # the step whose value a store writes
    unsigned char[ROWS_MEMORY] stored_code
    unsigned char[ROWS_HELD] held_bytes         # of an element
    unsigned char[ROWS_CONSTANTS] constant_code
    unsigned char[ROWS_CONSTANTS][16] constant

# Form the group of the first nodes, of which number `fold` is the first reduction. False if it would gain nothing.
cdef bint draw_rows(RowDraft* draft, Node* nodes, int count, int fold) noexcept
