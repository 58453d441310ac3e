"""cuSOLVER, loaded at first use: its functions, a handle per thread and device, and workspaces."""
import threading

from libc.stdlib cimport free, malloc
from cuda.bindings.cydriver cimport CUcontext, cuCtxPopCurrent, cuCtxPushCurrent

from gpunp.cuda.driver cimport is_exiting, primary_context, use_context
from gpunp.cuda.event cimport host_calls
from gpunp.cuda.library cimport Library
from gpunp.cuda.queueing cimport unlocked_call
from gpunp.cuda.stream cimport current_stream
from gpunp.device cimport Device, check_status

cdef Library _library = Library("cusolver", "cuSOLVER 12", "numpy.linalg on CUDA needs")
cdef object _local = threading.local()


cdef void* function(str name) except NULL:
    return _library.function(name)


# Names of cusolverStatus_t.
_STATUS = {1: "NOT_INITIALIZED", 2: "ALLOC_FAILED", 3: "INVALID_VALUE", 4: "ARCH_MISMATCH",
           6: "EXECUTION_FAILED", 7: "INTERNAL_ERROR", 8: "MATRIX_TYPE_NOT_SUPPORTED", 9: "NOT_SUPPORTED"}


cdef int check(int status, str call) except -1:
    if status != 0:
        raise RuntimeError(f"cusolverDn{call} failed: {_STATUS.get(status, 'status')} ({status})")
    return 0


cdef class Handle:
    """The library's state for one thread and device."""

    def __dealloc__(self):
        cdef CUcontext context
        if self.handle == NULL or is_exiting():
            return
        # Deallocation may run while the context of another device is current.
        cuCtxPushCurrent(primary_context(self.index))
        (<DestroyFunction>function("cusolverDnDestroyParams"))(self.params)
        unlocked_call(host_calls.existing, <DestroyFunction>function("cusolverDnDestroy"), self.handle)
        cuCtxPopCurrent(&context)


cdef Handle handle_of(Device device):
    cdef int index = device.index
    cdef Handle found
    check_status(device)
    use_context(primary_context(index))
    handles = getattr(_local, "handles", None)
    if handles is None:
        handles = _local.handles = {}
    found = handles.get(index)
    if found is None:
        found = Handle()
        found.index = index
        check(unlocked_call(host_calls.existing, <CreateFunction>function("cusolverDnCreate"), &found.handle), "Create")
        check((<CreateFunction>function("cusolverDnCreateParams"))(&found.params), "CreateParams")
        handles[index] = found
    check((<SetStreamFunction>function("cusolverDnSetStream"))(found.handle, current_stream(index).handle),
          "SetStream")
    return found


cdef class Workspace:
    """The workspace of one call: device memory, in stream order, and host memory."""

    def __dealloc__(self):
        free(self.host)


cdef Workspace workspace(Device device, size_t size, size_t host_size):
    cdef Workspace work = Workspace()
    work.buffer = device.allocate(size)
    work.device = work.buffer.ptr
    work.size, work.host_size = size, host_size
    if host_size:
        work.host = malloc(host_size)
        if work.host == NULL:
            raise MemoryError(f"cuSOLVER needs {host_size:,} bytes of host memory, which could not be allocated")
    # A user-supplied allocator may have changed the current context.
    use_context(primary_context(device.index))
    return work
