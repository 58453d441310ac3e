"""Checked calls of the CUDA driver, and the primary contexts."""
from cpython.object cimport PyObject
from cuda.bindings.cydriver cimport (CUcontext, CUresult, cuCtxGetCurrent, cuCtxSetCurrent)

cdef enum:
    MAX_DEVICES = 64

# Raise CUDADriverError for a result other than CUDA_SUCCESS.
cdef int fail(CUresult result, const char* call) except -1

cdef inline int check(CUresult result, const char* call) except -1:
    """Raise CUDADriverError if a driver call failed; ``call`` is its name."""
    if result != 0:
        fail(result, call)
    return 0

# Load the driver and check its version, once.
cdef int initialize() except -1

# The primary context of a device, retained for the life of the process.
cdef CUcontext primary_context(int index) except NULL

# The index of a CUDA device from None (the current one), an int or a Device.
cdef int index_of(object device) except -1

cdef inline int use_context(CUcontext context) except -1:
    """Make a context current in this thread; other libraries may have changed it since the last call."""
    cdef CUcontext current = NULL
    check(cuCtxGetCurrent(&current), "cuCtxGetCurrent")
    if current != context:
        check(cuCtxSetCurrent(context), "cuCtxSetCurrent")
    return 0

# True once the interpreter starts to exit: from then on no CUDA resource is freed.
cdef bint is_exiting() noexcept nogil

# A name for `note_launch`, which lives as long as the process.
cdef PyObject* permanent_name(str name)
# Remember that a user's kernel is launched, so that an error of a later call can name it.
cdef void note_launch(PyObject* name) noexcept

# How many threads must not wait for a device; and the error of a call that waits, if the calling thread is one.
cdef int waits_forbidden
cdef int refuse_wait(str call) except -1
