"""The trace of a device: elementwise operations that were called and have not run yet."""
from cpython.object cimport PyObject

from gpunp.device cimport Device

cdef enum:
    TRACE_NDIM = 6      # axes of operations that are recorded
    HABITS = 512        # calls whose chains are remembered
    DEPTH = 4           # frames that tell one call from another: a function called twice in a loop's body is no loop
    DEEP = 16           # the same for calls through functions of a library, which call one another
    DEEP_CODES = 4      # code objects of such calls that are remembered
    VISITED = 1024      # places at which chains began that are remembered
    TRACE_NODES = 128   # operations after which the trace is flushed
    # Entries of Node.place: the inputs, then these.
    OUTPUT = 3
    CONDITION = 4
    PLACES = 5

# An operand in memory.
cdef struct Place:
    PyObject* buffer            # a Buffer, of which the place owns a reference; NULL for scalars and absent operands
    Py_ssize_t offset           # from the start of the buffer to the first element, in bytes
    Py_ssize_t size
    int ndim
    int code
    bint c_contiguous
    bint f_contiguous
    Py_ssize_t[TRACE_NDIM] shape
    Py_ssize_t[TRACE_NDIM] strides

# The line of Python that called an operation: its code object and the index of its instruction, which may be stale.
ctypedef void* Code
cdef struct Site:
    Code code
    int instruction

# An operation: a call of a Loop with one output, or a reduction of place 0 along rows.
cdef struct Node:
    PyObject* loop              # Loops live as long as the process; NULL for a reduction
    PyObject* fold              # a Fold (gpunp/fusion/folds.pxd), of which the node owns a reference, or NULL
    int ndim
    Py_ssize_t[TRACE_NDIM] shape
    Place[PLACES] place
    unsigned char[3][16] scalar
    Site site
    long long number            # under which an observer knows it, or -1


# What is known of chains that begin at one call.
cdef struct Habit:
    Site site
    # How many times in a row no kernel could compute several operations; after a few, the operation is not deferred.
    int alone


# What has happened since the last reset.
cdef struct Counts:
    long long recorded          # operations
    long long fused             # that shared a kernel
    long long alone             # that had their own
    long long dropped           # whose results nothing needed
    long long groups            # kernels of several operations
    long long reductions        # that computed their elements
    long long nbytes            # that operations of their own kernels would have moved
    long long moved             # that were moved


cdef class Trace:
    cdef Device device
    cdef Node* nodes
    cdef int first              # nodes before it have run
    cdef int count
    cdef int folds              # reductions among them
    cdef int apart              # nodes before it have no kernel that holds rows
    cdef bint checked           # whether groups are compared with single operations
    cdef object queue           # to which the operations go
    cdef unsigned long thread   # that called them
    cdef size_t runs            # how often all operations have run
    # While operations run, no other thread may record or flush.
    cdef bint running
    cdef unsigned long runner
    cdef object lock
    # Operations of groups that never came before, less others; how many small ones are not deferred for that, of how
    # many the last time; and whether a chain began before where the present one did, by tags of callers.
    cdef int strange
    cdef int rest
    cdef int rested
    cdef bint revisited
    cdef unsigned int[VISITED] visited
    # The callers of the first operation, from the innermost frame on, and how many are known.
    cdef Site[DEEP] callers
    cdef int depth
    # Code objects whose DEEP callers are looked at, the place of the next one, a code object whose loops these callers
    # did not tell apart, and whether they have told an operation of this chain from the first one.
    cdef Code[DEEP_CODES] deep
    cdef int next_deep
    cdef Code shallow
    cdef bint distinct
    cdef bint useful            # whether operations were grouped since the first one
    # Whether kernels are compiled at once; and the name that they get, or None.
    cdef bint urgent
    cdef object name
    cdef int reason             # what ended the chain that runs; a FlushReason
    cdef list events            # for an observer, once nothing is locked
    cdef Counts counts
    cdef Habit[HABITS] habits


cdef Trace trace_of(Device device)
# Make the trace ready for one more node of the present queue and thread, and return 0; or return why there cannot be
# one. What this runs may run other threads.
cdef int join(Trace trace, Device device, bint urgent) except -1
# Run what is deferred on a device.
cdef int flush(Device device) except -1
# Keep other threads from recording and running operations. A thread that waits for this lets others run.
cdef int begin(Trace trace) except -1
cdef int end(Trace trace) except -1
# Run at least the first ``count`` operations, between `begin` and `end`.
cdef int run_first(Trace trace, int count) except -1
